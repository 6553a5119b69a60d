"""The adapters, inside the real packages of the other tools."""

from __future__ import annotations

import asyncio
import json
import os
import shutil
import subprocess
import sys

import pytest
from conftest import ROOT

import probare

pytestmark = pytest.mark.peers


def test_inspect_ai(tmp_path):
    pytest.importorskip("inspect_ai")
    from inspect_ai import Task, eval
    from inspect_ai.dataset import MemoryDataset, Sample
    from inspect_ai.model import ModelOutput, ModelUsage, get_model

    from probare.integrations.inspect_ai import probare_scorer

    answers = ["It is Canberra.", "Rio"]
    outputs = [ModelOutput.from_content("mockllm/model", answer) for answer in answers]
    for output in outputs:
        # Without it the mock model fetches a tokenizer.
        output.usage = ModelUsage(input_tokens=1, output_tokens=1, total_tokens=2)
    samples = [Sample(id=1, input="Capital?", target="Canberra"), Sample(id=2, input="Capital?", target=["Brasília", "Brasilia"])]
    task = Task(dataset=MemoryDataset(samples), scorer=probare_scorer("token_f1"))
    model = get_model("mockllm/model", custom_outputs=outputs)
    [log] = eval(task, model=model, log_dir=str(tmp_path), display="none", max_samples=1)
    assert log.status == "success", log.error
    rows = [{"response": answer, "reference": list(sample.target)} for answer, sample in zip(answers, samples)]
    rows[0]["reference"] = ["Canberra"]
    expected = [row["scores"]["token_f1"] for row in probare.score(rows, "token_f1")]
    scores = [next(iter(sample.scores.values())) for sample in log.samples]
    assert [score.value for score in scores] == [told["value"] for told in expected]
    assert "matched response 6:14 'Canberra'" in scores[0].explanation
    assert log.results.scores[0].metrics["mean"].value == sum(told["value"] for told in expected) / 2


def test_scorers_of_inspect_are_named_by_metric_and_what_does_not_apply_is_unscored(tmp_path):
    pytest.importorskip("inspect_ai")
    import math

    from inspect_ai import Task, eval
    from inspect_ai.dataset import MemoryDataset, Sample
    from inspect_ai.model import ModelOutput, ModelUsage, get_model

    from probare.integrations.inspect_ai import probare_scorer

    outputs = [ModelOutput.from_content("mockllm/model", answer) for answer in ("It is Canberra.", "Rio")]
    for output in outputs:
        output.usage = ModelUsage(input_tokens=1, output_tokens=1, total_tokens=2)
    # The second sample has no target, to which nothing is compared.
    samples = [Sample(id=1, input="Capital?", target="Canberra"), Sample(id=2, input="Capital?", target=[])]
    scorers = [probare_scorer("token_f1"), probare_scorer({"id": "rouge_l", "name": "rouge"})]
    model = get_model("mockllm/model", custom_outputs=outputs)
    [log] = eval(Task(dataset=MemoryDataset(samples), scorer=scorers), model=model, log_dir=str(tmp_path), display="none", max_samples=1)
    assert log.status == "success", log.error
    assert [set(sample.scores) for sample in log.samples] == [{"token_f1", "rouge"}] * 2
    first, second = (sample.scores["token_f1"] for sample in log.samples)
    assert first.value == 0.5 and math.isnan(second.value) and "does not apply" in second.explanation
    means = {score.name: score.metrics["mean"].value for score in log.results.scores}
    assert means == {"token_f1": 0.5, "rouge": 0.5}
    with pytest.raises(probare.UsageError, match="unknown metric `token_f2`"):
        probare_scorer("token_f2")


