"""What a run gave: the summary, and one row of results for each case."""

from __future__ import annotations

import json
import warnings
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple, overload

from probare import _arguments, _notebook, _probare
from probare._arguments import FilePath
from probare._errors import ScoreError, UnknownMetricError, UsageError
from probare._frames import needed

if TYPE_CHECKING:
    import pandas
    import polars
    import pyarrow


class Interval(NamedTuple):
    """How far a mean may be off."""

    low: float
    high: float
    level: float
    """The share of samples whose interval holds the true mean."""
    method: str


class ModelCalls(NamedTuple):
    """How many calls of models there were and what became of them."""

    questions: int
    """Questions that were answered, by a model or from the response cache."""
    recorded: int
    """Those of them that the response cache answered."""
    sent: int
    """Requests that were sent."""
    failed: int
    """Questions without an answer, whether they were sent or not."""
    tokens: int
    dollars: float


# Its name up to release 0.3.
Asked = ModelCalls


@dataclass(frozen=True)
class MetricSummary:
    """What one metric said about all cases. The mean is over `scored` cases and no others."""

    name: str
    mean: float | None
    interval: Interval | None
    """How far the mean may be off; of clusters where `cluster` named them."""
    scored: int
    not_applicable: int
    failed: int
    min: float | None
    max: float | None
    std: float | None
    """Standard deviation of the values of cases; nothing below two."""
    unsure: int
    """Scores whose metric could not decide; they are among `scored`."""
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


COLUMNS = ["mean", "std", "low", "high", "scored", "unsure", "not_applicable", "failed", "min", "max"]
"""Columns of a summary as a frame."""


def _row(told: dict[str, Any], interval: dict[str, Any] | None) -> dict[str, Any]:
    ends = interval or {}
    return {**told, "unsure": told.get("unsure", 0), "low": ends.get("low"), "high": ends.get("high")}


def _interval(told: dict[str, Any] | None) -> Interval | None:
    return None if told is None else Interval(told["low"], told["high"], told["level"], str(told["method"]))


class Summary(Mapping[str, MetricSummary]):
    """Counts, means and distributions of a run, by the name of the metric. It can be pickled and compared."""

    def __init__(self, told: str, text: str) -> None:
        """The summary as a report holds it, and as a table."""
        self._state = (told, text)
        self._told: dict[str, Any] = json.loads(told)
        self._metrics = {
            told["name"]: MetricSummary(
                name=told["name"],
                mean=told["mean"],
                interval=_interval(told["interval"]),
                scored=told["scored"],
                not_applicable=told["not_applicable"],
                failed=told["failed"],
                min=told["min"],
                max=told["max"],
                std=told.get("std"),
                unsure=told.get("unsure", 0),
                histogram=told["histogram"],
                labels=_counts(told.get("labels"), "label"),
                not_applicable_reasons=_counts(told["not_applicable_reasons"], "reason"),
                failed_reasons=_counts(told["failed_reasons"], "reason"),
            )
            for told in self._told["metrics"]
        }

    @classmethod
    def of(cls, native: _probare.Summary) -> Summary:
        """What the engine has counted so far."""
        return cls(native.json(), native.text())

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

    @property
    def clusters(self) -> dict[str, Any] | None:
        """The column that names the clusters (cases that are not independent), and how many there are, if `cluster` was given."""
        return self._told.get("cluster")

    @property
    def remarks(self) -> list[str]:
        """What the text says below its tables, line by line: labels, why cases have no score, lost rows, gates."""
        lines = repr(self).splitlines()
        return lines[max((at for at, line in enumerate(lines, 1) if line.startswith("─")), default=0) :]

    def to_pandas(self) -> pandas.DataFrame:
        """A pandas frame with a row for each metric; where `by` was given, with one for each group and metric below it.

        The index are the names of the metrics, or pairs of group (`"(all)"` for the whole run) and metric.
        """
        whole = [_row(told, told["interval"]) for told in self._told["metrics"]]
        groups = self.groups
        names = list(self)
        pandas = needed("pandas")
        if groups is None:
            return pandas.DataFrame(whole, index=pandas.Index(names, name="metric"), columns=COLUMNS)
        rows, index = list(whole), [("(all)", name) for name in names]
        kept = [*groups["groups"].items(), *((f"({word})", groups[word]) for word in ("without", "others") if groups.get(word))]
        for group, told in kept:
            rows += [_row(one, one.get("interval")) for one in told["metrics"]]
            index += [(group, one["name"]) for one in told["metrics"]]
        return pandas.DataFrame(rows, index=pandas.MultiIndex.from_tuples(index, names=["group", "metric"]), columns=COLUMNS)

    def to_dict(self) -> dict[str, Any]:
        """The summary as a report holds it."""
        told: dict[str, Any] = json.loads(self._state[0])
        return told

    def __getitem__(self, name: str) -> MetricSummary:
        return self._metrics[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._metrics)

    def __len__(self) -> int:
        return len(self._metrics)

    def __eq__(self, other: object) -> bool:
        return self._told == other._told if isinstance(other, Summary) else NotImplemented

    __hash__ = None  # type: ignore[assignment]

    def __reduce__(self) -> tuple[object, ...]:
        return Summary, self._state

    def __repr__(self) -> str:
        return self._state[1].rstrip("\n")

    def _repr_html_(self) -> str:
        return _notebook.page(_notebook.summary(self))


