"""Scores of a Dask frame, computed where its partitions lie.

    scored = probare.dask.score(df, ["token_f1"])
    probare.dask.summary(scored, ["token_f1"])

Rows keep all their columns and get those of the metrics: the value, and `NAME.status`, `NAME.note`, `NAME.label`, `NAME.parts`,
`NAME.kind`, `NAME.decided_by`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from probare._arguments import FilePath, Judge, Profile, keywords
from probare._distributed import (
    SUMMED,
    Recipe,
    checked_recipe,
    merged_summary,
    partial_summary,
    refuse_absent,
    refuse_clash,
    refuse_other,
    summary_columns,
)
from probare._frames import ROWS_AT_ONCE, needed
from probare._metric import Metrics
from probare._results import Summary


@keywords
def score(
    df: Any,
    metrics: Metrics,
    profile: Profile | None = None,
    *,
    mapping: Mapping[str, str] | None = None,
    evidence: bool = False,
    judges: Judge | Iterable[Judge] = (),
    cache: FilePath | None = None,
    config: FilePath | None = None,
) -> Any:
    """The frame with the columns of the metrics. Nothing is computed before Dask wants the rows.

    A metric that asks a model is answered from `cache`, a response cache that every worker can read, and is
    refused without one: a partition that Dask tries again would pay twice.
    """
    pandas = needed("pandas")
    recipe = checked_recipe(metrics, profile, locals())
    fields = recipe.columns()
    refuse_other("df", df, "map_partitions", "a Dask frame")
    refuse_absent(df.columns, recipe.mapping)
    refuse_clash(df.columns, [name for name, _ in fields])
    added = {name: pandas.Series([], dtype="float64" if is_value else "object") for name, is_value in fields}
    meta = pandas.concat([df._meta, pandas.DataFrame(added, index=df._meta.index)], axis=1)
    return df.map_partitions(_partition, recipe, meta=meta)


def _partition(frame: Any, recipe: Recipe) -> Any:
    """A partition with the columns of the metrics, under the index that it has."""
    import pandas
    import pyarrow

    scorer = recipe.kept_scorer()
    batches = pyarrow.Table.from_pandas(frame, preserve_index=False).combine_chunks().to_batches(max_chunksize=ROWS_AT_ONCE)
    scored = pyarrow.Table.from_batches([scorer.score_batch(batch) for batch in batches], schema=scorer.schema)
    return pandas.concat([frame, scored.drop_columns(["id"]).to_pandas().set_axis(frame.index)], axis=1)


def summary(scored: Any, metrics: Metrics, profile: Profile | None = None) -> Summary:
    """Counts, means and distributions of a scored frame.

    Every partition is summed up where it lies, and only these sums come here; they are put together exactly. Scores are
    computed again unless the frame is persisted or was written and read back.
    """
    refuse_other("scored", scored, "map_partitions", "a Dask frame")
    columns = summary_columns(metrics, profile)
    parts = scored[columns].map_partitions(_part, metrics, profile, meta={"part": "object"}).compute()
    return merged_summary(metrics, profile, "dask", parts["part"])


def _part(frame: Any, metrics: Any, profile: str | None) -> Any:
    import pyarrow

    # A column without any text has no type of its own.
    fields = [(name, pyarrow.float64() if number % (1 + len(SUMMED)) == 0 else pyarrow.string()) for number, name in enumerate(frame.columns)]
    table = pyarrow.Table.from_pandas(frame, schema=pyarrow.schema(fields), preserve_index=False)
    return partial_summary(metrics, profile, table.combine_chunks().to_batches()).to_pandas()
