"""Makes arithmetic.jsonl: verdicts drawn at random, and what Ragas and DeepEval compute of them.

    python3 -m venv /tmp/originals
    /tmp/originals/bin/pip install ragas==0.4.3 deepeval==4.3.1 'langchain-community<0.4' numpy
    /tmp/originals/bin/python tests/golden/judged_rag/make.py > tests/golden/judged_rag/arithmetic.jsonl

Nobody is asked: the verdicts are put where the replies of a model would be, and the packages' own functions compute the
score. A line has the metric, its options, the verdicts list by list, and the value of each package (null where it has no
such metric, or gives no number).
"""

import json
import math
import os
import random
import sys

os.environ["DEEPEVAL_TELEMETRY_OPT_OUT"] = "1"
os.environ["RAGAS_DO_NOT_TRACK"] = "true"

import numpy as np
from deepeval.metrics.answer_relevancy.answer_relevancy import AnswerRelevancyMetric
from deepeval.metrics.contextual_precision.contextual_precision import ContextualPrecisionMetric
from deepeval.metrics.contextual_recall.contextual_recall import ContextualRecallMetric
from deepeval.metrics.contextual_relevancy.contextual_relevancy import ContextualRelevancyMetric
from deepeval.metrics.faithfulness.faithfulness import FaithfulnessMetric
from ragas.metrics._context_precision import LLMContextPrecisionWithReference, Verification
from ragas.metrics._context_recall import ContextRecallClassification, LLMContextRecall
from ragas.metrics._faithfulness import Faithfulness, NLIStatementOutput, StatementFaithfulnessAnswer
from ragas.metrics._noise_sensitivity import NoiseSensitivity

from deepeval.metrics.utils.qag import Verdict


def bare(kind, **fields):
    """An object of a class without its constructor, which would want a model."""
    made = object.__new__(kind)
    fields.setdefault("strict_mode", False)
    fields.setdefault("threshold", 0.5)
    for name, value in fields.items():
        setattr(made, name, value)
    return made


class Said:
    def __init__(self, met):
        self.verdict = Verdict.YES if met else Verdict.NO


def number(value):
    value = float(value)
    return None if math.isnan(value) else value


def deepeval(kind, verdicts, **fields):
    return number(bare(kind, verdicts=[Said(met) for met in verdicts], **fields)._calculate_score())


def faithfulness(verdicts):
    answers = NLIStatementOutput(
        statements=[StatementFaithfulnessAnswer(statement="s", reason="", verdict=int(met)) for met in verdicts]
    )
    ragas = Faithfulness._compute_score(bare(Faithfulness), answers)
    return number(ragas), deepeval(FaithfulnessMetric, verdicts, penalize_ambiguous_claims=False)


def context_recall(verdicts):
    said = [ContextRecallClassification(statement="s", reason="", attributed=int(met)) for met in verdicts]
    ragas = LLMContextRecall._compute_score(bare(LLMContextRecall), said)
    return number(ragas), deepeval(ContextualRecallMetric, verdicts)


def context_precision(verdicts):
    said = [Verification(reason="", verdict=int(met)) for met in verdicts]
    kind = LLMContextPrecisionWithReference
    ragas = kind._calculate_average_precision(bare(kind), said)
    return number(ragas), deepeval(ContextualPrecisionMetric, verdicts)


def context_relevance(verdicts):
    class Passage:
        pass

    passage = Passage()
    passage.verdicts = [Said(met) for met in verdicts]
    metric = bare(ContextualRelevancyMetric, verdicts_list=[passage])
    return None, number(metric._calculate_score())


def answer_relevancy(verdicts):
    return None, deepeval(AnswerRelevancyMetric, verdicts)


def noise_sensitivity(mode, right, passages):
    answers = {
        "retrieved2ground_truth": np.array([reference for reference, _ in passages]).T.astype(bool),
        "retrieved2answer": np.array([response for _, response in passages]).T.astype(bool),
        "ground_truth2answer": np.array([right]).astype(bool),
    }
    return number(NoiseSensitivity._compute_score(bare(NoiseSensitivity, mode=mode), answers)), None


def main():
    draw = random.Random(47)
    yes = lambda count: [draw.random() < 0.5 for _ in range(count)]
    lists = {
        "judge_claims": faithfulness,
        "judge_context_recall": context_recall,
        "judge_context_precision": context_precision,
        "judge_context_relevance": context_relevance,
        "judge_answer_relevancy": answer_relevancy,
    }
    number_of_line = 0

    def line(metric, options, verdicts, values):
        nonlocal number_of_line
        number_of_line += 1
        ragas, deepeval = values
        print(json.dumps({
            "id": f"jra-{number_of_line:03}", "from": "ragas 0.4.3, deepeval 4.3.1", "metric": metric, "options": options,
            "verdicts": verdicts, "ragas": ragas, "deepeval": deepeval,
        }))

    for metric, compute in lists.items():
        fixed = [[True], [False], [True, False], [False, True], [False, False, True], [True] * 5, [False] * 4]
        for verdicts in fixed + [yes(draw.randint(1, 9)) for _ in range(13)]:
            line(metric, {}, [verdicts], compute(verdicts))
    for at in range(40):
        mode = ["relevant", "irrelevant"][at % 2]
        statements, right, count = draw.randint(1, 6), draw.randint(1, 4), draw.randint(1, 4)
        correct = yes(statements)
        passages = [(yes(right), yes(statements)) for _ in range(count)]
        verdicts = [correct] + [part for pair in passages for part in pair]
        line("judge_noise_sensitivity", {"mode": mode}, verdicts, noise_sensitivity(mode, correct, passages))


if __name__ == "__main__":
    sys.exit(main())
