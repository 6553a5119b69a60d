"""`probare.testing` and the pytest plugin."""

from __future__ import annotations

import asyncio
import json

import pytest

import probare
from probare.testing import NOT_ASKED, assert_score, assert_score_async, assert_scores

CASE = {"query": "Capital?", "response": "It is Canberra.", "reference": ["Canberra"]}


def test_a_good_answer_passes_and_gives_its_score():
    assert assert_score(CASE, "token_f1", at_least=0.5)["value"] == 0.5
    assert asyncio.run(assert_score_async(CASE, "token_f1", at_least=0.5, at_most=0.6))["value"] == 0.5


def test_a_failure_shows_the_evidence():
    with pytest.raises(AssertionError) as raised:
        assert_score(CASE, "token_f1", at_least=0.8)
    assert str(raised.value) == (
        "token_f1 is 0.5, at least 0.8 is wanted\n"
        "  precision 0.3333, recall 1\n"
        "  matched response 6:14 'Canberra'\n"
        "  unsupported response 0:5 'It is'"
    )


def test_what_has_no_score_never_passes():
    with pytest.raises(probare.ScoreError) as raised:
        assert_score({"reference": "x"}, "token_f1", at_least=0.0)
    assert raised.value.kind == "missing"
    with pytest.raises(probare.ScoreError) as raised:
        assert_score({"response": "x"}, "token_f1", at_least=0.0)
    assert raised.value.kind == "not_applicable"
    with pytest.raises(probare.UsageError, match="there is no limit"):
        assert_score(CASE, "token_f1")


def test_a_failure_shows_the_test_and_none_of_our_own_lines(pytester):
    pytester.makepyfile(
        """
from probare.testing import assert_score

def test_low():
    assert_score({"response": "river stone", "reference": "river"}, "token_f1", at_least=0.9)

def test_missing():
    assert_score({"reference": "a"}, "token_f1", at_least=0.9)

def test_unknown():
    assert_score({"response": "a"}, "token_f2", at_least=0.9)
"""
    )
    done = pytester.runpytest_subprocess()
    done.assert_outcomes(failed=3)
    text = done.stdout.str()
    assert "probare/testing.py" not in text and "_results.py" not in text and "_api.py" not in text
    done.stdout.fnmatch_lines(["*token_f1 is 0.6*", "*the case has no `response`*", "*unknown metric `token_f2`*"])


SUITE = """
import datetime, json, os, pathlib
import pytest
from probare.testing import assert_score

HERE = pathlib.Path(__file__).parent

def asserted(case, metric, **settings):
    # What the test got, for whoever compares it with the report.
    told = assert_score(case, metric, at_least=0, **settings)
    test = os.environ["PYTEST_CURRENT_TEST"].rpartition(" (")[0]
    with open(HERE / f"told-{os.getpid()}.jsonl", "a") as file:
        file.write(json.dumps([test, told]) + "\\n")

CASE = {"response": "It is Canberra.", "reference": ["Canberra"]}
RANKED = {"response": "x", "retrieved": ["a", "b", "c"], "relevant": ["c"]}

def test_plain():
    asserted(CASE, "token_f1")

@pytest.mark.parametrize("number", range(8))
def test_many(number):
    asserted({"response": "Canberra " * (number + 1), "reference": ["Canberra"]}, "token_f1")

def test_mapped():
    asserted({"said": "Canberra", "truth": "Canberra"}, "token_f1", mapping={"response": "said", "reference": "truth"})

def test_with_a_date():
    asserted({**CASE, "metadata": {"on": datetime.date(2026, 11, 17)}}, "token_f1")

def test_one_option():
    asserted(RANKED, {"id": "ndcg", "k": 2})

def test_another_option():
    asserted(RANKED, {"id": "ndcg", "k": 3})

TALK = {"query": "I feel lost.", "response": "That sounds hard. What has happened?"}

def test_careful():
    asserted(TALK, "unverifiable_reassurance", profile="improved")

def test_reference():
    asserted(TALK, "unverifiable_reassurance")

def test_two_metrics():
    asserted(CASE, "rouge_l")
    asserted(CASE, "token_f1")
"""

CRASH = """
import os

def test_crash():
    from probare.testing import assert_score
    assert_score({"response": "lost", "reference": "lost"}, "token_f1", at_least=0)
    os._exit(3)
"""


