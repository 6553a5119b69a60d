"""Rows as people hold them: objects that say their members, and values of any type where nobody reads them."""

from __future__ import annotations

import collections
import dataclasses
import datetime
import decimal
import enum
import pathlib
import uuid
from typing import Any, NamedTuple

import pytest

import probare


@dataclasses.dataclass
class Answer:
    response: str
    reference: list[str]
    notes: object = None


class Named(NamedTuple):
    response: str
    reference: str


class Dumped:
    """Like a model of pydantic."""

    def __init__(self, **members: Any) -> None:
        self._members = members
        self.__dict__.update(members)

    def model_dump(self) -> dict[str, Any]:
        return {name: value.model_dump() if isinstance(value, Dumped) else value for name, value in self._members.items()}


class Mapped(collections.UserDict):
    pass


class Attribute(NamedTuple):
    name: str


class Declared:
    """Like a class of attrs."""

    __attrs_attrs__ = (Attribute("response"), Attribute("reference"))

    def __init__(self) -> None:
        self.response, self.reference = "It is Oslo.", ["Oslo"]


class Struct:
    """Like one of msgspec."""

    __struct_fields__ = ("response", "reference")

    def __init__(self) -> None:
        self.response, self.reference = "It is Oslo.", ["Oslo"]


ROWS = {
    "attrs": Declared(),
    "msgspec": Struct(),
    "dataclass": Answer("It is Oslo.", ["Oslo"], notes=object()),
    "named tuple": Named("It is Oslo.", "Oslo"),
    "model": Dumped(response="It is Oslo.", reference=["Oslo"]),
    "mapping": Mapped(response="It is Oslo.", reference=["Oslo"]),
    "dict": {"response": "It is Oslo.", "reference": ["Oslo"]},
}


@pytest.mark.parametrize("row", ROWS.values(), ids=ROWS)
def test_a_row_is_what_can_say_its_members(row):
    assert probare.score([row], "token_f1")["token_f1"] == [0.5]
    assert probare.score((row for _ in range(2)), "token_f1")["token_f1"] == [0.5, 0.5]
    # One by itself is one row.
    assert probare.score(row, "token_f1")["token_f1"] == [0.5]


def test_a_series_is_a_row():
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame([{"response": "It is Oslo.", "reference": "Oslo"}] * 2)
    assert probare.score([row for _, row in frame.iterrows()], "token_f1")["token_f1"] == [0.5, 0.5]


class Colour(enum.Enum):
    RED = "red"


@pytest.mark.parametrize(
    "value",
    [decimal.Decimal("1.5"), {1, 2}, frozenset("ab"), b"\xff", bytearray(b"x"), object(), 1 + 2j, datetime.date(2026, 1, 1),
     datetime.timedelta(1), uuid.uuid4(), pathlib.Path("x"), Colour.RED, print, int, {1: 2}, [object()], float("inf"), range(3)],
    ids=lambda value: type(value).__name__,
)  # fmt: skip
def test_a_column_that_nobody_reads_may_hold_anything(value):
    results = probare.score([{"response": "a", "reference": "a", "other": value}], "exact_match")
    assert results["exact_match"] == [1.0] and not results.problems


def test_a_column_that_is_read_takes_what_has_a_text():
    row = {"response": decimal.Decimal("1.50"), "reference": [decimal.Decimal("1.50"), Colour.RED]}
    assert probare.score([row], "exact_match")["exact_match"] == [1.0]
    ranked = {"retrieved": ["a", "b"], "relevant": {"b", "a"}}
    assert probare.score([ranked], "ndcg")["ndcg"] == [1.0]
    with pytest.raises(probare.DataError, match="row 1: `response`: a value of type `object` cannot be written as JSON"):
        probare.score([{"response": object(), "reference": "a"}], "exact_match")


def reply(text: str) -> Dumped:
    """Like what OpenAI's package gives."""
    return Dumped(id="chatcmpl-1", model="m", choices=[Dumped(message=Dumped(role="assistant", content=text))])


def test_replies_stand_for_their_texts():
    replies = {
        "chat": reply("It is Oslo."),
        "responses": Dumped(output_text="It is Oslo.", output=[]),
        "anthropic": Dumped(role="assistant", content=[Dumped(type="text", text="It is "), Dumped(type="text", text="Oslo.")]),
        "langchain": Dumped(type="ai", content="It is Oslo.", id=None),
        "llama index": dataclasses.make_dataclass("Response", ["response", "source_nodes"])("It is Oslo.", []),
    }
    rows = [{"id": name, "response": value, "reference": "Oslo"} for name, value in replies.items()]
    results = probare.score(rows, "token_f1")
    assert {row["id"]: row["scores"]["token_f1"]["value"] for row in results} == dict.fromkeys(replies, 0.5)


def test_passages_and_responses_of_retrieval():
    document = Dumped(page_content="Oslo is the capital of Norway.", metadata={"source": "a"})
    row = {"query": "Capital of Norway?", "response": "Oslo is the capital of Norway.", "context": [document]}
    plain = {**row, "context": ["Oslo is the capital of Norway."]}
    [told], [expected] = probare.score([row], "hallucination"), probare.score([plain], "hallucination")
    assert told["scores"]["hallucination"]["value"] == expected["scores"]["hallucination"]["value"]
    node = {"node": {"text": "Oslo is the capital of Norway.", "metadata": {}}, "score": 0.9}
    made = dataclasses.make_dataclass("Response", ["response", "source_nodes", "query"])
    [told] = probare.score([made("Oslo is the capital of Norway.", [node], "Capital of Norway?")], "hallucination")
    assert told["scores"]["hallucination"]["value"] == expected["scores"]["hallucination"]["value"]


