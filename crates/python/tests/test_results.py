"""Results and summaries as values: kept, sent, compared, written, shown."""

from __future__ import annotations

import copy
import json
import pickle

import pytest
from conftest import JUDGED, deterministic, made_rows, recorded, repeated_rows

import probare


@pytest.fixture(scope="module")
def scored():
    rows = [*made_rows(60), {"id": "bad", "response": ["no", "text"]}]
    with pytest.warns(probare.ProbareWarning):
        return probare.score(rows, ["token_f1", "rouge_l", "answer_match"], "improved")


def test_results_can_be_pickled_copied_and_compared(scored):
    again = pickle.loads(pickle.dumps(scored))
    assert again == scored and list(again.lines()) == list(scored.lines())
    assert again.summary == scored.summary and repr(again) == repr(scored)
    assert again.problems == scored.problems and again.exit_code == scored.exit_code == 1
    assert again.to_arrow().equals(scored.to_arrow())
    assert copy.copy(scored) == copy.deepcopy(scored) == scored
    assert scored != probare.score(made_rows(60), "token_f1") and scored != 7
    with pytest.raises(TypeError, match="unhashable"):
        hash(scored)


def test_a_summary_can_be_pickled_and_compared(scored):
    summary = scored.summary
    again = pickle.loads(pickle.dumps(summary))
    assert again == summary and again["token_f1"] == summary["token_f1"] and repr(again) == repr(summary)
    assert summary is scored.summary, "it is read once"
    assert summary != probare.score(made_rows(3), "token_f1").summary


def test_an_interval_is_a_named_tuple(scored):
    low, high, level, method = scored.summary["token_f1"].interval
    assert low < scored.summary["token_f1"].mean < high and level == 0.95 and isinstance(method, str)
    assert isinstance(scored.summary["token_f1"].interval, probare.Interval)


def test_values_by_metric(scored):
    values = scored["token_f1"]
    assert len(values) == len(scored) == 61 and values[-1] is None
    assert values[0] == scored[0]["scores"]["token_f1"]["value"]
    with pytest.raises(KeyError, match="there is no metric 'bleu'; there are token_f1, rouge_l, answer_match"):
        scored["bleu"]


def test_what_is_written_is_what_the_run_would_have_written(tmp_path):
    rows = [*made_rows(60), {"id": "bad", "response": ["no", "text"]}]
    with pytest.warns(probare.ProbareWarning):
        results = probare.score(rows, ["token_f1", "rouge_l"], output=[tmp_path / "run.jsonl", tmp_path / "run.csv"])
    files = results.write(tmp_path / "later.jsonl", tmp_path / "later.csv", tmp_path / "later.html", title="Later")
    assert files == [str(tmp_path / name) for name in ("later.jsonl", "later.csv", "later.html")]
    for end in ("jsonl", "csv"):
        assert (tmp_path / f"later.{end}").read_bytes() == (tmp_path / f"run.{end}").read_bytes()
    told = [json.loads((tmp_path / f"{name}.jsonl.run.json").read_text()) for name in ("run", "later")]
    assert told[0]["summary"] == told[1]["summary"] and told[0]["metrics"] == told[1]["metrics"]
    pickle.loads(pickle.dumps(results)).write(tmp_path / "sent.jsonl")
    assert (tmp_path / "sent.jsonl").read_bytes() == (tmp_path / "run.jsonl").read_bytes()
    assert "Later" in (tmp_path / "later.html").read_text()
    with pytest.raises(probare.UsageError, match=r"`outputs\[0\]` is .* there is no folder"):
        results.write(tmp_path / "nowhere/report.html")
    with pytest.raises(probare.UsageError, match="`outputs` must be one file or several"):
        results.write()


def test_evidence_and_parts_are_structures(scored):
    polars = pytest.importorskip("polars")
    frame = scored.to_polars()
    assert frame["token_f1.parts"].struct.field("precision").dtype == polars.Float64
    pieces = frame["token_f1.evidence"].explode().struct.unnest()
    assert {"kind", "field", "start", "end", "text", "note", "support"} < set(pieces.columns)
    row = scored.to_pandas().iloc[0]
    told = scored[0]["scores"]["token_f1"]
    assert row["token_f1.parts"] == told["parts"]
    assert [piece["text"] for piece in row["token_f1.evidence"]] == [piece["text"] for piece in told["evidence"]]
    assert scored.to_pandas()["token_f1.evidence"].isna().iloc[-1]
    assert "token_f1.evidence" not in scored.to_arrow(evidence=False).column_names


