//! The map of the house: which crate may depend on which, and what every file owes its reader.

use std::fs;
use std::path::{Path, PathBuf};

/// Allowed edges between our crates, for code that ships. A new one is a design question: see `docs/design/`.
const EDGES: &[(&str, &[&str])] = &[
    ("cancellation", &[]),
    ("core", &["cancellation"]),
    ("text", &["cancellation"]),
    ("stats", &[]),
    ("english", &["cancellation", "text"]),
    ("english-train", &["english", "stats"]),
    ("promptfoo", &["cancellation", "text"]),
    ("json-schema", &["cancellation"]),
    ("metrics", &["cancellation", "core", "text", "english", "json-schema", "promptfoo", "stats"]),
    ("files", &["core"]),
    ("formats", &["cancellation", "core", "files", "report"]),
    ("minilm", &["cancellation", "core", "files"]),
    ("models", &["cancellation", "core", "files", "minilm"]),
    ("retrieval", &["cancellation", "core", "files", "text", "models", "formats"]),
    ("report", &["cancellation", "core", "stats"]),
    ("sandbox", &["core", "files"]),
    ("store", &["cancellation", "core", "files", "models", "report", "retrieval"]),
    (
        "engine",
        &[
            "cancellation",
            "core",
            "files",
            "formats",
            "metrics",
            "models",
            "report",
            "retrieval",
            "sandbox",
            "stats",
            "store",
        ],
    ),
    (
        "benchmarks",
        &["cancellation", "core", "text", "english", "stats", "metrics", "formats", "models", "report", "engine"],
    ),
    (
        "analysis",
        &[
            "cancellation",
            "core",
            "files",
            "formats",
            "metrics",
            "models",
            "promptfoo",
            "report",
            "stats",
            "store",
            "engine",
        ],
    ),
    (
        "server",
        &[
            "cancellation",
            "core",
            "formats",
            "metrics",
            "models",
            "report",
            "retrieval",
            "store",
            "engine",
            "analysis",
            "benchmarks",
            "text",
        ],
    ),
    (
        "cli",
        &[
            "cancellation",
            "core",
            "files",
            "text",
            "english",
            "stats",
            "metrics",
            "models",
            "formats",
            "report",
            "retrieval",
            "sandbox",
            "benchmarks",
            "store",
            "engine",
            "analysis",
            "server",
        ],
    ),
    ("probare", &["core", "formats", "report", "benchmarks", "engine", "analysis"]),
    ("python", &["cli", "core", "models", "formats", "report", "engine", "analysis", "benchmarks"]),
    ("testing", &[]),
    (
        "bench",
        &[
            "core",
            "text",
            "english",
            "stats",
            "metrics",
            "models",
            "formats",
            "report",
            "retrieval",
            "sandbox",
            "benchmarks",
            "engine",
        ],
    ),
];

/// Crates that are no part of the program.
const NOT_THE_PROGRAM: [&str; 3] = ["bench", "english-train", "testing"];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Names of our crates in the `[dependencies]` part of a manifest.
fn dependencies(manifest: &str) -> Vec<String> {
    let mut inside = false;
    let mut found = Vec::new();
    for line in manifest.lines() {
        if line.starts_with('[') {
            inside = line.trim() == "[dependencies]";
        } else if inside && line.starts_with("probare.") {
            found.push("probare".to_owned());
        } else if inside && let Some(rest) = line.strip_prefix("probare-") {
            let name: String =
                rest.chars().take_while(|letter| letter.is_ascii_lowercase() || *letter == '-').collect();
            found.push(name);
        }
    }
    found
}

#[test]
fn arrows_between_crates_point_one_way() {
    for entry in fs::read_dir(root().join("crates")).unwrap() {
        let folder = entry.unwrap().path();
        let name = folder.file_name().unwrap().to_string_lossy().into_owned();
        let manifest = fs::read_to_string(folder.join("Cargo.toml")).unwrap();
        let (_, allowed) = EDGES
            .iter()
            .find(|(known, _)| *known == name)
            .unwrap_or_else(|| panic!("crate `{name}` is not on the map in this test"));
        for dependency in dependencies(&manifest) {
            assert!(allowed.contains(&dependency.as_str()), "`{name}` may not depend on `{dependency}`");
        }
    }
}

fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            if !path.ends_with("target") {
                sources(&path, found);
            }
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push(path);
        }
    }
}

#[test]
fn every_file_says_what_it_is_for() {
    let mut files = Vec::new();
    for folder in ["crates", "xtask"] {
        sources(&root().join(folder), &mut files);
    }
    assert!(files.len() > 50, "the search found only {} files", files.len());
    for file in files {
        let text = fs::read_to_string(&file).unwrap();
        assert!(text.starts_with("//!"), "{} does not open with `//!`", file.display());
    }
}