class Results(Sequence[Any]):
    """What a run gave: `summary`, and one row for each row of the input, in its order.

    A row is what the command line writes: `{"id": …, "scores": {metric: {"value": …, "parts": …, "evidence": […]}}}`. A case
    to which the question does not apply has `{"not_applicable": why}`, one that could not be scored or read `{"error": why,
    "kind": …}`. `results["token_f1"]` are the values of a metric, `None` where there is none.

    Results are immutable. They can be pickled, compared (`==`: same metrics, same rows) and written as reports.
    """

    def __init__(self, native: _probare.Results, index: Any = None) -> None:
        """Results of the engine, and the index of the pandas frame that they are about."""
        self._native = native
        self._index = index if index is None or len(index) == len(native) else index[: len(native)]

    @cached_property
    def summary(self) -> Summary:
        """Counts, means and distributions."""
        return Summary(*self._native.summary)

    @property
    def metrics(self) -> list[str]:
        """Names of the metrics, in the order of the results."""
        return self._native.metrics

    @property
    def rows(self) -> list[dict[str, Any]]:
        """All rows as a list."""
        return list(self)

    @property
    def problems(self) -> list[dict[str, Any]]:
        """What was said about rows: those that could not be read (`lost`), ids that stand there twice."""
        problems: list[dict[str, Any]] = json.loads(self._native.problems)
        return problems

    @property
    def written(self) -> list[str]:
        """Reports that were written by the run."""
        return self._native.written

    @property
    def exit_code(self) -> int:
        """What `probare score` would have ended with: 0 only if every row was read and every result computed."""
        return self._native.exit_code

    @property
    def model_calls(self) -> ModelCalls | None:
        """How many calls of models there were and what became of them; nothing where no metric asks."""
        counts = self._native.model_calls
        return None if counts is None else ModelCalls(**counts)

    @property
    def asked(self) -> ModelCalls | None:
        """The name of `model_calls` up to release 0.3."""
        warnings.warn("`asked` is now `model_calls`", DeprecationWarning, stacklevel=2)
        return self.model_calls

    @property
    def has_evidence(self) -> bool:
        """Whether the run was asked for evidence."""
        return self._native.has_evidence

    def line(self, at: int) -> str:
        """The row as the command line writes it, byte for byte."""
        return self._native.line(range(len(self))[at])

    def lines(self) -> Iterator[str]:
        """All rows as the command line writes them, and those that could not be read."""
        return (self._native.line(at) for at in range(len(self)))

    def write(self, *outputs: FilePath, title: str | None = None) -> list[str]:
        """Writes reports, whose extension says what: .jsonl .json .csv .parquet .md .html .xml.

        They are those of `output=`, without the texts of the cases, which results do not keep. Gives the files.
        """
        files = [_arguments.report(f"outputs[{at}]", output) for at, output in enumerate(outputs)]
        if not files:
            raise _arguments.wrong("outputs", outputs, "one file or several")
        return self._native.write(files, None if title is None else _arguments.text("title", title))

    def to_arrow(self, *, evidence: bool | None = None) -> pyarrow.Table:
        """A pyarrow table: `row`, `id`, and for each metric its value and `.status`, `.note`, `.evidence`, `.label`, `.parts`,
        `.kind`, `.decided_by`.

        There is one row for each row of the input, and `row` is its number, from 0. Ids are whole numbers where those of rows
        and frames were. Evidence is a list of structures, parts are a structure; `evidence=False` leaves the former out.
        """
        return needed("pyarrow").table(self._stream(evidence))

    def to_pandas(self, *, evidence: bool | None = None) -> pandas.DataFrame:
        """A pandas frame with the columns of `to_arrow`, and with the index of the frame that was scored, if it was one.

        Evidence and parts stay in Arrow's memory; a value becomes an object of Python when it is looked at.
        """
        pandas = needed("pandas")
        nested = needed("pyarrow").types.is_nested
        table = self.to_arrow(evidence=evidence)
        frame = table.to_pandas(types_mapper=lambda kind: pandas.ArrowDtype(kind) if nested(kind) else None)
        return frame if self._index is None else frame.set_axis(self._index)

    def to_polars(self, *, evidence: bool | None = None) -> polars.DataFrame:
        """A Polars frame with the columns of `to_arrow`."""
        frame: polars.DataFrame = needed("polars").DataFrame(self._stream(evidence))
        return frame

    def _stream(self, evidence: bool | None) -> Any:
        if evidence is None:
            evidence = self.has_evidence
        elif _arguments.flag("evidence", evidence) and not self.has_evidence:
            raise UsageError("these results have no evidence", "score with evidence=True, which is the default")
        return self._native.stream(evidence)

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        return self._stream(None).__arrow_c_stream__(requested_schema)

    def __len__(self) -> int:
        return len(self._native)

    def __contains__(self, value: object) -> bool:
        """Whether there is a metric of this name, or a row like this."""
        return value in self.metrics if isinstance(value, str) else super().__contains__(value)

    def _ipython_key_completions_(self) -> list[str]:
        return self.metrics

    @overload
    def __getitem__(self, at: int) -> dict[str, Any]: ...
    @overload
    def __getitem__(self, at: slice) -> list[dict[str, Any]]: ...
    @overload
    def __getitem__(self, at: str) -> list[float | None]: ...
    def __getitem__(self, at: int | slice | str) -> dict[str, Any] | list[dict[str, Any]] | list[float | None]:
        if isinstance(at, str):
            values = self._native.values(at)
            if values is None:
                raise UnknownMetricError(f"there is no metric {at!r}; there are {', '.join(self.metrics)}")
            return values
        if isinstance(at, slice):
            return [json.loads(self._native.line(number)) for number in range(len(self))[at]]
        row: dict[str, Any] = json.loads(self.line(at))
        return row

    def __iter__(self) -> Iterator[dict[str, Any]]:
        return (json.loads(line) for line in self.lines())

    def __eq__(self, other: object) -> bool:
        return self._native.equals(other._native) if isinstance(other, Results) else NotImplemented

    __hash__ = None  # type: ignore[assignment]

    def __reduce__(self) -> tuple[object, ...]:
        return _restored, (self._native.state(), self._index)

    def __copy__(self) -> Results:
        return self

    def __deepcopy__(self, memo: object) -> Results:
        return self

    def __repr__(self) -> str:
        return repr(self.summary)

    def _repr_html_(self) -> str:
        return _notebook.page(_notebook.summary(self.summary) + _notebook.rows(self))


def _restored(state: str, index: Any = None) -> Results:
    return Results(_probare.Results.restored(state), index)


def only_score(results: Results) -> tuple[str, dict[str, Any]]:
    """Name and score of one case under one metric, or the error that says why there is none."""
    __tracebackhide__ = True
    [(name, told)] = results[0]["scores"].items()
    if "not_applicable" in told:
        raise ScoreError(f"{name} does not apply: {told['not_applicable']}", "not_applicable")
    if "error" in told:
        raise ScoreError(f"{name}: {told['error']}", told["kind"])
    return name, told
