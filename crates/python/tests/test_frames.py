"""Frames of every kind: the values are those of their rows, under the index and in the order that they have."""

from __future__ import annotations

import datetime
import decimal
import math
import random
from typing import Any

import pytest
from conftest import PLACES, made_rows

import probare

pandas = pytest.importorskip("pandas")
METRICS = ["token_f1", "exact_match", "levenshtein"]


def by_row(rows: list[dict[str, Any]], metric: str) -> list[float | None]:
    """The values of rows that are scored one by one."""
    return [probare.score([row], metric)[metric][0] for row in rows]


def test_the_values_of_a_shuffled_frame_go_to_their_rows():
    rows = [{"id": at, "response": place, "reference": f"{place} or {PLACES[at - 1]}"} for at, place in enumerate(PLACES)]
    frame = pandas.DataFrame(rows)
    expected = dict(zip(frame.index, by_row(rows, "token_f1")))
    shuffled = frame.sample(frac=1, random_state=7)
    shuffled["score"] = probare.score(shuffled, "token_f1").to_pandas()["token_f1"]
    assert dict(zip(shuffled.index, shuffled["score"])) == expected
    kept = frame[frame["id"] % 3 == 1].copy()
    kept["score"] = probare.score(kept, "token_f1").to_pandas()["token_f1"]
    assert kept["score"].tolist() == [expected[at] for at in kept.index] and len(kept) == 3


def indexes(draw: random.Random, rows: int) -> Any:
    """An index of any kind: numbers, texts, dates, several levels, labels that stand there twice."""
    numbers = draw.sample(range(1000), rows)
    return draw.choice(
        [
            pandas.RangeIndex(rows),
            pandas.Index(numbers, name="number"),
            pandas.Index([f"row {number}" for number in numbers]),
            pandas.Index([number % 3 for number in numbers]),
            pandas.Index([number / 7 for number in numbers], name="id"),
            pandas.DatetimeIndex([datetime.datetime(2026, 1, 1) + datetime.timedelta(days=number) for number in numbers]),
            pandas.MultiIndex.from_arrays([[number % 2 for number in numbers], numbers], names=["half", "number"]),
            pandas.CategoricalIndex([f"c{number % 4}" for number in numbers]),
        ]
    )


def columns(draw: random.Random, rows: int) -> dict[str, Any]:
    """Columns that no metric reads, of any type."""
    made = {
        "whole": [draw.randint(-5, 5) for _ in range(rows)],
        "gaps": pandas.array([draw.choice([1, None]) for _ in range(rows)], dtype="Int64"),
        "category": pandas.Categorical([draw.choice("ab") for _ in range(rows)]),
        "decimal": [decimal.Decimal(draw.randint(0, 99)) / 10 for _ in range(rows)],
        "date": pandas.to_datetime([f"2026-01-{draw.randint(1, 28):02}" for _ in range(rows)]),
        "zoned": pandas.to_datetime([f"2026-01-{draw.randint(1, 28):02}" for _ in range(rows)]).tz_localize("Europe/Oslo"),
        "passed": [datetime.timedelta(seconds=draw.randint(0, 9)) for _ in range(rows)],
        "sets": [{draw.randint(0, 3)} for _ in range(rows)],
        "bytes": [b"\xff\x00" for _ in range(rows)],
        "objects": [object() for _ in range(rows)],
        "mixed": [draw.choice([1, "one", None, 1.5]) for _ in range(rows)],
        "nothing": [None for _ in range(rows)],
        "nan": [math.nan for _ in range(rows)],
        "nested": [{"a": [{"b": draw.randint(0, 3)}]} for _ in range(rows)],
        "complex": [complex(1, draw.randint(0, 3)) for _ in range(rows)],
        "interval": pandas.arrays.IntervalArray.from_tuples([(0, draw.randint(1, 4)) for _ in range(rows)]),
        "period": pandas.period_range("2026-01", periods=rows, freq="M"),
        3: [draw.random() for _ in range(rows)],
    }
    return {name: made[name] for name in draw.sample(list(made), draw.randint(0, 5))}


TEXTS = {
    "object": lambda texts: pandas.Series(texts, dtype="object"),
    "string": lambda texts: pandas.Series(texts, dtype="string"),
    "arrow": lambda texts: pandas.Series(texts, dtype="string[pyarrow]"),
    "category": lambda texts: pandas.Series(texts, dtype="category"),
}
"""Types that a column of texts may have."""


