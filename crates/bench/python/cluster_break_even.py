"""From which number of rows on a cluster is ahead of one machine: what its start costs, and what a row costs here and there.

    cluster_break_even.py [native] [spark] [ray] [ROWS …]

Short rows through three metrics, from Parquet to Parquet, each way and each number of rows (20,000 and 200,000) in a process of its own on two cores:
seconds from its start to its end, and processor seconds of everything that belongs to it. Two numbers of rows make a line: what is there without a
row, and what a row adds. From the processor seconds of a row follows where a cluster of 8, 32 or 128 cores meets a machine of 2 or 8. Needs pyarrow,
psutil, and pyspark or ray.
"""

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import pyarrow
import pyarrow.parquet as parquet
from wheel_rates import belonging, cpu, made

METRICS = ["token_f1", "rouge_l", "exact_match"]
PARTS = 8


def native(folder, out):
    import probare

    rows = parquet.read_table(folder)
    scored = probare.score(rows, METRICS, evidence=False).to_arrow()
    for name in scored.column_names:
        if name not in rows.column_names:
            rows = rows.append_column(name, scored[name])
    parquet.write_table(rows, out / "scored.parquet")


def spark(folder, out):
    from pyspark.sql import SparkSession

    import probare.spark

    os.environ["PYSPARK_PYTHON"] = sys.executable
    builder = SparkSession.builder.master("local[2]").config("spark.ui.enabled", False).config("spark.driver.memory", "2g")
    session = builder.config("spark.driver.host", "127.0.0.1").config("spark.driver.bindAddress", "127.0.0.1").getOrCreate()
    session.sparkContext.setLogLevel("ERROR")
    probare.spark.score(session.read.parquet(str(folder)), METRICS).write.mode("overwrite").parquet(str(out))
    used = belonging()
    session.stop()
    return used


def ray(folder, out):
    os.environ["RAY_DATA_DISABLE_PROGRESS_BARS"] = "1"
    import ray as package

    import probare.ray

    package.init(num_cpus=2, include_dashboard=False, log_to_driver=False)
    probare.ray.score(package.data.read_parquet(str(folder)), METRICS).write_parquet(str(out))
    used = belonging()
    package.shutdown()
    return used


WAYS = {"native": native, "spark": spark, "ray": ray}


def one(way, folder):
    """The work of a process: says its processor seconds, those of its children while they are there."""
    with tempfile.TemporaryDirectory(prefix="probare-out-") as out:
        used = WAYS[way](Path(folder), Path(out)) or 0.0
        assert sum(1 for _ in Path(out).glob("**/*.parquet")) > 0, "nothing was written"
        print(f"used {used + cpu():.3f}")


def measured(way, folder):
    """Seconds and processor seconds, the least of three."""
    least = (float("inf"), float("inf"))
    for _ in range(3):
        start = time.monotonic()
        ended = subprocess.run([sys.executable, __file__, "--one", way, str(folder)], check=True, capture_output=True, text=True)
        took = time.monotonic() - start
        used = next(float(line.split()[1]) for line in ended.stdout.splitlines() if line.startswith("used "))
        least = (min(least[0], took), min(least[1], used))
    return least


def main():
    if sys.argv[1:2] == ["--one"]:
        return one(sys.argv[2], sys.argv[3])
    ways = [word for word in sys.argv[1:] if word in WAYS] or list(WAYS)
    counts = sorted(int(word) for word in sys.argv[1:] if word.isdigit()) or [20_000, 200_000]
    lines = {}
    with tempfile.TemporaryDirectory(prefix="probare-break-even-") as folder:
        for count in counts:
            place = Path(folder) / str(count)
            place.mkdir()
            for part in range(PARTS):
                rows = list(made(count // PARTS, "12 words", part))
                parquet.write_table(pyarrow.Table.from_pylist(rows), place / f"{part}.parquet")
            for way in ways:
                lines.setdefault(way, []).append((count, *measured(way, place)))
                count, took, used = lines[way][-1]
                print(f"{way:8} {count:>9,} rows: {took:6.2f} s, {used:6.2f} processor seconds", flush=True)
    rows = {}
    for way, ((few, short, little), *_, (many, long, much)) in lines.items():
        rows[way] = (long - short) / (many - few), (much - little) / (many - few)
        start = short - rows[way][0] * few
        print(f"{way:8} starts in {start:.1f} s; a row takes {rows[way][0] * 1e6:.1f} µs, {rows[way][1] * 1e6:.1f} µs of a processor", flush=True)
        for cores, own in [(8, 2), (32, 2), (32, 8), (128, 8)] if way != "native" and "native" in rows else []:
            gain = rows["native"][1] / own - rows[way][1] / cores
            where = f"{start / gain:,.0f} rows" if gain > 0 else "never"
            print(f"         a cluster of {cores} cores meets a machine of {own} at {where}", flush=True)


if __name__ == "__main__":
    main()
