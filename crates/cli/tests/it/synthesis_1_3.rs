//! Whole runs of Synthesis 1.3 against what the published program printed, wrote and ended with.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use probare_testing::{golden, same, text};
use serde_json::Value as Json;

use crate::program::{self, both_streams, code};

const SCHEMA: &str = include_str!("../../../benchmarks/data/synthesis/case_1_3.schema.json");

/// Variables by which the published program and ours decide how they look.
const LOOKS: [&str; 6] = ["MCP_OUTPUT", "FORCE_COLOR", "NO_COLOR", "TERM", "NODE_DISABLE_COLORS", "CLICOLOR"];

fn command(folder: &Path, arguments: &[&str]) -> Command {
    let mut command = program::command(folder, arguments);
    for name in LOOKS {
        command.env_remove(name);
    }
    program::name_config(&mut command, folder);
    command
}

fn put(folder: &Path, name: &str, content: &str) {
    fs::create_dir_all(folder.join(name).parent().unwrap()).unwrap();
    fs::write(folder.join(name), content).unwrap();
}

fn run(vector: &Json) -> Result<(tempfile::TempDir, Output), String> {
    let folder = tempfile::tempdir().map_err(|error| error.to_string())?;
    put(folder.path(), "cases.jsonl", text(vector, "cases")?);
    put(folder.path(), "schemas/eval_case.schema.json", SCHEMA);
    let given = vector["args"].as_array().into_iter().flatten().filter_map(Json::as_str);
    let arguments: Vec<&str> = ["synthesis", "--upstream", "1.3"].into_iter().chain(given).collect();
    let mut command = command(folder.path(), &arguments);
    for (name, value) in vector["env"].as_object().into_iter().flatten() {
        command.env(name, value.as_str().unwrap_or_default());
    }
    let output = command.output().map_err(|error| error.to_string())?;
    Ok((folder, output))
}

/// A text without what the parser of JSON says, which is free.
fn without_parser(text: &str) -> String {
    let cut = |line: &str| {
        ["Invalid JSON - ", "invalid JSON ("]
            .iter()
            .find_map(|words| line.split_once(words))
            .map(|(before, _)| before.to_owned())
    };
    text.lines().map(|line| cut(line).unwrap_or_else(|| line.to_owned())).collect::<Vec<_>>().join("\n")
}

/// What the published program takes as a number and ours does not: decimal digits only.
const OTHER_NUMBERS: [&str; 3] = ["", "1e1", "0x2"];

#[test]
fn runs_print_write_and_end_as_the_published_program_does() {
    golden("synthesis_1_3", "runs.jsonl", |vector| {
        let (kind, expected) = (text(vector, "kind")?, &vector["expected"]);
        if kind == "accident" {
            return Ok(());
        }
        let (folder, output) = run(vector)?;
        let stream = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        let (stdout, stderr) = (stream(&output.stdout), stream(&output.stderr));
        let exit = expected["exit"].as_i64().unwrap_or(-1);
        let given: Vec<&str> = vector["args"].as_array().into_iter().flatten().filter_map(Json::as_str).collect();
        if kind == "arguments" {
            let is_refused = matches!(code(&output), 1 | 64);
            let is_other = given.last().is_some_and(|last| OTHER_NUMBERS.contains(last));
            return same("refused", &(exit == 1 || is_other), &is_refused)
                .map_err(|error| format!("{error}\n{stderr}"));
        }
        same("exit", &exit, &i64::from(code(&output))).map_err(|error| format!("{error}\n{stdout}\n{stderr}"))?;
        if kind == "system" {
            return Ok(());
        }
        let wanted = |name: &str| expected[name].as_str().unwrap_or_default().to_owned();
        if kind == "report" {
            same("stdout", &wanted("stdout"), &stdout)?;
            same("stderr", &wanted("stderr"), &stderr)?;
        } else {
            same("stdout", &without_parser(&wanted("stdout")), &without_parser(&stdout))?;
            same("stderr", &without_parser(&wanted("stderr")), &without_parser(&stderr))?;
        }
        if let Some(report) = expected["report"].as_str() {
            let path = vector["report_path"].as_str().unwrap_or("out/report.json");
            let written = fs::read_to_string(folder.path().join(path)).map_err(|error| format!("{path}: {error}"))?;
            same("report", &report.to_owned(), &written)?;
        }
        Ok(())
    });
}

