#!/usr/bin/env python3
"""How long a view waits for what it asks a store: tests/stores/filters.py STORE [SAMPLES]

STORE is one that `measure.py` left (KEEP=FOLDER). The rows of its samples are written again under other numbers until there
are so many (100,000), in a copy; then each question is asked five times, and the shortest time is told.
"""

import os
import shutil
import sqlite3
import sys
import tempfile
import time

QUESTIONS = {
    "all, first page in order": "SELECT sample, id, status, value_0 FROM samples WHERE run = 1 ORDER BY place, position, seat, repeat LIMIT 50",
    "a page in the middle, from a place": "SELECT sample, id FROM samples WHERE run = 1 AND (place, position, seat, repeat, sample) > (0, ?, 0, 0, 0) ORDER BY place, position, seat, repeat, sample LIMIT 50",
    "token_f1<0.5 tag:en, count": "SELECT count(*) FROM samples WHERE +run = 1 AND {token_f1} < 0.5 AND instr(tags, '\"en\"')",
    "token_f1<0.5 status:scored, sorted by bleu, a page": "SELECT sample, id FROM samples WHERE +run = 1 AND {token_f1} < 0.5 AND status = 'scored' ORDER BY {bleu} LIMIT 50",
    "status:failed, count": "SELECT count(*) FROM samples WHERE +run = 1 AND status = 'failed'",
    "mean of each metric": "SELECT avg(value_0), avg(value_1), avg(value_2), avg(value_3), avg(value_4) FROM samples WHERE +run = 1",
}


def main():
    wanted = int(sys.argv[2]) if len(sys.argv) > 2 else 100_000
    with tempfile.TemporaryDirectory() as folder:
        shutil.copy(sys.argv[1], f"{folder}/store.db")
        base = sqlite3.connect(f"{folder}/store.db")
        columns = [row[1] for row in base.execute("PRAGMA table_info(samples)")]
        (count,) = base.execute("SELECT count(*) FROM samples").fetchone()
        for time_over in range(1, wanted // count):
            by = time_over * count
            changed = {"sample": f"sample + {by}", "id": f"id || '-{time_over}'", "position": f"position + {by}"}
            values = ", ".join(changed.get(column, column) for column in columns)
            base.execute(f"INSERT INTO samples ({', '.join(columns)}) SELECT {values} FROM samples WHERE sample <= {count}")
        base.commit()
        (count,) = base.execute("SELECT count(*) FROM samples").fetchone()
        slots = dict(base.execute("SELECT metric, 'value_' || slot FROM metrics WHERE run = 1"))
        print(f"{count} samples, {os.path.getsize(f'{folder}/store.db') / 1e6:.0f} MB")
        for name, question in QUESTIONS.items():
            question = question.format(**slots)
            arguments = [count // 2] * question.count("?")
            best = min(timed(base, question, arguments) for _ in range(5))
            print(f"{best * 1000:7.1f} ms  {name}")


def timed(base, question, arguments):
    start = time.perf_counter()
    base.execute(question, arguments).fetchall()
    return time.perf_counter() - start


if __name__ == "__main__":
    main()
