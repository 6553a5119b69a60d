"""Scorers for Inspect AI.

    from inspect_ai import Task
    from probare.integrations.inspect_ai import probare_scorer

    Task(dataset=…, solver=…, scorer=[probare_scorer("token_f1"), probare_scorer("rouge_l")])
"""

from __future__ import annotations

from typing import Any

from probare._arguments import Profile
from probare._frames import needed
from probare._metric import MetricRequest, metric_request

needed("inspect_ai", "inspect-ai")
from inspect_ai.scorer import Score, Scorer, Target, mean, scorer, stderr  # noqa: E402
from inspect_ai.solver import TaskState  # noqa: E402

from probare._errors import ScoreError  # noqa: E402
from probare.integrations._case import explanation, is_higher_better, metric_name, score_case_async  # noqa: E402


def probare_scorer(metric: MetricRequest, profile: Profile | None = None, **settings: Any) -> Scorer:
    """A metric as a scorer, which logs call as results do: `token_f1`, or the name that the metric is given.

    The target is the reference; `context`, `retrieved` and `relevant` are taken from the metadata of the sample. A sample to
    which the metric does not apply is unscored, so that means leave it out. One that cannot be scored ends with an error, which
    Inspect counts apart; `fail_on_error=False` lets the task go on. An unknown metric is an error here.
    """
    request = metric_request(metric)
    is_higher_better(request, profile)

    @scorer(metrics=[mean(), stderr()], name=metric_name(request))
    def made(metric: Any, profile: Any, **settings: Any) -> Scorer:
        async def score(state: TaskState, target: Target) -> Score:
            case = _case(state, target)
            try:
                told = await score_case_async(case, metric, profile, settings)
            except ScoreError as error:
                if error.kind != "not_applicable":
                    raise
                return Score.unscored(
                    reason="not_applicable", answer=state.output.completion, explanation=error.message, metadata=_score_metadata(metric, {})
                )
            return Score(
                value=told["value"],
                answer=state.output.completion,
                explanation=explanation(told),
                metadata=_score_metadata(metric, told),
            )

        return score

    return made(metric=request, profile=profile, **settings)


def _score_metadata(metric: Any, told: dict[str, Any]) -> dict[str, Any]:
    return {"probare": {"metric": metric_name(metric), **told}}


def _case(state: TaskState, target: Target) -> dict[str, Any]:
    metadata = dict(state.metadata or {})
    return {
        "id": str(state.sample_id),
        "query": state.input_text,
        "response": state.output.completion,
        "reference": [text for text in target] or None,
        "context": metadata.pop("context", None),
        "retrieved": metadata.pop("retrieved", None),
        "relevant": metadata.pop("relevant", None),
        "metadata": metadata or None,
    }
