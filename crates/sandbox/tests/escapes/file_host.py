# harmless: a file of the host
import json, os, sys
given = json.load(sys.stdin)


def escaped(how):
    print('ESCAPED', how, flush=True)
    os._exit(42)


try:
    text = open(given["canary"]).read()
except OSError as error:
    print("refused", error)
else:
    escaped(text)
