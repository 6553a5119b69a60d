"""Metrics of one's own: the decorator, what it may return, and where it is accepted."""

from __future__ import annotations

import asyncio
import copy
import decimal
import fractions
import functools
import importlib
import json
import pickle
import subprocess
import sys
import threading
from collections.abc import Sequence
from typing import Any, Literal

import pytest

import probare
from probare import testing
from probare._own_metric import BoundMetric, MetricError
from probare.integrations._case import is_higher_better, metric_name
from probare.testing import assert_score, assert_scores

ROWS = [
    {"id": "a", "query": "Where is it?", "response": "we 😀 ship our parcel"},
    {"id": "b", "response": "cheap"},
    {"id": "c", "query": "no response"},
]


@probare.metric
def brand_voice(case, *, words=("we", "our")):
    """Share of the words that are there."""
    found = [word for word in words if word in case.response]
    evidence = [probare.Evidence.matched("response", case.response.find(w), case.response.find(w) + len(w)) for w in found]
    return probare.Score(len(found) / len(words), parts={"found": len(found)}, evidence=evidence)


@probare.metric
def tone(case):
    return "warm" if "we" in case.response else "cold"


@probare.metric(range=(0, None), better="lower", version=3, name="size", summary="Characters")
async def length(case):
    await asyncio.sleep(0)
    return len(case.response)


@probare.metric
class Longest:
    def __init__(self, characters: int = 10) -> None:
        self.characters = characters

    def score(self, case):
        return len(case.response) <= self.characters


@probare.metric
def broken(case):
    return {"a": 1}[case.id]


def test_functions_classes_and_options_are_accepted_wherever_an_id_is():
    results = probare.score(
        ROWS,
        [
            brand_voice,
            "exact_match",
            tone,
            length,
            Longest(19),
            {"id": brand_voice, "name": "voice", "words": ["parcel"]},
            {"id": Longest, "name": "short", "options": {"characters": 5}},
        ],
    )
    scores = results[0]["scores"]
    assert scores["brand_voice"]["value"] == 1.0
    assert scores["brand_voice"]["parts"] == {"found": 2.0}
    assert [piece["text"] for piece in scores["brand_voice"]["evidence"]] == ["we", "our"]
    # Offsets are characters in Python and bytes in results.
    assert scores["brand_voice"]["evidence"][1]["start"] == 13
    assert scores["tone"] == {"label": "warm"}
    assert scores["size"]["value"] == 20.0
    assert scores["Longest"]["value"] == 0.0
    assert scores["voice"]["value"] == 1.0
    assert results[1]["scores"]["short"]["value"] == 1.0
    assert results[2]["scores"]["brand_voice"]["kind"] == "missing"
    assert results.summary["tone"].mean is None
    assert results.summary["size"].mean == 12.5
    partial = probare.score(ROWS[:1], [functools.partial(brand_voice, words=["x"])])
    assert partial[0]["scores"]["brand_voice"]["value"] == 0.0
    assert probare.score(ROWS[:1], brand_voice)[0]["scores"]["brand_voice"]["value"] == 1.0


def returns(value):
    """A metric that returns this for every case."""
    return lambda case: value


def test_an_exception_is_a_failure_with_its_line_and_never_a_score():
    results = probare.score(ROWS, [broken])
    assert results[0]["scores"]["broken"]["value"] == 1.0
    told = results[1]["scores"]["broken"]
    line = broken.__code__.co_firstlineno + 2
    assert told["kind"] == "failed"
    assert told["error"] == f"`broken`: KeyError: 'b' (test_own_metric.py:{line})"
    for returned in (decimal.Decimal("0.5"), fractions.Fraction(1, 2)):
        marked = probare.metric(returns(returned), name="it")
        assert probare.score(ROWS[:1], marked)["it"] == [0.5]
    for returned, words in (
        (None, "returned None"),
        (float("nan"), "returned nan"),
        (10**400, "returned inf"),
        (1j, "a value of type `complex`"),
        ([1], "a value of type `list`"),
        (2, "outside of the announced range, 0 to 1"),
        (probare.Score(), "neither a value nor a label"),
        (probare.Score(1, evidence=[probare.Evidence.matched("response", 0, 99)]), "is not a range of its text"),
        (probare.Score(1, evidence=[probare.Evidence("seen", text="x")]), "unknown variant"),
    ):
        marked = probare.metric(returns(returned), name="it")
        told = probare.score(ROWS[:1], [marked])[0]["scores"]["it"]
        assert told["kind"] == "failed" and words in told["error"], told


