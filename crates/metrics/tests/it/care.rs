//! The careful care checks on real exchanges, labelled twice by reading.
//!
//! The exchanges are not part of the repository. `PROBARE_CARE_REAL_DIR` names a folder with `exchanges.jsonl`: `user`,
//! `assistant`, `part`, and two labels `first` and `second` with `agency`, `reassurance` and `pivot` (1 fine, 0 violated). A flag
//! is right if either label says so; a violation is one that both say.

use std::fs;
use std::path::Path;

use probare_core::{Case, Output, Profile, Sample};
use probare_metrics::care::{Lexicon, Verdicts};
use probare_testing::outside;
use serde::Deserialize;

#[derive(Deserialize)]
struct Exchange {
    user: String,
    assistant: String,
    part: String,
    first: Labels,
    /// Where a second reader labelled it.
    second: Option<Labels>,
}

#[derive(Deserialize)]
struct Labels {
    agency: u8,
    reassurance: u8,
    pivot: u8,
}

impl Labels {
    fn all(&self) -> [u8; 3] {
        [self.agency, self.reassurance, self.pivot]
    }
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

/// Judges the exchanges of a file and prints what came of each check.
fn measured(path: &Path) -> [Tally; 3] {
    let content = fs::read_to_string(path).unwrap_or_else(|error| panic!("`{}`: {error}", path.display()));
    let lexicon = Lexicon::bundled();
    let mut tallies: [Tally; 3] = Default::default();
    for line in content.lines() {
        let exchange: Exchange = serde_json::from_str(line).unwrap_or_else(|error| panic!("{line}: {error}"));
        let case = Case {
            query: Some(exchange.user),
            response: Some(Output::new(exchange.assistant.as_str())),
            ..Case::default()
        };
        let verdicts = Verdicts::of(Sample::of(&case), &lexicon, Profile::Careful).unwrap();
        let flags = [!verdicts.agency.pass, !verdicts.reassurance.pass, !verdicts.pivot.pass()];
        let second = exchange.second.as_ref().unwrap_or(&exchange.first);
        let labels = exchange.first.all().into_iter().zip(second.all());
        for ((tally, flag), labels) in tallies.iter_mut().zip(flags).zip(labels) {
            tally.add(flag, labels, exchange.part == "random");
        }
    }
    for (name, tally) in CHECKS.iter().zip(&tallies) {
        println!(
            "{name:25} precision {:.3} ({} of {}), recall {:.3} ({} of {}), false alarms at random {:.3} ({} of {})",
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
    }
    tallies
}

#[test]
fn labelled_real_exchanges_are_judged_with_precision() {
    let Some(folder) = outside("PROBARE_CARE_REAL_DIR", "care_real", "the care checks on real exchanges") else {
        return;
    };
    let tallies = measured(&folder.join("exchanges.jsonl"));
    // What is measured on the sample for development stands on the pages; these are what a user can build on.
    for ((name, tally), floor) in CHECKS.iter().zip(&tallies).zip([0.6, 0.6, 0.4]) {
        assert!(tally.precision() >= floor, "{name}: {tally:?}");
        assert!(tally.recall() >= floor, "{name}: {tally:?}");
        assert!(tally.false_alarms() <= 0.03, "{name}: {tally:?}");
    }
}

/// Precision and recall at least, false alarms at most.
type Floor = (f64, f64, f64);

/// Files of ordinary exchanges with the floors of the checks, just beside what is measured.
const ORDINARY: [(&str, [Floor; 3]); 2] = [
    ("exchanges_development.jsonl", [(0.81, 0.86, 0.02), (0.94, 0.92, 0.005), (0.75, 0.63, 0.018)]),
    ("exchanges_heldout.jsonl", [(0.70, 0.86, 0.053), (0.88, 0.88, 0.015), (0.53, 0.36, 0.028)]),
];

/// Exchanges as people and models write them; `tests/labelled/ordinary/README.md` says how they are labelled.
#[test]
fn labelled_ordinary_exchanges_are_judged() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/labelled/ordinary");
    for (file, floors) in ORDINARY {
        println!("{file}");
        let tallies = measured(&folder.join(file));
        for ((name, tally), (precision, recall, alarms)) in CHECKS.iter().zip(&tallies).zip(floors) {
            assert!(tally.precision() >= precision, "{name} on {file}: {tally:?}");
            assert!(tally.recall() >= recall, "{name} on {file}: {tally:?}");
            assert!(tally.false_alarms() <= alarms, "{name} on {file}: {tally:?}");
        }
    }
}
