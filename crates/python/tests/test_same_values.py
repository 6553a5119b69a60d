"""The same rows through the command line and every kind of input: the same values, bit for bit."""

from __future__ import annotations

import json

import pytest
from conftest import ROOT, by_command_line, deterministic

import probare

pytestmark = pytest.mark.inputs
PROFILES = ["published", "improved"]


@pytest.fixture(scope="module")
def file(rows, tmp_path_factory):
    path = tmp_path_factory.mktemp("rows") / "rows.jsonl"
    path.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def expected(file):
    return {profile: by_command_line(file, deterministic(), profile) for profile in PROFILES}


def pandas_frame(rows):
    return pytest.importorskip("pandas").DataFrame(rows)


def polars_frame(rows):
    return pytest.importorskip("polars").DataFrame(rows, strict=False)


def polars_lazy(rows):
    return polars_frame(rows).lazy()


def arrow_table(rows):
    return pytest.importorskip("pyarrow").Table.from_pylist(rows)


def arrow_views(rows):
    pyarrow = pytest.importorskip("pyarrow")
    table = pyarrow.Table.from_pylist(rows)
    names = {"query": pyarrow.string_view(), "response": pyarrow.large_string(), "id": pyarrow.string_view()}
    for name, kind in names.items():
        table = table.set_column(table.schema.get_field_index(name), name, table[name].cast(kind))
    return table


def duckdb_relation(rows):
    duckdb = pytest.importorskip("duckdb")
    table = arrow_table(rows)
    return duckdb.connect().from_arrow(table)


INPUTS = [list, iter, pandas_frame, polars_frame, polars_lazy, arrow_table, arrow_views, duckdb_relation]


@pytest.mark.parametrize("profile", PROFILES)
@pytest.mark.parametrize("made", INPUTS, ids=lambda made: made.__name__)
def test_every_input_gives_the_lines_of_the_command_line(made, profile, rows, expected):
    results = probare.score(made(rows), deterministic(), profile)
    assert list(results.lines()) == expected[profile]


@pytest.mark.parametrize("profile", PROFILES)
def test_a_path_gives_the_lines_of_the_command_line(profile, file, expected):
    assert list(probare.score(file, deterministic(), profile).lines()) == expected[profile]


def test_a_parquet_file_gives_them_too(rows, expected, tmp_path):
    parquet = pytest.importorskip("pyarrow.parquet")
    parquet.write_table(arrow_table(rows), tmp_path / "rows.parquet")
    results = probare.score(tmp_path / "rows.parquet", deterministic(), "improved")
    assert list(results.lines()) == expected["improved"]


@pytest.mark.parametrize("jobs", [1, 3])
@pytest.mark.parametrize("profile", PROFILES)
def test_batches_give_the_same_values(jobs, profile, rows, expected):
    table = arrow_table(rows)
    scorer = probare.Scorer(deterministic(), profile, jobs=jobs, evidence=True)
    scored = [row for batch in table.to_batches(max_chunksize=30) for row in scorer.score_batch(batch).to_pylist()]
    assert len(scored) == len(rows)
    for row, line in zip(scored, map(json.loads, expected[profile]), strict=True):
        assert row["id"] == line["id"]
        for name, told in line["scores"].items():
            assert row[name] == told.get("value")
            assert json.loads(row[f"{name}.evidence"] or "[]") == told.get("evidence", [])
            assert json.loads(row[f"{name}.parts"] or "{}") == told.get("parts", {})
            assert row[f"{name}.kind"] == told.get("kind")
            status = "scored" if "value" in told else "failed" if "error" in told else "not_applicable"
            assert row[f"{name}.status"] == status


def test_the_summary_of_batches_is_that_of_the_whole(rows):
    table = arrow_table(rows)
    whole = probare.score(table, deterministic(), "improved").summary.to_dict()
    scorer = probare.Scorer(deterministic(), "improved")
    for batch in table.to_batches(max_chunksize=17):
        scorer.score_batch(batch)
    parts = scorer.summary.to_dict()
    assert parts["cases"] == whole["cases"] == len(rows)
    assert parts["metrics"] == whole["metrics"]


def test_metrics_of_agents_have_the_values_of_the_command_line(tmp_path):
    path = tmp_path / "transcripts.jsonl"
    path.write_bytes((ROOT / "examples" / "agents" / "transcripts.jsonl").read_bytes())
    names = [metric.id for metric in probare.metrics() if metric.family == "agents"]
    assert {"fact_kept", "loops", "tool_calls"} <= set(names)
    metrics = [{"id": name} for name in names]
    expected = by_command_line(path, metrics, "improved")
    assert list(probare.score(path, metrics, "improved").lines()) == expected
    rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    assert list(probare.score(rows, metrics, "improved").lines()) == expected
    by_turn = [{"id": "tool_calls", "per": "turn"}, {"id": "token_f1", "per": "turn", "over": "min"}]
    expected = by_command_line(path, by_turn, "improved")
    assert list(probare.score(path, by_turn, "improved").lines()) == expected
    assert any('"turn.1":1.0' in line for line in expected)