def test_what_does_not_apply_and_other_fields():
    @probare.metric(needs=["response", "query"])
    def asks(case):
        if "ship" not in case.response:
            raise probare.NotApplicable("nothing is shipped")
        assert (case.id, case.query, case.context, case.reference) == ("a", "Where is it?", [], [])
        assert case["retrieved"] is None and case.metadata == {}
        return True

    results = probare.score([*ROWS[:2], {"id": "d", "query": "q", "response": "r"}], [asks])
    assert results[0]["scores"]["asks"]["value"] == 1.0
    assert results[1]["scores"]["asks"] == {"not_applicable": "the case has no `query`"}
    assert results[2]["scores"]["asks"] == {"not_applicable": "nothing is shipped"}


def test_what_cannot_be_a_metric_is_refused_in_words():
    with pytest.raises(probare.UsageError, match="has no option `word`; it has words"):
        probare.score(ROWS, [{"id": brand_voice, "word": 1}])
    for wrong, words in (
        ({"id": brand_voice, "words": "we"}, r'`words` of `brand_voice` is a list such as \["a","b"\], not \'we\''),
        ({"id": Longest, "characters": "ten"}, "`characters` of `Longest` is a whole number, not 'ten'"),
        ({"id": Longest, "characters": 2.5}, "is a whole number, not 2.5"),
    ):
        with pytest.raises(probare.UsageError, match=words):
            probare.score(ROWS, [wrong])
    with pytest.raises(probare.UsageError, match="(?s)`plain` is not a metric yet.*put @probare.metric above"):
        probare.score(ROWS, [plain])
    with pytest.raises(probare.UsageError, match="one definition"):
        probare.score(ROWS, [{"id": brand_voice, "profile": "improved"}])
    with pytest.raises(probare.UsageError, match="two metrics are called `brand_voice`"):
        probare.score(ROWS, [brand_voice, brand_voice])
    with pytest.raises(TypeError, match="of a function or a class, not of str; .*@probare.metric"):
        probare.metric("voice")
    with pytest.raises(probare.UsageError, match="`fields` needs the option `reference`; its first parameter is the case"):
        probare.score(ROWS, fields)
    for wrong in ({"range": (1, 0)}, {"better": "more"}, {"version": 0}, {"needs": ["mood"]}):
        with pytest.raises(ValueError):
            probare.metric(**wrong)(lambda case: 1)
    with pytest.raises(ValueError, match="needs='answer': here it is `response`"):
        probare.metric(needs=["answer"])(lambda case: 1)


def plain(case):
    return True


@probare.metric
def fields(response, reference):
    return response == reference


def test_options_have_the_types_of_their_annotations_and_defaults():
    def many(
        case,
        needed,
        count=1,
        share: float = 1,
        names: Sequence[str] = ("a",),
        either: list[str] | str = ("a",),
        maybe: str | None = None,
        any_type: Any = 3,
        words: Literal["a", "b"] = "a",
    ):
        return True

    schema = BoundMetric(probare.metric(many), {"needed": 1}).ready()["options"]
    assert schema["required"] == ["needed"]
    kinds = {name: option.get("type") for name, option in schema["properties"].items()}
    assert kinds == {
        "needed": None,
        "count": "number",
        "share": "number",
        "names": "array",
        "either": ["array", "string"],
        "maybe": "string",
        "any_type": None,
        "words": None,
    }
    for name, fine, wrong in (
        ("count", 0.5, "x"),
        ("share", 2, True),
        ("names", ["b"], "b"),
        ("either", "b", 1),
        ("maybe", None, 2),
        ("any_type", {"a": 1}, None),
    ):
        assert BoundMetric(many, {"needed": 1, name: fine}).given[name] == fine
        if wrong is not None:
            with pytest.raises(MetricError, match=f"the option `{name}` of `many` is "):
                BoundMetric(many, {"needed": 1, name: wrong})


