"""What became of a verification and of a comparison."""

from __future__ import annotations

import json
import warnings
from dataclasses import dataclass
from html import escape
from typing import Any, NamedTuple

from probare import _probare
from probare._arguments import stack_level
from probare._errors import ProbareWarning


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


class _Rendered(NamedTuple):
    """A comparison in all its forms: what travels to another process."""

    passes: bool
    json: str
    text: str
    markdown: str
    page: str
    """The page with `TITLE` in place of its title."""
    title: str


TITLE = "probare-title-of-the-page"


class Comparison:
    """Runs against a baseline, case by case. It is true if every limit of `not_worse` is shown to be kept, so that it can be asserted.

    Comparisons can be pickled and compared (`==`: the same numbers).
    """

    def __init__(self, native: _probare.Comparison | _Rendered) -> None:
        self._native = native

    @property
    def passes(self) -> bool:
        """Whether every limit of `not_worse` is kept."""
        return self._native.passes

    def __bool__(self) -> bool:
        if not any(run["gates"] for run in self.to_dict()["others"]):
            words = "this comparison is true whatever its numbers are, since `not_worse` names no metric"
            warnings.warn(words, ProbareWarning, stacklevel=stack_level())
        return self.passes

    def to_dict(self) -> dict[str, Any]:
        """All numbers."""
        told: dict[str, Any] = json.loads(self._rendered("json"))
        return told

    def to_markdown(self) -> str:
        """Tables in Markdown."""
        return self._rendered("markdown")

    def to_html(self, title: str | None = None) -> str:
        """A page of its own."""
        if isinstance(self._native, _Rendered):
            return self._native.page.replace(TITLE, self._native.title if title is None else escape(title))
        return self._native.html(title)

    def _rendered(self, form: str) -> str:
        found = getattr(self._native, form)
        text: str = found if isinstance(found, str) else found()
        return text

    def __eq__(self, other: object) -> bool:
        return self.to_dict() == other.to_dict() if isinstance(other, Comparison) else NotImplemented

    __hash__ = None  # type: ignore[assignment]

    def __reduce__(self) -> tuple[object, ...]:
        state = self._native
        if not isinstance(state, _Rendered):
            title = state.html().partition("<title>")[2].partition("</title>")[0]
            state = _Rendered(state.passes, state.json(), state.text(), state.markdown(), state.html(TITLE), title)
        return _restored, tuple(state)

    def __repr__(self) -> str:
        return self._rendered("text").rstrip("\n")

    def _repr_markdown_(self) -> str:
        return self.to_markdown()


def _restored(*state: Any) -> Comparison:
    return Comparison(_Rendered(*state))
