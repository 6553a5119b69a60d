"""Metrics of your own: the decorator `metric`, what it gets (`Case`) and what it may return (`Score`).

    import probare

    @probare.metric(range=(0, 1), version=1)
    def brand_voice(case, *, words=("we", "our")):
        '''Share of the brand's words that the response uses.'''
        found = [word for word in words if word in case.response]
        return len(found) / len(words)

This file rests on the standard library alone. The command line hands its text to a Python process, so that
`probare score cases.jsonl -m checks.py:brand_voice` needs no package; `serve` is the loop of that process.
"""

from __future__ import annotations

import functools
import inspect
import json
import math
import os
import re
import sys
import traceback
from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any, TypeVar, overload

PROTOCOL = 1
"""Version of the protocol that `serve` speaks (docs/own-metric.md)."""

MARK = "__probare_own_metric__"
"""The attribute of a function or class that is a metric."""

ALL_CALLS = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)

FIELDS = (
    "id",
    "query",
    "response",
    "model",
    "repeat",
    "context",
    "reference",
    "citations",
    "retrieved",
    "relevant",
    "messages",
    "tools",
    "tool_calls",
    "expected_tool_calls",
    "expected_messages",
    "turns",
    "tags",
    "metadata",
)
"""What a case can have."""

ELSEWHERE = {
    "actual_output": "response",
    "answer": "response",
    "completion": "response",
    "contexts": "context",
    "expected": "reference",
    "expected_output": "reference",
    "ground_truth": "reference",
    "ideal": "reference",
    "input": "query",
    "output": "response",
    "prompt": "query",
    "question": "query",
    "references": "reference",
    "retrieval_context": "context",
    "retrieved_contexts": "context",
    "target": "reference",
    "user_input": "query",
    "vars": "metadata",
}
"""What other tools call the fields of a case."""


def _no_field(name: str, fields: Mapping[str, Any]) -> str:
    if name in (fields.get("metadata") or {}):
        return f'write case.metadata["{name}"]'
    if name in FIELDS:
        return f'write case["{name}"]'
    if name in ELSEWHERE:
        return f"here it is `{ELSEWHERE[name]}`"
    return f"its fields are {', '.join(FIELDS)}; other columns of the row are in `metadata`"


class Passage(str):
    """A passage of the context: its text, with `metadata`."""

    metadata: dict[str, Any]

    def __new__(cls, text: str, metadata: Mapping[str, Any] | None = None) -> Passage:
        made = super().__new__(cls, text)
        made.metadata = dict(metadata or {})
        return made


class Case:
    """One case with the output under test. A field that the case lacks is `None`, or empty where it is a list."""

    __slots__ = ("_fields",)

    def __init__(self, fields: Mapping[str, Any]) -> None:
        self._fields = fields

    @property
    def id(self) -> str:
        """Its id."""
        return str(self._fields["id"])

    @property
    def query(self) -> str | None:
        """What the user asked."""
        return self._fields.get("query")

    @property
    def response(self) -> str:
        """The output under test; a metric that says `needs=[]` has to expect `None`."""
        return self._fields.get("response")  # type: ignore[return-value]

    @property
    def model(self) -> str | None:
        """The model that gave it, where that is known."""
        return self._fields.get("model")

    @property
    def repeat(self) -> int:
        """Which of several outputs of that model, from 0."""
        return int(self._fields.get("repeat", 0))

    @property
    def context(self) -> list[Passage]:
        """The passages that the model was given."""
        return [Passage(passage["text"], passage.get("metadata")) for passage in self._fields.get("context") or ()]

    @property
    def reference(self) -> list[str]:
        """Right answers."""
        return self._fields.get("reference") or []

    @property
    def tags(self) -> list[str]:
        """Labels of the case."""
        return self._fields.get("tags") or []

    @property
    def metadata(self) -> dict[str, Any]:
        """Everything else that the row had."""
        return self._fields.get("metadata") or {}

    @property
    def messages(self) -> list[dict[str, Any]]:
        """The conversation, message by message."""
        return self._fields.get("messages") or []

    @property
    def tool_calls(self) -> list[dict[str, Any]]:
        """Calls of tools that were made."""
        return self._fields.get("tool_calls") or []

    def __getitem__(self, field: str) -> Any:
        """Any field as the protocol has it, for example `case["retrieved"]`; `None` where it is absent."""
        if field not in FIELDS and field not in self._fields:
            raise KeyError(f"a case has no field `{field}`: {_no_field(field, self._fields)}")
        return self._fields.get(field)

    if not TYPE_CHECKING:  # a type checker has to find slips by itself

        def __getattr__(self, name: str) -> Any:
            if name == "_fields" or name.startswith("__"):  # of a case that is not made yet
                raise AttributeError(name)
            raise AttributeError(f"a case has no attribute `{name}`: {_no_field(name, self._fields)}")

    def to_dict(self) -> dict[str, Any]:
        """All fields that the case has."""
        return dict(self._fields)

    def __repr__(self) -> str:
        return f"Case({dict(self._fields)!r})"


