"""Memory of `Scorer.score_batch` over many rows, streamed from Parquet and written to Parquet.

    wheel_stream.py [ROWS] [FOLDER]

Makes ROWS (10,000,000) short rows from a seed in FOLDER (a fresh temporary one if absent), in row groups of 100,000, and in a process of its own reads, scores
(`token_f1`, `exact_match`) and writes them batch by batch. Prints resident memory along the way, the same for reading and writing alone, and
what the summary counted. Everything it made is deleted at the end. Needs pyarrow.
"""

import os
import random
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import pyarrow
import pyarrow.parquet as parquet

GROUP = 100_000
STEPS = 20
WORDS = "river stone light seven copper glass paper winter signal engine yellow harbour method answer nothing carbon".split()


def made(rows, path):
    """Rows of twelve words, none like the other, written group by group."""
    draw = random.Random(7)
    schema = pyarrow.schema([("id", pyarrow.string()), ("response", pyarrow.string()), ("reference", pyarrow.string())])
    with parquet.ParquetWriter(path, schema) as writer:
        for first in range(0, rows, GROUP):
            numbers = range(first, min(first + GROUP, rows))
            references = [" ".join(draw.choices(WORDS, k=6)) for _ in numbers]
            responses = [text if number % 3 == 0 else f"{' '.join(draw.choices(WORDS, k=11))} {number}" for number, text in zip(numbers, references)]
            columns = [pyarrow.array([str(number) for number in numbers]), pyarrow.array(responses), pyarrow.array(references)]
            writer.write_table(pyarrow.Table.from_arrays(columns, schema=schema))


def resident():
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 1e6


def streamed(path, out, is_scored):
    import probare

    scorer = probare.Scorer(["token_f1", "exact_match"])
    file = parquet.ParquetFile(path, pre_buffer=False)
    rows, seen, start, samples = file.metadata.num_rows, 0, time.process_time(), []
    with parquet.ParquetWriter(out, scorer.schema if is_scored else file.schema_arrow) as writer:
        for batch in file.iter_batches(batch_size=8192):
            writer.write_batch(scorer.score_batch(batch) if is_scored else batch)
            before, seen = seen, seen + batch.num_rows
            if before * STEPS // rows != seen * STEPS // rows:
                samples.append(resident())
                arrow = pyarrow.total_allocated_bytes() / 1e6
                print(f"{seen:>10} rows: {samples[-1]:6.0f} MB, {arrow:4.0f} of them Arrow's, {time.process_time() - start:5.0f} CPU-seconds", flush=True)
    half = len(samples) // 2
    print(f"greatest of the first half {max(samples[:half]):.0f} MB, of the second {max(samples[half:]):.0f} MB")
    if is_scored:
        told = scorer.summary
        print(f"{told.cases} cases, {told['token_f1'].scored} scored, mean {told['token_f1'].mean:.6f}")
        assert parquet.ParquetFile(out).metadata.num_rows == rows == told.cases


if __name__ == "__main__":
    if sys.argv[1:2] == ["streamed"]:
        streamed(sys.argv[2], sys.argv[3], sys.argv[4] == "scored")
    else:
        rows = int(sys.argv[1]) if len(sys.argv) > 1 else 10_000_000
        folder = Path(tempfile.mkdtemp(prefix="probare-stream-", dir=sys.argv[2] if len(sys.argv) > 2 else None))
        try:
            made(rows, folder / "rows.parquet")
            print(f"{rows} rows, {(folder / 'rows.parquet').stat().st_size / 1e6:.0f} MB of Parquet", flush=True)
            for what in ("copied", "scored"):
                print(f"\n{what}:", flush=True)
                subprocess.run([sys.executable, __file__, "streamed", folder / "rows.parquet", folder / "out.parquet", what], check=True)
        finally:
            shutil.rmtree(folder, ignore_errors=True)
