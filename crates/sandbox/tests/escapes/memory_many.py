# contained: more memory than it may have, in several processes
import json, os, sys
given = json.load(sys.stdin)


def escaped(how):
    print('ESCAPED', how, flush=True)
    os._exit(42)


import time

ready, tell = os.pipe()
for _ in range(8):
    if os.fork() == 0:
        held = bytearray(b"x") * (120 << 20)
        os.write(tell, b"x")
        time.sleep(3)
        os.write(tell, b"y")
        os._exit(0)
os.close(tell)
seen = b""
while part := os.read(ready, 100):
    seen += part
if seen.count(b"y") == 8:
    escaped("960 MiB in 8 processes")
