"""Scores of a Ray dataset, computed where its blocks lie.

    scored = probare.ray.score(dataset, ["token_f1"])
    probare.ray.summary(scored, ["token_f1"])

Rows keep all their columns and get those of the metrics: the value, and `NAME.status`, `NAME.note`, `NAME.label`, `NAME.parts`,
`NAME.kind`, `NAME.decided_by`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from probare._arguments import FilePath, Judge, Profile, keywords
from probare._distributed import (
    checked_recipe,
    joined_batch,
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

if TYPE_CHECKING:
    import pyarrow
    from ray.data import Dataset


@keywords
def score(
    dataset: Dataset,
    metrics: Metrics,
    profile: Profile | None = None,
    *,
    mapping: Mapping[str, str] | None = None,
    evidence: bool = False,
    judges: Judge | Iterable[Judge] = (),
    cache: FilePath | None = None,
    config: FilePath | None = None,
    batch_size: int | None = None,
    **options: Any,
) -> Dataset:
    """The dataset with the columns of the metrics. Nothing is computed before Ray wants the rows.

    A metric that asks a model is answered from `cache`, a response cache that every worker can read, and is
    refused without one: a block that Ray tries again would pay twice.

    There is a task for each block, so `dataset.repartition(n)` says how far the work is spread. `batch_size` and `options` go to
    `map_batches`; with a batch size Ray puts small blocks together until they have so many rows.
    """
    needed("ray")
    recipe = checked_recipe(metrics, profile, locals())
    refuse_other("dataset", dataset, "map_batches", "a Ray dataset")
    there = dataset.columns() or []
    refuse_absent(there, recipe.mapping if there else {})
    refuse_clash(there, [name for name, _ in recipe.columns()])

    def block(table: pyarrow.Table) -> pyarrow.Table:
        import pyarrow

        scorer = recipe.kept_scorer()
        nothing = pyarrow.RecordBatch.from_pylist([], schema=table.schema)
        batches = table.combine_chunks().to_batches(max_chunksize=ROWS_AT_ONCE) or [nothing]
        return pyarrow.Table.from_batches([joined_batch(batch, scorer.score_batch(batch)) for batch in batches])

    return dataset.map_batches(block, batch_format="pyarrow", batch_size=batch_size, **options)


def summary(scored: Dataset, metrics: Metrics, profile: Profile | None = None) -> Summary:
    """Counts, means and distributions of a scored dataset.

    Every block is summed up where it lies, and only these sums come here; they are put together exactly. Scores are computed
    again unless the dataset is materialized or was written and read back.
    """
    refuse_other("scored", scored, "map_batches", "a Ray dataset")
    columns = summary_columns(metrics, profile)

    def block(table: pyarrow.Table) -> pyarrow.Table:
        import pyarrow

        return pyarrow.Table.from_batches([partial_summary(metrics, profile, table.combine_chunks().to_batches())])

    parts = scored.select_columns(columns).map_batches(block, batch_format="pyarrow", batch_size=None)
    return merged_summary(metrics, profile, "ray", (row["part"] for row in parts.iter_rows()))
