"""What may be scored, in the three forms that the engine takes: a path, a stream of Arrow batches, rows."""

from __future__ import annotations

import importlib
from collections.abc import AsyncIterable, Iterable, Mapping, Sized
from dataclasses import dataclass
from os import PathLike, fspath
from typing import Any

from probare import _probare
from probare._errors import MissingPackageError, UsageError, WrongTypeError

HINT = (
    "give a list of dicts, a dict of columns, a pandas or Polars frame, a pyarrow table or dataset, a DuckDB relation or a path"
)


_SPREAD = {
    "pyspark": ("Spark frame", "spark"),
    "ray": ("Ray dataset", "ray"),
    "dask": ("Dask frame", "dask"),
    "daft": ("Daft frame", "daft"),
}
"""Packages whose frames lie on many machines, and the module that goes there."""


ROWS_AT_ONCE = 4096
"""Rows of a data set, a block or a partition that are in memory or scored together, however large it is."""


@dataclass(frozen=True)
class CaseInput:
    """What the engine takes, and what messages call it."""

    cases: Any
    name: str
    rows: int | None = None
    """How many rows there are, where that is known."""
    index: Any = None
    """The index of a pandas frame, which its results have too."""

    def columns(self) -> list[str] | None:
        """The names that the members of rows have, where rows can be looked at before they are scored."""
        if not isinstance(self.cases, (list, tuple)) or not all(isinstance(row, Mapping) for row in self.cases):
            return None
        names = {name: None for row in self.cases for name in row}
        return [name for name in names if isinstance(name, str)]

    def total(self, limit: int | None) -> int | None:
        """How many rows are scored, where that is known."""
        return self.rows if limit is None or self.rows is None else min(limit, self.rows)


def case_input(cases: Any, mapping: Mapping[str, str]) -> CaseInput:
    """Any of the kinds that can be scored."""
    if isinstance(cases, (str, PathLike)):
        path = fspath(cases)
        if not isinstance(path, str):
            raise WrongTypeError("a path of bytes cannot be used", HINT)
        return CaseInput(path, path)
    package = type(cases).__module__.partition(".")[0]
    if package == "datasets":
        return _hugging_face(cases)
    if isinstance(cases, Mapping):
        rows = _columns(cases, mapping)
        return CaseInput(rows, "rows", len(rows))
    if package in _SPREAD:
        whose, module = _SPREAD[package]
        raise WrongTypeError(f"a {whose} is scored where it lies", f"call probare.{module}.score(frame, metrics)")
    if package == "polars":
        return _polars(cases)
    if package == "pandas" or (hasattr(cases, "iloc") and hasattr(cases, "columns")):
        return _pandas(cases)
    if package == "pyarrow":
        return CaseInput(_reader(cases), "table", getattr(cases, "num_rows", None))
    if hasattr(cases, "__arrow_c_stream__"):
        return CaseInput(cases, "table")
    if hasattr(cases, "arrow") and package in ("duckdb", "_duckdb"):
        return CaseInput(cases.arrow(), "relation")
    if isinstance(cases, AsyncIterable):
        raise WrongTypeError("rows that come one by one, later, are waited for", "await probare.score_async(rows, metrics)")
    if is_row(cases):
        return CaseInput([cases], "rows", 1)
    if isinstance(cases, (bytes, bytearray)) or not isinstance(cases, Iterable):
        raise WrongTypeError(f"a {type(cases).__name__} cannot be scored", HINT)
    return CaseInput(cases, "rows", len(cases) if isinstance(cases, Sized) else None)


def is_row(value: Any) -> bool:
    """Whether an object is one row by what it can do: a dataclass, a named tuple, a model of pydantic, a class of attrs or msgspec."""
    return not isinstance(value, type) and any(
        hasattr(value, name)
        for name in ("__dataclass_fields__", "_asdict", "model_dump", "__attrs_attrs__", "__struct_fields__")
    )


def _columns(cases: Mapping[Any, Any], mapping: Mapping[str, str]) -> list[Any]:
    """A dict of columns as rows; any other dict is one row.

    Query and response are texts in a row, so a list of them is a column.
    """
    names = [name for name in cases if isinstance(name, str)]
    of_texts = [name for name in names if _probare.holds_texts([name], dict(mapping)) and _is_column(cases[name])]
    if not of_texts:
        return [cases]
    lengths = {name: len(column) if _is_column(column) else None for name, column in cases.items()}
    if len(set(lengths.values())) > 1:
        told = ", ".join(f"`{name}` {'is not a list' if length is None else f'has {length}'}" for name, length in lengths.items())
        raise UsageError(f"the columns have different lengths: {told}", "give lists of one length, or a list of dicts")
    return [dict(zip(cases, values)) for values in zip(*cases.values())]


def _is_column(value: Any) -> bool:
    return isinstance(value, (list, tuple)) or (hasattr(value, "__array__") and hasattr(value, "__len__"))


