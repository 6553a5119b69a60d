//! Folders as an attacker prepares them, one for each way in, and every command of the program run inside of each.
//!
//! The commands come from the command line's own definition, so that a new one is tried without a line here. A folder fails if
//! a canary file is shown, a canary program starts, a canary address is contacted, a file of the victim changes, or a command
//! outlives one signal. Whether a score comes from foreign outcomes has tests of its own below.

use std::collections::BTreeSet;
use std::fs;
use std::net::TcpListener;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use clap::Arg;
use serde_json::{Value, json};

use super::program::PROGRAM;

/// What stands in the victim's file, and what must never be seen.
const CANARY: &str = "CANARY-7f3a9c";
const KEY: &str = "sk-canary-0123456789abcdef";

/// A line that a file would have pass for one of ours, and what ends a paste in a terminal.
const FORGED: &str = "::error title=forged";
const PASTE_END: &str = "\u{1b}[201~";

/// How long a command may take before it gets its one signal, and how long it may take after that. A server never ends by itself.
const PATIENCE: Duration = Duration::from_secs(20);
/// The same where every command is tried and its answer does not matter: some are given a pipe to write to, as their user means it.
const SHORT_PATIENCE: Duration = Duration::from_secs(6);
const SERVING: Duration = Duration::from_millis(1500);
const AFTER_SIGNAL: Duration = Duration::from_secs(20);

/// The victim's place, with the attacker's folders beside it.
struct VictimFolder {
    folder: tempfile::TempDir,
    address: String,
    contacts: Arc<AtomicU64>,
}

impl VictimFolder {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = format!("http://{}/v1", listener.local_addr().unwrap());
        let contacts = Arc::new(AtomicU64::new(0));
        let counted = Arc::clone(&contacts);
        std::thread::spawn(move || {
            for _ in listener.incoming() {
                counted.fetch_add(1, Ordering::SeqCst);
            }
        });
        let place = Self { folder, address, contacts };
        for name in ["victim/home", "victim/bin", "attacker/home"] {
            fs::create_dir_all(place.at(name)).unwrap();
        }
        fs::write(place.at("victim/secret.csv"), format!("user,b\n{CANARY}-one,2\n{CANARY}-two,3\n")).unwrap();
        // Installers of the victim's own that fail at once, so that the last resort is tried too.
        for name in ["uv", "pip", "pip3"] {
            script(&place.at("victim/bin").join(name), "exit 1");
        }
        place
    }

    fn at(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn secret(&self) -> PathBuf {
        self.at("victim/secret.csv")
    }

    /// A program that leaves a mark.
    fn canary_program(&self, path: &Path) {
        script(path, &format!("echo \"$0\" >> '{}'; exit 0", self.at("started").display()));
    }

    /// A new folder of the attacker's.
    fn attack(&self, name: &str) -> PathBuf {
        let folder = self.at(name);
        fs::create_dir_all(&folder).unwrap();
        fs::write(
            folder.join("cases.jsonl"),
            "{\"id\": \"a\", \"query\": \"When?\", \"response\": \"At nine.\", \"reference\": \"At nine.\"}\n",
        )
        .unwrap();
        self.attacker(&folder, &["score", "cases.jsonl", "-m", "token_f1", "-q", "-o", "results.jsonl"]);
        folder
    }

    fn attacker(&self, folder: &Path, words: &[&str]) {
        let mut command = Command::new(PROGRAM);
        command.args(words).current_dir(folder).env("XDG_CONFIG_HOME", self.at("attacker/home")).stdin(Stdio::null());
        for name in ["PROBARE_RECORD", "PROBARE_CACHE", "PROBARE_KEY", "PROBARE_CONFIG"] {
            command.env_remove(name);
        }
        let output = command.output().unwrap();
        let text = String::from_utf8_lossy(&output.stderr);
        assert!(matches!(output.status.code(), Some(0 | 1)), "the attacker's own {words:?}: {text}");
    }

    /// A command of the victim, who works inside of the attacker's folder.
    fn victim(&self, folder: &Path, words: &[String]) -> Command {
        let mut command = Command::new(PROGRAM);
        let path = format!("{}:/usr/local/bin:/usr/bin:/bin:.:", self.at("victim/bin").display());
        command.args(words).current_dir(folder).env_clear().env("PATH", path);
        command.env("HOME", self.at("victim/home")).env("XDG_CONFIG_HOME", self.at("victim/home"));
        command.env("XDG_CACHE_HOME", self.at("victim/home")).env("OPENAI_API_KEY", KEY).env("COLUMNS", "200");
        command
            .env("HF_ENDPOINT", "http://127.0.0.1:9")
            .env("PIP_INDEX_URL", "http://127.0.0.1:9")
            .env("PIP_RETRIES", "0");
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    }

    /// Runs a command and holds everything against the canaries.
    fn run(&self, folder: &Path, words: &[String]) -> (Option<i32>, String) {
        self.run_for(PATIENCE, folder, words)
    }

    /// The same with one signal after this time.
    fn run_for(&self, patience: Duration, folder: &Path, words: &[String]) -> (Option<i32>, String) {
        let serves = matches!(words.first().map(String::as_str), Some("serve" | "view"));
        let child = self.victim(folder, words).spawn().unwrap();
        let (code, text) = wait_for_end(child, if serves { SERVING } else { patience }, words);
        let what = format!("{} in {}", words.join(" "), folder.display());
        for canary in [CANARY, KEY] {
            assert!(!text.contains(canary), "{what} shows the canary:\n{text}");
        }
        let forged = text.lines().find(|line| line.trim_start().starts_with(FORGED));
        assert!(forged.is_none() && !text.contains(PASTE_END), "{what} passes on what a file forged:\n{text}");
        let started = fs::read_to_string(self.at("started")).unwrap_or_default();
        assert_eq!(started, "", "{what} started the canary program");
        assert_eq!(self.contacts.load(Ordering::SeqCst), 0, "{what} contacted the canary address");
        (code, text)
    }

    /// Nothing that was written holds the canary, and nothing of the victim's changed.
    fn check(&self, folder: &Path) {
        let mut files = Vec::new();
        for place in [folder.to_owned(), self.at("victim/home")] {
            plain_files(&place, &mut files);
        }
        for file in files {
            let bytes = fs::read(&file).unwrap_or_default();
            assert!(!String::from_utf8_lossy(&bytes).contains(CANARY), "{} holds the canary", file.display());
        }
        assert!(fs::read_to_string(self.secret()).unwrap().starts_with("user,b\n"));
        assert_eq!(fs::read_dir(self.at("victim")).unwrap().count(), 3, "a file appeared beside the victim's own");
    }
}

