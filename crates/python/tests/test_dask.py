"""Dask and Daft: the same values through their maps over batches, each row once."""

from __future__ import annotations

import json

import pytest
from conftest import JUDGED, asked_of_the_judge, deterministic, made_rows, recorded, repeated_rows, untouched

import probare

METRICS = ["token_f1", {"id": "verdict", "name": "all"}]


def dask_frame(rows):
    pytest.importorskip("dask", reason="Dask is not installed")
    import dask
    import dask.dataframe
    import pandas

    # Lists stay lists.
    dask.config.set({"dataframe.convert-string": False})
    return dask.dataframe.from_pandas(pandas.DataFrame(rows), npartitions=4)


def daft_frame(rows):
    daft = pytest.importorskip("daft", reason="Daft is not installed")
    import pyarrow

    return daft.from_arrow(pyarrow.Table.from_pylist(rows))


def dask_rows(frame):
    return frame.compute().to_dict("records")


def daft_rows(frame):
    return frame.to_pylist()


KINDS = [
    pytest.param("dask", dask_frame, dask_rows, marks=pytest.mark.dask),
    pytest.param("daft", daft_frame, daft_rows, marks=pytest.mark.daft),
]


@pytest.mark.parametrize(("name", "made", "taken"), KINDS)
def test_the_values_are_those_of_score(name, made, taken):
    rows = made_rows(100)
    expected = {row["id"]: row["scores"] for row in probare.score(rows, deterministic(), "improved")}
    scored = taken(getattr(probare, name).score(made(rows), deterministic(), "improved", evidence=True))
    assert sorted(row["id"] for row in scored) == sorted(expected)
    for row in scored:
        for metric, told in expected[row["id"]].items():
            value = row[metric]
            assert (None if value is None or value != value else value) == told.get("value")
            assert json.loads(row[f"{metric}.evidence"] or "[]") == told.get("evidence", [])


@pytest.mark.parametrize(("name", "made", "taken"), KINDS)
def test_the_summary_comes_from_parts(name, made, taken):
    module = getattr(probare, name)
    parts = module.summary(module.score(made(made_rows(100)), METRICS, "improved"), METRICS, "improved").to_dict()
    whole = probare.score(made_rows(100), METRICS, "improved").summary.to_dict()
    for one, other in zip(parts["metrics"], whole["metrics"], strict=True):
        for field in ("name", "mean", "interval", "scored", "not_applicable", "failed", "min", "max", "histogram"):
            assert one[field] == other[field]
    assert parts["cases"] == 100


@pytest.mark.parametrize(("name", "made", "taken"), KINDS)
def test_a_record_answers_and_stays_as_it_is(name, made, taken, tmp_path):
    rows = repeated_rows(300)
    record = recorded(tmp_path, rows[:100])
    questions, files = asked_of_the_judge(tmp_path), untouched(tmp_path)
    scored = taken(getattr(probare, name).score(made(rows), [JUDGED], **record))
    assert len({row["id"] for row in scored}) == len(scored) == 300
    assert sum(row["judged.status"] == "scored" for row in scored) > 270
    assert asked_of_the_judge(tmp_path) == questions and untouched(tmp_path) == files


@pytest.mark.parametrize(("name", "made", "taken"), KINDS)
def test_what_cannot_be_right_is_refused(name, made, taken):
    frame, module = made(made_rows(3)), getattr(probare, name)
    with pytest.raises(probare.UsageError, match="would pay twice"):
        module.score(frame, ["judge_rubric"], judges=["openai:x"])
    with pytest.raises(probare.UsageError, match="there is a column `query` already"):
        module.score(frame, [{"id": "token_f1", "name": "query"}])
    with pytest.raises(probare.UsageError, match="`mapping` names the column `said` for `response`"):
        module.score(frame, "token_f1", mapping={"response": "said"})
    for wrong in (module.score, module.summary):
        with pytest.raises(probare.UsageError, match=f"must be a {name.title()} frame, but it is a builtins.list"):
            wrong(made_rows(3), "token_f1")
    with pytest.raises(probare.UsageError, match=rf"call probare\.{name}\.score"):
        probare.score(frame, "token_f1")
