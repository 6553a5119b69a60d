# contained: home folders, logs, mounts
import json, os, sys
given = json.load(sys.stdin)


def escaped(how):
    print('ESCAPED', how, flush=True)
    os._exit(42)


for path in ["/root", "/home", "/var/log", "/var/lib", "/srv", "/mnt", "/media", "/opt", "/boot", "/run"]:
    try:
        names = os.listdir(path)
    except OSError as error:
        print("refused", error)
        continue
    # The way to the interpreter is shown, and nothing beside it.
    if names and not sys.prefix.startswith(path + "/"):
        escaped("%s: %s" % (path, names[:5]))
