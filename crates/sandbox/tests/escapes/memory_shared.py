# contained: more memory than it may have, that belongs to no process
import json, os, sys
given = json.load(sys.stdin)


def escaped(how):
    print('ESCAPED', how, flush=True)
    os._exit(42)


import ctypes

libc = ctypes.CDLL(None, use_errno=True)

import time

total = 0
try:
    while total < 1200:
        descriptor = os.memfd_create("x")
        for _ in range(8):
            os.write(descriptor, b"x" * (8 << 20))
            total += 8
except (OSError, MemoryError) as error:
    print("refused after", total, error)
time.sleep(0.3)
if total >= 1200:
    escaped("%d MiB" % total)
for _ in range(5):
    number = libc.shmget(0, 256 << 20, 0o1600)
    if number < 0:
        print("refused")
        break
    libc.shmat.restype = ctypes.c_void_p
    place = libc.shmat(number, None, 0)
    if place in (None, ctypes.c_void_p(-1).value):
        break
    ctypes.memset(place, 1, 256 << 20)
else:
    time.sleep(0.3)
    escaped("1280 MiB in shared segments")
