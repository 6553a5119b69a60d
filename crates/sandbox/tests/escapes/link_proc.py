# contained: a link through the first process in place of a file that is brought back
import json, os, sys
given = json.load(sys.stdin)


def escaped(how):
    print('ESCAPED', how, flush=True)
    os._exit(42)


os.symlink("/proc/1/root" + given["canary"], "wanted.txt")
