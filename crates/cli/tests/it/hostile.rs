//! Files from strangers (`tests/hostile`): whatever they name, opening them starts no program and contacts nobody.
//!
//! The kit is made as a stranger would make it, with this program, a program of the stranger's and a server of the
//! stranger's. Then both are armed and somebody else opens everything. Where `strace` is there it counts what is started
//! and contacted; everywhere the armed program leaves a mark and the server counts.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use probare_testing::{ServerBehaviour, TestServer};
use serde_json::{Value, json};

use crate::program::{PROGRAM, root};

/// Longer than any of these commands takes, under a tracer and on a busy machine.
const PATIENCE: Duration = Duration::from_mins(2);

/// The files of a stranger, and the folder of whoever opens them.
struct Kit {
    folder: tempfile::TempDir,
    server: TestServer,
    before: u64,
    traces: bool,
}

/// What became of a command.
struct CommandOutcome {
    code: i32,
    text: String,
}

impl Kit {
    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let server = TestServer::start(ServerBehaviour::default()).unwrap();
        let traces = Command::new("strace")
            .args(["-f", "-qq", "-o", "/dev/null", "true"])
            .stderr(Stdio::null())
            .status()
            .is_ok_and(|status| status.success());
        if !traces {
            println!("left out: strace is not here or may not trace; marks and connections alone are counted");
        }
        let kit = Self { folder, server, before: 0, traces };
        kit.make()
    }

    /// Makes everything as the stranger does.
    fn make(mut self) -> Self {
        for name in ["kit", "kit/corpus", "kit/home", "own", "own/home"] {
            fs::create_dir(self.path(name)).unwrap();
        }
        let kit = self.path("kit");
        let pipe = kit.join("pipe");
        assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
        let source = root().join("tests/hostile");
        for name in ["cases.jsonl", "probare.yaml", "own.yaml", "promptfoo.json", "chat.jsonl", "inspect.json"] {
            let text = fs::read_to_string(source.join(name)).unwrap();
            let text = text.replace("HELPER", &self.helper()).replace("ADDRESS", &self.server.url());
            let text = text.replace("CHECKS", &self.checks()).replace("WORKER", &self.worker());
            fs::write(kit.join(name), text.replace("FIFO", pipe.to_str().unwrap())).unwrap();
        }
        for name in ["helper.sh", "worker.sh", "checks.py"] {
            fs::copy(source.join(name), kit.join(name)).unwrap();
        }
        fs::write(kit.join("corpus/a.txt"), "The library opens at nine. The bridge is long.\n").unwrap();
        fs::write(kit.join("questions.jsonl"), "{\"question\": \"When does it open?\", \"relevant\": [\"a.txt\"]}\n")
            .unwrap();
        let embedded = format!("e=embedding_similarity:model=command:{}", self.helper());
        let judged = format!("j=judge_rubric:judges=[\"command:{}\"]", self.helper());
        let metrics = ["-m", "token_f1", "-m", &embedded, "-m", "s=embedding_similarity:model=served", "-m", &judged];
        // The stranger trusts the stranger.
        self.stranger(&["trust", "--yes"]);
        let mut score = vec!["score", "cases.jsonl", "-q"];
        score.extend(metrics);
        for name in ["r.jsonl", "r.json", "r.csv", "r.parquet", "r.html", "r.jsonl.gz", "r.csv.zst"] {
            score.extend(["-o", name]);
        }
        self.stranger(&score);
        let mut own = vec!["score", "cases.jsonl", "-q", "--config", "own.yaml"];
        for name in ["own.jsonl", "own.json", "own.csv", "own.parquet", "own.html"] {
            own.extend(["-o", name]);
        }
        self.stranger(&own);
        self.stranger(&["cache", "export", "replies.jsonl"]);
        self.stranger(&["run", "-q"]);
        let command = format!("command:{}", self.helper());
        self.stranger(&["rag", "index", "corpus", "-o", "index", "--embedding", &command, "-q"]);
        self.stranger(&["rag", "index", "corpus", "-o", "index-served", "--embedding", "served", "-q"]);
        // An index that names a Python file where it names its model.
        fs::create_dir(kit.join("index-python")).unwrap();
        copy_folder(&kit.join("index"), &kit.join("index-python"));
        let header = kit.join("index-python/generation-1/index.json");
        fs::write(&header, fs::read_to_string(&header).unwrap().replace(&command, &self.checks())).unwrap();
        self.manifests();
        fs::write(kit.join("log.eval"), stored_zip(&[("header.json", &fs::read(kit.join("inspect.json")).unwrap())]))
            .unwrap();
        fs::write(self.path("own/none.jsonl"), "").unwrap();
        let old = kit.join("index/generation-1/index.json");
        assert!(fs::read_to_string(&old).unwrap().contains("helper.sh"), "the index names the program");
        assert!(fs::read_to_string(&header).unwrap().contains("checks.py:voice"), "the index names the Python file");
        for name in ["own.json", "own.html", "own.parquet", "own.jsonl.run.json", "own.csv.run.json"] {
            let text = String::from_utf8_lossy(&fs::read(kit.join(name)).unwrap()).into_owned();
            assert!(text.contains("checks.py:voice") && text.contains("worker.sh"), "{name} names both");
        }
        for name in ["r.json", "r.html", "r.parquet", "r.jsonl.run.json"] {
            let bytes = fs::read(kit.join(name)).unwrap();
            assert!(String::from_utf8_lossy(&bytes).contains("helper.sh"), "{name} names the program");
        }
        // A store and a response cache pack their texts: what they say is read as their owner reads it.
        let plan = self.stranger(&["runs", "show", "1"]);
        assert!(
            plan.contains(&format!("\"model\":\"command:{}\"", self.helper())),
            "the run names the program: {plan}"
        );
        assert!(plan.contains("checks.py:voice") && plan.contains("command:program"), "the run names both: {plan}");
        let recorded = fs::read_to_string(kit.join("replies.jsonl")).unwrap();
        assert!(recorded.contains("helper.sh"), "replies of the program are recorded: {recorded}");
        fs::write(kit.join("armed"), "").unwrap();
        self.before = self.server.requests();
        assert!(self.before > 0, "the stranger's own server was asked");
        self
    }

    fn helper(&self) -> String {
        self.path("kit/helper.sh").display().to_string()
    }

    /// The stranger's metrics: a function of a Python file, and a program.
    fn checks(&self) -> String {
        format!("{}:voice", self.path("kit/checks.py").display())
    }

    fn worker(&self) -> String {
        self.path("kit/worker.sh").display().to_string()
    }

    /// A command of the stranger's, and what it printed.
    fn stranger(&self, arguments: &[&str]) -> String {
        let output = Command::new(PROGRAM)
            .args(arguments)
            .current_dir(self.path("kit"))
            .env("XDG_CONFIG_HOME", self.path("kit/home"))
            .env("XDG_CACHE_HOME", self.path("kit/home"))
            .env_remove("PROBARE_RECORD")
            .output()
            .unwrap();
        let text = String::from_utf8_lossy(&output.stderr);
        // Rows of the kit may fail; a usage error would leave the kit without the file.
        assert!(matches!(output.status.code(), Some(0 | 1)), "{arguments:?}: {text}");
        String::from_utf8_lossy(&output.stdout).into_owned()
    }

    /// Manifests that name more than any program writes there.
    fn manifests(&self) {
        let kit = self.path("kit");
        let honest: Value = serde_json::from_slice(&fs::read(kit.join("r.jsonl.run.json")).unwrap()).unwrap();
        let pipe = kit.join("pipe").display().to_string();
        let (helper, address) = (self.helper(), self.server.url());
        let change = |name: &str, change: &dyn Fn(&mut Value)| {
            let mut manifest = honest.clone();
            change(&mut manifest);
            fs::copy(kit.join("r.jsonl"), kit.join(format!("{name}.jsonl"))).unwrap();
            fs::write(kit.join(format!("{name}.jsonl.run.json")), manifest.to_string()).unwrap();
        };
        let metric = |manifest: &mut Value, at: usize, id: &str, options: Value| {
            manifest["metrics"][at]["id"] = json!(id);
            manifest["metrics"][at]["options"] = options;
        };
        change("m-replay", &|manifest| {
            for model in manifest["models"].as_array_mut().unwrap() {
                model["provider"] = json!("replay");
                model["model"] = json!(pipe);
                model["base_url"] = json!("");
            }
            let input = json!({"path": pipe, "sha256": "0".repeat(64), "bytes": 0});
            manifest["inputs"].as_array_mut().unwrap().push(input);
        });
        change("m-remote", &|manifest| {
            metric(manifest, 1, "embedding_similarity", json!({"model": "openai:text-embedding-3-small"}));
            metric(manifest, 3, "judge_rubric", json!({"judges": ["openai:gpt-4.1-mini"]}));
            for model in manifest["models"].as_array_mut().unwrap() {
                model["provider"] = json!("openai");
                model["base_url"] = json!(format!("{address}/v1"));
            }
        });
        change("m-nobody", &|manifest| {
            metric(manifest, 3, "judge_rubric", json!({"judges": []}));
            manifest["models"] = json!([]);
        });
        change("m-prompt", &|manifest| {
            metric(
                manifest,
                3,
                "judge_rubric",
                json!({"judges": [format!("command:{helper}")], "prompt": format!("@{pipe}")}),
            );
        });
        change("m-code", &|manifest| {
            metric(manifest, 0, "code_tests", json!({"environment": format!("python:{helper}")}));
        });
        change("m-python", &|manifest| manifest["metrics"][0]["code"] = json!({"source": {"python": self.checks()}}));
        change("m-command", &|manifest| {
            let source = json!({"command": [self.worker()]});
            manifest["metrics"][0]["code"] = json!({"source": source, "files": {self.worker(): "0".repeat(64)}});
        });
        change("m-idea", &|manifest| {
            metric(manifest, 0, "idea_generation", json!({"model": format!("command:{helper}"), "judges": ["served"]}));
        });
        change("m-schema", &|manifest| {
            metric(manifest, 0, "json_schema", json!({"schema": {"$ref": format!("{address}/schema.json")}}));
        });
        change("m-input", &|manifest| manifest["inputs"][0]["path"] = json!(pipe));
        change("m-suite", &|manifest| {
            manifest["suite"] = json!({"id": "sgi", "options": {"results": pipe, "environment": format!("python:{helper}"), "model": format!("command:{helper}")}});
        });
        change("m-run", &|manifest| {
            manifest["generation"] = json!({"datasets": ["cases"], "models": [format!("command:{helper}")], "repeats": 1,
                "retrieval": {"index": kit.join("index"), "digest": "", "k": 3, "filter": {}, "mode": "hybrid"}});
        });
    }

    /// A command of whoever opens the files, in a folder of their own, under the probe.
    fn open(&self, arguments: &[&str]) -> CommandOutcome {
        let log = self.path("trace");
        let mut command = if self.traces {
            let mut command = Command::new("strace");
            command.args(["-f", "-qq", "-e", "trace=execve,connect", "-o"]).arg(&log).arg(PROGRAM);
            command
        } else {
            Command::new(PROGRAM)
        };
        self.owner(&mut command);
        command.args(arguments).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let (code, text) = wait_for_end(command.spawn().unwrap(), arguments);
        if self.traces {
            let seen = fs::read_to_string(&log).unwrap();
            let calls: Vec<&str> =
                seen.lines().filter(|line| line.contains("execve(") || line.contains("connect(")).collect();
            assert!(calls.len() == 1 && calls[0].contains(PROGRAM), "{arguments:?} did more than open files:\n{seen}");
        }
        self.check(arguments);
        CommandOutcome { code, text }
    }

    fn owner(&self, command: &mut Command) {
        command.current_dir(self.path("own")).env("XDG_CONFIG_HOME", self.path("own/home"));
        command.env("XDG_CACHE_HOME", self.path("own/home")).env("OPENAI_API_KEY", "sk-canary-0123456789abcdef");
        for name in ["PROBARE_RECORD", "PROBARE_EMBEDDING", "PROBARE_CONFIG", "PROBARE_STORE"] {
            command.env_remove(name);
        }
    }

    fn check(&self, arguments: &[&str]) {
        let started = fs::read_to_string(self.path("kit/started")).unwrap_or_default();
        assert_eq!(started, "", "{arguments:?} started the stranger's program");
        assert_eq!(self.server.requests(), self.before, "{arguments:?} contacted the stranger's server");
    }
}

