# harmless: a namespace of users inside
import json, os, sys
given = json.load(sys.stdin)


def escaped(how):
    print('ESCAPED', how, flush=True)
    os._exit(42)


import ctypes

libc = ctypes.CDLL(None, use_errno=True)

if libc.unshare(0x10000000) == 0:
    escaped("it is root in its own")
print("refused", os.strerror(ctypes.get_errno()))
