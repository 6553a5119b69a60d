# contained: a higher priority
import json, os, sys
given = json.load(sys.stdin)


def escaped(how):
    print('ESCAPED', how, flush=True)
    os._exit(42)


try:
    os.nice(-5)
except OSError as error:
    print("refused", error)
else:
    escaped("it goes first")
