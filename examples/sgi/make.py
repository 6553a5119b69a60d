#!/usr/bin/env python3
"""Writes the rows of this example and the recorded replies of its models.

    python3 make.py data           writes data/*.jsonl from the tables below
    python3 make.py reply NAME     answers one question, as the model NAME does (the `command` provider of probare)
    python3 make.py all            all of it: rows, a run of record.yaml, the export, the cut into files

The models are made up: `mason` knows the answers and errs now and then, `wren` is quick and careless. The graders compare
words by their own lights. So nothing here says anything about a model that exists.
"""

import hashlib
import json
import os
import re
import struct
import subprocess
import sys
import zlib

# Deep research: discipline, question, steps, answer, a wrong answer.
RESEARCH = [
    ("astronomy", "A star has a parallax of 0.2 arcseconds. How far away is it, in parsecs?",
     ["The distance in parsecs is one divided by the parallax in arcseconds.", "1 / 0.2 = 5."], "5", "0.2"),
    ("chemistry", "How many grams of sodium chloride (58.44 g/mol) are needed for 250 mL of a 0.5 mol/L solution? Give two decimals.",
     ["0.25 L times 0.5 mol/L is 0.125 mol.", "0.125 mol times 58.44 g/mol is 7.305 g.", "Rounded half to even this is 7.30 g."], "7.30", "29.22"),
    ("life", "Which nitrogenous base of RNA takes the place of thymine in DNA?",
     ["DNA has adenine, cytosine, guanine and thymine.", "In RNA uracil pairs with adenine."], "uracil", "cytosine"),
    ("physics", "A ball falls freely from rest for 3 s (g = 10 m/s²). How far does it fall, in metres?",
     ["The distance is g t² / 2.", "10 times 9 divided by 2 is 45."], "45", "30"),
    ("earth", "Which layer of the atmosphere holds most of the ozone?",
     ["Ozone is densest between about 15 and 35 km.", "These heights lie in the stratosphere."], "stratosphere", "troposphere"),
    ("mathematics", "What is the sum of the interior angles of a heptagon, in degrees?",
     ["A polygon with n corners has (n - 2) times 180 degrees.", "5 times 180 is 900."], "900", "1260"),
    ("material", "An alloy of 30 g copper and 10 g zinc: what is the mass fraction of zinc?",
     ["The alloy has 40 g.", "10 / 40 = 0.25."], "0.25", "0.33"),
    ("energy", "A panel of 2 m² with an efficiency of 20 % in sunlight of 1000 W/m²: which power does it give, in watts?",
     ["2 m² receive 2000 W.", "A fifth of it is 400 W."], "400", "2000"),
    ("information", "How many bits are needed to number 1000 different items?",
     ["Two to the ninth is 512, which is too few.", "Two to the tenth is 1024, which suffices."], "10", "9"),
    ("neuroscience", "Which cells wrap axons of the central nervous system in myelin?",
     ["In the peripheral system it is done by Schwann cells.", "In the brain and spinal cord oligodendrocytes do it."], "oligodendrocytes", "Schwann cells"),
]