class Evidence:
    """What was found where. `start` and `end` count characters of the field, as `re.Match.span` does."""

    __slots__ = ("_fields",)

    def __init__(
        self,
        kind: str,
        field: str | None = None,
        start: int | None = None,
        end: int | None = None,
        *,
        index: int | None = None,
        path: str | None = None,
        text: str | None = None,
        note: str | None = None,
    ) -> None:
        given = {
            "kind": kind,
            "field": field,
            "start": start,
            "end": end,
            "index": index,
            "path": path,
            "text": text,
            "note": note,
        }
        self._fields = {name: value for name, value in given.items() if value is not None}

    @classmethod
    def matched(
        cls, field: str, start: int, end: int, *, index: int | None = None, note: str | None = None
    ) -> Evidence:
        """Words that were looked for and are there."""
        return cls("matched", field, start, end, index=index, note=note)

    @classmethod
    def missing(cls, text: str, *, note: str | None = None) -> Evidence:
        """Words that were looked for and are nowhere."""
        return cls("missing", text=text, note=note)

    @classmethod
    def remark(cls, text: str) -> Evidence:
        """A remark for the reader."""
        return cls("note", text=text)

    def to_dict(self) -> dict[str, Any]:
        """Its fields as the protocol has them."""
        return dict(self._fields)

    def __repr__(self) -> str:
        return f"Evidence({', '.join(f'{name}={value!r}' for name, value in self._fields.items())})"


class Score:
    """What a metric says: a value or a label or both, the parts that it is made of, and why."""

    __slots__ = ("evidence", "label", "parts", "value")

    def __init__(
        self,
        value: float | bool | None = None,
        label: str | None = None,
        *,
        parts: Mapping[str, float] | None = None,
        evidence: Iterable[Evidence] = (),
    ) -> None:
        self.value = value
        self.label = label
        self.parts = dict(parts or {})
        self.evidence = list(evidence)

    def __repr__(self) -> str:
        return f"Score({self.value!r}, {self.label!r}, parts={self.parts!r}, evidence={self.evidence!r})"


class NotApplicable(Exception):
    """The question does not apply to this case: return or raise it, with the reason."""


class Definition:
    """What a metric says about itself."""

    __slots__ = ("better", "name", "needs", "range", "summary", "version")

    def __init__(
        self,
        name: str | None,
        summary: str | None,
        better: str,
        range: tuple[float | None, float | None],
        version: int,
        needs: Iterable[str],
    ) -> None:
        if better not in ("higher", "lower"):
            raise ValueError(f"better={better!r}: write \"higher\" or \"lower\"")
        low, high = range
        if low is not None and high is not None and not low < high:
            raise ValueError(f"range={range!r}: the least value comes first, and they differ")
        if isinstance(version, bool) or not isinstance(version, int) or version < 1:
            raise ValueError(f"version={version!r}: write a whole number from 1 on")
        self.name = name
        self.summary = summary
        self.better = better
        self.range = (low, high)
        self.version = version
        self.needs = [needs] if isinstance(needs, str) else list(needs)
        for field in self.needs:
            if field not in FIELDS:
                raise ValueError(f"needs={field!r}: {_no_field(field, {})}")


Marked = TypeVar("Marked", bound=Callable[..., Any])


