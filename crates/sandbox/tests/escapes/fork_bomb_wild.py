# contained: processes that make processes
import json, os, sys
given = json.load(sys.stdin)


def escaped(how):
    print('ESCAPED', how, flush=True)
    os._exit(42)


while True:
    try:
        os.fork()
    except OSError:
        pass
