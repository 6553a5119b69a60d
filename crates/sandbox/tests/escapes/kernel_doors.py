# contained: doors of the kernel that no ordinary program opens
import json, os, sys
given = json.load(sys.stdin)


def escaped(how):
    print('ESCAPED', how, flush=True)
    os._exit(42)


import ctypes

libc = ctypes.CDLL(None, use_errno=True)

doors = {"bpf": 321, "perf_event_open": 298, "userfaultfd": 323, "io_uring_setup": 425, "kexec_load": 246, "init_module": 175,
         "finit_module": 313, "open_by_handle_at": 304, "name_to_handle_at": 303, "swapon": 167, "reboot": 169, "acct": 163,
         "syslog": 103, "fanotify_init": 300, "kcmp": 312, "vhangup": 153}
buffer = ctypes.create_string_buffer(256)
for name, number in doors.items():
    if name == "reboot":
        result = libc.syscall(number, 0xfee1dead, 672274793, 0, None)
    elif name == "syslog":
        result = libc.syscall(number, 3, buffer, 255)
    elif name == "acct":
        result = libc.syscall(number, b"/no/such/file")
    elif name == "kcmp":
        result = libc.syscall(number, os.getpid(), os.getpid(), 0, 0, 0)
    else:
        result = libc.syscall(number, 0, buffer, 0, 0, 0)
    error = ctypes.get_errno()
    # Refused before it looks at what it was given.
    if result >= 0 or error not in (1, 38):
        escaped("%s: %d %s" % (name, result, os.strerror(error)))
print("none")
