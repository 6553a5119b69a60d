# contained: disks and memory of the machine
import json, os, sys
given = json.load(sys.stdin)


def escaped(how):
    print('ESCAPED', how, flush=True)
    os._exit(42)


import glob

for path in ["/dev/mem", "/dev/kmem", "/dev/kmsg", "/dev/port", "/dev/fuse", "/dev/kvm", "/dev/net/tun"] + glob.glob("/dev/[svn][dv][am]*"):
    try:
        open(path, "rb").close()
    except OSError as error:
        print("refused", error)
    else:
        escaped(path)
