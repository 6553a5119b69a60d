# contained: a descriptor of another process
import json, os, sys
given = json.load(sys.stdin)


def escaped(how):
    print('ESCAPED', how, flush=True)
    os._exit(42)


import ctypes

libc = ctypes.CDLL(None, use_errno=True)

process = libc.syscall(434, 1, 0)
if process >= 0:
    for number in range(8):
        if libc.syscall(438, process, number, 0) >= 0:
            escaped("descriptor %d" % number)
print("refused", os.strerror(ctypes.get_errno()))