/// Copies what lies in a folder, with the folders in it.
fn copy_folder(from: &Path, to: &Path) {
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let target = to.join(entry.file_name());
        if entry.file_type().unwrap().is_dir() {
            fs::create_dir(&target).unwrap();
            copy_folder(&entry.path(), &target);
        } else {
            fs::copy(entry.path(), target).unwrap();
        }
    }
}

/// How a command ended and what it said; one that waits for a pipe does not end.
fn wait_for_end(mut child: Child, arguments: &[&str]) -> (i32, String) {
    let (mut out, mut err) = (child.stdout.take().unwrap(), child.stderr.take().unwrap());
    let errors = std::thread::spawn(move || {
        let mut text = Vec::new();
        err.read_to_end(&mut text).unwrap();
        text
    });
    let output = std::thread::spawn(move || {
        let mut text = Vec::new();
        out.read_to_end(&mut text).unwrap();
        text
    });
    let begun = Instant::now();
    let status = loop {
        if let Some(status) = child.try_wait().unwrap() {
            break status;
        }
        if begun.elapsed() > PATIENCE {
            child.kill().unwrap();
            panic!("{arguments:?} does not end: it waits for something that a file names");
        }
        std::thread::sleep(Duration::from_millis(20));
    };
    let text =
        [output.join().unwrap(), errors.join().unwrap()].map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
    (status.code().unwrap_or(-1), text.concat())
}

