//! Retired words stay retired: whole phrases and identifiers that have a better name do not come back in help, docs, messages,
//! pages or Python. Single everyday words are not looked for.
//!
//! A line that says "0.3" may name what that release called something. Prompts of judges keep their words, since recorded replies
//! are found by them.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::documents::documents;

use crate::program::root;

/// What nobody should read any more, and what stands there instead.
const PHRASES: [(&str, &str); 42] = [
    ("borne out", "supported"),
    ("bear out", "support"),
    ("bears out", "supports"),
    ("bear it out", "support it"),
    ("bears it out", "supports it"),
    ("the desk", "the viewer"),
    ("kept apart", "held out, or: separate"),
    ("kept half", "held-out half"),
    ("tried on", "developed on"),
    ("a hand that had not seen", "an annotator blind to"),
    ("least detectable difference", "minimum detectable effect"),
    ("by chance", "at random"),
    ("record of replies", "response cache"),
    ("from the record", "from the response cache"),
    ("gate missed", "gate failed"),
    ("gates missed", "gates failed"),
    ("missed gate", "failed gate"),
    ("missed gates", "failed gates"),
    ("the mean is so", "the condition holds"),
    ("passed over", "skipped"),
    ("nobody else is sent", "all requests stop"),
    ("come to nothing", "fail"),
    ("comes to nothing", "fails"),
    ("came to nothing", "failed"),
    ("orders in the judged text", "prompt injection"),
    ("hang together", "are not independent"),
    ("hangs together", "is not independent"),
    ("careful reading", "improved definition"),
    ("careful readings", "improved metrics"),
    ("careful profile", "improved profile"),
    ("reference profile", "published profile"),
    ("published reading", "published definition"),
    ("where it speaks", "where it decides"),
    ("where they speak", "where they decide"),
    ("held against", "compared with"),
    ("the other reading", "the other profile"),
    ("careful definition", "improved definition"),
    ("orders, guarantees", "violations of the three checks"),
    ("orders, guarantees and departures", "violations of the three checks"),
    ("half of the doubt", "half of α"),
    ("of a suite", "of a benchmark"),
    ("stands there twice", "occurs twice"),
];

/// Names of release 0.3 in what a user writes or reads.
const IDENTIFIERS: [(&str, &str); 18] = [
    ("--bands", "--decision-thresholds"),
    ("--confident", "--significant"),
    ("--each-group", "--per-group"),
    ("--record", "--cache"),
    ("--sep", "--delimiter"),
    ("--longest-row", "--max-row-size"),
    ("PROBARE_BANDS", "PROBARE_DECISION_THRESHOLDS"),
    ("PROBARE_CONFIDENT", "PROBARE_SIGNIFICANT"),
    ("PROBARE_EACH_GROUP", "PROBARE_PER_GROUP"),
    ("PROBARE_RECORD", "PROBARE_CACHE"),
    ("PROBARE_SEP", "PROBARE_DELIMITER"),
    ("PROBARE_LONGEST_ROW", "PROBARE_MAX_ROW_SIZE"),
    ("each_group", "per_group"),
    ("run.record", "run.cache"),
    ("replies.db", "cache.db"),
    ("`careful`", "`improved`"),
    ("by: reading", "decided_by: rule"),
    ("\"kind\":\"found\"", "\"kind\":\"matched\""),
];

/// Files whose words are not the reader's: old names and their new ones, and prompts by whose text recorded replies are found.
const EXCEPTIONS: [&str; 5] =
    ["old_names.rs", "format_3.rs", "earlier_formats.rs", "metrics/src/cascade.rs", "judges/judge_claims.rs"];

/// Whether the words stand in the line as whole words, in any case of letters.
fn has_words(line: &str, words: &str) -> bool {
    let (line, words) = (line.to_lowercase(), words.to_lowercase());
    let is_inner = |character: Option<char>| character.is_some_and(char::is_alphanumeric);
    line.match_indices(&words).any(|(at, _)| {
        let behind = line[at + words.len()..].chars().next();
        !is_inner(line[..at].chars().next_back()) && !is_inner(behind) && !matches!(behind, Some('-' | '_'))
    })
}

