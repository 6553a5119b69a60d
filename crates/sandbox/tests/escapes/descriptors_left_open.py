# contained: a descriptor that was left open
import json, os, sys
given = json.load(sys.stdin)


def escaped(how):
    print('ESCAPED', how, flush=True)
    os._exit(42)


for number in range(3, 1024):
    try:
        os.fstat(number)
    except OSError:
        continue
    escaped("descriptor %d: %s" % (number, os.readlink("/proc/self/fd/%d" % number)))
print("none")
