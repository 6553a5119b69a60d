"""Runs a small task with Inspect's mock model and writes its log as .eval and as .json into the folder that is named."""

import json
import sys
from pathlib import Path

from inspect_ai import Task, eval
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.log import write_eval_log
from inspect_ai.model import ModelOutput, ModelUsage, get_model
from inspect_ai.scorer import includes, match

here = Path(__file__).parent
folder = Path(sys.argv[1])
questions = json.loads((here / "questions.json").read_text())


def output(messages, *_):
    text = next(q["good"] for q in questions if q["question"] == messages[-1].text)
    made = ModelOutput.from_content("mockllm/model", text)
    made.usage = ModelUsage(input_tokens=10, output_tokens=5, total_tokens=15)
    return made


samples = [
    Sample(id=q["id"], input=q["question"], target=q["answer"], metadata={"category": q["category"]})
    for q in questions
]
epochs = int(sys.argv[2]) if len(sys.argv) > 2 else 2
task = Task(dataset=MemoryDataset(samples, name="questions"), scorer=[includes(), match()], name="questions")
log = eval(
    task,
    model=get_model("mockllm/model", custom_outputs=output),
    epochs=epochs,
    log_dir=str(folder / "logs"),
    max_samples=1,
    max_connections=1,
    display="none",
)[0]
# The machine and the folder are nobody's business.
log.eval.metadata = None
log.eval.revision = None
log.eval.task_file = None
log.eval.model_args = {}
# What happened in between is most of a log and nothing that is read here.
for sample in log.samples:
    sample.events = []
write_eval_log(log, str(folder / "inspect.eval"), format="eval")
write_eval_log(log, str(folder / "inspect.json"), format="json")
print(log.status, len(log.samples))
