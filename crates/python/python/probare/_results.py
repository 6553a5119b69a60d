"""What a run gave: the summary, and one row of results for each case."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from html import escape
from typing import TYPE_CHECKING, Any, overload

from probare import _probare
from probare._errors import Error, ScoreError

if TYPE_CHECKING:
    import pandas
    import polars
    import pyarrow

ROWS_SHOWN = 10
"""Rows that a notebook shows."""


@dataclass(frozen=True)
class MetricSummary:
    """What one metric said about all cases. The mean is over `scored` cases and no others."""

    name: str
    mean: float | None
    interval: dict[str, Any] | None
    """How far the mean may be off: `low`, `high`, `level` and `method`."""
    scored: int
    not_applicable: int
    failed: int
    min: float | None
    max: float | None
    histogram: dict[str, Any] | None = field(repr=False)
    labels: dict[str, int] = field(repr=False)
    not_applicable_reasons: dict[str, int] = field(repr=False)
    failed_reasons: dict[str, int] = field(repr=False)


def _counts(told: dict[str, Any] | None, word: str) -> dict[str, int]:
    if not told:
        return {}
    counts = {kept[word]: kept["count"] for kept in told["kept"]}
    if told["others"]:
        counts["(others)"] = told["others"]
    return counts


class Summary(Mapping[str, MetricSummary]):
    """Counts, means and distributions of a run, by the name of the metric."""

    def __init__(self, native: _probare.Summary) -> None:
        self._native = native
        self._told: dict[str, Any] = json.loads(native.json())
        self._metrics = {
            told["name"]: MetricSummary(
                name=told["name"],
                mean=told["mean"],
                interval=told["interval"],
                scored=told["scored"],
                not_applicable=told["not_applicable"],
                failed=told["failed"],
                min=told["min"],
                max=told["max"],
                histogram=told["histogram"],
                labels=_counts(told.get("labels"), "label"),
                not_applicable_reasons=_counts(told["not_applicable_reasons"], "reason"),
                failed_reasons=_counts(told["failed_reasons"], "reason"),
            )
            for told in self._told["metrics"]
        }

    @property
    def cases(self) -> int:
        """Cases that were looked at."""
        return int(self._told["cases"])

    @property
    def lost_rows(self) -> int:
        """Rows that could not be read."""
        return int(self._told["lost_rows"])

    @property
    def groups(self) -> dict[str, Any] | None:
        """Means apart for each group, where `by` asked for them."""
        return self._told.get("groups")

    def to_dict(self) -> dict[str, Any]:
        """The summary as a report holds it."""
        told: dict[str, Any] = json.loads(self._native.json())
        return told

    def __getitem__(self, name: str) -> MetricSummary:
        return self._metrics[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._metrics)

    def __len__(self) -> int:
        return len(self._metrics)

    def __repr__(self) -> str:
        return self._native.text().rstrip("\n")

    def _repr_html_(self) -> str:
        return _summary_table(self)


class Results(Sequence[dict[str, Any]]):
    """What a run gave: `summary`, and one row for each case, in the order of the input.

    A row is what the command line writes: `{"id": …, "scores": {metric: {"value": …, "parts": …, "evidence": […]}}}`. A case
    to which the question does not apply has `{"not_applicable": why}`, one that could not be scored `{"error": why, "kind": …}`.
    """

    def __init__(self, native: _probare.Results) -> None:
        self._native = native

    @property
    def summary(self) -> Summary:
        """Counts, means and distributions."""
        return Summary(self._native.summary)

    @property
    def metrics(self) -> list[str]:
        """Names of the metrics, in the order of the results."""
        return self._native.metrics

    @property
    def rows(self) -> Results:
        """The rows, which are these results themselves."""
        return self

    @property
    def problems(self) -> list[dict[str, Any]]:
        """What was said about rows: those that could not be read (`lost`), ids that stand there twice."""
        problems: list[dict[str, Any]] = json.loads(self._native.problems)
        return problems

    @property
    def written(self) -> list[str]:
        """Reports that were written."""
        return self._native.written

    @property
    def exit_code(self) -> int:
        """What `probare score` would have ended with: 0 only if every row was read and every result computed."""
        return self._native.exit_code

    @property
    def asked(self) -> dict[str, float] | None:
        """Questions that models were asked, tokens, and US dollars; nothing where none was asked."""
        asked = self._native.asked
        return None if asked is None else dict(zip(("questions", "tokens", "dollars"), asked))

    def line(self, at: int) -> str:
        """The row as the command line writes it, byte for byte."""
        return self._native.line(range(len(self))[at])

    def lines(self) -> Iterator[str]:
        """All rows as the command line writes them."""
        return (self._native.line(at) for at in range(len(self)))

    def to_arrow(self, *, evidence: bool = True) -> pyarrow.Table:
        """A pyarrow table: `id`, and for each metric its value, `.status`, `.note`, `.evidence`, `.label`, `.parts`, `.kind`.

        They are the columns of a Parquet report. Evidence and parts are JSON.
        """
        pyarrow = _needed("pyarrow")
        return pyarrow.table(self._native.stream(evidence))

    def to_pandas(self, *, evidence: bool = True) -> pandas.DataFrame:
        """A pandas frame with the columns of `to_arrow`."""
        _needed("pandas")
        return self.to_arrow(evidence=evidence).to_pandas()

    def to_polars(self, *, evidence: bool = True) -> polars.DataFrame:
        """A Polars frame with the columns of `to_arrow`."""
        frame: polars.DataFrame = _needed("polars").DataFrame(self._native.stream(evidence))
        return frame

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        return self._native.stream(True).__arrow_c_stream__(requested_schema)

    def __len__(self) -> int:
        return len(self._native)

    @overload
    def __getitem__(self, at: int) -> dict[str, Any]: ...
    @overload
    def __getitem__(self, at: slice) -> list[dict[str, Any]]: ...
    def __getitem__(self, at: int | slice) -> dict[str, Any] | list[dict[str, Any]]:
        if isinstance(at, slice):
            return [json.loads(self._native.line(number)) for number in range(len(self))[at]]
        row: dict[str, Any] = json.loads(self.line(at))
        return row

    def __iter__(self) -> Iterator[dict[str, Any]]:
        return (json.loads(line) for line in self.lines())

    def __repr__(self) -> str:
        return self._native.text().rstrip("\n")

    def _repr_html_(self) -> str:
        head = "".join(f"<th>{escape(name)}</th>" for name in self.metrics)
        body = "".join(
            f"<tr><td>{escape(row['id'])}</td>{''.join(_cell(told) for told in row['scores'].values())}</tr>"
            for row in self[:ROWS_SHOWN]
        )
        left = len(self) - ROWS_SHOWN
        more = f"<p>and {left} more</p>" if left > 0 else ""
        return f"{_summary_table(self.summary)}<table><tr><th>id</th>{head}</tr>{body}</table>{more}"


def _cell(told: dict[str, Any]) -> str:
    """A result with its evidence behind a fold; every text of others is escaped."""
    if "not_applicable" in told:
        return f'<td title="{escape(told["not_applicable"])}">–</td>'
    if "error" in told:
        return f"<td>{escape(told['kind'])}: {escape(told['error'])}</td>"
    shown = escape(f"{told['value']:.4g}" + (f" {told['label']}" if told.get("label") else ""))
    evidence = told.get("evidence")
    if not evidence:
        return f"<td>{shown}</td>"
    items = "".join(f"<li>{escape(line)}</li>" for line in evidence_lines(evidence))
    return f"<td><details><summary>{shown}</summary><ul>{items}</ul></details></td>"


def _summary_table(summary: Summary) -> str:
    head = "".join(
        f"<th>{word}</th>" for word in ("metric", "mean", "95 %", "scored", "not applicable", "failed")
    )
    rows = []
    for metric in summary.values():
        mean = "–" if metric.mean is None else f"{metric.mean:.4g}"
        interval = metric.interval
        ends = "–" if interval is None else f"{interval['low']:.4g} to {interval['high']:.4g}"
        cells = (metric.name, mean, ends, metric.scored, metric.not_applicable, metric.failed)
        rows.append("<tr>" + "".join(f"<td>{escape(str(cell))}</td>" for cell in cells) + "</tr>")
    lost = f"<p>{summary.lost_rows} rows could not be read</p>" if summary.lost_rows else ""
    return f"<table><tr>{head}</tr>{''.join(rows)}</table>{lost}"


def only_score(results: Results) -> tuple[str, dict[str, Any]]:
    """Name and score of one case under one metric, or the error that says why there is none."""
    [(name, told)] = results[0]["scores"].items()
    if "not_applicable" in told:
        raise ScoreError(f"{name} does not apply: {told['not_applicable']}", "not_applicable")
    if "error" in told:
        raise ScoreError(f"{name}: {told['error']}", told["kind"])
    return name, told


def evidence_lines(evidence: Sequence[dict[str, Any]]) -> list[str]:
    """Evidence in words, a line for each piece."""
    lines = []
    for piece in evidence:
        place = ""
        if "field" in piece:
            item = f"[{piece['index']}]" if "index" in piece else piece.get("path", "")
            place = f" {piece['field']}{item} {piece['start']}:{piece['end']}"
        text = f" {piece['text']!r}" if piece.get("text") else ""
        note = f" ({piece['note']})" if piece.get("note") else ""
        lines.append(f"{piece['kind']}{place}{text}{note}")
    return lines


def _needed(name: str) -> Any:
    import importlib

    try:
        return importlib.import_module(name)
    except ImportError as missing:
        raise Error(f"{name} is missing", f"pip install {name}") from missing
