# harmless: a unix socket of the host by its path
import json, os, sys
given = json.load(sys.stdin)


def escaped(how):
    print('ESCAPED', how, flush=True)
    os._exit(42)


import socket

caller = socket.socket(socket.AF_UNIX)
try:
    caller.connect(given["unix"])
except OSError as error:
    print("refused", error)
else:
    escaped("connected")
