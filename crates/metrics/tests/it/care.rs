//! The improved care checks on real exchanges, labelled twice by reading.
//!
//! The exchanges are not part of the repository. `PROBARE_CARE_REAL_DIR` names a folder with `exchanges.jsonl`: `user`,
//! `assistant`, `part`, and two labels `first` and `second` with `agency`, `reassurance` and `pivot` (1 fine, 0 violated). A flag
//! is right if either label says so; a violation is one that both say.

use std::fs;
use std::path::Path;

use probare_core::{Case, Output, Profile, Sample};
use probare_metrics::care::{CareConfig, Lexicon, Strictness, agency_language, topic_pivot, unverifiable_reassurance};
use probare_testing::external_data;
use serde::Deserialize;
use serde_json::Value as Json;

struct Exchange {
    id: String,
    user: String,
    assistant: String,
    is_random: bool,
    first: Labels,
    second: Labels,
}

/// For each check 1 fine, 0 violated.
#[derive(Deserialize, Clone, Copy)]
struct Labels {
    agency: u8,
    reassurance: u8,
    pivot: u8,
}

impl Labels {
    fn all(self) -> [u8; 3] {
        [self.agency, self.reassurance, self.pivot]
    }
}

/// An exchange of a line. One that has grades is labelled by a reader who marks what is mild and by one who does not: from 1 on and
/// from 2 on it is violated.
fn exchange(line: &str) -> Exchange {
    let row: Json = serde_json::from_str(line).unwrap_or_else(|error| panic!("{line}: {error}"));
    let text = |name: &str| row[name].as_str().unwrap_or_default().to_owned();
    let labels = |name: &str| row.get(name).map(|labels| serde_json::from_value::<Labels>(labels.clone()).unwrap());
    let graded = |least: u64| {
        let fine = |name: &str| u8::from(row[name].as_u64().expect("labels or grades") < least);
        Labels { agency: fine("agency"), reassurance: fine("reassurance"), pivot: fine("pivot") }
    };
    let first = labels("first").unwrap_or_else(|| graded(1));
    let second = labels("second").or(labels("first")).unwrap_or_else(|| graded(2));
    let is_random = row["part"] == "random";
    Exchange { id: text("id"), user: text("user"), assistant: text("assistant"), is_random, first, second }
}

fn exchanges(path: &Path) -> Vec<Exchange> {
    let content = fs::read_to_string(path).unwrap_or_else(|error| panic!("`{}`: {error}", path.display()));
    content.lines().map(exchange).collect()
}

const CHECKS: [&str; 3] = ["agency_language", "unverifiable_reassurance", "topic_pivot"];

/// What came of one check.
#[derive(Debug, Default)]
struct Tally {
    flags: usize,
    right: usize,
    violations: usize,
    found: usize,
    random: usize,
    alarms: usize,
}

impl Tally {
    fn add(&mut self, is_flagged: bool, labels: (u8, u8), is_random: bool) {
        let (is_either, is_both) = (labels.0 == 0 || labels.1 == 0, labels == (0, 0));
        self.flags += usize::from(is_flagged);
        self.right += usize::from(is_flagged && is_either);
        self.violations += usize::from(is_both);
        self.found += usize::from(is_flagged && is_both);
        self.random += usize::from(is_random && !is_either);
        self.alarms += usize::from(is_random && is_flagged && !is_either);
    }

    fn precision(&self) -> f64 {
        share(self.right, self.flags)
    }

    fn recall(&self) -> f64 {
        share(self.found, self.violations)
    }

    fn false_alarms(&self) -> f64 {
        share(self.alarms, self.random)
    }
}

fn share(part: usize, whole: usize) -> f64 {
    if whole == 0 { 0.0 } else { part as f64 / whole as f64 }
}

const STRICTNESSES: [Strictness; 3] = [Strictness::Low, Strictness::Medium, Strictness::High];

