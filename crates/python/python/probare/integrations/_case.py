"""One case through one metric, as the other tools ask for it."""

from __future__ import annotations

from typing import Any

from probare._api import metrics as all_metrics
from probare._api import score, score_async
from probare._errors import ScoreError
from probare._notebook import evidence_lines
from probare._own_metric import BoundMetric
from probare._results import only_score


def one(case: dict[str, Any], metric: Any, profile: Any, settings: dict[str, Any]) -> dict[str, Any]:
    """The score of a case: `{"value": …, "parts": …, "evidence": […]}`."""
    return _with_value(*only_score(score([present(case)], [metric], profile, strict=True, **settings)))


async def one_async(case: dict[str, Any], metric: Any, profile: Any, settings: dict[str, Any]) -> dict[str, Any]:
    """The same without holding up anybody else."""
    return _with_value(*only_score(await score_async([present(case)], [metric], profile, strict=True, **settings)))


def _with_value(name: str, told: dict[str, Any]) -> dict[str, Any]:
    """The score, if it has a value: the other tool can do nothing with a label alone."""
    if "value" not in told:
        raise ScoreError(f"{name} gives the label {told['label']!r} and no value", "failed")
    return told


def present(case: dict[str, Any]) -> dict[str, Any]:
    """The fields that have a value."""
    return {field: value for field, value in case.items() if value is not None}


def explained(told: dict[str, Any]) -> str:
    """Label, parts and evidence in words."""
    lines = [told["label"]] if told.get("label") else []
    if told.get("parts"):
        lines.append(", ".join(f"{part} {value:.4g}" for part, value in told["parts"].items()))
    return "\n".join([*lines, *evidence_lines(told.get("evidence", []))])


def named(metric: Any) -> str:
    """What results call a metric."""
    if isinstance(metric, dict):
        return str(metric.get("name") or named(metric["id"]))
    return metric if isinstance(metric, str) else BoundMetric(metric).name


def is_higher_better(metric: Any) -> bool:
    """Which direction is better."""
    from probare import _probare

    id = metric["id"] if isinstance(metric, dict) else _probare.request(metric)["id"]
    return next((known.better == "higher" for known in all_metrics() if known.id == id), True)
