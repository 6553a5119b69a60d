# contained: the environment of the first process
import json, os, sys
given = json.load(sys.stdin)


def escaped(how):
    print('ESCAPED', how, flush=True)
    os._exit(42)


try:
    text = open("/proc/1/environ", "rb").read()
except OSError as error:
    print("refused", error)
else:
    escaped(repr(text[:100]))
