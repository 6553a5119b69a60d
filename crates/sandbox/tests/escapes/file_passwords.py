# contained: users and passwords of the host
import json, os, sys
given = json.load(sys.stdin)


def escaped(how):
    print('ESCAPED', how, flush=True)
    os._exit(42)


for path in ["/etc/shadow", "/etc/gshadow", "/etc/sudoers"]:
    try:
        open(path).read()
    except OSError as error:
        print("refused", error)
    else:
        escaped(path)
if "root:" in open("/etc/passwd").read():
    escaped("the users of the host")