def test_messages_of_langchain_are_a_conversation():
    messages = [Dumped(type="human", content="Capital of Norway?"), Dumped(type="ai", content="It is Oslo.")]
    plain = [{"role": "user", "content": "Capital of Norway?"}, {"role": "assistant", "content": "It is Oslo."}]
    first, second = (probare.score([{"messages": given}], "loops").line(0) for given in (messages, plain))
    assert first == second


@pytest.mark.parametrize("response", ["output", "model_output", "generated_text", "pred", "prediction"])
@pytest.mark.parametrize("reference", ["target", "expected", "gold", "ground_truth"])
def test_names_that_other_tools_use(response, reference):
    assert probare.score([{response: "a", reference: "a"}], "exact_match")["exact_match"] == [1.0]


def test_conversations_that_end_without_an_answer_need_no_mapping():
    """A warning would be an error here."""
    call = {"role": "assistant", "tool_calls": [{"name": "book", "arguments": {}}]}
    row = {"messages": [{"role": "user", "content": "Book it."}, call], "reference": "Done.", "shop": "north"}
    for cases in ([row], iter([row])):
        assert probare.score(cases, "exact_match")["exact_match"] == [None]
    with pytest.warns(probare.ProbareWarning, match="no column is known to hold `context`;"):
        probare.score([row], ["exact_match", "hallucination"])


def test_a_column_that_nobody_knows_is_told_with_its_mapping(tmp_path):
    rows = [{"model_answer_text": "a", "label": "a"}]
    words = (
        "`exact_match` scored no row: no column is known to hold `response` and `reference`; the columns are model_answer_text, label."
        ' Name them: mapping={"response": "model_answer_text", "reference": "COLUMN"}'
    )
    path = tmp_path / "rows.csv"
    path.write_text("model_answer_text,label\na,a\n")
    for cases in (rows, iter(rows), path):
        with pytest.warns(probare.ProbareWarning) as told:
            probare.score(cases, "exact_match")
        assert [str(one.message) for one in told] == [words]
        assert told[0].filename == __file__
    # Where every column is understood there is nothing to name.
    assert probare.score([{"response": "a"}], "exact_match")["exact_match"] == [None]
    assert probare.score(rows, "exact_match", mapping={"response": "model_answer_text", "reference": "label"})["exact_match"] == [1.0]


@pytest.mark.peers
def test_objects_of_pydantic_attrs_and_msgspec_themselves():
    made = []
    pydantic = pytest.importorskip("pydantic", reason="pydantic is not installed")
    made.append(pydantic.create_model("Row", response=str, reference=list[str])(response="It is Oslo.", reference=["Oslo"]))
    attrs = pytest.importorskip("attrs", reason="attrs is not installed")
    made.append(attrs.make_class("Row", ["response", "reference"])("It is Oslo.", ["Oslo"]))
    msgspec = pytest.importorskip("msgspec", reason="msgspec is not installed")
    made.append(msgspec.defstruct("Row", ["response", "reference"])("It is Oslo.", ["Oslo"]))
    assert probare.score(made, "token_f1")["token_f1"] == [0.5] * 3
    assert [probare.score(row, "token_f1")["token_f1"] for row in made] == [[0.5]] * 3


@pytest.mark.peers
def test_objects_of_langchain_themselves():
    documents = pytest.importorskip("langchain_core.documents", reason="langchain-core is not installed")
    messages = pytest.importorskip("langchain_core.messages", reason="langchain-core is not installed")
    text = "Oslo is the capital of Norway."
    row = {"query": "Capital of Norway?", "response": messages.AIMessage(text), "context": [documents.Document(text, metadata={"page": 3})]}
    plain = {"query": "Capital of Norway?", "response": text, "context": [text]}
    [told], [expected] = probare.score([row], "hallucination"), probare.score([plain], "hallucination")
    assert told["scores"]["hallucination"]["value"] == expected["scores"]["hallucination"]["value"]
    asked = [messages.HumanMessage("Capital of Norway?"), messages.AIMessage([{"type": "text", "text": "It is Oslo."}])]
    said = [{"role": "user", "content": "Capital of Norway?"}, {"role": "assistant", "content": "It is Oslo."}]
    assert probare.score([{"messages": asked}], "loops").line(0) == probare.score([{"messages": said}], "loops").line(0)


@pytest.mark.peers
def test_replies_of_openai_itself():
    chat = pytest.importorskip("openai.types.chat", reason="openai is not installed")
    reply = chat.ChatCompletion.model_validate(
        {"id": "1", "object": "chat.completion", "created": 1, "model": "m", "choices": [
            {"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": "It is Oslo."}}
        ]}
    )  # fmt: skip
    assert probare.score([{"response": reply, "reference": "Oslo"}], "token_f1")["token_f1"] == [0.5]


@pytest.mark.peers
def test_responses_of_llama_index_themselves():
    base = pytest.importorskip("llama_index.core.base.response.schema", reason="llama-index-core is not installed")
    schema = pytest.importorskip("llama_index.core.schema", reason="llama-index-core is not installed")
    text = "Oslo is the capital of Norway."
    node = schema.NodeWithScore(node=schema.TextNode(text=text), score=0.9)
    response = base.Response(response=text, source_nodes=[node])
    plain = {"query": "Capital of Norway?", "response": text, "context": [text]}
    row = {"query": "Capital of Norway?", "response": response, "context": response.source_nodes}
    [told], [expected] = probare.score([row], "hallucination"), probare.score([plain], "hallucination")
    assert told["scores"]["hallucination"]["value"] == expected["scores"]["hallucination"]["value"]