def test_kept_evidence_is_that_of_the_report_whatever_becomes_of_the_frame(tmp_path):
    pandas = pytest.importorskip("pandas")

    @probare.metric(name="marked")
    def marked(case):
        whole = probare.Evidence("matched", "response", 0, len(case.response), note="all of it: é")
        return probare.Score(label="seen", evidence=[whole, probare.Evidence.missing("œuvre"), probare.Evidence.remark("—")])

    frame = pandas.DataFrame([*made_rows(60), {"id": "long", "response": "é" * 150, "reference": ["é"]}])
    results = probare.score(frame, [*deterministic(), marked], "improved", output=tmp_path / "run.jsonl")
    frame["response"] = "other text"
    del frame
    lines = (tmp_path / "run.jsonl").read_text(encoding="utf-8").splitlines()
    assert list(results.lines()) == lines and '"cut":true,"note":"all of it: é"' in lines[-1]
    assert list(pickle.loads(pickle.dumps(results)).lines()) == lines


def test_who_decided_is_a_column(scored):
    assert "answer_match.decided_by" in scored.to_arrow().column_names


def test_what_was_never_sent_is_no_question(tmp_path):
    rows = repeated_rows(20, 20)
    record = recorded(tmp_path, rows[:10])
    known, unknown = (probare.score(some, [JUDGED], offline=True, **record).model_calls for some in (rows[:10], rows[10:]))
    assert known.questions == known.recorded > 0 and (known.sent, known.failed) == (0, 0)
    assert unknown.failed > 0 and (unknown.questions, unknown.sent, unknown.tokens) == (0, 0, 0)


def test_a_notebook_shows_evidence_and_never_runs_it():
    evil = "<script>alert('x')</script>"
    rows = [{"id": evil, "response": f"{evil} Canberra", "reference": ["Canberra"]}, {"id": "b", "reference": ["x"]}]
    html = probare.score(rows, [{"id": "token_f1", "name": evil}])._repr_html_()
    assert "<script" not in html and "&lt;script" in html
    assert "<details>" in html and '<span class="mark good"' in html and "✓ Canberra" in html
    assert "missing: the case has no `response`" in html


def test_a_notebook_shows_what_the_text_says_below_its_table(tmp_path):
    rows = [{"id": "a", "response": "It is <Oslo>.", "reference": "Oslo", "lang": "no"}, {"id": "b", "reference": "x", "lang": "<en>"}]
    (tmp_path / "gates.yaml").write_text("gates: [{metric: token_f1, fail_under: 0.9}]\n")
    results = probare.score(rows, "token_f1", config=tmp_path / "gates.yaml", by="metadata.lang")
    remarks = results.summary.remarks
    assert [line.partition(":")[0] for line in remarks] == ["failed", "run", "failed"] and "fails if < 0.9" in remarks[2]
    assert remarks == str(results).splitlines()[-3:]
    html = results.summary._repr_html_()
    assert html.count('<p class="bad">failed: ') == 2 and "<p>run: 2 cases" in html and "fails if &lt; 0.9" in html


def test_a_metric_is_in_results_and_completion_knows_it(scored):
    assert "token_f1" in scored and "bleu" not in scored and scored[0] in scored
    assert scored._ipython_key_completions_() == ["token_f1", "rouge_l", "answer_match"]


def test_a_summary_is_a_frame():
    pandas = pytest.importorskip("pandas")
    rows = made_rows(60)
    results = probare.score(rows, ["token_f1", "jaccard"])
    frame = results.summary.to_pandas()
    assert list(frame.index) == ["token_f1", "jaccard"] and list(frame.columns[:4]) == ["mean", "std", "low", "high"]
    values = pandas.Series(results["token_f1"], dtype="float64")
    assert frame.loc["token_f1", "std"] == pytest.approx(values.std()) == pytest.approx(results.summary["token_f1"].std)
    assert frame.loc["token_f1", "mean"] == results.summary["token_f1"].mean
    grouped = probare.score(rows, ["token_f1", "jaccard"], by="lang").summary.to_pandas()
    assert grouped.index.names == ["group", "metric"]
    assert set(grouped.index.get_level_values("group")) == {"(all)", "de", "en"}
    of_group = [value for row, value in zip(rows, results["token_f1"]) if row["tags"] == ["lang:en"] and value is not None]
    assert grouped.loc[("en", "token_f1"), "std"] == pytest.approx(pandas.Series(of_group).std())
    assert grouped.loc[("en", "token_f1"), "scored"] == len(of_group)
    assert grouped["failed"].sum() == 2 * frame["failed"].sum()


