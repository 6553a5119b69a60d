"""What the functions give, and what they raise."""

from __future__ import annotations

import asyncio
import json
import os
import pickle
import signal
import subprocess
import sys
import threading
import time

import pytest
from conftest import ROOT, made_rows

import probare
from probare import catalogue


def test_the_first_example(quick):
    results = probare.score(quick, metrics=["token_f1", {"id": "rouge_l"}])
    assert len(results) == 2 and results.metrics == ["token_f1", "rouge_l"]
    assert results[0]["scores"]["token_f1"]["value"] == 0.5
    assert results[0]["scores"]["token_f1"]["evidence"][0] == {
        "kind": "matched", "field": "response", "start": 6, "end": 14, "text": "Canberra",
    }  # fmt: skip
    assert results.rows[-1]["id"] == "b" and [row["id"] for row in results] == ["a", "b"]
    assert [row["id"] for row in results[:1]] == ["a"]
    summary = results.summary["token_f1"]
    assert (summary.mean, summary.scored, summary.failed) == (0.25, 2, 0)
    assert list(results.summary) == ["token_f1", "rouge_l"] and results.summary.cases == 2
    assert results.exit_code == 0


def test_a_single_case_is_a_row(quick):
    assert probare.score(quick[0], "token_f1")[0]["id"] == "a"


def test_options_and_names():
    rows = [{"response": "x", "retrieved": ["a", "b", "c"], "relevant": ["c"]}]
    metrics = [
        "ndcg:k=2",
        {"id": "ndcg", "k": 3},
        {"id": "ndcg", "name": "deep", "options": {"k": 3}},
        catalogue.ndcg(k=3, name="made"),
    ]
    scores = probare.score(rows, metrics)[0]["scores"]
    assert list(scores) == ["ndcg:k=2", "ndcg", "deep", "made"]
    assert scores["ndcg:k=2"]["value"] == 0.0 and scores["ndcg"] == scores["deep"] == scores["made"]


def test_the_repr_is_the_table_of_the_command_line(quick):
    shown = repr(probare.score(quick, "token_f1"))
    assert "token_f1" in shown and "0.25" in shown and "2 cases" in shown


def test_frames_have_the_columns_of_a_parquet_report(quick, tmp_path):
    parquet = pytest.importorskip("pyarrow.parquet")
    results = probare.score(quick, "token_f1", output=tmp_path / "out.parquet")
    assert results.written == [str(tmp_path / "out.parquet")]
    written = parquet.read_table(tmp_path / "out.parquet").drop_columns(["model", "repeat"])
    table = results.to_arrow()
    assert table.column_names == ["row", *written.column_names]
    for row, told in zip(table.to_pylist(), written.to_pylist(), strict=True):
        pieces = [{name: value for name, value in piece.items() if value} for piece in row.pop("token_f1.evidence")]
        wanted = [{name: value for name, value in piece.items() if value} for piece in json.loads(told.pop("token_f1.evidence"))]
        assert pieces == wanted
        assert row.pop("token_f1.parts") == json.loads(told.pop("token_f1.parts"))
        assert row.pop("row") in (0, 1) and row == told
    assert results.to_pandas()["token_f1"].tolist() == [0.5, 0.0]
    assert results.to_polars()["token_f1"].to_list() == [0.5, 0.0]
    assert "token_f1.evidence" not in results.to_pandas(evidence=False)
    import pyarrow

    assert pyarrow.table(results).num_rows == 2


def test_nothing_that_failed_is_a_score():
    results = probare.score([{"id": "a", "reference": ["x"]}, {"id": "b", "response": "x"}], "token_f1")
    assert results[0]["scores"]["token_f1"] == {"error": "the case has no `response`", "kind": "missing"}
    assert results[1]["scores"]["token_f1"] == {"not_applicable": "the case has no `reference`"}
    assert results.summary["token_f1"].mean is None
    assert results.to_pandas()["token_f1"].isna().all()
    assert results.exit_code == 1