fn script(path: &Path, body: &str) {
    fs::write(path, format!("#!/bin/sh\n{body}\n")).unwrap();
    fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
}

fn pipe(path: &Path) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    let _ = fs::remove_file(path);
    assert!(Command::new("mkfifo").arg(path).status().unwrap().success());
}

fn plain_files(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let entry = entry.unwrap();
        let kind = entry.file_type().unwrap();
        if kind.is_dir() {
            plain_files(&entry.path(), found);
        } else if kind.is_file() {
            found.push(entry.path());
        }
    }
}

/// Waits for a command. One that takes too long gets one signal and has to end then.
fn wait_for_end(mut child: Child, patience: Duration, words: &[String]) -> (Option<i32>, String) {
    let read = |mut stream: Box<dyn std::io::Read + Send>| {
        std::thread::spawn(move || {
            let mut bytes = Vec::new();
            let _ = stream.read_to_end(&mut bytes);
            String::from_utf8_lossy(&bytes).into_owned()
        })
    };
    let out = read(Box::new(child.stdout.take().unwrap()));
    let err = read(Box::new(child.stderr.take().unwrap()));
    let mut deadline = Instant::now() + patience;
    let mut signalled = false;
    let status = loop {
        if let Some(status) = child.try_wait().unwrap() {
            break status;
        }
        if Instant::now() > deadline {
            assert!(!signalled, "{words:?} survives a signal: {:?}", child.kill());
            signalled = true;
            assert!(Command::new("kill").arg("-INT").arg(child.id().to_string()).status().unwrap().success());
            deadline = Instant::now() + AFTER_SIGNAL;
        }
        std::thread::sleep(Duration::from_millis(5));
    };
    (status.code(), out.join().unwrap() + &err.join().unwrap())
}

/// Commands of the program that have no further commands below them, with their arguments.
fn leaves(command: &clap::Command, words: &[String], found: &mut Vec<(Vec<String>, Vec<Arg>)>) {
    let below: Vec<&clap::Command> = command.get_subcommands().filter(|below| below.get_name() != "help").collect();
    if below.is_empty() || !command.is_subcommand_required_set() && !words.is_empty() {
        let arguments = command.get_arguments().filter(|argument| !argument.is_global_set()).cloned().collect();
        found.push((words.to_vec(), arguments));
    }
    for command in below {
        leaves(command, &[words, &[command.get_name().to_owned()]].concat(), found);
    }
}

/// Naming one of these is the user's own word, and grants what a found file is not granted.
const AUTHORITY: [&str; 6] = ["config", "record", "cache", "bands", "labels_from", "lexicon"];

/// What a command of a victim would name: files of the folder that they are in, and no authority.
fn value(argument: &Arg) -> String {
    let id = argument.get_id().as_str();
    if let Some(first) = argument.get_possible_values().first() {
        return first.get_name().to_owned();
    }
    let name = argument.get_value_names().and_then(|names| names.first()).map(|name| name.to_ascii_uppercase());
    let text = match (id, name.as_deref().unwrap_or_default()) {
        ("metric" | "metrics", _) | (_, "METRIC" | "ID=…") => "token_f1",
        ("to", _) => "promptfoo",
        ("id", _) | (_, "ID" | "CASE") => "a",
        ("output" | "out" | "outputs" | "file_out", _) | (_, "OUT") => "written.jsonl",
        (_, "RUN" | "N" | "RUN_A" | "RUN_B" | "DAYS") => "1",
        (_, "INDEX") => "index",
        ("model" | "models" | "judge" | "judges", _) => "replay:none.jsonl",
        ("question" | "text" | "sentence", _) => "When does it open?",
        ("cases" | "data" | "questions" | "predictions" | "fixture" | "quotes", _) => "cases.jsonl",
        ("folder" | "corpus" | "catalog" | "output_dir" | "dir", _) | (_, "FOLDER" | "DIR") => "corpus",
        ("labels", _) => ".probare/labels.jsonl",
        ("store", _) => ".probare/store.db",
        ("results" | "file" | "files" | "given" | "before" | "after" | "base" | "candidate", _) => "results.jsonl",
        _ => "cases.jsonl",
    };
    text.to_owned()
}

