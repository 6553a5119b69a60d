"""Every argument is checked where it comes in, by an error that names it, its value and what is allowed."""

from __future__ import annotations

import errno
import inspect
import os
import pickle
import subprocess
import sys

import pytest

import probare
from conftest import ROOT
from probare import catalogue, testing

ROWS = [{"id": "a", "response": "x", "reference": "x", "lang": "en", "tags": ["area:geo"]}]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"jobs": -1}, "`jobs` must be a whole number from 1 to 1024, but it is -1"),
        ({"jobs": 1.5}, "`jobs` must be a whole number from 1 to 1024, but it is 1.5"),
        ({"jobs": 10**30}, "`jobs` must be a whole number from 1 to 1024"),
        ({"jobs": True}, "`jobs` must be a whole number from 1 to 1024, but it is True"),
        ({"limit": -1}, "`limit` must be a whole number of at least 1, but it is -1"),
        ({"limit": "3"}, "`limit` must be a whole number of at least 1, but it is '3'"),
        ({"budget_usd": "a"}, "`budget_usd` must be an amount of US dollars, such as 0.50, but it is 'a'"),
        ({"budget_usd": float("nan")}, "`budget_usd` must be an amount"),
        ({"budget_tokens": -5}, "`budget_tokens` must be a whole number of at least 0, but it is -5"),
        ({"strict": "yes"}, "`strict` must be True or False, but it is 'yes'"),
        ({"offline": 1}, "`offline` must be True or False, but it is 1"),
        ({"by": 7}, "`by` must be a text, but it is 7"),
        ({"by": "zzz"}, "`by` is `zzz`, which no case has"),
        ({"by": "metadata.langg"}, "no row has such a column\n\nhint: a similar name exists: by=\"metadata.lang\""),
        ({"cluster": "nowhere"}, "`cluster` is `nowhere`, and no row has such a column\n\nhint: the columns are id, response"),
        ({"mapping": {"response": "respons"}}, "`mapping` names the column `respons` for `response`, and no row has it"),
        ({"mapping": ["response"]}, "`mapping` must be a dict of fields and columns"),
        ({"judges": 3}, "`judges` must be a model or a list of models, but it is 3"),
        ({"judges": [{"base_url": "http://127.0.0.1:1/v1"}]}, "a judge in `judges` has no `model` (it has base_url)"),
        ({"progress": 3}, "`progress` must be True or False, but it is 3"),
        ({"evidence": "no"}, "`evidence` must be True or False, but it is 'no'"),
        ({"decision_thresholds": 3}, "`decision_thresholds` must be a path or a list of paths, but it is 3"),
        ({"decision_thresholds": "nobody.json"}, "cannot read the decision thresholds in `nobody.json`"),
        ({"cache": 3}, "`cache` must be a path, but it is 3"),
        ({"config": b"x"}, "`config` must be a path that is a text, but it is b'x'"),
        ({"output": "report.foo"}, "`report.foo` has no known extension; known are .jsonl"),
        ({"output": "no/folder/report.html"}, "`output` is 'no/folder/report.html', and there is no folder 'no/folder'"),
        ({"output": {"a": 1}}, "`output` must be a path or a list of paths"),
        ({"title": ""}, "`title` must be a text, but it is ''"),
        ({"profile": 3}, "`profile` must be \"published\" or \"improved\", but it is 3"),
    ],
)
def test_an_argument_that_is_wrong_is_named(arguments, words):
    with pytest.raises(probare.UsageError) as raised:
        probare.score(ROWS, "token_f1", **arguments)
    assert words in str(raised.value)
    assert not os.path.exists("no")


def test_a_grouping_by_a_column_says_how_it_is_written():
    rows = [{"response": "x", "reference": "x", "lang": "en"}]
    with pytest.raises(probare.UsageError, match='`by` is `lang`, and no row has tags\n\nhint: .*by="metadata.lang"'):
        probare.score(rows, "token_f1", by="lang")
    assert list(probare.score(rows, "token_f1", by="metadata.lang").summary.groups["groups"]) == ["en"]


def test_a_mapped_column_that_no_row_has_is_told_for_every_kind(tmp_path):
    pyarrow = pytest.importorskip("pyarrow")
    path = tmp_path / "rows.csv"
    path.write_text("id,response,reference\n1,a,a\n")
    words = "names the column `said` for `response`, and no row has it"
    for cases in (ROWS, iter(ROWS), pyarrow.Table.from_pylist(ROWS), path, {"query": ["a"], "reference": ["a"]}):
        with pytest.raises(probare.UsageError, match=words):
            probare.score(cases, "token_f1", mapping={"response": "said"})