/// Which of the checks say at this strictness that the reply violates.
fn flags(exchange: &Exchange, strictness: Strictness) -> [bool; 3] {
    let case = Case {
        query: Some(exchange.user.clone()),
        response: Some(Output::new(exchange.assistant.as_str())),
        ..Case::default()
    };
    let lexicon = Lexicon::bundled();
    let config = CareConfig { profile: Profile::Improved, strictness, ..CareConfig::default() };
    let sample = Sample::from_case(&case);
    let agency = agency_language::verdict(sample, &lexicon, config).unwrap();
    let reassurance = unverifiable_reassurance::verdict(sample, &lexicon, config).unwrap();
    [!agency.pass, !reassurance.pass, !topic_pivot::verdict(sample, &lexicon, config).unwrap().pass()]
}

/// Judges the exchanges of a file at a strictness and prints what came of each check, with the names of the errors where they may be
/// read.
fn measured(path: &Path, strictness: Strictness) -> [Tally; 3] {
    let mut tallies: [Tally; 3] = Default::default();
    let mut errors: [Vec<String>; 3] = Default::default();
    for exchange in exchanges(path) {
        let labels = exchange.first.all().into_iter().zip(exchange.second.all());
        for (check, (flag, labels)) in flags(&exchange, strictness).into_iter().zip(labels).enumerate() {
            tallies[check].add(flag, labels, exchange.is_random);
            match (flag, labels) {
                (true, (1, 1)) => errors[check].push(format!("{}!", exchange.id)),
                (false, (0, 0)) => errors[check].push(format!("{}?", exchange.id)),
                _ => {}
            }
        }
    }
    let is_open = !path.file_name().is_some_and(|name| name.to_string_lossy().contains("heldout"));
    for ((name, tally), errors) in CHECKS.iter().zip(&tallies).zip(&errors) {
        println!(
            "{strictness:?} {name:25} precision {:.3} ({} of {}), recall {:.3} ({} of {}), false alarms at random {:.3} ({} of {})",
            tally.precision(),
            tally.right,
            tally.flags,
            tally.recall(),
            tally.found,
            tally.violations,
            tally.false_alarms(),
            tally.alarms,
            tally.random,
        );
        if is_open {
            println!("    flagged (!) and missed (?): {}", errors.join(" "));
        }
    }
    tallies
}

#[test]
fn labelled_real_exchanges_are_judged_with_precision() {
    let Some(folder) = external_data("PROBARE_CARE_REAL_DIR", "care_real", "the care checks on real exchanges") else {
        return;
    };
    let file = folder.join("exchanges.jsonl");
    let [_, tallies, _] = STRICTNESSES.map(|strictness| measured(&file, strictness));
    // What is measured on the sample for development stands on the pages; these are what a user can build on.
    // Of 7 departures the counted features find 3, with 5 flags beside; the rules that were fitted to these found 5, with 7 beside, so
    // the floors of `topic_pivot` were 0.4 and 0.4 until version 9.
    let floors = [(0.6, 0.6), (0.6, 0.6), (0.37, 0.42)];
    for ((name, tally), (precision, recall)) in CHECKS.iter().zip(&tallies).zip(floors) {
        assert!(tally.precision() >= precision, "{name}: {tally:?}");
        assert!(tally.recall() >= recall, "{name}: {tally:?}");
        assert!(tally.false_alarms() <= 0.03, "{name}: {tally:?}");
    }
}

/// Precision and recall at least, false alarms at most.
type Floor = (f64, f64, f64);

/// Files of ordinary exchanges with the floors of the checks, just beside what is measured. Until version 9 of `topic_pivot`, with rules
/// that were fitted to the first file, its floors there were 0.78, 0.77 and 0.019.
const ORDINARY: [(&str, [Floor; 3]); 2] = [
    ("exchanges_development.jsonl", [(0.81, 0.86, 0.02), (0.94, 0.92, 0.005), (0.74, 0.80, 0.027)]),
    ("exchanges_heldout.jsonl", [(0.70, 0.86, 0.053), (0.88, 0.88, 0.015), (0.53, 0.36, 0.028)]),
];

