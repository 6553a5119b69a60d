"""Scores of a Daft frame, computed where its rows lie.

    scored = probare.daft.score(df, ["token_f1"])
    probare.daft.summary(scored, ["token_f1"])

Rows keep all their columns and get those of the metrics: the value, and `NAME.status`, `NAME.note`, `NAME.label`, `NAME.parts`,
`NAME.kind`, `NAME.decided_by`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from probare._arguments import FilePath, Judge, Profile, keywords
from probare._distributed import (
    checked_recipe,
    merged_summary,
    partial_summary,
    refuse_absent,
    refuse_clash,
    refuse_other,
    summary_columns,
)
from probare._frames import needed
from probare._metric import Metrics
from probare._results import Summary

SCORED = "__probare__"
"""The column that all results stand in before each has one of its own: they are computed once."""


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
    """The frame with the columns of the metrics. Nothing is computed before Daft wants the rows.

    A metric that asks a model is answered from `cache`, a response cache that every worker can read, and is
    refused without one: a part that Daft tries again would pay twice.
    """
    daft = needed("daft")
    recipe = checked_recipe(metrics, profile, locals())
    refuse_other("df", df, "with_column", "a Daft frame")
    fields, names = recipe.columns(), list(df.column_names)
    refuse_absent(names, recipe.mapping)
    refuse_clash(names, [name for name, _ in fields])

    def scored(*columns: Any) -> Any:
        import pyarrow

        batch = pyarrow.RecordBatch.from_arrays([column.to_arrow() for column in columns], names=names)
        told = recipe.kept_scorer().score_batch(batch).drop_columns(["id"])
        return daft.Series.from_arrow(pyarrow.StructArray.from_arrays(told.columns, names=told.schema.names))

    text, value = daft.DataType.string(), daft.DataType.float64()
    kind = daft.DataType.struct({name: value if is_value else text for name, is_value in fields})
    whole = df.with_column(SCORED, daft.func.batch(return_dtype=kind)(scored)(*(daft.col(name) for name in names)))
    return whole.select(*names, *(daft.col(SCORED)[name].alias(name) for name, _ in fields))


def summary(scored: Any, metrics: Metrics, profile: Profile | None = None) -> Summary:
    """Counts, means and distributions of a scored frame.

    Its rows are summed up where they are computed, one piece after the other; memory does not depend on how many there are.
    Scores are computed again unless the frame is collected or was written and read back.
    """
    needed("daft")
    refuse_other("scored", scored, "with_column", "a Daft frame")
    batches = scored.select(*summary_columns(metrics, profile)).to_arrow_iter()
    return merged_summary(metrics, profile, "daft", (partial_summary(metrics, profile, [batch])["part"][0].as_py() for batch in batches))
