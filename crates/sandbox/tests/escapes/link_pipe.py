# contained: a pipe in place of a file that is brought back, so that whoever reads it waits for ever
import json, os, sys
given = json.load(sys.stdin)


def escaped(how):
    print('ESCAPED', how, flush=True)
    os._exit(42)


os.mkfifo("wanted.txt")