/// The command lines of a command: what it requires, what it may be given, and each file that an option may name.
fn lines(words: &[String], arguments: &[Arg]) -> BTreeSet<Vec<String>> {
    let named = |argument: &Arg| -> Vec<String> {
        let takes = argument.get_num_args().is_none_or(|range| range.takes_values());
        match (argument.get_long(), argument.get_short()) {
            (Some(long), _) if takes => vec![format!("--{long}"), value(argument)],
            (None, Some(short)) if takes => vec![format!("-{short}"), value(argument)],
            (None, None) => vec![value(argument)],
            _ => Vec::new(),
        }
    };
    let grants = |argument: &&Arg| !AUTHORITY.contains(&argument.get_id().as_str());
    let required: Vec<&Arg> = arguments.iter().filter(|argument| argument.is_required_set()).collect();
    let least: Vec<String> = required.iter().flat_map(|argument| named(argument)).collect();
    let positional = arguments.iter().filter(grants).filter(|argument| argument.is_positional());
    let given: Vec<String> = positional
        .chain(required.iter().copied().filter(|argument| !argument.is_positional()))
        .flat_map(&named)
        .collect();
    let mut lines = BTreeSet::from([[words, &least].concat(), [words, &given].concat()]);
    let is_file = |argument: &&Arg| {
        let name = argument.get_value_names().and_then(|names| names.first()).map(|name| name.to_ascii_uppercase());
        name.is_some_and(|name| ["FILE", "DIR", "FOLDER", "RESULTS", "STORE", "INDEX"].contains(&name.as_str()))
    };
    for option in arguments.iter().filter(grants).filter(|option| !option.is_positional()).filter(is_file) {
        lines.insert([words, &given, &named(option)].concat());
    }
    // A file that is named like results is tried in place of cases, too.
    let others: Vec<Vec<String>> = lines
        .iter()
        .filter(|line| line.iter().any(|word| word == "cases.jsonl"))
        .map(|line| line.iter().map(|word| word.replace("cases.jsonl", "results.jsonl")).collect())
        .collect();
    lines.extend(others);
    lines
}

/// Runs every command in a folder; says how many command lines were understood, and how many there were.
fn everything(place: &VictimFolder, folder: &Path) -> (usize, usize) {
    let mut found = Vec::new();
    leaves(&probare_cli::command(), &[], &mut found);
    assert!(found.len() > 40, "{} commands", found.len());
    let all: BTreeSet<Vec<String>> = found.iter().flat_map(|(words, arguments)| lines(words, arguments)).collect();
    let mut understood = 0;
    for line in &all {
        let (code, _) = place.run_for(SHORT_PATIENCE, folder, line);
        understood += usize::from(code != Some(64));
    }
    place.check(folder);
    println!("{}: {understood} of {} command lines understood", folder.display(), all.len());
    assert!(understood * 2 > all.len(), "most command lines are understood, else nothing is tried");
    (understood, all.len())
}

/// The manifest of the folder's results, changed.
fn forge(folder: &Path, change: impl Fn(&mut Value)) {
    let path = folder.join("results.jsonl.run.json");
    let mut manifest: Value = serde_json::from_slice(&fs::read(&path).unwrap()).unwrap();
    change(&mut manifest);
    fs::write(path, manifest.to_string()).unwrap();
}

fn reads_secret(manifest: &mut Value, path: &Path) {
    manifest["inputs"][0]["path"] = json!(path);
    manifest["input_options"] = json!({"format": "csv", "mapping": {"response": "user", "id": "b"}});
}

#[test]
fn a_manifest_that_names_a_file_of_the_victim_shows_nothing_of_it() {
    let place = VictimFolder::new();
    let secret = place.secret();
    let folder = place.attack("x1-absolute");
    forge(&folder, |manifest| reads_secret(manifest, &secret));
    everything(&place, &folder);
    // The same by a path that leads out, by a link, and by the length of the file.
    for (name, path) in [("x1-above", Path::new("../victim/secret.csv")), ("x1-link", Path::new("inner.csv"))] {
        let folder = place.attack(name);
        symlink(&secret, folder.join("inner.csv")).unwrap();
        forge(&folder, |manifest| {
            reads_secret(manifest, path);
            manifest["inputs"][0]["bytes"] = json!(fs::metadata(&secret).unwrap().len());
        });
        for words in [
            "verify results.jsonl",
            "show results.jsonl --id 2",
            "export results.jsonl --to promptfoo -o e.json",
            "compare results.jsonl results.jsonl",
            "history results.jsonl",
            "view",
        ] {
            let words: Vec<String> = words.split(' ').map(str::to_owned).collect();
            place.run(&folder, &words);
        }
        place.check(&folder);
    }
    // Whoever names the file has it read.
    let words: Vec<String> = ["show", "results.jsonl", secret.to_str().unwrap(), "--id", "2"].map(str::to_owned).into();
    let output = place.victim(&place.at("x1-absolute"), &words).output().unwrap();
    assert!(String::from_utf8_lossy(&output.stdout).contains(CANARY), "{}", String::from_utf8_lossy(&output.stderr));
}

#[test]
fn options_of_a_benchmark_that_name_a_file_of_the_victim_show_nothing_of_it() {
    let place = VictimFolder::new();
    let secret = place.secret();
    let suites = [
        ("quotes", json!({"quotes": secret, "folder": place.at("victim"), "quote": "user"})),
        ("quotes", json!({"quotes": "cases.jsonl", "folder": place.at("victim"), "quote": "response"})),
        ("rag", json!({"cases": secret, "map": ["response=user"]})),
        ("rag", json!({"conv": secret, "ctx": secret})),
        ("socioscope", json!({"fixture": secret, "corpus": secret})),
        ("synthlink", json!({"predictions": [secret], "catalog": place.at("victim")})),
        ("synthesis", json!({"cases": secret})),
        ("sgi", json!({"subtask": "deep_research", "data": secret, "predictions": secret})),
    ];
    for (number, (suite, options)) in suites.iter().enumerate() {
        for has_input in [false, true] {
            let folder = place.attack(&format!("suite-{number}-{has_input}"));
            forge(&folder, |manifest| {
                manifest["suite"] = json!({"id": suite, "options": options});
                manifest["inputs"] = json!([]);
                if has_input {
                    let named = options.as_object().unwrap().iter().map(|(name, value)| {
                        json!({"path": value, "sha256": "0".repeat(64), "bytes": 1, "option": format!("/{name}")})
                    });
                    manifest["inputs"] = Value::Array(named.filter(|input| input["path"].is_string()).collect());
                }
            });
            for words in
                ["verify results.jsonl", "show results.jsonl --id 1", "export results.jsonl --to promptfoo -o e.json"]
            {
                place.run(&folder, &words.split(' ').map(str::to_owned).collect::<Vec<_>>());
            }
            place.check(&folder);
        }
    }
}

