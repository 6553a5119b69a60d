# contained: system calls by their numbers of another kind
import json, os, sys
given = json.load(sys.stdin)


def escaped(how):
    print('ESCAPED', how, flush=True)
    os._exit(42)


import ctypes

libc = ctypes.CDLL(None, use_errno=True)

for number in [250, 248, 101, 272]:
    result = libc.syscall(0x40000000 + number, 0, 0, 0, 0)
    if result >= 0 or ctypes.get_errno() != 38:
        escaped("%d: %d %s" % (number, result, os.strerror(ctypes.get_errno())))
print("none")
