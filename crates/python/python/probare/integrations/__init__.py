"""Probare inside other tools. Each module imports its tool, and nothing else does.

- `probare.integrations.inspect_ai.probare_scorer(metric)`: a scorer for Inspect AI
- `probare.integrations.deepeval.ProbareMetric(metric)`: a metric for DeepEval
- `probare.integrations.promptfoo.get_assert`: an assertion for promptfoo (`type: python`)
- `probare.integrations.lm_eval.register(metric)`: a metric for lm-evaluation-harness

What could not be scored is an error in the tool as well, never a number.
"""
