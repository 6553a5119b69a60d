# contained: the end of every process there is; it looks whether others live
import json, os, sys
given = json.load(sys.stdin)


def escaped(how):
    print('ESCAPED', how, flush=True)
    os._exit(42)


import signal

signal.signal(signal.SIGTERM, signal.SIG_IGN)
os.kill(-1, signal.SIGTERM)
os.kill(-1, signal.SIGSTOP)
os.kill(-1, signal.SIGKILL)
