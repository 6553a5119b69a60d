//! What the documents say is so: every metric that a page points to exists, every command is one, and those that use the
//! examples run.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use crate::program::{PROGRAM, root};

pub(crate) fn documents(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            documents(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "md") {
            found.push(path);
        }
    }
}

fn metrics() -> Vec<serde_json::Value> {
    let listed = Command::new(PROGRAM).args(["list", "--json"]).output().unwrap();
    serde_json::from_slice::<serde_json::Value>(&listed.stdout).unwrap().as_array().unwrap().clone()
}

fn ids() -> BTreeSet<String> {
    metrics().iter().map(|metric| metric["id"].as_str().unwrap().to_owned()).collect()
}

/// Words in backticks that could be the name of a metric.
fn names(text: &str) -> Vec<String> {
    let is_name = |word: &&str| {
        word.starts_with(|c: char| c.is_ascii_lowercase())
            && word.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_')
    };
    text.split('`').skip(1).step_by(2).filter(is_name).map(str::to_owned).collect()
}

#[test]
fn pages_point_only_to_metrics_that_exist() {
    let ids = ids();
    // What stands in backticks there without being a metric: fields, profiles, other programs' words.
    let others = [
        "reference",
        "improved",
        "context",
        "query",
        "response",
        "citations",
        "sources_verified",
        "contains_all",
        "supported",
        "unsure",
    ];
    let mut pages = Vec::new();
    for folder in ["crates/metrics/src", "crates/benchmarks/src"] {
        documents(&root().join(folder), &mut pages);
    }
    let mut checked = 0;
    for page in pages {
        let text = fs::read_to_string(&page).unwrap();
        let options = text.split("\n## ").filter(|section| section.starts_with("Options"));
        let own: BTreeSet<String> = options.flat_map(names).collect();
        for section in text.split("\n## ").filter(|section| section.starts_with("When ")) {
            for name in names(section).into_iter().filter(|name| !own.contains(name)) {
                checked += 1;
                assert!(
                    ids.contains(&name) || others.contains(&name.as_str()),
                    "{} points to `{name}`, which is no metric",
                    page.display()
                );
            }
        }
    }
    assert!(checked > 20, "only {checked} names were found");
}

#[test]
fn every_configuration_in_the_documents_is_valid() {
    let schema = Command::new(PROGRAM).args(["schema", "config"]).output().unwrap();
    let schema: serde_json::Value = serde_json::from_slice(&schema.stdout).unwrap();
    let known = schema["properties"].as_object().unwrap();
    let mut pages = Vec::new();
    documents(&root().join("docs"), &mut pages);
    let mut checked = 0;
    // The benchmark of that page has a configuration of its own.
    for page in pages.iter().filter(|page| !page.ends_with("suites/sgi.md")) {
        let text = fs::read_to_string(page).unwrap();
        for block in text.split("```yaml\n").skip(1).filter_map(|rest| rest.split("```").next()) {
            let lines = block.lines().filter(|line| line.starts_with(|first: char| first.is_ascii_lowercase()));
            let keys: Vec<&str> = lines.filter_map(|line| Some(line.split_once(':')?.0)).collect();
            // Others are a part of one, or a file of something else.
            if keys.is_empty() || !keys.iter().all(|key| known.contains_key(*key)) {
                continue;
            }
            checked += 1;
            if let Err(error) = probare_engine::Config::parse(block, "probare.yaml") {
                panic!("{}: {error}\n{block}", page.display());
            }
        }
    }
    assert!(checked >= 15, "{checked}");
}

/// The command lines in the code blocks of a document, without what a shell makes of them.
fn commands(text: &str) -> Vec<String> {
    let mut inside = false;
    let mut found = Vec::new();
    for line in text.lines() {
        if let Some(kind) = line.trim_start().strip_prefix("```") {
            inside = !inside && !["toml", "rust"].contains(&kind);
        } else if inside && let Some(at) = line.find("probare ") {
            let before = line[..at].trim();
            if before.is_empty() || before == "$" || before.ends_with("--") || before.ends_with("&&") {
                found.push(line[at..].to_owned());
            }
        }
    }
    found
}

