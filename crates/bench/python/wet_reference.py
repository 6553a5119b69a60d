"""The wet experiment scores of SGI-Bench in plain Python, written from their formulas: the yardstick for speed.

    python3 wet_reference.py ROWS.jsonl OUTPUTS.jsonl      prints rows, CPU-seconds and the sum of the scores as JSON
"""

import json
import platform
import re
import sys
import time
from itertools import combinations

STEP = re.compile(r"(\w+)\s*=\s*<([^>]+)>\(\s*(.*?)(?=\n\s*\)\s*(?:\n|$))", re.DOTALL)
PARAMETER = re.compile(r"(\w+)\s*=\s*(.+?),?$")


def answer(text):
    start = text.rfind("<answer>")
    if start < 0:
        return text
    end = text.find("</answer>", start)
    return text if end < 0 else text[start + len("<answer>"):end].strip()


def read(text):
    steps = []
    for found in STEP.finditer(text):
        parameters = {}
        for line in found.group(3).split("\n"):
            line = line.strip()
            pair = PARAMETER.match(line) if line and line != ")" else None
            if pair:
                value = pair.group(2).strip()
                if value.startswith('"') and value.endswith('"'):
                    value = value[1:-1]
                parameters[pair.group(1)] = value
        steps.append((found.group(1).strip(), found.group(2).strip(), parameters))
    return steps


def similarity(left, right):
    if len(left) != len(right):
        return 0.0
    if len(left) <= 1:
        return 1.0
    pairs = list(combinations(range(len(left)), 2))
    opposite = sum((left[i][1] < left[j][1] and right[i][1] > right[j][1]) or (left[i][1] > left[j][1] and right[i][1] < right[j][1])
                   for i, j in pairs)
    return 1 - opposite / len(pairs)


def accuracy(left, right):
    made, here = {step[0] for step in left}, {step[0] for step in right}
    same, errors = {}, abs(len(left) - len(right))
    for (output, action, parameters), (own, other, given) in zip(left, right):
        wrong = action != other or parameters.keys() != given.keys()
        if not wrong:
            for name, value in parameters.items():
                is_made, is_here = value in made, given[name] in here
                if is_made != is_here or (is_made and same.get(given[name]) != value):
                    wrong = True
                    break
        if wrong:
            errors += 1
        else:
            same[own] = output
    return 1 - errors / max(len(left), len(right))


def score(reference, output):
    left, right = read(reference), read(answer(output))
    if not left or not right:
        return 0.0
    return (similarity(left, right) + accuracy(left, right)) / 2


def main():
    started = time.process_time()
    with open(sys.argv[2], encoding="utf-8") as file:
        outputs = {row["idx"]: row["response"] for row in map(json.loads, file)}
    total, rows = 0.0, 0
    with open(sys.argv[1], encoding="utf-8") as file:
        for row in map(json.loads, file):
            total += score(row["answer"], outputs[row["idx"]])
            rows += 1
    seconds = time.process_time() - started
    print(json.dumps({"rows": rows, "seconds": seconds, "total": total, "version": f"Python {platform.python_version()}"}))


if __name__ == "__main__":
    main()
