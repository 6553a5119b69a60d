# contained: many files, in every folder that can be written
import json, os, sys
given = json.load(sys.stdin)


def escaped(how):
    print('ESCAPED', how, flush=True)
    os._exit(42)


total = 0
for folder in [".", "/tmp", "/dev/shm", "/var/tmp", "/run", "/"]:
    try:
        for number in range(60):
            with open(os.path.join(folder, "x%d" % number), "wb") as file:
                file.write(b"x" * (8 << 20))
            total += 8
    except OSError as error:
        print("refused after", total, error)
if total > 200:
    escaped("%d MiB" % total)
