"""The types that the package tells: of itself, of the engine, and to the programs that use it."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import ROOT
from test_guide import blocks, texts

pytest.importorskip("mypy", reason="types are not checked: mypy is not installed")

HERE = Path(__file__).parent
BIN = str(Path(sys.executable).parent)


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


PROGRAMS = sorted((HERE / "typed/programs").glob("*.py"))


OTHER_PAGES: dict[str, str | None] = {
    "README.md": None,
    "crates/python/README.md": None,
    "docs/integrations.md": None,
    # Functions are shown without types there, and what is scored is what the text above it says.
    "docs/own-metric.md": (
        "# mypy: allow-untyped-defs, allow-incomplete-defs, allow-untyped-calls\n# pyright: standard\n"
        "import functools\nimport probare\nimport probare.testing\n"
        "rows: list[dict[str, str]] = []\ncase: dict[str, str] = {}\n"
    ),
}
"""Further pages with programs, each of which is one of its own; or what stands before them where they are one together."""


@pytest.fixture(scope="module")
def programs(tmp_path_factory):
    """Twelve programs of users, and every page of the guide as one."""
    folder = tmp_path_factory.mktemp("programs")
    for program in PROGRAMS:
        (folder / program.name).write_text(program.read_text(encoding="utf-8"), encoding="utf-8")
    for name, page in texts():
        stem = re.sub(r"\W", "_", name.removesuffix(".md"))
        (folder / f"page_{stem}.py").write_text("\n".join(text for kind, text in blocks(page) if kind == "python"), encoding="utf-8")
    for name, preamble in OTHER_PAGES.items():
        found = [text for kind, text in blocks((ROOT / name).read_text(encoding="utf-8")) if kind == "python"]
        assert found, name
        stem = re.sub(r"\W", "_", name.removesuffix(".md"))
        for number, text in enumerate(found if preamble is None else ["\n".join([preamble, *found])]):
            (folder / f"other_{stem}_{number}.py").write_text(text, encoding="utf-8")
    return folder


UNTYPED = ["pandas", "polars", "pyarrow", "duckdb", "pyspark", "ray", "dask", "daft", "datasets", "inspect_ai", "deepeval", "lm_eval"]
"""Packages of others, which have no types or are absent."""

LENIENT = f"""
[mypy]
strict = true
[mypy-{",".join(f"{name}.*" for name in UNTYPED)}]
ignore_missing_imports = true
follow_imports = skip
"""
"""The settings of a user: strict, but what packages without types do not say is not ours."""


def test_programs_of_users_and_pages_of_the_guide_pass(programs, tmp_path):
    (tmp_path / "mypy.ini").write_text(LENIENT)
    assert len(PROGRAMS) == 12
    files = sorted(str(file) for file in programs.glob("*.py"))
    told = checked("--config-file", str(tmp_path / "mypy.ini"), "--cache-dir", str(tmp_path / "cache"), *files)
    assert told == []


@pytest.mark.skipif(shutil.which("pyright", path=BIN) is None, reason="pyright is not installed")
def test_pyright_says_the_same(programs):
    missing = ["reportMissingImports", "reportMissingModuleSource", "reportMissingTypeStubs"]
    settings = {"typeCheckingMode": "strict", **dict.fromkeys(missing, False)}
    (programs / "pyrightconfig.json").write_text(json.dumps(settings))
    untyped = re.compile(rf"\b({'|'.join(UNTYPED)})\b")

    def is_ours(told: dict[str, str]) -> bool:
        """What comes out of a package without types is unknown, whatever ours says."""
        is_unknown = told.get("rule", "").startswith("reportUnknown")
        return told["severity"] == "error" and not (is_unknown and untyped.search(Path(told["file"]).read_text(encoding="utf-8")))

    command = [shutil.which("pyright", path=BIN), "--outputjson", "--pythonpath", sys.executable, "--project", str(programs)]
    done = subprocess.run(command, capture_output=True, text=True)
    told = json.loads(done.stdout)["generalDiagnostics"]
    assert [f"{Path(one['file']).name}: {one['message']}" for one in told if is_ours(one)] == []


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