def test_a_whole_number_that_json_has_no_room_for_is_an_error_with_the_name_of_the_option(quick):
    @probare.metric
    def short(case, *, most=10**400):
        return True

    @probare.metric
    def listed(case, *, limits: Any = None):
        return True

    told = "the option `{}` is a whole number above 1.8e308"
    with pytest.raises(probare.UsageError, match=told.format("most` of `short")):
        probare.score(quick, short)
    for value in (10**400, -(10**5000), [1, {"a": 10**400}]):
        with pytest.raises(MetricError, match=told.format("limits` of `listed")):
            BoundMetric(listed, {"limits": value})
    assert BoundMetric(short, {"most": 10**300}).given["most"] == 10**300


LATE = """
def checked(case, words: list[str] = [], at: ndarray = None) -> ndarray:
    return True
"""


@pytest.mark.skipif(sys.version_info < (3, 14), reason="before Python 3.14 such a function cannot be defined")
def test_annotations_may_name_what_only_type_checkers_import():
    scope: dict[str, Any] = {}
    exec(compile(LATE, "late.py", "exec", dont_inherit=True), scope)
    options = BoundMetric(probare.metric(scope["checked"])).ready()["options"]["properties"]
    assert options == {"words": {"type": "array", "default": []}, "at": {"default": None}}


def test_a_field_that_a_case_does_not_have_is_told_with_the_right_name():
    case = probare.Case({"id": "x", "response": "we", "metadata": {"topic": "parcels"}})
    for name, words in (
        ("topic", r'write case.metadata\["topic"\]'),
        ("actual_output", "here it is `response`"),
        ("expected", "here it is `reference`"),
        ("retrieved", r'write case\["retrieved"\]'),
        ("brand", "other columns of the row are in `metadata`"),
    ):
        with pytest.raises(AttributeError, match=words):
            getattr(case, name)
    with pytest.raises(KeyError, match="a case has no field `output`: here it is `response`"):
        case["output"]
    assert case["retrieved"] is None and copy.deepcopy(case).response == "we"


def test_a_scorer_assertions_and_async_callers_take_it():
    scorer = probare.Scorer([brand_voice, tone])
    pyarrow = pytest.importorskip("pyarrow")
    batch = pyarrow.RecordBatch.from_pylist(ROWS)
    scored = scorer.score_batch(batch) if hasattr(scorer, "score_batch") else scorer(batch)
    assert scored.column("brand_voice").to_pylist() == [1.0, 0.0, None]
    assert scored.column("tone.label").to_pylist() == ["warm", "cold", None]
    assert assert_score(ROWS[0], brand_voice, at_least=0.9)["value"] == 1.0
    with pytest.raises(probare.ScoreError, match="gives the label 'warm' and no value"):
        assert_score(ROWS[0], tone, at_least=0.5)
    # A loop that runs already, as in a notebook.
    results = asyncio.run(probare.score_async(ROWS, [length]))
    assert results[0]["scores"]["size"]["value"] == 20.0


def test_it_is_pickled_by_reference_and_stays_a_function():
    assert pickle.loads(pickle.dumps(brand_voice)) is brand_voice
    assert pickle.loads(pickle.dumps([tone, Longest(3)]))[1].characters == 3
    assert brand_voice(probare.Case({"id": "x", "response": "we"}), words=["we"]).value == 1.0


def test_adapters_know_the_direction_of_a_metric():
    lower = next(metric.id for metric in probare.metrics() if metric.better == "lower")
    for metric, is_higher in (
        (length, False),
        ({"id": length, "name": "size of it"}, False),
        (functools.partial(brand_voice, words=["we"]), True),
        ("token_f1", True),
        (lower, False),
    ):
        assert is_higher_better(metric) is is_higher, metric
    with pytest.raises(probare.UsageError, match="unknown metric"):
        is_higher_better("token_f2")
    assert (metric_name(length), metric_name({"id": tone}), metric_name({"python": "checks.py:f", "name": "g"})) == ("size", "tone", "g")


