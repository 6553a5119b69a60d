"""Evaluates what language models answer: fast, offline, with the evidence behind every score.

    import probare

    rows = [{"query": "What is the capital of Australia?", "response": "It is Canberra.", "reference": ["Canberra"]}]
    results = probare.score(rows, metrics=["token_f1", {"id": "rouge_l"}])
    results.summary["token_f1"].mean
    results[0]["scores"]["token_f1"]["evidence"]

`probare.metrics()` lists all metrics, `probare.explain("token_f1")` shows the page of one, and `probare.catalogue` has each
of them as a function with its options. `probare.testing` is for pytest, `probare.spark`, `probare.ray`, `probare.dask` and
`probare.daft` for many machines, `probare.integrations` for Inspect AI, DeepEval, promptfoo and lm-evaluation-harness.
"""

from __future__ import annotations

from probare import _probare
from probare._api import Scorer, compare, explain, metrics, score, score_async, verify, verify_async
from probare._comparison import Comparison, Verdict
from probare._errors import (
    DataError,
    Error,
    MissingFileError,
    MissingKeyError,
    MissingPackageError,
    ProbareWarning,
    ScoreError,
    UnknownMetricError,
    UsageError,
    WrongTypeError,
)
from probare._metric import Metric, MetricRequest, Metrics, Page
from probare._own_metric import Case, Evidence, NotApplicable, Passage, Score, metric
from probare._results import Asked, Interval, MetricSummary, ModelCalls, Results, Summary

__version__: str = _probare.version()

_LATER = ("catalogue", "daft", "dask", "integrations", "ray", "spark", "testing")


def __getattr__(name: str) -> object:
    """Modules that not everybody needs are imported when they are first named."""
    if name in _LATER:
        import importlib

        return importlib.import_module(f"probare.{name}")
    raise AttributeError(f"module 'probare' has no attribute '{name}'")


def __dir__() -> list[str]:
    return sorted((*globals(), *_LATER))


__all__ = [
    "Asked",
    "Case",
    "Comparison",
    "DataError",
    "Error",
    "Evidence",
    "Interval",
    "Metric",
    "MetricRequest",
    "MetricSummary",
    "Metrics",
    "MissingFileError",
    "MissingKeyError",
    "MissingPackageError",
    "ModelCalls",
    "NotApplicable",
    "Page",
    "Passage",
    "ProbareWarning",
    "Results",
    "Score",
    "ScoreError",
    "Scorer",
    "Summary",
    "UnknownMetricError",
    "UsageError",
    "Verdict",
    "WrongTypeError",
    "compare",
    "explain",
    "metric",
    "metrics",
    "score",
    "score_async",
    "verify",
    "verify_async",
]