/// An archive with these files, not compressed.
fn stored_zip(files: &[(&str, &[u8])]) -> Vec<u8> {
    let crc = |bytes: &[u8]| {
        !bytes.iter().fold(u32::MAX, |sum, byte| {
            (0..8).fold(sum ^ u32::from(*byte), |sum, _| if sum & 1 == 1 { (sum >> 1) ^ 0xEDB8_8320 } else { sum >> 1 })
        })
    };
    let (mut archive, mut directory) = (Vec::new(), Vec::new());
    for (name, bytes) in files {
        let size = u32::try_from(bytes.len()).unwrap().to_le_bytes();
        let mut head = vec![20, 0, 0, 0, 0, 0, 0, 0, 0, 0];
        head.extend(crc(bytes).to_le_bytes());
        head.extend([size, size].concat());
        head.extend([u8::try_from(name.len()).unwrap(), 0, 0, 0]);
        let place = u32::try_from(archive.len()).unwrap().to_le_bytes();
        archive.extend([b"PK\x03\x04".as_slice(), &head, name.as_bytes(), bytes].concat());
        directory.extend([b"PK\x01\x02\x14\x00".as_slice(), &head, &[0; 10], &place, name.as_bytes()].concat());
    }
    let count = u16::try_from(files.len()).unwrap().to_le_bytes();
    let (size, place) = (u32::try_from(directory.len()).unwrap(), u32::try_from(archive.len()).unwrap());
    archive.extend(&directory);
    archive.extend(
        [b"PK\x05\x06\0\0\0\0".as_slice(), &count, &count, &size.to_le_bytes(), &place.to_le_bytes(), &[0; 2]].concat(),
    );
    archive
}

