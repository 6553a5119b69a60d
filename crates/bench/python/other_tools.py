"""1,000 cases with two string checks through probare, promptfoo and Inspect: processor seconds and the most memory held.

    python3 crates/bench/python/other_tools.py DIR [PROBARE]

DIR holds the other tools, as tests/foreign/install.sh DIR puts them there. Nobody asks a model: probare reads the responses
from the file, promptfoo's echo provider gives them back, Inspect's mock model looks them up. The checks are the same: the
answer is contained, and the answer is all there is. Every program runs three times in turn as a user would call it, start
and report included; the least seconds and the least memory of each count. Children are counted.
"""

import json
import os
import re
import resource
import shutil
import subprocess
import sys
import threading
import time
from pathlib import Path

CASES = 1000
RUNS = 3
tools = Path(sys.argv[1]).resolve()
root = Path(__file__).resolve().parents[3]
probare = Path(sys.argv[2] if len(sys.argv) > 2 else root / "target/release/probare").resolve()
work = tools / "race"
shutil.rmtree(work, ignore_errors=True)
work.mkdir(parents=True)

cases = []
for number in range(CASES):
    answer = f"town {number * 7919 % 1000}"
    response = answer if number % 3 == 0 else f"It is {answer}, I think." if number % 3 == 1 else "I do not know."
    cases.append({"id": f"case-{number}", "query": f"Where does road {number} lead?", "response": response, "reference": answer})
expected = {"contains": sum(c["reference"] in c["response"] for c in cases), "equals": sum(c["reference"] == c["response"] for c in cases)}

(work / "cases.jsonl").write_text("".join(json.dumps(case) + "\n" for case in cases))
(work / "probare.yaml").write_text("datasets: [{path: cases.jsonl}]\nmetrics: [{id: contains}, {id: exact_match}]\n")
(work / "promptfoo.json").write_text(
    json.dumps(
        {
            "providers": ["echo"],
            "prompts": ["{{response}}"],
            "tests": [
                {
                    "vars": {"query": c["query"], "response": c["response"]},
                    "assert": [{"type": "contains", "value": c["reference"]}, {"type": "equals", "value": c["reference"]}],
                }
                for c in cases
            ],
        }
    )
)
(work / "inspect_race.py").write_text(
    '''
import json
from inspect_ai import Task, eval
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.model import ModelOutput, ModelUsage, get_model
from inspect_ai.scorer import exact, includes

cases = [json.loads(line) for line in open("cases.jsonl")]
answers = {case["query"]: case["response"] for case in cases}


def output(messages, *_):
    made = ModelOutput.from_content("mockllm/model", answers[messages[-1].text])
    made.usage = ModelUsage(input_tokens=10, output_tokens=5, total_tokens=15)
    return made


samples = [Sample(id=case["id"], input=case["query"], target=case["reference"]) for case in cases]
task = Task(dataset=MemoryDataset(samples), scorer=[includes(), exact()], name="race")
[log] = eval(task, model=get_model("mockllm/model", custom_outputs=output), log_dir="logs", display="none")
json.dump({score.name: score.metrics["mean" if "mean" in score.metrics else "accuracy"].value for score in log.results.scores}, open("inspect.out.json", "w"))
'''
)
environment = dict(os.environ)
for line in (tools / "promptfoo.env").read_text().splitlines():
    for name, value in re.findall(r'(\w+)=("[^"]*"|\S+)', line):
        environment[name] = value.strip('"').replace("$PATH", os.environ["PATH"])
environment["PROMPTFOO_CONFIG_DIR"] = str(work / "promptfoo-home")

commands = {
    "probare run": [str(probare), "run", "probare.yaml", "--quiet", "-o", "out.jsonl"],
    "promptfoo eval": [str(tools / "pf/node_modules/.bin/promptfoo"), "eval", "-c", "promptfoo.json", "--no-progress-bar", "--no-table", "--no-share", "-o", "promptfoo.out.json"],
    "Inspect eval": [str(tools / "inspect/bin/python"), "inspect_race.py"],
}


def memory(group):
    """Resident kilobytes of all processes of a group."""
    total = 0
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                fields = (entry / "stat").read_text().rsplit(")", 1)[1].split()
                if int(fields[2]) == group:
                    total += int(fields[21]) * os.sysconf("SC_PAGE_SIZE") // 1024
            except (OSError, IndexError):
                continue
    return total


def measured(command):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    start = time.monotonic()
    process = subprocess.Popen(command, cwd=work, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, start_new_session=True)
    errors = []
    reader = threading.Thread(target=lambda: errors.append(process.stderr.read()))
    reader.start()
    most = 0
    while process.poll() is None:
        most = max(most, memory(process.pid))
        time.sleep(0.002 if time.monotonic() - start < 0.5 else 0.1)
    reader.join()
    wall = time.monotonic() - start
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    # promptfoo ends with 100 where a test fails.
    if process.returncode not in (0, 100):
        sys.exit(f"{command[0]} ended with {process.returncode}: {errors[0].decode()[-500:]}")
    return seconds, wall, most / 1024


best = {name: None for name in commands}
for _ in range(RUNS):
    for name, command in commands.items():
        shutil.rmtree(work / ".probare", ignore_errors=True)
        shutil.rmtree(work / "promptfoo-home", ignore_errors=True)
        found = measured(command)
        best[name] = found if best[name] is None else tuple(min(pair) for pair in zip(best[name], found))

# All three must have found the same.
ours = {"contains": 0, "exact_match": 0}
for line in open(work / "out.jsonl"):
    for metric, told in json.loads(line)["scores"].items():
        ours[metric] += told["value"]
theirs = {"contains": 0, "equals": 0}
for result in json.load(open(work / "promptfoo.out.json"))["results"]["results"]:
    for component in result["gradingResult"]["componentResults"]:
        theirs[component["assertion"]["type"]] += component["score"]
inspect = json.load(open(work / "inspect.out.json"))
print("contained, equal:", tuple(expected.values()), "ours", tuple(ours.values()), "promptfoo", tuple(theirs.values()), "Inspect", tuple(round(v * CASES) for v in inspect.values()))
print(f"{'':16} {'CPU seconds':>12} {'seconds':>9} {'MB':>7}")
for name, (seconds, wall, most) in best.items():
    print(f"{name:16} {seconds:>12.3f} {wall:>9.2f} {most:>7.0f}")
