"""Makes cases and configurations for a large store: python3 view_store.py FOLDER CASES, then there

    probare run probare.yaml
    probare run again.yaml

The answers are in the data, so nobody is asked; ten metrics look at each. The second run has other answers to the same questions,
so that both can be compared. `probare view` of that store is what the figures in docs/guides/view.md are of.
"""

import json
import random
import sys
from pathlib import Path

METRICS = ["exact_match", "contains", "token_f1", "rouge_l", "chrf", "levenshtein", "bleu", "tfidf_cosine", "json_valid", "jaccard"]
WORDS = "the a library bridge harbour opened closed in of to by was built paid refund letter winter council train north".split()


def sentence(chance: random.Random, most: int) -> str:
    return " ".join(chance.choice(WORDS) for _ in range(chance.randint(4, most)))


def answer(chance: random.Random, reference: str) -> str:
    words = reference.split()
    chance.shuffle(words)
    return reference if chance.random() < 0.3 else " ".join(words[: chance.randint(1, len(words))])


def main() -> None:
    folder, cases = Path(sys.argv[1]), int(sys.argv[2])
    metrics = sys.argv[3].split(",") if len(sys.argv) > 3 else METRICS
    folder.mkdir(parents=True, exist_ok=True)
    chance, other = random.Random(7), random.Random(8)
    with (folder / "cases.jsonl").open("w") as out, (folder / "again.jsonl").open("w") as again:
        for number in range(cases):
            reference = sentence(chance, 12)
            response = answer(chance, reference)
            case = {"id": f"case-{number}", "query": sentence(chance, 14) + "?", "response": response, "reference": [reference],
                    "context": [sentence(chance, 40), sentence(chance, 40)], "tags": [chance.choice(["lang:en", "lang:de", "lang:fr"])]}
            out.write(json.dumps(case) + "\n")
            # Two of three answers are as they were.
            if other.random() < 0.33:
                case["response"] = answer(other, reference)
            again.write(json.dumps(case) + "\n")
    for config, data in [("probare.yaml", "cases.jsonl"), ("again.yaml", "again.jsonl")]:
        lines = [f"datasets: [{{name: cases, path: {data}}}]", "metrics:", *[f"  - id: {metric}" for metric in metrics]]
        (folder / config).write_text("\n".join(lines) + "\n")


main()
