# contained: limits raised again
import json, os, sys
given = json.load(sys.stdin)


def escaped(how):
    print('ESCAPED', how, flush=True)
    os._exit(42)


import resource

for name in ["RLIMIT_NPROC", "RLIMIT_FSIZE", "RLIMIT_CPU", "RLIMIT_NOFILE"]:
    kind = getattr(resource, name)
    _, hard = resource.getrlimit(kind)
    if hard == resource.RLIM_INFINITY:
        escaped(name + " is not limited")
    try:
        resource.setrlimit(kind, (hard, hard * 2))
    except (OSError, ValueError) as error:
        print("refused", error)
    else:
        escaped(name)
