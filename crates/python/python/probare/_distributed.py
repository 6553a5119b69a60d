"""What Spark and Ray have in common: a recipe that travels, scored batches, parts of a summary."""

from __future__ import annotations

import pickle
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from probare import _arguments, _probare
from probare._api import Scorer
from probare._errors import UsageError, WrongTypeError
from probare._frames import needed
from probare._metric import metric_requests
from probare._results import Summary

if TYPE_CHECKING:
    import pyarrow


SUMMED = ("status", "note", "label", "kind", "decided_by")
"""What a summary reads of a metric beside its value."""


@dataclass(frozen=True)
class Recipe:
    """Everything that it takes to make a scorer on another machine."""

    metrics: Any
    profile: str | None
    mapping: dict[str, str]
    evidence: bool
    judges: tuple[str | dict[str, Any], ...]
    cache: str | None
    config: str | None

    def scorer(self) -> Scorer:
        """A scorer for one core: who shares the work out has a task for each."""
        return Scorer(
            self.metrics,
            self.profile,  # type: ignore[arg-type]
            evidence=self.evidence,
            mapping=self.mapping,
            jobs=1,
            judges=self.judges,
            cache=self.cache,
            offline=True,
            config=self.config,
        )

    def kept_scorer(self) -> Scorer:
        """The same, made once in a process: workers take one part after the other.

        A metric that was defined in a notebook came as a whole and has no name here by which it could be known again.
        """
        try:
            recipe = pickle.dumps(self)
        except (pickle.PicklingError, AttributeError, TypeError):
            return self.scorer()
        return _made_of(recipe)

    def columns(self) -> list[tuple[str, bool]]:
        """The columns that rows get, and whether each is a value. Rows keep their own id."""
        pyarrow = needed("pyarrow")
        fields = pyarrow.schema(self.scorer()._native.schema)
        return [(field.name, pyarrow.types.is_floating(field.type)) for field in fields if field.name != "id"]


def checked_recipe(metrics: Any, profile: str | None, arguments: Mapping[str, Any]) -> Recipe:
    """Checks what is asked for before anything is shared out."""
    given = _arguments.checked(arguments)
    requests = metric_requests(metrics)
    asking = _probare.asking(requests)
    is_recorded = given["judges"] and all(str(judge).startswith("replay:") for judge in given["judges"])
    if asking and given["cache"] is None and not is_recorded:
        names = ", ".join(f"`{name}`" for name in asking)
        raise UsageError(
            f"{names} would ask a model from many machines, and a part that is tried again would pay twice",
            "cache the replies first, with probare.score(rows, metrics, judges=…, cache=\"cache.db\"), and give that file"
            " as cache=\"cache.db\"",
        )
    return Recipe(metrics=requests, profile=profile, **{**given, "judges": tuple(given["judges"])})


def refuse_other(name: str, value: object, method: str, allowed: str) -> None:
    """What is spread must be something that can be: it is known by what it does."""
    if not hasattr(value, method):
        kind = type(value)
        told = f"`{name}` must be {allowed}, but it is a {kind.__module__}.{kind.__qualname__}"
        raise WrongTypeError(told, "probare.score takes rows, frames and files that lie here")


def refuse_absent(there: Iterable[str], mapping: Mapping[str, str]) -> None:
    """Every column that is mapped must be there."""
    columns = list(there)
    for field, column in mapping.items():
        if column not in columns and column.partition(".")[0] not in columns:
            told = f"`mapping` names the column `{column}` for `{field}`, and no row has it"
            raise UsageError(told, f"the columns are {', '.join(columns)}")


def refuse_clash(there: Iterable[str], added: Iterable[str]) -> None:
    """No column of the rows may be lost under one of the results."""
    added = list(added)
    clash = sorted(set(there) & set(added)) or sorted(name for name in added if added.count(name) > 1)
    if clash:
        raise UsageError(
            f"there is a column `{clash[0]}` already", "rename it, or give the metric a name: {\"id\": …, \"name\": …}"
        )


def scored_batches(
    recipe: Recipe, batches: Iterable[pyarrow.RecordBatch], renamed: Callable[[str], str] = str
) -> Iterator[pyarrow.RecordBatch]:
    """Rows with all their columns and those of the metrics."""
    scorer = recipe.kept_scorer()
    for batch in batches:
        yield joined_batch(batch, scorer.score_batch(batch), renamed)


def joined_batch(
    batch: pyarrow.RecordBatch, scored: pyarrow.RecordBatch, renamed: Callable[[str], str] = str
) -> pyarrow.RecordBatch:
    """The columns of both, without the id of the results."""
    import pyarrow

    columns = [(name, column) for name, column in zip(scored.schema.names, scored.columns) if name != "id"]
    names = [*batch.schema.names, *(renamed(name) for name, _ in columns)]
    return pyarrow.RecordBatch.from_arrays([*batch.columns, *(column for _, column in columns)], names=names)


def summary_columns(metrics: Any, profile: str | None) -> list[str]:
    """The columns that a summary reads."""
    names = []
    for metric in Summary.of(_empty_summary(metrics, profile, "")):
        names += [metric, *(f"{metric}.{what}" for what in SUMMED)]
    return names


def _empty_summary(metrics: Any, profile: str | None, source: str) -> _probare.Summary:
    return _probare.Summary(metric_requests(metrics), profile or "published", source)


def partial_summary(metrics: Any, profile: str | None, batches: Iterable[pyarrow.RecordBatch]) -> pyarrow.RecordBatch:
    """The sums of some scored batches, as a single text."""
    import pyarrow

    part = _empty_summary(metrics, profile, "")
    for batch in batches:
        part.add(batch)
    return pyarrow.RecordBatch.from_arrays([pyarrow.array([part.part()])], names=["part"])


def merged_summary(metrics: Any, profile: str | None, source: str, parts: Iterable[str]) -> Summary:
    """A summary from its parts."""
    native = _empty_summary(metrics, profile, source)
    for part in parts:
        native.merge(part)
    return Summary.of(native)


@lru_cache(maxsize=8)
def _made_of(pickled: bytes) -> Scorer:
    recipe: Recipe = pickle.loads(pickled)
    return recipe.scorer()
