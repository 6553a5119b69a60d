# contained: a question to the name servers of the host
import json, os, sys
given = json.load(sys.stdin)


def escaped(how):
    print('ESCAPED', how, flush=True)
    os._exit(42)


import socket

servers = ["127.0.0.53", "8.8.8.8"]
try:
    servers += [line.split()[1] for line in open("/etc/resolv.conf") if line.startswith("nameserver")]
except OSError:
    pass
question = b"\x12\x34\x01\x00\x00\x01\x00\x00\x00\x00\x00\x00\x07example\x03com\x00\x00\x01\x00\x01"
for server in servers:
    asker = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    asker.settimeout(0.5)
    try:
        asker.sendto(question, (server, 53))
        asker.recv(512)
    except OSError as error:
        print("refused", error)
    else:
        escaped("%s answered" % server)
