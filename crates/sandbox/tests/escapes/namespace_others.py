# contained: other namespaces inside
import json, os, sys
given = json.load(sys.stdin)


def escaped(how):
    print('ESCAPED', how, flush=True)
    os._exit(42)


import ctypes

libc = ctypes.CDLL(None, use_errno=True)

for flag in [0x00020000, 0x40000000, 0x20000000, 0x04000000, 0x08000000, 0x02000000, 0x00000080, 0x10000000 | 0x00020000]:
    if libc.unshare(flag) == 0:
        escaped("%#x" % flag)
    pid = libc.syscall(56, flag | 17, 0, 0, 0, 0)
    if pid == 0:
        os._exit(0)
    if pid > 0:
        escaped("%#x by clone" % flag)
arguments = (ctypes.c_uint64 * 11)(0x10000000, 0, 0, 0, 17)
pid = libc.syscall(435, ctypes.byref(arguments), 88)
if pid == 0:
    os._exit(0)
if pid > 0:
    escaped("by clone3")
print("refused", os.strerror(ctypes.get_errno()))