@overload
def metric(function: Marked) -> Marked: ...
@overload
def metric(
    function: None = None,
    *,
    name: str | None = None,
    range: tuple[float | None, float | None] = (0.0, 1.0),
    better: str = "higher",
    version: int = 1,
    needs: Iterable[str] = ("response",),
    summary: str | None = None,
) -> Callable[[Marked], Marked]: ...
def metric(
    function: Any = None,
    *,
    name: str | None = None,
    range: tuple[float | None, float | None] = (0.0, 1.0),
    better: str = "higher",
    version: int = 1,
    needs: Iterable[str] = ("response",),
    summary: str | None = None,
) -> Any:
    """Makes a metric of a function of a case, or of a class with a method `score`.

    The function returns a number, a bool, a label (text) or a `Score`; it may be `async`. What it raises becomes a failed
    result with the line, never a score. Its further parameters are its options: `-m checks.py:brand_voice:words=["we"]`, or
    `functools.partial(brand_voice, words=["we"])`. Of a class, the parameters of `__init__` are.

    `range` are the least and the greatest value (`None` for a side without an end), `better` is `"higher"` or `"lower"`;
    raise `version` when any score could change. `needs` are fields that a case must have: without `response` a case is an
    error, without another one the metric does not apply.
    """
    definition = Definition(name, summary, better, range, version, needs)

    def mark(marked: Any) -> Any:
        if not callable(marked):
            made = f"a metric of a function or a class, not of {type(marked).__name__}"
            raise TypeError(f"probare.metric makes {made}; what it announces has a name: @probare.metric(name=…)")
        setattr(marked, MARK, definition)
        return marked

    return mark if function is None else mark(function)


class MetricError(Exception):
    """A metric cannot be made: where, and what is wrong."""

    def __init__(self, reason: str, location: str | None = None) -> None:
        super().__init__(reason)
        self.location = location