#[test]
fn programs_that_lie_in_the_folder_are_not_started() {
    let place = VictimFolder::new();
    let folder = place.attack("x3");
    for name in
        ["python3", "python", "uv", "pip", "pip3", "git", "bwrap", "conda", "setpriv", "pdftotext", "sh", "xdg-open"]
    {
        place.canary_program(&folder.join(name));
    }
    for name in ["pip.py", "json.py", "sitecustomize.py", "usercustomize.py"] {
        let mark = place.at("started");
        fs::write(folder.join(name), format!("open({:?}, 'a').write({name:?})\n", mark.display().to_string())).unwrap();
    }
    fs::create_dir(folder.join("corpus")).unwrap();
    fs::write(folder.join("corpus/a.pdf"), "%PDF-1.4\n").unwrap();
    everything(&place, &folder);
    place.run(&folder, &["models", "pull", "--from", "python"].map(str::to_owned));
    let code = r#"{"id": "c", "response": "def f():\n    return 1\n", "metadata": {"tests": "assert f() == 1"}}"#;
    fs::write(folder.join("code.jsonl"), code).unwrap();
    place.run(&folder, &["score", "code.jsonl", "-m", "code_tests"].map(str::to_owned));
}

#[test]
fn pipes_in_the_place_of_files_are_refused_at_once() {
    let place = VictimFolder::new();
    let folder = place.attack("x11");
    fs::create_dir_all(folder.join("index/generation-1")).unwrap();
    for name in [
        "results.jsonl.run.json",
        ".probare/labels.jsonl",
        ".probare/store.db",
        ".probare/cache.db",
        "bands.json",
        "probare.yaml",
        "index/CURRENT",
        "pipe.jsonl",
    ] {
        pipe(&folder.join(name));
    }
    let begun = Instant::now();
    for (words, about) in [
        ("verify results.jsonl", "a pipe"),
        ("show results.jsonl --id a", "a pipe"),
        ("compare results.jsonl results.jsonl", "a pipe"),
        ("history results.jsonl results.jsonl", "is skipped"),
        ("score cases.jsonl -m token_f1", "a pipe"),
        ("run", "a pipe"),
        ("runs list", "a pipe"),
        ("resume", "a pipe"),
        ("cache list", "a pipe"),
        ("rag search index word", "a pipe"),
        ("calibrate results.jsonl --labels .probare/labels.jsonl --metric token_f1", ""),
    ] {
        let (code, text) = place.run(&folder, &words.split(' ').map(str::to_owned).collect::<Vec<_>>());
        assert!(matches!(code, Some(0 | 1 | 3 | 64)) && text.contains(about), "{words}: {code:?} {text}");
    }
    assert!(begun.elapsed() < Duration::from_mins(1), "none of them waits: {:?}", begun.elapsed());
    // A pipe that the user names is waited for, and one signal ends that.
    for words in ["score pipe.jsonl -m token_f1 -c /dev/null", "validate pipe.jsonl", "import pipe.jsonl -o i.jsonl"] {
        let words: Vec<String> = words.split(' ').map(str::to_owned).collect();
        wait_for_end(place.victim(&folder, &words).spawn().unwrap(), SERVING, &words);
    }
    // Without the configuration in its way the rest is looked at as well.
    fs::remove_file(folder.join("probare.yaml")).unwrap();
    for (words, about) in [
        ("score cases.jsonl -m token_f1 --bands bands.json", "a pipe"),
        ("score cases.jsonl -m code_tests --offline", "a pipe"),
        ("score cases.jsonl -m judge_rubric --judge openai:gpt-4o --offline", "a pipe"),
    ] {
        let (code, text) = place.run(&folder, &words.split(' ').map(str::to_owned).collect::<Vec<_>>());
        assert!(matches!(code, Some(0 | 1 | 3 | 64)) && text.contains(about), "{words}: {code:?} {text}");
    }
    everything(&place, &folder);
}

/// Whatever a command leaves behind can be put there by somebody else as a pipe: the kinds of files are those that the program
/// writes.
#[test]
fn a_pipe_in_the_place_of_any_file_that_a_command_writes_is_no_wait() {
    let place = VictimFolder::new();
    let folder = place.attack("written");
    let given: Vec<PathBuf> = ["cases.jsonl", "results.jsonl"].map(|name| folder.join(name)).into();
    let config =
        "datasets: [{path: cases.jsonl}]\nmetrics: [token_f1]\nmodels: [{name: m, api_model_name: 'replay:r.jsonl'}]\n";
    fs::write(folder.join("own.yaml"), config).unwrap();
    fs::write(folder.join("r.jsonl"), "").unwrap();
    fs::create_dir(folder.join("corpus")).unwrap();
    fs::write(folder.join("corpus/a.txt"), "The library opens at nine.\n").unwrap();
    forged_cache(&place, &folder);
    for words in ["run own.yaml -q", "rag index corpus -o index --no-vectors -q", "cache accept --yes"] {
        let words: Vec<String> = words.split(' ').map(str::to_owned).collect();
        let _ = place.victim(&folder, &words).output().unwrap();
    }
    everything(&place, &folder);
    let mut written = Vec::new();
    plain_files(&folder, &mut written);
    written.retain(|file| !given.contains(file) && !file.starts_with(folder.join("corpus")));
    let names: Vec<String> =
        written.iter().map(|file| file.strip_prefix(&folder).unwrap().display().to_string()).collect();
    println!("{} files become pipes: {}", names.len(), names.join(" "));
    for kind in [".probare/store.db", ".probare/cache.db", "results.jsonl.run.json", "index/"] {
        assert!(names.iter().any(|name| name.starts_with(kind)), "no {kind} was written: {names:?}");
    }
    for file in &written {
        pipe(file);
    }
    everything(&place, &folder);
    // One after the other, so that none hides behind another that was refused first.
    for file in &written {
        fs::remove_file(file).unwrap();
    }
    for file in written.iter().filter(|file| file.starts_with(folder.join(".probare"))) {
        pipe(file);
        for words in ["runs list", "cache list", "resume", "verify results.jsonl", "score cases.jsonl -m token_f1"] {
            place.run(&folder, &words.split(' ').map(str::to_owned).collect::<Vec<_>>());
        }
        fs::remove_file(file).unwrap();
    }
}