def test_an_argument_that_is_unknown():
    with pytest.raises(TypeError, match=r"score\(\) got an unexpected keyword argument 'limits'; did you mean 'limit'\?"):
        probare.score(ROWS, "token_f1", limits=3)
    with pytest.raises(TypeError, match=r"ndcg\(\) got an unexpected keyword argument 'depth'"):
        catalogue.ndcg(depth=5)
    with pytest.raises(TypeError, match=r"got an unexpected keyword argument 'metric'; did you mean 'metrics'\?"):
        probare.score(ROWS, metric="token_f1")


def test_exceptions_are_those_that_python_has():
    with pytest.raises(TypeError):
        probare.score(ROWS, "token_f1", jobs="3")
    with pytest.raises(ValueError):
        probare.score(ROWS, "token_f1", jobs=0)
    with pytest.raises(FileNotFoundError) as raised:
        probare.score("nowhere.jsonl", "token_f1")
    assert isinstance(raised.value, probare.DataError) and raised.value.errno == errno.ENOENT
    with pytest.raises(KeyError) as missing:
        probare.score(ROWS, "token_f1")["bleu"]
    assert str(missing.value) == "there is no metric 'bleu'; there are token_f1"
    for error in (raised.value, missing.value):
        again = pickle.loads(pickle.dumps(error))
        assert type(again) is type(error) and str(again) == str(error)


def test_a_key_that_is_missing(monkeypatch):
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    with pytest.raises(KeyError, match="OPENAI_API_KEY") as raised:
        probare.score([{**ROWS[0], "query": "?"}], "judge_same_answer", judges="openai:gpt-4.1-mini")
    assert isinstance(raised.value, probare.MissingKeyError)


def test_an_option_of_a_wrong_type_is_named():
    for wrong, words in (
        ({"id": "ndcg", "k": "five"}, 'option `k` must be a whole number of at least 1, but it is "five"'),
        ({"id": "contains", "texts": 3}, "option `texts` must be"),
        ("bleu:lowercase=3", "option `lowercase` must be true or false, but it is 3"),
    ):
        with pytest.raises(probare.UsageError) as raised:
            probare.score(ROWS, wrong)
        assert words in str(raised.value), str(raised.value)


def test_metrics_in_every_collection():
    for metrics in (
        {"token_f1"}, ("token_f1",), iter(["token_f1"]), (name for name in ["token_f1"]), {"token_f1": 1}.keys(), catalogue.token_f1,
        [catalogue.token_f1], [metric for metric in probare.metrics() if metric.id == "token_f1"], catalogue.token_f1(),
    ):  # fmt: skip
        assert probare.score(ROWS, metrics).metrics == ["token_f1"]
    assert probare.score(ROWS, {"token_f1", "rouge_l", "chrf"}).metrics == ["chrf", "rouge_l", "token_f1"]
    assert len(probare.score(ROWS, [one for one in probare.metrics("text") if one.id in ("token_f1", "bleu")]).metrics) == 2
    assert probare.Scorer({"token_f1"}).metrics == ["token_f1"]
    pandas = pytest.importorskip("pandas")
    assert probare.score(ROWS, pandas.Index(["token_f1", "bleu"])).metrics == ["token_f1", "bleu"]
    with pytest.raises(probare.UsageError, match="a metric must be a text or a dict, but it is 7"):
        probare.score(ROWS, [7])
    with pytest.raises(probare.UsageError, match="`metrics` must be a metric or several of them, but it is 7"):
        probare.score(ROWS, 7)


def test_every_module_is_found_where_it_is_looked_for():
    assert {"catalogue", "dask", "daft", "integrations", "ray", "spark", "testing", "score"} <= set(dir(probare))


@pytest.mark.parametrize("function", [probare.score, probare.score_async, probare.Scorer, testing.assert_score, testing.assert_scores])
def test_a_signature_is_what_stands_in_the_source(function):
    signature = inspect.signature(function)
    kinds = {parameter.kind for parameter in signature.parameters.values()}
    assert inspect.Parameter.VAR_KEYWORD not in kinds and {"mapping", "judges", "config"} < set(signature.parameters)
    source = inspect.getsource(function)
    assert all(f"{name}:" in source for name in signature.parameters)
    assert inspect.iscoroutinefunction(probare.score_async) and not inspect.iscoroutinefunction(probare.score)


def test_numbers_of_numpy_are_numbers():
    numpy = pytest.importorskip("numpy")
    results = probare.score(ROWS, "token_f1", jobs=numpy.int64(2), limit=numpy.int32(1), strict=numpy.bool_(True))
    assert len(results) == 1


def test_a_number_that_no_column_holds():
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"id": [2**70, 1], "response": ["a", "b"], "reference": ["a", "b"]})
    assert [row["id"] for row in probare.score(frame, "exact_match")] == [str(2**70), "1"]


