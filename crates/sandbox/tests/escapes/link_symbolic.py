# harmless: a link to a file of the host in place of a file that is brought back; it looks at what it gets
import json, os, sys
given = json.load(sys.stdin)


def escaped(how):
    print('ESCAPED', how, flush=True)
    os._exit(42)


os.symlink(given["canary"], "wanted.txt")
