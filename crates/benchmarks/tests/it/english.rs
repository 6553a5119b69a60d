//! Sentences for single ideas of reading English (`tests/labelled/english`): how many are read rightly.

use std::fs;
use std::path::Path;

use probare_benchmarks::registry;
use probare_benchmarks::socioscope::interviews::polarity::{Polarity, answer_polarity};
use probare_core::{Case, Output, Profile, Sample, Scorer};
use probare_english::text_analysis::TextAnalysis;
use probare_metrics::rag::hallucination::{AnchorFinding, AnchorType, HallucinationSettings, examine};
use serde_json::Value;

/// How many lines of each file are read rightly; fewer is a fall.
const DENIAL: usize = 73;
const YES_NO: usize = 78;
const JOINED: usize = 62;
const OPENINGS: usize = 61;

/// The lines of a file, each with its columns.
fn lines<const COLUMNS: usize>(file: &str) -> Vec<[String; COLUMNS]> {
    let folder = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/labelled/english"));
    let content = fs::read_to_string(folder.join(file)).expect("the sentences are part of the repository");
    let lines = content.lines().filter(|line| !line.starts_with('#'));
    let columns = |line: &str| -> Vec<String> { line.split('\t').map(str::to_owned).collect() };
    lines.map(|line| columns(line).try_into().unwrap_or_else(|found| panic!("{file}: {found:?}"))).collect()
}

/// Asserts that at least so many lines are read as their first column says, and prints the others.
fn assert_right<const COLUMNS: usize>(file: &str, least: usize, read: impl Fn(&[String; COLUMNS]) -> &'static str) {
    let lines = lines::<COLUMNS>(file);
    let (right, wrong): (Vec<_>, Vec<_>) = lines.iter().partition(|line| read(line) == line[0]);
    for line in &wrong {
        eprintln!("{file}: read as {}: {}", read(line), line.join(" | "));
    }
    eprintln!("{file}: {} of {} right", right.len(), lines.len());
    assert!(right.len() >= least, "{file}: {} of {} right, {least} before", right.len(), lines.len());
}

fn answer_match() -> Scorer {
    registry().get("answer_match").unwrap().build(Value::Null, Profile::Published).unwrap()
}

fn is_right(metric: &Scorer, question: &str, gold: &str, answer: &str) -> bool {
    let case = Case {
        query: Some(question.to_owned()),
        reference: Some(vec![gold.to_owned()]),
        response: Some(Output::new(answer)),
        ..Case::default()
    };
    metric.score(Sample::from_case(&case)).unwrap().score().unwrap().value.get() >= 0.5
}

#[test]
fn what_denies_is_told_from_what_looks_like_it() {
    assert_right::<2>("denial.tsv", DENIAL, |[_, text]| {
        let analysis = TextAnalysis::new(text);
        if analysis.denial_count(0..analysis.tokens.len()) > 0 { "denies" } else { "states" }
    });
}

#[test]
fn answers_and_interviews_read_yes_and_no_alike() {
    let metric = answer_match();
    assert_right::<3>("yes_no.tsv", YES_NO, |[_, question, answer]| {
        match (is_right(&metric, question, "yes", answer), is_right(&metric, question, "no", answer)) {
            (true, false) => "yes",
            (false, true) => "no",
            _ => "unsure",
        }
    });
    assert_right::<3>("yes_no.tsv", YES_NO, |[_, question, answer]| {
        match answer_polarity(answer, Some(question)).polarity {
            Some(Polarity::Yes) => "yes",
            Some(Polarity::No) => "no",
            None => "unsure",
        }
    });
}

/// Whether the reference is found in the answer, however sure that makes it.
fn is_matched(metric: &Scorer, question: &str, gold: &str, answer: &str) -> bool {
    let case = Case {
        query: Some(question.to_owned()),
        reference: Some(vec![gold.to_owned()]),
        response: Some(Output::new(answer)),
        ..Case::default()
    };
    metric
        .score(Sample::from_case(&case))
        .unwrap()
        .score()
        .unwrap()
        .parts
        .get("matched")
        .is_some_and(|matched| matched >= 0.5)
}

#[test]
fn joined_words_are_no_other_word() {
    let metric = answer_match();
    assert_right::<4>("joined.tsv", JOINED, |[_, question, gold, answer]| {
        if is_matched(&metric, question, gold, answer) { "right" } else { "wrong" }
    });
}

#[test]
fn numbers_behind_with_and_for_are_looked_at() {
    assert_right::<3>("openings.tsv", OPENINGS, |[_, context, response]| {
        let settings = HallucinationSettings { is_improved: true, ..HallucinationSettings::default() };
        let examined = examine(response, &[context], &settings);
        let is_missing = |finding: &AnchorFinding| {
            matches!(finding.kind, AnchorType::Numeric | AnchorType::Date) && !finding.is_supported()
        };
        let is_turned = examined.sentences.iter().any(|sentence| !sentence.reversals.is_empty());
        if is_turned || examined.findings.iter().any(is_missing) { "wrong" } else { "fine" }
    });
}
