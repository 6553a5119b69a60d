# contained: as many processes as it can get
import json, os, sys
given = json.load(sys.stdin)


def escaped(how):
    print('ESCAPED', how, flush=True)
    os._exit(42)


count = 0
try:
    while count < 2000:
        if os.fork() == 0:
            import time
            time.sleep(60)
            os._exit(0)
        count += 1
except OSError as error:
    print("refused after", count, error)
if count > 400:
    escaped("%d processes" % count)