@pytest.mark.parametrize("seed", range(60))
def test_values_joined_back_are_those_of_the_rows(seed):
    pytest.importorskip("pyarrow")
    draw = random.Random(seed)
    count = draw.randint(1, 12)
    responses = [draw.choice([*PLACES, "It is Oslo.", ""]) for _ in range(count)]
    references = [draw.choice(PLACES) for _ in range(count)]
    expected = {name: by_row([{"response": a, "reference": b} for a, b in zip(responses, references)], name) for name in METRICS}
    data = {"response": TEXTS[draw.choice(list(TEXTS))](responses).array, "reference": TEXTS[draw.choice(list(TEXTS))](references).array}
    names = [*data, *(more := columns(draw, count))]
    frame = pandas.DataFrame({name: {**data, **more}[name] for name in draw.sample(names, len(names))})
    frame["at"] = range(count)
    frame.index = indexes(draw, count)
    if draw.random() < 0.7:
        frame = frame.sample(frac=1, random_state=seed)
    if draw.random() < 0.5:
        frame = frame[[draw.random() < 0.7 for _ in range(count)]]
    results = probare.score(frame, METRICS)
    told = results.to_pandas()
    assert told.index.equals(frame.index) and len(results) == len(frame)
    for name in METRICS:
        values = [expected[name][at] for at in frame["at"]]
        assert results[name] == values and told[name].tolist() == values
        assert frame.assign(score=told[name])["score"].tolist() == values


def _polars(rows, order):
    polars = pytest.importorskip("polars")
    return polars.DataFrame(rows)[order]


def _lazy(rows, order):
    return _polars(rows, order).lazy()


def _arrow(rows, order):
    pyarrow = pytest.importorskip("pyarrow")
    return pyarrow.Table.from_pylist(rows).take(order)


def _chunks(rows, order):
    pyarrow = pytest.importorskip("pyarrow")
    table = _arrow(rows, order)
    return pyarrow.concat_tables([table.slice(at, 3) for at in range(0, len(order), 3)])


def _duckdb(rows, order):
    duckdb = pytest.importorskip("duckdb")
    kept = [{**row, "rank": order.index(at) if at in order else None} for at, row in enumerate(rows)]
    table = _arrow(kept, list(range(len(kept))))
    return duckdb.from_arrow(table).filter("rank IS NOT NULL").order("rank")


def _hugging_face(rows, order):
    datasets = pytest.importorskip("datasets", reason="datasets is not installed")
    return datasets.Dataset.from_list(rows).select(order)


@pytest.mark.parametrize("made", [_polars, _lazy, _arrow, _chunks, _duckdb, pytest.param(_hugging_face, marks=pytest.mark.peers)])
@pytest.mark.parametrize("seed", range(8))
def test_rows_of_every_kind_of_frame_keep_their_values_in_any_order(made, seed):
    draw = random.Random(seed)
    count = draw.randint(1, 20)
    rows = [
        {
            "id": f"c{at}",
            "response": draw.choice([*PLACES, "It is Oslo.", ""]),
            "reference": draw.choice([[draw.choice(PLACES)], draw.sample(PLACES, 2)]),
            "day": datetime.date(2026, 1, draw.randint(1, 28)),
            "nested": {"a": [{"b": draw.choice([at, None])}]},
            "nothing": None,
        }
        for at in range(count)
    ]
    order = draw.sample(range(count), draw.randint(1, count))
    expected = {name: by_row(rows, name) for name in METRICS}
    results = probare.score(made(rows, order), METRICS)
    assert [row["id"] for row in results] == [rows[at]["id"] for at in order]
    for name in METRICS:
        assert results[name] == [expected[name][at] for at in order]


def test_the_index_travels_with_results():
    import pickle

    frame = pandas.DataFrame({"response": ["a", "b"], "reference": ["a", "a"]}, index=["x", "y"])
    results = probare.score(frame, "exact_match")
    again = pickle.loads(pickle.dumps(results)).to_pandas()
    assert again.index.tolist() == ["x", "y"] and again["row"].tolist() == [0, 1]
    assert probare.score(frame, "exact_match", limit=1).to_pandas().index.tolist() == ["x"]
    rows = probare.score(frame.to_dict("records"), "exact_match").to_pandas()
    assert rows.index.tolist() == [0, 1]


