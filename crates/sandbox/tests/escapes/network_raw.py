# contained: raw packets
import json, os, sys
given = json.load(sys.stdin)


def escaped(how):
    print('ESCAPED', how, flush=True)
    os._exit(42)


import socket

for family, kind in [(17, socket.SOCK_RAW), (socket.AF_INET, socket.SOCK_RAW), (38, socket.SOCK_SEQPACKET), (31, socket.SOCK_RAW)]:
    try:
        socket.socket(family, kind, 1)
    except OSError as error:
        print("refused", error)
    else:
        escaped("socket of family %d" % family)