/// Every text of a manifest in turn, and the id of a case, would pass for a line of ours.
#[test]
fn no_text_of_a_file_passes_for_a_line_of_ours() {
    let place = VictimFolder::new();
    let folder = place.attack("x14");
    let path = folder.join("results.jsonl.run.json");
    let honest: Value = serde_json::from_slice(&fs::read(&path).unwrap()).unwrap();
    let mut texts = Vec::new();
    strings(&honest, String::new(), &mut texts);
    assert!(texts.len() > 12, "{texts:?}");
    for pointer in &texts {
        let mut manifest = honest.clone();
        let text = manifest.pointer_mut(pointer).unwrap();
        *text = json!(format!("{}\n{FORGED}::x\n{PASTE_END}", text.as_str().unwrap()));
        fs::write(&path, manifest.to_string()).unwrap();
        for words in ["verify results.jsonl", "show results.jsonl --id a", "compare results.jsonl results.jsonl"] {
            let (code, text) = place.run(&folder, &words.split(' ').map(str::to_owned).collect::<Vec<_>>());
            assert!(matches!(code, Some(0 | 1 | 64)), "{pointer}: {words}: {code:?} {text}");
        }
    }
    println!("{} texts of a manifest are forged", texts.len());
    fs::write(&path, honest.to_string()).unwrap();
    // Ids, answers and names of fields, by every command.
    let forged = format!("a{PASTE_END}\n{FORGED}::x\nall scores agree");
    let row = json!({"id": forged, "query": forged, "response": forged, "reference": "b", "metadata": {"tests": forged, "y": forged}});
    let folder = place.attack("x7");
    fs::write(folder.join("cases.jsonl"), format!("{row}\n")).unwrap();
    place.attacker(&folder, &["score", "cases.jsonl", "-m", "token_f1", "-q", "-o", "results.jsonl"]);
    everything(&place, &folder);
    // Names of columns, tags, models and of whoever labelled.
    let folder = place.attack("x7-names");
    let row = |id: &str, response: &str| {
        let row = json!({"id": id, "response": response, "reference": "b", "tags": [forged], "model": forged, "metadata": {forged.as_str(): forged}});
        format!("{row}\n")
    };
    fs::write(folder.join("cases.jsonl"), row("a", "b") + &row("b", "c")).unwrap();
    fs::write(folder.join("odd.csv"), format!("\"id\",\"{forged}\"\n1,2\n")).unwrap();
    fs::write(folder.join("odd.jsonl"), format!("{}\n", json!({forged.as_str(): 1}))).unwrap();
    fs::create_dir_all(folder.join(".probare")).unwrap();
    let label = json!({"id": "a", "metric": "token_f1", "label": forged, "by": forged, "at": 1_767_225_600});
    fs::write(folder.join(".probare/labels.jsonl"), format!("{label}\n")).unwrap();
    place.attacker(&folder, &["score", "cases.jsonl", "-m", "token_f1", "-q", "-o", "results.jsonl"]);
    for words in [
        "score cases.jsonl -m token_f1 --by tags -o grouped.md",
        "score odd.csv -m token_f1 -o odd.jsonl",
        "score odd.jsonl -m token_f1 --map response=nowhere -o written.jsonl",
        "validate odd.csv",
        "validate odd.jsonl",
        "compare results.jsonl results.jsonl --by tags",
        "compare results.jsonl@x results.jsonl",
        "judge calibrate cases.jsonl -m judge_rubric --judge replay:cases.jsonl --label metadata.y",
        "calibrate results.jsonl --labels odd.csv --metric token_f1",
        "calibrate results.jsonl --labels .probare/labels.jsonl --metric token_f1",
    ] {
        let (_, text) = place.run(&folder, &words.split(' ').map(str::to_owned).collect::<Vec<_>>());
        assert!(!text.lines().any(|line| line.starts_with("all scores agree")), "{words}: {text}");
    }
    everything(&place, &folder);
}

/// Where the texts of a value are, as JSON Pointers.
fn strings(value: &Value, at: String, found: &mut Vec<String>) {
    match value {
        Value::String(_) => found.push(at),
        Value::Array(list) => {
            list.iter().enumerate().for_each(|(place, value)| strings(value, format!("{at}/{place}"), found));
        }
        Value::Object(map) => {
            let escaped = |name: &str| name.replace('~', "~0").replace('/', "~1");
            map.iter().for_each(|(name, value)| strings(value, format!("{at}/{}", escaped(name)), found));
        }
        _ => {}
    }
}

#[test]
fn a_cache_that_computes_without_end_is_refused() {
    let place = VictimFolder::new();
    let folder = place.attack("x10");
    forged_cache(&place, &folder);
    let endless = "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n)";
    // The same of a store is a test of the store itself.
    let connection = rusqlite::Connection::open(folder.join(".probare/cache.db")).unwrap();
    let forged = format!(
        "DROP TABLE programs; CREATE VIEW programs AS {endless} SELECT x AS key, x AS made, x AS entry, NULL AS tag FROM n"
    );
    connection.execute_batch(&forged).unwrap();
    let begun = Instant::now();
    for (words, name) in [("cache list", "programs"), ("cache export out.jsonl", "programs")] {
        let (code, text) = place.run(&folder, &words.split(' ').map(str::to_owned).collect::<Vec<_>>());
        assert!(code == Some(1) && text.contains(&format!("view `{name}`")), "{words}: {code:?} {text}");
    }
    assert!(begun.elapsed() < PATIENCE, "none of them computes: {:?}", begun.elapsed());
    everything(&place, &folder);
}

