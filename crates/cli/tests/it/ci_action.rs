//! The GitHub action and the GitLab template, played here: the steps of `action.yml` with the environment that a runner gives them, and
//! an API of comments and artefacts on loopback.

use std::collections::BTreeMap;
use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Arc, Mutex};

use probare_testing::report_skipped;
use serde_json::{Value as Json, json};

use crate::program::PROGRAM;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap()
}

/// What the API was asked, and what it holds.
#[derive(Default)]
struct ApiState {
    comments: Vec<Json>,
    asked: Vec<String>,
    /// The archive of the baseline, and where GitHub keeps it: behind a signed address, which wants no token.
    artifact: Option<Vec<u8>>,
    storage: String,
    /// Artefacts of GitLab, by their path.
    files: BTreeMap<String, Vec<u8>>,
    branch: String,
    refuses: bool,
}

/// Comments and artefacts, as GitHub and GitLab have them.
struct FakeApi {
    address: String,
    state: Arc<Mutex<ApiState>>,
}

impl FakeApi {
    fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = format!("http://{}", listener.local_addr().unwrap());
        let state = Arc::new(Mutex::new(ApiState { branch: "main".to_owned(), ..ApiState::default() }));
        let (shared, own) = (Arc::clone(&state), address.clone());
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                answer(stream, &shared, &own);
            }
        });
        Self { address, state }
    }

    fn bodies(&self) -> Vec<String> {
        let state = self.state.lock().unwrap();
        state.comments.iter().map(|comment| comment["body"].as_str().unwrap_or_default().to_owned()).collect()
    }

    fn asked(&self) -> Vec<String> {
        std::mem::take(&mut self.state.lock().unwrap().asked)
    }
}

fn answer(stream: TcpStream, state: &Mutex<ApiState>, own: &str) {
    let mut reader = BufReader::new(stream.try_clone().unwrap());
    let (mut first, mut length, mut token) = (String::new(), 0, false);
    reader.read_line(&mut first).unwrap();
    loop {
        let mut line = String::new();
        if reader.read_line(&mut line).unwrap_or(0) == 0 || line.trim().is_empty() {
            break;
        }
        let lower = line.to_ascii_lowercase();
        if let Some(value) = lower.strip_prefix("content-length:") {
            length = value.trim().parse().unwrap_or(0);
        }
        token |= lower.trim() == "authorization: bearer secret-token" || lower.trim() == "private-token: secret-token";
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body).unwrap();
    let mut words = first.split_whitespace();
    let (method, path) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
    let mut state = state.lock().unwrap();
    state.asked.push(format!("{method} {}", path.split('?').next().unwrap_or_default()));
    let (code, data) = respond(&mut state, (method, path), &body, token, own);
    let location = if code == 302 { format!("Location: {}\r\n", state.storage) } else { String::new() };
    let head = format!("HTTP/1.1 {code} x\r\n{location}Content-Length: {}\r\nConnection: close\r\n\r\n", data.len());
    let mut stream = stream;
    let _ = stream.write_all(head.as_bytes()).and_then(|()| stream.write_all(&data));
}

fn respond(state: &mut ApiState, (method, path): (&str, &str), body: &[u8], token: bool, own: &str) -> (u16, Vec<u8>) {
    let text = serde_json::from_slice::<Json>(body).unwrap_or_default()["body"].clone();
    let place = path.split('?').next().unwrap_or_default();
    let is_list = place.ends_with("/comments") || place.ends_with("/notes");
    match method {
        // The store of archives: the token of the API is not for it.
        "GET" if place == "/archive" => (if token { 400 } else { 200 }, state.artifact.clone().unwrap_or_default()),
        _ if !token => (401, b"{}".to_vec()),
        "POST" | "PUT" | "PATCH" if state.refuses => (403, b"{}".to_vec()),
        "GET" if is_list => {
            let first = path.contains("page=1&") || path.ends_with("page=1");
            let listed = if first { Json::Array(state.comments.clone()) } else { json!([]) };
            (200, listed.to_string().into_bytes())
        }
        "POST" if is_list => {
            let comment = json!({"id": 100 + state.comments.len(), "body": text, "user": {"type": "Bot"}});
            state.comments.push(comment.clone());
            (201, comment.to_string().into_bytes())
        }
        "PATCH" | "PUT" => {
            let id: u64 = place.rsplit('/').next().and_then(|id| id.parse().ok()).unwrap_or_default();
            match state.comments.iter_mut().find(|comment| comment["id"] == id) {
                Some(comment) => {
                    comment["body"] = text;
                    (200, comment.to_string().into_bytes())
                }
                None => (404, b"{}".to_vec()),
            }
        }
        "GET" if place.ends_with("/actions/artifacts") => {
            let listed: Vec<Json> = state
                .artifact
                .iter()
                .map(|_| {
                    json!({"expired": false, "workflow_run": {"head_branch": state.branch},
                    "archive_download_url": format!("{own}/download/1")})
                })
                .collect();
            (200, json!({"artifacts": listed}).to_string().into_bytes())
        }
        "GET" if place.starts_with("/download/") => (302, Vec::new()),
        "GET" if place.contains("/jobs/artifacts/main/raw/") => {
            let name = place.split_once("/raw/").map(|(_, name)| name).unwrap_or_default();
            state.files.get(name).map_or((404, Vec::new()), |file| (200, file.clone()))
        }
        _ => (404, b"{}".to_vec()),
    }
}

