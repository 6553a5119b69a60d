#!/usr/bin/env python3
"""Makes the dictionary that stores are packed with: tests/stores/dictionary.py PROBARE OUT

Every case of the labelled sets of care, answers, contexts and interviews goes through the metrics that apply to it; what
the store would pack of them is handed to `zstd --train`. The texts are our own. `ordinary` is left out: it is what
`measure.py` measures with. A dictionary that was released is never made anew: a further one gets the next number.
"""

import json
import os
import pathlib
import random
import subprocess
import sys
import tempfile

LABELLED = pathlib.Path(__file__).resolve().parent.parent / "labelled"
NUMBER = 1
SIZE = int(os.environ.get("SIZE", 16 * 1024))


def rows(name):
    for half in ["development", "heldout", "second_development", "second_heldout"]:
        path = LABELLED / name / f"{half}.jsonl"
        if path.exists():
            yield from map(json.loads, open(path, encoding="utf-8"))


def cases():
    """Cases as a user has them: a question, an answer of some length, what is right, and passages."""
    chance = random.Random(3)
    care = [{"query": row["user"], "response": row["assistant"]} for row in rows("synthesis")]
    answers = [{"query": row["question"], "response": row["answer"], "reference": row["golds"]}
               for row in rows("answer_match") if row.get("golds")]
    contexts = [{"query": "What is known?", "response": row["response"], "context": row["context"],
                 "reference": row["context"][0]} for row in rows("rag")]
    interviews = [{"query": row["question"], "response": row["answer"], "reference": row["question"]}
                  for row in rows("socioscope") if isinstance(row["answer"], str)]
    long = []
    for number in range(400):
        some = chance.sample(care, 6)
        texts = [row["response"] for row in some]
        long.append({"query": some[0]["query"], "response": " ".join(texts[:3]), "reference": " ".join(texts[1:4]),
                     "context": [" ".join(texts[2:5]), texts[5]], "tags": ["en"], "metadata": {"number": number}})
    everything = care + answers + contexts + interviews + long
    for number, row in enumerate(everything):
        yield {"id": f"case-{number:05}", **row}


METRICS = ["relevance", "completeness", "hallucination", "verdict", "token_f1", "exact_match", "rouge_l", "bleu", "chrf",
           "answer_match", "jaccard", "contains", "levenshtein", "tfidf_cosine", "numeric_close", "json_valid",
           "agency_language", "topic_pivot", "unverifiable_reassurance"]


def main():
    probare, out = os.path.realpath(sys.argv[1]), os.path.realpath(sys.argv[2])
    chance = random.Random(5)
    with tempfile.TemporaryDirectory() as folder:
        given = {}
        with open(f"{folder}/cases.jsonl", "w", encoding="utf-8") as file:
            for row in cases():
                given[row["id"]] = row
                file.write(json.dumps(row, ensure_ascii=False) + "\n")
        os.mkdir(f"{folder}/bodies")
        for profile in ["reference", "careful"]:
            wanted = [part for metric in METRICS for part in ["-m", metric]]
            subprocess.run([probare, "score", "cases.jsonl", *wanted, "--profile", profile, "-o", "r.jsonl", "--quiet"],
                           cwd=folder, check=False, stdout=subprocess.DEVNULL)
            for number, line in enumerate(open(f"{folder}/r.jsonl", encoding="utf-8")):
                row = json.loads(line)
                case = dict(given[row["id"]])
                compact = {"ensure_ascii": False, "separators": (",", ":")}
                body = json.dumps(case.pop("response"), **compact) + "\n"
                for metric in chance.sample(list(row["scores"]), min(10, len(row["scores"]))):
                    body += json.dumps(metric) + "\n" + json.dumps(row["scores"][metric], **compact) + "\n"
                pathlib.Path(f"{folder}/bodies/{profile}-{number}").write_text(body, encoding="utf-8")
                if profile == "reference":
                    text = json.dumps(case, **compact)
                    pathlib.Path(f"{folder}/bodies/case-{number}").write_text(text, encoding="utf-8")
        subprocess.run(["zstd", "-q", "--train", "-r", f"{folder}/bodies", f"--maxdict={SIZE}", f"--dictID={NUMBER}",
                        "-f", "-o", out], check=True)


if __name__ == "__main__":
    main()
