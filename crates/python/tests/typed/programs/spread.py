"""Many machines."""
from typing import Any
import probare.dask
import probare.spark


def spread(frame: Any, other: Any) -> list[float | None]:
    names = ["token_f1", "rouge_l"]
    scored = probare.spark.score(frame, names, profile="improved", mapping={"response": "answer"})
    summary = probare.spark.summary(scored, names, "improved")
    parts = probare.dask.score(other, names, evidence=True, cache="cache.db")
    return [summary["token_f1"].mean, probare.dask.summary(parts, names)["rouge_l"].mean]
