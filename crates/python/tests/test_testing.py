"""`probare.testing` and the pytest plugin."""

from __future__ import annotations

import asyncio
import json

import pytest

import probare
from probare.testing import assert_score, assert_score_async

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
        "  found response 6:14 'Canberra'\n"
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


SUITE = """
import pytest
from probare.testing import assert_score

CASE = {"response": "It is Canberra.", "reference": ["Canberra"]}

def test_one():
    assert_score(CASE, "token_f1", at_least=0.5)

@pytest.mark.parametrize("limit", [0.1, 0.9])
def test_two(limit):
    assert_score(CASE, {"id": "rouge_l"}, at_least=limit, profile="careful")

def test_three(probare_session):
    probare_session.add(CASE, "token_f1")
    assert len(probare_session.rows) == 4
    assert probare_session.results().summary["token_f1"].scored == 2
"""


def test_all_scores_of_a_session_are_one_report(pytester):
    pytester.makepyfile(SUITE)
    done = pytester.runpytest_subprocess("--probare-report", "report.html", "--probare-report", "scores.jsonl")
    done.assert_outcomes(passed=3, failed=1)
    done.stdout.fnmatch_lines(["*rouge_l is 0.5, at least 0.9 is wanted*", "*wrote report.html", "*wrote scores.jsonl"])
    lines = [json.loads(line) for line in (pytester.path / "scores.jsonl").read_text().splitlines()]
    assert [line["id"].rpartition("::")[2] for line in lines] == ["test_one", "test_two[0.1]", "test_two[0.9]", "test_three"]
    assert lines[0]["scores"]["token_f1"]["value"] == 0.5
    assert lines[0]["scores"]["rouge_l"] == {"not_applicable": "it was not asked of this case"}
    assert "rouge_l" in (pytester.path / "report.html").read_text()


def test_a_session_without_scores_writes_nothing(pytester):
    pytester.makepyfile("def test_nothing(): pass")
    done = pytester.runpytest_subprocess("--probare-report", "report.html")
    done.assert_outcomes(passed=1)
    assert not (pytester.path / "report.html").exists()