/// What a thread has beside it is nobody's argument: there are two such places, and CONTRIBUTING.md says why.
#[test]
fn nothing_but_cancellation_and_known_words_stand_beside_a_thread() {
    let mut files = Vec::new();
    sources(&root().join("crates"), &mut files);
    let word = concat!("thread_", "local!");
    let holds =
        |file: &PathBuf| fs::read_to_string(file).unwrap().lines().any(|line| line.trim_start().starts_with(word));
    files.retain(holds);
    files.sort();
    assert_eq!(
        files,
        ["cancellation/src/lib.rs", "text/src/wordnet/recent.rs"].map(|file| root().join("crates").join(file))
    );
}

/// Programs are started in one place: `crates/files/src/program.rs`. The other file starts the program that the user names as a
/// model, in the user's own folder and environment.
#[test]
fn programs_are_started_in_one_place() {
    let mut starting = Vec::new();
    for entry in fs::read_dir(root().join("crates")).unwrap() {
        let krate = entry.unwrap().path();
        if NOT_THE_PROGRAM.iter().any(|name| krate.ends_with(name)) || !krate.join("src").is_dir() {
            continue;
        }
        let mut files = Vec::new();
        sources(&krate.join("src"), &mut files);
        for file in files {
            let text = fs::read_to_string(&file).unwrap();
            let code = text.split("#[cfg(test)]").next().unwrap();
            // `clap` has a type of this name, and starts nothing.
            let is_clap =
                code.contains("use clap::{Command") || code.contains("use clap::Command") || code.contains(", Command");
            let starts = code.contains("process::Command::new(")
                || (code.contains("Command::new(") && code.contains("std::process::") && !is_clap);
            if starts {
                starting.push(file.strip_prefix(root()).unwrap().display().to_string());
            }
        }
    }
    starting.sort();
    assert_eq!(starting, ["crates/files/src/program.rs", "crates/models/src/dialects/command.rs"]);
}

/// Files that open others by the standard library's own means, with what they open. Everything that may come from somebody else
/// is opened by `probare_files::open_plain`, which refuses a pipe, or by `probare_cancellation::open_to_read`, whose wait a signal
/// ends.
const OPENING: [(&str, &str); 11] = [
    ("crates/analysis/src/viewer/comparison.rs", "a page that was just written into a folder of our own"),
    ("crates/cancellation/src/interruptible_stream.rs", "the place itself"),
    ("crates/formats/src/open.rs", "a second reader of a file that was found to be a plain one"),
    ("crates/models/src/dialects/golden.rs", "a test's own file"),
    ("crates/models/src/http.rs", "certificates that the environment names"),
    ("crates/models/src/images.rs", "opened without waiting, part by part"),
    ("crates/report/src/output/mod.rs", "a folder, to sync it"),
    ("crates/retrieval/src/index/folder.rs", "a folder, to sync it"),
    ("crates/sandbox/src/cgroup.rs", "files of the kernel"),
    ("crates/sandbox/src/process_tree.rs", "files of the kernel"),
    ("crates/text/src/wordnet/build/files.rs", "part of building the tables, not of the program"),
];

#[test]
fn files_of_others_are_opened_without_waiting() {
    let mut opening = Vec::new();
    for entry in fs::read_dir(root().join("crates")).unwrap() {
        let krate = entry.unwrap().path();
        if NOT_THE_PROGRAM.iter().any(|name| krate.ends_with(name)) || !krate.join("src").is_dir() {
            continue;
        }
        let mut files = Vec::new();
        sources(&krate.join("src"), &mut files);
        for file in files {
            let text = fs::read_to_string(&file).unwrap();
            let code = text.split("#[cfg(test)]").next().unwrap().split("#[cfg(all(test").next().unwrap();
            let calls = ["File::open(", "fs::read(", "fs::read_to_string(", ".read(true).open("];
            // A type whose name ends so is another one.
            let has = |line: &str, call: &str| {
                line.match_indices(call).any(|(at, _)| !line[..at].ends_with(|before: char| before.is_alphanumeric()))
            };
            let is_call = |line: &str| !line.trim_start().starts_with("//") && calls.iter().any(|call| has(line, call));
            if code.lines().any(is_call) {
                opening.push(file.strip_prefix(root()).unwrap().display().to_string());
            }
        }
    }
    opening.sort();
    let allowed: Vec<&str> = OPENING.iter().map(|(file, _)| *file).collect();
    assert_eq!(opening, allowed);
}