/// Verbs and their level, as SECURITY.md has them.
fn levels() -> BTreeMap<String, String> {
    let text = fs::read_to_string(root().join("SECURITY.md")).unwrap();
    let rows = text
        .lines()
        .skip_while(|line| !line.starts_with("| command "))
        .skip(2)
        .take_while(|line| line.starts_with('|'));
    let mut levels = BTreeMap::new();
    for row in rows {
        let cells: Vec<&str> = row.split('|').map(str::trim).collect();
        for verb in cells[1].split(", ") {
            levels.insert(verb.trim_matches('`').to_owned(), cells[2].to_owned());
        }
    }
    levels
}

const RESULTS: [&str; 24] = [
    "own.jsonl",
    "own.json",
    "own.csv",
    "own.parquet",
    "own.html",
    "m-python.jsonl",
    "m-command.jsonl",
    "r.jsonl",
    "r.json",
    "r.csv",
    "r.parquet",
    "r.html",
    "r.jsonl.gz",
    "r.csv.zst",
    "m-replay.jsonl",
    "m-remote.jsonl",
    "m-nobody.jsonl",
    "m-prompt.jsonl",
    "m-code.jsonl",
    "m-idea.jsonl",
    "m-schema.jsonl",
    "m-input.jsonl",
    "m-suite.jsonl",
    "m-run.jsonl",
];

