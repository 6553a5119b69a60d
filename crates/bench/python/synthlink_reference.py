"""The five SynthLink measures in plain Python: the yardstick for speed, and a second opinion on the numbers.

Written from the definitions on the metric pages of the family `deep_search`, one function per measure, without caches
or tricks. It reads a catalogue of JSON lines (`id`, `category`, `reference`, `topics`, `steps`) and a JSON array of
predictions.

    python3 synthlink_reference.py CATALOGUE.jsonl PREDICTIONS.json            rows as JSON, for a golden file
    python3 synthlink_reference.py CATALOGUE.jsonl PREDICTIONS.json --time     rows per CPU-second
"""

import json
import re
import sys
import time
from collections import Counter
from urllib.parse import unquote

STOP_WORDS = set(
    "a an and are as at be been by can could did do does for from had has have how in into is it its may might of on "
    "or s such that the their them these this those to was were what which while who why will with would eg ie etc".split()
)
INSTRUCTIONS = set("confirm research link synthesize understand identify analyze define trace".split())
ABBREVIATIONS = set("e.g. i.e. u.s. u.k. dr. mr. mrs. ms. st. vs. etc. no. ca. approx.".split())
WEIGHTS = (0.3, 0.2, 0.3, 0.1, 0.1)


def tokens(text):
    words, word = [], ""
    for character in text.lower() + " ":
        if character in "\u2018\u2019\u02bc":
            character = "'"
        if character.isalnum() or (character == "'" and word):
            word += character
        elif word:
            words.append(word)
            word = ""
    found = []
    for word in words:
        word = word.rstrip("'")
        if word.endswith("'s"):
            word = word[:-2]
        word = word.replace("'", "")
        if word:
            found.append(word)
    return found


def stem(word):
    if len(word) > 4 and word.endswith("ies"):
        return word[:-3] + "y"
    if len(word) > 3 and word.endswith("s") and not word.endswith(("ss", "us", "is")):
        return word[:-1]
    return word


def f1(answer, summary):
    left, right = tokens(answer), tokens(summary)
    shared = sum((Counter(left) & Counter(right)).values())
    if shared == 0:
        return 0.0
    precision, recall = shared / len(left), shared / len(right)
    return 2 * precision * recall / (precision + recall)


def precision_at_5(documents, topics):
    wanted = [tokens(unquote(topic)) for topic in topics]
    seen, relevant = [], 0
    for document in documents[:5]:
        key = tokens(unquote(document).replace("_", " "))
        if key and key not in seen and any(contains_run(key, topic) for topic in wanted):
            relevant += 1
        seen.append(key)
    return relevant / 5


def contains_run(words, run):
    return bool(run) and any(words[at : at + len(run)] == run for at in range(len(words) - len(run) + 1))


def keywords(step):
    words = tokens(step)
    if words and words[0] in INSTRUCTIONS:
        words = words[1:]
    return {stem(word) for word in words if word not in STOP_WORDS}


def reasoning(answer, steps):
    said = {stem(word) for word in tokens(answer)}
    wanted = [words for words in map(keywords, steps) if words]
    return sum(1 for words in wanted if words & said) / len(wanted) if wanted else 0.0


def claims(answer):
    found = []
    for segment in re.split(r"[\n;]", answer):
        words = []
        for word in segment.split():
            words.append(word)
            bare = word.rstrip("\"')]”’")
            if bare and bare[-1] in ".!?" and bare.lower().lstrip("(\"'[“‘") not in ABBREVIATIONS:
                found.append(" ".join(words))
                words = []
        if words:
            found.append(" ".join(words))
    return found


def content(text):
    return {stem(word) for word in tokens(text) if word not in STOP_WORDS}


def fact_checking(answer, sources):
    made = [words for words in map(content, claims(answer)) if words]
    held = [{stem(word) for word in tokens(source)} for source in sources]
    verified = 0
    for words in made:
        numbers = {word for word in words if any(character.isdigit() for character in word)}
        if any(5 * len(words & source) >= 3 * len(words) and numbers <= source for source in held):
            verified += 1
    return verified / len(made) if made else 0.0


def efficiency(iterations, summary):
    for number, iteration in enumerate(iterations, 1):
        if any(f1(answer, summary) >= 0.5 for answer in iteration.get("answers", [])):
            return 1 / min(number, 5)
    return 0.0


def row(question, prediction):
    answer = prediction.get("predicted_answer", "")
    values = (
        f1(answer, question["reference"]),
        precision_at_5(prediction.get("retrieved_docs", []), question["topics"]),
        reasoning(answer, question["steps"]),
        fact_checking(answer, prediction.get("sources_verified", [])),
        efficiency(prediction.get("iterations", []), question["reference"]),
    )
    aggregate = 0.0
    for weight, value in zip(WEIGHTS, values):
        aggregate += weight * value
    return (*values, aggregate)


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        questions = {question["id"]: question for question in map(json.loads, file)}
    start = time.process_time()
    with open(sys.argv[2], encoding="utf-8") as file:
        predictions = json.load(file)
    rows = {}
    for prediction in predictions:
        name = prediction["question_id"].strip()
        if name in questions and name not in rows:
            rows[name] = row(questions[name], prediction)
    spent = time.process_time() - start
    if "--time" in sys.argv:
        print(f"{len(rows)} rows, {spent:.2f} s of CPU, {len(rows) / spent:.0f} rows per CPU-second")
        return
    if "--json" in sys.argv:
        total = sum(values[-1] for values in rows.values())
        version = f"Python {sys.version_info.major}.{sys.version_info.minor}"
        print(json.dumps({"rows": len(rows), "seconds": spent, "total": total, "version": version}))
        return
    names = ("f1", "p_at_5", "rqs", "fcs", "ie", "aggregate_score")
    print(json.dumps({name: dict(zip(names, values)) for name, values in rows.items()}, indent=1))


if __name__ == "__main__":
    main()
