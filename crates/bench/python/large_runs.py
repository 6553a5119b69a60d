"""Large runs: a million cases through ten metrics, and a run of 200,000 finished cases that is resumed.

    large_runs.py PROGRAM [CASES] [FINISHED] [FOLDER]

Makes the cases in FOLDER (a fresh temporary one if absent), runs the program, and prints rows per CPU-second and peak memory
(of the whole process, as the system counts it). Everything it made is deleted at the end. Needs nothing but Python.
"""

import json
import os
import random
import shutil
import sqlite3
import sys
import tempfile
import time

program = os.path.abspath(sys.argv[1])
cases = int(sys.argv[2]) if len(sys.argv) > 2 else 1_000_000
finished = int(sys.argv[3]) if len(sys.argv) > 3 else 200_000
folder = sys.argv[4] if len(sys.argv) > 4 else tempfile.mkdtemp(prefix="probare-large-")

METRICS = ["exact_match", "contains", "token_f1", "rouge_l", "chrf", "bleu", "levenshtein", "tfidf_cosine", "json_valid", "numeric_close"]
WORDS = "river stone light seven copper glass paper winter signal engine yellow harbour method answer nothing carbon".split()


def make(name, count):
    draw = random.Random(7)
    with open(os.path.join(folder, name), "w", encoding="utf-8") as out:
        for number in range(count):
            reference = " ".join(draw.choices(WORDS, k=8)) + f" {number % 97}"
            response = reference if number % 3 == 0 else " ".join(draw.choices(WORDS, k=12)) + f" {number % 89}"
            query = "What is said about " + " and ".join(draw.choices(WORDS, k=3)) + "?"
            out.write(json.dumps({"id": str(number), "query": query, "response": response, "reference": reference}) + "\n")


def measured(what, words, count):
    """Runs the program; says what it took of the processor and of memory."""
    start = time.monotonic()
    process = os.fork()
    if process == 0:
        os.chdir(folder)
        with open(os.devnull, "w") as nothing:
            os.dup2(nothing.fileno(), 1)
        os.execv(program, [program, *words])
    _, status, used = os.wait4(process, 0)
    cpu, wall = used.ru_utime + used.ru_stime, time.monotonic() - start
    print(f"{what:44} exit {os.waitstatus_to_exitcode(status)}, {count / cpu:10.0f} rows/CPU-second, {wall:7.2f} s, "
          f"{used.ru_maxrss / 1024:6.0f} MB at most", flush=True)


def config(name, path, metrics):
    with open(os.path.join(folder, name), "w", encoding="utf-8") as out:
        json.dump({"datasets": [{"path": path}], "metrics": [{"id": metric} for metric in metrics]}, out)


try:
    make("large.jsonl", cases)
    flags = [word for metric in METRICS for word in ("-m", metric)]
    measured(f"score, {cases} cases, {len(METRICS)} metrics, lines", ["score", "large.jsonl", *flags, "-q", "-o", "out.jsonl"], cases)
    os.remove(os.path.join(folder, "out.jsonl"))
    config("large.yaml", "large.jsonl", METRICS)
    measured(f"run, {cases} cases, {len(METRICS)} metrics, store", ["run", "large.yaml", "-q"], cases)
    print(f"the store has {os.path.getsize(os.path.join(folder, '.probare/store.db')) / 1e6:.0f} MB", flush=True)
    shutil.rmtree(os.path.join(folder, ".probare"))
    os.remove(os.path.join(folder, "large.jsonl"))

    make("finished.jsonl", finished + 1)
    config("finished.yaml", "finished.jsonl", ["exact_match", "token_f1"])
    measured(f"run, {finished + 1} cases, 2 metrics, store", ["run", "finished.yaml", "-q"], finished + 1)
    store = sqlite3.connect(os.path.join(folder, ".probare/store.db"))
    # The last case is not done, as after a kill.
    last = store.execute("SELECT sample FROM samples WHERE id = ?", [str(finished)]).fetchone()[0]
    store.execute("DELETE FROM results WHERE sample = ?", [last])
    store.execute("DELETE FROM samples WHERE sample = ?", [last])
    store.execute("UPDATE runs SET state = 'open'")
    store.commit()
    store.close()
    measured(f"resume to the end, {finished} of {finished + 1} finished", ["resume", "1", "-q"], finished + 1)
finally:
    shutil.rmtree(folder, ignore_errors=True)
