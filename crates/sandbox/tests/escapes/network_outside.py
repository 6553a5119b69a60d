# contained: a connection to the world
import json, os, sys
given = json.load(sys.stdin)


def escaped(how):
    print('ESCAPED', how, flush=True)
    os._exit(42)


import socket

for address in [("1.1.1.1", 53), ("8.8.8.8", 443), ("9.9.9.9", 53)]:
    try:
        socket.create_connection(address, timeout=1)
    except OSError as error:
        print("refused", error)
    else:
        escaped("connected to %s" % address[0])