# Ideas: discipline, task, reference idea, keywords, related work, newest work, steps, measures, expected outcome.
IDEAS = [
    ("material", "Propose a way to find alloys for turbine blades with fewer experiments.",
     "Train a model on measured creep data, let it name the alloy whose result it is least sure of, melt and test that one, and repeat until the best alloy no longer changes.",
     ["alloy", "active learning", "creep"], {"screening": "computed phase diagrams rule out brittle alloys", "regression": "forests predict creep from composition"},
     {"Graph networks for creep": "structures of grains as graphs"}, {"1": "collect creep data", "2": "train the model", "3": "choose the least sure alloy", "4": "melt and test it"}),
    ("life", "Propose a way to learn early that a cell culture is failing.",
     "Film cultures with a cheap camera, learn the usual movement of healthy cells, and warn when the movement leaves that range for more than an hour.",
     ["cell culture", "microscopy", "anomaly"], {"staining": "dyes show dead cells at the end", "metabolites": "lactate is measured daily"},
     {"Movement maps": "optical flow of cell sheets"}, {"1": "film healthy cultures", "2": "learn usual movement", "3": "set the range", "4": "warn outside of it"}),
    ("earth", "Propose a way to warn of flash floods in small valleys.",
     "Put sound recorders along streams, learn how the noise of water grows with its height, and join the recordings with radar rain to predict the height an hour ahead.",
     ["flood", "acoustic sensor", "nowcasting"], {"gauges": "water height is measured at bridges", "radar": "rain is measured from afar"},
     {"Rain nowcasting": "radar images an hour ahead"}, {"1": "place recorders", "2": "learn noise and height", "3": "join with rain", "4": "predict an hour ahead"}),
    ("energy", "Propose a way to lengthen the life of batteries in electric buses.",
     "Learn from a fleet how each habit of charging ages cells, and let the depot choose the gentlest plan that still has every bus ready in the morning.",
     ["battery ageing", "charging", "fleet"], {"laboratory ageing": "cells are cycled in chambers", "rules": "charge stays below 80 %"},
     {"Fleet data": "ageing from the field"}, {"1": "collect fleet data", "2": "model ageing", "3": "plan charging", "4": "check readiness"}),
    ("astronomy", "Propose a way to find moons of planets around other stars.",
     "Fold light curves at the planet's period and look for a second dip that wanders around the first, with a test that compares it with the noise of quiet stars.",
     ["exomoon", "light curve", "transit"], {"transits": "planets are found by dips", "timing": "planets that come late betray companions"},
     {"Deep transit search": "networks that find shallow dips"}, {"1": "choose quiet stars", "2": "fold the curves", "3": "look for wandering dips", "4": "test against noise"}),
    ("chemistry", "Propose a way to choose solvents that are less harmful.",
     "Describe solvents by what they dissolve and by their harm, learn which pairs behave alike, and for each recipe propose the least harmful partner, with the risk that the yield falls.",
     ["solvent", "toxicity", "substitution"], {"guides": "tables rank solvents by harm", "models": "solubility is computed from structure"},
     {"Yield prediction": "transformers predict yields"}, {"1": "collect solvents", "2": "learn likeness", "3": "rank by harm", "4": "test the proposal"}),
]

# Dry experiments: discipline, task, name, arguments of the open function, its body, a wrong body, the five inputs, call.
DRY = [
    ("mathematics", "Complete the function that gives the median of a list of numbers.", "median", "values",
     "    ordered = sorted(values)\n    middle = len(ordered) // 2\n    if len(ordered) % 2:\n        return ordered[middle]\n    return (ordered[middle - 1] + ordered[middle]) / 2",
     "    return sorted(values)[len(values) // 2]",
     [[3, 1, 2], [4, 1, 3, 2], [7], [5, 5, 1], [2, 8, 4, 6]]),
    ("life", "Complete the function that gives the complement of a strand of DNA, read backwards.", "reverse_complement", "strand",
     "    pairs = {'A': 'T', 'T': 'A', 'C': 'G', 'G': 'C'}\n    return ''.join(pairs[base] for base in reversed(strand))",
     "    pairs = {'A': 'T', 'T': 'A', 'C': 'G', 'G': 'C'}\n    return ''.join(pairs[base] for base in strand)",
     ["ATGC", "AATT", "GATTACA", "C", "GGGAAA"]),
    ("physics", "Complete the function that gives the range of a throw on level ground, in metres with three decimals.", "throw", "launch",
     "    import math\n    speed, angle = launch\n    return round(speed ** 2 * math.sin(2 * math.radians(angle)) / 9.81, 3)",
     "    import math\n    speed, angle = launch\n    return round(speed ** 2 * math.sin(2 * angle) / 9.81, 3)",
     [[10, 45], [20, 30], [5, 60], [0, 45], [15, 90]]),
    ("chemistry", "Complete the function that gives the pH of a strong acid from its concentration, with two decimals.", "acidity", "concentration",
     "    import math\n    return round(-math.log10(concentration), 2)",
     "    import math\n    return round(-math.log(concentration), 2)",
     [0.1, 0.01, 0.5, 1.0, 0.0025]),
    ("information", "Complete the function that gives the edit distance of two words.", "distance", "pair",
     "    left, right = pair\n    row = list(range(len(right) + 1))\n    for i, a in enumerate(left, 1):\n        before, row[0] = row[0], i\n        for j, b in enumerate(right, 1):\n            before, row[j] = row[j], min(row[j] + 1, row[j - 1] + 1, before + (a != b))\n    return row[-1]",
     "    left, right = pair\n    return sum(a != b for a, b in zip(left, right))",
     [["kitten", "sitting"], ["abc", "abc"], ["", "abc"], ["flaw", "lawn"], ["a", "b"]]),
    ("astronomy", "Complete the function that gives the period of a planet in years from its distance in astronomical units, with three decimals.", "period", "distance",
     "    return round(distance ** 1.5, 3)", "    return round(distance ** (2 / 3), 3)", [1, 4, 0.39, 5.2, 9.58]),
]

