# harmless: another process followed step by step
import json, os, sys
given = json.load(sys.stdin)


def escaped(how):
    print('ESCAPED', how, flush=True)
    os._exit(42)


import ctypes

libc = ctypes.CDLL(None, use_errno=True)

if libc.ptrace(0, 0, 0, 0) == 0:
    escaped("it can be traced")
print("refused", os.strerror(ctypes.get_errno()))
