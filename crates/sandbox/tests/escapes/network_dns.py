# contained: a name is looked up
import json, os, sys
given = json.load(sys.stdin)


def escaped(how):
    print('ESCAPED', how, flush=True)
    os._exit(42)


import socket

for name in ["example.com", "deb.debian.org", "localhost.localdomain"]:
    try:
        found = socket.gethostbyname(name)
    except OSError as error:
        print("refused", error)
    else:
        if not found.startswith("127."):
            escaped("%s is %s" % (name, found))
