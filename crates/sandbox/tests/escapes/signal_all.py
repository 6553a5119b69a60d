# contained: the end of every process there is; it looks whether others live
import json, os, sys
given = json.load(sys.stdin)


def escaped(how):
    print('ESCAPED', how, flush=True)
    os._exit(42)


import signal

for number in [signal.SIGCONT, signal.SIGTERM, signal.SIGSTOP, signal.SIGKILL]:
    try:
        os.kill(-1, number)
    except OSError as error:
        print("refused", error)
