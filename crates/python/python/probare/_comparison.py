"""What became of a verification and of a comparison."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from probare import _probare


@dataclass(frozen=True)
class Verdict:
    """A finished run, computed again."""

    agrees: bool
    """Whether everything that was compared agrees."""
    cases: int
    scores: int
    spans: int
    inputs: int
    different: int
    disagreements: list[str]
    """The first places that differ."""
    unchecked: list[str]
    """Metrics that could not be computed again, because a model was asked and its replies are not in the response cache."""
    notes: list[str]
    cache: dict[str, Any] | None = None
    """Which response cache answered for models and programs, and how many entries were used and ignored."""

    def __bool__(self) -> bool:
        return self.agrees and not self.unchecked


class Comparison:
    """Runs against a baseline, case by case."""

    def __init__(self, native: _probare.Comparison) -> None:
        self._native = native

    @property
    def passes(self) -> bool:
        """Whether every limit of `not_worse` is kept."""
        return self._native.passes

    def to_dict(self) -> dict[str, Any]:
        """All numbers."""
        told: dict[str, Any] = json.loads(self._native.json())
        return told

    def to_markdown(self) -> str:
        """Tables in Markdown."""
        return self._native.markdown()

    def to_html(self, title: str | None = None) -> str:
        """A page of its own."""
        return self._native.html(title)

    def __repr__(self) -> str:
        return self._native.text().rstrip("\n")

    def _repr_markdown_(self) -> str:
        return self.to_markdown()
