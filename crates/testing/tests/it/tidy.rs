//! The map of the house: which crate may depend on which, and what every file owes its reader.

use std::fs;
use std::path::{Path, PathBuf};

/// Allowed edges between our crates, for code that ships. A new one is a design question: see `docs/design/`.
const EDGES: &[(&str, &[&str])] = &[
    ("cancellation", &[]),
    ("core", &["cancellation"]),
    ("text", &["cancellation"]),
    ("stats", &[]),
    ("nlp", &["cancellation", "text"]),
    ("metrics", &["cancellation", "core", "text", "nlp", "stats"]),
    ("cases", &["cancellation", "core"]),
    ("models", &["cancellation", "core"]),
    ("retrieval", &["cancellation", "core", "text", "models", "cases"]),
    ("report", &["cancellation", "core", "stats"]),
    ("sandbox", &["core"]),
    ("suites", &["core", "text", "nlp", "stats", "metrics", "cases", "report"]),
    (
        "runner",
        &["cancellation", "core", "cases", "metrics", "models", "report", "retrieval", "sandbox", "stats", "suites"],
    ),
    (
        "server",
        &["cancellation", "core", "cases", "metrics", "models", "report", "retrieval", "runner", "suites", "text"],
    ),
    (
        "cli",
        &[
            "cancellation",
            "core",
            "text",
            "nlp",
            "stats",
            "metrics",
            "models",
            "cases",
            "report",
            "retrieval",
            "sandbox",
            "suites",
            "runner",
            "server",
        ],
    ),
    ("probare", &["core", "metrics", "cases", "report", "suites", "runner"]),
    ("python", &["cli", "core", "metrics", "models", "cases", "report", "runner"]),
    ("testing", &[]),
    (
        "bench",
        &[
            "core",
            "text",
            "nlp",
            "stats",
            "metrics",
            "models",
            "cases",
            "report",
            "retrieval",
            "sandbox",
            "suites",
            "runner",
        ],
    ),
];

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
            let name: String = rest.chars().take_while(char::is_ascii_lowercase).collect();
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

/// What a thread has beside it is nobody's argument: there is one such place, and CONTRIBUTING.md says why.
#[test]
fn nothing_but_cancellation_stands_beside_a_thread() {
    let mut files = Vec::new();
    sources(&root().join("crates"), &mut files);
    let word = concat!("thread_", "local!");
    let holds =
        |file: &PathBuf| fs::read_to_string(file).unwrap().lines().any(|line| line.trim_start().starts_with(word));
    files.retain(holds);
    assert_eq!(files, [root().join("crates/cancellation/src/lib.rs")]);
}
