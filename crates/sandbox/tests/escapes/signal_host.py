# harmless: a signal to a process of the host
import json, os, sys
given = json.load(sys.stdin)


def escaped(how):
    print('ESCAPED', how, flush=True)
    os._exit(42)


try:
    os.kill(given["process"], 0)
except OSError as error:
    print("refused", error)
else:
    escaped("it can be signalled")
