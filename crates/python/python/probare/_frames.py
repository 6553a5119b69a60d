"""What may be scored, in the three forms that the engine takes: a path, a stream of Arrow batches, rows."""

from __future__ import annotations

from collections.abc import Mapping
from os import PathLike, fspath
from typing import Any

from probare._errors import UsageError

HINT = "give a list of dicts, a pandas or Polars frame, a pyarrow table, a DuckDB relation or a path"


def opened(cases: Any) -> tuple[Any, str]:
    """What the engine takes, and what messages call it."""
    if isinstance(cases, (str, PathLike)):
        path = fspath(cases)
        if not isinstance(path, str):
            raise UsageError("a path of bytes cannot be used", HINT)
        return path, path
    if isinstance(cases, Mapping):
        return [cases], "rows"
    package = type(cases).__module__.partition(".")[0]
    if package == "pyspark":
        raise UsageError("a Spark frame is scored where it lies", "call probare.spark.score(df, metrics)")
    if package == "ray":
        raise UsageError("a Ray dataset is scored where it lies", "call probare.ray.score(dataset, metrics)")
    if package == "polars" and hasattr(cases, "collect"):
        cases = cases.collect()
    if package == "pandas":
        return _pandas(cases), "frame"
    if hasattr(cases, "__arrow_c_stream__"):
        return cases, "table"
    if hasattr(cases, "arrow") and package in ("duckdb", "_duckdb"):
        return cases.arrow(), "relation"
    if isinstance(cases, (bytes, bytearray)) or not hasattr(cases, "__iter__"):
        raise UsageError(f"a {type(cases).__name__} cannot be scored", HINT)
    return cases, "rows"


def _pandas(frame: Any) -> Any:
    """Columns where they have one type each, else rows. The index belongs to neither."""
    if not hasattr(frame, "columns"):
        raise UsageError("a pandas series cannot be scored", "give a frame: series.to_frame(\"response\")")
    try:
        import pyarrow

        return pyarrow.Table.from_pandas(frame, preserve_index=False)
    except (ImportError, TypeError, ValueError, NotImplementedError):
        return frame.to_dict("records")
