# harmless: a file of the host under a second name
import json, os, sys
given = json.load(sys.stdin)


def escaped(how):
    print('ESCAPED', how, flush=True)
    os._exit(42)


try:
    os.link(given["canary"], "wanted.txt")
except OSError as error:
    print("refused", error)
else:
    escaped("linked")