const CONFIGURATION: &str = "datasets: [{path: cases.jsonl}]\nmetrics: [exact_match]\n";

/// A project with so many cases, of which so many are answered rightly.
struct Project {
    folder: tempfile::TempDir,
    api: FakeApi,
    storage: FakeApi,
}

impl Project {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("probare.yaml"), CONFIGURATION).unwrap();
        let (api, storage) = (FakeApi::start(), FakeApi::start());
        api.state.lock().unwrap().storage = format!("{}/archive", storage.address);
        Self { folder, api, storage }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn write_cases(&self, cases: usize, is_right: impl Fn(usize) -> bool) {
        let line = |number: usize| {
            let response = if is_right(number) { "yes" } else { "no" };
            format!("{}\n", json!({"id": number.to_string(), "query": "q", "response": response, "reference": "yes"}))
        };
        fs::write(self.path("cases.jsonl"), (0..cases).map(line).collect::<String>()).unwrap();
    }

    /// What the last run left in a folder, as the artefact of the default branch.
    fn keep_as_baseline(&self, out: &str) {
        let out = self.path(out);
        let archive = self.path("baseline.zip");
        let made = Command::new("python3")
            .args(["-m", "zipfile", "-c"])
            .arg(&archive)
            .args([out.join("results.jsonl"), out.join("results.jsonl.run.json")])
            .status();
        assert!(made.unwrap().success());
        let archive = fs::read(archive).unwrap();
        self.storage.state.lock().unwrap().artifact = Some(archive.clone());
        self.api.state.lock().unwrap().artifact = Some(archive);
    }

    /// Plays the steps of the action: the code that the job ends with, and what it printed.
    fn action(&self, event: &Json, inputs: &[(&str, &str)]) -> (i32, String) {
        let text = fs::read_to_string(root().join("action.yml")).unwrap();
        let action: Json = serde_saphyr::from_str(&text).unwrap();
        let mut given: BTreeMap<String, String> = action["inputs"]
            .as_object()
            .unwrap()
            .iter()
            .map(|(name, input)| (name.clone(), input["default"].as_str().unwrap_or_default().to_owned()))
            .collect();
        given.insert("token".to_owned(), "secret-token".to_owned());
        for (name, value) in inputs {
            assert!(
                given.insert((*name).to_owned(), (*value).to_owned()).is_some(),
                "the action has no input `{name}`"
            );
        }
        let fill = |text: &str| {
            let mut text = text.replace("${{ github.action_path }}", root().to_str().unwrap());
            for (name, value) in &given {
                text = text.replace(&format!("${{{{ inputs.{name} }}}}"), value);
            }
            assert!(!text.contains("${{"), "{text}");
            text
        };
        fs::write(self.path("event.json"), event.to_string()).unwrap();
        let files = ["GITHUB_OUTPUT", "GITHUB_STEP_SUMMARY", "GITHUB_PATH"];
        for name in files {
            fs::write(self.path(name), "").unwrap();
        }
        let (mut printed, mut code) = (String::new(), 0);
        for step in action["runs"]["steps"].as_array().unwrap() {
            // Caches and artefacts are the business of other actions; what they are given is looked at below.
            let Some(script) = step["run"].as_str().filter(|_| code == 0) else { continue };
            let added = fs::read_to_string(self.path("GITHUB_PATH")).unwrap();
            let path = added.lines().fold(std::env::var("PATH").unwrap(), |path, folder| format!("{folder}:{path}"));
            let place = step["working-directory"].as_str().map(fill).unwrap_or_default();
            let mut command = Command::new("bash");
            command
                .args(["--noprofile", "--norc", "-eo", "pipefail", "-c", script])
                .current_dir(self.folder.path().join(place))
                .env("PATH", path)
                .env("HOME", self.folder.path())
                .env("NO_PROXY", "127.0.0.1")
                .env("GITHUB_ACTIONS", "true")
                .env("GITHUB_API_URL", &self.api.address)
                .env("GITHUB_REPOSITORY", "house/desk")
                .env("GITHUB_SHA", "0123456789abcdef")
                .env("GITHUB_EVENT_PATH", self.path("event.json"));
            for name in files {
                command.env(name, self.path(name));
            }
            for (name, value) in step["env"].as_object().unwrap() {
                command.env(name, fill(value.as_str().unwrap()));
            }
            let output = command.output().unwrap();
            printed.push_str(&String::from_utf8_lossy(&output.stdout));
            printed.push_str(&String::from_utf8_lossy(&output.stderr));
            code = output.status.code().unwrap();
        }
        (code, printed)
    }
}

