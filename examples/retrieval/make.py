#!/usr/bin/env python3
"""Writes the recorded replies of this example.

    python3 make.py reply    answers one question, as a made-up model does (the `command` provider of probare)
    python3 make.py all      indexes the interviews, asks the first twelve questions, and exports what was recorded

The model is made up. It looks for the known quotations in the passages that it is given and cites those that are there; now and
then it copies carelessly. So nothing here says anything about a model that exists.
"""

import json
import os
import re
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
PASSAGE = re.compile(r"<(passage[-0-9]*) source_index=(\d+)[^\n]*>\n(.*?)\n</\1>", re.S)


def reply():
    asked = json.load(sys.stdin)["messages"][-1]["text"]
    question = asked.rsplit("Question: ", 1)[1].strip()
    passages = [(int(index), text) for _, index, text in PASSAGE.findall(asked)]
    with open(os.path.join(HERE, "questions.jsonl"), encoding="utf-8") as file:
        known = {row["question"]: row for row in map(json.loads, file)}
    row = known.get(question)
    citations = []
    for number, evidence in enumerate(row["evidence"] if row else []):
        place = next((index for index, text in passages if evidence["quote"] in text), None)
        if place is None:
            continue
        quote = evidence["quote"]
        careless = sum(map(ord, question)) % 5
        if careless == 0:
            quote = quote.replace("’", "'").upper()
        elif careless == 1:
            quote = re.sub(r"\b(fourteen|one|two|eleven|140|38|180,000)\b", "thirteen", quote, flags=re.I)
        citations.append({"source_index": place, "quote": quote})
    answer = row["reference"] + "." if citations else "The passages do not say."
    print(json.dumps({"text": json.dumps({"answer": answer, "citations": citations}, ensure_ascii=False)}))


def run_all():
    program = os.environ.get("PROBARE", "probare")
    with tempfile.TemporaryDirectory() as folder:
        index, record = os.path.join(folder, "index"), os.path.join(folder, "replies.db")
        corpus = os.path.join(HERE, "../socioscope/corpus.json")
        subprocess.run([program, "rag", "index", corpus, "-o", index, "--no-vectors"], check=True)
        subprocess.run(
            [program, "rag", "test", index, "--questions", "questions.jsonl", "--model", "reader", "--config", "record.yaml"]
            + ["-k", "5", "--limit", "12", "--record", record, "--store", os.path.join(folder, "store.db")],
            cwd=HERE,
            check=True,
        )
        subprocess.run([program, "models", "record", "export", os.path.join(HERE, "replies.jsonl"), "--record", record], check=True)


if __name__ == "__main__":
    {"reply": reply, "all": run_all}[sys.argv[1]]()