# Wet experiments: discipline, task, steps (output, action, parameters). A value without quotes is a product.
WET = [
    ("life", "Extract protein from cells and show it on a blot.", [
        ("lysate", "Lyse cells", [("cells", '"frozen pellet"'), ("buffer", '"RIPA"'), ("time", '"20 min on ice"')]),
        ("clear", "Centrifuge sample", [("sample", "lysate"), ("speed", '"14000 g"')]),
        ("amount", "Measure protein concentration", [("sample", "clear"), ("assay", '"BCA"')]),
        ("gel", "Run SDS-PAGE", [("sample", "clear"), ("load", "amount")]),
        ("blot", "Transfer to membrane", [("gel", "gel"), ("membrane", '"PVDF"')])]),
    ("life", "Clone a gene into a plasmid.", [
        ("copies", "Amplify gene", [("template", '"genomic DNA"'), ("cycles", "30")]),
        ("cut", "Digest DNA", [("dna", "copies"), ("enzyme", '"EcoRI"')]),
        ("plasmid", "Ligate insert", [("insert", "cut"), ("vector", '"pUC19"')]),
        ("colonies", "Transform bacteria", [("plasmid", "plasmid"), ("strain", '"DH5 alpha"')])]),
    ("chemistry", "Make aspirin from salicylic acid.", [
        ("mixture", "Mix reactants", [("acid", '"salicylic acid"'), ("anhydride", '"acetic anhydride"')]),
        ("hot", "Heat mixture", [("sample", "mixture"), ("temperature", '"85 C"'), ("time", '"15 min"')]),
        ("crystals", "Cool and filter", [("sample", "hot"), ("bath", '"ice"')]),
        ("product", "Recrystallise", [("sample", "crystals"), ("solvent", '"ethanol and water"')])]),
    ("material", "Coat glass with a thin film of titanium dioxide.", [
        ("clean", "Clean substrate", [("glass", '"slide"'), ("solvent", '"acetone"')]),
        ("sol", "Prepare sol", [("precursor", '"titanium isopropoxide"'), ("solvent", '"ethanol"')]),
        ("film", "Spin coat", [("substrate", "clean"), ("liquid", "sol"), ("rpm", "3000")]),
        ("oxide", "Anneal film", [("film", "film"), ("temperature", '"450 C"')])]),
    ("life", "Measure how a gene answers to a hormone.", [
        ("plants", "Grow seedlings", [("seeds", '"Arabidopsis"'), ("days", "7")]),
        ("treated", "Apply hormone", [("plants", "plants"), ("hormone", '"ABA"')]),
        ("rna", "Extract RNA", [("tissue", "treated")]),
        ("cdna", "Reverse transcribe", [("rna", "rna")]),
        ("curve", "Run qPCR", [("template", "cdna"), ("gene", '"RD29A"')])]),
    ("earth", "Date a layer of peat.", [
        ("core", "Take core", [("site", '"bog"'), ("depth", '"1 m"')]),
        ("sample", "Cut sample", [("core", "core"), ("thickness", '"1 cm"')]),
        ("carbon", "Clean carbon", [("sample", "sample"), ("acid", '"HCl"')]),
        ("age", "Measure radiocarbon", [("carbon", "carbon")])]),
    ("chemistry", "Find the concentration of an acid.", [
        ("acid", "Pipette sample", [("volume", '"25 mL"')]),
        ("marked", "Add indicator", [("sample", "acid"), ("indicator", '"phenolphthalein"')]),
        ("end", "Titrate", [("sample", "marked"), ("base", '"0.1 M NaOH"')])]),
    ("neuroscience", "Record currents of neurons in a slice.", [
        ("slice", "Cut brain slice", [("thickness", '"300 um"')]),
        ("bath", "Keep slice alive", [("slice", "slice"), ("solution", '"ACSF"')]),
        ("cell", "Patch neuron", [("slice", "bath")]),
        ("trace", "Record current", [("cell", "cell"), ("voltage", '"-70 mV"')])]),
    ("energy", "Build and test a button cell.", [
        ("slurry", "Mix slurry", [("powder", '"LFP"'), ("binder", '"PVDF"')]),
        ("cathode", "Coat foil", [("slurry", "slurry"), ("foil", '"aluminium"')]),
        ("cell", "Assemble cell", [("cathode", "cathode"), ("anode", '"lithium"')]),
        ("capacity", "Cycle cell", [("cell", "cell"), ("rate", '"C/10"')])]),
    ("life", "Count living bacteria in milk.", [
        ("dilution", "Dilute sample", [("milk", '"raw"'), ("factor", "1000")]),
        ("plate", "Spread on agar", [("sample", "dilution")]),
        ("grown", "Incubate", [("plate", "plate"), ("temperature", '"37 C"')]),
        ("count", "Count colonies", [("plate", "grown")])]),
    ("physics", "Measure the thickness of a film by light.", [
        ("film", "Mount film", [("holder", '"rotating stage"')]),
        ("spectrum", "Record reflection", [("film", "film"), ("range", '"400-800 nm"')]),
        ("thickness", "Fit interference", [("spectrum", "spectrum")])]),
    ("material", "Grow crystals of a perovskite.", [
        ("solution", "Dissolve precursors", [("salts", '"PbI2 and MAI"'), ("solvent", '"GBL"')]),
        ("filtered", "Filter solution", [("solution", "solution")]),
        ("crystals", "Heat slowly", [("solution", "filtered"), ("rate", '"1 C per h"')]),
        ("pattern", "Collect XRD pattern", [("crystals", "crystals")])]),
]