/// Words of a command line as a shell would cut them, up to a comment, a pipe or a redirection.
fn words(line: &str) -> Vec<String> {
    let (mut words, mut word, mut quote, mut is_word) = (Vec::new(), String::new(), None, false);
    for character in line.chars() {
        match (quote, character) {
            (Some(open), close) if open == close => quote = None,
            (Some(_), other) => word.push(other),
            (None, '"' | '\'') => {
                quote = Some(character);
                is_word = true;
            }
            (None, ' ') => {
                if is_word {
                    words.push(std::mem::take(&mut word));
                }
                is_word = false;
            }
            (None, '#' | '|' | '>' | '<' | '\\' | ';' | '&') if !is_word => return words,
            (None, other) => {
                word.push(other);
                is_word = true;
            }
        }
    }
    if is_word {
        words.push(word);
    }
    words
}

fn help(verbs: &[&str]) -> Option<String> {
    let output = Command::new(PROGRAM).args(verbs).arg("--help").output().unwrap();
    output.status.success().then(|| String::from_utf8_lossy(&output.stdout).into_owned())
}

#[test]
fn every_command_in_the_documents_is_one() {
    let mut pages = vec![root().join("README.md"), root().join("CONTRIBUTING.md")];
    documents(&root().join("docs"), &mut pages);
    let ids = ids();
    let mut checked = 0;
    for page in pages {
        let text = fs::read_to_string(&page).unwrap();
        for line in commands(&text) {
            let words = words(&line);
            let verbs: Vec<&str> =
                words[1..].iter().map(String::as_str).take(1).filter(|verb| !verb.starts_with('-')).collect();
            let Some(mut help_text) = help(&verbs) else { panic!("{}: `{line}` has no such verb", page.display()) };
            // A command of a verb has a help of its own.
            if let Some(second) = words.get(2)
                && help_text.contains("Commands:")
                && let Some(inner) = help(&[verbs[0], second])
            {
                help_text.push_str(&inner);
            }
            for (at, word) in words.iter().enumerate() {
                let flag = word.split('=').next().unwrap_or(word);
                if flag.starts_with("--") && flag.len() > 2 {
                    assert!(help_text.contains(flag), "{}: `{line}`: no flag {flag}", page.display());
                }
                // A judge is calibrated by the name that its metric has in the configuration.
                if matches!(flag, "-m" | "--metric")
                    && verbs != ["judge"]
                    && let Some(asked) = words.get(at + 1)
                {
                    let head = asked.split(':').next().unwrap();
                    let id = head.split('=').next_back().unwrap();
                    // A metric of one's own is named by its file.
                    let is_own = Path::new(id).extension().is_some_and(|extension| extension == "py");
                    assert!(is_own || ids.contains(id), "{}: `{line}`: no metric {id}", page.display());
                }
            }
            checked += 1;
        }
    }
    assert!(checked > 20, "only {checked} commands were found");
}

/// A folder with what a clone has for those who try it.
fn examples() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir(folder.path().join("tests")).unwrap();
    for (from, to) in [("examples", ""), ("tests/foreign", "tests")] {
        let copied = Command::new("cp").arg("-r").arg(root().join(from)).arg(folder.path().join(to)).status().unwrap();
        assert!(copied.success());
    }
    folder
}

/// Types a line; nothing where it says that it needs the embedding model, which is not on every machine.
fn tried(folder: &Path, line: &str) -> Option<Output> {
    let mut command = Command::new(PROGRAM);
    command.current_dir(folder).args(&words(line)[1..]);
    if std::env::var_os("PROBARE_MODELS").is_none() && root().join("target/models").is_dir() {
        command.env("PROBARE_MODELS", root().join("target/models").canonicalize().unwrap());
    }
    let output = command.output().unwrap();
    // A metric that cannot be had is refused; a benchmark leaves the subtask out, which is no success.
    let is_refused = matches!(output.status.code(), Some(1 | 64));
    if is_refused && String::from_utf8_lossy(&output.stderr).contains("probare models pull") {
        probare_testing::report_skipped(&format!("all-MiniLM-L6-v2 is not on this machine: `{line}`"));
        return None;
    }
    Some(output)
}

