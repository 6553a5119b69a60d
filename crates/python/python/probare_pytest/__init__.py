"""The pytest plugin: keeps the scores that tests got and makes one report of them.

Scores travel as finished lines with the report of their test, so that a run on several processes is told as one process is,
and a process that dies takes no more with it than the test it was at. A test that is run again counts as its last attempt.
"""

from __future__ import annotations

import json
from collections.abc import Generator, Iterator
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from probare._results import Results
    from probare.testing import Session

ATTRIBUTE = "probare_scores"
"""What the report of a test carries."""


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("probare")
    group.addoption(
        "--probare-report",
        action="append",
        default=[],
        metavar="FILE",
        help="write all scores of the session as one report: .html .jsonl .json .csv .parquet .md .xml (repeatable)",
    )


def pytest_configure(config: pytest.Config) -> None:
    files = config.getoption("--probare-report")
    if not files:
        return
    from probare._arguments import report
    from probare._errors import Error

    try:
        for file in files:
            report("--probare-report", file)
    except Error as error:
        raise pytest.UsageError(str(error)) from None
    config.pluginmanager.register(_Plugin(config), "probare-session")


@pytest.fixture
def probare_session() -> Iterator[Session]:
    """Scores of this test alone: `add(case, metric)` takes in another one, `results()` gives them all."""
    from probare.testing import Session

    yield Session()


class _Attempt:
    """The scores of a test by its phases, and how it ended."""

    def __init__(self) -> None:
        self.lines: dict[str, list[str]] = {}
        self.outcome = "passed"
        self.reason: str | None = None

    def take(self, report: Any) -> None:
        """Takes in a phase. A set-up begins another attempt: what it does not do again is what it did for several tests."""
        if report.when == "setup":
            self.lines.pop("call", None)
            self.lines.pop("teardown", None)
            self.outcome, self.reason = "passed", None
        told = getattr(report, ATTRIBUTE, None)
        if told:
            self.lines[report.when] = json.loads(told)
        expected = getattr(report, "wasxfail", None)
        if expected is not None:
            self.outcome, self.reason = ("xfailed" if report.skipped else "xpassed"), f"expected failure: {expected}".rstrip(": ")
        elif report.failed or report.outcome == "rerun":
            self.outcome = "failed" if report.when == "call" else "error"
        elif report.skipped:
            self.outcome, self.reason = "skipped", "skipped"


class _Plugin:
    def __init__(self, config: pytest.Config) -> None:
        from probare.testing import _current

        self.config = config
        self.attempts: dict[str, _Attempt] = {}
        self.lost_workers: list[str] = []
        self.results: Results | None = None
        self.trouble: str | None = None
        self._before, _current.lines = _current.lines, []

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(self, item: pytest.Item, call: Any) -> Generator[None, Any, Any]:
        """What was scored until now goes with the report of the test, wherever that goes."""
        from probare.testing import _current

        report = yield
        if _current.lines:
            setattr(report, ATTRIBUTE, json.dumps(_current.lines))
            _current.lines.clear()
        return report

    def pytest_runtest_logreport(self, report: Any) -> None:
        if not self.is_worker:
            self.attempts.setdefault(report.nodeid, _Attempt()).take(report)

    @property
    def is_worker(self) -> bool:
        """Whether this is a process of pytest-xdist, which leaves the report to the one that started it."""
        return hasattr(self.config, "workerinput")

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node: Any, error: object) -> None:
        if error:
            self.lost_workers.append(str(node.gateway.id))

    @pytest.hookimpl(trylast=True)
    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        if self.is_worker:
            return
        from probare._errors import Error
        from probare.testing import Session

        whole = Session()
        for attempt in self.attempts.values():
            lines = [line for phase in attempt.lines.values() for line in phase]
            if lines:
                whole.judge(lines, attempt.outcome, attempt.reason)
        try:
            self.results = whole.results(*self.config.getoption("--probare-report"), title="pytest")
        except (Error, OSError) as error:
            self.trouble = str(error)
            session.exitstatus = pytest.ExitCode.INTERNAL_ERROR

    def pytest_terminal_summary(self, terminalreporter: Any) -> None:
        terminalreporter.section("probare")
        for worker in self.lost_workers:
            terminalreporter.write_line(f"worker {worker} was lost: the scores of the test that it was at are not in the report")
        if self.trouble is not None:
            terminalreporter.write_line(f"the report could not be written: {self.trouble}", red=True)
        elif self.results is None:
            files = ", ".join(self.config.getoption("--probare-report"))
            terminalreporter.write_line(f"no test scored anything: {files} is not written")
        else:
            terminalreporter.write_line(repr(self.results))
            for path in self.results.written:
                terminalreporter.write_line(f"wrote {path}")

    def pytest_unconfigure(self) -> None:
        from probare.testing import _current

        _current.lines = self._before
