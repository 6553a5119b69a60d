# contained: words put into the mouth of whoever sits at the terminal
import json, os, sys
given = json.load(sys.stdin)


def escaped(how):
    print('ESCAPED', how, flush=True)
    os._exit(42)


import fcntl
import termios

for path in ["/dev/tty", "/dev/console", "/dev/pts/0", "/proc/self/fd/0", "/proc/self/fd/1"]:
    try:
        descriptor = os.open(path, os.O_RDWR)
        fcntl.ioctl(descriptor, termios.TIOCSTI, b"x")
    except OSError as error:
        print("refused", error)
    else:
        escaped(path)
