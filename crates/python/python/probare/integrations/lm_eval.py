"""A metric for lm-evaluation-harness.

    # beside the task, in utils.py
    from probare.integrations.lm_eval import register
    register("token_f1")

    # in the task
    output_type: generate_until
    metric_list:
      - metric: probare_token_f1

The harness has the text and the target, no question and no context: metrics that need more are for `probare score` on its samples.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from probare._frames import needed
from probare.integrations._case import is_higher_better, metric_name, score_case


def register(metric: Any, name: str | None = None, profile: str | None = None, **settings: Any) -> str:
    """Makes a metric known to the harness, as `probare_ID` unless a name is given, and gives that name."""
    needed("lm_eval", "lm-eval")
    import lm_eval.api.metrics  # noqa: F401  The registry is filled by it.
    from lm_eval.api.registry import register_metric

    known = name or f"probare_{metric_name(metric)}"
    register_metric(metric=known, higher_is_better=is_higher_better(metric, profile), aggregation="mean")(
        scoring(metric, profile, **settings)
    )
    return known


def scoring(metric: Any, profile: str | None = None, **settings: Any) -> Callable[..., float]:
    """The function that the harness calls: texts and targets in, the mean value out. Also for `!function utils.metric`."""

    def score(references: Any, predictions: Any, **unused: Any) -> float:
        values = [_value(target, text) for target, text in zip(references, predictions, strict=True)]
        return sum(values) / len(values)

    def _value(target: Any, text: Any) -> float:
        response = text[0] if isinstance(text, list) and text else text
        reference = [str(one) for one in target] if isinstance(target, (list, tuple)) else [str(target)]
        case = {"response": response, "reference": reference}
        return float(score_case(case, metric, profile, settings)["value"])

    return score
