"""Tests."""
import pytest
import probare
from probare.testing import Session, assert_score, assert_score_async, assert_scores

CASES = [{"response": "It is Oslo.", "reference": ["Oslo"]}]


@pytest.mark.parametrize("case", CASES)
def test_each(case: dict[str, object]) -> None:
    score = assert_score(case, "token_f1", at_least=0.5)
    assert score["value"] >= 0.5


def test_all() -> None:
    results: probare.Results = assert_scores(CASES, "token_f1", mean_at_least=0.5, worst=3)
    assert len(results) == 1


async def test_later() -> None:
    await assert_score_async(CASES[0], "token_f1", at_most=1.0, width=2)


def test_session(probare_session: Session) -> None:
    probare_session.add(CASES[0], "token_f1")
    results = probare_session.results()
    assert results is not None and results.summary["token_f1"].scored == 1