def test_rows_that_cannot_be_read_are_named():
    rows = [{"response": "a", "reference": "a"}, ["no", "row"], {"response": {"a": 1}}, {"response": object()}]
    with pytest.warns(probare.ProbareWarning, match="3 rows could not be read; the first: rows: row 2: a row must be a dict"):
        results = probare.score(rows, "token_f1")
    assert len(results) == 4 and results.summary.lost_rows == 3 and results.summary.cases == 4
    assert [row["id"] for row in results] == ["1", "2", "3", "4"]
    reasons = [problem["reason"] for problem in results.problems]
    assert reasons[1].startswith("row 3: `response` must be a text, or an object with `text`")
    assert reasons[2] == "row 4: `response`: a value of type `object` cannot be written as JSON"
    with pytest.raises(probare.DataError, match="row 2: a row must be a dict"):
        probare.score(rows, "token_f1", strict=True)


def test_values_of_other_packages():
    numpy = pytest.importorskip("numpy")
    row = {"id": numpy.int64(7), "response": "a", "reference": numpy.array(["a", "b"]), "x": float("nan"), "big": 10**40}
    assert probare.score([row], "exact_match").line(0).startswith('{"id":"7","scores":{"exact_match":{"value":1.0')


def test_a_frame_with_mixed_columns_is_read_by_rows():
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"response": ["a", "b"], "reference": [["a"], "b"]}, index=["x", "y"])
    assert [row["scores"]["exact_match"]["value"] for row in probare.score(frame, "exact_match")] == [1.0, 1.0]


def test_columns_under_other_names(quick):
    rows = [{"said": "a", "truth": "a"}]
    results = probare.score(rows, "exact_match", mapping={"response": "said", "reference": "truth"})
    assert results[0]["scores"]["exact_match"]["value"] == 1.0
    with pytest.raises(probare.UsageError, match="did you mean `response`"):
        probare.score(rows, "exact_match", mapping={"reponse": "said"})


@pytest.mark.parametrize(
    ("arguments", "kind", "words"),
    [
        ((["token_f2"],), probare.UsageError, "unknown metric `token_f2`\n\nhint: a similar name exists: `token_f1`"),
        (([],), probare.UsageError, "no metric is named"),
        ((["token_f1", "token_f1"],), probare.UsageError, "two metrics are called `token_f1`"),
        (([{"id": "ndcg", "q": 1}],), probare.UsageError, "unknown field `q`"),
        (([{"k": 1}],), probare.UsageError, 'it has no "id"'),
        ((["token_f1"], "sloppy"), probare.UsageError, "there is no profile `sloppy`"),
        ((["judge_rubric"],), probare.UsageError, "asks a model, and none is named"),
    ],
)
def test_errors_have_the_words_of_the_command_line(arguments, kind, words, quick):
    with pytest.raises(kind) as raised:
        probare.score(quick, *arguments)
    assert words in str(raised.value)
    assert isinstance(pickle.loads(pickle.dumps(raised.value)), kind)


def test_what_cannot_be_scored_is_said():
    with pytest.raises(probare.DataError, match="cannot read `nowhere.jsonl`"):
        probare.score("nowhere.jsonl", "token_f1")
    for wrong in (7, b"bytes", None):
        with pytest.raises(probare.UsageError, match="cannot be scored"):
            probare.score(wrong, "token_f1")


def test_what_a_generator_raises_is_passed_on():
    def rows():
        yield {"response": "a", "reference": "a"}
        raise RuntimeError("the cable is out")

    with pytest.raises(RuntimeError, match="the cable is out"):
        probare.score(rows(), "token_f1")


def test_an_output_is_never_an_input(tmp_path, quick):
    path = tmp_path / "rows.jsonl"
    path.write_text(json.dumps(quick[0]))
    with pytest.raises(probare.UsageError):
        probare.score(path, "token_f1", output=path)
    assert json.loads(path.read_text()) == quick[0]


def test_groups_limits_and_reports(rows, tmp_path):
    results = probare.score(rows, "token_f1", limit=50, by="lang", output=[tmp_path / "a.html", tmp_path / "a.jsonl"])
    assert len(results) == 50 and results.summary.groups is not None
    assert (tmp_path / "a.jsonl").read_text().splitlines() == list(results.lines())


