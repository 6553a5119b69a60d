#!/usr/bin/env python3
"""Writes the cases of this example and the recorded replies of its models.

    python3 make.py cases          writes cases.jsonl: the capitals of ../run/make.py
    python3 make.py reply NAME     answers one question, as the model NAME does (the `command` provider of probare)
    python3 make.py all            all of it: cases, a run of record.yaml, the export of what was recorded

The models are made up, programs of a few lines: with the prompt `plain` both answer in a sentence, with `terse` in a word, with
`expert` in a sentence and with a remark that nobody asked for. So nothing here says anything about a model that exists.
"""

import hashlib
import json
import os
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "run"))
import make as run  # noqa: E402

CASES = 20


def cases():
    for country, capital in run.rows(run.CAPITALS)[:CASES]:
        yield {"id": f"capital-{country}", "query": f"Which city is the capital of {country}?", "reference": [capital]}


def dice(*words):
    """A number below 100 that depends on nothing but the words."""
    return hashlib.sha256(" ".join(words).encode()).digest()[0] * 100 // 256


def reply(name):
    asked = json.load(sys.stdin)
    text = asked["messages"][-1]["text"]
    system = " ".join(message["text"] for message in asked["messages"] if message["role"] == "system")
    known = {case["query"]: case["reference"][0] for case in cases()}
    query = next(query for query in known if query in text)
    answer = known[query]
    wrong = sorted(set(known.values()) - {answer})[dice("other", name, query) % (CASES - 1)]
    careless = {"small": 20, "large": 6}[name] + (12 if "one word" in text else 0)
    if dice(name, system, text, str(asked["repeat"])) < careless:
        answer = wrong
    if "one word" in text:
        said = answer
    elif "expert" in system:
        said = f"{query[len('Which city is the capital of '):-1]} has a long history. Its capital is {answer}, as every geographer knows."
    else:
        said = f"The capital is {answer}."
    usage = {"input_tokens": (len(system) + len(text)) // 4, "output_tokens": len(said) // 4 + 1}
    print(json.dumps({"text": said, "usage": usage}))


def write_cases():
    with open("cases.jsonl", "w", encoding="utf-8") as out:
        for case in cases():
            out.write(json.dumps(case) + "\n")


def everything():
    probare = os.environ.get("PROBARE", "probare")
    write_cases()
    made = ["made.db", "made-store.db", "made.jsonl"]
    for name in made:
        if os.path.exists(name):
            os.remove(name)
    subprocess.run([probare, "run", "record.yaml", "-q", "--cache", "made.db", "--store", "made-store.db"], check=True)
    subprocess.run([probare, "cache", "export", "made.jsonl", "--cache", "made.db"], check=True)
    # A file of recorded replies stands for one model.
    files = {"small": [], "large": []}
    with open("made.jsonl", encoding="utf-8") as lines:
        for line in lines:
            row = json.loads(line)
            model = row["entry"]["request"]["model"]
            # What the reply rests on stays; what the call took on the day it was made goes.
            row["entry"] = {key: row["entry"][key] for key in ("request", "reply")}
            files[model].append(json.dumps(row, ensure_ascii=False) + "\n")
    for model, rows in files.items():
        with open(f"{model}.jsonl", "w", encoding="utf-8") as out:
            out.writelines(rows)
    for name in made:
        os.remove(name)


if __name__ == "__main__":
    command = sys.argv[1] if len(sys.argv) > 1 else ""
    if command == "cases":
        write_cases()
    elif command == "reply":
        reply(sys.argv[2])
    elif command == "all":
        everything()
    else:
        sys.exit(__doc__)