def held_against_the_assertions(pytester) -> None:
    """The report has the scores that the tests got, each once, and nothing else."""
    told: dict[str, list] = {}
    for file in pytester.path.glob("told-*.jsonl"):
        for line in file.read_text().splitlines():
            test, score = json.loads(line)
            told.setdefault(test, []).append(score)
    lines = [json.loads(line) for line in (pytester.path / "scores.jsonl").read_text().splitlines()]
    metrics = json.loads((pytester.path / "scores.jsonl.run.json").read_text())["metrics"]
    measured = [metric["name"] for metric in metrics if metric["id"] != "test" and not metric.get("is_descriptive")]
    found = {
        line["id"]: [score for name, score in line["scores"].items() if name in measured and score != {"not_applicable": NOT_ASKED}]
        for line in lines
    }
    assert len(found) == len(lines) == 16
    assert {line["scores"]["test"]["label"] for line in lines} == {"passed"}
    assert {test: sorted(map(json.dumps, scores)) for test, scores in found.items()} == {
        test: sorted(map(json.dumps, scores)) for test, scores in told.items()
    }
    assert sorted((metric["name"].partition(" #")[0], str(metric.get("options"))) for metric in metrics if metric["id"] == "ndcg") == [
        ("ndcg", "{'k': 2}"), ("ndcg", "{'k': 3}"),
    ]  # fmt: skip
    assert sorted(metric["profile"] for metric in metrics if metric["id"] == "unverifiable_reassurance") == ["improved", "published"]


def test_the_report_is_made_of_the_scores_that_the_tests_got(pytester):
    pytester.makepyfile(SUITE)
    done = pytester.runpytest_subprocess("--probare-report", "report.html", "--probare-report", "scores.jsonl")
    done.assert_outcomes(passed=16)
    done.stdout.fnmatch_lines(["*wrote report.html", "*wrote scores.jsonl"])
    held_against_the_assertions(pytester)
    page = (pytester.path / "report.html").read_text()
    assert "ndcg #2" in page and "It is Canberra." in page


def test_workers_and_one_that_dies(pytester):
    pytest.importorskip("xdist", reason="pytest-xdist is not installed")
    pytester.makepyfile(test_suite=SUITE, test_crash=CRASH)
    done = pytester.runpytest_subprocess("-n", "2", "--probare-report", "report.html", "--probare-report", "scores.jsonl")
    done.assert_outcomes(passed=16, failed=1)
    done.stdout.fnmatch_lines(["*worker gw* was lost: the scores of the test that it was at are not in the report", "*wrote scores.jsonl"])
    held_against_the_assertions(pytester)


def test_a_session_of_its_own(pytester):
    pytester.makepyfile(
        """
from probare.testing import assert_score

CASE = {"response": "It is Canberra.", "reference": ["Canberra"]}

def test_before():
    assert_score({"response": "wrong", "reference": "right"}, "token_f1", at_least=0)

def test_on_the_whole(probare_session):
    assert probare_session.results() is None
    told = probare_session.add(CASE, "token_f1")
    assert told["value"] == 0.5
    probare_session.add({**CASE, "response": "Canberra"}, "token_f1")
    assert "error" in probare_session.add({"reference": "x"}, "token_f1")
    summary = probare_session.results().summary["token_f1"]
    assert (summary.scored, summary.mean, summary.failed) == (2, 0.75, 1) and len(probare_session) == 3
"""
    )
    done = pytester.runpytest_subprocess("--probare-report", "scores.jsonl")
    done.assert_outcomes(passed=2)
    lines = [json.loads(line) for line in (pytester.path / "scores.jsonl").read_text().splitlines()]
    whole = "test_a_session_of_its_own.py::test_on_the_whole"
    assert [line["id"] for line in lines][1:] == [whole, f"{whole} #2", f"{whole} #3"]


def test_a_report_that_cannot_be_written_is_told_before_the_tests(pytester):
    pytester.makepyfile("def test_nothing(): raise SystemExit(9)")
    for file, words in (("x.foo", "has no known extension"), ("no/where/x.html", "there is no folder")):
        done = pytester.runpytest_subprocess("--probare-report", file)
        assert done.ret == pytest.ExitCode.USAGE_ERROR
        done.stderr.fnmatch_lines([f"ERROR:*{words}*"])


def test_a_session_without_scores_writes_nothing(pytester):
    pytester.makepyfile("def test_nothing(): pass")
    done = pytester.runpytest_subprocess("--probare-report", "report.html")
    done.assert_outcomes(passed=1)
    done.stdout.fnmatch_lines(["*no test scored anything: report.html is not written"])
    assert not (pytester.path / "report.html").exists()


