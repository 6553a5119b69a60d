"""Every block of Python in the guide runs, each page in one go, in a folder of its own."""

from __future__ import annotations

import importlib.util
import json
import os
import re
import subprocess
import sys

import pytest
from conftest import ROOT

PAGES = sorted((ROOT / "docs/python").glob("*.md"))
CLUSTERS = {"Spark": "pyspark", "Ray": "ray", "Dask": "dask", "Daft": "daft"}
"""Sections of the page about clusters, each a program of its own, and the package that it needs."""


def texts() -> list[tuple[str, str]]:
    """What is run in one go: a page, or a section of the page about clusters; with its name."""
    found = []
    for page in PAGES:
        text = page.read_text(encoding="utf-8")
        if page.name == "clusters.md":
            found += [(section.split("\n", 1)[0], section) for section in text.split("\n## ")[1:]]
        else:
            found.append((page.name, text))
    return found


def blocks(page: str) -> list[tuple[str, str]]:
    """Language and text of the blocks of a page."""
    return re.findall(r"^```(\w+)\n(.*?)^```", page, re.MULTILINE | re.DOTALL)


def marked(name: str, page: str):
    marks = [getattr(pytest.mark, name.lower())] if name in CLUSTERS else []
    return pytest.param(name, page, marks=marks, id=name)


@pytest.mark.parametrize(("name", "page"), [marked(name, page) for name, page in texts()])
def test_every_block_runs(name, page, tmp_path):
    needed = CLUSTERS.get(name)
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


def test_every_page_and_section_is_there():
    assert [page.stem for page in PAGES] == ["clusters", "first-score", "frames", "own-metrics", "pytest"]
    assert [name for name, _ in texts() if name in CLUSTERS] == list(CLUSTERS)


NOTEBOOKS = sorted((ROOT / "examples").glob("*/*.ipynb"))


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_every_cell_of_a_notebook_runs(path, tmp_path):
    pytest.importorskip("pandas")
    cells = [cell for cell in json.loads(path.read_text(encoding="utf-8"))["cells"] if cell["cell_type"] == "code"]
    assert len(cells) > 3 and not any(cell["outputs"] for cell in cells), "notebooks are kept without outputs"
    (tmp_path / "cells.py").write_text("\n".join("".join(cell["source"]) for cell in cells), encoding="utf-8")
    done = subprocess.run([sys.executable, "cells.py"], cwd=tmp_path, capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[-1] == "exit code 2" and (tmp_path / "report.html").exists(), done.stdout
