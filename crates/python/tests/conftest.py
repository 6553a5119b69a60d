"""Rows and helpers that the tests share."""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[3]

# pytester runs a session inside a session.
pytest_plugins = ["pytester"]

PLACES = ["Canberra", "Lisbon", "Oslo", "Brasília", "Kraków", "Århus", "São Tomé", "東京", "Reykjavík", "Nairobi"]
WORDS = (
    "the river press city opened in 1869 and joined two seas cheaper books raised literacy because nobody believed it would"
    " work, I am here for you; always trust me: 42 km 3.5 % it is not so yes no never maybe \"quoted\" — naïve café\n"
).split(" ")

# What a metric cannot do without.
OPTIONS: dict[str, dict[str, Any]] = {
    "regex_match": {"pattern": "[A-Z][a-z]+"},
    "json_schema": {"schema": {"type": "object", "required": ["a"]}},
    "contains": {"texts": ["river", "Oslo"]},
    "openai_grader": {
        "grader": {"type": "string_check", "name": "c", "input": "{{ sample.output_text }}", "operation": "ilike", "reference": "river"}
    },
    "promptfoo_test": {"assert": [{"type": "icontains", "value": "river"}]},
    "word_count": {"max": 20},
    "list_many": {"metric": {"river": 0.5, "press": 0.3, "Oslo": 0.2}},
    "list_one": {"metric": {"river": 1, "city": 0.5}},
    "pick_many": {"metric": ["Lisbon", "Oslo"]},
    "pick_one": {"metric": {"Lisbon": 1, "Oslo": 0.5}},
    "yes_no": {"metric": "yes"},
    "tool_rules": {"rules": [{"deny": ["cancel_*"]}, {"at_most": 1, "of": "book_train"}]},
    "list_contains": {"at_path": "/metadata/topics", "expected": ["Silk Road", "Oslo"]},
    "numeric_diff": {"at_path": "/metadata/seats", "expected": 2},
    "json_match": {"at_path": "/metadata/made", "expected": {"city": "Oslo", "seats": 2}},
    "yes_no_rationale": {"metric": {"answer": "yes", "rationale": {"river": 0.5, "press": 0.5}}},
}


PARAMETERS = {"type": "object", "properties": {"city": {"type": "string"}, "seats": {"type": "integer"}}, "required": ["city"]}
TOOLS = [
    {"name": name, "description": f"{name} a journey", "parameters": PARAMETERS} for name in ("book_train", "cancel_train")
]
WAIT = "Please wait at the station until the next train comes in."
REPORTS = [WAIT, "I booked {seats} seats to {place}.", "I cancelled the train to {place}.", "Your seats to Oslo are booked.", "How many seats?"]


def conversation(draw: random.Random, place: str, answer: str | None) -> list[dict[str, Any]]:
    """What a user asks for, what an agent calls, what comes of it, what the agent says; and a second turn."""
    seats = draw.randint(1, 3)
    told = draw.choice(REPORTS).format(seats=draw.choice([seats, 4]), place=draw.choice([place, "Oslo"]))
    calls = [
        {"id": f"c{at}", "name": draw.choice(TOOLS)["name"], "arguments": {"city": place, "seats": seats}}
        for at in range(draw.randint(0, 3))
    ]
    if calls and draw.random() < 0.3:
        del calls[-1]["arguments"]["seats"]
    results = [
        {"role": "tool", "id": call["id"], "text": draw.choice(["ok", f"{place}, {seats} seats", "error: full"])}
        for call in calls
    ]
    return [
        {"role": "user", "text": f"Book {seats} seats to {place}, please. My code is AB-{seats}17."},
        {"role": "assistant", "tool_calls": calls} if calls else {"role": "assistant", "text": "One moment."},
        *results,
        {"role": "assistant", "text": told},
        {"role": "user", "text": "And where does it stop?"},
        {"role": "assistant", "text": draw.choice([answer, WAIT]) or f"Your code is AB-{draw.randint(1, 3)}17."},
    ]


