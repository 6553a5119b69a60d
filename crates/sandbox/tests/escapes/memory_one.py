# contained: more memory than it may have
import json, os, sys
given = json.load(sys.stdin)


def escaped(how):
    print('ESCAPED', how, flush=True)
    os._exit(42)


held = []
for _ in range(40):
    held.append(bytearray(b"x") * (32 << 20))
escaped("1280 MiB")