class BoundMetric:
    """A metric with its options, ready to score."""

    def __init__(self, target: Any, options: Mapping[str, Any] | None = None) -> None:
        options = dict(options or {})
        while isinstance(target, functools.partial):
            if target.args:
                raise MetricError("functools.partial of a metric takes options by name alone")
            options = {**target.keywords, **options}
            target = target.func
        is_instance = not inspect.isclass(target) and not inspect.isroutine(target) and hasattr(target, "score")
        described = type(target) if is_instance else target
        self.definition: Definition = getattr(described, MARK, None) or Definition(
            None, None, "higher", (0.0, 1.0), 1, ("response",)
        )
        self.name: str = self.definition.name or str(getattr(described, "__name__", type(described).__name__))
        self._described = described
        self.file, self.line = _source(described)
        self.location = f"{os.path.basename(self.file)}:{self.line}" if self.file else None
        self.options = {} if is_instance else _options(described)
        self.given = options
        self.doc = inspect.getdoc(described) or ""
        if is_instance and options:
            raise MetricError(f"`{self.name}` was made with its options already", self.location)
        unknown = [option for option in options if option not in self.options]
        if unknown:
            known = ", ".join(self.options) or "none"
            raise MetricError(f"`{self.name}` has no option `{unknown[0]}`; it has {known}", self.location)
        lacking = [name for name, option in self.options.items() if "default" not in option and name not in options]
        if lacking:
            told = "" if inspect.isclass(described) else "; its first parameter is the case, the others are options"
            raise MetricError(f"`{self.name}` needs the option `{lacking[0]}`{told}", self.location)
        for name, option in self.options.items():
            if _is_too_large(options.get(name, option.get("default"))):
                told = "a whole number above 1.8e308, which JSON has no room for; write a smaller one"
                raise MetricError(f"the option `{name}` of `{self.name}` is {told}", self.location)
        for name, value in options.items():
            wanted = self.options[name].get("type", [])
            wanted = [wanted] if isinstance(wanted, str) else wanted
            if wanted and value is not None and not any(_is_kind(value, kind) for kind in wanted):
                words = " or ".join(KINDS[kind] for kind in wanted)
                raise MetricError(f"the option `{name}` of `{self.name}` is {words}, not {value!r:.80}", self.location)
        if inspect.isclass(target):
            instance: Any = target(**options)
            if not callable(getattr(instance, "score", None)):
                raise MetricError(f"the class `{self.name}` has no method `score`", self.location)
            self._call = instance.score
        elif is_instance:
            self._call = target.score
        elif options:
            self._call = functools.partial(target, **options)
        else:
            self._call = target

    def reference(self) -> str:
        """Where its code is, as the command line takes it: FILE.py:NAME; only the name where there is no such file."""
        name: str = getattr(self._described, "__qualname__", self.name)
        if self.file is None or not self.file.endswith(".py") or not os.path.isfile(self.file) or "<" in name:
            return name
        try:
            file = os.path.relpath(self.file)
        except ValueError:  # another drive
            file = self.file
        return f"{self.file if file.startswith(os.pardir) else file}:{name}"

    def ready(self) -> dict[str, Any]:
        """What it says about itself, as the protocol has it."""
        told = {
            "type": "ready",
            "protocol": PROTOCOL,
            "name": self.name,
            "summary": self.definition.summary or self.doc.partition("\n")[0].strip(),
            "page": self.doc,
            "better": self.definition.better,
            "range": list(self.definition.range),
            "version": self.definition.version,
            "needs": self.definition.needs,
            "options": {
                "type": "object",
                "properties": {name: schema for name, schema in self.options.items()},
                "required": [name for name, schema in self.options.items() if "default" not in schema],
                "additionalProperties": False,
            },
            "offsets": "characters",
        }
        return told if self.location is None else {**told, "location": self.location}

    def score(self, case: Mapping[str, Any]) -> dict[str, Any]:
        """The result of one case, as the protocol has it. Nothing that the metric does comes out as an exception."""
        try:
            returned = self._call(Case(case))
            if inspect.isawaitable(returned):
                returned = _awaited(returned)
            return self._result(returned)
        except NotApplicable as reason:
            return {"not_applicable": str(reason) or "the metric says so"}
        except MetricError as error:
            return _failure(str(error), error.location)
        except KeyboardInterrupt:
            raise
        except BaseException as error:  # `sys.exit` in a metric is a failure of it, too
            return _failure(_described(error), self._line_of(error))

    def _result(self, returned: Any) -> dict[str, Any]:
        if isinstance(returned, NotApplicable):
            return {"not_applicable": str(returned) or "the metric says so"}
        if isinstance(returned, str):
            returned = Score(label=returned)
        elif not isinstance(returned, Score):
            returned = Score(self._number(returned, "returned"))
        told: dict[str, Any] = {}
        if returned.value is not None:
            told["value"] = self._number(returned.value, "returned the value")
        if returned.label is not None:
            if not isinstance(returned.label, str):
                raise MetricError(f"returned a label that is {_kind(returned.label)}, not a text", self.location)
            told["label"] = returned.label
        if not told:
            raise MetricError("returned a Score with neither a value nor a label", self.location)
        if returned.parts:
            told["parts"] = {str(name): self._number(part, f"the part `{name}` is") for name, part in returned.parts.items()}
        if returned.evidence:
            for piece in returned.evidence:
                if not isinstance(piece, Evidence):
                    raise MetricError(f"evidence is a list of probare.Evidence, not of {_kind(piece)}", self.location)
            told["evidence"] = [piece.to_dict() for piece in returned.evidence]
        return told

    def _number(self, value: Any, phrase: str) -> float:
        try:
            # Scalars of NumPy and the like have `item`. A text is no number, whatever stands in it.
            scalar = value.item() if callable(getattr(value, "item", None)) else value
            finite = float(scalar) if hasattr(scalar, "__float__") else None
        except OverflowError:
            finite = math.inf
        except (TypeError, ValueError):
            finite = None
        if finite is None:
            expected = "a number, a bool, a label (text) or a probare.Score"
            raise MetricError(f"{phrase} {_kind(value)}; expected {expected}", self.location)
        if not math.isfinite(finite):
            raise MetricError(f"{phrase} {finite}, which is no score", self.location)
        return finite

    def _line_of(self, error: BaseException) -> str | None:
        """The line of the metric's own file in which it went wrong."""
        own = [frame for frame in traceback.extract_tb(error.__traceback__) if frame.filename == self.file]
        return f"{os.path.basename(own[-1].filename)}:{own[-1].lineno}" if own else self.location


def _described(error: BaseException) -> str:
    try:
        words = str(error)
    except Exception:  # an exception whose `__str__` raises
        words = ""
    return f"{type(error).__name__}: {words}" if words else type(error).__name__


def _failure(reason: str, location: str | None) -> dict[str, Any]:
    # Half a character (a lone surrogate) has no form in UTF-8.
    told = {"error": reason.encode("utf-8", "replace").decode("utf-8")}
    return told if location is None else {**told, "location": location}


def _kind(value: Any) -> str:
    return "None" if value is None else f"a value of type `{type(value).__name__}`"


def _source(described: Any) -> tuple[str | None, int | None]:
    try:
        file = inspect.getsourcefile(inspect.unwrap(described))
        code = getattr(inspect.unwrap(described), "__code__", None)
        line = code.co_firstlineno if code else inspect.getsourcelines(described)[1]
    except (OSError, TypeError):
        return None, None
    return file, line