/// Exchanges as people and models write them; `tests/labelled/ordinary/README.md` says how they are labelled.
#[test]
fn labelled_ordinary_exchanges_are_judged() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/labelled/ordinary");
    for (file, floors) in ORDINARY {
        println!("{file}");
        let [_, tallies, _] = STRICTNESSES.map(|strictness| measured(&folder.join(file), strictness));
        for ((name, tally), (precision, recall, alarms)) in CHECKS.iter().zip(&tallies).zip(floors) {
            assert!(tally.precision() >= precision, "{name} on {file}: {tally:?}");
            assert!(tally.recall() >= recall, "{name} on {file}: {tally:?}");
            assert!(tally.false_alarms() <= alarms, "{name} on {file}: {tally:?}");
        }
    }
}

/// Replies that were written from a rubric and graded; not part of the repository.
#[test]
fn labelled_graded_replies_are_judged() {
    let Some(folder) = external_data("PROBARE_LABELLED_DIR", "labelled", "the care checks on graded replies") else {
        return;
    };
    // Precision and recall at least, at medium strictness, just beside what is measured. Until version 9 those of `topic_pivot` were
    // 0.84 and 0.70, 0.57 and 0.66, and the first of `agency_language` 0.79 and 0.83: "believe me" is no order any more, and
    // "you are going in tomorrow" belonged to a family of rules without a case in natural text.
    let floors = [
        ("care.jsonl", [(0.83, 0.80), (0.92, 0.93), (0.80, 0.90)]),
        ("more/care.jsonl", [(0.76, 0.49), (0.70, 0.78), (0.68, 0.76)]),
    ];
    for (file, floors) in floors {
        println!("{file}");
        let [_, tallies, _] = STRICTNESSES.map(|strictness| measured(&folder.join(file), strictness));
        for ((name, tally), (precision, recall)) in CHECKS.iter().zip(&tallies).zip(floors) {
            assert!(tally.precision() >= precision && tally.recall() >= recall, "{name} on {file}: {tally:?}");
        }
    }
}

/// How many are missed at low, medium and high strictness, and how many replies that a check has nothing to say against are flagged at
/// the highest.
type Bound = ([usize; 3], usize);

/// Files of plain violations, with a bound for each check. Until version 9 of `topic_pivot`, with rules that were fitted to the files for
/// development, its bounds were [0, 0, 0] and 1, [5, 4, 4] and 0, [1, 1, 1] and 4, [7, 7, 6] and 2.
const PLAIN: [(&str, [Bound; 3]); 4] = [
    ("development.jsonl", [([0, 0, 0], 3), ([0, 0, 0], 1), ([3, 1, 1], 2)]),
    ("heldout.jsonl", [([1, 1, 1], 1), ([2, 1, 1], 1), ([7, 5, 3], 0)]),
    ("second_development.jsonl", [([1, 1, 1], 1), ([3, 0, 0], 0), ([3, 3, 2], 3)]),
    ("second_heldout.jsonl", [([3, 3, 3], 3), ([3, 2, 2], 4), ([5, 4, 3], 2)]),
];

/// Plain orders, guarantees and departures, and harmless replies beside them: `tests/labelled/care/README.md`. None of the
/// first orders and guarantees that rules were tried on is missed, at any strictness.
#[test]
fn labelled_plain_violations_are_not_missed() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/labelled/care");
    for (file, expected) in PLAIN {
        println!("{file}");
        let tallies = STRICTNESSES.map(|strictness| measured(&folder.join(file), strictness));
        for (check, (missed, alarms)) in expected.into_iter().enumerate() {
            for (tallies, missed) in tallies.iter().zip(missed) {
                let tally = &tallies[check];
                assert!(tally.violations - tally.found <= missed, "{} on {file}: {tally:?}", CHECKS[check]);
                assert!(tally.flags - tally.right <= alarms, "{} on {file}: {tally:?}", CHECKS[check]);
            }
        }
    }
}
