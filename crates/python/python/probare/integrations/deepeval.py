"""A metric for DeepEval.

    from deepeval import assert_test
    from probare.integrations.deepeval import ProbareMetric

    assert_test(test_case, [ProbareMetric("token_f1", threshold=0.5)])
"""

from __future__ import annotations

from typing import Any

from probare._arguments import Profile
from probare._frames import needed
from probare._metric import MetricRequest

needed("deepeval")
from deepeval.metrics import BaseMetric  # noqa: E402
from deepeval.test_case import LLMTestCase  # noqa: E402

from probare.integrations._case import explanation, is_higher_better, metric_name, score_case, score_case_async  # noqa: E402


class ProbareMetric(BaseMetric):
    """A metric of Probare. Where lower is better, a test passes at or below the threshold.

    An unknown metric or option is a `UsageError` here, not when the first test is measured. `settings` are further arguments of `probare.score`. DeepEval makes copies of its metrics from their attributes, so every
    argument is one.
    """

    def __init__(
        self,
        metric: MetricRequest,
        threshold: float = 0.5,
        profile: Profile | None = None,
        settings: dict[str, Any] | None = None,
    ) -> None:
        self.metric = metric
        self.threshold = threshold
        self.profile = profile
        self.settings = settings or {}
        self.async_mode = False
        self.include_reason = True
        self.higher_is_better = is_higher_better(metric, profile)
        self.score: float | None = None
        self.reason: str | None = None
        self.success: bool | None = None
        self.error: str | None = None

    @property
    def __name__(self) -> str:
        return metric_name(self.metric)

    def measure(self, test_case: LLMTestCase, *arguments: Any, **named_arguments: Any) -> float:
        """Scores a test case."""
        return self._set_result(score_case(_case(test_case), self.metric, self.profile, self.settings))

    async def a_measure(self, test_case: LLMTestCase, *arguments: Any, **named_arguments: Any) -> float:
        """The same without holding up anybody else."""
        return self._set_result(await score_case_async(_case(test_case), self.metric, self.profile, self.settings))

    def is_successful(self) -> bool:
        """Whether the last test case kept the threshold."""
        return bool(self.success)

    def _set_result(self, told: dict[str, Any]) -> float:
        value = float(told["value"])
        self.score = value
        self.reason = explanation(told)
        self.score_breakdown = told.get("parts") or None
        self.success = value >= self.threshold if self.higher_is_better else value <= self.threshold
        return value


def _case(test_case: LLMTestCase) -> dict[str, Any]:
    reference = test_case.expected_output
    return {
        "query": test_case.input,
        "response": test_case.actual_output,
        "reference": None if reference is None else [reference],
        "context": test_case.retrieval_context or test_case.context,
    }
