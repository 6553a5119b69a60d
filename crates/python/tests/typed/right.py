"""A program of a user that type checkers have nothing to say about. It is checked, not run."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path
from typing import Any, assert_type

import probare
import probare.ray
import probare.spark
from probare import catalogue
from probare.catalogue import Profile, Request
from probare.testing import assert_score

NAMES: list[str] = ["token_f1", "rouge_l"]
METRICS: list[Request] = ["token_f1", catalogue.read("ndcg:k=5"), {"id": "ndcg", "k": 5}, catalogue.chrf(word_order=2, name="chrf++")]


def rows() -> Iterator[dict[str, Any]]:
    yield {"id": "a", "response": "It is Canberra.", "reference": ["Canberra"]}


def mean(profile: Profile = "improved") -> float | None:
    probare.score(rows(), NAMES)
    results = probare.score(rows(), metrics=METRICS, profile=profile, output=Path("report.html"))
    assert_type(results, probare.Results)
    assert_type(results[0], dict[str, Any])
    assert_type(results[:2], list[dict[str, Any]])
    assert_type(results["token_f1"], list[float | None])
    results.write("later.jsonl", Path("later.html"), title="Later")
    for row in results:
        print(row["id"], results.line(0))
    summary = results.summary["token_f1"]
    assert_type(summary.scored, int)
    if summary.interval is not None:
        assert_type(summary.interval.low, float)
    return summary.mean


def batches(given: Any) -> list[Any]:
    scorer = probare.Scorer(["token_f1"], "published", evidence=True, jobs=2)
    scored = [scorer.score_batch(batch) for batch in given]
    print(scorer.summary.cases, scorer.metrics, scorer.schema)
    return scored


async def waiting() -> bool:
    first, second = await asyncio.gather(probare.score_async(rows(), "token_f1"), probare.score_async("cases.jsonl", METRICS))
    comparison = probare.compare(first, second, not_worse=["token_f1"], margin=0.01)
    verdict = await probare.verify_async("results.jsonl")
    return comparison.passes and bool(verdict) and verdict.agrees


def looked_up() -> list[str]:
    page: str = probare.explain("token_f1")
    return [page, *(metric.id for metric in probare.metrics("text") if not metric.judged)]


def test_capital() -> None:
    told = assert_score({"response": "Canberra", "reference": ["Canberra"]}, "answer_match", at_least=0.5, profile="improved")
    assert told["value"] >= 0.5


def caught() -> str | None:
    try:
        probare.score("nowhere.jsonl", ["token_f1"], strict=True)
    except (probare.UsageError, probare.DataError) as error:
        return error.hint
    except probare.ScoreError as error:
        return error.kind
    return None


def spread(frame: Any, dataset: Any) -> probare.Summary:
    scored = probare.spark.score(frame, METRICS, profile="improved", evidence=True)
    blocks = probare.ray.score(dataset, METRICS, batch_size=1024, concurrency=2)
    print(probare.ray.summary(blocks, METRICS)["token_f1"].mean)
    return probare.spark.summary(scored, METRICS, "improved")
