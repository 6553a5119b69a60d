//! Links that somebody planted where a command writes: none is followed, whatever the file.
//!
//! Which files a command makes is not written down here: each runs once in a fresh folder, and whatever appears there is
//! tried, one at a time, as a link to a file that is precious and as a link to nothing yet. What comes and goes while
//! a command runs (locks, journals, the next generation of an index) is added by name.

#![cfg(unix)]

use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use probare_core::Sha256;

use crate::program::PROGRAM;

fn examples() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples").canonicalize().unwrap()
}

/// A command, and what comes and goes while it runs.
struct WritingCommand {
    arguments: Vec<String>,
    passing: Vec<String>,
}

/// Words with `EX` for the folder of the examples.
fn writing(words: &str) -> WritingCommand {
    let arguments =
        words.split_whitespace().map(|word| word.replace("EX", examples().to_str().unwrap())).collect::<Vec<_>>();
    WritingCommand { arguments, passing: Vec::new() }
}

impl WritingCommand {
    /// Files that are gone when the command ends.
    fn passing(mut self, names: &[&str]) -> Self {
        self.passing = names.iter().map(|name| (*name).to_owned()).collect();
        self
    }

    /// What `SQLite` writes beside a file.
    fn beside(self, database: &str) -> Self {
        let names = ["-wal", "-shm", "-journal"].map(|end| format!("{database}{end}"));
        self.passing(&names.each_ref().map(String::as_str))
    }

    fn run(&self, folder: &Path) -> Output {
        let mut command = Command::new(PROGRAM);
        command.args(&self.arguments).current_dir(folder).stdin(Stdio::null());
        for name in ["PROBARE_RECORD", "PROBARE_STORE", "PROBARE_CONFIG", "PROBARE_MODELS"] {
            command.env_remove(name);
        }
        command.env("XDG_CONFIG_HOME", folder.join("home")).env("XDG_CACHE_HOME", folder.join("home"));
        command.output().unwrap()
    }
}

/// The lock of a report.
fn lock(name: &str) -> String {
    format!(".probare-{:.16}.lock", Sha256::hex_digest(name))
}

/// What commands read that others made.
fn prepare(folder: &Path) {
    let row = |number: u32| format!("{{\"id\":\"{number}\",\"response\":\"a b\",\"reference\":\"a\"}}\n");
    fs::write(folder.join("in.jsonl"), (0..3).map(row).collect::<String>()).unwrap();
    fs::write(folder.join("p.yaml"), "datasets:\n  - path: in.jsonl\nmetrics:\n  - token_f1\n").unwrap();
    let judge = "#!/bin/sh\ncat >/dev/null\necho '{\"text\": \"no verdict\"}'\n";
    fs::write(folder.join("judge.sh"), judge).unwrap();
    let runnable = fs::Permissions::from_mode(0o755);
    fs::set_permissions(folder.join("judge.sh"), runnable).unwrap();
    fs::create_dir(folder.join("corpus")).unwrap();
    fs::write(folder.join("corpus/a.txt"), "The ferry leaves at six.").unwrap();
    for made in ["score in.jsonl -m token_f1 -q -o old.jsonl", "run p.yaml -q --store made.db"] {
        let output = writing(made).run(folder);
        assert!(output.status.success(), "{made}: {}", String::from_utf8_lossy(&output.stderr));
    }
}

fn files(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() && !path.is_symlink() {
            found.extend(files(&path));
        } else {
            found.push(path);
        }
    }
    found.sort();
    found
}

fn commands() -> Vec<WritingCommand> {
    let score = "score in.jsonl -m token_f1 -q -o r.jsonl -o r.json -o r.csv -o r.parquet -o r.md -o r.xml -o r.html \
                 -o z.jsonl.gz -o z.csv.zst";
    let lock = lock("r.jsonl");
    vec![
        writing(score).passing(&[&lock, "r.jsonl.partial", "r.html.partial"]),
        writing("run p.yaml -q").beside(".probare/store.db"),
        writing("score in.jsonl -m judge_rubric --judge command:./judge.sh --record own.db -q -o j.jsonl")
            .beside("own.db"),
        writing("rag index corpus -o index --no-vectors -q").passing(&[
            "index/CURRENT.new",
            "index/LOCK",
            "index/building-1",
            "index/generation-1",
        ]),
        writing("init"),
        writing("init --force new"),
        writing("export old.jsonl --to promptfoo -o out.json"),
        writing("export old.jsonl --to inspect -o out.json"),
        writing("export 1 --store made.db --to every-eval-ever -o out.json"),
        writing("import promptfoo.json -o cases.jsonl --results theirs.jsonl --results theirs.html -q"),
        writing("runs export 1 --store made.db -o e.jsonl --outputs outputs.jsonl --labels labels.jsonl"),
        writing("compare old.jsonl old.jsonl -o c.md -o c.html -o c.json -q"),
        writing("man pages"),
        writing("man --markdown pages"),
        writing("models record import EX/judged/replies.jsonl --record own.db").beside("own.db"),
        writing("models record export replies.jsonl --record own.db"),
        writing("rag eval --conv EX/rag/conversation.json --ctx EX/rag/context.json --out eval.json -q"),
        writing("synthesis --cases EX/synthesis/cases.jsonl --out care.json -q"),
        writing("socioscope EX/socioscope/questions.json EX/socioscope/corpus.json --out results --timestamp now -q"),
        writing("synthlink --catalog EX/synthlink --predictions EX/synthlink/system_a.json --output-dir deep -q"),
        writing("quotes EX/quotes/quotes.csv EX/quotes/texts -q -o q.csv"),
    ]
}

