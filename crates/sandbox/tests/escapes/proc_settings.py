# contained: settings of the kernel
import json, os, sys
given = json.load(sys.stdin)


def escaped(how):
    print('ESCAPED', how, flush=True)
    os._exit(42)


for name in ["kernel/core_pattern", "kernel/hostname", "kernel/sysrq", "kernel/modprobe", "vm/overcommit_memory",
             "vm/drop_caches", "fs/file-max", "net/ipv4/ip_forward", "user/max_user_namespaces"]:
    try:
        file = open("/proc/sys/" + name, "r+")
        file.write(file.read() or "1")
        file.flush()
    except OSError as error:
        print("refused", error)
    else:
        escaped(name)
