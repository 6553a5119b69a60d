"""What the GitHub action and the GitLab template do: install Probare, score, compare with the baseline, comment.

    python3 ci/gate.py origin     # a digest of where the program comes from, as a key for what is kept of it
    python3 ci/gate.py install    # puts the program on the PATH of later steps
    python3 ci/gate.py gate       # scores, compares, writes reports, comments; ends with the exit code of Probare

Settings are variables of the environment (`PROBARE_CI_…`); `action.yml` and `ci/gitlab.yml` set them, docs/ci.md lists them. Only the
standard library is used, and nothing is sent but what the comment says: to the API of the platform that runs the job.
"""

import hashlib
import io
import json
import os
import pathlib
import platform
import shlex
import shutil
import subprocess
import sys
import tarfile
import time
import urllib.error
import urllib.parse
import urllib.request
import zipfile

LONGEST_COMMENT = 60_000
LARGEST_BASELINE = 512 * 1024 * 1024
BASELINE_FILES = ("results.jsonl", "results.jsonl.run.json")
SUMS = "SHA256SUMS"


def setting(name, default=""):
    """A setting; an empty one is none."""
    return os.environ.get("PROBARE_CI_" + name, "").strip() or default


def fail(message, code=64):
    print(f"error: {message}", file=sys.stderr)
    sys.exit(code)


def append(variable, text):
    """Adds to a file that the runner names, such as GITHUB_OUTPUT."""
    path = os.environ.get(variable)
    if path:
        with open(path, "a", encoding="utf-8") as file:
            file.write(text + "\n")


# Installing


def target():
    """The name of this machine in the names of archives."""
    machine = {"amd64": "x86_64", "arm64": "aarch64"}.get(platform.machine().lower(), platform.machine().lower())
    system = {"Linux": "unknown-linux-gnu", "Darwin": "apple-darwin", "Windows": "pc-windows-msvc"}.get(
        platform.system()
    )
    if system is None:
        fail(f"there is no binary for {platform.system()}")
    return f"{machine}-{system}"


def fetch(place, name):
    """The bytes of a file of a folder or of an address."""
    if "://" in place:
        if not place.startswith("https://"):
            fail(f"`{place}` is neither a folder nor an address that begins with https://")
        with urllib.request.urlopen(f"{place.rstrip('/')}/{name}", timeout=120) as answer:
            return answer.read()
    path = pathlib.Path(place) / name
    if not path.is_file():
        fail(f"`{path}` is not there")
    return path.read_bytes()


def from_archive(place, folder):
    """Unpacks the program of this machine, after its digest was compared."""
    sums = dict(
        reversed(line.split()[:2]) for line in fetch(place, SUMS).decode().splitlines() if len(line.split()) >= 2
    )
    sums = {name.lstrip("*"): digest for name, digest in sums.items()}
    ending = f"-{target()}.tar.gz"
    names = sorted(name for name in sums if name.startswith("probare-") and name.endswith(ending))
    if not names:
        fail(f"`{SUMS}` in `{place}` names no archive `probare-VERSION{ending}`")
    data = fetch(place, names[-1])
    found = hashlib.sha256(data).hexdigest()
    if found != sums[names[-1]]:
        fail(f"`{names[-1]}` has the SHA-256 {found}, and `{SUMS}` says {sums[names[-1]]}", 1)
    program = "probare.exe" if os.name == "nt" else "probare"
    with tarfile.open(fileobj=io.BytesIO(data), mode="r:gz") as archive:
        member = next(
            (member for member in archive if member.isfile() and pathlib.PurePosixPath(member.name).name == program),
            None,
        )
        if member is None:
            fail(f"`{names[-1]}` holds no `{program}`", 1)
        with archive.extractfile(member) as inside, open(folder / program, "wb") as out:
            shutil.copyfileobj(inside, out)
    (folder / program).chmod(0o755)


def origin_digest(source, place):
    """What the program is made of: other archives, or another source, give another digest."""
    digest = hashlib.sha256((place or source).encode())
    if place:
        digest.update(fetch(place, SUMS))
    elif source:
        # Branches move: the same name may stand for another source.
        for folder, folders, names in os.walk(source):
            folders[:] = sorted(set(folders) - {".git", "target", "__pycache__"})
            for name in sorted(names):
                path = pathlib.Path(folder) / name
                if path.is_file():
                    content = hashlib.sha256(path.read_bytes()).hexdigest()
                    digest.update(f"{path.relative_to(source).as_posix()} {content}\n".encode())
    else:
        fail(
            "nothing says where the program comes from: set `from` (the variable PROBARE_CI_FROM) to a folder or an address"
            " with SHA256SUMS and archives"
        )
    return digest.hexdigest()


def origin():
    """Says where the program comes from, for the key of a cache."""
    append("GITHUB_OUTPUT", "digest=" + origin_digest(setting("SOURCE"), setting("FROM")))


