"""The pytest plugin: collects all scores of a session into one report."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from probare.testing import Session

# The package is imported when the first test asks for it: a session without scores does not pay for it.
_STASH = pytest.StashKey["Session"]()


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
    from probare.testing import Session, _session

    config.stash[_STASH] = Session()
    _session.set(config.stash[_STASH])


@pytest.fixture(scope="session")
def probare_session(pytestconfig: pytest.Config) -> Iterator[Session]:
    """All scores of the session so far: `add(case, metric)` takes in another one, `results()` gives them all."""
    yield pytestconfig.stash[_STASH]


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: Any, error: object) -> None:
    """A worker of pytest-xdist is done: its cases join those of the others."""
    told = getattr(node, "workeroutput", {}).get("probare")
    if told:
        node.config.stash[_STASH].merge(*json.loads(told))


def pytest_sessionfinish(session: pytest.Session) -> None:
    collected = session.config.stash.get(_STASH, None)
    if collected is None or not collected.rows:
        return
    output = getattr(session.config, "workeroutput", None)
    if output is not None:
        output["probare"] = json.dumps([collected.rows, collected.requests])


def pytest_terminal_summary(terminalreporter: Any, config: pytest.Config) -> None:
    collected = config.stash.get(_STASH, None)
    files = config.getoption("--probare-report")
    if collected is None or not files or hasattr(config, "workeroutput"):
        return
    results = collected.results(output=files, title="pytest")
    if results is None:
        return
    terminalreporter.section("probare")
    terminalreporter.write_line(repr(results))
    for path in results.written:
        terminalreporter.write_line(f"wrote {path}")
