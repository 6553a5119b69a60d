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
from probare.integrations._case import explained, named, one


def get_assert(output: str, context: dict[str, Any]) -> dict[str, Any]:
    """What promptfoo calls: passed or not, the score, and why."""
    config = dict(context.get("config") or {})
    variables = dict(context.get("vars") or {})
    metric = config.pop("metric", None)
    if metric is None:
        raise UsageError("no metric is named", "write config: {metric: token_f1, at_least: 0.5}")
    at_least, at_most = config.pop("at_least", None), config.pop("at_most", None)
    if at_least is None and at_most is None:
        raise UsageError("there is no limit", "write at_least: NUMBER or at_most: NUMBER into config")
    case = {
        "query": context.get("prompt") if isinstance(context.get("prompt"), str) else variables.get("query"),
        "response": output,
        "reference": config.pop("reference", variables.get("reference", variables.get("expected"))),
        "context": variables.get("context"),
        "metadata": variables or None,
    }
    told = one(case, metric, config.pop("profile", None), config)
    value = told["value"]
    passed = (at_least is None or value >= at_least) and (at_most is None or value <= at_most)
    limits = [f"at least {at_least}"] if at_least is not None else []
    limits += [f"at most {at_most}"] if at_most is not None else []
    reason = f"{named(metric)} is {value}, {' and '.join(limits)} is wanted"
    return {
        "pass": passed,
        "score": value,
        "reason": "\n".join(filter(None, [reason, explained(told)])),
        "namedScores": {named(metric): value},
    }
