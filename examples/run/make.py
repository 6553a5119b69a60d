#!/usr/bin/env python3
"""Writes the cases of this example and the recorded replies of its models.

    python3 make.py cases          writes cases.jsonl from the two tables below
    python3 make.py reply NAME     answers one question, as the model NAME does (the `command` provider of probare)
    python3 make.py split FILE     cuts an exported record into one file of replies for each model
    python3 make.py all            all of it: cases, a run of record.yaml, the export, the cut

The models are made up: `swift` answers in a word and is wrong now and then, `steady` answers in a sentence and is seldom
wrong, the three judges compare the answer with the reference by their own lights. So nothing here says anything about a
model that exists.
"""

import hashlib
import json
import os
import re
import subprocess
import sys

# Chemical elements: name, symbol, number of protons.
ELEMENTS = """
hydrogen H 1, helium He 2, lithium Li 3, beryllium Be 4, boron B 5, carbon C 6, nitrogen N 7, oxygen O 8, fluorine F 9,
neon Ne 10, sodium Na 11, magnesium Mg 12, aluminium Al 13, silicon Si 14, phosphorus P 15, sulfur S 16, chlorine Cl 17,
argon Ar 18, potassium K 19, calcium Ca 20, scandium Sc 21, titanium Ti 22, vanadium V 23, chromium Cr 24,
manganese Mn 25, iron Fe 26, cobalt Co 27, nickel Ni 28, copper Cu 29, zinc Zn 30, silver Ag 47, tin Sn 50, iodine I 53,
xenon Xe 54, tungsten W 74, platinum Pt 78, gold Au 79, mercury Hg 80, lead Pb 82, uranium U 92
"""

# Countries and the seats of their governments.
CAPITALS = """
France Paris, Spain Madrid, Portugal Lisbon, Italy Rome, Greece Athens, Norway Oslo, Sweden Stockholm, Finland Helsinki,
Denmark Copenhagen, Poland Warsaw, Austria Vienna, Hungary Budapest, Ireland Dublin, Iceland Reykjavik, Germany Berlin,
Belgium Brussels, Romania Bucharest, Bulgaria Sofia, Croatia Zagreb, Serbia Belgrade, Turkey Ankara, Egypt Cairo,
Kenya Nairobi, Ghana Accra, Morocco Rabat, Japan Tokyo, Thailand Bangkok, Vietnam Hanoi, Nepal Kathmandu, Iran Tehran,
Iraq Baghdad, Canada Ottawa, Cuba Havana, Peru Lima, Chile Santiago, Ecuador Quito, Uruguay Montevideo,
Australia Canberra, Mongolia Ulaanbaatar, Lebanon Beirut
"""


def rows(table):
    return [entry.split() for entry in " ".join(table.split()).split(", ")]


def cases():
    elements, capitals = rows(ELEMENTS), rows(CAPITALS)
    for name, symbol, number in elements:
        yield f"symbol-{name}", f"Which symbol do chemists write for {name}?", symbol, "chemistry", f"{name.capitalize()} is written as {symbol}."
        yield f"protons-{name}", f"How many protons are in one atom of {name}?", number, "chemistry", f"An atom of {name} has {number} protons."
        yield f"name-{symbol}", f"Which element has the symbol {symbol}?", name, "chemistry", f"The symbol {symbol} belongs to {name}."
    for country, capital in capitals:
        yield f"capital-{country}", f"Which city is the capital of {country}?", capital, "geography", f"The capital of {country} is {capital}."
        yield f"country-{capital}", f"Of which country is {capital} the capital?", country, "geography", f"{capital} is the capital of {country}."


def dice(*words):
    """A number below 100 that depends on nothing but the words."""
    return hashlib.sha256(" ".join(words).encode()).digest()[0] * 100 // 256


def reply(name):
    asked = json.load(sys.stdin)
    text = asked["messages"][-1]["text"]
    if name.startswith("judge"):
        blocks = dict(re.findall(r"BEGIN ([\w ]+?) \(\d+ lines?\)\n((?:\| .*\n?)*)", text))
        quoted = {key.split()[0]: value.replace("| ", "").strip() for key, value in blocks.items()}
        reference, response = quoted.get("reference", ""), quoted.get("response", "")
        same = reference.lower() in re.findall(r"\w+", response.lower())
        if dice(name, reference, response) < 4:
            same = not same
        said = json.dumps({"reason": f"The reference says {reference}, the response says: {response}", "same": same})
    else:
        known = {query: (answer, sentence, tag) for _, query, answer, tag, sentence in cases()}
        answer, sentence, tag = known[text]
        others = [other for other, _, kind in known.values() if kind == tag and other.isdigit() == answer.isdigit()]
        wrong = others[dice("other", name, text) % len(others)]
        if name == "swift":
            said = answer if dice(name, text) >= 20 else wrong
        else:
            said = sentence if dice(name, text) >= 8 else sentence.replace(answer, wrong)
    usage = {"input_tokens": sum(len(m["text"]) for m in asked["messages"]) // 4, "output_tokens": len(said) // 4 + 1}
    print(json.dumps({"text": said, "usage": usage}))


def write_cases():
    with open("cases.jsonl", "w", encoding="utf-8") as out:
        for number, (identifier, query, answer, tag, _) in enumerate(cases()):
            row = {"id": identifier, "query": query, "reference": [answer], "tags": [tag]}
            if number % 40 == 3:
                row["expect"] = [{"metric": "answer_match", "at_least": 0.55}]
            out.write(json.dumps(row) + "\n")


def split(path):
    files = {}
    for line in open(path, encoding="utf-8"):
        row = json.loads(line)
        model = row["entry"]["request"]["model"]
        # What the reply rests on stays; what the call took on the day it was made goes.
        row["entry"] = {key: row["entry"][key] for key in ("request", "reply")}
        files.setdefault("judges" if model.startswith("judge") else model, []).append(json.dumps(row, ensure_ascii=False))
    for name, lines in files.items():
        with open(f"replies/{name}.jsonl", "w", encoding="utf-8") as out:
            out.write("\n".join(lines) + "\n")


def everything():
    probare = os.environ.get("PROBARE", "probare")
    write_cases()
    os.makedirs("replies", exist_ok=True)
    for name in ("made.db", "made-store.db"):
        if os.path.exists(name):
            os.remove(name)
    subprocess.run([probare, "run", "record.yaml", "-q", "--record", "made.db", "--store", "made-store.db"])
    subprocess.run([probare, "models", "record", "export", "made.jsonl", "--record", "made.db"], check=True)
    split("made.jsonl")
    for name in ("made.db", "made-store.db", "made.jsonl"):
        os.remove(name)


if __name__ == "__main__":
    verb = sys.argv[1] if len(sys.argv) > 1 else ""
    if verb == "cases":
        write_cases()
    elif verb == "reply":
        reply(sys.argv[2])
    elif verb == "split":
        split(sys.argv[2])
    elif verb == "all":
        everything()
    else:
        sys.exit(__doc__)
