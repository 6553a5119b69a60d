# contained: more complaints than it may print
import json, os, sys
given = json.load(sys.stdin)


def escaped(how):
    print('ESCAPED', how, flush=True)
    os._exit(42)


part = b"x" * (1 << 20)
for _ in range(200):
    os.write(2, part)
escaped("200 MiB")
