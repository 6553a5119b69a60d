# contained: a file that is too large
import json, os, sys
given = json.load(sys.stdin)


def escaped(how):
    print('ESCAPED', how, flush=True)
    os._exit(42)


import signal

signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
total = 0
try:
    with open("large", "wb") as file:
        while total < 100:
            file.write(b"x" * (1 << 20))
            total += 1
except OSError as error:
    print("refused after", total, error)
if total >= 100:
    escaped("%d MiB" % total)
