#!/usr/bin/env python3
"""Runs the jobs of .github/workflows/release.yml on this machine, step by step, in a copy of the working tree.

    python3 tests/release/play.py VERSION [--program FILE] [--wheel FILE] [--keep FOLDER]

`run` steps run as they are written. What only GitHub has is imitated: checkout copies the files that git knows, artifacts are folders, `gh` and the
provenance step refuse what the real ones refuse (a folder, no file at all), `rustup` and `sudo` do nothing. The target of this machine alone is played.

--program packs a program that is there instead of building one for an hour; --wheel does the same for the wheel. Without them both are built as for
a release. Needs PyYAML, and maturin for the sources of the wheel.
"""

import argparse
import fnmatch
import glob
import os
import pathlib
import platform
import re
import shutil
import subprocess
import sys
import tempfile

import yaml

ROOT = pathlib.Path(__file__).resolve().parents[2]
MACHINE = platform.machine()
TARGETS = {f"{MACHINE}-unknown-linux-gnu", MACHINE}
GH = """#!/bin/sh
# Takes what the real one takes: plain files, and notes that say something.
shift 2; tag="$1"; shift
for file in "$@"; do
  case "$file" in --notes-file) ;; *) [ -f "$file" ] || { echo "gh: $file is no file" >&2; exit 1; } ;; esac
done
echo "release $tag of $# words"
"""


def fail(message):
    sys.exit(f"error: {message}")


def filled(text, matrix, tag):
    """An expression of GitHub with its value."""
    values = {f"matrix.{key}": str(value) for key, value in matrix.items()}
    values.update({"github.token": "none", "github.ref_name": tag})

    def value(found):
        name = found.group(1).strip().split(" ||")[0]
        return values.get(name) if name in values else fail(f"`{name}` is not known here")

    return re.sub(r"\$\{\{(.*?)\}\}", value, str(text))


def is_wanted(condition, matrix):
    """A condition of a step, in the two forms that the workflow has."""
    if condition is None:
        return True
    if found := re.fullmatch(r"contains\(matrix\.(\w+), '(.*)'\)", condition):
        return found.group(2) in str(matrix.get(found.group(1), ""))
    if found := re.fullmatch(r"matrix\.(\w+) == '(.*)'", condition):
        return str(matrix.get(found.group(1))) == found.group(2)
    return fail(f"the condition `{condition}` is not known here")


def plain_files(folder, pattern):
    """What an upload or a proof of origin takes: at least one file, and no folder."""
    found = [pathlib.Path(path) for path in glob.glob(str(folder / pattern))]
    if not found:
        fail(f"`{pattern}` names nothing")
    if folders := [path.name for path in found if not path.is_file()]:
        fail(f"`{pattern}` names folders: {folders}")
    return found


def used(step, folder, artifacts, matrix, tag, wheel):
    """A step that is an action."""
    action = step["uses"].split("@")[0]
    given = {key: filled(value, matrix, tag) for key, value in (step.get("with") or {}).items()}
    if action == "actions/checkout":
        listed = subprocess.run(["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"], cwd=ROOT, check=True, capture_output=True)
        for name in filter(None, listed.stdout.decode().split("\0")):
            if (ROOT / name).is_file():
                (folder / name).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy2(ROOT / name, folder / name)
    elif action == "actions/upload-artifact":
        place = artifacts / given["name"]
        place.mkdir()
        for file in plain_files(folder, given["path"]):
            shutil.copy2(file, place)
    elif action == "actions/download-artifact":
        place = folder / given["path"]
        place.mkdir()
        for file in artifacts.glob("*/*"):
            if (place / file.name).exists():
                fail(f"two artifacts have a file `{file.name}`")
            shutil.copy2(file, place)
    elif action == "actions/attest-build-provenance":
        plain_files(folder, given["subject-path"])
    elif action == "PyO3/maturin-action":
        words = given["args"].split()
        if given.get("command", "build") == "build" and wheel:
            out = folder / words[words.index("--out") + 1]
            out.mkdir(parents=True, exist_ok=True)
            shutil.copy2(wheel, out)
        else:
            subprocess.run(["maturin", given.get("command", "build"), *words], cwd=folder, check=True)
    else:
        fail(f"the action `{action}` is not known here")


def play(name, job, matrix, home, tag, options):
    """All steps of a job, in a folder of its own."""
    folder = home / f"{name}-{matrix.get('target', 'all')}"
    folder.mkdir()
    tools = home / "tools"
    environment = dict(os.environ, PATH=f"{tools}:{os.environ['PATH']}", GITHUB_REF_NAME=tag)
    for step in job["steps"]:
        if not is_wanted(step.get("if"), matrix):
            continue
        title = step.get("uses") or step["run"]
        print(f"[{name} {matrix.get('target', '')}] {title}", flush=True)
        if "uses" in step:
            used(step, folder, home / "artifacts", matrix, tag, options.wheel)
            continue
        command = filled(step["run"], matrix, tag)
        if options.program and command.startswith("cargo x dist"):
            command += f" --program {options.program.resolve()}"
        more = {key: filled(value, matrix, tag) for key, value in (step.get("env") or {}).items()}
        if subprocess.run(["bash", "-e", "-o", "pipefail", "-c", command], cwd=folder, env=environment | more).returncode:
            fail(f"this step failed: {command}")
    return folder


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("version")
    arguments.add_argument("--program", type=pathlib.Path)
    arguments.add_argument("--wheel", type=pathlib.Path)
    arguments.add_argument("--keep", type=pathlib.Path)
    options = arguments.parse_args()
    workflow = yaml.safe_load((ROOT / ".github/workflows/release.yml").read_text(encoding="utf-8"))
    tag = f"v{options.version}"
    # YAML takes the word `on` for true.
    if not any(fnmatch.fnmatch(tag, pattern) for pattern in workflow[True]["push"]["tags"]):
        fail(f"the tag {tag} starts no release")
    home = pathlib.Path(tempfile.mkdtemp(prefix="probare-release-"))
    try:
        (home / "artifacts").mkdir()
        (home / "tools").mkdir()
        for tool, text in {"gh": GH, "rustup": "#!/bin/sh\n", "sudo": "#!/bin/sh\n"}.items():
            (home / "tools" / tool).write_text(text)
            (home / "tools" / tool).chmod(0o755)
        folder = home
        for name, job in workflow["jobs"].items():
            matrices = job.get("strategy", {}).get("matrix", {}).get("include", [{}])
            for matrix in matrices:
                if matrix and matrix["target"] not in TARGETS:
                    print(f"[{name} {matrix['target']}] not for this machine")
                    continue
                folder = play(name, job, matrix, home, tag, options)
        subprocess.run(["sha256sum", "--check", "SHA256SUMS"], cwd=folder / "files", check=True)
        if options.keep:
            shutil.copytree(folder / "files", options.keep, dirs_exist_ok=True)
    finally:
        shutil.rmtree(home, ignore_errors=True)


if __name__ == "__main__":
    main()