#[test]
fn opening_what_a_stranger_sent_starts_nothing_and_contacts_nobody() {
    let kit = Kit::new();
    let at = |name: &str| kit.path("kit").join(name).display().to_string();
    let mut verbs = BTreeSet::new();
    let mut count = 0;
    let mut open = |arguments: &[&str]| {
        let opened = kit.open(arguments);
        // Who asks for the model says so after the file was read.
        let is_understood = opened.code != 64 || opened.text.contains("has outputs of several models or prompts");
        assert!(is_understood, "{arguments:?} was not understood, so nothing was opened: {}", opened.text);
        verbs.insert(arguments[0].to_owned());
        count += 1;
        opened
    };
    let (cases, record, replies) = (at("cases.jsonl"), at(".probare/cache.db"), at("replies.jsonl"));
    for name in RESULTS {
        let results = at(name);
        let verified = open(&["verify", &results]);
        assert_eq!(verified.code, 1, "{name}: {}", verified.text);
        open(&["verify", &results, &cases, "--record", &record]);
        open(&["verify", &results, "--allow-unchecked"]);
        open(&["show", &results, "--id", "a"]);
        open(&["show", &results, &cases, "--id", "a"]);
        open(&["compare", &results, &at("r.jsonl")]);
        open(&["history", &results, &at("r.jsonl")]);
        open(&["calibrate", &results, "--labels", &cases, "--metric", "e"]);
        open(&["estimate", &results, "--labels", &cases, "--metric", "e"]);
        open(&["estimate", &results, "--metric", "e", "--next", "2", "--drawn", "order", "-o", "next.csv"]);
        open(&["power", &results, &at("r.jsonl"), "--metric", "e"]);
        open(&["export", &results, "--to", "promptfoo", "-o", "out.json"]);
        open(&["validate", &results]);
    }
    let unchecked = open(&["verify", &at("r.jsonl")]);
    for metric in ["e: not checked", "s: not checked", "j: not checked"] {
        assert!(unchecked.text.contains(metric), "{metric}: {}", unchecked.text);
    }
    let recorded = open(&["verify", &at("r.jsonl"), "--record", &record]);
    assert!(recorded.text.contains("all agree") && recorded.code == 0, "the record answers: {}", recorded.text);

    for name in ["cases.jsonl", "r.jsonl", "r.parquet", "r.csv"] {
        open(&["score", &at(name), "-m", "token_f1", "-m", "hallucination", "-q", "-o", "scored.html"]);
    }
    open(&["score", &cases, "-m", "judge_rubric", "--judge", &format!("replay:{replies}"), "-q", "-o", "judged.jsonl"]);
    open(&["judge", "calibrate", &cases, "-m", "judge_rubric", "--judge", "replay:none.jsonl"]);
    for name in ["promptfoo.json", "chat.jsonl", "inspect.json", "log.eval"] {
        open(&["import", &at(name), "-o", "imported.jsonl", "-q"]);
    }
    open(&["validate", &cases]);
    open(&["validate", &at("probare.yaml")]);

    let store = at(".probare/store.db");
    for verb in [&["runs", "list"][..], &["runs", "show", "1"], &["runs", "export", "1", "-o", "exported.jsonl"]] {
        open(&[verb, &["--store", &store]].concat());
    }
    open(&["compare", "1", "1", "--store", &store]);
    open(&["history", &at("."), "-o", "history.md"]);
    open(&["export", "1", "--to", "inspect", "-o", "log.json", "--store", &store]);
    let resumed = open(&["resume", "1", "--retry", "failed", "--store", &store]);
    assert_eq!(resumed.code, 1, "{}", resumed.text);
    assert!(resumed.text.contains("does not carry your owner tag"), "{}", resumed.text);
    open(&["resume", "--store", &store]);
    for metrics in [&[][..], &["-m", "token_f1"], &["-m", "judge_rubric"]] {
        let rescored = open(&[&["rescore", "1", "--store", &store, "-o", "rescored.jsonl"], metrics].concat());
        assert_eq!(rescored.code, 1, "{}", rescored.text);
        assert!(rescored.text.contains("does not carry your owner tag"), "{}", rescored.text);
        assert!(rescored.text.contains("probare rescore 1 --config FILE"), "{}", rescored.text);
    }

    open(&["cache", "list", "--cache", &record]);
    open(&["cache", "export", "copied.jsonl", "--cache", &record]);
    open(&["models", "record", "export", "copied.jsonl", "--record", &record]);
    open(&["models", "record", "import", &replies]);

    for name in ["index", "index-served", "index-python"] {
        let index = at(name);
        let found = open(&["rag", "search", &index, "When does the library open?"]);
        assert!(
            found.text.contains("searching by words alone") && found.text.contains("--embedding"),
            "{}",
            found.text
        );
        assert!(found.text.contains("a.txt"), "words find it all the same: {}", found.text);
        let vectors = open(&["rag", "search", &index, "library", "--mode", "vectors"]);
        assert!(vectors.code == 1 && vectors.text.contains("does not decide who is asked"), "{}", vectors.text);
        open(&["rag", "search", &index, "library", "--embedding", "all-MiniLM-L6-v2"]);
        open(&["rag", "ask", &index, "When?", "--model", "replay:none.jsonl"]);
        open(&["rag", "test", &index, "--questions", &at("questions.jsonl"), "-q"]);
        open(&["rag", "index", &at("corpus"), "-o", &index, "-q"]);
    }
    open(&["rag", "eval", "--cases", &cases, "-q", "-o", "eval.jsonl"]);
    fs::write(
        kit.path("own/mine.yaml"),
        format!("datasets: [{{path: {cases}}}]\nmetrics: [{{id: token_f1}}]\nretrieval: {{index: {}}}\n", at("index")),
    )
    .unwrap();
    let ran = open(&["run", "mine.yaml", "-q"]);
    assert!(ran.code == 1 && ran.text.contains("does not decide who is asked"), "{}", ran.text);
    open(&["synthesis", "--cases", &cases, "-q"]);
    open(&["quotes", &cases, &at("corpus"), "--quote", "response", "-q"]);
    open(&["synthlink", "--predictions", &cases, "--catalog", &at("corpus"), "-q"]);
    open(&[
        "sgi",
        "score",
        "deep_research",
        "--data",
        &cases,
        "--predictions",
        &cases,
        "--judge",
        "replay:none.jsonl",
        "-q",
    ]);
    let socioscope = ["socioscope", &cases, &at("corpus"), "--index", &at("index"), "--model", "replay:none.jsonl"];
    open(&socioscope);
    println!("{count} commands opened the kit, traced: {}", kit.traces);

    // Every verb that reads files of others is here; the rest reads none.
    let levels = levels();
    let readers =
        levels.iter().filter(|(_, level)| !level.contains("reads no file of others")).map(|(verb, _)| verb.clone());
    let unopened: Vec<String> =
        readers.filter(|verb| !verbs.contains(verb) && !matches!(verb.as_str(), "serve" | "view")).collect();
    assert!(unopened.is_empty(), "SECURITY.md names verbs that read files and were not tried: {unopened:?}");
}

