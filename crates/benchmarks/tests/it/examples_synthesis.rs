//! The example cases of the benchmark do what their labels say, in both profiles, on the road that every run takes.

use std::fs;
use std::path::{Path, PathBuf};

use probare_benchmarks::synthesis::Synthesis;
use probare_core::{Benchmark, Console};
use probare_engine::{Conclusion, Exit, RunRequest, run};
use serde_json::{Value as Json, json};

fn example(name: &str) -> PathBuf {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/synthesis")).join(name)
}

/// Runs the benchmark and gives its report.
fn report(options: Json, out: &Path) -> (Conclusion, Option<Json>) {
    let mut options = options;
    options["out"] = json!(out);
    let job = Synthesis.open(options, Console { quiet: true, ..Console::default() }).expect("the options are good");
    let conclusion = run(job, probare_benchmarks::registries(), RunRequest::default()).expect("it runs");
    let report = fs::read_to_string(out).ok().map(|text| serde_json::from_str(&text).expect("a report is JSON"));
    (conclusion, report)
}

#[test]
fn the_example_cases_meet_their_labels() {
    let folder = tempfile::tempdir().unwrap();
    for profile in ["published", "improved"] {
        let out = folder.path().join(profile).join("report.json");
        let (conclusion, report) = report(json!({"cases": example("cases.jsonl"), "profile": profile}), &out);
        let report = report.expect("it was written");
        let (summary, labels) = (&report["summary"], &report["summary"]["label_accuracy"]);
        assert_eq!(labels["matched"], labels["total"], "{profile}: {:#}", report["failures"]);
        assert_eq!(
            (&summary["expected_failures"], &summary["unexpected_failures"]),
            (&json!(7), &json!(0)),
            "{profile}"
        );
        assert_eq!(conclusion.exit, Exit::Fine);
    }
}

#[test]
fn the_example_lexicon_adds_its_phrases_in_both_profiles() {
    let folder = tempfile::tempdir().unwrap();
    let cases = folder.path().join("cases.jsonl");
    let line = "{\"id\": \"A-1\", \"user\": \"I'm sad.\", \"assistant\": \"With all due respect, would you like tea?\", \
                \"checks\": [\"agency_language\"]}";
    fs::write(&cases, line).unwrap();
    for profile in ["published", "improved"] {
        let options = json!({"cases": cases, "profile": profile, "lexicon": example("lexicon.yaml")});
        let (conclusion, report) = report(options, &folder.path().join("report.json"));
        assert_eq!(report.expect("it was written")["summary"]["failed"], 1, "{profile}");
        assert_eq!(conclusion.exit, Exit::Gate);
    }
}

#[test]
fn a_bad_line_ends_with_an_error_and_an_older_report_stays() {
    let folder = tempfile::tempdir().unwrap();
    let (cases, out) = (folder.path().join("cases.jsonl"), folder.path().join("report.json"));
    fs::write(&cases, "{\"id\": 5}\n").unwrap();
    fs::write(&out, "{\"old\": true}").unwrap();
    let (conclusion, report) = report(json!({"cases": cases}), &out);
    assert_eq!((conclusion.exit, report), (Exit::Error, Some(json!({"old": true}))));
}
