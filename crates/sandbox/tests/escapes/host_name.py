# contained: another name for the machine
import json, os, sys
given = json.load(sys.stdin)


def escaped(how):
    print('ESCAPED', how, flush=True)
    os._exit(42)


import socket

try:
    socket.sethostname("escaped")
except OSError as error:
    print("refused", error)
else:
    escaped("renamed")
