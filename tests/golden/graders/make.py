"""Vectors of openai_grader, made with rapidfuzz 3.14.6 and rouge-score 0.1.2: make.py OUT"""

import json
import random
import sys

from rapidfuzz import fuzz
from rouge_score import rouge_scorer

random.seed(5)
words = "the a cat dog sat lay on mat Rome Paris is not 42 é naïve café fuzzy wuzzy bear had no hair under over, and. but".split()
pairs = [
    ("fuzzy wuzzy had no hair", "fuzzy wuzzy was a bear"),
    ("", ""),
    ("", "a"),
    ("a", ""),
    ("same text", "same text"),
    ("ABC", "abc"),
    ("naïve café", "naive cafe"),
    ("x" * 50, "x" * 49 + "y"),
    ("The cat.", "the cat"),
    ("😀 ok", "ok 😀"),
]
for _ in range(30):
    a = " ".join(random.choices(words, k=random.randint(1, 14)))
    b = " ".join(random.choices(words, k=random.randint(1, 14)))
    if random.random() < 0.5:
        l = a.split()
        if l:
            l[random.randrange(len(l))] = random.choice(words)
        b = " ".join(l)
    pairs.append((a, b))
out = []


def add(metric, a, b, value, frm):
    out.append(
        {
            "id": f"openai_grader-{len(out):03}",
            "from": frm,
            "tolerance": 1e-9,
            "params": {
                "grader": {
                    "type": "text_similarity",
                    "name": "g",
                    "input": "{{ sample.output_text }}",
                    "reference": "{{ item.reference }}",
                    "evaluation_metric": metric,
                    "pass_threshold": 0.5,
                }
            },
            "case": {"response": a, "metadata": {"item": {"reference": b}}},
            "value": value,
        }
    )


for a, b in pairs:
    add("fuzzy_match", a, b, fuzz.ratio(a, b) / 100, "rapidfuzz 3.14.6, fuzz.ratio")
for n in ("1", "2", "3", "4", "5", "L"):
    sc = rouge_scorer.RougeScorer(["rouge" + n], use_stemmer=False)
    for a, b in pairs:
        add("rouge_" + n.lower(), a, b, sc.score(b, a)["rouge" + n].fmeasure, "rouge-score 0.1.2")
open(sys.argv[1], "w").write("".join(json.dumps(o, ensure_ascii=False) + "\n" for o in out))
print(len(out))