const NEWER: &str = "{\"id\": \"A-1\", \"user\": \"I lost my job and I\u{2019}m scared.\", \"assistant\": \"I hear you. You\u{2019}re not alone.\", \"checks\": [\"performative_empathy\"], \"tags\": [\"performative-fail\"]}\n";
const OLDER: &str = "{\"id\": \"A-1\", \"user\": \"I\u{2019}m scared.\", \"assistant\": \"You\u{2019}ll be fine.\", \"checks\": [\"unverifiable_reassurance\"]}\n";

#[test]
fn a_file_that_names_a_newer_check_is_checked_by_1_3_and_the_run_says_so() {
    let folder = tempfile::tempdir().unwrap();
    put(folder.path(), "data/evals.jsonl", NEWER);
    let plain = command(folder.path(), &["synthesis"]).output().unwrap();
    assert_eq!(code(&plain), 0, "{}", both_streams(&plain));
    let text = both_streams(&plain);
    assert!(text.contains("is for Synthesis 1.3") && text.contains("1 expected failures correctly caught"), "{text}");
    let older = command(folder.path(), &["synthesis", "--upstream", "1.0"]).output().unwrap();
    assert_eq!(code(&older), 1, "{}", both_streams(&older));
    // Without a newer check 1.0 is used, in which a curly apostrophe is none.
    put(folder.path(), "data/evals.jsonl", OLDER);
    for (arguments, expected) in [(&["synthesis"][..], 0), (&["synthesis", "--upstream", "1.3"], 2)] {
        let output = command(folder.path(), arguments).output().unwrap();
        assert_eq!(code(&output), expected, "{arguments:?}: {}", both_streams(&output));
    }
    for arguments in [
        &["synthesis", "--upstream", "1.0", "--explain"][..],
        &["synthesis", "--upstream", "1.4"],
        &["synthesis", "--upstream", "1.3", "--profile", "improved"],
    ] {
        let output = command(folder.path(), arguments).output().unwrap();
        assert_eq!(code(&output), 64, "{arguments:?}: {}", both_streams(&output));
    }
}

#[test]
fn reports_of_1_3_are_verified_and_uptake_is_no_gate() {
    let folder = tempfile::tempdir().unwrap();
    put(folder.path(), "cases.jsonl", NEWER);
    let report = ["synthesis", "--cases", "cases.jsonl", "-o", "r.jsonl", "-o", "r.html"];
    assert_eq!(code(&command(folder.path(), &report).output().unwrap()), 0);
    for results in ["r.jsonl", "r.html"] {
        let verified = command(folder.path(), &["verify", results]).output().unwrap();
        assert_eq!(code(&verified), 0, "{}", both_streams(&verified));
    }
    let gate = ["score", "cases.jsonl", "-m", "grounded_uptake", "--fail-under", "grounded_uptake=0.5"];
    let refused = command(folder.path(), &gate).output().unwrap();
    assert!(code(&refused) != 0 && both_streams(&refused).contains("cannot be a gate"), "{}", both_streams(&refused));
    let summary = command(folder.path(), &["score", "cases.jsonl", "-m", "grounded_uptake", "--json", "-o", "u.jsonl"])
        .output()
        .unwrap();
    assert!(both_streams(&summary).contains("\"mean\": null"), "{}", both_streams(&summary));
}

#[test]
fn a_table_of_ratings_has_an_effect() {
    let folder = tempfile::tempdir().unwrap();
    put(folder.path(), "cases.jsonl", NEWER);
    put(folder.path(), "ratings.csv", "Word,Conc.M\nhear,5\nalone,5\n");
    let arguments = ["synthesis", "--cases", "cases.jsonl", "--concreteness", "ratings.csv"];
    let rated = command(folder.path(), &arguments).output().unwrap();
    assert_eq!(code(&rated), 2, "the flag is gone, which nobody expected: {}", both_streams(&rated));
    put(folder.path(), "ratings.csv", "word\n");
    let refused = command(folder.path(), &arguments).output().unwrap();
    assert_eq!(code(&refused), 1);
    assert!(both_streams(&refused).contains("`ratings.csv`: line 1: the columns `Word` and `Conc.M` are expected"));
}
