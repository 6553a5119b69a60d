"""Arguments, checked where they come in: one error that names the argument, its value and what is allowed."""

from __future__ import annotations

import difflib
import functools
import inspect
import math
import operator
import warnings
from collections.abc import Callable, Iterable, Mapping
from os import PathLike, fspath
from pathlib import Path
from types import FrameType
from typing import Any, Literal, TypeAlias, TypeVar, cast

from probare import _probare
from probare._errors import UsageError, WrongTypeError

F = TypeVar("F", bound=Callable[..., Any])

FilePath: TypeAlias = str | PathLike[str]
Judge: TypeAlias = str | Mapping[str, Any]
Profile: TypeAlias = Literal["published", "improved"]

MOST_JOBS = 1024
"""Scoring threads at most."""

PACKAGE = str(Path(__file__).parent)


def wrong(name: str, value: object, allowed: str, hint: str | None = None) -> UsageError:
    """The error for an argument whose value is out of range."""
    return UsageError(_sentence(name, value, allowed), hint)


def wrong_type(name: str, value: object, allowed: str, hint: str | None = None) -> WrongTypeError:
    """The error for an argument of a type that it cannot have."""
    return WrongTypeError(_sentence(name, value, allowed), hint)


def _sentence(name: str, value: object, allowed: str) -> str:
    shown = repr(value)
    shown = shown if len(shown) <= 80 else f"{shown[:77]}…"
    return f"`{name}` must be {allowed}, but it is {shown}"


def whole(name: str, value: Any, least: int, most: int | None = None) -> int:
    """A whole number in its range; those of NumPy count as well."""
    allowed = f"a whole number of at least {least}" if most is None else f"a whole number from {least} to {most}"
    try:
        number = operator.index(value)
    except TypeError:
        raise wrong_type(name, value, allowed) from None
    if isinstance(value, bool):
        raise wrong_type(name, value, allowed)
    if number < least or number > (most if most is not None else 2**63 - 1):
        raise wrong(name, value, allowed)
    return number


def number(name: str, value: Any, least: float, allowed: str) -> float:
    """A number that is not below a limit."""
    try:
        if isinstance(value, (bool, str)):
            raise TypeError
        told = float(value)
    except (TypeError, ValueError):
        raise wrong_type(name, value, allowed) from None
    except OverflowError:
        raise wrong(name, value, allowed) from None
    if not (math.isfinite(told) and told >= least):
        raise wrong(name, value, allowed)
    return told


def flag(name: str, value: Any) -> bool:
    """True or false."""
    if not (isinstance(value, bool) or type(value).__name__ in ("bool", "bool_")):
        raise wrong_type(name, value, "True or False")
    return bool(value)


def text(name: str, value: Any) -> str:
    """A text that is not empty."""
    if not isinstance(value, str):
        raise wrong_type(name, value, "a text")
    if not value:
        raise wrong(name, value, "a text")
    return value


def texts(name: str, value: Any) -> list[str]:
    """A text or several of them."""
    if isinstance(value, str):
        return [text(name, value)]
    if isinstance(value, Mapping) or not isinstance(value, Iterable):
        raise wrong_type(name, value, "a text or a list of texts")
    return [text(name, item) for item in value]


def path(name: str, value: Any) -> str:
    """A path as a text."""
    try:
        told = fspath(value)
    except TypeError:
        raise wrong_type(name, value, "a path") from None
    if not isinstance(told, str):
        raise wrong_type(name, value, "a path that is a text")
    if not told:
        raise wrong(name, value, "a path that is a text")
    return told


def mapping(name: str, value: Any) -> dict[str, str]:
    """Fields and the columns that hold them."""
    allowed = 'a dict of fields and columns, such as {"response": "model_output"}'
    if not isinstance(value, Mapping) or not all(isinstance(item, str) for pair in value.items() for item in pair):
        raise wrong_type(name, value, allowed)
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
        raise wrong_type(name, value, "a path or a list of paths")
    return [check(name, item) for item in value]


def reports(name: str, value: Any) -> list[str]:
    """A file to write, or several of them."""
    return listed(name, value, report)


JUDGE_HINT = 'write judges=["openai:gpt-4.1-mini"] or judges=[{"base_url": "http://127.0.0.1:8000/v1", "model": "NAME"}]'


def judges(name: str, value: Any) -> list[str | dict[str, Any]]:
    """Models that judge: by name, or as dicts with the fields of a model of a configuration."""
    if isinstance(value, (str, Mapping)):
        return [_judge(name, value)]
    if not isinstance(value, Iterable):
        raise wrong_type(name, value, "a model or a list of models", JUDGE_HINT)
    return [_judge(name, item) for item in value]


