"""Rows as objects."""
import dataclasses
from typing import NamedTuple
import probare


@dataclasses.dataclass
class Answer:
    response: str
    reference: list[str]


class Pair(NamedTuple):
    response: str
    reference: str


probare.score([Answer("a", ["a"]), Answer("b", ["a"])], "exact_match")
probare.score((Pair("a", "a") for _ in range(3)), "exact_match")
probare.score({"response": ["a"], "reference": ["a"]}, "exact_match")