def test_columns_of_one_name_are_refused():
    pyarrow = pytest.importorskip("pyarrow")
    frame = pandas.DataFrame([["a", "b", "c"]], columns=["response", "reference", "response"])
    with pytest.raises(probare.UsageError, match="several columns `response`"):
        probare.score(frame, "exact_match")
    table = pyarrow.table([["a"], ["b"], ["c"]], names=["response", "reference", "reference"])
    with pytest.raises(probare.UsageError, match="several columns `reference`\n\nhint: give each column a name of its own"):
        probare.score(table, "exact_match")
    with pytest.raises(probare.UsageError, match="several columns `reference`"):
        probare.Scorer("exact_match").score_batch(table.to_batches()[0])
    duckdb = pytest.importorskip("duckdb")
    with pytest.raises(probare.UsageError, match="several columns `response`"):
        probare.score(duckdb.sql("SELECT 'a' AS response, 'b' AS response, 'a' AS reference"), "exact_match")


POLARS = {
    "null column": {"note": [None, None]},
    "empty lists": {"context": [[], []]},
    "nulls in structures": {"metadata": [{"a": None, "b": 1}, {"a": None, "b": 2}]},
    "nulls in lists": {"notes": [[None], [None]]},
    "categories": {"kind": ["a", "b"]},
    "decimals": {"price": [decimal.Decimal("1.50"), None]},
    "dates": {"day": [datetime.date(2026, 1, 1), None]},
    "times": {"at": [datetime.datetime(2026, 1, 1, 12), None]},
    "bytes": {"blob": [b"\xff", None]},
    "objects": {"any": [object(), object()]},
}


@pytest.mark.parametrize("more", POLARS.values(), ids=POLARS)
def test_a_polars_frame_of_any_types(more):
    polars = pytest.importorskip("polars")
    objects = {name: polars.Object for name, values in more.items() if type(values[0]) is object}
    frame = polars.DataFrame({"response": ["a", "b"], "reference": ["a", "a"], **more}, schema_overrides=objects)
    if "kind" in more:
        frame = frame.with_columns(polars.col("kind").cast(polars.Categorical))
    for cases in (frame, *([] if objects else [frame.lazy()])):
        assert probare.score(cases, "exact_match")["exact_match"] == [1.0, 0.0]


def test_an_empty_polars_frame_and_one_of_nulls():
    polars = pytest.importorskip("polars")
    assert len(probare.score(polars.DataFrame(), "exact_match")) == 0
    empty = polars.DataFrame(schema={"response": polars.String, "reference": polars.Null})
    assert len(probare.score(empty, "exact_match")) == 0
    nulls = polars.DataFrame({"response": ["a"], "reference": [None]})
    assert probare.score(nulls, "exact_match")[0]["scores"]["exact_match"] == {"not_applicable": "the case has no `reference`"}


ARROW = {
    "null": lambda pyarrow: pyarrow.nulls(2),
    "list of nulls": lambda pyarrow: pyarrow.array([[None], []]),
    "dictionary": lambda pyarrow: pyarrow.array(["x", "y"]).dictionary_encode(),
    "decimal": lambda pyarrow: pyarrow.array([decimal.Decimal("1.50"), None]),
    "timestamp": lambda pyarrow: pyarrow.array([datetime.datetime(2026, 1, 1), None]),
    "duration": lambda pyarrow: pyarrow.array([datetime.timedelta(1), None]),
    "binary": lambda pyarrow: pyarrow.array([b"\xff", None]),
    "map": lambda pyarrow: pyarrow.array([[("a", 1)], None], pyarrow.map_(pyarrow.string(), pyarrow.int64())),
    "nested": lambda pyarrow: pyarrow.array([{"a": [{"b": None}]}, None]),
    "run ends": lambda pyarrow: pyarrow.RunEndEncodedArray.from_arrays([2], ["x"]),
    "interval": lambda pyarrow: pyarrow.array([(1, 2, 3), None], pyarrow.month_day_nano_interval()),
}


@pytest.mark.parametrize("made", ARROW.values(), ids=ARROW)
def test_an_arrow_table_of_any_types(made):
    pyarrow = pytest.importorskip("pyarrow")
    table = pyarrow.table({"response": ["a", "b"], "reference": ["a", "a"], "more": made(pyarrow)})
    assert probare.score(table, "exact_match")["exact_match"] == [1.0, 0.0]
    assert probare.score(table.slice(1), "exact_match")["exact_match"] == [0.0]


def test_a_duckdb_relation_of_any_types():
    duckdb = pytest.importorskip("duckdb")
    query = """
        SELECT 'a' AS response, 'a' AS reference, NULL AS nothing, 1.50::DECIMAL(4, 2) AS price, DATE '2026-01-01' AS day,
            TIMESTAMP '2026-01-01 12:00:00' AS at, [NULL] AS empties, {'a': 1} AS nested, 'x'::ENUM ('x', 'y') AS kind, uuid() AS key,
            MAP {'a': 1} AS map, INTERVAL 1 DAY AS passed, '\\xFF'::BLOB AS blob, 170141183460469231731687303715884105727 AS huge
    """
    assert probare.score(duckdb.sql(query), "exact_match")["exact_match"] == [1.0]


