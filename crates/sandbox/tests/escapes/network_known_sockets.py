# contained: sockets of services that a host may have
import json, os, sys
given = json.load(sys.stdin)


def escaped(how):
    print('ESCAPED', how, flush=True)
    os._exit(42)


import socket

for path in ["/run/docker.sock", "/var/run/docker.sock", "/run/containerd/containerd.sock", "/run/dbus/system_bus_socket",
             "/run/systemd/private", "/tmp/.X11-unix/X0", "/run/snapd.socket"]:
    caller = socket.socket(socket.AF_UNIX)
    try:
        caller.connect(path)
    except OSError as error:
        print("refused", error)
    else:
        escaped(path)
