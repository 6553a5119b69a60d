# contained: another process ended in its place when memory is short
import json, os, sys
given = json.load(sys.stdin)


def escaped(how):
    print('ESCAPED', how, flush=True)
    os._exit(42)


try:
    open("/proc/1/oom_score_adj", "w").write("1000")
except OSError as error:
    print("refused", error)
else:
    escaped("the first process goes first")
