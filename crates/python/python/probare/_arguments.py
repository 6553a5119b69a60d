"""Arguments, checked where they come in: one error that names the argument, its value and what is allowed."""

from __future__ import annotations

import difflib
import inspect
import math
import operator
import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from os import PathLike, fspath
from pathlib import Path
from typing import Any, TypedDict, TypeVar, get_type_hints

from probare import _probare
from probare._errors import UsageError

F = TypeVar("F", bound=Callable[..., Any])

MOST_JOBS = 1024
"""Scoring threads at most."""


class Asking(TypedDict, total=False):
    """Who answers a metric that asks a model, and at which cost."""

    judges: str | Sequence[str]
    """Models, as `provider:model` or by their names in `config`."""
    cache: str | PathLike[str] | None
    """The response cache."""
    offline: bool
    """Whether no request is sent: the response cache and recorded replies answer."""
    budget_usd: float | None
    """Budget in US dollars."""
    budget_tokens: int | None
    """Budget in tokens."""
    config: str | PathLike[str] | None
    """A `probare.yaml`."""


class ScorerSettings(Asking, total=False):
    """How rows become cases, and on how many threads they are scored."""

    mapping: Mapping[str, str] | None
    """Which column becomes which field: `{"response": "model_output"}`."""
    jobs: int | None
    """Scoring threads, all cores by default: no number depends on them."""
    decision_thresholds: str | PathLike[str] | Iterable[str | PathLike[str]] | None
    """Files that `probare calibrate` wrote: labels of their metrics are then pass, fail and unsure."""


class Settings(ScorerSettings, total=False):
    """Everything that `probare.score` takes beside cases, metrics and the profile."""

    limit: int | None
    """Score at most so many cases."""
    strict: bool
    """Raise at the first row that cannot be read."""
    by: str | None
    """Group the summary: `"tags"`, a tag, `"metadata.COLUMN"`, `"model"`."""
    cluster: str | None
    """The column that names the cluster of a case: cases of one cluster are not independent."""
    output: str | PathLike[str] | Iterable[str | PathLike[str]] | None
    """Reports to write; the extension says what: .jsonl .json .csv .parquet .md .html .xml."""
    title: str | None
    """Title of pages."""
    name: str | None
    """What reports call the rows."""
    format: str | None
    """How a file is read whose name does not say it: `jsonl`, `json`, `csv`, `tsv`, `parquet`, `otlp`."""
    group: str | None
    """What is one case in a file of traces: `trace` (as without it) or `conversation`."""


class Spread(TypedDict, total=False):
    """What scoring on many machines takes."""

    mapping: Mapping[str, str] | None
    """Which column becomes which field: `{"response": "model_output"}`."""
    evidence: bool
    """Whether rows get `NAME.evidence` too."""
    judges: str | Sequence[str]
    """Models that are named in the response cache."""
    cache: str | PathLike[str] | None
    """A response cache that every machine can read; nothing is sent."""
    config: str | PathLike[str] | None
    """A `probare.yaml`."""


class AsyncSettings(Settings, total=False):
    """The same for programs that wait for many things at once."""

    width: int
    """Runs at the same time in this process; further ones wait for their turn."""


def wrong(name: str, value: object, allowed: str, hint: str | None = None) -> UsageError:
    """The error for an argument."""
    shown = repr(value)
    shown = shown if len(shown) <= 80 else f"{shown[:77]}…"
    return UsageError(f"`{name}` must be {allowed}, but it is {shown}", hint)


def whole(name: str, value: Any, least: int, most: int | None = None) -> int:
    """A whole number in its range; those of NumPy count as well."""
    allowed = f"a whole number of at least {least}" if most is None else f"a whole number from {least} to {most}"
    try:
        number = operator.index(value)
    except TypeError:
        raise wrong(name, value, allowed) from None
    if isinstance(value, bool) or number < least or number > (most if most is not None else 2**63 - 1):
        raise wrong(name, value, allowed)
    return number


def number(name: str, value: Any, least: float, allowed: str) -> float:
    """A number that is not below a limit."""
    try:
        told = math.nan if isinstance(value, (bool, str)) else float(value)
    except (TypeError, ValueError, OverflowError):
        told = math.nan
    if not (math.isfinite(told) and told >= least):
        raise wrong(name, value, allowed)
    return told


def flag(name: str, value: Any) -> bool:
    """True or false."""
    if not (isinstance(value, bool) or type(value).__name__ in ("bool", "bool_")):
        raise wrong(name, value, "True or False")
    return bool(value)


def text(name: str, value: Any) -> str:
    """A text that is not empty."""
    if not isinstance(value, str) or not value:
        raise wrong(name, value, "a text")
    return value


def texts(name: str, value: Any) -> list[str]:
    """A text or several of them."""
    if isinstance(value, str):
        return [text(name, value)]
    if isinstance(value, Mapping) or not isinstance(value, Iterable):
        raise wrong(name, value, "a text or a list of texts")
    return [text(name, item) for item in value]


def path(name: str, value: Any) -> str:
    """A path as a text."""
    try:
        told = fspath(value)
    except TypeError:
        raise wrong(name, value, "a path") from None
    if not isinstance(told, str) or not told:
        raise wrong(name, value, "a path that is a text")
    return told