#[test]
fn a_server_over_a_strangers_index_starts_nothing_and_contacts_nobody() {
    let kit = Kit::new();
    let index = kit.path("kit/index");
    let mut command = Command::new(PROGRAM);
    kit.owner(&mut command);
    command.args(["serve", "--listen", "127.0.0.1:0", "--model", "replay:none.jsonl", "--index"]).arg(&index);
    let mut child = command.stderr(Stdio::piped()).spawn().unwrap();
    let mut said = BufReader::new(child.stderr.take().unwrap());
    let mut line = String::new();
    let address = loop {
        line.clear();
        assert_ne!(said.read_line(&mut line).unwrap(), 0, "it does not listen");
        if let Some(address) = line.trim().strip_prefix("listening on http://") {
            break address.to_owned();
        }
    };
    let ask = |path: &str, body: &Value| {
        let body = body.to_string();
        let mut stream = TcpStream::connect(&address).unwrap();
        let head = format!(
            "POST {path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nConnection: close\r\n"
        );
        write!(stream, "{head}Content-Length: {}\r\n\r\n{body}", body.len()).unwrap();
        let mut reply = String::new();
        stream.read_to_string(&mut reply).unwrap();
        reply
    };
    let question =
        json!({"question": "When does the library open?", "model": "replay:none.jsonl", "k": 3, "filter": {}});
    let answered = ask("/prompt", &question);
    assert!(answered.contains("no reply of the model is recorded"), "the index was searched: {answered}");
    for model in [format!("command:{}", kit.helper()), "served".to_owned(), "openai:text-embedding-3-small".to_owned()]
    {
        let metric = json!({"id": "embedding_similarity", "options": {"model": model}});
        let body = json!({"metrics": [metric], "cases": [{"id": "a", "response": "x", "reference": "y"}]});
        let refused = ask("/v1/score", &body);
        assert!(refused.starts_with("HTTP/1.1 422"), "{refused}");
        let judge = json!({"id": "judge_rubric", "options": {"judges": [model]}});
        let body = json!({"metrics": [judge], "cases": [{"id": "a", "response": "x"}]});
        assert!(ask("/v1/score", &body).starts_with("HTTP/1.1 422"));
    }
    child.kill().unwrap();
    child.wait().unwrap();
    kit.check(&["serve"]);
}

