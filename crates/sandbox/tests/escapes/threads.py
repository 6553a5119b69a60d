# contained: as many threads as it can get
import json, os, sys
given = json.load(sys.stdin)


def escaped(how):
    print('ESCAPED', how, flush=True)
    os._exit(42)


import threading
import time

count = 0
try:
    while count < 2000:
        thread = threading.Thread(target=time.sleep, args=(60,), daemon=True)
        thread.start()
        count += 1
except (RuntimeError, OSError) as error:
    print("refused after", count, error)
if count > 400:
    escaped("%d threads" % count)
os._exit(0)
