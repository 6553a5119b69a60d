"""Ray: the same values, each row once, also where a worker dies."""

from __future__ import annotations

import json
import os
import signal
import threading

import pytest
from conftest import JUDGED, asked_of_the_judge, deterministic, made_rows, recorded, repeated_rows, untouched

import probare

pytestmark = pytest.mark.ray
ray = pytest.importorskip("ray")
pyarrow = pytest.importorskip("pyarrow")
ROWS = int(os.environ.get("PROBARE_ROWS", "100"))


@pytest.fixture(scope="module", autouse=True)
def cluster():
    os.environ["RAY_DATA_DISABLE_PROGRESS_BARS"] = "1"
    # Workers import the helpers of the tests from here.
    os.environ["PYTHONPATH"] = os.path.dirname(__file__)
    ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False)
    yield
    ray.shutdown()


def dataset(rows):
    return ray.data.from_arrow(pyarrow.Table.from_pylist(rows)).repartition(4)


@pytest.mark.parametrize("profile", ["published", "improved"])
def test_the_values_are_those_of_score(profile):
    rows = made_rows(ROWS)
    expected = {row["id"]: row["scores"] for row in probare.score(rows, deterministic(), profile)}
    scored = probare.ray.score(dataset(rows), deterministic(), profile, evidence=True).take_all()
    assert sorted(row["id"] for row in scored) == sorted(expected)
    for row in scored:
        for name, told in expected[row["id"]].items():
            assert row[name] == told.get("value")
            assert json.loads(row[f"{name}.evidence"] or "[]") == told.get("evidence", [])


def test_the_summary_comes_from_parts():
    metrics = ["token_f1", {"id": "verdict", "name": "all"}]
    scored = probare.ray.score(dataset(made_rows(ROWS)), metrics, "improved").materialize()
    parts = probare.ray.summary(scored, metrics, "improved").to_dict()
    whole = probare.score(made_rows(ROWS), metrics, "improved").summary.to_dict()
    for one, other in zip(parts["metrics"], whole["metrics"], strict=True):
        for name in ("name", "mean", "interval", "scored", "not_applicable", "failed", "min", "max", "histogram"):
            assert one[name] == other[name]
    assert parts["cases"] == ROWS


def test_what_would_pay_twice_is_refused():
    with pytest.raises(probare.UsageError, match="would pay twice"):
        probare.ray.score(dataset(made_rows(3)), ["judge_rubric"], judges=["openai:x"])
    for wrong in (probare.ray.score, probare.ray.summary):
        with pytest.raises(probare.UsageError, match="must be a Ray dataset, but it is a builtins.list"):
            wrong(made_rows(3), "token_f1")
    with pytest.raises(probare.UsageError, match=r"call probare\.ray\.score"):
        probare.score(dataset(made_rows(3)), "token_f1")


def workers() -> list[int]:
    """Processes on this machine that compute for this test."""
    found = []
    for name in filter(str.isdigit, os.listdir("/proc")):
        try:
            title = open(f"/proc/{name}/cmdline", "rb").read().split(b"\0")[0]
            if title.startswith(b"ray::MapBatches"):
                found.append(int(name))
        except OSError:
            continue
    return found


@pytest.mark.skipif(not os.path.isdir("/proc"), reason="workers are found through /proc")
def test_a_dead_worker_loses_no_row(tmp_path):
    count = int(os.environ.get("PROBARE_KILLED_ROWS", "4000"))
    rows = repeated_rows(count)
    record = recorded(tmp_path, rows[:100])
    questions, files = asked_of_the_judge(tmp_path), untouched(tmp_path)
    marks = tmp_path / "marks"
    marks.mkdir()
    parts = 40
    blocks = ray.data.from_arrow(pyarrow.Table.from_pylist(rows)).repartition(parts).materialize()
    metrics = ["token_f1", "rouge_l", "answer_match", JUDGED]
    names = ["token_f1", "rouge_l", "answer_match", "judged"]
    killed, ended = [], threading.Event()

    def mark(table):
        # One file for each block that is scored.
        (marks / table["id"][0].as_py()).touch()
        return table

    def kill():
        while not killed and not ended.wait(0.01):
            done = len(list(marks.iterdir()))
            for process in workers() if done >= parts // 4 else []:
                os.kill(process, signal.SIGKILL)
                killed.append(done)
                break

    thread = threading.Thread(target=kill)
    thread.start()
    dataset = probare.ray.score(blocks, metrics, "improved", **record).map_batches(mark, batch_format="pyarrow", batch_size=None)
    scored = dataset.select_columns(["id", *names]).take_all()
    ended.set()
    thread.join()
    assert killed and parts // 4 <= killed[0] < parts
    assert len(scored) == count
    values = {row["id"]: tuple(row[name] for name in names) for row in scored}
    assert len(values) == count
    assert asked_of_the_judge(tmp_path) == questions and untouched(tmp_path) == files
    for row in probare.score(rows, metrics, "improved", offline=True, **record):
        assert values[row["id"]] == tuple(told.get("value") for told in row["scores"].values())