fn pull_request() -> Json {
    json!({"pull_request": {"number": 7}, "repository": {"default_branch": "main"}})
}

fn push() -> Json {
    json!({"ref": "refs/heads/main", "repository": {"default_branch": "main"}})
}

/// A folder as a release has it: an archive with a program that calls the one of this test, and the digests.
fn release_folder(project: &Project) -> PathBuf {
    let program = project.path("probare");
    fs::write(&program, format!("#!/bin/sh\nexec '{PROGRAM}' \"$@\"\n")).unwrap();
    release_of(project, &program)
}

/// The same with another program.
fn release_of(project: &Project, program: &Path) -> PathBuf {
    let release = project.path("release");
    let inside = release.join("inside/probare-x");
    fs::create_dir_all(&inside).unwrap();
    fs::copy(program, inside.join("probare")).unwrap();
    let target = if cfg!(target_arch = "aarch64") { "aarch64" } else { "x86_64" };
    let name = format!("probare-0.4.0-{target}-unknown-linux-gnu.tar.gz");
    let mut tar = Command::new("tar");
    tar.args(["-I", "gzip -1", "-cf"]).arg(release.join(&name)).arg("-C").arg(release.join("inside")).arg("probare-x");
    make_executable(&inside.join("probare"));
    assert!(tar.status().unwrap().success());
    let sums = Command::new("sha256sum").arg(&name).current_dir(&release).output().unwrap();
    fs::write(release.join("SHA256SUMS"), sums.stdout).unwrap();
    release
}

fn make_executable(path: &Path) {
    assert!(Command::new("chmod").arg("+x").arg(path).status().unwrap().success());
}

fn has_python() -> bool {
    let found = Command::new("python3").arg("--version").output().is_ok_and(|output| output.status.success());
    if !found || !cfg!(target_os = "linux") {
        report_skipped("python3 is not installed, or this is not Linux: the action is not played");
    }
    found && cfg!(target_os = "linux")
}

