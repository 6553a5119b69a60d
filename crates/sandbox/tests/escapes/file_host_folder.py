# harmless: the folder of a file of the host
import json, os, sys
given = json.load(sys.stdin)


def escaped(how):
    print('ESCAPED', how, flush=True)
    os._exit(42)


try:
    names = os.listdir(os.path.dirname(given["canary"]))
except OSError as error:
    print("refused", error)
else:
    escaped(str(names))
