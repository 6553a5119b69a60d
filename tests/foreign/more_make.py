"""Files of Ragas, LangSmith, Langfuse and Hugging Face's datasets, written by the packages themselves: more_make.py OUT QUESTIONS

Nobody is asked: records of LangSmith and Langfuse are made with the types of their clients, which write them as their services do.
"""

import datetime
import json
import pathlib
import sys
import uuid

out, questions = pathlib.Path(sys.argv[1]), json.load(open(sys.argv[2]))
WHEN = datetime.datetime(2026, 1, 1, tzinfo=datetime.timezone.utc)


def identifier(text):
    return uuid.uuid5(uuid.NAMESPACE_URL, text)


def lines(name, rows):
    with open(out / name, "w", encoding="utf-8") as file:
        file.writelines(row + "\n" for row in rows)


def ragas():
    from ragas.dataset_schema import EvaluationDataset, MultiTurnSample, SingleTurnSample
    from ragas.messages import AIMessage, HumanMessage, ToolCall, ToolMessage

    samples = [
        SingleTurnSample(
            user_input=row["question"],
            retrieved_contexts=["A passage about it."],
            response=row["good"],
            reference=row["answer"],
        )
        for row in questions
    ]
    EvaluationDataset(samples=samples).to_jsonl(out / "ragas.jsonl")
    talk = MultiTurnSample(
        user_input=[
            HumanMessage(content="Rain in Rome?"),
            AIMessage(content="I look.", tool_calls=[ToolCall(name="weather", args={"city": "Rome"})]),
            ToolMessage(content="dry"),
            AIMessage(content="It is dry."),
        ],
        reference="dry",
        reference_tool_calls=[ToolCall(name="weather", args={"city": "Rome"})],
    )
    lines("ragas_turns.jsonl", [talk.model_dump_json()])
    # The rows of a result, as `to_pandas` gives them, with a metric that failed once.
    import pandas

    frame = EvaluationDataset(samples=samples).to_pandas()
    frame["faithfulness"] = [float("nan") if at == 1 else 0.5 for at in range(len(frame))]
    frame = frame.astype({"faithfulness": "float64"})
    lines("ragas_results.jsonl", [json.dumps(row) for row in frame.to_dict("records")])
    assert isinstance(frame, pandas.DataFrame)


def langsmith():
    from langsmith.schemas import Example, Run

    examples = [
        Example(
            id=identifier(row["id"]),
            dataset_id=identifier("desk"),
            inputs={"question": row["question"]},
            outputs={"answer": row["answer"]},
            metadata={"split": "test"},
            created_at=WHEN,
            modified_at=WHEN,
        )
        for row in questions
    ]
    lines("langsmith_examples.jsonl", [example.model_dump_json() for example in examples])
    runs = []
    for row in questions:
        root = identifier("run " + row["id"])
        runs.append(
            Run(
                id=root,
                name="desk",
                run_type="chain",
                start_time=WHEN,
                end_time=WHEN,
                trace_id=root,
                inputs={"question": row["question"]},
                outputs={"answer": row["good"]},
                dotted_order="1",
                feedback_stats={"correct": {"n": 1, "avg": 1.0}},
                session_id=identifier("project"),
                extra={},
            )
        )
        runs.append(
            Run(
                id=identifier("inner " + row["id"]),
                name="model",
                run_type="llm",
                start_time=WHEN,
                trace_id=root,
                parent_run_id=root,
                inputs={},
                outputs={},
                dotted_order="1.1",
                extra={},
            )
        )
    lines("langsmith_runs.jsonl", [run.model_dump_json() for run in runs])


def langfuse():
    from langfuse.api import DatasetItem, ObservationV2
    from langfuse.api.core.pydantic_utilities import parse_obj_as

    items, observations = [], []
    for row in questions:
        items.append(
            {
                "id": row["id"],
                "status": "ACTIVE",
                "input": {"question": row["question"]},
                "expectedOutput": row["answer"],
                "metadata": {"lang": "en"},
                "datasetId": "d1",
                "datasetName": "desk",
                "createdAt": WHEN,
                "updatedAt": WHEN,
                "mediaReferences": [],
            }
        )
        trace = "t" + row["id"]
        talk = [{"role": "user", "content": row["question"]}]
        observations.append(
            {
                "id": "o" + row["id"],
                "traceId": trace,
                "projectId": "p1",
                "type": "SPAN",
                "name": "desk",
                "startTime": WHEN,
                "input": {"question": row["question"]},
                "output": row["good"],
                "tags": ["made"],
                "isRootObservation": True,
            }
        )
        observations.append(
            {
                "id": "g" + row["id"],
                "traceId": trace,
                "projectId": "p1",
                "type": "GENERATION",
                "name": "model",
                "startTime": WHEN,
                "parentObservationId": "o" + row["id"],
                "input": talk,
                "model": "small",
                "output": {"role": "assistant", "content": row["good"]},
            }
        )
    lines("langfuse_items.jsonl", [parse_obj_as(DatasetItem, row).json() for row in items])
    lines("langfuse_observations.jsonl", [parse_obj_as(ObservationV2, row).json() for row in observations])


def hugging_face():
    from datasets import Dataset

    rows = [
        {
            "id": row["id"],
            "question": row["question"],
            "answers": {"text": [row["answer"]], "answer_start": [0]},
            "context": "A passage about it.",
            "response": row["good"],
        }
        for row in questions
    ]
    Dataset.from_list(rows).to_parquet(str(out / "squad.parquet"))


for make in (ragas, langsmith, langfuse, hugging_face):
    make()