#[test]
fn the_action_comments_once_blocks_a_regression_and_lets_noise_pass() {
    if !has_python() {
        return;
    }
    let project = Project::new();
    let release = release_folder(&project);
    let from = [("from", release.to_str().unwrap())];

    // The default branch leaves a baseline; there is none to compare with yet, and no pull request to comment on.
    project.write_cases(400, |number| number % 5 != 0);
    let (code, text) = project.action(&push(), &from);
    assert_eq!(code, 0, "{text}");
    assert!(text.contains("unpacked from") && text.contains("there is no baseline of `main` yet"), "{text}");
    assert!(project.api.bodies().is_empty());
    assert!(fs::read_to_string(project.path("out/probare/junit.xml")).unwrap().contains("<testsuite"));
    project.keep_as_baseline("out/probare");

    // Noise: four of 400 cases fell, four rose.
    project.write_cases(400, |number| number % 5 != 0 && number % 100 != 1 || number % 100 == 0);
    let (code, text) = project.action(&pull_request(), &from);
    assert_eq!(code, 0, "{text}");
    assert!(text.contains("kept from an earlier run") && text.contains("comment created"), "{text}");
    let bodies = project.api.bodies();
    assert_eq!(bodies.len(), 1);
    assert!(bodies[0].starts_with("<!-- probare: probare -->\n## Probare: ✅ passed"), "{}", bodies[0]);
    assert!(bodies[0].contains("the baseline is that of `main`; commit 0123456789"), "{}", bodies[0]);
    assert!(!text.contains("secret-token") && !bodies[0].contains("secret-token"), "{text}");

    // A regression: a fifth more is wrong. The same comment says so now.
    project.write_cases(400, |number| number % 5 != 0 && number % 5 != 1);
    let (code, text) = project.action(&pull_request(), &from);
    assert_eq!(code, 2, "{text}");
    assert!(text.contains("::error title=probare%3A worse than the baseline::"), "{text}");
    assert!(text.contains("comment updated"), "{text}");
    let bodies = project.api.bodies();
    assert_eq!(bodies.len(), 1, "{bodies:?}");
    assert!(bodies[0].contains("❌ worse than the baseline") && bodies[0].contains("exact"), "{}", bodies[0]);
    let asked = project.api.asked();
    assert!(asked.iter().any(|line| line == "PATCH /repos/house/desk/issues/comments/100"), "{asked:?}");
    let summary = fs::read_to_string(project.path("GITHUB_STEP_SUMMARY")).unwrap();
    assert!(summary.contains("worse than the baseline"), "{summary}");
    assert!(fs::read_to_string(project.path("GITHUB_OUTPUT")).unwrap().contains("exit-code=2"));

    // A comment of somebody else that begins alike is left as it is.
    project.api.state.lock().unwrap().comments =
        vec![json!({"id": 5, "body": "<!-- probare: probare --> mine", "user": {"type": "User"}})];
    let (_, text) = project.action(&pull_request(), &from);
    assert!(text.contains("comment created"), "{text}");
    assert_eq!(project.api.bodies()[0], "<!-- probare: probare --> mine");

    // The token of a pull request from a fork may not write: that fails nothing.
    project.api.state.lock().unwrap().refuses = true;
    project.write_cases(400, |number| number % 5 != 0);
    let (code, text) = project.action(&pull_request(), &from);
    assert_eq!(code, 0, "{text}");
    assert!(text.contains("no comment: the API answered 403"), "{text}");

    // An artefact of another branch is no baseline.
    project.api.state.lock().unwrap().branch = "topic".to_owned();
    let (_, text) = project.action(&pull_request(), &from);
    assert!(text.contains("there is no baseline of `main` yet"), "{text}");
}

/// The program itself, without what a debugger reads, as a release has it.
#[test]
fn the_program_is_installed_from_a_folder_in_less_than_ten_seconds() {
    if !has_python() {
        return;
    }
    let project = Project::new();
    let program = project.path("stripped");
    let stripped = Command::new("strip").arg("-o").args([program.as_path(), Path::new(PROGRAM)]).status();
    if !stripped.is_ok_and(|status| status.success()) {
        fs::copy(PROGRAM, &program).unwrap();
    }
    let release = release_of(&project, &program);
    project.write_cases(3, |_| true);
    let (code, text) = project.action(&push(), &[("from", release.to_str().unwrap())]);
    assert_eq!(code, 0, "{text}");
    let seconds =
        text.lines().find_map(|line| line.split_once("unpacked from")?.1.rsplit_once(", in ")?.1.strip_suffix(" s"));
    let seconds: f64 = seconds.unwrap_or_else(|| panic!("{text}")).parse().unwrap();
    let installed = project.path(".cache/probare/bin/probare");
    eprintln!("{} bytes installed in {seconds} s", installed.metadata().unwrap().len());
    assert!(seconds < 10.0, "{text}");
    assert_eq!(fs::read(installed).unwrap(), fs::read(program).unwrap());
}

#[test]
fn the_workflow_that_init_writes_runs_as_it_is() {
    if !has_python() {
        return;
    }
    let project = Project::new();
    let release = release_folder(&project);
    fs::create_dir(project.path(".git")).unwrap();
    let made = Command::new(PROGRAM).args(["init", "checks"]).current_dir(project.folder.path()).output();
    assert!(made.unwrap().status.success());
    let text = fs::read_to_string(project.path(".github/workflows/probare.yml")).unwrap();
    let workflow: Json = serde_saphyr::from_str(&text).unwrap();
    let steps = workflow["jobs"]["evaluate"]["steps"].as_array().unwrap();
    let step = steps.iter().find(|step| step["uses"].as_str().unwrap().starts_with("probare/probare@")).unwrap();
    let mut inputs: Vec<(&str, &str)> = step["with"]
        .as_object()
        .unwrap()
        .iter()
        .map(|(name, value)| (name.as_str(), value.as_str().unwrap()))
        .collect();
    inputs.push(("from", release.to_str().unwrap()));

    let (code, text) = project.action(&push(), &inputs);
    assert_eq!(code, 0, "{text}");
    project.keep_as_baseline("checks/out/probare");
    let (code, text) = project.action(&pull_request(), &inputs);
    assert_eq!(code, 0, "{text}");
    assert!(text.contains("the baseline is that of `main`; comment created"), "{text}");
}

