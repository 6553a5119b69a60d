"""What may be scored, in the three forms that the engine takes: a path, a stream of Arrow batches, rows."""

from __future__ import annotations

import importlib
from collections.abc import AsyncIterable, Iterable, Mapping
from dataclasses import dataclass
from os import PathLike, fspath
from typing import Any

from probare import _probare
from probare._errors import MissingPackageError, UsageError

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


@dataclass(frozen=True)
class Opened:
    """What the engine takes, and what messages call it."""

    cases: Any
    name: str

    def columns(self) -> list[str] | None:
        """The names that the members of rows have, where rows can be looked at before they are scored."""
        if not isinstance(self.cases, (list, tuple)):
            return None
        names = {name: None for row in self.cases if isinstance(row, Mapping) for name in row}
        return [name for name in names if isinstance(name, str)]


def opened(cases: Any, mapping: Mapping[str, str]) -> Opened:
    """Any of the kinds that can be scored."""
    if isinstance(cases, (str, PathLike)):
        path = fspath(cases)
        if not isinstance(path, str):
            raise UsageError("a path of bytes cannot be used", HINT)
        return Opened(path, path)
    if isinstance(cases, Mapping):
        return Opened(_columns(cases, mapping), "rows")
    package = type(cases).__module__.partition(".")[0]
    if package in _SPREAD:
        whose, module = _SPREAD[package]
        raise UsageError(f"a {whose} is scored where it lies", f"call probare.{module}.score(frame, metrics)")
    if package == "polars" and hasattr(cases, "collect"):
        cases = cases.collect()
    if package == "pandas":
        return _pandas(cases)
    if package == "pyarrow":
        cases = _reader(cases)
    if hasattr(cases, "__arrow_c_stream__"):
        return Opened(cases, "table")
    if hasattr(cases, "arrow") and package in ("duckdb", "_duckdb"):
        return Opened(cases.arrow(), "relation")
    if isinstance(cases, AsyncIterable):
        raise UsageError("rows that come one by one, later, are waited for", "await probare.score_async(rows, metrics)")
    if isinstance(cases, (bytes, bytearray)) or not isinstance(cases, Iterable):
        raise UsageError(f"a {type(cases).__name__} cannot be scored", HINT)
    return Opened(cases, "rows")


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
        told = ", ".join(f"`{name}` {'is no list' if length is None else f'has {length}'}" for name, length in lengths.items())
        raise UsageError(f"the columns have different lengths: {told}", "give lists of one length, or a list of dicts")
    return [dict(zip(cases, values)) for values in zip(*cases.values())]


def _is_column(value: Any) -> bool:
    return isinstance(value, (list, tuple)) or (hasattr(value, "__array__") and hasattr(value, "__len__"))


def _pandas(frame: Any) -> Opened:
    """Columns where they have one type each, else rows. The index belongs to neither."""
    if not hasattr(frame, "columns"):
        raise UsageError("a pandas series cannot be scored", "give a frame: series.to_frame(\"response\")")
    try:
        import pyarrow

        return Opened(pyarrow.Table.from_pandas(frame, preserve_index=False), "frame")
    except (ImportError, TypeError, ValueError, OverflowError, NotImplementedError):
        return Opened(frame.to_dict("records"), "frame")


def uncut(batch: Any) -> Any:
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

        cases = pyarrow.RecordBatchReader.from_batches(cases.schema, map(uncut, cases))
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