def _judge(name: str, value: Any) -> str | dict[str, Any]:
    if isinstance(value, str):
        return text(name, value)
    if not isinstance(value, Mapping) or not all(isinstance(key, str) for key in value):
        raise wrong_type(name, value, "a model or a list of models", JUDGE_HINT)
    judge = dict(value)
    model = judge.pop("model", None)
    if model is None and "name" not in judge:
        told = ", ".join(judge) or "nothing"
        raise UsageError(f"a judge in `{name}` has no `model` (it has {told})", JUDGE_HINT)
    if model is not None:
        judge["api_model_name" if "name" in judge else "name"] = text("model", model)
    return judge


def progress(name: str, value: Any) -> Any:
    """Whether a bar is shown; or a function that is told how far the work is."""
    if not callable(value):
        return flag(name, value)
    return value


_CHECKS: dict[str, tuple[Callable[[str, Any], Any], Any]] = {
    "mapping": (mapping, {}),
    "evidence": (flag, False),
    "progress": (progress, None),
    "jobs": (lambda name, value: whole(name, value, 1, MOST_JOBS), None),
    "judges": (judges, []),
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
"""How each argument is checked, and what stands for `None`."""


def checked(arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Those of the arguments of a call that are settings, each as the engine takes it."""
    __tracebackhide__ = True
    told = {}
    for name in arguments.keys() & _CHECKS.keys():
        check, absent = _CHECKS[name]
        value = arguments[name]
        try:
            told[name] = absent if value is None else check(name, value)
        except UsageError as error:
            # How it was checked is of no interest to whoever gave it.
            raise error.with_traceback(None) from None
    return told


_OLD_NAMES = {"bands": "decision_thresholds", "record": "cache", "confident": "significant"}
"""Arguments by their names of release 0.3; they work for one release."""

_MISTAKEN = {"metric": "metrics", "model": "judges", "judge": "judges", "columns": "mapping", "column_mapping": "mapping"}
"""What others call an argument, where no similar name would be found."""


def keywords(function: F) -> F:
    """Lets a function take its arguments by their names of release 0.3; of an unknown one the error says what was meant."""
    known = inspect.signature(function).parameters
    takes_others = any(parameter.kind is parameter.VAR_KEYWORD for parameter in known.values())

    def named(given: dict[str, Any]) -> dict[str, Any]:
        __tracebackhide__ = True
        if given.keys() <= known.keys():
            return given
        told = {}
        for name, value in given.items():
            now = _OLD_NAMES.get(name)
            if name not in known and now is not None and now in known:
                warnings.warn(f"`{name}` is now `{now}`", DeprecationWarning, stacklevel=stack_level())
                name = now
            elif name not in known and not takes_others:
                raise TypeError(f"{function.__name__}() got an unexpected keyword argument {name!r}{_meant(name, known)}") from None
            told[name] = value
        return told

    if inspect.iscoroutinefunction(function):

        @functools.wraps(function)
        async def call_async(*arguments: Any, **given: Any) -> Any:
            __tracebackhide__ = True
            return await function(*arguments, **named(given))

        return cast(F, call_async)

    @functools.wraps(function)
    def call(*arguments: Any, **given: Any) -> Any:
        __tracebackhide__ = True
        return function(*arguments, **named(given))

    return cast(F, call)


def _meant(name: str, known: Mapping[str, Any]) -> str:
    """What an unknown argument was meant to be, as the end of a sentence."""
    mistaken = _MISTAKEN.get(name)
    similar = [mistaken] if mistaken in known else difflib.get_close_matches(name, known, 1)
    return f"; did you mean {similar[0]!r}?" if similar else ""


def stack_level() -> int:
    """How many calls lie between the caller of this function and the first line that is not of this package."""
    level, frame = 1, inspect.currentframe()
    frame = frame.f_back if frame else None
    while frame is not None and _is_own(frame):
        level, frame = level + 1, frame.f_back
    return level


def _is_own(frame: FrameType) -> bool:
    return frame.f_code.co_filename.startswith(PACKAGE)


_NO_OPTIONS = {"mapping", "name", "evidence", "width", "progress"}
"""What is said about the rows or about the call, and not about the run."""


def options(given: Mapping[str, Any], profile: Any) -> dict[str, Any]:
    """What is said, as options of a run: the names are those of the engine."""
    if profile is not None and not isinstance(profile, str):
        raise wrong_type("profile", profile, '"published" or "improved"')
    if now := {"reference": "published", "careful": "improved"}.get(profile or ""):
        warnings.warn(f"the profile `{profile}` is now `{now}`", DeprecationWarning, stacklevel=stack_level())
    told = {name: value for name, value in given.items() if name not in _NO_OPTIONS} | {"profile": profile}
    told["map"] = [f"{field}={column}" for field, column in given["mapping"].items()]
    models = [judge for judge in given.get("judges", ()) if isinstance(judge, dict)]
    if models:
        told["models"] = models
        told["judges"] = [judge["name"] if isinstance(judge, dict) else judge for judge in given["judges"]]
    return {name: value for name, value in told.items() if value is not None and value is not False and value != []}
