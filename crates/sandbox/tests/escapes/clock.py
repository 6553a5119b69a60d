# contained: the clock of the machine
import json, os, sys
given = json.load(sys.stdin)


def escaped(how):
    print('ESCAPED', how, flush=True)
    os._exit(42)


import ctypes

libc = ctypes.CDLL(None, use_errno=True)

import time

try:
    time.clock_settime(time.CLOCK_REALTIME, time.time())
except OSError as error:
    print("refused", error)
else:
    escaped("it can be set")
buffer = ctypes.create_string_buffer(256)
buffer[0:4] = (0x0001).to_bytes(4, "little")
if libc.adjtimex(buffer) >= 0:
    escaped("it can be bent")
