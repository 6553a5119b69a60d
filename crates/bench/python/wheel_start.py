"""The wheel from outside: its size, how long `import probare` takes, and the first example of the guide after `pip install`.

    wheel_start.py WHEEL [TIMES]

Makes a bare virtual environment, installs the wheel there with nothing else, runs the first block of docs/python/first-score.md and
`probare --version`, then starts Python TIMES times (40) bare, with probare and with json in turn. Time is that of the processor (the least and the
middle one of all); the start of Python itself is taken off. Everything it made is deleted at the end. Needs nothing but Python.
"""

import os
import re
import statistics
import subprocess
import sys
import tempfile
import venv
from pathlib import Path

wheel = Path(sys.argv[1]).resolve()
times = int(sys.argv[2]) if len(sys.argv) > 2 else 40
GUIDE = Path(__file__).resolve().parents[3] / "docs/python/first-score.md"


def started(python, code):
    """Processor seconds of one start."""
    process = os.fork()
    if process == 0:
        os.execv(python, [python, "-c", code])
    _, status, used = os.wait4(process, 0)
    assert os.waitstatus_to_exitcode(status) == 0, code
    return used.ru_utime + used.ru_stime


with tempfile.TemporaryDirectory(prefix="probare-wheel-") as folder:
    venv.create(folder, with_pip=True)
    python = os.path.join(folder, "bin", "python")
    subprocess.run([python, "-m", "pip", "install", "-q", "--no-index", "--disable-pip-version-check", wheel], check=True)
    packages = subprocess.run([python, "-m", "pip", "list", "--format=freeze"], capture_output=True, text=True, check=True)
    print("installed:", ", ".join(packages.stdout.split()))
    place = subprocess.run([python, "-c", "import probare; print(probare.__path__[0])"], capture_output=True, text=True, check=True)
    size = sum(file.stat().st_size for file in Path(place.stdout.strip()).rglob("*") if file.is_file())
    print(f"wheel {wheel.stat().st_size / 1e6:.1f} MB, installed {size / 1e6:.1f} MB")

    code = re.search(r"^```python\n(.*?)^```", GUIDE.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL).group(1)
    print("\nfirst example of the guide:", flush=True)
    subprocess.run([python, "-c", code], check=True, cwd=folder)
    subprocess.run([os.path.join(folder, "bin", "probare"), "--version"], check=True)

    codes = {"nothing": "pass", "json": "import json", "probare": "import probare"}
    seconds = {what: [] for what in codes}
    for _ in range(times):
        for what, code in codes.items():
            seconds[what].append(started(python, code))
    print(f"\nstart of Python, milliseconds of the processor, {times} times each:")
    for what, taken in seconds.items():
        print(f"  {what:8} least {min(taken) * 1e3:6.1f}, middle {statistics.median(taken) * 1e3:6.1f}")
    for name, of in (("least", min), ("middle", statistics.median)):
        print(f"  import probare without the start of Python, {name}: {(of(seconds['probare']) - of(seconds['nothing'])) * 1e3:.1f}")
    told = subprocess.run([python, "-X", "importtime", "-c", "import probare"], capture_output=True, text=True, check=True)
    lines = [line.removeprefix("import time:").split("|") for line in told.stderr.splitlines()]
    whole = next(total for _, total, name in lines if name.strip() == "probare")
    print(f"  -X importtime: {int(whole) / 1e3:.1f} ms on the clock; the longest of it:")
    slow = sorted(((int(own), name.strip()) for own, _, name in lines[1:]), reverse=True)[:6]
    print("   ", ", ".join(f"{name} {own / 1e3:.1f}" for own, name in slow))
