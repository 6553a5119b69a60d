"""An assertion for promptfoo.

    # probare_assert.py
    from probare.integrations.promptfoo import get_assert

    # promptfooconfig.yaml
    assert:
      - type: python
        value: file://probare_assert.py
        config: {metric: token_f1, at_least: 0.5}

`config` names the metric, `at_least` or `at_most`, and whatever `probare.score` takes. The reference is the variable `reference` (or
`expected`), or `config.reference`; `context` is taken from the variables too.
"""

from __future__ import annotations

from typing import Any

from probare._errors import UsageError
from probare.integrations._case import explanation, metric_name, score_case
from probare.testing import given_limits, missed_limits


def get_assert(output: str, context: dict[str, Any]) -> dict[str, Any]:
    """What promptfoo calls: passed or not, the score, and why."""
    config = dict(context.get("config") or {})
    variables = dict(context.get("vars") or {})
    metric = config.pop("metric", None)
    if metric is None:
        raise UsageError("no metric is named", "write config: {metric: token_f1, at_least: 0.5}")
    limits = given_limits(at_least=config.pop("at_least", None), at_most=config.pop("at_most", None))
    case = {
        "query": context.get("prompt") if isinstance(context.get("prompt"), str) else variables.get("query"),
        "response": output,
        "reference": config.pop("reference", variables.get("reference", variables.get("expected"))),
        "context": variables.get("context"),
        "metadata": variables or None,
    }
    told = score_case(case, metric, config.pop("profile", None), config)
    value = told["value"]
    wanted = " and ".join(f"{name.replace('_', ' ')} {limit}" for name, limit in limits.items())
    reason = f"{metric_name(metric)} is {value}, {wanted} is wanted"
    return {
        "pass": not missed_limits(value, limits),
        "score": value,
        "reason": "\n".join(filter(None, [reason, explanation(told)])),
        "namedScores": {metric_name(metric): value},
    }