VERDICTS = """
import pytest
from probare.testing import assert_score

CASE = {"response": "It is Canberra.", "reference": ["Canberra"]}

@pytest.mark.parametrize("limit", [0.1, 0.4, 0.6, 0.9], ids="tenth two-fifths süß nine".split())
def test_limit(limit):
    assert_score(CASE, "token_f1", at_least=limit)

def test_most():
    assert_score(CASE, "token_f1", at_most=0.2)

def test_missing():
    assert_score({"reference": ["a"]}, "token_f1", at_least=0.5)

def test_otherwise():
    assert_score(CASE, "token_f1", at_least=0.1)
    assert False, "of another reason"

@pytest.mark.xfail(reason="known")
def test_expected():
    assert_score(CASE, "token_f1", at_least=0.9)

def test_several():
    assert_score({**CASE, "id": "good"}, "token_f1", at_least=0.4)
    assert_score({**CASE, "id": "bad"}, "token_f1", at_least=0.8, at_most=1)
"""


def verdicts(pytester, *arguments):
    """Lines, JUnit and table of a session in which tests fail."""
    pytester.makepyfile(test_verdicts=VERDICTS)
    files = ["scores.jsonl", "scores.xml", "scores.csv", "scores.json", "scores.md", "scores.html"]
    told = [word for file in files for word in ("--probare-report", file)]
    done = pytester.runpytest_subprocess(*told, *arguments)
    done.assert_outcomes(passed=2, failed=6, xfailed=1)
    return {line["id"]: line["scores"] for line in map(json.loads, (pytester.path / "scores.jsonl").read_text().splitlines())}


OUTCOMES = {
    "test_limit[tenth]": "passed", "test_limit[two-fifths]": "passed", "test_limit[nine]": "failed", "test_most": "failed",
    "test_missing": "failed", "test_otherwise": "failed", "test_expected": "xfailed", "good": "passed", "bad": "failed",
}  # fmt: skip


@pytest.mark.parametrize("workers", [[], ["-n", "2"]], ids=["alone", "workers"])
def test_every_report_says_what_became_of_a_test_and_by_which_limits(pytester, workers):
    if workers:
        pytest.importorskip("xdist", reason="pytest-xdist is not installed")
    told = verdicts(pytester, *workers)
    short = {id.rpartition("::")[2]: scores for id, scores in told.items()}
    assert {id: short[id]["test"]["label"] for id in OUTCOMES} == OUTCOMES
    assert len(short) == 10 and {scores["test"]["value"] for scores in short.values()} == {0.0, 1.0}
    assert short["test_limit[nine]"]["token_f1 at_least"] == {"value": 0.9}
    assert short["test_limit[nine]"]["test"]["evidence"] == [
        {"kind": "note", "text": "token_f1 is 0.5: at least 0.9 is wanted"}
    ]
    assert short["test_most"]["token_f1 at_most"] == {"value": 0.2}
    assert short["test_missing"]["test"]["evidence"][0]["text"] == "token_f1: the case has no `response`"
    import xml.etree.ElementTree as tree

    suite = tree.parse(pytester.path / "scores.xml").find("testsuite")
    assert suite.attrib["failures"] == "6" and suite.attrib["skipped"] == "1", suite.attrib
    failed = [case.attrib["name"].rpartition("::")[2] for case in suite.iter("testcase") if case.find("failure") is not None]
    assert sorted(failed)[:2] == ["bad", "test_limit[nine]"] and len(failed) == 6
    import csv

    with open(pytester.path / "scores.csv", encoding="utf-8") as file:
        rows = {row["id"].rpartition("::")[2]: row for row in csv.DictReader(file)}
    assert rows["test_limit[nine]"]["test.note"] == "failed" and rows["test_limit[nine]"]["token_f1 at_least"] == "0.9"
    whole = json.loads((pytester.path / "scores.json").read_text())
    assert "xfailed" in json.dumps(whole)
    for page in ("scores.md", "scores.html"):
        text = (pytester.path / page).read_text()
        assert "token_f1 at_least" in text and "failed" in text and "token_f1 is 0.5: at least 0.9 is wanted" in text.replace("\\", "")
    assert "note: token_f1 is 0.5: at least 0.9 is wanted" in (pytester.path / "scores.xml").read_text()


