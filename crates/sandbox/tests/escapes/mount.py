# contained: a mount
import json, os, sys
given = json.load(sys.stdin)


def escaped(how):
    print('ESCAPED', how, flush=True)
    os._exit(42)


import ctypes

libc = ctypes.CDLL(None, use_errno=True)

for source, target, kind in [(b"x", b"/tmp", b"tmpfs"), (b"proc", b"/tmp", b"proc"), (b"/", b"/tmp", None)]:
    if libc.mount(source, target, kind, 4096 if kind is None else 0, None) == 0:
        escaped(str(kind))
if libc.umount2(b"/proc/1", 2) == 0:
    escaped("the cover of the first process is gone")
if libc.syscall(430, b"tmpfs", 0) >= 0:
    escaped("fsopen")
if libc.syscall(428, -100, b"/", 1) >= 0:
    escaped("open_tree")
print("refused", os.strerror(ctypes.get_errno()))
