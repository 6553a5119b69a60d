# contained: the system made writable
import json, os, sys
given = json.load(sys.stdin)


def escaped(how):
    print('ESCAPED', how, flush=True)
    os._exit(42)


import subprocess

ended = subprocess.run(["mount", "-o", "remount,rw", "/usr"], capture_output=True)
print(ended.returncode, ended.stderr[-200:])
if ended.returncode == 0:
    escaped("remounted")
