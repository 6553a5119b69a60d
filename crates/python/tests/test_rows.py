"""One result for each row of the input, whatever became of it, under its own id."""

from __future__ import annotations

import asyncio
import time

import pytest

import probare

ROWS = [
    {"id": 10, "response": "river stone", "reference": "river"},
    {"id": 20, "response": ["no", "text"], "reference": "river"},
    {"id": 30, "response": "river", "reference": "river"},
]
UNREAD = "1 row could not be read"


def test_a_row_that_cannot_be_read_keeps_its_place_and_its_id():
    with pytest.warns(probare.ProbareWarning, match=UNREAD):
        results = probare.score(ROWS, "jaccard")
    assert [row["id"] for row in results] == ["10", "20", "30"] and results["jaccard"] == [0.5, None, 1.0]
    told = results[1]["scores"]["jaccard"]
    assert told["kind"] == "failed" and told["error"] == "row 2: `response` must be a text, but it is a list"
    assert (results.summary.cases, results.summary.lost_rows, results.exit_code) == (3, 1, 1)
    summary = results.summary["jaccard"]
    assert (summary.scored, summary.not_applicable, summary.failed) == (2, 0, 1) and "failed" in repr(results)


def test_a_column_of_scores_stands_beside_its_rows():
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(ROWS)
    with pytest.warns(probare.ProbareWarning, match=UNREAD):
        frame["score"] = probare.score(frame, "jaccard").to_pandas()["jaccard"]
    assert frame["score"][0] == 0.5 and frame["score"].isna()[1] and frame["score"][2] == 1.0


def test_a_scorer_keeps_the_id_of_a_row_that_cannot_be_read():
    pyarrow = pytest.importorskip("pyarrow")
    batch = pyarrow.RecordBatch.from_pylist([{"id": "x", "response": [1]}, {"id": "y", "response": [2]}])
    assert probare.Scorer(["token_f1"]).score_batch(batch)["id"].to_pylist() == ["x", "y"]


def test_a_file_has_one_result_for_each_row_too(tmp_path):
    path = tmp_path / "rows.jsonl"
    path.write_text('{"id": "x", "response": [1]}\n{"no json\n\n{"response": "a", "reference": "a"}\n')
    with pytest.warns(probare.ProbareWarning, match="2 rows could not be read"):
        results = probare.score(path, "exact_match")
    assert [row["id"] for row in results] == ["x", "2", "4"] and results["exact_match"] == [None, None, 1.0]


def test_a_report_has_the_rows_that_cannot_be_read_and_is_verified(tmp_path):
    path, out = tmp_path / "rows.jsonl", tmp_path / "out.jsonl"
    path.write_text('{"id": "x", "response": [1]}\n{"no json\n\n{"response": "a", "reference": "a"}\n')
    with pytest.warns(probare.ProbareWarning, match="2 rows could not be read"):
        results = probare.score(path, "exact_match", output=[out, tmp_path / "out.csv", tmp_path / "out.xml"])
    summary = results.summary["exact_match"]
    assert len(results) == summary.scored + summary.not_applicable + summary.failed == 3
    assert out.read_text().splitlines() == list(results.lines())
    assert len((tmp_path / "out.csv").read_text().splitlines()) == 1 + 3
    verdict = probare.verify(out)
    assert verdict and verdict.cases == 3
    results.write(tmp_path / "later.jsonl")
    assert (tmp_path / "later.jsonl").read_text() == out.read_text()
    # Written by hand into the file, a failure that is none is found.
    out.write_text(out.read_text().replace('"id":"2"', '"id":"4"'))
    assert not probare.verify(out)


def test_ids_keep_their_type():
    pandas = pytest.importorskip("pandas")
    rows = [{"id": 7, "response": "a", "reference": "a", "lang": "en"}, {"id": 8, "response": "b", "reference": "a", "lang": "de"}]
    for cases in (rows, iter(rows), pandas.DataFrame(rows)):
        scored = probare.score(cases, "exact_match").to_pandas(evidence=False)
        assert scored["id"].tolist() == [7, 8] and scored["row"].tolist() == [0, 1]
        assert pandas.DataFrame(rows).merge(scored, on="id")["exact_match"].tolist() == [1.0, 0.0]
    texts = probare.score([{**row, "id": str(row["id"])} for row in rows], "exact_match").to_pandas()
    assert texts["id"].tolist() == ["7", "8"]
    mixed = probare.score([rows[0], {**rows[1], "id": "eight"}], "exact_match").to_pandas()
    assert mixed["id"].tolist() == ["7", "eight"]
    assert probare.score([{"response": "a"}], "exact_match").to_pandas()["id"].tolist() == ["1"]


def test_a_row_that_is_none_has_no_number():
    pyarrow = pytest.importorskip("pyarrow")
    with pytest.warns(probare.ProbareWarning):
        table = probare.score([ROWS[0], "no row", ROWS[2]], "jaccard").to_arrow()
    assert table["id"].to_pylist() == [10, None, 30] and table.schema.field("id").type == pyarrow.int64()