#[test]
fn a_small_file_that_asks_for_much_work_is_bounded() {
    let place = VictimFolder::new();
    let folder = place.attack("x13-x18");
    let component = json!({"pass": true, "score": 1, "reason": "r", "assertion": {"type": "equals", "value": "x"}});
    let result = json!({
        "vars": {"q": "x"}, "response": {"output": "x"}, "success": true, "score": 1, "testCase": {"assert": []},
        "gradingResult": {"pass": true, "score": 1, "reason": "r", "componentResults": vec![component; 4_000]}
    });
    let promptfoo = json!({"evalId": "e", "results": {"version": 3, "prompts": [], "results": [result]}, "config": {}});
    fs::write(folder.join("promptfoo.json"), promptfoo.to_string()).unwrap();
    let made = Command::new("sh")
        .current_dir(&folder)
        .args(["-c", "head -c 2000000 /dev/zero | tr '\\0' '\\n' | gzip -1 > breaks.jsonl.gz && cp breaks.jsonl.gz breaks.csv.gz"])
        .status();
    assert!(made.unwrap().success());
    let packed = fs::metadata(folder.join("breaks.jsonl.gz")).unwrap().len();
    for words in [
        "import promptfoo.json -o imported.jsonl",
        "validate promptfoo.json",
        "validate breaks.jsonl.gz",
        "validate breaks.csv.gz",
        "import breaks.jsonl.gz -o imported.jsonl",
        "score breaks.jsonl.gz -m token_f1",
        "verify breaks.jsonl.gz",
    ] {
        let begun = Instant::now();
        place.run(&folder, &words.split(' ').map(str::to_owned).collect::<Vec<_>>());
        let seconds = begun.elapsed().as_secs_f64();
        println!("{words}: {seconds:.1} s ({packed} bytes packed)");
        assert!(seconds < PATIENCE.as_secs_f64(), "{words} takes {seconds} s");
    }
}

#[test]
fn a_configuration_that_was_found_gets_no_authority() {
    let place = VictimFolder::new();
    let (secret, address) = (place.secret(), place.address.clone());
    let program = place.at("program.sh");
    place.canary_program(&program);
    let (secret, program) = (secret.display().to_string(), program.display().to_string());
    let base = "datasets: [{path: cases.jsonl}]\n";
    let configs = [
        (
            "command",
            format!("{base}models: [{{name: m, provider: command, command: ['{program}']}}]\nmetrics: [token_f1]\n"),
        ),
        ("judge", format!("{base}judges: ['command:{program}']\nmetrics: [judge_rubric]\n")),
        ("option", format!("{base}metrics: [{{id: embedding_similarity, options: {{model: 'command:{program}'}}}}]\n")),
        ("python", format!("{base}metrics: [{{id: code_tests, options: {{environment: 'python:{program}'}}}}]\n")),
        (
            "address",
            format!(
                "{base}models: [{{name: m, base_url: '{address}', api_key: OPENAI_API_KEY}}]\njudges: [m]\nmetrics: [judge_rubric]\n"
            ),
        ),
        (
            "keyless",
            format!("{base}models: [{{name: m, base_url: '{address}'}}]\njudges: [m]\nmetrics: [judge_rubric]\n"),
        ),
        ("dataset", format!("datasets: [{{path: '{secret}', mapping: {{response: user}}}}]\nmetrics: [token_f1]\n")),
        (
            "prompt",
            format!(
                "{base}judges: [openai:gpt-4o]\nmetrics: [{{id: judge_rubric, options: {{prompt: '@{secret}'}}}}]\nrun: {{offline: true}}\n"
            ),
        ),
        ("output", format!("{base}metrics: [token_f1]\nrun: {{output: ['{secret}']}}\n")),
        ("record", format!("{base}metrics: [code_tests]\nrun: {{record: theirs.db}}\n")),
        ("bands", format!("{base}metrics: [token_f1]\nrun: {{bands: [bands.json]}}\n")),
        ("unsandboxed", format!("{base}metrics: [code_tests]\nrun: {{sandbox: none}}\n")),
        ("replay", format!("{base}judges: ['replay:replies.jsonl']\nmetrics: [judge_rubric]\n")),
    ];
    for (name, text) in &configs {
        let folder = place.attack(&format!("config-{name}"));
        fs::write(folder.join("probare.yaml"), text).unwrap();
        let first: &[&str] = &[
            "run",
            "run --dry-run",
            "score",
            "score cases.jsonl",
            "rag test index --questions cases.jsonl",
            "trust",
            "config show",
        ];
        for words in first {
            let (code, text) = place.run(&folder, &words.split(' ').map(str::to_owned).collect::<Vec<_>>());
            assert!(matches!(code, Some(1 | 64)), "{name}: {words}: {text}");
            if words.starts_with("score") || *words == "run" {
                assert!(text.contains("asks for more than data") && text.contains("probare trust"), "{name}: {text}");
            }
        }
        place.check(&folder);
    }
    // Everything at once, by every command.
    let folder = place.attack("config-all");
    let text = format!(
        "{base}models: [{{name: m, provider: command, command: ['{program}']}}, {{name: n, base_url: '{address}', api_key: OPENAI_API_KEY}}]\n\
         judges: [m, n]\nmetrics: [token_f1, judge_rubric]\n"
    );
    fs::write(folder.join("probare.yaml"), text).unwrap();
    everything(&place, &folder);
}

