#!/usr/bin/env python3
"""Writes the cases of this example and the recorded replies of its judge, both from transcripts.txt.

    python3 make.py cases     writes cases.jsonl
    python3 make.py reply     answers one question, as the judge does (the `command` provider of probare)
    python3 make.py all       all of it: cases, a run of record.yaml, the export of what was recorded

Transcripts, labels and the verdicts of the judge were written by hand. No model was asked, so nothing here says anything about a
model that exists.
"""

import json
import os
import re
import subprocess
import sys

# The rubrics with their levels, by the letters of the table.
RUBRICS = {
    "claimed_actions": {"u": "unbacked", "i": "inaccurate", "b": "backed"},
    "task_completion": {"n": "not done", "p": "partly done", "d": "done"},
    "trajectory_quality": {"p": "poor", "f": "fair", "g": "good"},
}


def blocks():
    """Each case with the verdicts of the judge and why."""
    with open("transcripts.txt", encoding="utf-8") as file:
        text = file.read()
    for block in text.split("\n== ")[1:]:
        head, *lines = block.strip().splitlines()
        name, labels, judged, why = head.split(" | ")
        tools, messages, calls = [], [], 0
        for line in lines:
            kind, rest = line.split(": ", 1)
            if kind == "T":
                tools = [{"name": tool} for tool in rest.split()]
            elif kind in "SUA":
                messages.append({"role": {"S": "system", "U": "user", "A": "assistant"}[kind], "content": rest})
            elif kind == "C":
                calls += 1
                tool, arguments = rest.split(" ", 1)
                call = {"id": f"c{calls}", "name": tool, "arguments": json.loads(arguments)}
                messages.append({"role": "assistant", "tool_calls": [call]})
            else:
                result = {"role": "tool", "id": f"c{calls}", "name": tool, "content": rest}
                messages.append(result | ({"error": True} if kind == "E" else {}))
        case = {"id": name, "tools": tools, "messages": messages}
        for (rubric, levels), letter in zip(RUBRICS.items(), labels.split()):
            case[rubric] = levels[letter]
        verdicts = {rubric: levels[letter] for (rubric, levels), letter in zip(RUBRICS.items(), judged.split())}
        yield case, verdicts, why


def write_cases():
    with open("cases.jsonl", "w", encoding="utf-8") as out:
        for case, _, _ in blocks():
            out.write(json.dumps(case) + "\n")


def reply():
    asked = json.load(sys.stdin)
    text = asked["messages"][-1]["text"]
    levels = re.findall(r"^- ([a-z ]+): ", text.split("The levels:\n")[1].split("\n\n")[0], re.MULTILINE)
    rubric = next(name for name, known in RUBRICS.items() if list(known.values()) == levels)
    quoted = re.search(r"BEGIN response \(\d+ lines?\)\n\| (.*)", text).group(1)
    verdicts, why = next((verdicts, why) for case, verdicts, why in blocks() if case["messages"][-1]["content"] == quoted)
    said = {"reason": why, "level": verdicts[rubric]}
    nonce = re.findall(r"\b[0-9a-f]{16}\b", text)
    if nonce:
        said["nonce"] = nonce[-1]
    print(json.dumps({"text": json.dumps(said), "usage": {"input_tokens": len(text) // 4, "output_tokens": 30}}))


def everything():
    probare = os.environ.get("PROBARE", "probare")
    write_cases()
    for name in ("made.db", "made.jsonl"):
        if os.path.exists(name):
            os.remove(name)
    subprocess.run([probare, "score", "-c", "record.yaml", "-q", "--cache", "made.db"], check=True, stdout=subprocess.DEVNULL)
    subprocess.run([probare, "cache", "export", "made.jsonl", "--cache", "made.db"], check=True)
    with open("made.jsonl", encoding="utf-8") as made, open("replies.jsonl", "w", encoding="utf-8") as out:
        for line in made:
            row = json.loads(line)
            # What the reply rests on stays; what the call took on the day it was made goes.
            row["entry"] = {key: row["entry"][key] for key in ("request", "reply")}
            out.write(json.dumps(row, ensure_ascii=False) + "\n")
    for name in ("made.db", "made.jsonl"):
        os.remove(name)


if __name__ == "__main__":
    command = sys.argv[1] if len(sys.argv) > 1 else ""
    if command == "cases":
        write_cases()
    elif command == "reply":
        reply()
    elif command == "all":
        everything()
    else:
        sys.exit(__doc__)
