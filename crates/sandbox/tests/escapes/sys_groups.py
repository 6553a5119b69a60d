# contained: control groups and other settings in /sys
import json, os, sys
given = json.load(sys.stdin)


def escaped(how):
    print('ESCAPED', how, flush=True)
    os._exit(42)


import glob

for path in ["/sys/fs/cgroup", "/sys/kernel", "/sys/class/net", "/sys/firmware"]:
    if os.path.isdir(path) and os.listdir(path):
        escaped(path)
print("none")
