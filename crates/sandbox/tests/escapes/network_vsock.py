# contained: a socket to the machine that this machine runs on
import json, os, sys
given = json.load(sys.stdin)


def escaped(how):
    print('ESCAPED', how, flush=True)
    os._exit(42)


import socket

try:
    socket.socket(40, socket.SOCK_STREAM)
except OSError as error:
    print("refused", error)
else:
    escaped("there is a vsock")
