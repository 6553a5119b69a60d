"""What is known about a metric before anything is scored."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Metric:
    """A metric: what it measures, in which range, and what it needs."""

    id: str
    family: str
    summary: str
    range: tuple[float | None, float | None]
    """Least and greatest possible value; `None` for a side without an end."""
    better: str
    """`higher` or `lower`."""
    needs: tuple[str, ...]
    """Fields that a case must have."""
    profiles: tuple[str, ...]
    judged: bool
    """Whether it asks a model, or for vectors."""
    since: str
    version: int
    options: dict[str, Any] = field(repr=False)
    """JSON Schema of its options."""


class Page(str):
    """The page of a metric, in Markdown; notebooks show it as such."""

    def _repr_markdown_(self) -> str:
        return str(self)
