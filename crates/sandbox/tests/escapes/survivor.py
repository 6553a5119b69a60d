# harmless: a process that outlives its program; it looks for it
import json, os, sys
given = json.load(sys.stdin)


def escaped(how):
    print('ESCAPED', how, flush=True)
    os._exit(42)


if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        for number in range(3):
            os.close(number)
        os.execvp("sleep", ["sleep", given["marker"]])
    os._exit(0)
os.wait()
