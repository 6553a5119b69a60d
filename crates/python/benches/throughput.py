"""Rows per CPU-second of the wheel, beside the command line and beside the packages of Python that define the numbers.

    python benches/throughput.py --program path/to/probare [--spark] [--ray] [--memory 10000000]

Everything runs on one thread of one machine, in one go.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))
from conftest import made_rows

import probare

ROWS = 20_000
METRICS = ["bleu", "rouge_l", "chrf", "tfidf_cosine"]


def cpu(who: int = resource.RUSAGE_SELF) -> float:
    used = resource.getrusage(who)
    return used.ru_utime + used.ru_stime


def measured(work: Callable[[], object], who: int = resource.RUSAGE_SELF) -> float:
    start = cpu(who)
    work()
    return cpu(who) - start


def originals(rows: list[dict]) -> dict[str, Callable[[], object]]:
    from rouge_score import rouge_scorer
    from sacrebleu.metrics import BLEU, CHRF
    from sklearn.feature_extraction.text import TfidfVectorizer
    from sklearn.metrics.pairwise import cosine_similarity

    bleu, chrf, rouge = BLEU(effective_order=True), CHRF(), rouge_scorer.RougeScorer(["rougeL"])
    pairs = [(row.get("response", ""), row["reference"]) for row in rows]

    def tfidf() -> None:
        for response, references in pairs:
            try:
                matrix = TfidfVectorizer().fit_transform([response, references[0]])
            except ValueError:
                continue
            cosine_similarity(matrix[0], matrix[1])

    return {
        "bleu": lambda: [bleu.sentence_score(response, references) for response, references in pairs],
        "chrf": lambda: [chrf.sentence_score(response, references) for response, references in pairs],
        "rouge_l": lambda: [rouge.score_multi(references, response) for response, references in pairs],
        "tfidf_cosine": tfidf,
    }


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--program", required=True)
    parser.add_argument("--spark", action="store_true")
    parser.add_argument("--ray", action="store_true")
    parser.add_argument("--memory", type=int, default=0)
    asked = parser.parse_args()

    import pyarrow
    import pyarrow.parquet as parquet

    rows = made_rows(ROWS)
    table = pyarrow.Table.from_pylist(rows)
    folder = Path(tempfile.mkdtemp())
    parquet.write_table(table, folder / "rows.parquet")
    (folder / "rows.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))

    def batches(metrics: list[str], evidence: bool) -> Callable[[], object]:
        def work() -> None:
            scorer = probare.Scorer(metrics, jobs=1, evidence=evidence)
            for batch in table.to_batches(max_chunksize=8192):
                scorer.score_batch(batch)

        return work

    def command(metrics: list[str], file: str) -> Callable[[], object]:
        flags = [flag for metric in metrics for flag in ("-m", metric)]
        line = [asked.program, "score", str(folder / file), *flags, "-j", "1", "-q", "-o", str(folder / "out.parquet")]
        return lambda: subprocess.run(line, capture_output=True)

    few = originals(rows[:2000])
    for metrics in ([metric] for metric in METRICS):
        [metric] = metrics
        original = measured(few[metric]) / 2000 * ROWS
        ours = {
            "score_batch": measured(batches(metrics, False)),
            "score_batch, evidence": measured(batches(metrics, True)),
            "command line, JSON lines": measured(command(metrics, "rows.jsonl"), resource.RUSAGE_CHILDREN),
            "command line, Parquet": measured(command(metrics, "rows.parquet"), resource.RUSAGE_CHILDREN),
            "original": original,
        }
        print(metric, {name: round(ROWS / seconds) for name, seconds in ours.items()}, flush=True)
    everything = ["token_f1", *METRICS, "exact_match", "levenshtein"]
    ours = {
        "score_batch": measured(batches(everything, False)),
        "score_batch, evidence": measured(batches(everything, True)),
        "command line, JSON lines": measured(command(everything, "rows.jsonl"), resource.RUSAGE_CHILDREN),
        "command line, Parquet": measured(command(everything, "rows.parquet"), resource.RUSAGE_CHILDREN),
    }
    print("seven metrics", {name: round(ROWS / seconds) for name, seconds in ours.items()}, flush=True)

    big = folder / "big"
    big.mkdir()
    if asked.spark or asked.ray:
        for part in range(8):
            parquet.write_table(pyarrow.Table.from_pylist(made_rows(25_000, part)), big / f"{part}.parquet")
    heavy = ["token_f1", *METRICS, "hallucination", "answer_match"]

    def native() -> None:
        for part in range(8):
            scorer = probare.Scorer(heavy, "careful", jobs=1)
            for batch in parquet.ParquetFile(big / f"{part}.parquet").iter_batches(8192):
                scorer.score_batch(batch)

    if asked.spark or asked.ray:
        print("native, 200,000 rows, one core:", round(200_000 / measured(native)), "rows per CPU-second", flush=True)
    if asked.spark:
        from pyspark.sql import SparkSession

        os.environ["PYSPARK_PYTHON"] = sys.executable
        spark = SparkSession.builder.master("local[2]").config("spark.ui.enabled", False).getOrCreate()
        frame = spark.read.parquet(str(big)).repartition(8).cache()
        frame.count()
        # The first task of a worker imports the package.
        probare.spark.score(frame.limit(100), heavy, "careful").count()
        start = time.monotonic()
        probare.spark.score(frame, heavy, "careful").write.format("noop").mode("overwrite").save()
        took = time.monotonic() - start
        spark.stop()
        print(f"Spark: {took:.1f} s on two cores, {round(200_000 / took / 2)} rows per second and core", flush=True)
    if asked.ray:
        import ray

        os.environ["RAY_DATA_DISABLE_PROGRESS_BARS"] = "1"
        ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False)
        blocks = ray.data.read_parquet(str(big)).repartition(8).materialize()
        probare.ray.score(blocks.limit(100), heavy, "careful").materialize()
        start = time.monotonic()
        for _ in probare.ray.score(blocks, heavy, "careful").select_columns(["id"]).iter_batches(batch_format="pyarrow"):
            pass
        took = time.monotonic() - start
        ray.shutdown()
        print(f"Ray: {took:.1f} s on two cores, {round(200_000 / took / 2)} rows per second and core", flush=True)

    if asked.memory:
        small = pyarrow.Table.from_pylist(
            [{"id": str(number), "response": row.get("response"), "reference": row["reference"]} for number, row in enumerate(rows)]
        )
        with parquet.ParquetWriter(folder / "long.parquet", small.schema) as writer:
            for _ in range(asked.memory // ROWS):
                writer.write_table(small)
        scorer = probare.Scorer(["token_f1"])
        seen = 0
        start = time.monotonic()
        for batch in parquet.ParquetFile(folder / "long.parquet").iter_batches(8192):
            scorer.score_batch(batch)
            before, seen = seen, seen + batch.num_rows
            if before // 1_000_000 != seen // 1_000_000:
                print(f"{seen} rows: {resident():.0f} MB, {time.monotonic() - start:.0f} s", flush=True)
        print(scorer.summary)


def resident() -> float:
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 1e6


if __name__ == "__main__":
    main()
