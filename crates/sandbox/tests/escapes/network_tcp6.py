# contained: a connection to a server of the host by IPv6
import json, os, sys
given = json.load(sys.stdin)


def escaped(how):
    print('ESCAPED', how, flush=True)
    os._exit(42)


import socket

try:
    socket.create_connection(("::1", given["tcp"]), timeout=2)
except OSError as error:
    print("refused", error)
else:
    escaped("connected")