def test_metrics_and_pages():
    known = {metric.id: metric for metric in probare.metrics()}
    assert known["token_f1"].needs == ("response", "reference") and known["token_f1"].range == (0.0, 1.0)
    assert not known["token_f1"].judged and known["judge_rubric"].judged
    assert [metric.id for metric in probare.metrics("rag")] == ["completeness", "hallucination", "relevance", "verdict"]
    page = probare.explain("token_f1")
    assert page.startswith("# ") and page._repr_markdown_() == page
    assert catalogue.ndcg.__doc__.startswith("Normalised") or catalogue.ndcg.__doc__.splitlines()[0].endswith(".")
    assert "- `k`: " in catalogue.ndcg.__doc__ and len(catalogue.token_f1.__doc__) < len(page)
    assert "ndcg" in dir(catalogue)
    with pytest.raises(probare.UsageError, match="a similar name exists: `token_f1`"):
        probare.explain("token_f2")
    with pytest.raises(AttributeError):
        catalogue.token_f2  # noqa: B018


def test_a_written_run_is_verified(tmp_path, quick):
    cases, out = tmp_path / "cases.jsonl", tmp_path / "out.jsonl"
    cases.write_text("".join(json.dumps(row) + "\n" for row in quick))
    probare.score(cases, ["token_f1", "bleu"], output=out)
    verdict = probare.verify(out)
    assert verdict and (verdict.cases, verdict.scores) == (2, 4)
    assert asyncio.run(probare.verify_async(out)) == verdict
    cases.write_text(cases.read_text().replace("Rio", "Rio!"))
    assert not probare.verify(out)


def test_rows_in_memory_cannot_be_verified_and_that_is_said(tmp_path, quick):
    probare.score(quick, "token_f1", output=tmp_path / "out.jsonl")
    with pytest.raises(probare.DataError, match="cannot be read again"):
        probare.verify(tmp_path / "out.jsonl")


def test_runs_are_compared(tmp_path, rows):
    better = [{**row, "response": row["reference"][0]} for row in rows]
    before, after = probare.score(rows, "token_f1"), probare.score(better, "token_f1")
    comparison = probare.compare(before, after, not_worse=["token_f1"])
    assert comparison.passes and not probare.compare(after, before, not_worse=["token_f1"]).passes
    assert comparison.to_dict()["others"][0]["pairing"]["matched"] == len(rows)
    assert "token_f1" in repr(comparison) and "token_f1" in comparison._repr_markdown_()
    for name, cases in (("a", rows), ("b", better)):
        probare.score(cases, "token_f1", output=tmp_path / f"{name}.jsonl")
    assert probare.compare(tmp_path / "a.jsonl", tmp_path / "b.jsonl", not_worse=["token_f1"]).passes
    mixed = probare.compare(before, tmp_path / "b.jsonl", not_worse="token_f1")
    assert mixed.passes and mixed.to_dict()["others"][0]["pairing"]["matched"] == len(rows)
    assert "baseline" in repr(mixed)
    with pytest.raises(probare.UsageError, match="`by` needs the cases"):
        probare.compare(before, after, by="lang")


def test_recorded_judges(tmp_path):
    folder = ROOT / "examples/judged"
    config = next(folder.glob("*.y*ml"))
    results = probare.score(folder / "cases.jsonl", config=config, offline=True)
    assert results.model_calls.questions == results.model_calls.recorded > 0 and results.model_calls.sent == 0 and results.summary.cases == len(results)
    again = asyncio.run(probare.score_async(folder / "cases.jsonl", config=config, offline=True))
    assert list(again.lines()) == list(results.lines())


def test_a_judge_is_asked_only_where_the_reading_is_unsure(tmp_path):
    folder = ROOT / "examples/cascade"
    whole = probare.score(folder / "cases.jsonl", config=folder / "probare.yaml")
    assert whole.model_calls.questions == 58 and whole.model_calls.sent == 0
    metric = {"id": "answer_match", "name": "answer_match", "judge": "when_unsure"}
    judge = f"replay:{folder / 'replies.jsonl'}"
    named = probare.score(folder / "cases.jsonl", metric, decision_thresholds=folder / "decision_thresholds.json", judges=judge)
    for results in (whole, named):
        rows = [json.loads(line)["scores"]["answer_match"] for line in results.lines()]
        assert [sum(row["decided_by"] == who for row in rows) for who in ("rule", "judge")] == [62, 58]
    with pytest.raises(probare.UsageError, match="asks a model, and none is named"):
        probare.score(folder / "cases.jsonl", metric, decision_thresholds=folder / "decision_thresholds.json")