def mapping(name: str, value: Any) -> dict[str, str]:
    """Fields and the columns that hold them."""
    allowed = 'a dict of fields and columns, such as {"response": "model_output"}'
    if not isinstance(value, Mapping) or not all(isinstance(item, str) for pair in value.items() for item in pair):
        raise wrong(name, value, allowed)
    return dict(value)


def report(name: str, value: Any) -> str:
    """A file that can be written: its extension is known and its folder is there."""
    told = path(name, value)
    _probare.check_output(told)
    folder = Path(told).parent
    if not folder.is_dir():
        raise UsageError(f"`{name}` is {told!r}, and there is no folder {str(folder)!r}", "make the folder first")
    return told


def paths(name: str, value: Any) -> list[str]:
    """A path, or several of them."""
    return listed(name, value, path)


def listed(name: str, value: Any, check: Callable[[str, Any], str]) -> list[str]:
    """Each path, checked."""
    if isinstance(value, (str, PathLike)):
        return [check(name, value)]
    if isinstance(value, (bytes, Mapping)) or not isinstance(value, Iterable):
        raise wrong(name, value, "a path or a list of paths")
    return [check(name, item) for item in value]


def reports(name: str, value: Any) -> list[str]:
    """A file to write, or several of them."""
    return listed(name, value, report)


_CHECKS: dict[str, tuple[Callable[[str, Any], Any], Any]] = {
    "mapping": (mapping, {}),
    "evidence": (flag, False),
    "jobs": (lambda name, value: whole(name, value, 1, MOST_JOBS), None),
    "judges": (texts, []),
    "decision_thresholds": (paths, []),
    "cache": (path, None),
    "offline": (flag, False),
    "budget_usd": (lambda name, value: number(name, value, 0.0, "an amount of US dollars, such as 0.50"), None),
    "budget_tokens": (lambda name, value: whole(name, value, 0), None),
    "config": (path, None),
    "limit": (lambda name, value: whole(name, value, 1), None),
    "strict": (flag, False),
    "by": (text, None),
    "cluster": (text, None),
    "output": (reports, []),
    "title": (text, None),
    "name": (text, None),
    "format": (text, None),
    "group": (text, None),
    "width": (lambda name, value: whole(name, value, 1, MOST_JOBS), 32),
}
"""How each argument is checked, and what stands for `None` or for an argument that is absent."""


_OLD_NAMES = {"bands": "decision_thresholds", "record": "cache", "confident": "significant"}
"""Arguments by their names of release 0.3; they work for one release."""


def renamed(old: str, level: int) -> str:
    """The name of now of an argument that has an old one, with a warning for whoever stands `level` calls above."""
    warnings.warn(f"`{old}` is now `{_OLD_NAMES[old]}`", DeprecationWarning, stacklevel=level)
    return _OLD_NAMES[old]


def checked(function: str, kind: type, given: Mapping[str, Any]) -> dict[str, Any]:
    """All arguments of a kind, each as the engine takes it."""
    known = get_type_hints(kind)
    given = {renamed(name, 5) if _OLD_NAMES.get(name) in known else name: value for name, value in given.items()}
    for name in given:
        if name not in known:
            similar = difflib.get_close_matches(name, known, 1)
            hint = f"; did you mean {similar[0]!r}?" if similar else ""
            raise TypeError(f"{function}() got an unexpected keyword argument {name!r}{hint}")
    told = {}
    for name in known:
        check, absent = _CHECKS[name]
        value = given.get(name)
        try:
            told[name] = absent if value is None else check(name, value)
        except UsageError as error:
            # How it was checked is of no interest to whoever gave it.
            raise error.with_traceback(None) from None
    return told


_NO_OPTIONS = {"mapping", "name", "evidence", "width"}
"""What is said about the rows or about the call, and not about the run."""


def options(given: Mapping[str, Any], profile: Any) -> dict[str, Any]:
    """What is said, as options of a run: the names are those of the engine."""
    if profile is not None and not isinstance(profile, str):
        raise wrong("profile", profile, '"published" or "improved"')
    if now := {"reference": "published", "careful": "improved"}.get(profile or ""):
        warnings.warn(f"the profile `{profile}` is now `{now}`", DeprecationWarning, stacklevel=4)
    told = {name: value for name, value in given.items() if name not in _NO_OPTIONS} | {"profile": profile}
    told["map"] = [f"{field}={column}" for field, column in given["mapping"].items()]
    return {name: value for name, value in told.items() if value is not None and value is not False and value != []}


def signed(kind: type) -> Callable[[F], F]:
    """Gives a function the signature that its settings spell out, for `help` and for completion."""

    def sign(function: F) -> F:
        plain = inspect.signature(function)
        parameters = [one for one in plain.parameters.values() if one.kind is not one.VAR_KEYWORD]
        for name, annotation in get_type_hints(kind).items():
            absent = _CHECKS[name][1]
            default = None if absent in ({}, []) else absent
            parameters.append(inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=annotation))
        function.__signature__ = plain.replace(parameters=parameters)  # type: ignore[attr-defined]
        return function

    return sign
