# contained: a process that outlives the time of its program; it looks for it
import json, os, sys
given = json.load(sys.stdin)


def escaped(how):
    print('ESCAPED', how, flush=True)
    os._exit(42)


import time

if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        os.execvp("sleep", ["sleep", given["marker"]])
    os._exit(0)
os.wait()
while True:
    time.sleep(1)
