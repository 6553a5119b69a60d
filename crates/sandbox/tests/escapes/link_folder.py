# harmless: a link to a folder of the host on the way to a file that is brought back; it looks at what it gets
import json, os, sys
given = json.load(sys.stdin)


def escaped(how):
    print('ESCAPED', how, flush=True)
    os._exit(42)


os.symlink(os.path.dirname(given["canary"]), "way")
os.symlink("way/canary", "wanted.txt")
