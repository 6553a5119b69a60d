# contained: the memory of its parent
import json, os, sys
given = json.load(sys.stdin)


def escaped(how):
    print('ESCAPED', how, flush=True)
    os._exit(42)


import ctypes

libc = ctypes.CDLL(None, use_errno=True)

class Part(ctypes.Structure):
    _fields_ = [("base", ctypes.c_void_p), ("length", ctypes.c_size_t)]


buffer = ctypes.create_string_buffer(8)
local = Part(ctypes.cast(buffer, ctypes.c_void_p), 8)
remote = Part(ctypes.addressof(buffer), 8)
for process in [1, os.getppid(), os.getpid()]:
    if libc.process_vm_readv(process, ctypes.byref(local), 1, ctypes.byref(remote), 1, 0) >= 0:
        escaped("of %d" % process)
print("refused", os.strerror(ctypes.get_errno()))
