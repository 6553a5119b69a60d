# contained: an interface beside the loop
import json, os, sys
given = json.load(sys.stdin)


def escaped(how):
    print('ESCAPED', how, flush=True)
    os._exit(42)


import socket

for _, name in socket.if_nameindex():
    if name != "lo":
        escaped(name)
print("none")
