# contained: a device in place of a file that is brought back
import json, os, sys
given = json.load(sys.stdin)


def escaped(how):
    print('ESCAPED', how, flush=True)
    os._exit(42)


os.symlink("/dev/zero", "wanted.txt")
try:
    os.mknod("disk", 0o600 | 0o060000, os.makedev(252, 0))
except OSError as error:
    print("refused", error)
else:
    escaped("a disk was made")