#[test]
fn trust_lasts_until_the_configuration_changes_and_naming_it_is_trust() {
    let place = VictimFolder::new();
    let folder = place.attack("own");
    let yaml = "judges: ['replay:none.jsonl']\nmetrics: [token_f1]\n";
    fs::write(folder.join("probare.yaml"), yaml).unwrap();
    fs::write(folder.join("none.jsonl"), "").unwrap();
    let run = |words: &str| place.run(&folder, &words.split(' ').map(str::to_owned).collect::<Vec<_>>());
    assert_eq!(run("score cases.jsonl").0, Some(1));
    assert_eq!(run("score cases.jsonl --config probare.yaml").0, Some(0), "named");
    let (code, told) = run("run");
    assert!(code == Some(1) && told.contains("name it: probare run probare.yaml"), "{told}");
    assert_eq!(run("trust").0, Some(64), "there is no terminal to ask for confirmation");
    assert_eq!(run("trust --yes").0, Some(0));
    assert_eq!(run("score cases.jsonl").0, Some(0));
    assert!(run("trust --list").1.contains("probare.yaml"));
    fs::write(folder.join("probare.yaml"), format!("{yaml}gates: [{{metric: token_f1, fail_under: 0}}]\n")).unwrap();
    assert_eq!(run("score cases.jsonl").0, Some(1), "it was changed");
    assert_eq!(run("trust -y").0, Some(0));
    assert_eq!(run("score cases.jsonl").0, Some(0));
    assert_eq!(run("trust --remove").0, Some(0));
    assert_eq!(run("score cases.jsonl").0, Some(1));
    fs::write(folder.join("probare.yaml"), "metrics: [token_f1]\n").unwrap();
    assert_eq!(run("score cases.jsonl").0, Some(0), "what only says what to score needs no trust");
}

/// A cache of the attacker's in which wrong code passed and a judge praised.
fn forged_cache(place: &VictimFolder, folder: &Path) {
    let case = |id: &str, code: &str| {
        json!({"id": id, "response": code, "metadata": {"tests": "assert f(2) == 4"}}).to_string()
    };
    let rows = [case("wrong", "def f(x):\n    return 0\n"), case("right", "def f(x):\n    return x * x\n")];
    fs::write(folder.join("code.jsonl"), rows.join("\n")).unwrap();
    place.attacker(
        folder,
        &["score", "code.jsonl", "-m", "code_tests", "--sandbox", "none", "-q", "-o", "theirs.jsonl"],
    );
    place.attacker(folder, &["cache", "export", "cassette.jsonl"]);
    let text = fs::read_to_string(folder.join("cassette.jsonl")).unwrap();
    let mut lines: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let is_right = |line: &Value| line.to_string().contains("x * x");
    let good = lines.iter().find(|line| is_right(line)).unwrap()["program"]["ran"].clone();
    for line in lines.iter_mut().filter(|line| !line["program"].is_null()) {
        line["program"]["ran"] = good.clone();
    }
    let text: String = lines.iter().map(|line| format!("{line}\n")).collect();
    fs::write(folder.join("cassette.jsonl"), text).unwrap();
    fs::remove_dir_all(folder.join(".probare")).unwrap();
    place.attacker(folder, &["cache", "import", "cassette.jsonl"]);
    place.attacker(
        folder,
        &["score", "code.jsonl", "-m", "code_tests", "--sandbox", "none", "-q", "-o", "theirs.jsonl"],
    );
    let theirs = fs::read_to_string(folder.join("theirs.jsonl")).unwrap();
    assert_eq!(
        theirs.matches("\"value\":1.0").count(),
        2,
        "the attack works where the cache is the user's own: {theirs}"
    );
}

#[test]
fn no_score_comes_from_outcomes_of_somebody_else() {
    let place = VictimFolder::new();
    let folder = place.attack("x2");
    forged_cache(&place, &folder);
    let run = |words: &str| place.run(&folder, &words.split(' ').map(str::to_owned).collect::<Vec<_>>());
    let scored = |words: &str| {
        let (_, text) = run(words);
        let line = fs::read_to_string(folder.join("mine.jsonl")).unwrap_or_default();
        (line.matches("\"value\":1.0").count(), text)
    };
    let (passed, text) = scored("score code.jsonl -m code_tests --sandbox none -o mine.jsonl --offline");
    assert_eq!(passed, 1, "theirs is ignored, and the wrong program fails: {text}");
    assert!(text.contains("2 entries of the response cache") && text.contains("probare cache accept"), "{text}");
    let (code, text) = run("verify theirs.jsonl");
    assert!(code == Some(1) && text.contains("not checked") && text.contains("probare cache accept"), "{text}");
    assert!(text.contains("2 cases, 0 scores computed again"), "what was not checked does not count: {text}");
    assert!(run("cache list").1.contains("outcomes of programs: 0 with your owner tag, 2 without"));
    let (code, text) = run("cache export exported.jsonl");
    assert!(code == Some(0) && text.contains("2 entries") && text.contains("(0 replies)"), "{text}");
    let (passed, text) = scored("score code.jsonl -m code_tests --sandbox none -o mine.jsonl");
    assert_eq!(passed, 1, "the wrong program fails: {text}");
    // What was run now is the user's own, and counts from here on.
    let (code, text) = run("verify mine.jsonl");
    assert!(code == Some(0) && text.contains("entries with your owner tag alone"), "{text}");
    assert!(run("cache list").1.contains("outcomes of programs: 2 with your owner tag, 0 without"));
    let everything = everything(&place, &folder);
    println!("{everything:?}");
}

