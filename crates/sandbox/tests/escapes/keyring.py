# contained: a key that others can read; it looks for it
import json, os, sys
given = json.load(sys.stdin)


def escaped(how):
    print('ESCAPED', how, flush=True)
    os._exit(42)


import ctypes

libc = ctypes.CDLL(None, use_errno=True)

for ring in [-3, -4, -5, -1, -2]:
    number = libc.syscall(248, b"user", given["marker"].encode(), b"secret", 6, ring)
    if number > 0:
        escaped("ring %d" % ring)
if libc.syscall(250, 0, -3, 0) > 0:
    escaped("there is a ring of the session")
if libc.syscall(249, b"user", b"anything", None, -3) > 0:
    escaped("a key was found")
print("refused", os.strerror(ctypes.get_errno()))
