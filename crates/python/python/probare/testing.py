"""Scores as assertions.

    from probare.testing import assert_score, assert_scores

    def test_capital():
        case = {"query": "Capital of Australia?", "response": ask("Capital of Australia?"), "reference": ["Canberra"]}
        assert_score(case, "answer_match", at_least=0.5)

    def test_all_capitals():
        assert_scores("capitals.jsonl", "token_f1", mean_at_least=0.7)

The plugin that comes with the package keeps every score that the tests got: `pytest --probare-report report.html` writes them
as one report. The fixture `probare_session` gathers scores for one test.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping
from typing import Any

from probare import _arguments, _probare
from probare._api import WIDTH, run_in_thread, run
from probare._arguments import FilePath, Judge, Profile, checked, keywords
from probare._errors import Error, ScoreError, UsageError
from probare._metric import MetricRequest
from probare._notebook import evidence_lines
from probare._results import Results, only_score

EVIDENCE_SHOWN = 20
"""Pieces of evidence that a failure shows."""

ID_NAMES = ("id", "question_id", "sample_id", "task_id")
"""Columns that name a case."""

SINGLE = {"name": None, "evidence": True, "progress": False, "limit": None, "strict": True}
"""How a single case is scored: one that cannot be read is an error."""


@keywords
def assert_score(
    case: Any,
    metric: MetricRequest,
    profile: Profile | None = None,
    *,
    at_least: float | None = None,
    at_most: float | None = None,
    mapping: Mapping[str, str] | None = None,
    judges: Judge | Iterable[Judge] = (),
    cache: FilePath | None = None,
    offline: bool = False,
    budget_usd: float | None = None,
    budget_tokens: int | None = None,
    decision_thresholds: FilePath | Iterable[FilePath] | None = None,
    config: FilePath | None = None,
) -> dict[str, Any]:
    """Scores a case and fails where the value is beyond a limit; the failure shows the evidence.

    A case that cannot be scored, or to which the metric does not apply, raises `ScoreError`: it is never a pass. The settings
    are those of `probare.score`. Gives the score: `{"value": …, "parts": …, "evidence": […]}`.
    """
    __tracebackhide__ = True
    try:
        limits, given = given_limits(at_least=at_least, at_most=at_most), checked(locals())
        return _checked_score(score_one(_with_id(case, given), metric, profile, given), limits)
    except (AssertionError, Error) as error:
        # What the reader of a failure wants to see is the test.
        raise error.with_traceback(None) from None


@keywords
async def assert_score_async(
    case: Any,
    metric: MetricRequest,
    profile: Profile | None = None,
    *,
    at_least: float | None = None,
    at_most: float | None = None,
    mapping: Mapping[str, str] | None = None,
    judges: Judge | Iterable[Judge] = (),
    cache: FilePath | None = None,
    offline: bool = False,
    budget_usd: float | None = None,
    budget_tokens: int | None = None,
    decision_thresholds: FilePath | Iterable[FilePath] | None = None,
    config: FilePath | None = None,
    width: int = WIDTH,
) -> dict[str, Any]:
    """The same as `assert_score` for a metric that asks a model."""
    __tracebackhide__ = True
    try:
        limits, given = given_limits(at_least=at_least, at_most=at_most), checked(locals())
        row = _with_id(case, given)
        results = await run_in_thread(lambda interrupt: score_one(row, metric, profile, given, interrupt), given["width"])
        return _checked_score(results, limits)
    except (AssertionError, Error) as error:
        raise error.with_traceback(None) from None


@keywords
def assert_scores(
    cases: Any,
    metric: MetricRequest,
    profile: Profile | None = None,
    *,
    mean_at_least: float | None = None,
    mean_at_most: float | None = None,
    worst: int = 5,
    mapping: Mapping[str, str] | None = None,
    limit: int | None = None,
    jobs: int | None = None,
    judges: Judge | Iterable[Judge] = (),
    cache: FilePath | None = None,
    offline: bool = False,
    budget_usd: float | None = None,
    budget_tokens: int | None = None,
    decision_thresholds: FilePath | Iterable[FilePath] | None = None,
    config: FilePath | None = None,
) -> Results:
    """Scores many cases and fails where their mean is beyond a limit; the failure lists the worst cases with their evidence.

    `cases` are what `probare.score` takes. A case that cannot be scored raises `ScoreError`; one to which the metric does not
    apply is no part of the mean, but where it applies to none there is no pass. Gives the results.
    """
    __tracebackhide__ = True
    try:
        limits, given = given_limits(mean_at_least=mean_at_least, mean_at_most=mean_at_most), checked(locals())
        shown = _arguments.whole("worst", worst, 0)
        settings = {**given, "name": None, "evidence": True, "progress": False}
        results = run(cases, [metric], profile, settings, whole=_current.lines is not None, warns=False)
        _current.take(results, limits)
        _check_mean(results, limits, shown)
        return results
    except (AssertionError, Error) as error:
        raise error.with_traceback(None) from None


def given_limits(**limits: Any) -> dict[str, float]:
    """The limits that were given, by their names."""
    __tracebackhide__ = True
    given = {
        name: _arguments.number(name, limit, float("-inf"), "a number") for name, limit in limits.items() if limit is not None
    }
    if not given:
        first, second = limits
        raise UsageError("there is no limit", f"give {first}=NUMBER or {second}=NUMBER")
    return given


def missed_limits(value: float, limits: Mapping[str, float]) -> list[str]:
    """The limits that a value is beyond, in words."""
    missed = []
    for name, limit in limits.items():
        if value < limit if name.endswith("at_least") else value > limit:
            missed.append(f"{'at least' if name.endswith('at_least') else 'at most'} {limit} is wanted")
    return missed


def score_one(
    case: Any, metric: Any, profile: Any, given: Mapping[str, Any], interrupt: _probare.Interrupt | None = None
) -> Results:
    """Scores a single case, whose texts are kept for the report. What is wrong with it is an error, not a warning."""
    return run([case], [metric], profile, {**given, **SINGLE}, interrupt, whole=True, warns=False)


def _with_id(case: Any, given: Mapping[str, Any]) -> dict[str, Any]:
    """The case; where it has no id it is called as the test that is running."""
    row = dict(case) if isinstance(case, Mapping) else json.loads(_probare.row(case))
    if "id" not in given["mapping"] and all(row.get(name) is None for name in ID_NAMES):
        test = os.environ.get("PYTEST_CURRENT_TEST", "").rpartition(" (")[0]
        if test:
            row["id"] = test
    return row


def _checked_score(results: Results, limits: Mapping[str, float]) -> dict[str, Any]:
    __tracebackhide__ = True
    _current.take(results, limits)
    name, told = only_score(results)
    if "value" not in told:
        raise ScoreError(f"{name} gives the label {told['label']!r} and no value to be held to a limit", "failed")
    missed = missed_limits(told["value"], limits)
    if missed:
        raise AssertionError("\n".join([f"{_value(name, told)}, {', '.join(missed)}", *_details(told, "  ")]))
    return told


def _check_mean(results: Results, limits: Mapping[str, float], worst: int) -> None:
    __tracebackhide__ = True
    [(name, summary)] = results.summary.items()
    rows = [(row["id"], row["scores"][name]) for row in results]
    failed = [(id, told) for id, told in rows if "error" in told]
    if failed:
        lines = [f"  {id}: {told['error']}" for id, told in failed[: max(worst, 1)]]
        more = [f"  and {len(failed) - len(lines)} more"] if len(failed) > len(lines) else []
        message = f"{name}: {len(failed)} of {len(rows)} cases could not be scored"
        raise ScoreError("\n".join([message, *lines, *more]), failed[0][1]["kind"])
    if summary.mean is None and summary.labels:
        raise ScoreError(f"{name} gives labels and no value to be held to a limit", "failed")
    if summary.mean is None:
        reason = next((told["not_applicable"] for _, told in rows), "there is no case")
        raise ScoreError(f"{name} applies to none of {len(rows)} cases: {reason}", "not_applicable")
    missed = missed_limits(summary.mean, limits)
    if not missed:
        return
    ends = f" (95 % {summary.interval.low:.4g} to {summary.interval.high:.4g})" if summary.interval else ""
    lines = [f"the mean of {name} is {summary.mean:.4g}{ends} over {summary.scored} cases, {', '.join(missed)}"]
    scored = [(id, told) for id, told in rows if "value" in told]
    scored.sort(key=lambda row: row[1]["value"], reverse="mean_at_least" not in limits)
    if worst:
        lines.append("the worst of them:" if len(scored) > worst else "the cases, the worst first:")
    for id, told in scored[:worst]:
        lines += [f"  {id}: {_value(name, told)}", *_details(told, "    ")]
    raise AssertionError("\n".join(lines))


def _no_value(told: dict[str, Any]) -> str:
    """Why there is nothing to hold to a limit."""
    return str(told.get("error") or told.get("not_applicable") or f"the label {told['label']!r} has no value")


def _value(name: str, told: dict[str, Any]) -> str:
    return f"{name} is {told['value']}" + (f" ({told['label']})" if told.get("label") else "")


def _details(told: dict[str, Any], margin: str) -> list[str]:
    """Parts and evidence of a score, a line for each piece."""
    lines = []
    if told.get("parts"):
        lines.append(", ".join(f"{part} {value:.4g}" for part, value in told["parts"].items()))
    pieces = evidence_lines(told.get("evidence", []))
    lines += pieces[:EVIDENCE_SHOWN]
    if len(pieces) > EVIDENCE_SHOWN:
        lines.append(f"and {len(pieces) - EVIDENCE_SHOWN} more")
    return [margin + line for line in lines]


NOT_ASKED = "it was not asked of this case"
"""What a report says of a metric and a case that did not meet. The engine says so too."""

OUTCOME = "test"
"""The column of a report that says what became of a test: 1 where it passed, 0 where it did not."""


class Session:
    """Finished scores, as the tests got them. Nothing is scored or asked again for a report."""

    def __init__(self) -> None:
        self._metrics: dict[str, dict[str, Any]] = {}
        self._cases: dict[str, dict[str, Any]] = {}

    def __len__(self) -> int:
        """How many cases there are."""
        return len(self._cases)

    @keywords
    def add(
        self,
        case: Any,
        metric: MetricRequest,
        profile: Profile | None = None,
        *,
        mapping: Mapping[str, str] | None = None,
        judges: Judge | Iterable[Judge] = (),
        cache: FilePath | None = None,
        offline: bool = False,
        budget_usd: float | None = None,
        budget_tokens: int | None = None,
        decision_thresholds: FilePath | Iterable[FilePath] | None = None,
        config: FilePath | None = None,
    ) -> dict[str, Any]:
        """Scores a case, keeps the score and gives it: `{"value": …}`, `{"not_applicable": …}` or `{"error": …}`."""
        given = checked(locals())
        results = score_one(_with_id(case, given), metric, profile, given)
        for line in finished(results, {}):
            self.keep(line)
            _current.keep(line)
        told: dict[str, Any] = next(iter(results[0]["scores"].values()))
        return told

    def keep(self, line: str) -> str:
        """Takes in a finished score, from this process or another, and gives the id of the row that it is in."""
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
                break
            number += 1
            id = f"{stem} #{number}"
        known["scores"][name] = told["score"]
        for limit, value in told.get("limits", {}).items():
            known["scores"][self._limit(name, limit)] = {"value": value}
        return str(id)

    def judge(self, lines: list[str], outcome: str, reason: str | None = None) -> None:
        """Takes in all scores of a test with what became of it.

        Where a limit was missed, the test failed for the rows that missed it, else for the last one.
        """
        self._metrics.setdefault(OUTCOME, _described(OUTCOME, "What became of the test", (0.0, 1.0), is_descriptive=False))
        rows = [self.keep(line) for line in lines]
        notes: dict[str, list[str]] = {id: [] for id in rows}
        to_blame = dict.fromkeys(rows, False)
        for id, line in zip(rows, lines):
            told = json.loads(line)
            score, limits = told["score"], told.get("limits", {})
            name = told["metric"]["name"]
            missed = missed_limits(score["value"], limits) if "value" in score else [_no_value(score)]
            if missed and limits:
                to_blame[id] = True
                value = f"{name} is {score['value']}" if "value" in score else name
                of_mean = "a mean of " if next(iter(limits)).startswith("mean") else ""
                notes[id].append(f"{value}: {of_mean}{', '.join(missed)}")
        if not any(to_blame.values()):
            to_blame[rows[-1]] = True
        is_pass = outcome in ("passed", "xpassed")
        for id in to_blame:
            own = outcome if to_blame[id] or is_pass else "passed"
            evidence = [{"kind": "note", "text": note} for note in notes[id]]
            value = 1.0 if own in ("passed", "xpassed") else 0.0
            known = self._cases[id]
            known["scores"][OUTCOME] = {"value": value, "label": own} | ({"evidence": evidence} if evidence else {})
            if own in ("xfailed", "skipped"):
                known["excused"] = reason or own

    def _limit(self, metric: str, limit: str) -> str:
        """The name of the column that holds a limit."""
        name = f"{metric} {limit}"
        self._metrics.setdefault(name, _described(name, f"Limit of {metric}", (None, None), is_descriptive=True))
        return name

    def _name(self, metric: dict[str, Any]) -> str:
        """The name of a metric: two with different options have different names."""
        name, number = str(metric["name"]), 1
        while self._metrics.setdefault(name, {**metric, "name": name}) != {**metric, "name": name}:
            number += 1
            name = f"{metric['name']} #{number}"
        return name

    def results(self, *outputs: FilePath, title: str | None = None) -> Results | None:
        """All scores as results, and as reports; nothing where there is none."""
        if not self._cases:
            return None
        files = [_arguments.report(f"outputs[{at}]", output) for at, output in enumerate(outputs)]
        limits = [(OUTCOME, 1.0)] if OUTCOME in self._metrics else []
        # What became of the tests stands behind what was measured.
        metrics = sorted(self._metrics.values(), key=lambda metric: metric["name"] == OUTCOME)
        options = {"name": "pytest", "outputs": files, "title": title, "limits": limits}
        return Results(_probare.report_cases(json.dumps(metrics), json.dumps(list(self._cases.values())), options))


def _described(name: str, summary: str, ends: tuple[float | None, float | None], *, is_descriptive: bool) -> dict[str, Any]:
    """What a report knows about a column that no metric computed."""
    told = {"name": name, "id": name, "summary": summary, "better": "higher", "range": list(ends), "version": 1}
    return {**told, "is_descriptive": True} if is_descriptive else told


def finished(results: Results, limits: Mapping[str, float]) -> list[str]:
    """Each score of some results as a line that travels: the case, the metric with its settings, what it said, its limits."""
    lines = []
    metrics = json.loads(results._native.definitions)
    for at, row in enumerate(results):
        case = json.loads(results._native.case(at))
        for metric in metrics:
            told = {"case": case, "metric": metric, "score": row["scores"][metric["name"]]}
            lines.append(json.dumps({**told, "limits": dict(limits)} if limits else told, ensure_ascii=False))
    return lines


class _Current:
    """Who keeps the scores of this process; nobody unless a report is wanted."""

    def __init__(self) -> None:
        self.lines: list[str] | None = None

    def take(self, results: Results, limits: Mapping[str, float]) -> None:
        if self.lines is not None:
            self.lines += finished(results, limits)

    def keep(self, line: str) -> None:
        if self.lines is not None:
            self.lines.append(line)


_current = _Current()