def dice(*words):
    """A number below 100 that depends on nothing but the words."""
    return hashlib.sha256(" ".join(words).encode()).digest()[0] * 100 // 256


def protocol(steps):
    shown = []
    for output, action, parameters in steps:
        lines = ",\n".join(f"    {name}={value}" for name, value in parameters)
        shown.append(f"{output} = <{action}>(\n{lines}\n)")
    return "\n\n".join(shown)


def dry_main(name, argument, body):
    return (f"import json\n\n\ndef {name}({argument}):\n{body}\n\n\n"
            f"with open('data/input.json', encoding='utf-8') as file:\n    given = json.load(file)\nprint({name}(given))\n")


def dry_output(name, argument, body, value):
    space = {}
    exec(f"def {name}({argument}):\n{body}\n", space)
    return str(space[name](value))


def write(name, rows):
    with open(f"data/{name}.jsonl", "w", encoding="utf-8") as out:
        for row in rows:
            out.write(json.dumps(row, ensure_ascii=False) + "\n")


def write_data():
    os.makedirs("data", exist_ok=True)
    write("deep_research", [{"idx": f"research-{at + 1:02}", "question": question, "steps": steps, "answer": answer,
                             "discipline": discipline, "type": "number" if answer[0].isdigit() else "word"}
                            for at, (discipline, question, steps, answer, _) in enumerate(RESEARCH)])
    write("idea_generation", [{
        "idx": f"idea-{at + 1}", "question": question, "core_idea": idea, "keywords": keywords,
        "related_work": repr(related), "existing_solutions": repr({"usual": list(related.values())[0]}),
        "related_work_test": repr(newest), "implementation_steps": repr(steps),
        "implementation_order": [f"{a}-{a + 1}" for a in range(1, len(steps))],
        "evaluation_metrics": repr({"saved effort": "how much less has to be measured"}), "data": "public measurements and some of our own",
        "expected_outcome": "the same result with half of the effort", "challenge": "few data", "limitation": "known methods need many measurements",
        "motivation": question, "task_objective": question, "discipline": discipline}
        for at, (discipline, question, idea, keywords, related, newest, steps) in enumerate(IDEAS)])
    rows = []
    for at, (discipline, question, name, argument, body, _, inputs) in enumerate(DRY):
        main = dry_main(name, argument, body)
        row = {"idx": f"dry-{at + 1}", "question": f"{question}\n\nThe program:\n{dry_main(name, argument, '    pass')}",
               "incomplete_functions": [name], "incomplete_main_code": dry_main(name, argument, "    pass"), "main_code": main,
               "discipline": discipline, "function_type": "computation"}
        for number, value in enumerate(inputs):
            row[f"unit_test_{number}_data"] = (f"import json\n\nwith open('data/input.json', 'w', encoding='utf-8') as file:\n"
                                               f"    json.dump({value!r}, file)\n")
            row[f"unit_test_{number}_output"] = dry_output(name, argument, body, value)
        rows.append(row)
    write("dry_experiment", rows)
    write_reasoning()
    write("wet_experiment", [{"idx": f"wet-{at + 1:02}", "question": f"{question} Write the protocol.", "answer": protocol(steps),
                              "discipline": discipline} for at, (discipline, question, steps) in enumerate(WET)])


