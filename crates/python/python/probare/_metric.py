"""What is known about a metric before anything is scored, and the forms in which metrics are named."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from probare._errors import UsageError, WrongTypeError
from probare._own_metric import is_metric


@dataclass(frozen=True)
class Metric:
    """A metric: what it measures, in which range, and what it needs."""

    id: str
    family: str
    summary: str
    range: tuple[float | None, float | None]
    """Least and greatest possible value; `None` for a side without an end."""
    better: str
    """`higher` or `lower`."""
    needs: tuple[str, ...]
    """Fields that a case must have."""
    profiles: tuple[str, ...]
    judged: bool
    """Whether it asks a model, or for vectors."""
    since: str
    version: int
    options: dict[str, Any] = field(repr=False)
    """JSON Schema of its options."""


class Page(str):
    """The page of a metric, in Markdown; notebooks show it as such."""

    def _repr_markdown_(self) -> str:
        return str(self)


MetricRequest: TypeAlias = str | Mapping[str, Any] | Metric | Callable[..., Any]
"""One metric: `"token_f1"`, `"ndcg:k=5"`, `{"id": "ndcg", "k": 5}`, an entry of `probare.metrics()`, a function of `probare.catalogue`, or one with `@probare.metric`."""

Metrics: TypeAlias = MetricRequest | Iterable[MetricRequest]
"""One metric, or several in any collection."""

CATALOGUE_ID = "__probare_metric__"
"""The attribute by which a function of `probare.catalogue` is known."""

HINT = 'write metrics=["token_f1", {"id": "ndcg", "k": 5}]'


def metric_request(metric: Any) -> Any:
    """One metric as the engine takes it: a text or a dict."""
    if isinstance(metric, str):
        return metric
    if isinstance(metric, Mapping):
        return dict(metric)
    if isinstance(metric, Metric):
        return metric.id
    if is_metric(metric):
        return metric
    id = getattr(metric, CATALOGUE_ID, None)
    if isinstance(id, str):
        return id
    kind = f"{type(metric).__module__}.{type(metric).__qualname__}"
    if callable(metric):
        name = getattr(metric, "__name__", kind)
        raise WrongTypeError(f"`{name}` is not a metric yet", "put @probare.metric above a function or class of your own")
    raise WrongTypeError(f"a metric must be a text or a dict, but it is {metric!r:.80} ({kind})", HINT)


def metric_requests(metrics: Any) -> list[Any] | None:
    """All metrics of a call as the engine takes them; nothing where the call leaves them to the configuration.

    Every function of the package that takes metrics calls this, and nothing else looks at what was given.
    """
    if metrics is None:
        return None
    if isinstance(metrics, (str, Mapping, Metric)) or callable(metrics) or is_metric(metrics):
        return [metric_request(metrics)]
    if not isinstance(metrics, Iterable):
        raise WrongTypeError(f"`metrics` must be a metric or several of them, but it is {metrics!r:.80}", HINT)
    requests = [metric_request(metric) for metric in metrics]
    if not requests:
        raise UsageError("no metric is named", HINT)
    # A set has no order of its own, and reports must not depend on chance.
    return sorted(requests, key=str) if isinstance(metrics, (set, frozenset)) else requests