#[test]
fn a_cache_is_used_where_it_is_named_accepted_or_shares_a_key() {
    let place = VictimFolder::new();
    let folder = place.attack("shared");
    forged_cache(&place, &folder);
    let words = |text: &str| text.split(' ').map(str::to_owned).collect::<Vec<_>>();
    // Nothing is written into the cache, so that each looks at the same entries.
    let offline = "score code.jsonl -m code_tests --sandbox none -o mine.jsonl --offline";
    let passed = || fs::read_to_string(folder.join("mine.jsonl")).unwrap_or_default().matches("\"value\":1.0").count();
    place.run(&folder, &words(offline));
    assert_eq!(passed(), 1, "the wrong program is run and fails");
    for flag in ["--record", "--cache"] {
        place.run(&folder, &words(&format!("{offline} {flag} .probare/cache.db")));
        assert_eq!(passed(), 2, "a cache that the user names is used as it is");
    }
    for variable in ["PROBARE_RECORD", "PROBARE_CACHE"] {
        let mut command = place.victim(&folder, &words(offline));
        assert!(command.env(variable, ".probare/cache.db").output().unwrap().status.success(), "{variable}");
        assert_eq!(passed(), 2, "{variable}");
    }
    let with_key = |key: &str, text: &str| {
        let output = place.victim(&folder, &words(text)).env("PROBARE_KEY", key).output().unwrap();
        (output.status.code(), String::from_utf8_lossy(&output.stderr).into_owned())
    };
    let (code, text) = with_key("short", offline);
    assert!(code == Some(1) && text.contains("fewer than 16 characters"), "{text}");
    let key = "a key that machines of CI share";
    assert_eq!(with_key(key, "cache accept --yes").0, Some(0));
    with_key(key, offline);
    assert_eq!(passed(), 2, "the shared key accepted them");
    with_key("another key that is long enough", offline);
    assert_eq!(passed(), 1, "another key does not");
    let mut homeless = place.victim(&folder, &words(offline));
    let output = homeless.env_remove("HOME").env_remove("XDG_CONFIG_HOME").output().unwrap();
    let text = String::from_utf8_lossy(&output.stderr);
    assert!(text.contains("set `PROBARE_KEY`") && !text.contains("cache accept"), "no key can be kept: {text}");
    assert_eq!(place.run(&folder, &words("cache accept")).0, Some(64), "there is no terminal to ask for confirmation");
    assert_eq!(place.run(&folder, &words("cache accept --yes")).0, Some(0));
    place.run(&folder, &words(offline));
    assert_eq!(passed(), 2, "accepted");
    let (code, text) = place.run(&folder, &words("cache rotate-key --forget"));
    assert!(code == Some(0) && text.contains("2 entries tagged"), "{text}");
    place.run(&folder, &words(offline));
    assert_eq!(passed(), 2, "the new key recognises what the old one did");
}

#[test]
fn a_cache_of_release_0_3_counts_once_it_is_accepted() {
    let place = VictimFolder::new();
    let folder = place.attack("upgraded");
    let old = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/old/0.3/run/replies.db");
    fs::create_dir_all(folder.join(".probare")).unwrap();
    fs::copy(old, folder.join(".probare/replies.db")).unwrap();
    let run = |words: &str| place.run(&folder, &words.split(' ').map(str::to_owned).collect::<Vec<_>>());
    let (_, before) = run("cache list");
    let count = |text: &str, what: &str| -> u64 {
        let line = text.lines().find(|line| line.starts_with("replies:")).unwrap_or_else(|| panic!("{text}"));
        let place = line.find(what).unwrap_or_else(|| panic!("{line}"));
        line[..place].trim_end().rsplit(' ').next().unwrap().parse().unwrap()
    };
    let all = count(&before, "without");
    assert!(all > 0 && count(&before, "with your owner tag") == 0, "{before}");
    let (code, text) = run("cache export none.jsonl");
    assert!(
        code == Some(0) && text.contains(&format!("{all} entr")) && text.contains("probare cache accept"),
        "{text}"
    );
    let (code, text) = run("cache accept --yes");
    assert!(code == Some(0) && text.contains(&format!("{all} entr")), "{text}");
    let (_, after) = run("cache list");
    assert!(count(&after, "with your owner tag") == all && count(&after, "without") == 0, "{after}");
    assert!(run("cache accept").1.contains("every entry of"), "nothing is left to accept");
}

#[test]
fn a_store_an_index_labels_and_thresholds_of_somebody_else_are_data() {
    let place = VictimFolder::new();
    let folder = place.attack("store");
    let program = folder.join("model.sh");
    place.canary_program(&program);
    fs::create_dir(folder.join("corpus")).unwrap();
    fs::write(folder.join("corpus/a.txt"), "The library opens at nine.\n").unwrap();
    let config = format!(
        "datasets: [{{path: cases.jsonl}}]\nmodels: [{{name: m, provider: command, command: ['{}']}}]\nmetrics: [token_f1]\n",
        program.display()
    );
    fs::write(folder.join("theirs.yaml"), config).unwrap();
    place.attacker(&folder, &["run", "theirs.yaml", "-q"]);
    place.attacker(&folder, &["rag", "index", "corpus", "-o", "index", "--no-vectors", "-q"]);
    let label = json!({"id": "a", "metric": "token_f1", "label": "pass", "by": "them", "at": 1_767_225_600});
    fs::write(folder.join(".probare/labels.jsonl"), format!("{label}\n")).unwrap();
    fs::write(
        folder.join("bands.json"),
        r#"{"format": 1, "metric": "token_f1", "id": "token_f1", "version": 2, "profile": "published", "bands": {}, "cases": 1, "decided": 1}"#,
    )
    .unwrap();
    fs::remove_file(place.at("started")).unwrap();
    everything(&place, &folder);
    for words in ["resume 1", "resume 1 --retry failed", "resume --accept-changes"] {
        let (code, text) = place.run(&folder, &words.split(' ').map(str::to_owned).collect::<Vec<_>>());
        assert!(matches!(code, Some(1 | 64)), "{words}: {text}");
    }
}