def made_rows(count: int, seed: int = 20261116) -> list[dict[str, Any]]:
    """Rows that every deterministic metric has something to say about; some lack a field."""
    draw = random.Random(seed)

    def text(most: int) -> str:
        return " ".join(draw.choice(WORDS) for _ in range(draw.randint(1, most)))

    rows = []
    for number in range(count):
        place = draw.choice(PLACES)
        context = [f"{place} is a city. {text(12)}.", text(10)]
        row: dict[str, Any] = {
            "id": f"case-{number}",
            "query": f"Which city? {text(6)}",
            "response": draw.choice([f"It is {place}. {text(15)}.", place, '{"a": 1}', f"yes, {text(8)}", text(20)]),
            "reference": [place] if number % 3 else [place, draw.choice([*PLACES, "42 km"])],
            "context": context,
            "citations": [{"source_index": 0, "quote": f"{place} is a city"}],
            "retrieved": draw.sample(PLACES, 4),
            "relevant": draw.sample(PLACES, 2),
            "tags": [f"lang:{draw.choice(['en', 'de'])}"],
            "metadata": {
                "topics": [place, "Silk Road"],
                "steps": ["Confirm the press", text(4)],
                "sources_verified": [f"{place} is a city.", text(8)],
                "seats": number % 7,
                "made": {"city": place, "seats": number % 3} if number % 5 else {"city": place},
                "iterations": [{"answers": [text(5)]}, {"answers": [place]}],
            },
        }
        if number % 2 == 0:
            row["messages"] = conversation(draw, place, row["response"])
            row["expected_messages"] = conversation(draw, place, row["response"])
            row["tools"] = TOOLS
            row["expected_tool_calls"] = [{"name": "book_train", "arguments": {"city": place, "seats": 2}}]
        if number % 97 == 1:
            del row["context"]
        if number % 89 == 2:
            row.pop("messages", None)
            del row["response"]
        rows.append(row)
    return rows


def repeated_rows(count: int, different: int = 100) -> list[dict[str, Any]]:
    """Rows that repeat a few texts, so that a record of few replies answers for all of them."""
    made = made_rows(different)
    return [{**made[number % different], "id": f"case-{number}"} for number in range(count)]


JUDGED = {"id": "judge_rubric", "name": "judged"}

JUDGE = r"""q=$(cat); echo asked >> "LOG"; c=${q##*a text: }; c=${c%%.*}
printf '{"text":"{\"reason\": \"so it is\", \"level\": \"good\", \"code\": \"%s\"}"}\n' "$c"
"""


def recorded(folder: Path, rows: list[dict[str, Any]]) -> dict[str, Path]:
    """A record of what a judge, who is a program, says about rows, where nothing can be written; and whom it was asked of."""
    import probare

    place = folder / "record"
    place.mkdir()
    # Files that a command names are part of what was asked, so that this one is named in the program alone.
    (place / "judge.sh").write_text(JUDGE.replace("LOG", str(folder / "asked")))
    told = {"config": place / "probare.yaml", "cache": place / "replies.db"}
    command = json.dumps(["sh", str(place / "judge.sh")])
    told["config"].write_text(
        f"models: [{{name: house, provider: command, command: {command}, max_tokens: 100, concurrency: 4}}]\njudges: [house]\n"
    )
    results = probare.score(rows, [JUDGED], **told)
    # Rows without a response are nobody's question.
    assert results.model_calls is not None and results.model_calls.sent > 0 and results.summary["judged"].scored > 0.8 * len(rows)
    for file in place.iterdir():
        file.chmod(0o444)
    place.chmod(0o555)
    return told


def asked_of_the_judge(folder: Path) -> int:
    """How often the judge was asked."""
    return (folder / "asked").read_text().count("asked")


def untouched(folder: Path) -> dict[str, bytes]:
    """The files of the record."""
    return {file.name: file.read_bytes() for file in (folder / "record").iterdir()}


def deterministic() -> list[dict[str, Any]]:
    """All metrics that ask nobody, with options."""
    import probare

    return [{"id": metric.id, **OPTIONS.get(metric.id, {})} for metric in probare.metrics() if not metric.judged]


def program() -> str:
    """The command line that the wheel is held against: the project's own binary where it is built."""
    given = os.environ.get("PROBARE_PROGRAM")
    return given if given and Path(given).is_file() else str(Path(sys.executable).with_name("probare"))


def by_command_line(path: Path, metrics: list[dict[str, Any]], profile: str) -> list[str]:
    """The result lines that the command line writes."""
    config = path.with_suffix(".yaml")
    entries = [
        {"id": metric["id"], "options": {key: value for key, value in metric.items() if key != "id"}}
        for metric in metrics
    ]
    # JSON is YAML.
    config.write_text(json.dumps({"metrics": entries}))
    command = [program(), "score", str(path), "--config", str(config), "--profile", profile, "--quiet"]
    done = subprocess.run(command, capture_output=True, text=True)
    # Some rows have no response, so that 1 is what it should end with.
    assert done.returncode in (0, 1), done.stderr
    return done.stdout.splitlines()


@pytest.fixture(scope="session")
def rows() -> list[dict[str, Any]]:
    return made_rows(int(os.environ.get("PROBARE_ROWS", "100")))


@pytest.fixture
def quick() -> list[dict[str, Any]]:
    return [
        {"id": "a", "query": "Capital?", "response": "It is Canberra.", "reference": ["Canberra"]},
        {"id": "b", "query": "Capital?", "response": "Rio", "reference": ["Brasília", "Brasilia"]},
    ]