def test_a_label_alone_is_shown_and_held_to_no_limit(monkeypatch):
    results = probare.score(ROWS[:1], [tone, brand_voice])
    page = results._repr_html_()
    assert "<td>warm</td>" in page and "<summary>1</summary>" in page
    with pytest.raises(probare.ScoreError, match="tone gives labels and no value to be held to a limit"):
        assert_scores(ROWS[:2], tone, mean_at_least=0.5)
    # A report of tests has such a score, too.
    monkeypatch.setattr(testing._current, "lines", [])
    with pytest.raises(probare.ScoreError, match="no value to be held to a limit"):
        assert_score(ROWS[0], tone, at_least=0.5)
    session = testing.Session()
    session.judge(testing._current.lines, "failed")
    assert len(session) == 1


NOTEBOOK = """
import sys
import cloudpickle
import probare
from probare._distributed import checked_recipe

@probare.metric
def here(case, *, word="we"):
    return word in case.response

recipe = checked_recipe([{"id": here, "word": "our"}, "token_f1"], None, {"mapping": {}, "evidence": False, "judges": (), "cache": None, "config": None})
sys.stdout.buffer.write(cloudpickle.dumps(recipe))
"""


def test_a_function_of_a_notebook_travels_as_a_whole():
    pytest.importorskip("cloudpickle")
    pyarrow = pytest.importorskip("pyarrow")
    made = subprocess.run([sys.executable, "-c", NOTEBOOK], capture_output=True)
    assert made.returncode == 0, made.stderr
    recipe = pickle.loads(made.stdout)
    scored = recipe.kept_scorer().score_batch(pyarrow.RecordBatch.from_pylist(ROWS[:2]))
    assert scored.column("here").to_pylist() == [1.0, 0.0]


def test_threads_and_the_number_of_jobs_change_nothing():
    rows = [{"id": str(n), "response": "we " * (n % 3) + "our"} for n in range(500)]
    one = probare.score(rows, [brand_voice, length], jobs=1)
    four = probare.score(rows, [brand_voice, length], jobs=4)
    assert [row["scores"] for row in one] == [row["scores"] for row in four]
    assert threading.active_count() < 20


CHECKS = """
import probare


@probare.metric
def brand_voice(case, *, words=("we", "our")):
    found = [word for word in words if word in case.response]
    return probare.Score(len(found) / len(words), parts={"found": len(found)})


@probare.metric
def tone(case):
    return "warm" if "we" in case.response else "cold"
"""


def test_the_same_file_gives_the_same_results_through_a_worker(tmp_path, monkeypatch):
    cases = tmp_path / "cases.jsonl"
    cases.write_text("".join(json.dumps(row) + "\n" for row in ROWS), encoding="utf-8")
    file = tmp_path / "own_checks.py"
    file.write_text(CHECKS, encoding="utf-8")
    monkeypatch.syspath_prepend(str(tmp_path))
    checks = importlib.import_module("own_checks")
    here = probare.score(str(cases), [checks.brand_voice, checks.tone], output=str(tmp_path / "here.jsonl"))
    there = probare.score(str(cases), [f"{file}:brand_voice", {"python": f"{file}:tone"}])
    assert [row["scores"] for row in here] == [row["scores"] for row in there]
    manifest = json.loads((tmp_path / "here.jsonl.run.json").read_text(encoding="utf-8"))
    code = manifest["metrics"][0]["code"]
    assert code["source"]["python"].endswith("own_checks.py:brand_voice")
    assert all(len(digest) == 64 for digest in code["files"].values()) and code["files"]
    done = subprocess.run(
        [sys.executable, "-m", "probare", "verify", str(tmp_path / "here.jsonl"), "--allow-code"],
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "all agree" in done.stdout
