#!/usr/bin/env python3
"""Writes the cases of this example and the recorded replies of its models.

    python3 make.py cases          writes cases.jsonl
    python3 make.py reply NAME     answers one question, as the model NAME does (the `command` provider of probare)
    python3 make.py all            cases, a run of record.yaml, the replies of each model in a file of its own

The models are made up. `exact` calls what is needed and nothing else; `hasty` takes what stands in the question as it
stands: it forgets units, calls twice, writes a number as a text, and once breaks off in the middle of its arguments.
"""

import json
import os
import subprocess
import sys

CONVERT = {
    "type": "function",
    "function": {
        "name": "convert",
        "description": "Converts an amount of money.",
        "parameters": {
            "type": "object",
            "properties": {"amount": {"type": "number"}, "from": {"type": "string"}, "to": {"type": "string"}},
            "required": ["amount", "from", "to"],
        },
    },
}
WEATHER = {
    "name": "weather",
    "description": "Says how the weather will be.",
    "input_schema": {
        "type": "object",
        "properties": {"city": {"type": "string"}, "days": {"type": "integer", "minimum": 1}},
        "required": ["city"],
    },
}


def call(name, **arguments):
    return {"name": name, "arguments": {key.rstrip("_"): value for key, value in arguments.items()}}


# Id, question, tools, expected calls, what `exact` answers, what `hasty` answers.
CASES = [
    ("euros", "How much are 250 dollars in euros?", [CONVERT], [call("convert", amount=250, from_="USD", to="EUR")],
     [call("convert", amount=250, from_="USD", to="EUR")], [call("convert", amount="250", from_="USD", to="EUR")]),
    ("yen", "I have 40 pounds. What is that in yen?", [CONVERT], [call("convert", amount=40, from_="GBP", to="JPY")],
     [call("convert", amount=40, from_="GBP", to="JPY")], [call("convert", amount=40, from_="JPY", to="GBP")]),
    ("oslo", "Will it rain in Oslo in the next three days?", [WEATHER], [call("weather", city="Oslo", days=3)],
     [call("weather", city="Oslo", days=3)], [call("weather", city="Oslo")]),
    ("two-cities", "Is it warmer in Rome or in Bern?", [WEATHER], [call("weather", city="Rome"), call("weather", city="Bern")],
     [call("weather", city="Bern"), call("weather", city="Rome")], [call("weather", city="Rome"), call("weather", city="Rome")]),
    ("both", "How is the weather in Kyoto, and how many yen do I get for 90 francs?", [WEATHER, CONVERT],
     [call("weather", city="Kyoto"), call("convert", amount=90, from_="CHF", to="JPY")],
     [call("weather", city="Kyoto"), call("convert", amount=90, from_="CHF", to="JPY")], [call("weather", city="Kyoto"), {"name": "convert", "arguments": "{\"amount\": 90, \"from\": \"CH"}]),
    ("none", "Thank you, that is all.", [WEATHER, CONVERT], [], "You are welcome.", [call("weather", city="Kyoto")]),
    ("unknown", "Please book a table for two.", [WEATHER], [], "I can tell you about the weather; I cannot book tables.",
     [call("book_table", people=2)]),
    ("free", "What is the weather like?", [WEATHER], [], "For which city shall I look?", "It depends on where you are."),
]


def write_cases():
    with open("cases.jsonl", "w", encoding="utf-8") as file:
        for name, query, tools, expected, _, _ in CASES:
            row = {"id": name, "query": query, "tools": tools, "expected_tool_calls": expected}
            file.write(json.dumps(row, ensure_ascii=False) + "\n")


def reply(model):
    asked = json.load(sys.stdin)["messages"][-1]["text"]
    _, _, _, _, exact, hasty = next(case for case in CASES if case[1] == asked)
    said = exact if model == "exact" else hasty
    calls = [] if isinstance(said, str) else [{"id": f"call_{at + 1}", **one} for at, one in enumerate(said)]
    json.dump({"text": said if isinstance(said, str) else "", "tool_calls": calls}, sys.stdout)


def everything():
    write_cases()
    probare = os.environ.get("PROBARE", "probare")
    subprocess.run([probare, "run", "record.yaml", "-q"], check=True)
    subprocess.run([probare, "models", "record", "export", "all.jsonl"], check=True)
    files = {}
    with open("all.jsonl", encoding="utf-8") as every:
        for line in every:
            row = json.loads(line)
            # What the reply rests on stays; what the call took on the day it was made goes.
            row["entry"] = {key: row["entry"][key] for key in ("request", "reply")}
            files.setdefault(row["entry"]["request"]["model"], []).append(json.dumps(row, ensure_ascii=False))
    for model, lines in files.items():
        with open(f"{model}.jsonl", "w", encoding="utf-8") as own:
            own.write("\n".join(sorted(lines)) + "\n")
    os.remove("all.jsonl")


if __name__ == "__main__":
    {"cases": write_cases, "reply": lambda: reply(sys.argv[2]), "all": everything}[sys.argv[1]]()