#[test]
fn a_desk_over_a_strangers_files_starts_nothing_and_contacts_nobody() {
    let kit = Kit::new();
    let mut command = Command::new(PROGRAM);
    kit.owner(&mut command);
    command.arg("view").arg(kit.path("kit"));
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
    let mut line = String::new();
    assert_ne!(BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap(), 0, "it does not listen");
    let (address, token) = line.trim().split_once("/view#token=").unwrap();
    let address = address.strip_prefix("http://").unwrap();
    let ask = |path: &str| {
        let mut stream = TcpStream::connect(address).unwrap();
        let head = format!("GET {path} HTTP/1.1\r\nHost: {address}\r\nAuthorization: Bearer {token}\r\n");
        write!(stream, "{head}Connection: close\r\n\r\n").unwrap();
        let mut reply = Vec::new();
        stream.read_to_end(&mut reply).unwrap();
        String::from_utf8_lossy(&reply).into_owned()
    };
    let runs = ask("/view/api/runs");
    let keys: BTreeSet<&str> = runs.split("\"key\":\"").skip(1).filter_map(|rest| rest.split('"').next()).collect();
    assert!(keys.len() > 1, "files of the kit are shown: {runs}");
    for key in keys {
        for path in ["summary", "cases", "save"] {
            ask(&format!("/view/api/{path}?run={key}"));
        }
        ask(&format!("/view/api/case?run={key}&at=0,0"));
    }
    child.kill().unwrap();
    child.wait().unwrap();
    kit.check(&["view"]);
}

#[test]
fn whoever_names_the_model_of_an_index_has_its_vectors() {
    let kit = Kit::new();
    fs::remove_file(kit.path("kit/armed")).unwrap();
    let named = format!("command:{}", kit.helper());
    let mut command = Command::new(PROGRAM);
    kit.owner(&mut command);
    command.args(["rag", "search"]).arg(kit.path("kit/index")).args([
        "library",
        "--mode",
        "vectors",
        "--embedding",
        &named,
    ]);
    let output = command.output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(
        output.status.success() && text.contains("vectors: rank 1"),
        "{text}{}",
        String::from_utf8_lossy(&output.stderr)
    );
}

#[test]
fn every_command_has_its_level_in_security_md() {
    let levels = levels();
    let help = Command::new(PROGRAM).arg("--help").output().unwrap();
    let help = String::from_utf8(help.stdout).unwrap();
    let verbs: BTreeSet<String> = help
        .lines()
        .skip_while(|line| !line.starts_with("Commands:"))
        .skip(1)
        .take_while(|line| line.starts_with("  "))
        .filter(|line| !line.starts_with("   "))
        .filter_map(|line| line.split_whitespace().next().map(str::to_owned))
        .filter(|verb| verb != "help")
        .collect();
    assert!(verbs.len() > 20, "{help}");
    assert_eq!(verbs, levels.keys().cloned().collect(), "the table of SECURITY.md and the verbs of the program");
}

/// Files of Rust below a folder.
fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            sources(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push(path);
        }
    }
}

/// The table of `tests/hostile/README.md` says which test holds which way in: each of them is there.
#[test]
fn every_way_in_has_its_test() {
    let text = fs::read_to_string(root().join("tests/hostile/README.md")).unwrap();
    let mut files = Vec::new();
    sources(&root().join("crates"), &mut files);
    let code: String = files.iter().map(|file| fs::read_to_string(file).unwrap()).collect();
    let (mut named, mut rows) = (BTreeSet::new(), 0);
    for row in text.lines().filter(|line| line.starts_with("| ")).skip(1) {
        let tests: Vec<&str> = row.split('`').skip(1).step_by(2).filter(|word| word.matches('_').count() > 3).collect();
        assert!(!tests.is_empty(), "no test holds this: {row}");
        named.extend(tests.iter().map(|test| test.rsplit("::").next().unwrap()));
        rows += 1;
    }
    assert!(rows > 12, "{rows} ways in");
    let missing: Vec<&&str> = named.iter().filter(|name| !code.contains(&format!("fn {name}("))).collect();
    assert!(missing.is_empty(), "tests/hostile/README.md names tests that are not there: {missing:?}");
}

