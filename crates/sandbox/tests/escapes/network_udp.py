# harmless: a datagram to the host; it looks whether one arrives
import json, os, sys
given = json.load(sys.stdin)


def escaped(how):
    print('ESCAPED', how, flush=True)
    os._exit(42)


import socket

sender = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
try:
    sender.sendto(b"escaped", ("127.0.0.1", given["udp"]))
except OSError as error:
    print("refused", error)