def test_deepeval(tmp_path, monkeypatch):
    # It keeps files of its own where it runs.
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("DEEPEVAL_TELEMETRY_OPT_OUT", "YES")
    pytest.importorskip("deepeval")
    from deepeval import assert_test, evaluate
    from deepeval.test_case import LLMTestCase

    from probare.integrations.deepeval import ProbareMetric

    good = LLMTestCase(input="Capital?", actual_output="It is Canberra.", expected_output="Canberra")
    bad = LLMTestCase(input="Capital?", actual_output="Rio", expected_output="Brasília")
    metric = ProbareMetric("token_f1", threshold=0.5)
    assert metric.measure(good) == 0.5 and metric.is_successful() and "Canberra" in metric.reason
    assert asyncio.run(metric.a_measure(bad)) == 0.0 and not metric.is_successful()
    for wrong in ("token_f2", {"id": "ndcg", "depth": 5}):
        with pytest.raises(probare.UsageError):
            ProbareMetric(wrong)
    lower = ProbareMetric("hallucination", threshold=0.2)
    assert lower.measure(LLMTestCase(input="?", actual_output="Oslo is a city.", retrieval_context=["Oslo is a city."])) == 0.0
    assert lower.is_successful()
    assert_test(good, [ProbareMetric("token_f1", threshold=0.5)], run_async=False)
    with pytest.raises(AssertionError, match="token_f1"):
        assert_test(bad, [ProbareMetric("token_f1", threshold=0.5)], run_async=False)
    results = evaluate([good, bad], [ProbareMetric("token_f1", threshold=0.5)])
    assert [result.success for result in results.test_results] == [True, False]


def test_promptfoo_as_it_calls():
    from probare.integrations.promptfoo import get_assert

    context = {
        "prompt": "Capital of Australia?",
        "vars": {"reference": "Canberra"},
        "config": {"metric": "token_f1", "at_least": 0.4},
    }
    told = get_assert("It is Canberra.", context)
    assert (told["pass"], told["score"], told["namedScores"]) == (True, 0.5, {"token_f1": 0.5})
    assert "matched response 6:14 'Canberra'" in told["reason"]
    assert not get_assert("Rio", context)["pass"]
    with pytest.raises(probare.UsageError, match="there is no limit"):
        get_assert("x", {"config": {"metric": "token_f1"}})


def test_joblib_sends_metrics_and_brings_results():
    joblib = pytest.importorskip("joblib")

    # A function within a function travels as a whole.
    @probare.metric(version=2)
    def here(case: probare.Case, *, word: str = "we") -> probare.Score:
        return probare.Score(float(word in case.response), "yes" if word in case.response else "no")

    rows = [{"id": str(number), "response": "we go" if number % 3 else "they go", "reference": "we go"} for number in range(60)]
    metrics = [{"id": here, "word": "they"}, "token_f1"]
    parts = joblib.Parallel(n_jobs=2)(joblib.delayed(probare.score)(rows[at : at + 20], metrics, jobs=1) for at in range(0, 60, 20))
    whole = probare.score(rows, metrics)
    assert [part.summary["here"].labels for part in parts] == [{"yes": 7, "no": 13}, {"yes": 7, "no": 13}, {"yes": 6, "no": 14}]
    assert [row for part in parts for row in part] == list(whole)
    again = joblib.Parallel(n_jobs=2)([joblib.delayed(lambda part: (part.summary, part["token_f1"]))(part) for part in parts])
    assert again == [(part.summary, part["token_f1"]) for part in parts]


def test_cloudpickle_takes_whatever_the_package_gives():
    cloudpickle = pytest.importorskip("cloudpickle")
    rows = [{"id": "a", "response": "It is Oslo.", "reference": "Oslo"}, {"id": "b", "response": "Rome", "reference": "Rome"}]
    results = probare.score(rows, ["token_f1", probare.catalogue.chrf(word_order=2)])
    comparison = probare.compare(results, results, not_worse="token_f1")
    for value in (results, results.summary, results.summary["token_f1"], comparison, probare.metrics("text")):
        assert cloudpickle.loads(cloudpickle.dumps(value)) == value
    scorer = cloudpickle.loads(cloudpickle.dumps(probare.Scorer(["token_f1"], evidence=True)))
    assert scorer.metrics == ["token_f1"] and "token_f1.evidence" in scorer.schema.names
    call = cloudpickle.loads(cloudpickle.dumps(lambda cases: probare.score(cases, probare.catalogue.token_f1)))
    assert call(rows)["token_f1"] == results["token_f1"]


