"""Every block of Python in the guide runs, each page in one go, in a folder of its own."""

from __future__ import annotations

import importlib.util
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import ROOT

PAGES = sorted((ROOT / "docs/python").glob("*.md"))
NEEDS = {"spark.md": "pyspark", "ray.md": "ray", "dask.md": "dask", "daft.md": "daft"}


def blocks(page: Path) -> list[tuple[str, str]]:
    """Language and text of the blocks of a page."""
    return re.findall(r"^```(\w+)\n(.*?)^```", page.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)


def marked(page: Path):
    marks = [getattr(pytest.mark, name) for name in ("spark", "ray", "dask", "daft") if page.name == f"{name}.md"]
    return pytest.param(page, marks=marks, id=page.name)


@pytest.mark.parametrize("page", [marked(page) for page in PAGES])
def test_every_block_runs(page, tmp_path):
    needed = NEEDS.get(page.name)
    if needed and importlib.util.find_spec(needed) is None:
        pytest.skip(f"{needed} is not installed")
    found = [text for language, text in blocks(page) if language == "python"]
    assert found
    tests = [text for text in found if "def test_" in text]
    (tmp_path / "page.py").write_text("\n".join(text for text in found if text not in tests), encoding="utf-8")
    # As in an environment that is activated: Spark looks for the Python of its workers there.
    environment = {**os.environ, "PATH": os.pathsep.join([os.path.dirname(sys.executable), os.environ["PATH"]])}
    command = [sys.executable, "page.py"]
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, done.stderr
    for text, said in [(text, done.stdout) for language, text in blocks(page) if language == "text"]:
        assert text.strip() in said, said
    for text in tests:
        (tmp_path / "test_page.py").write_text(text, encoding="utf-8")
        done = subprocess.run([sys.executable, "-m", "pytest", "-q", "test_page.py"], cwd=tmp_path, capture_output=True, text=True)
        assert done.returncode == 0, done.stdout


def test_there_are_seven_pages():
    assert [page.stem for page in PAGES] == ["daft", "dask", "first-score", "frames", "pytest", "ray", "spark"]