#[test]
fn models_are_opened_in_one_place() {
    let mut opening = BTreeSet::new();
    for entry in fs::read_dir(root().join("crates")).unwrap() {
        let krate = entry.unwrap().path();
        // The crate of the models knows their level itself, and measuring is no use of it.
        if krate.ends_with("models") || krate.ends_with("bench") || !krate.join("src").is_dir() {
            continue;
        }
        let mut files = Vec::new();
        sources(&krate.join("src"), &mut files);
        for file in files {
            let text = fs::read_to_string(&file).unwrap();
            let opens = ["Models::open(", "Shared::open(", "Client::open(", "Embeddings::new("];
            if opens.iter().any(|call| text.contains(call)) {
                opening.insert(file.strip_prefix(root()).unwrap().display().to_string());
            }
        }
    }
    assert_eq!(opening, BTreeSet::from(["crates/engine/src/model_access.rs".to_owned()]));
}

#[cfg(unix)]
#[test]
fn a_configuration_of_another_user_is_not_read_by_itself() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("probare.yaml");
    fs::write(&file, "metrics: [{id: token_f1}]\n").unwrap();
    fs::write(folder.path().join("cases.jsonl"), "{\"id\": \"a\", \"response\": \"x\", \"reference\": \"x\"}\n")
        .unwrap();
    if std::os::unix::fs::chown(&file, Some(12_345), None).is_err() {
        println!("left out: only root can give a file away");
        return;
    }
    let run = |arguments: &[&str]| {
        let output = Command::new(PROGRAM).args(arguments).current_dir(folder.path()).output().unwrap();
        (output.status.code(), String::from_utf8_lossy(&output.stderr).into_owned())
    };
    let (code, text) = run(&["score", "cases.jsonl"]);
    assert!(code == Some(1) && text.contains("belongs to another user"), "{text}");
    assert!(text.contains("--config ./probare.yaml"), "{text}");
    assert_eq!(run(&["score", "cases.jsonl", "--config", "./probare.yaml", "-o", "out.jsonl"]).0, Some(0));
    assert_eq!(run(&["score", "cases.jsonl", "-m", "token_f1", "-o", "out.jsonl"]).0, Some(1));
}

/// The value of a constant such as `256 << 20`, `16 * 1024 * 1024` or `4_000_000`.
fn constant(file: &Path, name: &str) -> u64 {
    let text = fs::read_to_string(file).unwrap();
    let line = text.lines().find(|line| line.contains(&format!("const {name}:"))).unwrap_or_default();
    let value = line.split('=').nth(1).unwrap_or_default().trim_end_matches(';').replace('_', "");
    let number = |text: &str| text.trim().parse::<u64>().unwrap_or_else(|_| panic!("{}: {line}", file.display()));
    match value.split_once("<<") {
        Some((value, by)) => number(value) << number(by),
        None => value.split('*').map(number).product(),
    }
}

#[test]
fn the_limits_in_security_md_are_those_of_the_code() {
    let text = fs::read_to_string(root().join("SECURITY.md")).unwrap();
    let rows = text
        .lines()
        .skip_while(|line| !line.starts_with("| what | limit "))
        .skip(2)
        .take_while(|line| line.starts_with('|'));
    let mut checked = 0;
    for row in rows {
        let cells: Vec<&str> = row.split('|').map(str::trim).collect();
        let (number, unit) = cells[2].split_once(' ').unwrap_or((cells[2], ""));
        let unit = match unit {
            "KiB" => 1 << 10,
            "MiB" => 1 << 20,
            "GiB" => 1 << 30,
            _ => 1,
        };
        let [_, file, _, name, _] = cells[3].split('`').collect::<Vec<_>>()[..] else { panic!("{row}") };
        assert_eq!(number.replace(',', "").parse::<u64>().unwrap() * unit, constant(&root().join(file), name), "{row}");
        checked += 1;
    }
    assert!(checked >= 20, "only {checked} limits were found");
}
