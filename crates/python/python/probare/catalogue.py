"""All metrics as functions: `catalogue.ndcg(k=5)` is `{"id": "ndcg", "k": 5}`, with completion and documentation.

    from probare import catalogue as m

    probare.score(rows, [m.token_f1(), m.ndcg(k=5)])
"""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import lru_cache
from typing import Any, Literal, TypeAlias

from probare import _probare

Profile: TypeAlias = Literal["reference", "careful"]
MetricId: TypeAlias = str
Request: TypeAlias = str | dict[str, Any]


@lru_cache(maxsize=1)
def _ids() -> tuple[str, ...]:
    return tuple(told["id"] for told in json.loads(_probare.catalogue()))


def __getattr__(name: str) -> Callable[..., dict[str, Any]]:
    if name.startswith("_") or name not in _ids():
        raise AttributeError(f"there is no metric `{name}`")

    def metric(**options: Any) -> dict[str, Any]:
        # A name that Python keeps for itself has an underscore behind it: from_.
        given = {key.removesuffix("_"): value for key, value in options.items() if value is not None}
        return {"id": name, **given}

    metric.__name__ = metric.__qualname__ = name
    metric.__doc__ = _probare.explain(name)
    globals()[name] = metric
    return metric


def __dir__() -> list[str]:
    return sorted((*globals(), *_ids()))
