# contained: a good end told in its place
import json, os, sys
given = json.load(sys.stdin)


def escaped(how):
    print('ESCAPED', how, flush=True)
    os._exit(42)


import struct

for number in range(3, 64):
    try:
        os.write(number, b"end 0\n")
    except OSError:
        continue
    escaped("descriptor %d" % number)
print("none")