@pytest.fixture
def bands(tmp_path):
    """A file as `probare calibrate` writes it: from which value of `token_f1` on a case passes or fails."""
    probare.score(ROOT / "examples/calibrate/cases.jsonl", "token_f1", output=tmp_path / "results.jsonl")
    [metric] = json.loads((tmp_path / "results.jsonl.run.json").read_text())["metrics"]
    kept = {name: metric[name] for name in ("id", "version", "profile", "options") if name in metric}
    found = {"pass": 0.8, "fail": 0.4, "error": 0.1, "confidence": 0.9}
    written = tmp_path / "bands.json"
    written.write_text(json.dumps({"format": 1, "metric": "token_f1", **kept, "bands": found, "cases": 300, "decided": 200}))
    return written


def test_bands_make_values_verdicts(tmp_path, bands):
    cases = ROOT / "examples/calibrate/cases.jsonl"
    known = {"pass", "fail", "unsure"}
    labels = [json.loads(line)["scores"]["token_f1"]["label"] for line in probare.score(cases, "token_f1", decision_thresholds=bands).lines()]
    assert known == set(labels)
    config = tmp_path / "probare.yaml"
    config.write_text(f"metrics: [token_f1]\nrun: {{decision_thresholds: [{json.dumps(str(bands))}]}}\n")
    for settings in ({"decision_thresholds": [bands]}, {"config": config}):
        pyarrow = pytest.importorskip("pyarrow")
        rows = [json.loads(line) for line in cases.read_text().splitlines()]
        scored = probare.Scorer(["token_f1"], **settings).score_batch(pyarrow.RecordBatch.from_pylist(rows))
        assert pyarrow.record_batch(scored).column("token_f1.label").to_pylist() == labels
    with pytest.raises(probare.UsageError, match="has decision thresholds for `token_f1`, which is not computed here"):
        probare.score(cases, "exact_match", decision_thresholds=bands)


def test_a_scorer_travels(quick):
    pyarrow = pytest.importorskip("pyarrow")
    scorer = pickle.loads(pickle.dumps(probare.Scorer(["token_f1"], mapping={"response": "response"})))
    batch = pyarrow.RecordBatch.from_pylist(quick)
    assert scorer.score_batch(batch)["token_f1"].to_pylist() == [0.5, 0.0]
    assert scorer.schema.names == scorer.score_batch(batch).schema.names
    assert scorer.summary.cases == 4
    assert asyncio.run(scorer.score_batch_async(batch)).num_rows == 2


def test_a_batch_keeps_its_rows_in_step():
    pyarrow = pytest.importorskip("pyarrow")
    batch = pyarrow.RecordBatch.from_pylist([{"response": [1], "reference": "a"}, {"response": None, "reference": "a"}])
    scored = probare.Scorer(["token_f1"]).score_batch(batch).to_pylist()
    assert [row["token_f1.status"] for row in scored] == ["failed", "failed"]
    assert scored[0]["token_f1.note"] == "row 1: `response` must be a text, but it is a list"
    assert probare.Scorer(["token_f1"]).score_batch(batch.slice(0, 0)).num_rows == 0


def test_the_lock_of_the_interpreter_is_free_meanwhile():
    ticks = 0
    stop = threading.Event()

    def tick():
        nonlocal ticks
        while not stop.is_set():
            ticks += 1
            time.sleep(0.001)

    thread = threading.Thread(target=tick)
    thread.start()
    probare.score(made_rows(400), ["hallucination", "answer_match"], "improved", jobs=1)
    stop.set()
    thread.join()
    assert ticks > 20


