//! Agreement of both profiles of `hallucination` with labelled responses.

use std::fs;
use std::path::Path;

use probare_metrics::rag::hallucination::{Examination, Settings, examine};
use probare_stats::{Level, proportion_interval};
use serde::Deserialize;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Labelled {
    id: String,
    response: String,
    context: Vec<String>,
    label: String,
    note: String,
}

fn read(file: &str) -> Vec<Labelled> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/labelled/rag").join(file);
    let content = fs::read_to_string(&path).unwrap_or_else(|error| panic!("`{}`: {error}", path.display()));
    content.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// How often a profile agrees with the labels.
#[derive(Debug, Default)]
struct Agreement {
    cases: usize,
    /// Borne out or not.
    two_way: usize,
    /// Supported, unsupported, contradicted.
    three_way: usize,
}

impl Agreement {
    /// Share of the cases in which both ways of looking agree with the label: the lesser of the two.
    fn share(&self) -> f64 {
        self.two_way.min(self.three_way) as f64 / self.cases as f64
    }

    fn print(&self, name: &str) {
        for (what, count) in [("two-way", self.two_way), ("three-way", self.three_way)] {
            let interval = proportion_interval(count, self.cases, Level::NINETY_FIVE).unwrap();
            eprintln!(
                "{name}, {what}: {count} of {} ({:.3}, 95 % interval {:.3} to {:.3})",
                self.cases,
                count as f64 / self.cases as f64,
                interval.low,
                interval.high
            );
        }
    }
}

fn examined(case: &Labelled, is_careful: bool) -> Examination {
    let chunks: Vec<&str> = case.context.iter().map(String::as_str).collect();
    examine(&case.response, &chunks, &Settings { is_careful, ..Settings::default() })
}

fn agreement(cases: &[Labelled], is_careful: bool, show: bool) -> Agreement {
    let mut agreement = Agreement { cases: cases.len(), ..Agreement::default() };
    for case in cases {
        let examination = examined(case, is_careful);
        let label = examination.label();
        agreement.two_way += usize::from((label == "supported") == (case.label == "supported"));
        agreement.three_way += usize::from(label == case.label);
        if show && label != case.label {
            eprintln!(
                "{:.3} {} ({}): `{}` is {}, got {label}",
                examination.value(),
                case.id,
                case.note,
                case.response,
                case.label
            );
            for finding in &examination.findings {
                eprintln!("    {} `{}`: {:?}", finding.kind.name(), finding.text, finding.standing);
            }
        }
    }
    agreement
}

/// Printed with both files, with a floor on each; the careful profile must be the better one on both.
#[test]
fn the_careful_profile_agrees_better_than_the_reference() {
    let development = read("development.jsonl");
    let held_out = read("heldout.jsonl");
    assert!(development.len() + held_out.len() >= 120);
    let of = |cases: &[Labelled], name: &str, show: bool| {
        let reference = agreement(cases, false, false);
        let careful = agreement(cases, true, show);
        reference.print(&format!("{name}, reference"));
        careful.print(&format!("{name}, careful"));
        (reference, careful)
    };
    let (reference, careful) = of(&development, "development", true);
    assert!(careful.three_way > reference.three_way && careful.two_way >= reference.two_way);
    // Just under what is measured: 87 of 105 and 36 of 45.
    assert!(careful.share() >= 0.82, "{careful:?}");
    // Single held-out cases are not shown: a rule changed after a look at one makes the figure worthless.
    let (reference, careful) = of(&held_out, "held out", false);
    assert!(careful.three_way > reference.three_way && careful.two_way >= reference.two_way);
    assert!(careful.share() >= 0.79, "{careful:?}");
}
