# contained: the interpreter's own compiled files
import json, os, sys
given = json.load(sys.stdin)


def escaped(how):
    print('ESCAPED', how, flush=True)
    os._exit(42)


import json as module

for path in [module.__file__, module.__cached__]:
    try:
        open(path, "r+b").close()
    except OSError as error:
        print("refused", error)
    else:
        escaped(path)
