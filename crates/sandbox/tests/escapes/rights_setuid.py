# contained: a file that runs as somebody else
import json, os, sys
given = json.load(sys.stdin)


def escaped(how):
    print('ESCAPED', how, flush=True)
    os._exit(42)


import shutil
import subprocess

for folder in [".", "/tmp", "/dev/shm"]:
    if not os.statvfs(folder).f_flag & os.ST_NOSUID:
        escaped("files in %s may run as somebody else" % folder)
if "NoNewPrivs:\t1" not in open("/proc/self/status").read():
    escaped("rights can be gained")
for program in ["su", "sudo", "passwd", "mount", "newgrp"]:
    path = shutil.which(program)
    if path and not os.statvfs(path).f_flag & os.ST_NOSUID:
        escaped(path)
print("none")
