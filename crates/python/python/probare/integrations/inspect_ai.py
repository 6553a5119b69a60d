"""Scorers for Inspect AI.

    from inspect_ai import Task
    from probare.integrations.inspect_ai import probare_scorer

    Task(dataset=…, solver=…, scorer=probare_scorer("token_f1"))
"""

from __future__ import annotations

from typing import Any

from probare._frames import needed

needed("inspect_ai", "inspect-ai")
from inspect_ai.scorer import Score, Scorer, Target, mean, scorer, stderr  # noqa: E402
from inspect_ai.solver import TaskState  # noqa: E402

from probare.integrations._case import explained, named, one_async  # noqa: E402


@scorer(metrics=[mean(), stderr()])
def probare_scorer(metric: Any, profile: str | None = None, **settings: Any) -> Scorer:
    """A metric as a scorer. The target is the reference; `context` and `retrieved` are taken from the metadata of the sample.

    A sample that cannot be scored ends with an error, which Inspect counts apart; `fail_on_error=False` lets the task go on.
    """

    async def score(state: TaskState, target: Target) -> Score:
        metadata = dict(state.metadata or {})
        case = {
            "id": str(state.sample_id),
            "query": state.input_text,
            "response": state.output.completion,
            "reference": [text for text in target] or None,
            "context": metadata.pop("context", None),
            "retrieved": metadata.pop("retrieved", None),
            "relevant": metadata.pop("relevant", None),
            "metadata": metadata or None,
        }
        told = await one_async(case, metric, profile, settings)
        return Score(
            value=told["value"],
            answer=state.output.completion,
            explanation=explained(told),
            metadata={"probare": {"metric": named(metric), **told}},
        )

    return score