# Pictures of gels, as the lanes that hold a band and how strong it is; the question, the options, the right one, the steps.
GELS = {"gel_a": [200, 0, 120], "gel_b": [60, 120, 220], "gel_c": [150, 150, 0]}
CHOICES = [
    ("gel_a", "Which lane of the gel holds no band?", ["the left one", "the middle one", "the right one"], 1,
     ["The left and the right lane have a band.", "The middle lane has none."], "life"),
    ("gel_b", "What changes from the left lane to the right one?", ["the band grows weaker", "the band grows stronger", "nothing"], 1,
     ["The left band is faint.", "The right band is the strongest."], "chemistry"),
    ("gel_c", "Which lane was probably left without a sample?", ["the left one", "the middle one", "the right one", "none"], 2,
     ["A lane without a sample has no band.", "The right lane has none."], "life"),
]
CHOSEN = [
    "The middle lane is empty, all others have a band. \\boxed{B}",
    "The bands grow darker from left to right, so the amount grows. \\boxed{B}",
    "Every lane looks alike to me. \\boxed{D}",
]


def picture(lanes):
    """A gray PNG of three lanes, 12 pixels wide each, with a band of four rows where there is one."""
    rows = b""
    for y in range(24):
        row = bytes(255 - strength if 2 <= x < 10 and 10 <= y < 14 else 255 for strength in lanes for x in range(12))
        rows += b"\0" + row

    def chunk(kind, content):
        return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content))

    head = struct.pack(">IIBBBBB", 12 * len(lanes), 24, 8, 0, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b"")


