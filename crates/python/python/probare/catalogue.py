"""All metrics as functions: `catalogue.ndcg(k=5)` is `{"id": "ndcg", "k": 5}`, with completion and documentation.

    from probare import catalogue as m

    probare.score(rows, [m.token_f1(), m.ndcg(k=5)])
"""

from __future__ import annotations

import inspect
import json
from collections.abc import Callable
from functools import lru_cache
from typing import Any, TypeAlias

from probare import _probare
from probare._arguments import Profile as Profile
from probare._metric import CATALOGUE_ID, MetricRequest

MetricId: TypeAlias = str
Request: TypeAlias = MetricRequest


def read(request: str) -> dict[str, Any]:
    """A metric that is written as a text, `ID:OPTION=VALUE`, as a dict."""
    return _probare.request(request)


@lru_cache(maxsize=1)
def _known() -> dict[str, dict[str, Any]]:
    """What is known about all metrics, by their ids."""
    return {told["id"]: told for told in json.loads(_probare.catalogue())}


def _signature(id: str) -> inspect.Signature:
    common = [["name", "str | None"], ["profile", "Profile | None"]]
    parameters = [
        inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=None, annotation=annotation)
        for name, annotation in [*_known()[id]["parameters"], *common]
    ]
    return inspect.Signature(parameters, return_annotation="dict[str, Any]")


def __getattr__(name: str) -> Callable[..., dict[str, Any]]:
    if name.startswith("_") or name not in _known():
        raise AttributeError(f"there is no metric `{name}`")
    signature = _signature(name)

    def metric(*arguments: Any, **options: Any) -> dict[str, Any]:
        try:
            signature.bind(*arguments, **options)
        except TypeError as error:
            raise TypeError(f"{name}() {error}") from None
        # A name that Python keeps for itself has an underscore behind it: from_.
        given = {key.removesuffix("_"): value for key, value in options.items() if value is not None}
        return {"id": name, **given}

    metric.__name__ = metric.__qualname__ = name
    metric.__doc__ = _known()[name]["doc"]
    setattr(metric, CATALOGUE_ID, name)
    metric.__signature__ = signature  # type: ignore[attr-defined]
    globals()[name] = metric
    return metric


def __dir__() -> list[str]:
    return sorted((*globals(), *_known()))
