#!/usr/bin/env python3
"""Bytes and processor time that a store takes for a sample: tests/stores/measure.py PROBARE [SAMPLES]

Makes cases of ordinary English (sentences of tests/labelled/ordinary, put together by a fixed seed: a question, a
reference, 60 words of answer, 150 words of context), lets the given program run ten metrics over them, and prints the
size of the store and the time. Two programs can be held against each other.
"""

import json
import os
import pathlib
import random
import resource
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
METRICS = ["relevance", "completeness", "hallucination", "token_f1", "exact_match", "rouge_l", "bleu", "chrf",
           "answer_match", "jaccard"]


def sentences():
    """Sentences of responses that nobody wrote for this purpose."""
    found = []
    for name in ["responses_development", "responses_heldout"]:
        for line in open(HERE.parent / "labelled" / "ordinary" / f"{name}.jsonl", encoding="utf-8"):
            text = json.loads(line)["response"].replace("\n", " ")
            found += [part.strip() + "." for part in text.split(". ") if 20 < len(part) < 200]
    return sorted(set(found))


def cases(count, path):
    pool, chance = sentences(), random.Random(7)

    def text(words):
        parts = []
        while sum(len(part.split()) for part in parts) < words:
            parts.append(chance.choice(pool))
        return parts

    with open(path, "w", encoding="utf-8") as out:
        for number in range(count):
            context = text(150)
            answer = chance.sample(context, 3) + text(25)
            row = {
                "id": f"case-{number:07}",
                "query": f"What is said about {chance.choice(pool)[:60]}?",
                "response": " ".join(answer),
                "reference": " ".join(chance.sample(context, 2)),
                "context": [" ".join(context[: len(context) // 2]), " ".join(context[len(context) // 2 :])],
                "tags": [chance.choice(["en", "mail", "news"])],
            }
            out.write(json.dumps(row) + "\n")


def main():
    probare, count = os.path.realpath(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 10_000
    with tempfile.TemporaryDirectory() as folder:
        cases(count, f"{folder}/cases.jsonl")
        metrics = "".join(f"  - id: {metric}\n" for metric in METRICS)
        pathlib.Path(f"{folder}/probare.yaml").write_text(f"datasets:\n  - path: cases.jsonl\nmetrics:\n{metrics}")
        environment = dict(os.environ, PROBARE_STORE=f"{folder}/store.db")
        subprocess.run([probare, "run", "--quiet"], cwd=folder, env=environment, check=True, stdout=subprocess.DEVNULL)
        spent = resource.getrusage(resource.RUSAGE_CHILDREN)
        size, given = os.path.getsize(f"{folder}/store.db"), os.path.getsize(f"{folder}/cases.jsonl")
        print(f"{count} samples with {len(METRICS)} metrics: store {size / count:.0f} bytes a sample, "
              f"cases {given / count:.0f}, processor {spent.ru_utime + spent.ru_stime:.1f} s")
        keep = os.environ.get("KEEP")
        if keep:
            os.makedirs(keep, exist_ok=True)
            for name in ["store.db", "cases.jsonl"]:
                os.replace(f"{folder}/{name}", f"{keep}/{name}")


if __name__ == "__main__":
    main()