def write_reasoning():
    os.makedirs("data/pictures", exist_ok=True)
    for name, lanes in GELS.items():
        with open(f"data/pictures/{name}.png", "wb") as out:
            out.write(picture(lanes))
    write("experimental_reasoning", [
        {"idx": f"reasoning-{at + 1}", "question": question, "images": [f"pictures/{gel}.png"], "options": options, "steps": steps,
         "step_images": [], "answer": answer, "image_type": "process", "discipline": discipline, "type": "perception"}
        for at, (gel, question, options, answer, steps, discipline) in enumerate(CHOICES)])
    with open("choices.jsonl", "w", encoding="utf-8") as out:
        for at, text in enumerate(CHOSEN):
            out.write(json.dumps({"idx": f"reasoning-{at + 1}", "response": text}) + "\n")


def answer_research(name, row):
    discipline, question, steps, answer, wrong = row
    luck = dice(name, question)
    given = answer if luck >= (5 if name == "mason" else 50) else wrong
    shown = "\n".join(f"Step {at + 1}. {step}" for at, step in enumerate(steps))
    if name == "wren" and luck % 2:
        return f"{shown}\n<answer>about {given}</answer>"
    return f"{shown}\n<answer>{given}</answer>"


def answer_idea(name, row):
    discipline, question, idea, keywords, related, newest, steps = row
    luck = dice(name, question)
    if name == "wren" and luck < 64:
        return "I would measure more and then decide."
    if name == "wren" and luck < 68:
        own = ""
    elif name == "wren":
        own = f"Use {keywords[0]} data and a network."
    else:
        own = (f"Instead of a fixed plan, begin with what {list(related.values())[0]} leaves open. {idea} "
               f"In addition, every result is published with the one that was expected, so that others can see how {keywords[-1]} misleads.")
    plan = dict(steps) if name == "mason" else {"1": "collect data", "2": "train"}
    order = [f"{a}-{a + 1}" for a in range(1, len(plan))]
    return json.dumps({"Idea": own, "ImplementationSteps": plan, "ImplementationOrder": order, "Dataset": "public measurements",
                       "EvaluationMetrics": {"error": "mean error on new cases"}, "ExpectedOutcome": "fewer experiments"}, ensure_ascii=False)


def answer_dry(name, row):
    discipline, question, function, argument, body, wrong, inputs = row
    luck = dice(name, question)
    if name == "wren" and luck < 15:
        return "The function should sort first and then look at the middle."
    given = body if luck >= (10 if name == "mason" else 55) else wrong
    return f"Here it is.\n<answer>\ndef {function}({argument}):\n{given}\n</answer>"


def answer_wet(name, row):
    discipline, question, steps = row
    luck = dice(name, question)
    steps = [(output, action, list(parameters)) for output, action, parameters in steps]
    if name == "mason" and luck < 20:
        steps[0], steps[1] = steps[1], steps[0]
    if name == "wren":
        if luck < 30:
            steps = steps[1:]
        elif luck < 50:
            steps[1] = (steps[1][0], "Wait", steps[1][2])
        elif luck < 65:
            return "First prepare the sample, then measure it and write everything down."
        elif luck < 75:
            return "<answer>\n" + "\n".join(f"{o} = <{a}>(" + ", ".join(f"{n}={v}" for n, v in p) + ")" for o, a, p in steps) + "\n</answer>"
    return f"<answer>\n{protocol(steps)}\n</answer>"


def blocks(text):
    found = re.findall(r"BEGIN ([\w ]+?) \(\d+ lines?\)\n((?:\| .*\n|\| ?\n)*)", text)
    return {name: "\n".join(line[2:] for line in body.splitlines()) for name, body in found}