def test_a_batch_is_one_batch():
    pyarrow = pytest.importorskip("pyarrow")
    scorer = probare.Scorer(["token_f1"])
    with pytest.raises(probare.UsageError, match="`batch` must be one Arrow batch, but it is a pyarrow(.|\n)*to_batches"):
        scorer.score_batch(pyarrow.Table.from_pylist(ROWS))
    with pytest.raises(probare.UsageError, match="`batch` must be one Arrow batch, but it is a builtins.list"):
        scorer.score_batch(ROWS)
    with pytest.raises(probare.UsageError, match="`evidence` must be True or False"):
        probare.Scorer(["token_f1"], evidence="yes")


def test_traces_are_cases_one_by_one_or_by_conversation(tmp_path):
    traces = ROOT / "tests/otel/conversation-over-traces.jsonl"
    assert len(probare.score(traces, "loops")) == len(probare.score(traces, "loops", group="trace")) == 2
    told = probare.score(traces, "loops", group="conversation", output=tmp_path / "told.jsonl")
    assert [row["id"] for row in told] == ["conv-1"]
    # Read again in the same way.
    assert probare.verify(tmp_path / "told.jsonl")
    with pytest.raises(probare.UsageError, match="unknown grouping `talk`; known are trace and conversation"):
        probare.score(traces, "loops", group="talk")
    with pytest.raises(probare.DataError, match="a grouping is for traces"):
        probare.score(ROOT / "examples/quickstart.jsonl", "token_f1", group="trace")


@pytest.mark.parametrize("named", [{"format": "csv"}, {"group": "trace"}])
def test_what_only_a_file_has_is_refused_for_rows(named):
    with pytest.raises(probare.UsageError, match="which says how a file is read, and these cases are no file"):
        probare.score(ROWS, "token_f1", **named)


def test_clusters_are_those_of_the_command_line():
    rows = [{"response": "a" if at % 3 else "b", "reference": "a", "text": at // 5} for at in range(40)]
    plain, apart = (probare.score(rows, "exact_match", **named).summary for named in ({}, {"cluster": "text"}))
    assert apart.clusters["column"] == "text" and apart.clusters["clusters"] == 8
    assert plain["exact_match"].mean == apart["exact_match"].mean
    assert plain["exact_match"].interval != apart["exact_match"].interval


def test_a_budget_without_a_longest_reply_is_told_before_anything_is_asked(tmp_path):
    config = tmp_path / "probare.yaml"
    model = "{name: judge, api_model_name: 'command:sh', command: [sh, -c, 'touch asked; exit 1']}"
    config.write_text(f"models: [{model}]\njudges: [judge]\n")
    rows = [{"response": "a", "reference": "a", "query": "b"}]
    with pytest.raises(probare.UsageError, match="is not known; set `max_tokens`"):
        probare.score(rows, "judge_same_answer", config=config, budget_tokens=100)
    assert not (tmp_path / "asked").exists()


def test_signatures_say_what_there_is():
    names = list(inspect.signature(probare.score).parameters)
    assert names[:3] == ["cases", "metrics", "profile"] and {"mapping", "jobs", "by", "cluster", "output"} < set(names)
    assert "settings" not in names and "width" in inspect.signature(probare.score_async).parameters
    options = inspect.signature(catalogue.ndcg).parameters
    assert list(options)[0] == "k" and options["k"].annotation.startswith("int") and "profile" in options


@pytest.mark.parametrize("module", ["inspect_ai", "deepeval", "lm_eval"])
def test_an_adapter_says_what_to_install(module):
    package = module.replace("_", "-")
    code = f"""
import sys
sys.modules["{module}"] = None
import probare
try:
    from probare.integrations import {module} as adapter
    adapter.register("token_f1")
except probare.MissingPackageError as error:
    assert isinstance(error, ImportError)
    print(error.message, error.hint)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.stdout.strip() == f"{package} is missing pip install '{package}'", done.stderr


def test_arguments_by_their_names_of_release_0_3(tmp_path):
    rows = [{"id": "a", "response": "yes", "reference": ["yes"]}]
    with pytest.warns(DeprecationWarning, match="`record` is now `cache`"):
        probare.score(rows, "token_f1", record=tmp_path / "own.db")
    with pytest.warns(DeprecationWarning, match="the profile `careful` is now `improved`"):
        old = probare.score(rows, "answer_match", "careful")
    assert list(old.lines()) == list(probare.score(rows, "answer_match", "improved").lines())
    path = tmp_path / "results.jsonl"
    probare.score(rows, "token_f1", output=path, name="rows")
    with pytest.warns(DeprecationWarning, match="`confident` is now `significant`"):
        old = probare.compare(path, path, not_worse="token_f1", confident=True)
    assert old.passes == probare.compare(path, path, not_worse="token_f1", significant=True).passes
    with pytest.warns(DeprecationWarning, match="`asked` is now `model_calls`"):
        assert probare.score(rows, "token_f1").asked is None
    assert probare.Asked is probare.ModelCalls
