# contained: the end of its parents; it looks whether others live
import json, os, sys
given = json.load(sys.stdin)


def escaped(how):
    print('ESCAPED', how, flush=True)
    os._exit(42)


import signal

for number in [signal.SIGKILL, signal.SIGSTOP, signal.SIGSEGV]:
    for process in [1, os.getppid()]:
        try:
            os.kill(process, number)
        except OSError as error:
            print("refused", error)
try:
    os.killpg(0, signal.SIGKILL)
except OSError as error:
    print("refused", error)