def test_ids_that_stand_there_twice_are_told():
    rows = [{"id": 1, "response": "a", "reference": "a"}] * 2
    with pytest.warns(probare.ProbareWarning, match="the id `1` occurs more than once.*the column `row`"):
        results = probare.score(rows, "exact_match")
    assert results.to_arrow()["row"].to_pylist() == [0, 1]


def test_a_metric_may_be_called_row():
    frame = probare.score([ROWS[0]], [{"id": "jaccard", "name": "row"}]).to_arrow()
    assert frame["row"].to_pylist() == [0.5] and frame["row_number"].to_pylist() == [0]


def test_all_rows_lost_is_an_error():
    with pytest.raises(probare.DataError, match="none of the 2 rows could be read; the first: rows: row 1: a row must be a dict"):
        probare.score(["a", "b"], "token_f1")
    with pytest.raises(probare.DataError, match="row 1: a row must be a dict"):
        probare.score([7], "token_f1")


def test_a_dict_of_columns():
    columns = {"id": [1, 2], "response": ["a", "b"], "reference": [["a"], "a"]}
    assert probare.score(columns, "exact_match")["exact_match"] == [1.0, 0.0]
    with pytest.raises(probare.UsageError, match="the columns have different lengths: `response` has 2, `reference` has 1"):
        probare.score({"response": ["a", "b"], "reference": ["a"]}, "exact_match")
    # A row may hold lists.
    row = {"retrieved": ["a", "b"], "relevant": ["a", "b"]}
    assert len(probare.score(row, "ndcg")) == 1


def test_datasets_and_files_of_pyarrow(tmp_path):
    pytest.importorskip("pyarrow")
    import pyarrow
    import pyarrow.dataset
    import pyarrow.parquet

    pyarrow.parquet.write_table(pyarrow.Table.from_pylist([ROWS[0], ROWS[2]]), tmp_path / "rows.parquet")
    dataset = pyarrow.dataset.dataset(tmp_path / "rows.parquet")
    for cases in (dataset, dataset.scanner(), pyarrow.parquet.ParquetFile(tmp_path / "rows.parquet")):
        assert probare.score(cases, "jaccard")["jaccard"] == [0.5, 1.0]


def test_an_async_generator():
    async def rows(count: int):
        for number in range(count):
            await asyncio.sleep(0)
            yield {"id": number, "response": "a", "reference": "a"}

    async def scored():
        return await probare.score_async(rows(150), "exact_match")

    results = asyncio.run(scored())
    assert len(results) == 150 and set(results["exact_match"]) == {1.0} and results.to_arrow()["id"][149].as_py() == 149
    with pytest.raises(probare.UsageError, match="are waited for\n\nhint: await probare.score_async"):
        probare.score(rows(1), "exact_match")


def test_what_an_async_generator_raises_is_passed_on():
    async def rows():
        yield {"response": "a", "reference": "a"}
        raise RuntimeError("the cable is out")

    with pytest.raises(RuntimeError, match="the cable is out"):
        asyncio.run(probare.score_async(rows(), "exact_match"))


def test_cancelling_ends_a_run_whose_rows_never_come():
    async def rows():
        yield {"response": "a", "reference": "a"}
        await asyncio.Event().wait()

    async def run():
        task = asyncio.create_task(probare.score_async(rows(), "exact_match"))
        await asyncio.sleep(0.3)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(asyncio.wait_for(run(), 30))


def test_runs_that_wait_have_threads_of_their_own():
    def slow():
        time.sleep(0.5)
        yield {"response": "a", "reference": "a"}

    async def all_at_once(count: int, **settings):
        await asyncio.gather(*(probare.score_async(slow(), "exact_match", **settings) for _ in range(count)))

    start = time.monotonic()
    asyncio.run(all_at_once(24))
    assert time.monotonic() - start < 1.9, "24 runs of half a second go on at the same time"
    start = time.monotonic()
    asyncio.run(all_at_once(4, width=1))
    assert time.monotonic() - start >= 2.0, "one after the other"


def test_what_was_cut_out_of_a_table_has_its_own_rows():
    pyarrow = pytest.importorskip("pyarrow")
    rows = [{"id": str(at), "response": "a", "metadata": {"made": {"city": "Oslo", "seats": at}}} for at in range(9)]
    metric = {"id": "numeric_diff", "at_path": "/metadata/made/seats", "expected": 4}
    whole = probare.score(rows, metric)["numeric_diff"]
    table = pyarrow.Table.from_pylist(rows)
    assert probare.score(table.slice(4, 3), metric)["numeric_diff"] == whole[4:7]
    cut = table.to_batches()[0].slice(4, 3)
    assert probare.Scorer(metric).score_batch(cut)["numeric_diff"].to_pylist() == whole[4:7]
