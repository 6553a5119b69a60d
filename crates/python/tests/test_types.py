"""The types that the package tells: of itself, of the engine, and to the programs that use it."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("mypy", reason="types are not checked: mypy is not installed")

HERE = Path(__file__).parent


def checked(*arguments: str) -> list[str]:
    """What mypy says about it."""
    command = [sys.executable, "-m", "mypy", "--no-error-summary", *arguments]
    done = subprocess.run(command, cwd=HERE.parent, capture_output=True, text=True)
    assert done.returncode in (0, 1), done.stderr
    return done.stdout.splitlines()


def test_the_package_is_typed(tmp_path):
    assert checked("--cache-dir", str(tmp_path), "-p", "probare") == []


@pytest.fixture(scope="module")
def strict(tmp_path_factory):
    """The settings of a user, who sees the package as it is installed."""
    folder = tmp_path_factory.mktemp("settings")
    (folder / "mypy.ini").write_text("[mypy]\nstrict = true\n")
    return ["--config-file", str(folder / "mypy.ini"), "--cache-dir", str(folder / "cache")]


def test_a_right_program_passes(strict):
    assert checked(*strict, str(HERE / "typed/right.py")) == []


def test_mistakes_are_found_where_they_are(strict):
    file = HERE / "typed/wrong.py"
    marked = [(number, line) for number, line in enumerate(file.read_text().splitlines(), 1) if "  # " in line]
    wanted = [(number, line.rpartition("# ")[2]) for number, line in marked]
    found = [re.search(r":(\d+): error: .*\[([a-z-]+)\]$", line) for line in checked(*strict, str(file))]
    assert [(int(match[1]), match[2]) for match in found if match] == wanted


def test_the_stub_of_the_engine_is_the_engine():
    command = [sys.executable, "-m", "mypy.stubtest", "probare._probare", "--mypy-config-file", "pyproject.toml"]
    done = subprocess.run(command, cwd=HERE.parent, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout
