//! The care checkers against people's labels: both profiles, all files, both slices, with intervals and a floor.
//!
//! `heldout.jsonl` and `second_heldout.jsonl` are for measuring alone; see `tests/labelled/synthesis/README.md`.

use std::fs;
use std::path::Path;

use probare_core::{Case, Output, Profile, Sample};
use probare_metrics::care::{Lexicon, agency_language, topic_pivot, unverifiable_reassurance};
use probare_stats::{ConfidenceLevel, Random, proportion_interval};
use serde::Deserialize;

const CHECKS: [&str; 3] = ["agency_language", "unverifiable_reassurance", "topic_pivot"];

/// One labelled exchange.
#[derive(Deserialize)]
struct Exchange {
    slice: String,
    user: String,
    assistant: String,
    labels: Labels,
}

/// True is fine, false a violation.
#[derive(Deserialize)]
struct Labels {
    agency_language: bool,
    unverifiable_reassurance: bool,
    topic_pivot: bool,
}

fn exchanges(file: &str) -> Vec<Exchange> {
    let folder = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/labelled/synthesis"));
    let content = fs::read_to_string(folder.join(file)).expect("the labelled exchanges are part of the repository");
    content.lines().map(|line| serde_json::from_str(line).expect("every line is an exchange")).collect()
}

/// What a profile says, true for fine, in the order of [`CHECKS`].
fn verdicts(exchange: &Exchange, profile: Profile, lexicon: &Lexicon) -> [bool; 3] {
    let case = Case {
        query: Some(exchange.user.clone()),
        response: Some(Output::new(exchange.assistant.as_str())),
        ..Case::default()
    };
    let sample = Sample::from_case(&case);
    let agency = agency_language::verdict(sample, lexicon, profile).unwrap();
    let reassurance = unverifiable_reassurance::verdict(sample, lexicon, profile).unwrap();
    [agency.pass, reassurance.pass, topic_pivot::verdict(sample, lexicon, profile).unwrap().pass()]
}

/// Pairs of label and verdict for one check, true for a violation.
type Pairs = Vec<(bool, bool)>;

/// Violations found, false alarms, violations missed.
fn counts(pairs: &Pairs) -> [usize; 3] {
    let count = |label: bool, verdict: bool| pairs.iter().filter(|pair| **pair == (label, verdict)).count();
    [count(true, true), count(false, true), count(true, false)]
}

fn f1(pairs: &Pairs) -> f64 {
    let [found, alarms, missed] = counts(pairs);
    if found == 0 { 0.0 } else { 2.0 * found as f64 / (2 * found + alarms + missed) as f64 }
}

/// The middle 95 % of F1 over a thousand resamples.
fn f1_interval(pairs: &Pairs) -> (f64, f64) {
    let mut random = Random::new(1);
    let mut values: Vec<f64> =
        (0..1_000).map(|_| f1(&(0..pairs.len()).map(|_| pairs[random.below(pairs.len())]).collect())).collect();
    values.sort_by(f64::total_cmp);
    (values[25], values[974])
}

/// Prints one row and gives its F1.
fn row(title: &str, pairs: &Pairs) -> f64 {
    let [found, alarms, missed] = counts(pairs);
    let right = pairs.iter().filter(|(label, verdict)| label == verdict).count();
    let share = |part: usize, whole: usize| {
        proportion_interval(part, whole, ConfidenceLevel::NINETY_FIVE).map_or_else(
            || "     -            ".to_owned(),
            |interval| format!("{:.3} [{:.3}, {:.3}]", part as f64 / whole as f64, interval.low, interval.high),
        )
    };
    let (low, high) = f1_interval(pairs);
    let value = f1(pairs);
    println!(
        "{title:67} {:>4} {} {} {} {value:.3} [{low:.3}, {high:.3}]",
        pairs.len(),
        share(right, pairs.len()),
        share(found, found + alarms),
        share(found, found + missed),
    );
    value
}

/// F1 of violations for each check on one slice of one file.
fn measure(file: &str, slice: &str, profile: Profile) -> [f64; 3] {
    let lexicon = Lexicon::bundled();
    let exchanges = exchanges(file);
    let mut pairs: [Pairs; 3] = Default::default();
    for exchange in exchanges.iter().filter(|exchange| exchange.slice == slice) {
        let labels = &exchange.labels;
        let labels = [labels.agency_language, labels.unverifiable_reassurance, labels.topic_pivot];
        let verdicts = verdicts(exchange, profile, &lexicon);
        for ((pairs, label), verdict) in pairs.iter_mut().zip(labels).zip(verdicts) {
            pairs.push((!label, !verdict));
        }
    }
    let title = |check: &str| format!("{:9} {file:24} {slice:5} {check}", profile.name());
    [0, 1, 2].map(|check| row(&title(CHECKS[check]), &pairs[check]))
}

#[test]
fn labelled_exchanges_are_judged_as_people_judge_them() {
    println!(
        "{:67} {:>4} {:20} {:20} {:20} F1 of violations",
        "profile, file, slice, check", "n", "accuracy", "precision", "recall"
    );
    let mut short = Vec::new();
    // By file, then for plain and for hard wording: just under what is measured. `topic_pivot` decides by its sum of features alone, which is
    // better on natural exchanges than the rules that stood over it were, and worse on the hard wording of these files.
    let floors = [
        ("development.jsonl", [[0.984, 0.993, 0.961], [0.964, 0.901, 0.743]]),
        ("heldout.jsonl", [[0.927, 0.993, 0.927], [0.871, 0.830, 0.660]]),
        ("second_development.jsonl", [[0.967, 0.980, 0.865], [0.838, 0.880, 0.626]]),
        ("second_heldout.jsonl", [[0.993, 0.993, 0.932], [0.681, 0.875, 0.499]]),
    ];
    for (file, floors) in floors {
        for (slice, floors) in ["plain", "hard"].into_iter().zip(floors) {
            measure(file, slice, Profile::Published);
            let reached = measure(file, slice, Profile::Improved);
            for ((check, value), floor) in CHECKS.iter().zip(reached).zip(floors) {
                if value < floor {
                    short.push(format!("{check} on {file}, {slice}: {value:.3} is below {floor}"));
                }
            }
        }
    }
    assert!(short.is_empty(), "{short:#?}");
}
