# contained: a crash of the machine
import json, os, sys
given = json.load(sys.stdin)


def escaped(how):
    print('ESCAPED', how, flush=True)
    os._exit(42)


for path in ["/proc/sysrq-trigger", "/proc/acpi/wakeup", "/proc/kcore", "/proc/kmsg"]:
    try:
        open(path, "r+b" if path.endswith("wakeup") else ("wb" if "sysrq" in path else "rb"))
    except OSError as error:
        print("refused", error)
    else:
        escaped(path)
