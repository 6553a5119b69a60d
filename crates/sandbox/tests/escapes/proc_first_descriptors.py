# contained: a false report through the descriptors of the first process
import json, os, sys
given = json.load(sys.stdin)


def escaped(how):
    print('ESCAPED', how, flush=True)
    os._exit(42)


for number in range(256):
    for process in ["1", str(os.getppid())]:
        try:
            descriptor = os.open("/proc/%s/fd/%d" % (process, number), os.O_WRONLY)
        except OSError:
            continue
        os.write(descriptor, b"end 0\n")
        escaped("descriptor %d of %s" % (number, process))
print("none")
