# harmless: a file in a folder of the host
import json, os, sys
given = json.load(sys.stdin)


def escaped(how):
    print('ESCAPED', how, flush=True)
    os._exit(42)


path = os.path.join(given["folder"], "written")
try:
    open(path, "w").write("x")
except OSError as error:
    print("refused", error)
else:
    escaped(path)