/// Types the commands of a page one after the other, in a folder as a clone has it.
fn run_in_order(page: &str, least: usize) {
    let folder = examples();
    let text = fs::read_to_string(root().join(page)).unwrap();
    let mut ran = 0;
    for line in commands(&text) {
        let words = words(&line);
        // These go on until somebody ends them; other tests look at them.
        if matches!(words[1].as_str(), "serve" | "view") {
            continue;
        }
        let Some(output) = tried(folder.path(), &line) else { continue };
        let said = String::from_utf8_lossy(&output.stderr);
        let wanted = if line.contains("exit code 2") || line.contains("--fail-under") { 2 } else { 0 };
        assert_eq!(output.status.code(), Some(wanted), "`{line}`:\n{said}");
        ran += 1;
    }
    assert!(ran >= least, "only {ran} commands of {page} were run");
}

#[test]
fn every_line_of_the_readme_works_one_after_the_other() {
    run_in_order("README.md", 9);
}

#[test]
fn every_line_of_the_tutorial_works_one_after_the_other() {
    run_in_order("docs/tutorial.md", 9);
}

#[test]
fn commands_on_the_bundled_examples_run() {
    let folder = examples();
    let mut pages = Vec::new();
    documents(&root().join("docs"), &mut pages);
    let mut ran = 0;
    for page in pages {
        let text = fs::read_to_string(&page).unwrap();
        for line in commands(&text).into_iter().filter(|line| line.contains("examples/")) {
            let Some(output) = tried(folder.path(), &line) else { continue };
            let said = String::from_utf8_lossy(&output.stderr);
            // 2 is a missed gate, which some examples are made to show.
            assert!(
                matches!(output.status.code(), Some(0 | 2)),
                "{}: `{line}` ended with {}:\n{}",
                page.display(),
                output.status,
                said
            );
            ran += 1;
        }
    }
    assert!(ran >= 5, "only {ran} commands were run");
}

#[test]
fn the_tables_of_exit_codes_and_fields_equal_the_code() {
    let codes = fs::read_to_string(root().join("docs/exit-codes.md")).unwrap();
    for (exit, meaning) in probare_engine::Exit::ALL {
        let row = format!("| {} | {meaning} |", exit.code());
        assert!(codes.contains(&row), "docs/exit-codes.md lacks the row {row}");
    }
    let cases = fs::read_to_string(root().join("docs/cases.md")).unwrap();
    for field in probare_core::Field::ALL {
        assert!(cases.contains(&format!("`{}`", field.name())), "docs/cases.md does not name `{field}`");
        for alias in field.aliases() {
            assert!(cases.contains(&format!("`{alias}`")), "docs/cases.md does not name `{alias}`");
        }
    }
}

#[test]
fn every_page_stands_once_in_the_table_of_contents_and_every_link_leads_somewhere() {
    let docs = root().join("docs");
    let contents = fs::read_to_string(docs.join("SUMMARY.md")).unwrap();
    let mut pages = Vec::new();
    documents(&docs, &mut pages);
    let mut links = 0;
    for page in &pages {
        let name = page.strip_prefix(&docs).unwrap().display().to_string();
        if name != "SUMMARY.md" {
            assert_eq!(contents.matches(&format!("({name})")).count(), 1, "{name} in docs/SUMMARY.md");
        }
        for piece in fs::read_to_string(page).unwrap().split("](").skip(1) {
            let target = piece.split([')', '#', ' ']).next().unwrap();
            if target.contains("://") || target.is_empty() || piece.starts_with('`') {
                continue;
            }
            links += 1;
            assert!(page.parent().unwrap().join(target).exists(), "{name}: {target}");
        }
    }
    assert!(links > 50, "only {links} links were found");
}

#[test]
fn the_command_line_is_a_page_for_every_command() {
    let folder = tempfile::tempdir().unwrap();
    let made = Command::new(PROGRAM).args(["man", "--markdown"]).arg(folder.path()).output().unwrap();
    assert!(made.status.success());
    let score = fs::read_to_string(folder.path().join("probare-score.md")).unwrap();
    for words in
        ["# probare score", "**`--fail-under <METRIC=NUMBER>`**", "Variable: `PROBARE_FAIL_UNDER`", "## Arguments"]
    {
        assert!(score.contains(words), "{words}:\n{score}");
    }
    let whole = fs::read_to_string(folder.path().join("probare.md")).unwrap();
    assert!(whole.contains("[score](probare-score.md)") && whole.contains("## Exit codes"), "{whole}");
}