def install():
    """Takes what is there, else unpacks it from `from`, else builds it."""
    begun = time.monotonic()
    folder = pathlib.Path(setting("BIN", str(pathlib.Path.home() / ".cache/probare/bin")))
    program = folder / ("probare.exe" if os.name == "nt" else "probare")
    source, place = setting("SOURCE"), setting("FROM")
    # What was kept of something else, such as an older release, is replaced; what somebody put there is not.
    note = folder / "origin.txt"
    is_own = program.is_file() and not note.is_file()
    digest = "" if is_own else origin_digest(source, place)
    is_kept = is_own or program.is_file() and note.read_text(encoding="utf-8") == digest
    folder.mkdir(parents=True, exist_ok=True)
    if is_kept:
        how = "kept from an earlier run"
    elif place:
        from_archive(place, folder)
        how = f"unpacked from {place}"
    else:
        if shutil.which("cargo") is None:
            fail("there is no `cargo` to build the program with: install Rust, or set `from` to where archives are")
        built = folder / "build"
        command = ["cargo", "install", "--locked", "--path", f"{source}/crates/cli", "--root", str(built)]
        subprocess.run(command, check=True)
        (built / "bin" / program.name).replace(program)
        shutil.rmtree(built)
        how = f"built from {source}"
    if not is_kept:
        note.write_text(digest, encoding="utf-8")
    subprocess.run([str(program), "--version"], check=True)
    append("GITHUB_PATH", str(folder))
    print(f"{program}: {how}, in {time.monotonic() - begun:.1f} s")


# Platforms


class Api:
    """A JSON API. Refusals come back as a number and are said by whoever asked."""

    def __init__(self, base, headers):
        self.base, self.headers = base.rstrip("/"), headers

    def raw(self, method, path, body=None):
        address = path if "://" in path else self.base + path
        data = None if body is None else json.dumps(body).encode()
        headers = dict(self.headers, **({"Content-Type": "application/json"} if data else {}))
        request = urllib.request.Request(address, data=data, headers=headers, method=method)
        with urllib.request.urlopen(request, timeout=60) as answer:
            return answer.read(LARGEST_BASELINE + 1)

    def ask(self, method, path, body=None):
        return json.loads(self.raw(method, path, body) or b"null")

    def pages(self, path):
        sign = "&" if "?" in path else "?"
        for page in range(1, 101):
            listed = self.ask("GET", f"{path}{sign}per_page=100&page={page}")
            yield from listed
            if len(listed) < 100:
                return


class DropAuthorization(urllib.request.HTTPRedirectHandler):
    """The token stays with the API: archives lie elsewhere, behind an address that is signed."""

    def redirect_request(self, request, *rest):
        new = super().redirect_request(request, *rest)
        if (
            new is not None
            and urllib.parse.urlsplit(new.full_url).netloc != urllib.parse.urlsplit(request.full_url).netloc
        ):
            new.headers.pop("Authorization", None)
        return new


class GitHub:
    """A workflow of GitHub."""

    def __init__(self):
        self.repository = os.environ.get("GITHUB_REPOSITORY", "")
        token = setting("TOKEN")
        headers = {
            "Accept": "application/vnd.github+json",
            "X-GitHub-Api-Version": "2022-11-28",
            "User-Agent": "probare",
        }
        if token:
            headers["Authorization"] = f"Bearer {token}"
        self.api = Api(os.environ.get("GITHUB_API_URL", "https://api.github.com"), headers) if token else None
        self.event = {}
        path = os.environ.get("GITHUB_EVENT_PATH")
        if path and os.path.isfile(path):
            self.event = json.loads(pathlib.Path(path).read_text(encoding="utf-8"))

    def number(self):
        return (self.event.get("pull_request") or {}).get("number")

    def default_branch(self):
        return (self.event.get("repository") or {}).get("default_branch") or "main"

    def comments(self):
        return self.api.pages(f"/repos/{self.repository}/issues/{self.number()}/comments")

    def is_own(self, comment):
        return (comment.get("user") or {}).get("type") == "Bot"

    def create(self, body):
        return self.api.ask("POST", f"/repos/{self.repository}/issues/{self.number()}/comments", {"body": body})

    def update(self, comment, body):
        return self.api.ask("PATCH", f"/repos/{self.repository}/issues/comments/{comment['id']}", {"body": body})

    def artifact(self, name, folder):
        """The files of the newest artefact of the default branch; whether there is one."""
        listed = self.api.ask(
            "GET", f"/repos/{self.repository}/actions/artifacts?per_page=100&name={urllib.parse.quote(name)}"
        )
        ours = (self.event.get("repository") or {}).get("id")
        for artifact in listed.get("artifacts", []):
            run = artifact.get("workflow_run") or {}
            # A branch of that name in a fork is not the default branch.
            is_ours = ours is None or run.get("head_repository_id") in (None, ours)
            if artifact.get("expired") or run.get("head_branch") != self.default_branch() or not is_ours:
                continue
            data = self.api.raw("GET", artifact["archive_download_url"])
            if len(data) > LARGEST_BASELINE:
                fail("the baseline is larger than 512 MiB", 1)
            with zipfile.ZipFile(io.BytesIO(data)) as archive:
                for member in archive.infolist():
                    name = pathlib.PurePosixPath(member.filename).name
                    # An archive chooses neither a place nor further files.
                    if name in BASELINE_FILES and member.file_size <= LARGEST_BASELINE:
                        (folder / name).write_bytes(archive.read(member))
            return True
        return False