def _options(described: Any) -> dict[str, dict[str, Any]]:
    """The options of a function (its parameters after the case) or of a class (those of `__init__`), with JSON Schema."""
    as_texts: dict[str, Any] = {}
    if sys.version_info >= (3, 14):  # evaluated when asked for, and a name that only type checkers import is not there
        import annotationlib

        as_texts = {"annotation_format": annotationlib.Format.STRING}
    try:
        parameters = list(inspect.signature(described, **as_texts).parameters.values())
    except (TypeError, ValueError):
        return {}
    if not inspect.isclass(described):
        parameters = parameters[1:]
    return {one.name: _schema(one) for one in parameters if one.kind not in ALL_CALLS}


KINDS = {
    "boolean": "true or false",
    "integer": "a whole number",
    "number": "a number",
    "string": "a text",
    "array": 'a list such as ["a","b"]',
    "object": "an object",
}
"""Types of JSON Schema, in words."""

TYPES = {
    "bool": "boolean",
    "int": "integer",
    "float": "number",
    "str": "string",
    "list": "array",
    "tuple": "array",
    "set": "array",
    "frozenset": "array",
    "Sequence": "array",
    "Iterable": "array",
    "Collection": "array",
    "dict": "object",
    "Mapping": "object",
}
"""Types of Python that options have, by name."""


def _schema(parameter: inspect.Parameter) -> dict[str, Any]:
    """JSON Schema of an option: its types are those of its annotation and of its default."""
    kinds = _annotated_kinds(parameter.annotation)
    schema: dict[str, Any] = {}
    if parameter.default is not inspect.Parameter.empty:
        try:
            schema["default"] = json.loads(json.dumps(parameter.default, allow_nan=False))
        except (TypeError, ValueError):
            return {"default": None}
        kind = TYPES.get(type(schema["default"]).__name__)
        if kind and parameter.annotation is inspect.Parameter.empty:
            # What is 1 by default and says nothing more takes 0.5, too.
            kinds = ["number" if kind == "integer" else kind]
        elif kind and kinds and kind not in kinds and not (kind == "integer" and "number" in kinds):
            kinds.insert(0, kind)
    if kinds:
        schema = {"type": kinds[0] if len(kinds) == 1 else kinds, **schema}
    return schema


def _annotated_kinds(annotation: Any) -> list[str]:
    """The types that an annotation names; none where any type may be meant."""
    if annotation is inspect.Parameter.empty:
        return []
    outer = annotation if isinstance(annotation, str) else inspect.formatannotation(annotation)
    before = ""
    while outer != before:  # what stands in brackets is the type of items
        before, outer = outer, re.sub(r"\[[^\[\]]*\]", "", outer)
    names = [word.rpartition(".")[2] for word in re.findall(r"[\w.]+", outer)]
    if any(name not in TYPES and name != "None" for name in names):
        return []
    return list(dict.fromkeys(TYPES[name] for name in names if name in TYPES))


def _is_too_large(value: Any) -> bool:
    """Whether a value is or holds a whole number that is larger than any other number."""
    if isinstance(value, int):
        return abs(value) > sys.float_info.max
    items = value.values() if isinstance(value, Mapping) else value if isinstance(value, (list, tuple, set, frozenset)) else ()
    return any(map(_is_too_large, items))


def _is_kind(value: Any, kind: str) -> bool:
    if isinstance(value, bool):
        return kind == "boolean"
    if isinstance(value, (int, float)):
        return kind == "number" or kind == "integer" and float(value).is_integer()
    if isinstance(value, str):
        return kind == "string"
    if isinstance(value, Mapping):
        return kind == "object"
    return kind == "array" if isinstance(value, Iterable) else True


def _awaited(awaitable: Any) -> Any:
    """Runs what an async metric returned to its end, on a loop of this thread."""
    import asyncio
    import threading

    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return _run_on_loop(awaitable)
    # The caller is in a loop already (a notebook): another thread has one of its own.
    ended: list[Any] = []

    def work() -> None:
        try:
            ended.append((_run_on_loop(awaitable), None))
        except BaseException as error:
            ended.append((None, error))

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    value, error = ended[0]
    if error is not None:
        raise error
    return value


_loops: Any = None


