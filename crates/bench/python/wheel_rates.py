"""Rows per CPU-second of the wheel: beside the command line, beside the Python originals, and inside Spark and Ray.

    wheel_rates.py PROGRAM [ROWS] [spark] [ray]

PROGRAM is a release build of `probare` of the same sources as the wheel. ROWS (20,000) rows go through `Scorer.score_batch` on one thread, through
the program on one thread (reading a file and writing one), and a tenth of them through the original in text_reference.py, in two sizes: as the metrics
are measured elsewhere (response 129 words, reference 40) and short (12 and 8). Three times in turn, the least counts.

With `spark` or `ray` ten times as many rows go through seven metrics there, on two cores, from Parquet to Parquet. What counts is the processor time
of all processes that belong to the cluster together: reading and writing are part of it, its start is not. Needs pyarrow, psutil, sacrebleu,
rouge-score, scikit-learn, and pyspark or ray where they are asked for.
"""

import json
import os
import random
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import pyarrow
import pyarrow.parquet as parquet
from text_reference import METRICS

import probare

WORDS = "the of and a river stone light seven copper glass paper winter signal engine yellow harbour method answer nothing carbon is was in".split()
SIZES = {"129 words": (20, 129, 40, 200), "12 words": (6, 12, 8, 20)}
SEVERAL = ["token_f1", "bleu", "rouge_l", "chrf", "tfidf_cosine", "hallucination", "answer_match"]


def made(count, size, seed=7):
    """Rows from a seed; one response in three is its reference and more."""
    query, response, reference, context = SIZES[size]
    draw = random.Random(seed)

    def text(length):
        return " ".join(draw.choices(WORDS, k=length)) + "."

    for number in range(count):
        right = text(reference)
        said = f"{right} {text(response - reference)}" if number % 3 == 0 else text(response)
        yield {
            "id": f"{seed}-{number}",
            "query": text(query),
            "response": said,
            "reference": [right],
            "context": [text(context), text(context)],
        }


def cpu(who=resource.RUSAGE_SELF):
    used = resource.getrusage(who)
    return used.ru_utime + used.ru_stime


def measured(work, who=resource.RUSAGE_SELF):
    start = cpu(who)
    work()
    return cpu(who) - start


def batches(path, metrics, profile="published", evidence=False):
    """All batches of a file through a scorer on one thread."""
    scorer = probare.Scorer(metrics, profile, jobs=1, evidence=evidence)
    for batch in parquet.ParquetFile(path).iter_batches(8192):
        scorer.score_batch(batch)


def command(program, folder, path, metrics, kind, profile="published"):
    flags = [flag for metric in metrics for flag in ("-m", metric)]
    out = folder / f"out.{kind}"
    line = [program, "score", str(path), *flags, "--profile", profile, "-j", "1", "-q", "-o", str(out)]
    subprocess.run(line, check=True, capture_output=True)
    out.unlink()


