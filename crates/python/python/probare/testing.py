"""Scores as assertions.

    from probare.testing import assert_score

    def test_capital():
        case = {"query": "Capital of Australia?", "response": ask("Capital of Australia?"), "reference": ["Canberra"]}
        assert_score(case, "answer_match", at_least=0.5)

The plugin that comes with the package collects every score of a session: `pytest --probare-report report.html` writes them all
as one report, and the fixture `probare_session` gives them to a test.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any

from probare._api import score, score_async
from probare._errors import UsageError
from probare._results import Results, evidence_lines, only_score

if TYPE_CHECKING:
    from probare.catalogue import Request

EVIDENCE_SHOWN = 20
"""Pieces of evidence that a failure shows."""


def assert_score(
    case: Mapping[str, Any],
    metric: Request,
    *,
    at_least: float | None = None,
    at_most: float | None = None,
    **settings: Any,
) -> dict[str, Any]:
    """Scores a case and fails where the value is beyond a limit; the failure shows the evidence.

    A case that cannot be scored, or to which the metric does not apply, raises `ScoreError`: it is never a pass. `settings`
    are those of `probare.score`. Gives the score: `{"value": …, "parts": …, "evidence": […]}`.
    """
    __tracebackhide__ = True
    _check_limits(at_least, at_most)
    results = score([dict(case)], [metric], strict=True, **settings)
    return _judged(case, metric, results, at_least, at_most, settings)


async def assert_score_async(
    case: Mapping[str, Any],
    metric: Request,
    *,
    at_least: float | None = None,
    at_most: float | None = None,
    **settings: Any,
) -> dict[str, Any]:
    """The same as `assert_score` for a metric that asks a model."""
    __tracebackhide__ = True
    _check_limits(at_least, at_most)
    results = await score_async([dict(case)], [metric], strict=True, **settings)
    return _judged(case, metric, results, at_least, at_most, settings)


def _check_limits(at_least: float | None, at_most: float | None) -> None:
    if at_least is None and at_most is None:
        raise UsageError("there is no limit", "give at_least=NUMBER or at_most=NUMBER")


def _judged(
    case: Mapping[str, Any],
    metric: Request,
    results: Results,
    at_least: float | None,
    at_most: float | None,
    settings: dict[str, Any],
) -> dict[str, Any]:
    __tracebackhide__ = True
    session = _session.get()
    if session is not None:
        session.add(case, metric, settings)
    name, told = only_score(results)
    value = told["value"]
    wrong = []
    if at_least is not None and value < at_least:
        wrong.append(f"at least {at_least} is wanted")
    if at_most is not None and value > at_most:
        wrong.append(f"at most {at_most} is wanted")
    if wrong:
        raise AssertionError(_shown(name, told, ", ".join(wrong)))
    return told


def _shown(name: str, told: dict[str, Any], wrong: str) -> str:
    label = f" ({told['label']})" if told.get("label") else ""
    lines = [f"{name} is {told['value']}{label}, {wrong}"]
    if told.get("parts"):
        lines.append("  " + ", ".join(f"{part} {value:.4g}" for part, value in told["parts"].items()))
    pieces = evidence_lines(told.get("evidence", []))
    lines += [f"  {line}" for line in pieces[:EVIDENCE_SHOWN]]
    if len(pieces) > EVIDENCE_SHOWN:
        lines.append(f"  and {len(pieces) - EVIDENCE_SHOWN} more")
    return "\n".join(lines)


KEY = "probare_metrics"
"""The key of the metadata that says which metrics a case is for."""


class Session:
    """The cases of a test session, each with the metrics that were asked of it."""

    def __init__(self) -> None:
        self.rows: list[dict[str, Any]] = []
        self.requests: list[dict[str, Any]] = []
        self.settings: dict[str, Any] = {}

    def add(self, case: Mapping[str, Any], metric: Request, settings: Mapping[str, Any] | None = None) -> None:
        """Takes in a case. It is called as the test that is running, unless it has an id."""
        settings = dict(settings or {})
        profile = settings.pop("profile", None)
        self.settings |= settings
        request = self._named(_request(metric, profile))
        row = dict(case)
        test = os.environ.get("PYTEST_CURRENT_TEST", "").rpartition(" (")[0]
        if not any(key in row for key in ("id", "question_id", "sample_id")):
            row["id"] = test or str(len(self.rows) + 1)
        row[KEY] = [request["name"]]
        self.rows.append(row)

    def _named(self, request: dict[str, Any]) -> dict[str, Any]:
        """The request under a name that no other has."""
        stem, number = request["name"], 1
        while True:
            known = next((known for known in self.requests if known["name"] == request["name"]), None)
            if known is None:
                self.requests.append(request)
            if known is None or known == request:
                return request
            number += 1
            request = {**request, "name": f"{stem} {number}"}

    def merge(self, rows: list[dict[str, Any]], requests: list[dict[str, Any]]) -> None:
        """Takes in what another process has collected."""
        self.rows += rows
        self.requests += [request for request in requests if request not in self.requests]

    def results(self, output: str | list[str] | None = None, title: str | None = None) -> Results | None:
        """All scores of the session as one run, and as a report; nothing where no case was scored."""
        from probare._api import _score, _settings

        if not self.rows:
            return None
        known = ("mapping", "jobs", "judges", "record", "offline", "budget_usd", "budget_tokens", "config")
        settings = _settings(None, **{key: self.settings[key] for key in known if key in self.settings})
        run = {"limit": None, "strict": False, "by": None, "output": output, "title": title, "name": "pytest"}
        return _score(self.rows, self.requests, settings, run | {"format": None, "only": KEY})


def _request(metric: Request, profile: str | None) -> dict[str, Any]:
    """A metric as a dict with a name of its own."""
    from probare import _probare

    request = dict(metric) if isinstance(metric, Mapping) else _probare.request(metric)
    request.setdefault("name", request["id"])
    if profile is not None:
        request.setdefault("profile", profile)
    return request


_session: ContextVar[Session | None] = ContextVar("probare_session", default=None)