def test_a_test_that_is_run_again_counts_as_its_last_attempt(pytester):
    pytest.importorskip("pytest_rerunfailures", reason="pytest-rerunfailures is not installed")
    pytester.makepyfile(
        """
import pathlib
from probare.testing import assert_score

def test_flaky():
    tried = pathlib.Path("tried")
    response = "Canberra" if tried.exists() else "Rio"
    tried.touch()
    assert_score({"response": response, "reference": ["Canberra"]}, "token_f1", at_least=0.9)

def test_broken():
    assert_score({"response": "Rio", "reference": ["Canberra"]}, "token_f1", at_least=0.9)
"""
    )
    done = pytester.runpytest_subprocess("--reruns", "2", "--probare-report", "scores.jsonl")
    done.assert_outcomes(passed=1, failed=1)
    lines = [json.loads(line) for line in (pytester.path / "scores.jsonl").read_text().splitlines()]
    scores = {line["id"].rpartition("::")[2]: line["scores"] for line in lines}
    assert len(lines) == 2
    assert scores["test_flaky"]["token_f1"]["value"] == 1.0 and scores["test_flaky"]["test"]["label"] == "passed"
    assert scores["test_broken"]["token_f1"]["value"] == 0.0 and scores["test_broken"]["test"]["label"] == "failed"


CASES = [{"id": str(at), "response": "Oslo" if at % 2 else "It is Rio.", "reference": ["Oslo"]} for at in range(6)]


def test_many_cases_are_held_against_their_mean():
    results = assert_scores(CASES, "token_f1", mean_at_least=0.5)
    assert isinstance(results, probare.Results) and len(results) == 6
    with pytest.raises(AssertionError) as raised:
        assert_scores(CASES, "token_f1", mean_at_least=0.9, worst=2)
    lines = str(raised.value).splitlines()
    assert lines[0].startswith("the mean of token_f1 is 0.5 (95 % ") and lines[0].endswith(" over 6 cases, at least 0.9 is wanted")
    assert lines[1] == "the worst of them:" and [line for line in lines if line.startswith("  0: ") or line.startswith("  2: ")]
    assert lines[2] == "  0: token_f1 is 0.0" and "    missing reference[0] 0:4 'Oslo'" in lines
    assert not any(line.startswith("  4: ") for line in lines)
    with pytest.raises(AssertionError, match="at most 0.2 is wanted"):
        assert_scores(CASES, "token_f1", mean_at_most=0.2)
    with pytest.raises(probare.UsageError, match="there is no limit\n\nhint: give mean_at_least=NUMBER or mean_at_most=NUMBER"):
        assert_scores(CASES, "token_f1")


def test_a_report_has_the_limit_of_a_mean(pytester):
    pytester.makepyfile(f"""
from probare.testing import assert_scores

def test_good():
    assert_scores({CASES!r}, "token_f1", mean_at_least=0.4)

def test_bad():
    assert_scores({[{**case, "id": f"bad {case['id']}"} for case in CASES]!r}, "token_f1", mean_at_least=0.9)
""")
    done = pytester.runpytest_subprocess("--probare-report", "scores.jsonl")
    done.assert_outcomes(passed=1, failed=1)
    rows = {line["id"]: line["scores"] for line in map(json.loads, (pytester.path / "scores.jsonl").read_text().splitlines())}
    assert len(rows) == 12 and {rows[str(at)]["test"]["label"] for at in range(6)} == {"passed"}
    assert [rows[f"bad {at}"]["test"]["label"] for at in range(6)] == ["failed", "passed"] * 3
    assert rows["bad 0"]["token_f1 mean_at_least"] == {"value": 0.9}
    assert rows["bad 0"]["test"]["evidence"][0]["text"] == "token_f1 is 0.0: a mean of at least 0.9 is wanted"


def test_many_cases_of_which_one_has_no_score_never_pass():
    with pytest.raises(probare.ScoreError, match="token_f1: 1 of 7 cases could not be scored\n  x: the case has no `response`") as raised:
        assert_scores([*CASES, {"id": "x", "reference": "a"}], "token_f1", mean_at_least=0.0)
    assert raised.value.kind == "missing"
    with pytest.raises(probare.ScoreError, match="token_f1 applies to none of 1 cases: the case has no `reference`"):
        assert_scores([{"response": "x"}], "token_f1", mean_at_least=0.0)


def test_a_session_that_wants_no_report_loads_nothing(pytester):
    pytester.makepyfile(
        """
import sys

def test_nothing():
    loaded = [name for name in sys.modules if name.startswith("probare.") ]
    assert loaded == [] and "probare" not in sys.modules
"""
    )
    pytester.runpytest_subprocess("-p", "no:cacheprovider").assert_outcomes(passed=1)
