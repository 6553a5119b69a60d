# contained: the files of another process
import json, os, sys
given = json.load(sys.stdin)


def escaped(how):
    print('ESCAPED', how, flush=True)
    os._exit(42)


import glob

for path in glob.glob("/proc/[0-9]*/root") + glob.glob("/proc/[0-9]*/cwd"):
    if "/%d/" % os.getpid() in path:
        continue
    try:
        names = os.listdir(path)
    except OSError:
        continue
    if os.path.exists(path + given["canary"]):
        escaped(path)
print("none")
