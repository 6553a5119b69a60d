"""Scores of a Spark frame, computed where its rows lie.

    scored = probare.spark.score(df, ["token_f1"])
    probare.spark.summary(scored, ["token_f1"])

Each partition goes through the engine as Arrow batches. Rows keep all their columns and get those of the metrics:
the value, and `NAME_status`, `NAME_note`, `NAME_label`, `NAME_parts`, `NAME_kind`, `NAME_decided_by`. Where other tables
have a dot there is an underscore, since a dot in the name of a column means something else to Spark.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING

from probare._arguments import FilePath, Judge, Profile, keywords
from probare._distributed import (
    checked_recipe,
    merged_summary,
    partial_summary,
    refuse_absent,
    refuse_clash,
    refuse_other,
    scored_batches,
    summary_columns,
)
from probare._frames import needed
from probare._metric import Metrics
from probare._results import Summary

if TYPE_CHECKING:
    import pyarrow
    from pyspark.sql import DataFrame


def plain(name: str) -> str:
    """The name of a column without a dot."""
    return name.replace(".", "_")


@keywords
def score(
    df: DataFrame,
    metrics: Metrics,
    profile: Profile | None = None,
    *,
    mapping: Mapping[str, str] | None = None,
    evidence: bool = False,
    judges: Judge | Iterable[Judge] = (),
    cache: FilePath | None = None,
    config: FilePath | None = None,
) -> DataFrame:
    """The frame with the columns of the metrics. Nothing is computed before Spark wants the rows.

    A metric that asks a model is answered from `cache`, a response cache that every executor can read, and is
    refused without one: a partition that Spark tries again would pay twice.
    """
    needed("pyspark")
    from pyspark.sql.types import DoubleType, StringType, StructField, StructType

    recipe = checked_recipe(metrics, profile, locals())
    fields = [(plain(name), is_value) for name, is_value in recipe.columns()]
    refuse_other("df", df, "mapInArrow", "a Spark frame")
    refuse_absent(df.columns, recipe.mapping)
    refuse_clash(df.columns, [name for name, _ in fields])
    added = [StructField(name, DoubleType() if is_value else StringType()) for name, is_value in fields]

    def partition(batches: Iterator[pyarrow.RecordBatch]) -> Iterator[pyarrow.RecordBatch]:
        return scored_batches(recipe, batches, plain)

    return df.mapInArrow(partition, StructType([*df.schema.fields, *added]))


def summary(
    scored: DataFrame, metrics: Metrics, profile: Profile | None = None
) -> Summary:
    """Counts, means and distributions of a scored frame.

    Every partition is summed up where it lies, and only these sums come to the driver, in one job; they are put together
    exactly. Scores are computed again unless the frame is cached or was written and read back.
    """
    refuse_other("scored", scored, "mapInArrow", "a Spark frame")
    columns = summary_columns(metrics, profile)

    def partition(batches: Iterator[pyarrow.RecordBatch]) -> Iterator[pyarrow.RecordBatch]:
        yield partial_summary(metrics, profile, (batch.rename_columns(columns) for batch in batches))

    parts = scored.select([plain(name) for name in columns]).mapInArrow(partition, "part string")
    return merged_summary(metrics, profile, "spark", (row.part for row in parts.collect()))
