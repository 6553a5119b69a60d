"""One case through one metric, as the other tools ask for it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from probare import _probare
from probare._api import WIDTH, run_in_thread
from probare._arguments import FilePath, Judge, checked, keywords
from probare._errors import ScoreError
from probare._metric import metric_request
from probare._notebook import evidence_lines
from probare._own_metric import BoundMetric, is_metric
from probare._results import only_score
from probare.testing import score_one


@keywords
def _settings(
    *,
    mapping: Mapping[str, str] | None = None,
    judges: Judge | Iterable[Judge] = (),
    cache: FilePath | None = None,
    offline: bool = False,
    budget_usd: float | None = None,
    budget_tokens: int | None = None,
    decision_thresholds: FilePath | Iterable[FilePath] | None = None,
    config: FilePath | None = None,
    width: int = WIDTH,
) -> dict[str, Any]:
    """What `probare.score` takes that is about a case."""
    return checked(locals())


def score_case(case: dict[str, Any], metric: Any, profile: Any, settings: dict[str, Any]) -> dict[str, Any]:
    """The score of a case: `{"value": …, "parts": …, "evidence": […]}`."""
    return _with_value(*only_score(score_one(given_fields(case), metric, profile, _settings(**settings))))


async def score_case_async(case: dict[str, Any], metric: Any, profile: Any, settings: dict[str, Any]) -> dict[str, Any]:
    """The same without holding up anybody else."""
    given, row = _settings(**settings), given_fields(case)
    results = await run_in_thread(lambda interrupt: score_one(row, metric, profile, given, interrupt), given["width"])
    return _with_value(*only_score(results))


def _with_value(name: str, told: dict[str, Any]) -> dict[str, Any]:
    """The score, if it has a value: the other tool can do nothing with a label alone."""
    if "value" not in told:
        raise ScoreError(f"{name} gives the label {told['label']!r} and no value", "failed")
    return told


def given_fields(case: dict[str, Any]) -> dict[str, Any]:
    """The fields that have a value."""
    return {field: value for field, value in case.items() if value is not None}


def explanation(told: dict[str, Any]) -> str:
    """Label, parts and evidence in words."""
    lines = [told["label"]] if told.get("label") else []
    if told.get("parts"):
        lines.append(", ".join(f"{part} {value:.4g}" for part, value in told["parts"].items()))
    return "\n".join([*lines, *evidence_lines(told.get("evidence", []))])


def metric_name(metric: Any) -> str:
    """What results call a metric."""
    if is_metric(metric):
        return BoundMetric(metric).name
    request = metric_request(metric)
    if isinstance(request, Mapping):
        return str(request.get("name") or metric_name(request.get("id") or request.get("python")))
    return str(request)


def is_higher_better(metric: Any, profile: str | None = None) -> bool:
    """Which direction is better. An unknown metric or option is an error, before anything is scored."""
    return _probare.is_higher_better([metric_request(metric)], profile or "published")