#[test]
fn no_planted_link_is_followed_wherever_a_command_writes() {
    let place = tempfile::tempdir().unwrap();
    let fresh = |name: &str| {
        let folder = place.path().join(name);
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir(&folder).unwrap();
        for from in files(&place.path().join("prepared")) {
            let to = folder.join(from.strip_prefix(place.path().join("prepared")).unwrap());
            fs::create_dir_all(to.parent().unwrap()).unwrap();
            fs::copy(from, to).unwrap();
        }
        folder
    };
    fs::create_dir(place.path().join("prepared")).unwrap();
    prepare(&place.path().join("prepared"));
    let foreign = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/hostile/promptfoo.json");
    fs::copy(foreign, place.path().join("prepared/promptfoo.json")).unwrap();
    let own = writing("score in.jsonl -m judge_rubric --judge command:./judge.sh --record own.db -q -o j.jsonl");
    let (victim, unborn) = (place.path().join("victim"), place.path().join("unborn"));
    let mut tried = 0;
    for writing in commands() {
        let words = writing.arguments.join(" ");
        let needs_record = words.starts_with("models record export");
        let folder = fresh("clean");
        if needs_record {
            own.run(&folder);
        }
        let before = files(&folder);
        let output = writing.run(&folder);
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(matches!(output.status.code(), Some(0..=2)), "{words}: {said}");
        let made = files(&folder).into_iter().filter(|path| !before.contains(path));
        let mut names: Vec<String> =
            made.map(|path| path.strip_prefix(&folder).unwrap().display().to_string()).collect();
        assert!(!names.is_empty(), "{words} makes no file: {said}");
        // What is inside of a generation lies in a folder that the build makes itself.
        names.retain(|name| !name.contains("generation-"));
        if words.starts_with("man ") {
            // A page for each verb, all written by one line.
            names.truncate(4);
        }
        names.extend(writing.passing.iter().cloned());
        names.sort();
        names.dedup();
        for name in &names {
            for target in [&victim, &unborn] {
                let folder = fresh("planted");
                if needs_record {
                    own.run(&folder);
                }
                fs::write(&victim, "precious").unwrap();
                let link = folder.join(name);
                fs::create_dir_all(link.parent().unwrap()).unwrap();
                let _ = fs::remove_file(&link);
                symlink(target, &link).unwrap();
                let output = writing.run(&folder);
                let said = String::from_utf8_lossy(&output.stderr).into_owned();
                assert_eq!(fs::read_to_string(&victim).unwrap(), "precious", "{words}: {name}: {said}");
                assert!(!unborn.exists(), "{words}: {name} made what the link names: {said}");
                assert!(output.status.code().is_some(), "{words}: {name}: {said}");
                if !writing.passing.contains(name) && said.contains("is a link") {
                    assert_ne!(output.status.code(), Some(0), "{words}: {name}: {said}");
                }
                tried += 1;
            }
        }
        println!("{words}: {}", names.join(" "));
    }
    assert!(tried > 120, "only {tried} links were planted");
}

#[test]
fn a_link_in_shared_memory_is_a_link_like_any_other() {
    let shared = Path::new("/dev/shm");
    if !shared.is_dir() {
        probare_testing::report_skipped("there is no /dev/shm");
        return;
    }
    let Ok(theirs) = tempfile::tempdir_in(shared) else {
        probare_testing::report_skipped("nothing may be written in /dev/shm");
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    prepare(folder.path());
    let (victim, link) = (folder.path().join("victim"), theirs.path().join("r.jsonl"));
    fs::write(&victim, "precious").unwrap();
    symlink(&victim, &link).unwrap();
    let output = writing(&format!("score in.jsonl -m token_f1 -q -o {}", link.display())).run(folder.path());
    assert_eq!(fs::read_to_string(&victim).unwrap(), "precious");
    assert_eq!(output.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&output.stderr).contains("it is a link"));
}