@pytest.mark.skipif(sys.platform == "win32", reason="signals")
def test_ctrl_c_ends_a_run():
    code = """
import itertools, os, signal, threading, time, probare
rows = ({"response": "a b", "reference": "a"} for _ in itertools.count())
threading.Timer(1.0, os.kill, (os.getpid(), signal.SIGINT)).start()
start = time.monotonic()
try:
    probare.score(rows, "token_f1")
except KeyboardInterrupt:
    assert time.monotonic() - start < 10
    print("interrupted")
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert done.stdout == "interrupted\n", done.stderr


def test_a_cancelled_task_ends_its_run():
    import itertools

    async def run():
        rows = ({"response": "a b", "reference": "a"} for _ in itertools.count())
        task = asyncio.create_task(probare.score_async(rows, "token_f1"))
        await asyncio.sleep(0.3)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(asyncio.wait_for(run(), 30))


def test_the_command_line_is_in_the_wheel(tmp_path, quick):
    (tmp_path / "rows.jsonl").write_text(json.dumps(quick[0]))
    script = os.path.join(os.path.dirname(sys.executable), "probare")
    for command in ([script], [sys.executable, "-m", "probare"]):
        done = subprocess.run([*command, "score", str(tmp_path / "rows.jsonl"), "-m", "token_f1", "-q"], capture_output=True)
        assert done.returncode == 0 and json.loads(done.stdout)["scores"]["token_f1"]["value"] == 0.5
        done = subprocess.run([*command, "score", "nowhere.jsonl", "-m", "token_f1"], capture_output=True, text=True)
        assert done.returncode == 1 and done.stderr.startswith("error: cannot read `nowhere.jsonl`")
        done = subprocess.run([*command, "--version"], capture_output=True, text=True)
        assert done.stdout.strip() == f"probare {probare.__version__}"


@pytest.mark.skipif(sys.platform == "win32", reason="signals")
def test_ctrl_c_ends_the_command_line(tmp_path):
    process = subprocess.Popen(
        [sys.executable, "-m", "probare", "score", "-", "-m", "token_f1", "-o", str(tmp_path / "out.jsonl")],
        stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    )  # fmt: skip
    line = b'{"response": "a", "reference": "a"}\n' * 1000
    end = time.monotonic() + 2
    while time.monotonic() < end:
        process.stdin.write(line)
    process.send_signal(signal.SIGINT)
    time.sleep(0.2)
    try:
        process.stdin.write(line)
        process.stdin.close()
    except BrokenPipeError:
        pass
    assert process.wait(30) in (130, -signal.SIGINT)


def test_the_package_is_imported_quickly_and_alone():
    code = "import sys, probare; print(sorted(name for name in ('pandas', 'pyarrow', 'numpy', 'polars') if name in sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.stdout.strip() == "[]"


def test_what_a_configuration_says_is_honoured_or_refused(tmp_path):
    rows = [{"id": str(number), "answer": "a", "reference": "a b", "tags": [f"t{number % 2}"]} for number in range(6)]
    cases = tmp_path / "cases.jsonl"
    cases.write_text("".join(f"{json.dumps(row)}\n" for row in rows), encoding="utf-8")
    out = tmp_path / "out.jsonl"
    config = tmp_path / "probare.yaml"
    config.write_text(
        f"datasets: [{{path: '{cases}', mapping: {{response: answer}}}}]\nmetrics: [token_f1]\n"
        "gates: [{metric: token_f1, fail_under: 0.9}]\n"
        f"run: {{limit: 4, by: tags, output: ['{out}'], concurrency: 1}}\n",
        encoding="utf-8",
    )
    results = probare.score(str(cases), config=config)
    assert len(out.read_text(encoding="utf-8").splitlines()) == 4
    told = repr(results.summary)
    assert "fails if < 0.9" in told and "t1" in told
    # What is said in the call is stronger.
    assert len(probare.score(str(cases), config=config, limit=2)) == 2
    with pytest.raises(probare.UsageError, match="`output`, `gates`, `by`, `limit` in .* cannot be honoured"):
        probare.Scorer(config=config)
    config.write_text("metrics: [token_f1]\nrun: {sandbox: none}\n", encoding="utf-8")
    with pytest.raises(probare.UsageError, match="`sandbox` in .* cannot be honoured"):
        probare.score(rows, config=config)
    # In a drawn order that ends early, results would stand beside the rows of others.
    config.write_text(
        "metrics: [token_f1]\ngates: [{metric: token_f1, fail_under: 0.1}]\nrun: {stop_when_decided: true, seed: 3}\n",
        encoding="utf-8",
    )
    for refused in (lambda: probare.score(rows, config=config), lambda: probare.Scorer(config=config)):
        with pytest.raises(probare.UsageError, match="`stop_when_decided` in .* cannot be honoured: results have one row for each row"):
            refused()
    config.write_text(config.read_text(encoding="utf-8").replace("true", "false"), encoding="utf-8")
    assert [row["id"] for row in probare.score(rows, config=config)] == [row["id"] for row in rows]