#[test]
fn a_configuration_of_promptfoo_is_gated_as_it_is() {
    if !has_python() {
        return;
    }
    let project = Project::new();
    let release = release_folder(&project);
    let write = |prompt: &str| {
        let tests = "tests:\n  - { vars: { q: Lima }, assert: [{ type: contains, value: Lima }] }\n";
        let configuration = format!("prompts: ['{prompt}']\nproviders: [echo]\n{tests}");
        fs::write(project.path("promptfooconfig.yaml"), configuration).unwrap();
    };
    let inputs = [("from", release.to_str().unwrap()), ("run", "run promptfooconfig.yaml"), ("config", "")];
    write("Where is {{q}}?");
    let (code, text) = project.action(&push(), &inputs);
    assert_eq!(code, 0, "{text}");
    project.keep_as_baseline("out/probare");
    write("Where is it?");
    let (code, text) = project.action(&pull_request(), &inputs);
    assert_eq!(code, 2, "{text}");
    assert!(text.contains("❌ a gate failed") && text.contains("comment created"), "{text}");
}

#[test]
fn few_cases_cannot_tell_and_say_how_many_would() {
    if !has_python() {
        return;
    }
    let project = Project::new();
    let release = release_folder(&project);
    project.write_cases(30, |number| number % 3 != 0);
    let tracked = [("from", release.to_str().unwrap()), ("baseline", "main.jsonl"), ("not-worse", "exact_match")];
    let (code, text) = project.action(&push(), &tracked);
    assert_eq!(code, 0, "{text}");
    assert!(text.contains("the baseline `main.jsonl` is not there"), "{text}");
    for name in ["results.jsonl", "results.jsonl.run.json"] {
        fs::copy(project.path("out/probare").join(name), project.path(&name.replace("results", "main"))).unwrap();
    }
    let (code, text) = project.action(&pull_request(), &tracked);
    assert_eq!(code, 0, "{text}");
    assert!(text.contains("::warning title=probare%3A cannot tell whether it is worse::"), "{text}");
    assert!(text.contains("pairs like these would be enough to say so"), "{text}");
    let strict = [&tracked[..], &[("when-unclear", "block"), ("margin", "0.05")]].concat();
    let (code, text) = project.action(&pull_request(), &strict);
    assert_eq!(code, 2, "{text}");
    assert!(text.contains("pairs like these would be enough to say so"), "{text}");
    let (code, text) = project.action(&pull_request(), &[("config", "gone.yaml"), tracked[0]]);
    assert_eq!(code, 1, "{text}");
    assert!(text.contains("ended with exit code 1, before there was a verdict"), "{text}");
}

#[test]
fn a_program_with_another_digest_is_not_installed() {
    if !has_python() {
        return;
    }
    let project = Project::new();
    let release = release_folder(&project);
    let sums = fs::read_to_string(release.join("SHA256SUMS")).unwrap();
    fs::write(release.join("SHA256SUMS"), sums.replacen(|_: char| true, "0", 8)).unwrap();
    project.write_cases(3, |_| true);
    let (code, text) = project.action(&push(), &[("from", release.to_str().unwrap())]);
    assert_eq!(code, 1, "{text}");
    assert!(text.contains("has the SHA-256") && text.contains("`SHA256SUMS` says"), "{text}");
    assert!(!project.path(".cache/probare/bin/probare").exists());
    let (code, text) = project.action(&push(), &[("from", "http://127.0.0.1/x")]);
    assert_eq!(code, 64, "{text}");
    assert!(text.contains("neither a folder nor an address that begins with https://"), "{text}");
}

