"""Cases a second through a metric of one's own, beside a plain loop over the same function.

    own_metrics.py PROGRAM [CASES]

PROGRAM is a release build of `probare`. CASES (100,000) short rows go through a function of checks.py of examples/own_metrics: in a loop of Python (read a
line, call the function, write a line), through `probare score -m checks.py:NAME` with one and with two scoring threads, through the same check as a node
program where there is node, and through the wheel, in this process, where it is installed. Seconds from start to end, files read and written included, and
CPU seconds of all processes, which a busy machine changes less; the least of three runs counts. `contains` shows what a built-in metric takes on the same rows.
"""

import importlib.util
import json
import os
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
EXAMPLE = ROOT / "examples/own_metrics"
PIECES = ["we ship", "our team", "you get it", "cheap", "Grüße", "the parcel is on its way", "guarantee", "Dear customer"]


def rows(count):
    for number in range(count):
        words = [PIECES[(number * 7 + at * 3 + number // 10) % len(PIECES)] for at in range(1 + number % 5)]
        yield {"id": f"c{number}", "query": "Where is my parcel?", "response": " ".join(words)}


# What the loop is measured with: the same file of checks, without any of our program around it.
LOOP = """
import importlib.util, json, sys
def load(name, path):
    spec = importlib.util.spec_from_file_location(name, path)
    loaded = sys.modules[name] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(loaded)
    return loaded
probare = load("probare", sys.argv[1])
function = getattr(load("checks", sys.argv[2]), sys.argv[3])
with open(sys.argv[4], encoding="utf-8") as lines, open(sys.argv[5], "w", encoding="utf-8") as out:
    for line in lines:
        row = json.loads(line)
        score = function(probare.Case(row))
        told = {"value": score} if not isinstance(score, probare.Score) else {
            "value": score.value, "label": score.label, "parts": score.parts, "evidence": [e.to_dict() for e in score.evidence]}
        out.write(json.dumps({"id": row["id"], "scores": {sys.argv[3]: told}}) + "\\n")
"""

WHEEL = """
import sys
sys.path.insert(0, sys.argv[1])
import checks, probare
probare.score(sys.argv[3], [getattr(checks, sys.argv[2])], output=sys.argv[4], jobs=int(sys.argv[5]))
"""


def timed(command):
    """Seconds from start to end and of processor time, the least of three each."""
    best = (float("inf"), float("inf"))
    for _ in range(3):
        start, before = time.perf_counter(), resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run(command, check=True, capture_output=True)
        took, after = time.perf_counter() - start, resource.getrusage(resource.RUSAGE_CHILDREN)
        used = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        best = (min(best[0], took), min(best[1], used))
    return best


def report(name, what, command, count):
    took, used = timed(command)
    print(f"{name:12} {what:20} {took:7.2f} s {count / took:8.0f} cases/s {used:9.2f} s of CPU {count / used:8.0f} cases/s", flush=True)


def main():
    program = os.path.abspath(sys.argv[1])
    count = int(sys.argv[2]) if len(sys.argv) > 2 else 100_000
    with tempfile.TemporaryDirectory() as folder:
        folder = Path(folder)
        cases, out = folder / "cases.jsonl", folder / "out.jsonl"
        with open(cases, "w", encoding="utf-8") as file:
            for row in rows(count):
                file.write(json.dumps(row) + "\n")
        node = folder / "node.yaml"
        node.write_text(f"metrics: [{{name: brand_voice, command: [node, {json.dumps(str(EXAMPLE / 'check.mjs'))}]}}]\n")
        score = lambda metric, jobs: [program, "score", str(cases), "-q", "-j", str(jobs), "-o", str(out), *metric]
        for name in ["brand_voice", "words"]:
            checks = str(EXAMPLE / "checks.py")
            reference = ["-m", f"{checks}:{name}"]
            python = str(ROOT / "crates/python/python/probare/_own_metric.py")
            lines = {
                "plain loop": [sys.executable, "-c", LOOP, python, checks, name, str(cases), str(out)],
                "worker, 1 thread": score(reference, 1),
                "workers, 2 threads": score(reference, 2),
            }
            if name == "brand_voice" and shutil.which("node"):
                lines["node, 1 thread"] = score(["--config", str(node)], 1)
                lines["node, 2 threads"] = score(["--config", str(node)], 2)
            if importlib.util.find_spec("probare"):
                lines["wheel, 1 thread"] = [sys.executable, "-c", WHEEL, str(EXAMPLE), name, str(cases), str(out), "1"]
            for what, command in lines.items():
                report(name, what, command, count)
        report("contains", "of ours, 1 thread", score(["-m", 'contains:texts=["we"]'], 1), count)


if __name__ == "__main__":
    sys.exit(main())
