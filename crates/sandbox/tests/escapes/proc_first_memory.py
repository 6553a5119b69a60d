# contained: the memory of the first process
import json, os, sys
given = json.load(sys.stdin)


def escaped(how):
    print('ESCAPED', how, flush=True)
    os._exit(42)


try:
    maps = open("/proc/1/maps").read()
    memory = open("/proc/1/mem", "rb")
except OSError as error:
    print("refused", error)
else:
    escaped(maps[:100])
