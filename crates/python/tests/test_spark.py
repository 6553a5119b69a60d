"""Spark: the same values, each row once, also where an executor dies."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest
from conftest import JUDGED, asked_of_the_judge, deterministic, made_rows, recorded, repeated_rows, untouched

import probare

pytestmark = pytest.mark.spark
pyspark = pytest.importorskip("pyspark")
ROWS = int(os.environ.get("PROBARE_ROWS", "100"))
PARTS = 40


def session(master: str):
    from pyspark.sql import SparkSession

    os.environ["PYSPARK_PYTHON"] = sys.executable
    builder = SparkSession.builder.master(master).config("spark.ui.enabled", False)
    settings = {
        "spark.sql.shuffle.partitions": 2,
        "spark.driver.memory": "1g",
        "spark.executor.memory": "1g",
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.driver.host": "127.0.0.1",
    }
    for name, value in settings.items():
        builder = builder.config(name, value)
    return builder.getOrCreate()


@pytest.fixture(scope="module")
def local():
    spark = session("local[2]")
    yield spark
    spark.stop()


@pytest.fixture(scope="module")
def frame(local, tmp_path_factory):
    pyarrow = pytest.importorskip("pyarrow")
    import pyarrow.parquet as parquet

    path = tmp_path_factory.mktemp("spark") / "rows.parquet"
    parquet.write_table(pyarrow.Table.from_pylist(made_rows(ROWS)), path)
    return local.read.parquet(str(path))


@pytest.mark.parametrize("profile", ["published", "improved"])
def test_the_values_are_those_of_score(frame, profile):
    expected = {row["id"]: row["scores"] for row in probare.score(made_rows(ROWS), deterministic(), profile)}
    # In pieces: Spark writes code for the columns of a frame and has its limits there.
    metrics = deterministic()
    seen = 0
    for some in (metrics[start : start + 8] for start in range(0, len(metrics), 8)):
        scored = probare.spark.score(frame.repartition(3), some, profile, evidence=True).collect()
        assert sorted(row["id"] for row in scored) == sorted(expected)
        for row in scored:
            for metric in some:
                told = expected[row["id"]][metric["id"]]
                assert row[metric["id"]] == told.get("value")
                assert json.loads(row[f"{metric['id']}_evidence"] or "[]") == told.get("evidence", [])
                seen += 1
    assert seen == len(expected) * len(metrics)


def test_the_summary_comes_from_parts(frame):
    metrics = ["token_f1", {"id": "verdict", "name": "all"}]
    scored = probare.spark.score(frame.repartition(5), metrics, "improved")
    parts = probare.spark.summary(scored, metrics, "improved").to_dict()
    whole = probare.score(made_rows(ROWS), metrics, "improved").summary.to_dict()
    for one, other in zip(parts["metrics"], whole["metrics"], strict=True):
        for name in ("name", "mean", "interval", "scored", "not_applicable", "failed", "min", "max", "histogram"):
            assert one[name] == other[name]
    assert parts["cases"] == ROWS


def test_the_summary_is_one_job(frame):
    context = frame.sparkSession.sparkContext
    scored = probare.spark.score(frame.repartition(5), ["token_f1"]).cache()
    scored.count()
    context.setJobGroup("summary", "the summary")
    assert probare.spark.summary(scored, ["token_f1"]).cases == ROWS
    assert len(context.statusTracker().getJobIdsForGroup("summary")) == 1


def test_what_would_pay_twice_is_refused(frame):
    with pytest.raises(probare.UsageError, match="would pay twice"):
        probare.spark.score(frame, ["judge_rubric"], judges=["openai:x"])
    with pytest.raises(probare.UsageError, match="there is a column `query` already"):
        probare.spark.score(frame, [{"id": "token_f1", "name": "query"}])
    for wrong in (probare.spark.score, probare.spark.summary):
        with pytest.raises(probare.UsageError, match="must be a Spark frame, but it is a builtins.list"):
            wrong(made_rows(3), "token_f1")
    with pytest.raises(probare.UsageError, match=r"call probare\.spark\.score"):
        probare.score(frame, "token_f1")


KILLED = """
import json, os, signal, sys, threading, time
sys.path.insert(0, sys.argv[1])
from test_spark import PARTS, executors, session
import probare
spark = session("local-cluster[2,1,1024]")
frame = spark.read.parquet(sys.argv[2]).repartition(PARTS)
told = {"executors": len(executors())}
def kill():
    tracker = spark.sparkContext.statusTracker()
    while "done_at_the_kill" not in told:
        stages = [tracker.getStageInfo(stage) for stage in tracker.getActiveStageIds()]
        for stage in stages:
            # Scoring is the stage of so many tasks; the one before shares the rows out.
            if stage and stage.numTasks == PARTS and stage.numCompletedTasks >= PARTS // 4:
                os.kill(min(executors()), signal.SIGKILL)
                told["done_at_the_kill"] = stage.numCompletedTasks
        time.sleep(0.05)
threading.Thread(target=kill, daemon=True).start()
metrics = ["token_f1", "rouge_l", "answer_match", json.loads(sys.argv[4])]
scored = probare.spark.score(frame, metrics, "improved", config=sys.argv[5], cache=sys.argv[6])
scored.select("id", "token_f1", "rouge_l", "answer_match", "judged").write.parquet(sys.argv[3])
spark.stop()
print(json.dumps(told))
"""


def executors() -> list[int]:
    """Processes of executors on this machine that belong to this test."""
    found = []
    for name in filter(str.isdigit, os.listdir("/proc")):
        try:
            command = open(f"/proc/{name}/cmdline", "rb").read()
            if b"CoarseGrainedExecutorBackend" in command and b"--executor-id" in command:
                found.append(int(name))
        except OSError:
            continue
    return found


@pytest.mark.skipif(not os.path.isdir("/proc"), reason="executors are found through /proc")
def test_a_dead_executor_loses_no_row(tmp_path):
    pyarrow = pytest.importorskip("pyarrow")
    import pyarrow.parquet as parquet

    count = int(os.environ.get("PROBARE_KILLED_ROWS", "4000"))
    rows = repeated_rows(count)
    metrics = ["token_f1", "rouge_l", "answer_match", JUDGED]
    record = recorded(tmp_path, rows[:100])
    questions, files = asked_of_the_judge(tmp_path), untouched(tmp_path)
    parquet.write_table(pyarrow.Table.from_pylist(rows), tmp_path / "rows.parquet")
    arguments = [os.path.dirname(__file__), str(tmp_path / "rows.parquet"), str(tmp_path / "out")]
    arguments += [json.dumps(JUDGED), str(record["config"]), str(record["cache"])]
    done = subprocess.run([sys.executable, "-c", KILLED, *arguments], capture_output=True, text=True, timeout=1800)
    assert done.returncode == 0, done.stderr[-3000:]
    told = json.loads(done.stdout.splitlines()[-1])
    assert told["executors"] == 2 and PARTS // 4 <= told["done_at_the_kill"] < PARTS
    scored = parquet.read_table(tmp_path / "out").to_pylist()
    assert len(scored) == count
    values = {row["id"]: (row["token_f1"], row["rouge_l"], row["answer_match"], row["judged"]) for row in scored}
    assert len(values) == count
    assert asked_of_the_judge(tmp_path) == questions and untouched(tmp_path) == files
    for row in probare.score(rows, metrics, "improved", offline=True, **record):
        assert values[row["id"]] == tuple(told.get("value") for told in row["scores"].values())
