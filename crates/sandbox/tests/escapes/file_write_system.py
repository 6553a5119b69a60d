# contained: a file in the system
import json, os, sys
given = json.load(sys.stdin)


def escaped(how):
    print('ESCAPED', how, flush=True)
    os._exit(42)


for folder in ["/usr", "/usr/bin", "/usr/lib", "/etc", "/bin", "/", "/dev", "/proc", os.path.dirname(os.__file__), sys.prefix]:
    path = os.path.join(folder, "probare-escape")
    try:
        open(path, "w").close()
        os.unlink(path)
    except OSError as error:
        print("refused", error)
    else:
        escaped(path)