def grade(name, asked):
    text = asked["messages"][-1]["text"]
    quoted = blocks(text)
    if "text" in quoted:  # the answer parser
        given = re.sub(r"^(about|roughly) ", "", quoted["text"].strip())
        return given
    if "solution" in quoted:
        right = quoted["reference answer"].strip() in quoted["final answer of the solution"]
        steps = [line for line in quoted["solution"].splitlines() if line.startswith("Step")]
        judged = [{"solution_step": step, "reason": "as in the reference", "judge": "correct"} for step in steps]
        if not right and judged:
            judged[-1].update(judge="incorrect", reason="the final answer does not follow")
        shown = json.dumps(judged, ensure_ascii=False)
        return shown if dice(name, text) >= 20 else f"Compared with the reference [1]:\n{shown}"
    if "idea A" in quoted:
        lines = []
        for respect in ("Effectiveness", "Novelty", "Detailedness", "Feasibility", "Overall"):
            longer = "A" if len(quoted["idea A"]) > len(quoted["idea B"]) else "B"
            if dice(name, respect, quoted["idea A"]) < 15:
                longer = "A"
            gap = "" if name == "judge_b" and dice(respect, text) < 25 else " "
            lines.append(f"{respect}: [Win{gap}{longer}] because it says more of what is to be done.")
        return "\n".join(lines)
    expected, got = [value.strip() for key, value in quoted.items() if "output" in key][:2] if len(quoted) >= 2 else ("", "x")
    try:
        near = abs(float(expected) - float(got)) < 1e-9
    except ValueError:
        near = expected == got
    return json.dumps({"judgment": "correct" if near else "incorrect", "reason": "digit by digit"})


def reply(name):
    asked = json.load(sys.stdin)
    text = asked["messages"][-1]["text"]
    if name in ("mason", "wren"):
        for table, answer in ((RESEARCH, answer_research), (IDEAS, answer_idea), (DRY, answer_dry), (WET, answer_wet)):
            for row in table:
                if text.startswith(row[1]):
                    said = answer(name, row)
                    break
            else:
                continue
            break
    else:
        said = grade(name, asked)
    usage = {"input_tokens": sum(len(m["text"]) for m in asked["messages"]) // 4, "output_tokens": len(said) // 4 + 1}
    print(json.dumps({"text": said, "usage": usage}))


def split(path):
    files = {}
    for line in open(path, encoding="utf-8"):
        row = json.loads(line)
        if "entry" in row:
            model = row["entry"]["request"]["model"]
            # What the reply rests on stays; what the call took on the day it was made goes.
            row["entry"] = {key: row["entry"][key] for key in ("request", "reply")}
        else:
            model = "grader"
        files.setdefault(model if model in ("mason", "wren") else "graders", []).append(json.dumps(row, ensure_ascii=False))
    for name, lines in files.items():
        with open(f"replies/{name}.jsonl", "w", encoding="utf-8") as out:
            out.write("\n".join(lines) + "\n")


def everything():
    probare = os.environ.get("PROBARE", "probare")
    write_data()
    os.makedirs("replies", exist_ok=True)
    for name in ("made.db", "made-store.db"):
        if os.path.exists(name):
            os.remove(name)
    subprocess.run([probare, "sgi", "run", "record.yaml", "-q", "--overwrite", "--record", "made.db", "--store", "made-store.db"])
    subprocess.run([probare, "models", "record", "export", "made.jsonl", "--record", "made.db"], check=True)
    split("made.jsonl")
    for name in ("made.db", "made-store.db", "made.jsonl"):
        os.remove(name)


if __name__ == "__main__":
    verb = sys.argv[1] if len(sys.argv) > 1 else ""
    if verb == "data":
        write_data()
    elif verb == "reply":
        reply(sys.argv[2])
    elif verb == "split":
        split(sys.argv[2])
    elif verb == "all":
        everything()
    else:
        sys.exit(__doc__)