@pytest.mark.peers
def test_data_sets_of_hugging_face():
    datasets = pytest.importorskip("datasets", reason="datasets is not installed")
    rows = made_rows(8)
    plain = [{"id": row["id"], "question": row["query"], "response": row.get("response") or "", "reference": row["reference"]} for row in rows]
    dataset = datasets.Dataset.from_list(plain)
    expected = probare.score(plain, "token_f1")["token_f1"]
    for cases in (dataset, dataset.with_format("pandas"), dataset.with_format("numpy"), dataset.with_format("arrow")):
        assert probare.score(cases, "token_f1")["token_f1"] == expected
    shuffled = dataset.shuffle(seed=3).filter(lambda row: row["id"] != "case-2")
    results = probare.score(shuffled, "token_f1")
    assert [row["id"] for row in results] == shuffled["id"]
    assert results["token_f1"] == [expected[int(id.partition("-")[2])] for id in shuffled["id"]]
    assert probare.score(dataset.to_iterable_dataset(), "token_f1")["token_f1"] == expected
    with pytest.raises(probare.UsageError, match=r"several data sets: 'train', 'test'\n\nhint: score one of them: dataset\['train'\]"):
        probare.score(datasets.DatasetDict({"train": dataset, "test": dataset}), "token_f1")


@pytest.mark.peers
def test_a_data_set_of_hugging_face_of_any_types():
    datasets = pytest.importorskip("datasets", reason="datasets is not installed")
    more = {
        "kind": (datasets.ClassLabel(names=["x", "y"]), ["x", "y"]),
        "price": (datasets.Value("decimal128(4, 2)"), [decimal.Decimal("1.50"), None]),
        "at": (datasets.Value("timestamp[us]"), [datetime.datetime(2026, 1, 1, 12), None]),
        "nothing": (datasets.Value("null"), [None, None]),
        "blob": (datasets.Value("binary"), [b"\xff", None]),
        "nested": ({"a": datasets.List({"b": datasets.Value("int64")})}, [{"a": [{"b": 1}]}, {"a": []}]),
    }
    texts = {"response": ["a", "b"], "reference": ["a", "a"]}
    features = datasets.Features({**dict.fromkeys(texts, datasets.Value("string")), **{name: kind for name, (kind, _) in more.items()}})
    dataset = datasets.Dataset.from_dict({**texts, **{name: values for name, (_, values) in more.items()}}, features=features)
    for cases in (dataset, dataset.with_format("pandas"), dataset.to_iterable_dataset()):
        assert probare.score(cases, "exact_match")["exact_match"] == [1.0, 0.0]


def test_evidence_is_an_object_when_it_is_looked_at():
    frame = pandas.DataFrame({"response": ["It is Oslo.", "b"], "reference": ["Oslo", "a"]})
    told = probare.score(frame, "token_f1").to_pandas()
    assert isinstance(told["token_f1.evidence"].dtype, pandas.ArrowDtype)
    assert [piece["text"] for piece in told["token_f1.evidence"].iloc[0]] == ["Oslo", "It is"]
    assert told["token_f1.parts"].struct.field("recall").tolist() == [1.0, 0.0]


def test_without_evidence_values_are_the_same_and_reports_have_it(tmp_path):
    import json

    rows = made_rows(40)
    plain = [metric for metric in ("token_f1", "rouge_l", "bleu", "chrf", "jaccard", "levenshtein", "tfidf_cosine", "contains:texts=[\"river\"]")]
    told, bare = probare.score(rows, plain), probare.score(rows, plain, evidence=False)
    assert told.metrics == bare.metrics and all(told[name] == bare[name] for name in told.metrics)
    assert told.summary == bare.summary and not bare.has_evidence
    scores = [score for row in bare for score in row["scores"].values()]
    assert scores and not any("evidence" in score for score in scores)
    assert any("evidence" in score for row in told for score in row["scores"].values())
    assert not any(name.endswith(".evidence") for name in bare.to_arrow().column_names)
    with pytest.raises(probare.UsageError, match="have no evidence\n\nhint: score with evidence=True"):
        bare.to_arrow(evidence=True)
    written = probare.score(rows, plain, evidence=False, output=tmp_path / "out.jsonl")
    assert written == bare
    assert (tmp_path / "out.jsonl").read_text().splitlines() == list(told.lines())
    assert json.loads((tmp_path / "out.jsonl").read_text().splitlines()[0])["scores"]["token_f1"]["evidence"]