class GitLab:
    """A pipeline of GitLab."""

    def __init__(self):
        self.project = os.environ.get("CI_PROJECT_ID", "")
        token = setting("TOKEN")
        base = os.environ.get("CI_API_V4_URL", "https://gitlab.com/api/v4")
        self.api = Api(base, {"PRIVATE-TOKEN": token, "User-Agent": "probare"}) if token else None
        job = os.environ.get("CI_JOB_TOKEN")
        # The token of a job reads artefacts of other pipelines in some editions alone.
        own = Api(base, {"JOB-TOKEN": job, "User-Agent": "probare"} if job else {"User-Agent": "probare"})
        self.jobs = self.api or own

    def number(self):
        return os.environ.get("CI_MERGE_REQUEST_IID")

    def default_branch(self):
        return os.environ.get("CI_DEFAULT_BRANCH", "main")

    def notes(self):
        return f"/projects/{self.project}/merge_requests/{self.number()}/notes"

    def comments(self):
        return self.api.pages(self.notes())

    def is_own(self, comment):
        # Another person's note cannot be changed; the API refuses it.
        return not comment.get("system")

    def create(self, body):
        return self.api.ask("POST", self.notes(), {"body": body})

    def update(self, comment, body):
        return self.api.ask("PUT", f"{self.notes()}/{comment['id']}", {"body": body})

    def artifact(self, name, folder):
        branch, job = urllib.parse.quote(self.default_branch(), safe=""), urllib.parse.quote(name, safe="")
        files = [folder / name for name in BASELINE_FILES]
        # Artefacts lie below the folder of the project, wherever in it the job works.
        place = os.path.relpath(folder.parent, os.environ.get("CI_PROJECT_DIR", ".")).replace(os.sep, "/")
        for file in files:
            path = urllib.parse.quote(f"{place}/{file.name}")
            try:
                file.write_bytes(
                    self.jobs.raw("GET", f"/projects/{self.project}/jobs/artifacts/{branch}/raw/{path}?job={job}")
                )
            except urllib.error.HTTPError as error:
                if error.code == 404:
                    return False
                raise
        return True


def this_platform():
    if os.environ.get("GITHUB_ACTIONS") == "true":
        return GitHub()
    if os.environ.get("GITLAB_CI") == "true":
        return GitLab()
    return None


# The gate


def probare(*words):
    """Runs the program; its exit code."""
    print("$ probare " + " ".join(shlex.quote(str(word)) for word in words), flush=True)
    program = setting("PROGRAM", "probare")
    try:
        return subprocess.run([program, *map(str, words)], check=False).returncode
    except FileNotFoundError:
        return fail(f"`{program}` is not there: `gate.py install` puts it there, PROBARE_CI_PROGRAM names another", 1)


def baseline_file(where, out):
    """The results of the default branch; nothing where there are none."""
    place = setting("BASELINE", "artifact")
    if place == "none":
        return None, "no baseline is wanted"
    if place != "artifact":
        path = pathlib.Path(place)
        return (
            (path, f"the baseline is the file `{place}`")
            if path.is_file()
            else (None, f"the baseline `{place}` is not there")
        )
    if where is None or (isinstance(where, GitHub) and where.api is None):
        return None, "without a token no artefact of the default branch can be read"
    folder = out / "baseline"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    name = setting("ARTIFACT", "probare-baseline")
    try:
        found = where.artifact(name, folder)
    except (urllib.error.URLError, OSError, ValueError, KeyError, zipfile.BadZipFile) as error:
        return None, f"the baseline cannot be read: {error}"
    path = folder / "results.jsonl"
    if found and path.is_file():
        return path, f"the baseline is that of `{where.default_branch()}`"
    return None, f"there is no baseline of `{where.default_branch()}` yet: the next run there leaves one"