/// Names every retired word of a text.
fn search(name: &str, text: &str, retired: &[(&str, &str)], found: &mut Vec<String>) {
    for (number, line) in text.lines().enumerate().filter(|(_, line)| !line.contains("0.3")) {
        for (old, new) in retired.iter().filter(|(old, _)| has_words(line, old)) {
            found.push(format!("{name}, line {}: `{old}` is `{new}` now: {}", number + 1, line.trim()));
        }
    }
}

/// Files below a folder with one of these extensions.
fn files(folder: &Path, extensions: &[&str], found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let extension = path.extension().and_then(|extension| extension.to_str()).unwrap_or_default();
        if path.is_dir() {
            files(&path, extensions, found);
        } else if extensions.contains(&extension) {
            found.push(path);
        }
    }
}

/// The string literals of a program, line by line; comments and tests have none of a user's words.
fn literals(program: &str) -> String {
    let code = program.split("#[cfg(test)]").next().unwrap_or_default();
    let mut inside = false;
    let mut text = String::new();
    for line in code.lines() {
        if inside || !line.trim_start().starts_with("//") {
            let mut previous = ' ';
            for character in line.chars() {
                if character == '"' && previous != '\\' && (inside || previous != '\'') {
                    inside = !inside;
                    text.push(' ');
                } else if inside {
                    // The letter of `\n` and its like is not one of the word behind it.
                    let is_escape = character == '\\' || (previous == '\\' && character.is_ascii_lowercase());
                    text.push(if is_escape { ' ' } else { character });
                }
                previous = character;
            }
        }
        text.push('\n');
    }
    text
}

#[test]
fn retired_words_do_not_come_back() {
    let all: Vec<(&str, &str)> = PHRASES.into_iter().chain(IDENTIFIERS).collect();
    let (mut wrong, mut searched) = (Vec::new(), 0);
    let help = tempfile::tempdir().unwrap();
    let made =
        Command::new(env!("CARGO_BIN_EXE_probare")).args(["man", "--markdown"]).arg(help.path()).output().unwrap();
    assert!(made.status.success());
    let mut pages =
        ["README.md", "SECURITY.md", "ARCHITECTURE.md", "CONTRIBUTING.md"].map(|name| root().join(name)).to_vec();
    for folder in [
        help.path().to_owned(),
        root().join("docs"),
        root().join("crates/metrics/src"),
        root().join("crates/benchmarks/src"),
    ] {
        documents(&folder, &mut pages);
    }
    // Decisions are told in the words of their time.
    pages.retain(|page| !page.components().any(|part| part.as_os_str() == "design"));
    for folder in ["crates/server/src/view", "crates/report/src/html"] {
        files(&root().join(folder), &["js", "html", "css"], &mut pages);
    }
    files(&root().join("crates/python/python/probare"), &["py"], &mut pages);
    for page in pages {
        searched += 1;
        search(&page.display().to_string(), &fs::read_to_string(&page).unwrap(), &all, &mut wrong);
    }
    let mut programs = Vec::new();
    for name in [
        "analysis",
        "benchmarks",
        "cli",
        "core",
        "engine",
        "files",
        "formats",
        "metrics",
        "models",
        "python",
        "report",
        "retrieval",
        "sandbox",
        "server",
        "store",
    ] {
        files(&root().join("crates").join(name).join("src"), &["rs"], &mut programs);
    }
    programs.retain(|path| !EXCEPTIONS.iter().any(|exception| path.ends_with(exception)));
    for program in programs {
        searched += 1;
        search(&program.display().to_string(), &literals(&fs::read_to_string(&program).unwrap()), &PHRASES, &mut wrong);
    }
    assert!(searched > 500, "only {searched} files were searched");
    assert!(wrong.is_empty(), "{} retired words:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn whole_words_are_found_and_parts_of_words_are_not() {
    assert!(has_words("Claims are Borne out.", "borne out") && has_words("use `--sep ;`", "--sep"));
    assert!(
        !has_words("--separate", "--sep")
            && !has_words("stand apart", "kept apart")
            && !has_words("--record-x", "--record")
    );
    assert_eq!(
        literals("let a = \"by chance\"; // \"no\"\n// \"comment\"\nx('\"');").lines().next(),
        Some(" by chance  no ")
    );
    assert!(has_words(&literals("print(\"\\nBy chance:\\n\");"), "by chance"));
}
