"""Scores as assertions.

    from probare.testing import assert_score

    def test_capital():
        case = {"query": "Capital of Australia?", "response": ask("Capital of Australia?"), "reference": ["Canberra"]}
        assert_score(case, "answer_match", at_least=0.5)

The plugin that comes with the package keeps every score that the tests got: `pytest --probare-report report.html` writes them
as one report. The fixture `probare_session` gathers scores for one test.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Unpack

from probare import _arguments, _probare
from probare._api import _score, elsewhere
from probare._arguments import AsyncSettings, Settings, signed
from probare._errors import Error, ScoreError, UsageError
from probare._notebook import evidence_lines
from probare._results import Results, only_score

if TYPE_CHECKING:
    from probare.catalogue import Profile, Request

EVIDENCE_SHOWN = 20
"""Pieces of evidence that a failure shows."""

ID_NAMES = ("id", "question_id", "sample_id", "task_id")
"""Columns that name a case."""


@signed(Settings)
def assert_score(
    case: Mapping[str, Any],
    metric: Request,
    profile: Profile | None = None,
    *,
    at_least: float | None = None,
    at_most: float | None = None,
    label: str | None = None,
    **settings: Unpack[Settings],
) -> dict[str, Any]:
    """Scores a case and fails where the value is beyond a limit, or the label another; the failure shows the evidence.

    A case that cannot be scored, or to which the metric does not apply, raises `ScoreError`: it is never a pass. `settings`
    are those of `probare.score`. Gives the score: `{"value": …, "parts": …, "evidence": […]}`.
    """
    __tracebackhide__ = True
    limits = _limits(at_least, at_most, label)
    try:
        given = _arguments.checked("assert_score", Settings, settings)
        results = _score_one(_named(case, given), metric, given, profile)
        return _judged(results, *limits)
    except (AssertionError, Error) as error:
        # What the reader of a failure wants to see is the test.
        raise error.with_traceback(None) from None


@signed(AsyncSettings)
async def assert_score_async(
    case: Mapping[str, Any],
    metric: Request,
    profile: Profile | None = None,
    *,
    at_least: float | None = None,
    at_most: float | None = None,
    label: str | None = None,
    **settings: Unpack[AsyncSettings],
) -> dict[str, Any]:
    """The same as `assert_score` for a metric that asks a model."""
    __tracebackhide__ = True
    limits = _limits(at_least, at_most, label)
    try:
        given = _arguments.checked("assert_score_async", AsyncSettings, settings)
        row = _named(case, given)
        results = await elsewhere(lambda interrupt: _score_one(row, metric, given, profile, interrupt), given["width"])
        return _judged(results, *limits)
    except (AssertionError, Error) as error:
        raise error.with_traceback(None) from None


def _limits(at_least: Any, at_most: Any, label: Any) -> tuple[float | None, float | None, str | None]:
    __tracebackhide__ = True
    if at_least is None and at_most is None and label is None:
        raise UsageError("there is no limit", "give at_least=NUMBER, at_most=NUMBER or label=WORD")
    if label is not None and not isinstance(label, str):
        raise _arguments.wrong("label", label, "a text")
    for name, limit in (("at_least", at_least), ("at_most", at_most)):
        if limit is not None:
            _arguments.number(name, limit, float("-inf"), "a number")
    return at_least, at_most, label


def _score_one(
    case: Any, metric: Any, given: Mapping[str, Any], profile: Any, interrupt: _probare.Interrupt | None = None
) -> Results:
    """Scores a single case: one that cannot be read is an error, and its texts are kept for the report."""
    return _score([case], [metric], {**given, "strict": True}, profile, interrupt, whole=True)


def _named(case: Mapping[str, Any], given: Mapping[str, Any]) -> dict[str, Any]:
    """The case; where it has no id it is called as the test that is running."""
    if not isinstance(case, Mapping):
        raise _arguments.wrong("case", case, "a dict")
    row = dict(case)
    if "id" not in given["mapping"] and all(row.get(name) is None for name in ID_NAMES):
        test = os.environ.get("PYTEST_CURRENT_TEST", "").rpartition(" (")[0]
        if test:
            row["id"] = test
    return row


def _judged(results: Results, at_least: float | None, at_most: float | None, label: str | None) -> dict[str, Any]:
    __tracebackhide__ = True
    _current.take(results)
    name, told = only_score(results)
    value = told.get("value")
    if value is None and (at_least is not None or at_most is not None):
        raise ScoreError(f"{name} gives the label {told['label']!r} and no value; use label=", "failed")
    wrong = []
    if label is not None and told.get("label") != label:
        wrong.append(f"the label {label!r} is wanted")
    if at_least is not None and value < at_least:
        wrong.append(f"at least {at_least} is wanted")
    if at_most is not None and value > at_most:
        wrong.append(f"at most {at_most} is wanted")
    if wrong:
        raise AssertionError(_shown(name, told, ", ".join(wrong)))
    return told


def _shown(name: str, told: dict[str, Any], wrong: str) -> str:
    said = [str(told[part]) for part in ("value", "label") if part in told]
    shown = said[0] if len(said) == 1 else f"{said[0]} ({said[1]})"
    lines = [f"{name} is {shown}, {wrong}"]
    if told.get("parts"):
        lines.append("  " + ", ".join(f"{part} {value:.4g}" for part, value in told["parts"].items()))
    pieces = evidence_lines(told.get("evidence", []))
    lines += [f"  {line}" for line in pieces[:EVIDENCE_SHOWN]]
    if len(pieces) > EVIDENCE_SHOWN:
        lines.append(f"  and {len(pieces) - EVIDENCE_SHOWN} more")
    return "\n".join(lines)


class Session:
    """Finished scores, as the tests got them. Nothing is scored or asked again for a report."""

    def __init__(self) -> None:
        self._metrics: dict[str, dict[str, Any]] = {}
        self._cases: dict[str, dict[str, Any]] = {}

    def __len__(self) -> int:
        """How many cases there are."""
        return len(self._cases)

    @signed(Settings)
    def add(
        self, case: Mapping[str, Any], metric: Request, profile: Profile | None = None, **settings: Unpack[Settings]
    ) -> dict[str, Any]:
        """Scores a case, keeps the score and gives it: `{"value": …}`, `{"not_applicable": …}` or `{"error": …}`."""
        given = _arguments.checked("add", Settings, settings)
        results = _score_one(_named(case, given), metric, given, profile)
        for line in finished(results):
            self.keep(line)
            _current.keep(line)
        told: dict[str, Any] = next(iter(results[0]["scores"].values()))
        return told

    def keep(self, line: str) -> None:
        """Takes in a finished score, from this process or another."""
        told = json.loads(line)
        name = self._name(told["metric"])
        case, number = told["case"], 1
        id = stem = case["id"]
        while True:
            known = self._cases.get(id)
            if known is None:
                known = self._cases[id] = {"case": {**case, "id": id}, "scores": {}}
            # Another metric of the same case stands in its row; whatever else has its id gets one of its own.
            if {**known["case"], "id": stem} == case and name not in known["scores"]:
                known["scores"][name] = told["score"]
                return
            number += 1
            id = f"{stem} #{number}"

    def _name(self, metric: dict[str, Any]) -> str:
        """The name of a metric: two with different options have different names."""
        name, number = str(metric["name"]), 1
        while self._metrics.setdefault(name, {**metric, "name": name}) != {**metric, "name": name}:
            number += 1
            name = f"{metric['name']} #{number}"
        return name

    def results(self, *outputs: str | os.PathLike[str], title: str | None = None) -> Results | None:
        """All scores as results, and as reports; nothing where there is none."""
        if not self._cases:
            return None
        files = [_arguments.report(f"outputs[{at}]", output) for at, output in enumerate(outputs)]
        wish = {"name": "pytest", "outputs": files, "title": title}
        told = _probare.retold(json.dumps(list(self._metrics.values())), json.dumps(list(self._cases.values())), wish)
        return Results(told)


def finished(results: Results) -> list[str]:
    """Each score of some results as a line that travels: the case, the metric with its settings, what it said."""
    lines = []
    metrics = json.loads(results._native.definitions)
    for at, row in enumerate(results):
        case = json.loads(results._native.case(at))
        for metric in metrics:
            told = {"case": case, "metric": metric, "score": row["scores"][metric["name"]]}
            lines.append(json.dumps(told, ensure_ascii=False))
    return lines


class _Current:
    """Who keeps the scores of this process; nobody unless a plugin is there."""

    def __init__(self) -> None:
        self.lines: list[str] | None = None

    def take(self, results: Results) -> None:
        if self.lines is not None:
            self.lines += finished(results)

    def keep(self, line: str) -> None:
        if self.lines is not None:
            self.lines.append(line)


_current = _Current()
