# contained: the first process followed step by step
import json, os, sys
given = json.load(sys.stdin)


def escaped(how):
    print('ESCAPED', how, flush=True)
    os._exit(42)


import ctypes

libc = ctypes.CDLL(None, use_errno=True)

for request in [16, 0x4206]:
    for process in [1, os.getppid()]:
        if libc.ptrace(request, process, 0, 0) == 0:
            escaped("request %d" % request)
print("refused", os.strerror(ctypes.get_errno()))
