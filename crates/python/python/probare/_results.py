"""What a run gave: the summary, and one row of results for each case."""

from __future__ import annotations

import json
import warnings
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from os import PathLike
from typing import TYPE_CHECKING, Any, NamedTuple, overload

from probare import _arguments, _notebook, _probare
from probare._errors import ScoreError
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


class Results(Sequence[dict[str, Any]]):
    """What a run gave: `summary`, and one row for each row of the input, in its order.

    A row is what the command line writes: `{"id": …, "scores": {metric: {"value": …, "parts": …, "evidence": […]}}}`. A case
    to which the question does not apply has `{"not_applicable": why}`, one that could not be scored or read `{"error": why,
    "kind": …}`. `results["token_f1"]` are the values of a metric, `None` where there is none.

    Results are immutable. They can be pickled, compared (`==`: same metrics, same rows) and written as reports.
    """

    def __init__(self, native: _probare.Results) -> None:
        self._native = native

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

    def line(self, at: int) -> str:
        """The row as the command line writes it, byte for byte."""
        return self._native.line(range(len(self))[at])

    def lines(self) -> Iterator[str]:
        """All rows as the command line writes them, and those that could not be read."""
        return (self._native.line(at) for at in range(len(self)))

    def write(self, *outputs: str | PathLike[str], title: str | None = None) -> list[str]:
        """Writes reports, whose extension says what: .jsonl .json .csv .parquet .md .html .xml.

        They are those of `output=`, without the texts of the cases, which results do not keep. Gives the files.
        """
        files = [_arguments.report(f"outputs[{at}]", output) for at, output in enumerate(outputs)]
        if not files:
            raise _arguments.wrong("outputs", outputs, "one file or several")
        return self._native.write(files, None if title is None else _arguments.text("title", title))

    def to_arrow(self, *, evidence: bool = True) -> pyarrow.Table:
        """A pyarrow table: `row`, `id`, and for each metric its value and `.status`, `.note`, `.evidence`, `.label`, `.parts`,
        `.kind`, `.by`.

        There is one row for each row of the input, and `row` is its number, from 0. Ids are whole numbers where those of rows
        and frames were. Evidence is a list of structures, parts are a structure.
        """
        return needed("pyarrow").table(self._native.stream(_arguments.flag("evidence", evidence)))

    def to_pandas(self, *, evidence: bool = True) -> pandas.DataFrame:
        """A pandas frame with the columns of `to_arrow`."""
        needed("pandas")
        return self.to_arrow(evidence=evidence).to_pandas()

    def to_polars(self, *, evidence: bool = True) -> polars.DataFrame:
        """A Polars frame with the columns of `to_arrow`."""
        stream = self._native.stream(_arguments.flag("evidence", evidence))
        frame: polars.DataFrame = needed("polars").DataFrame(stream)
        return frame

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        return self._native.stream(True).__arrow_c_stream__(requested_schema)

    def __len__(self) -> int:
        return len(self._native)

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
                raise KeyError(f"there is no metric {at!r}; there are {', '.join(self.metrics)}")
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
        return _restored, (self._native.state(),)

    def __copy__(self) -> Results:
        return self

    def __deepcopy__(self, memo: object) -> Results:
        return self

    def __repr__(self) -> str:
        return repr(self.summary)

    def _repr_html_(self) -> str:
        return _notebook.page(_notebook.summary(self.summary) + _notebook.rows(self))


def _restored(state: str) -> Results:
    return Results(_probare.Results.restored(state))


def only_score(results: Results) -> tuple[str, dict[str, Any]]:
    """Name and score of one case under one metric, or the error that says why there is none."""
    __tracebackhide__ = True
    [(name, told)] = results[0]["scores"].items()
    if "not_applicable" in told:
        raise ScoreError(f"{name} does not apply: {told['not_applicable']}", "not_applicable")
    if "error" in told:
        raise ScoreError(f"{name}: {told['error']}", told["kind"])
    return name, told
