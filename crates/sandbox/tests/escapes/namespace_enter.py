# contained: the namespaces of another process
import json, os, sys
given = json.load(sys.stdin)


def escaped(how):
    print('ESCAPED', how, flush=True)
    os._exit(42)


import ctypes

libc = ctypes.CDLL(None, use_errno=True)

for process in ["1", str(os.getppid())]:
    for name in ["user", "mnt", "net", "pid"]:
        try:
            descriptor = os.open("/proc/%s/ns/%s" % (process, name), os.O_RDONLY)
        except OSError as error:
            print("refused", error)
            continue
        if libc.setns(descriptor, 0) == 0:
            escaped(name)
        print("refused", os.strerror(ctypes.get_errno()))
