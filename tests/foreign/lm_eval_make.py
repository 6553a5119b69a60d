"""Writes local tasks for lm-eval into the folder that is named, runs its dummy model on them, and copies the samples out."""

import json
import subprocess
import sys
from pathlib import Path

here = Path(__file__).parent
folder = Path(sys.argv[1])
tasks = folder / "tasks"
tasks.mkdir(parents=True, exist_ok=True)
questions = json.loads((here / "questions.json").read_text())
rows = [
    {"question": q["question"], "answer": q["answer"], "choices": [q["answer"], "Rome", "42"], "label": 0}
    for q in questions
]
(tasks / "data.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
common = f"""dataset_path: json
dataset_kwargs:
  data_files: {{test: {tasks / "data.jsonl"}}}
test_split: test
doc_to_text: "Question: {{{{question}}}}\\nAnswer:"
metadata: {{version: 1}}
"""
(tasks / "own_words.yaml").write_text(
    common
    + """task: own_words
output_type: generate_until
doc_to_target: "{{answer}}"
generation_kwargs: {until: ["\\n"], max_gen_toks: 16}
metric_list:
  - {metric: exact_match, aggregation: mean, higher_is_better: true}
"""
)
(tasks / "own_choice.yaml").write_text(
    common
    + """task: own_choice
output_type: multiple_choice
doc_to_target: label
doc_to_choice: choices
metric_list:
  - {metric: acc, aggregation: mean, higher_is_better: true}
"""
)
command = [sys.executable, "-m", "lm_eval", "--model", "dummy", "--tasks", "own_words,own_choice", "--include_path"]
subprocess.run(command + [str(tasks), "--output_path", str(folder / "made"), "--log_samples"], check=True)
for task in ["own_words", "own_choice"]:
    [made] = sorted((folder / "made").rglob(f"samples_{task}_*.jsonl"))[-1:]
    (folder / f"samples_{task}.jsonl").write_text(made.read_text())
