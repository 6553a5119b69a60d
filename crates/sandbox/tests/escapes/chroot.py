# contained: another root
import json, os, sys
given = json.load(sys.stdin)


def escaped(how):
    print('ESCAPED', how, flush=True)
    os._exit(42)


import ctypes

libc = ctypes.CDLL(None, use_errno=True)

os.mkdir("new")
for call in [lambda: os.chroot("new")]:
    try:
        call()
    except OSError as error:
        print("refused", error)
    else:
        escaped("chroot")
if libc.pivot_root(b".", b"new") == 0:
    escaped("pivot_root")