def compared_metrics(baseline, results, out):
    """The metrics that are limited: those that are named, else all that both runs have."""
    named = [name.strip() for name in setting("NOT_WORSE").replace("\n", ",").split(",") if name.strip()]
    if named:
        return named
    path = out / "comparison.json"
    code = probare("compare", baseline, results, "--quiet", "-o", path)
    if code != 0:
        return None
    others = json.loads(path.read_text(encoding="utf-8")).get("others") or [{}]
    return [metric["metric"] for metric in others[0].get("metrics", [])]


def compare(baseline, results, out):
    """Holds the results against the baseline; the exit code."""
    metrics = compared_metrics(baseline, results, out)
    if metrics is None:
        return 1
    words = ["compare", baseline, results, "--github=auto", "-o", out / "comparison.md", "-o", out / "comparison.html"]
    for metric in metrics:
        words += ["--not-worse", metric]
    if metrics:
        words += ["--margin", setting("MARGIN", "0")]
        if setting("WHEN_UNCLEAR", "pass") != "block":
            words.append("--significant")
    return probare(*words, *shlex.split(setting("COMPARE_OPTIONS")))


def read(path):
    return path.read_text(encoding="utf-8") if path.is_file() else ""


def verdict(run, comparison):
    """One exit code of both, and what it means."""
    code = (
        run
        if run not in (0, 2)
        else comparison if comparison not in (None, 0, 2) else 2 if 2 in (run, comparison) else 0
    )
    if code == 0:
        return 0, "✅ passed"
    if code == 2:
        which = [
            name for name, value in (("a gate failed", run), ("worse than the baseline", comparison)) if value == 2
        ]
        return 2, "❌ " + " and ".join(which)
    return code, f"❌ ended with exit code {code}, before there was a verdict"


def comment_body(marker, sentence, note, out):
    page = read(out / "comparison.md") or read(out / "report.md")
    sha = os.environ.get("GITHUB_SHA") or os.environ.get("CI_COMMIT_SHA") or ""
    foot = f"\n<sub>{note}{'; commit ' + sha[:10] if sha else ''}</sub>\n"
    room = LONGEST_COMMENT - len(marker) - len(foot) - 200
    if len(page) > room:
        page = page[:room].rsplit("\n", 1)[0] + "\n\nThe rest is in the report of the job.\n"
    return f"{marker}\n## Probare: {sentence}\n\n{page}{foot}"


def comment(where, body, marker):
    """Creates the comment of this job, or updates the one that is there."""
    if where is None or where.number() is None or setting("COMMENT", "true") != "true":
        return "no comment: this is no pull request" if where is not None and where.number() is None else "no comment"
    if where.api is None:
        return "no comment: there is no token"
    try:
        for known in where.comments():
            if (known.get("body") or "").startswith(marker) and where.is_own(known):
                where.update(known, body)
                return "comment updated"
        where.create(body)
        return "comment created"
    except urllib.error.HTTPError as error:
        # The token of a pull request from a fork may read only. That is no reason to fail the job.
        return f"no comment: the API answered {error.code}"
    except (urllib.error.URLError, OSError, ValueError) as error:
        return f"no comment: {error}"


def gate():
    out = pathlib.Path(setting("OUT", "out/probare"))
    out.mkdir(parents=True, exist_ok=True)
    where = this_platform()
    results = out / "results.jsonl"
    # What an earlier run left must not pass for the results of this one.
    for name in (
        "results.jsonl",
        "results.jsonl.run.json",
        "report.md",
        "junit.xml",
        "comparison.md",
        "comparison.json",
        "comparison.html",
    ):
        (out / name).unlink(missing_ok=True)
    words = shlex.split(setting("RUN", "score"))
    if setting("CONFIG"):
        words += ["--config", setting("CONFIG")]
    run = probare(*words, "--github=auto", "-o", results, "-o", out / "report.md", "-o", out / "junit.xml")
    comparison, note = None, "nothing to compare: the run wrote no results"
    if results.is_file():
        baseline, note = baseline_file(where, out)
        if baseline is not None:
            comparison = compare(baseline, results, out)
    code, sentence = verdict(run, comparison)
    marker = f"<!-- probare: {setting('NAME', 'probare')} -->".replace("\n", " ")
    body = comment_body(marker, sentence, note, out)
    append("GITHUB_STEP_SUMMARY", body)
    said = comment(where, body, marker)
    append("GITHUB_OUTPUT", f"exit-code={code}\nresults={results}\nverdict={sentence}")
    print(f"{sentence}; {note}; {said}")
    sys.exit(code)


def main():
    urllib.request.install_opener(urllib.request.build_opener(DropAuthorization))
    for stream in (sys.stdout, sys.stderr):
        stream.reconfigure(encoding="utf-8", errors="replace")
    steps = {"origin": origin, "install": install, "gate": gate}
    if len(sys.argv) != 2 or sys.argv[1] not in steps:
        fail("usage: gate.py origin | install | gate")
    steps[sys.argv[1]]()


if __name__ == "__main__":
    main()