def _run_on_loop(awaitable: Any) -> Any:
    global _loops
    import asyncio
    import threading

    if _loops is None:
        _loops = threading.local()
    loop = getattr(_loops, "loop", None)
    if loop is None or loop.is_closed():
        loop = _loops.loop = asyncio.new_event_loop()

    async def wait() -> Any:
        return await awaitable

    return loop.run_until_complete(wait())


def result_line(number: int, told: Mapping[str, Any]) -> str:
    """The line of the protocol with the result of a case."""
    try:
        return json.dumps({"type": "result", "seq": number, **told}, allow_nan=False)
    except ValueError as error:
        return json.dumps({"type": "result", "seq": number, **_failure(str(error), None)})


def is_metric(value: Any) -> bool:
    """Whether this is a function or class with `@probare.metric`, one with options, or an instance of such a class."""
    while isinstance(value, functools.partial):
        value = value.func
    return getattr(value, MARK, None) is not None


def ready_line(bound: BoundMetric) -> str:
    """The line of the protocol in which a metric describes itself."""
    return json.dumps(bound.ready(), allow_nan=False)


def exchange(bound: BoundMetric, line: str) -> str:
    """The answer to one line of the protocol, for a caller in the same process."""
    message = json.loads(line)
    return result_line(message["seq"], bound.score(message["case"]))


def load(path: str, name: str) -> Any:
    """The metric of this name in a file."""
    import importlib.util

    folder, file = os.path.split(os.path.abspath(path))
    stem = os.path.splitext(file)[0]
    if stem in sys.modules:  # a file that is called like a module must not stand in its place
        stem = f"{stem}_metrics"
    sys.path.insert(0, folder)
    spec = importlib.util.spec_from_file_location(stem, os.path.join(folder, file))
    if spec is None or spec.loader is None:
        raise MetricError(f"`{path}` is no Python file")
    module = importlib.util.module_from_spec(spec)
    sys.modules[stem] = module
    try:
        spec.loader.exec_module(module)
    except BaseException as error:
        own = [frame for frame in traceback.extract_tb(error.__traceback__) if frame.filename == spec.origin]
        line = own[-1].lineno if own else getattr(error, "lineno", None)
        raise MetricError(f"`{file}` cannot be imported: {_described(error)}", f"{file}:{line}" if line else file) from None
    target: Any = module
    for part in name.split("."):
        target = getattr(target, part, None)
    if target is None or not callable(target) and not hasattr(target, "score"):
        marked = [known for known, value in vars(module).items() if getattr(value, MARK, None) is not None]
        has = f"its metrics are {', '.join(marked)}" if marked else "it has no function with @probare.metric"
        raise MetricError(f"`{file}` has no metric `{name}`; {has}", file)
    return target


def serve(path: str, name: str) -> None:
    """The loop of a worker process: a line in, a line out. What the metric prints goes to standard error."""
    lines = os.fdopen(os.dup(0), "rb")
    answers = os.fdopen(os.dup(1), "wb", buffering=0)
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    os.dup2(2, 1)
    sys.stdout = sys.stderr
    bound: BoundMetric | None = None
    for line in lines:
        message = json.loads(line)
        if message["type"] == "hello":
            try:
                bound = BoundMetric(load(path, name), message.get("options"))
                answer = ready_line(bound)
            except MetricError as error:
                answer = json.dumps({"type": "error", **_failure(str(error), error.location)})
            except Exception as error:
                answer = json.dumps({"type": "error", **_failure(_described(error), os.path.basename(path))})
        else:
            assert bound is not None
            answer = result_line(message["seq"], bound.score(message["case"]))
        answers.write(answer.encode("utf-8") + b"\n")


def bundled_module(source: str) -> Any:
    """This file as the module `probare` of a worker; what else is asked of it comes from the installed package."""
    import importlib
    import types

    module = types.ModuleType("probare")
    exec(compile(source, "<probare>", "exec"), module.__dict__)

    def other(wanted: str) -> Any:
        if wanted.startswith("__"):
            raise AttributeError(wanted)
        del sys.modules["probare"]
        try:
            found = getattr(importlib.import_module("probare"), wanted)
        except ImportError:
            raise AttributeError(f"`probare.{wanted}` needs the package: pip install probare") from None
        finally:
            sys.modules["probare"] = module
        return found

    module.__dict__["__getattr__"] = other
    sys.modules["probare"] = module
    return module