#[test]
fn a_program_from_another_place_replaces_the_one_that_was_kept() {
    if !has_python() {
        return;
    }
    let project = Project::new();
    let release = release_folder(&project);
    let newer = project.path("newer");
    assert!(Command::new("cp").arg("-r").args([&release, &newer]).status().unwrap().success());
    project.write_cases(3, |_| true);
    let expect = |from: &Path, what: &str| {
        let (code, text) = project.action(&push(), &[("from", from.to_str().unwrap())]);
        assert_eq!(code, 0, "{text}");
        assert!(text.contains(what), "{what}: {text}");
    };
    expect(&release, "unpacked from");
    expect(&release, "kept from an earlier run");
    expect(&newer, "unpacked from");
    // Another release in the same place.
    let sums = fs::read_to_string(newer.join("SHA256SUMS")).unwrap();
    fs::write(newer.join("SHA256SUMS"), format!("{sums}{}  more.txt\n", "0".repeat(64))).unwrap();
    expect(&newer, "unpacked from");
    expect(&newer, "kept from an earlier run");
}

#[test]
fn a_program_of_another_source_is_not_the_one_that_was_kept() {
    if !has_python() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir_all(folder.path().join("source/target")).unwrap();
    let key = || {
        let output = folder.path().join("output");
        fs::write(&output, "").unwrap();
        let mut command = Command::new("python3");
        command.arg(root().join("ci/gate.py")).arg("origin").env_remove("PROBARE_CI_FROM");
        command.env("PROBARE_CI_SOURCE", folder.path().join("source")).env("GITHUB_OUTPUT", &output);
        assert!(command.status().unwrap().success());
        fs::read_to_string(output).unwrap()
    };
    fs::write(folder.path().join("source/main.rs"), "fn main() {}").unwrap();
    let first = key();
    assert!(first.starts_with("digest=") && first.len() == "digest=\n".len() + 64, "{first}");
    fs::write(folder.path().join("source/target/built"), "not the source").unwrap();
    assert_eq!(key(), first);
    fs::write(folder.path().join("source/main.rs"), "fn main() { }").unwrap();
    assert_ne!(key(), first, "a branch that moved is another source");
}

#[test]
fn the_template_of_gitlab_writes_one_note() {
    if !has_python() {
        return;
    }
    let project = Project::new();
    let release = release_folder(&project);
    fs::create_dir(project.path(".git")).unwrap();
    let made =
        Command::new(PROGRAM).args(["init", "checks", "--ci", "gitlab"]).current_dir(project.folder.path()).output();
    assert!(made.unwrap().status.success());
    project.write_cases(20, |_| true);
    for name in ["cases.jsonl", "probare.yaml"] {
        fs::rename(project.path(name), project.path("checks").join(name)).unwrap();
    }
    let text = fs::read_to_string(project.path(".gitlab-ci.yml")).unwrap();
    let template: Json = serde_saphyr::from_str(&text).unwrap();
    let job = &template["probare"];
    assert_eq!(job["artifacts"]["reports"]["junit"], "checks/out/probare/junit.xml");
    let script: Vec<&str> = job["script"].as_array().unwrap().iter().map(|line| line.as_str().unwrap()).collect();
    let play = || {
        let mut command = Command::new("bash");
        command.args(["-eo", "pipefail", "-c", &script.join("\n")]).current_dir(project.folder.path());
        for (name, value) in job["variables"].as_object().unwrap() {
            let value = value.as_str().unwrap().replace("$CI_PROJECT_DIR", project.folder.path().to_str().unwrap());
            command.env(name, value);
        }
        let output = command
            .env("NO_PROXY", "127.0.0.1")
            .env("PROBARE_CI_FROM", &release)
            .env("PROBARE_CI_TOKEN", "secret-token")
            .env("GITLAB_CI", "true")
            .env("CI_API_V4_URL", &project.api.address)
            .env("CI_PROJECT_DIR", project.folder.path())
            .env("CI_PROJECT_ID", "3")
            .env("CI_DEFAULT_BRANCH", "main")
            .env("CI_MERGE_REQUEST_IID", "9")
            .env_remove("GITHUB_ACTIONS")
            .output()
            .unwrap();
        let text = [output.stdout, output.stderr].map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).concat();
        assert!(output.status.success(), "{text}");
        text
    };
    let first = play();
    assert!(first.contains("there is no baseline of `main` yet") && first.contains("comment created"), "{first}");
    for name in ["results.jsonl", "results.jsonl.run.json"] {
        let path = format!("checks/out/probare/{name}");
        let file = fs::read(project.path(&path)).unwrap();
        project.api.state.lock().unwrap().files.insert(path, file);
    }
    let second = play();
    assert!(second.contains("the baseline is that of `main`; comment updated"), "{second}");
    assert_eq!(project.api.bodies().len(), 1);
    let asked = project.api.asked();
    assert!(asked.contains(&"PUT /projects/3/merge_requests/9/notes/100".to_owned()), "{asked:?}");
}
