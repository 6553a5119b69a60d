"""Runs DeepEval over the questions with a metric of our own that asks no model: deepeval_make.py OUT QUESTIONS

The metric fails on purpose for one of them. DeepEval leaves `test_run_*.json` in the folder OUT.
"""

import json
import os
import sys

out = os.path.abspath(sys.argv[1])
os.environ.update(DEEPEVAL_TELEMETRY_OPT_OUT="1", DEEPEVAL_RESULTS_FOLDER=out, DEEPEVAL_DISABLE_PROGRESS_BAR="1")

from deepeval import evaluate  # noqa: E402
from deepeval.evaluate import CacheConfig, DisplayConfig, ErrorConfig  # noqa: E402
from deepeval.metrics import BaseMetric  # noqa: E402
from deepeval.test_case import LLMTestCase  # noqa: E402


class Contains(BaseMetric):
    threshold = 0.5

    def measure(self, case, *arguments, **options):
        if case.expected_output == "Goethe":
            raise ValueError("this metric fails on purpose")
        self.score = float(case.expected_output in case.actual_output)
        self.reason = "the expected words are " + ("there" if self.score else "missing")
        self.success = self.score >= self.threshold
        return self.score

    async def a_measure(self, case, *arguments, **options):
        return self.measure(case)

    def is_successful(self):
        return self.success

    @property
    def __name__(self):
        return "Contains"


cases = [
    LLMTestCase(name=row["id"], input=row["question"], actual_output=row["good"], expected_output=row["answer"],
                retrieval_context=["A passage about it."], tags=["made"])
    for row in json.load(open(sys.argv[2]))
]
evaluate(cases, [Contains()], display_config=DisplayConfig(print_results=False, show_indicator=False, results_folder=out),
         error_config=ErrorConfig(ignore_errors=True), cache_config=CacheConfig(write_cache=False, use_cache=False))