def beside_originals(program, folder, count):
    children = resource.RUSAGE_CHILDREN
    for size in SIZES:
        rows = list(made(count, size))
        parquet.write_table(pyarrow.Table.from_pylist(rows), folder / "rows.parquet")
        (folder / "rows.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
        few = rows[: count // 10]
        for metrics in [[metric] for metric in METRICS] + [SEVERAL]:
            several = len(metrics) > 1
            profile = "improved" if several else "reference"
            here, there = folder / "rows.parquet", folder / "rows.jsonl"
            works = {
                "score_batch": lambda: measured(lambda: batches(here, metrics, profile)),
                "and evidence": lambda: measured(lambda: batches(here, metrics, profile, True)),
                "program, Parquet": lambda: measured(lambda: command(program, folder, here, metrics, "parquet", profile), children),
                "program, lines": lambda: measured(lambda: command(program, folder, there, metrics, "jsonl", profile), children),
            }
            version = ""
            if not several:
                value, version = METRICS[metrics[0]]()
                value(few[0])
                works["original"] = lambda: measured(lambda: [value(row) for row in few]) * len(rows) / len(few)
            least = {}
            for _ in range(3):
                for name, work in works.items():
                    seconds = work()
                    least[name] = min(seconds, least.get(name, seconds))
            rates = ", ".join(f"{name} {count / seconds:,.0f}" for name, seconds in least.items())
            print(f"{size}, {'seven metrics, careful' if several else metrics[0]}: {rates} {version}", flush=True)


def belonging():
    """Processor seconds of all processes below this one, also of those that have ended and were waited for."""
    import psutil

    total = 0.0
    for process in psutil.Process().children(recursive=True):
        try:
            times = process.cpu_times()
        except psutil.Error:
            continue
        total += times.user + times.system + times.children_user + times.children_system
    return total


def cluster(name, count, work):
    """One run for the start, then three that count."""
    work()
    least, quickest = None, None
    for _ in range(3):
        start, clock = belonging() + cpu(), time.monotonic()
        work()
        seconds, took = belonging() + cpu() - start, time.monotonic() - clock
        least, quickest = min(seconds, least or seconds), min(took, quickest or took)
    print(f"  {name}: {count / least:,.0f} rows per CPU-second of the whole cluster, {count / quickest / 2:,.0f} per second and core", flush=True)
    return count / least


def on_clusters(program, folder, count, wanted):
    for size in SIZES:
        big = folder / "big"
        big.mkdir(exist_ok=True)
        for part in range(8):
            parquet.write_table(pyarrow.Table.from_pylist(list(made(count // 8, size, part))), big / f"{part}.parquet")
        files = sorted(big.glob("*.parquet"))
        print(f"{count // 8 * 8} rows of {size}, seven metrics, careful:", flush=True)
        native = count / min(measured(lambda: [batches(file, SEVERAL, "improved") for file in files]) for _ in range(3))
        print(f"  score_batch, one thread: {native:,.0f} rows per CPU-second", flush=True)
        whole = count / min(
            measured(lambda: [command(program, folder, file, SEVERAL, "parquet", "improved") for file in files], resource.RUSAGE_CHILDREN)
            for _ in range(3)
        )
        print(f"  program, one thread, Parquet to Parquet: {whole:,.0f} rows per CPU-second", flush=True)
        if "spark" in wanted:
            print(f"  native is {native / spark(folder, big, count):.2f} times Spark", flush=True)
        if "ray" in wanted:
            print(f"  native is {native / ray(folder, big, count):.2f} times Ray", flush=True)
        for file in files:
            file.unlink()


def spark(folder, big, count):
    from pyspark.sql import SparkSession

    os.environ["PYSPARK_PYTHON"] = sys.executable
    builder = SparkSession.builder.master("local[2]").config("spark.ui.enabled", False).config("spark.driver.memory", "2g")
    session = builder.config("spark.driver.host", "127.0.0.1").config("spark.driver.bindAddress", "127.0.0.1").getOrCreate()
    session.sparkContext.setLogLevel("ERROR")
    out = str(folder / "spark")

    def work():
        frame = session.read.parquet(str(big))
        probare.spark.score(frame, SEVERAL, "improved").write.mode("overwrite").parquet(out)

    rate = cluster("Spark, Parquet to Parquet", count, work)
    session.stop()
    return rate


def ray(folder, big, count):
    import shutil

    import ray as package

    os.environ["RAY_DATA_DISABLE_PROGRESS_BARS"] = "1"
    package.init(num_cpus=2, include_dashboard=False, log_to_driver=False)
    out = folder / "ray"

    def work():
        shutil.rmtree(out, ignore_errors=True)
        probare.ray.score(package.data.read_parquet(str(big)), SEVERAL, "improved").write_parquet(str(out))

    rate = cluster("Ray, Parquet to Parquet", count, work)
    package.shutdown()
    return rate


def main():
    program = os.path.abspath(sys.argv[1])
    count = next((int(word) for word in sys.argv[2:] if word.isdigit()), 20_000)
    wanted = [word for word in sys.argv[2:] if not word.isdigit()]
    with tempfile.TemporaryDirectory(prefix="probare-rates-") as folder:
        if wanted:
            on_clusters(program, Path(folder), count * 10, wanted)
        else:
            beside_originals(program, Path(folder), count)


if __name__ == "__main__":
    main()
