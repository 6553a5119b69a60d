"""The pytest plugin: keeps the scores that tests got and makes one report of them.

Scores travel as finished lines with the report of their test, so that a run on several processes is told as one process is,
and a process that dies takes no more with it than the test it was at.
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
    from probare._arguments import report
    from probare._errors import Error
    from probare.testing import _current

    try:
        for file in config.getoption("--probare-report"):
            report("--probare-report", file)
    except Error as error:
        raise pytest.UsageError(str(error)) from None
    plugin = _Plugin(config, _current.lines)
    _current.lines = []
    config.pluginmanager.register(plugin, "probare-session")


@pytest.fixture
def probare_session() -> Iterator[Session]:
    """Scores of this test alone: `add(case, metric)` takes in another one, `results()` gives them all."""
    from probare.testing import Session

    yield Session()


class _Plugin:
    def __init__(self, config: pytest.Config, before: list[str] | None) -> None:
        from probare.testing import Session

        self.config = config
        self.session = Session()
        self.lost_workers: list[str] = []
        self.results: Results | None = None
        self.trouble: str | None = None
        self._before = before

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
        told = getattr(report, ATTRIBUTE, None)
        if told and not self.is_worker:
            for line in json.loads(told):
                self.session.keep(line)

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
        from probare._errors import Error

        files = self.config.getoption("--probare-report")
        if self.is_worker or not files:
            return
        try:
            self.results = self.session.results(*files, title="pytest")
        except (Error, OSError) as error:
            self.trouble = str(error)
            session.exitstatus = pytest.ExitCode.INTERNAL_ERROR

    def pytest_terminal_summary(self, terminalreporter: Any) -> None:
        if self.results is None and self.trouble is None and not (self.lost_workers and len(self.session)):
            return
        terminalreporter.section("probare")
        for worker in self.lost_workers:
            terminalreporter.write_line(f"worker {worker} was lost: the scores of the test that it was at are not in the report")
        if self.trouble is not None:
            terminalreporter.write_line(f"the report could not be written: {self.trouble}", red=True)
        if self.results is not None:
            terminalreporter.write_line(repr(self.results))
            for path in self.results.written:
                terminalreporter.write_line(f"wrote {path}")

    def pytest_unconfigure(self) -> None:
        from probare.testing import _current

        _current.lines = self._before