def test_a_comparison_is_what_its_limits_say(tmp_path):
    rows = made_rows(60)
    better = [{**row, "response": row["reference"][0]} for row in rows]
    before, after = probare.score(rows, "token_f1"), probare.score(better, "token_f1")
    good, bad = probare.compare(before, after, not_worse="token_f1"), probare.compare(after, before, not_worse="token_f1")
    assert good and not bad and good.passes and not bad.passes
    for comparison in (good, bad):
        again = pickle.loads(pickle.dumps(comparison))
        assert again == comparison and bool(again) == bool(comparison) and repr(again) == repr(comparison)
        assert again.to_markdown() == comparison.to_markdown() and again.to_html() == comparison.to_html()
        assert again.to_html("Before & after") == comparison.to_html("Before & after")
        assert pickle.loads(pickle.dumps(again)) == again
    assert good != bad and good == probare.compare(before, after, not_worse="token_f1")
    with pytest.warns(probare.ProbareWarning, match="`not_worse` names no metric"):
        assert probare.compare(after, before)


def test_how_far_a_run_is(capsys):
    told: list[tuple[int, int | None]] = []
    probare.score(made_rows(300), "token_f1", progress=lambda done, rows: told.append((done, rows)))
    assert told and told[-1] == (300, 300) and [done for done, _ in told] == sorted(done for done, _ in told)
    told.clear()
    probare.score(iter(made_rows(10)), "token_f1", progress=lambda done, rows: told.append((done, rows)))
    assert told[-1] == (10, None)
    # Off where nobody waits at a prompt.
    probare.score(made_rows(10), "token_f1")
    assert capsys.readouterr().err == ""
    with pytest.raises(ZeroDivisionError):
        probare.score(made_rows(10), "token_f1", progress=lambda done, rows: 1 / 0)


def test_a_bar_says_how_far_it_is(monkeypatch, capsys):
    from probare import _progress

    monkeypatch.setattr(_progress, "PATIENCE", 0.0)
    with _progress.watcher(True, 200) as watch:
        watch(50)
        watch(200)
    lines = capsys.readouterr().err.split("\r")
    assert "probare:  25% |██████                  | 50 of 200 rows [" in lines[1] and "left]" in lines[1]
    assert "probare: 100% |████████████████████████| 200 of 200 rows [" in lines[-1] and lines[-1].endswith("]\n")
    with _progress.watcher(True, None) as watch:
        watch(7)
    assert "probare: 7 rows [" in capsys.readouterr().err


@probare.metric
def tone(case):
    """A label and no value."""
    return probare.Score(label="warm" if "It" in case.response else "cold")


def test_a_summary_is_put_together_from_scored_batches():
    """As Spark, Ray, Dask and Daft do, which are not everywhere."""
    pyarrow = pytest.importorskip("pyarrow")
    from probare import _distributed

    rows = made_rows(60)
    metrics = ["token_f1", {"id": "answer_match"}, tone]
    expected = probare.score(rows, metrics, "improved").summary
    recipe = _distributed.checked_recipe(metrics, "improved", {"mapping": None, "evidence": True, "judges": (), "cache": None, "config": None})
    batches = list(_distributed.scored_batches(recipe, (pyarrow.RecordBatch.from_pylist(rows[at : at + 20]) for at in (0, 20, 40))))
    names = _distributed.summary_columns(metrics, "improved")
    parts = [_distributed.partial_summary(metrics, "improved", [batch.select(names)])["part"][0].as_py() for batch in batches]
    found = _distributed.merged_summary(metrics, "improved", "spread", parts)
    assert found.cases == 60 and list(found) == ["token_f1", "answer_match", "tone"]
    for name in found:
        for member in ("mean", "interval", "scored", "unsure", "not_applicable", "failed", "min", "max", "labels"):
            assert getattr(found[name], member) == getattr(expected[name], member), (name, member)


def test_a_label_alone_has_no_evidence_where_none_is_wanted():
    @probare.metric(name="tone")
    def tone(case):
        return probare.Score(label="warm", evidence=[probare.Evidence("matched", "response", 0, 1)])

    rows = [{"response": "a", "reference": "a"}]
    assert probare.score(rows, tone)[0]["scores"]["tone"]["evidence"]
    assert probare.score(rows, tone, evidence=False)[0]["scores"]["tone"] == {"label": "warm"}
