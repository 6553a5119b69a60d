# harmless: the environment of any process of the host
import json, os, sys
given = json.load(sys.stdin)


def escaped(how):
    print('ESCAPED', how, flush=True)
    os._exit(42)


import glob

for path in glob.glob("/proc/[0-9]*/environ"):
    try:
        text = open(path, "rb").read()
    except OSError:
        continue
    if given["variable"].encode() in text:
        escaped(path)
print("none")