def test_a_notebook_is_run_and_shown_as_jupyter_does(tmp_path):
    pytest.importorskip("nbconvert", reason="nbconvert is not installed")
    pytest.importorskip("ipykernel", reason="ipykernel is not installed")
    notebook = shutil.copy(ROOT / "examples/own_metrics/own_metric.ipynb", tmp_path)
    command = [sys.executable, "-m", "nbconvert", "--to", "html", "--execute", str(notebook)]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, done.stderr
    page = (tmp_path / "own_metric.html").read_text(encoding="utf-8")
    for part in ("b 21 29 leverage jargon", "exit code 2", '<div class="probare"><table>', "<details><summary>", '<span class="mark bad"'):
        assert part in page, part


LM_TASK = """
task: probare_capitals
dataset_path: json
dataset_kwargs:
  data_files: {data}
test_split: train
output_type: generate_until
doc_to_text: "{{{{question}}}}"
doc_to_target: "{{{{answer}}}}"
generation_kwargs: {{until: ["\\n"], max_gen_toks: 8}}
metric_list:
  - metric: probare_token_f1
"""


def test_lm_evaluation_harness(tmp_path):
    pytest.importorskip("lm_eval")
    import lm_eval
    from lm_eval.tasks import TaskManager

    from probare.integrations.lm_eval import register

    assert register("token_f1") == "probare_token_f1"
    rows = [{"question": "Capital?", "answer": "lol"}, {"question": "Capital?", "answer": "lol Canberra"}]
    data = tmp_path / "capitals.jsonl"
    data.write_text("".join(json.dumps(row) + "\n" for row in rows))
    (tmp_path / "capitals.yaml").write_text(LM_TASK.format(data=data))
    manager = TaskManager(include_path=str(tmp_path), include_defaults=False)
    results = lm_eval.simple_evaluate(model="dummy", tasks=["probare_capitals"], task_manager=manager, bootstrap_iters=0)
    # The dummy model says "lol" to everything.
    expected = probare.score([{"response": "lol", "reference": row["answer"]} for row in rows], "token_f1")
    found = results["results"]["probare_capitals"]["probare_token_f1,none"]
    assert found == pytest.approx(expected.summary["token_f1"].mean, abs=0)


PROMPTFOO = """
prompts: ["{{question}}"]
providers: [echo]
tests:
  - vars: {question: It is Canberra., reference: Canberra}
    assert: [{type: python, value: "file://check.py", config: {metric: token_f1, at_least: 0.4}}]
  - vars: {question: Rio, reference: Canberra}
    assert: [{type: python, value: "file://check.py", config: {metric: token_f1, at_least: 0.4}}]
  - vars: {question: Rio, reference: Canberra}
    assert: [{type: python, value: "file://check.py", config: {metric: token_f2, at_least: 0.4}}]
"""


@pytest.mark.skipif("PROBARE_FOREIGN" not in os.environ, reason="promptfoo is not installed (tests/foreign/install.sh DIR promptfoo)")
def test_promptfoo_itself(tmp_path):
    (tmp_path / "check.py").write_text("from probare.integrations.promptfoo import get_assert\n")
    (tmp_path / "promptfooconfig.yaml").write_text(PROMPTFOO)
    environment = {**os.environ, "PROMPTFOO_PYTHON": sys.executable}
    words = ["eval", "--no-cache", "--no-share", "--no-table", "--no-progress-bar", "-o", "out.json"]
    # The file of settings says where promptfoo and its node are, and that nothing is sent.
    command = ["bash", "-c", '. "$PROBARE_FOREIGN/promptfoo.env" && exec promptfoo "$@"', "promptfoo", *words]
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=600)
    # An assertion that fails is 100.
    assert done.returncode == 100, done.stdout + done.stderr
    right, wrong, broken = json.loads((tmp_path / "out.json").read_text())["results"]["results"]
    for result, passed, score in ((right, True, 0.5), (wrong, False, 0.0)):
        [told] = result["gradingResult"]["componentResults"]
        assert (result["success"], result["score"]) == (told["pass"], told["score"]) == (passed, score)
        assert told["reason"].splitlines()[0] == f"token_f1 is {score}, at least 0.4 is wanted"
    assert result["namedScores"] == {"token_f1": 0.0}
    assert "matched response 6:14 'Canberra'" in right["gradingResult"]["componentResults"][0]["reason"]
    # What cannot be scored is an error that says why.
    assert not broken["success"] and "unknown metric `token_f2`" in json.dumps(broken, ensure_ascii=False)