def _pandas(frame: Any) -> CaseInput:
    """Columns where they have one type each, else rows. Results have the index of the frame; it is no column."""
    if not hasattr(frame, "columns"):
        raise WrongTypeError("a pandas series cannot be scored", "give a frame: series.to_frame(\"response\")")
    names = [str(name) for name in frame.columns]
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise UsageError(f"the frame has several columns `{twice[0]}`", "give each column a name of its own")
    try:
        import pyarrow

        cases = pyarrow.Table.from_pandas(frame, preserve_index=False)
    except (ImportError, TypeError, ValueError, OverflowError, NotImplementedError):
        cases = [dict(zip(names, values)) for values in zip(*(frame[name] for name in frame.columns))]
    return CaseInput(cases, "frame", len(frame), frame.index)


def _polars(frame: Any) -> CaseInput:
    """A frame, collected where it is lazy. Columns and members that hold nothing but nulls have no type; they become texts."""
    import polars

    if hasattr(frame, "collect"):
        frame = frame.collect()
    if not hasattr(frame, "schema"):
        raise WrongTypeError("a Polars series cannot be scored", "give a frame: series.to_frame(\"response\")")

    def typed(kind: Any) -> Any:
        if kind == polars.Null:
            return polars.String
        if isinstance(kind, polars.List):
            return polars.List(typed(kind.inner))
        if isinstance(kind, polars.Array):
            return polars.Array(typed(kind.inner), kind.size)
        if isinstance(kind, polars.Struct):
            return polars.Struct({member.name: typed(member.dtype) for member in kind.fields})
        return kind

    # Objects of Python have no form in Arrow.
    objects = [name for name, kind in frame.schema.items() if kind == polars.Object]
    if objects:
        return CaseInput(frame.to_dicts(), "frame", frame.height)
    changed = {name: typed(kind) for name, kind in frame.schema.items() if typed(kind) != kind}
    return CaseInput(frame.cast(changed) if changed else frame, "frame", frame.height)


def _hugging_face(dataset: Any) -> CaseInput:
    """A data set of Hugging Face by its Arrow table, whatever format it shows its rows in."""
    if isinstance(dataset, Mapping):
        names = ", ".join(repr(name) for name in dataset)
        raise UsageError(f"these are several data sets: {names}", f"score one of them: dataset[{next(iter(dataset), 'name')!r}]")
    if not hasattr(dataset, "data"):
        return CaseInput(iter(dataset), "data set")
    import pyarrow

    # In this format parts are tables, with the rows that filters and shuffles have left, in their order.
    tables = dataset.with_format("arrow").iter(batch_size=ROWS_AT_ONCE)
    batches = (batch for table in tables for batch in table.to_batches())
    return CaseInput(pyarrow.RecordBatchReader.from_batches(dataset.features.arrow_schema, batches), "data set", len(dataset))


def whole_batch(batch: Any) -> Any:
    """A pyarrow batch that holds its own rows alone, where the engine could not take it over otherwise.

    What was cut out of a larger batch says where its rows begin. The Arrow library of the engine loses count of that in a structure
    inside of a structure and stops, so that such a batch is written anew.
    """
    import pyarrow

    if not any(column.offset and _nests(column.type) for column in batch.columns):
        return batch
    written = pyarrow.BufferOutputStream()
    with pyarrow.ipc.new_stream(written, batch.schema) as stream:
        stream.write_batch(batch)
    return pyarrow.ipc.open_stream(written.getvalue()).read_next_batch()


def _nests(kind: Any) -> bool:
    """Whether a type is a structure that holds one."""
    from pyarrow.types import is_struct

    return is_struct(kind) and any(is_struct(member.type) for member in kind)


def _reader(cases: Any) -> Any:
    """Datasets, their scanners and Parquet files as a stream of batches."""
    if hasattr(cases, "scanner"):
        cases = cases.scanner()
    if hasattr(cases, "to_reader"):
        cases = cases.to_reader()
    if hasattr(cases, "iter_batches") and hasattr(cases, "schema_arrow"):
        import pyarrow

        cases = pyarrow.RecordBatchReader.from_batches(cases.schema_arrow, cases.iter_batches())
    if hasattr(cases, "read_next_batch") and any(_nests(field.type) for field in cases.schema):
        import pyarrow

        cases = pyarrow.RecordBatchReader.from_batches(cases.schema, map(whole_batch, cases))
    return cases


def needed(name: str, package: str | None = None) -> Any:
    """A package that not everybody has."""
    try:
        return importlib.import_module(name)
    except ImportError as missing:
        # What a package that is there lacks is its own affair.
        if missing.name is not None and missing.name.partition(".")[0] != name.partition(".")[0]:
            raise
        told = package or name.partition(".")[0]
        raise MissingPackageError(f"{told} is missing", f"pip install '{told}'") from missing
