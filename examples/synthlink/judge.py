"""A stand-in for a judge: marks a step or claim as met where one sentence of the response, or of a source, holds most of its words.

`judge.jsonl` holds what it said of `system_a.json` and `system_b.json`; it was recorded with

    probare synthlink --catalog examples/synthlink --predictions examples/synthlink/system_a.json \\
        --predictions examples/synthlink/system_b.json --judge house
    probare cache export examples/synthlink/judge.jsonl

and a `probare.yaml` with `models: [{name: house, provider: command, command: [python3, examples/synthlink/judge.py]}]`.
"""

import json
import re
import sys

request = sys.stdin.read()
texts = []


def collect(value):
    if isinstance(value, str):
        texts.append(value)
    elif isinstance(value, dict):
        for item in value.values():
            collect(item)
    elif isinstance(value, list):
        for item in value:
            collect(item)


collect(json.loads(request))
whole = "\n".join(texts)
blocks = {
    name: "\n".join(line[2:] for line in body.split("\n") if line.startswith("| "))
    for name, body in re.findall(r"BEGIN ([a-z]+(?: \d+)?) \(\d+ lines?\)\n(.*?)\nEND \1", whole, re.DOTALL)
}


def words(text):
    return {word[:5] for word in re.findall(r"[a-z0-9]{4,}", text.lower())}


def sentences(text):
    return [part.strip() for part in re.split(r"(?<=[.!?])\s+|\n", text) if part.strip()]


of_steps = "response" in blocks
places = [blocks["response"]] if of_steps else [text for name, text in blocks.items() if name.startswith("source")]
share = 0.3 if of_steps else 0.6
said = []
for name, text in blocks.items():
    kind, _, number = name.partition(" ")
    if kind != ("step" if of_steps else "claim"):
        continue
    wanted = words(text)
    best = max((sentence for place in places for sentence in sentences(place)), key=lambda s: len(words(s) & wanted), default="")
    met = bool(wanted) and len(words(best) & wanted) >= share * len(wanted)
    said.append({"step": int(number), "quote": best if met else "", "met": met})
verdict = {"steps": said}
code = re.search(r"a text: ([0-9A-Za-z]+)", whole)
if code:
    verdict["code"] = code.group(1)
print(json.dumps({"text": json.dumps(verdict, ensure_ascii=False), "usage": {"input_tokens": len(whole) // 4, "output_tokens": 40}}))
