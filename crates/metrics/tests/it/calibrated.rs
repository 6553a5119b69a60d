//! How often a guarantee of `calibrate` holds on labelled cases of ours that it was not made with.

use std::fs;
use std::path::Path;

use probare_core::{Case, Output, Profile, Sample};
use probare_metrics::registry;
use probare_stats::{Guarantee, Random, decision_thresholds};
use serde_json::{Value, json};

/// Random splits of one set.
const SPLITS: u64 = 1_000;

/// Labelled cases with which decision thresholds are made.
const LABELS: usize = 300;

fn rows(file: &str) -> Vec<Value> {
    let path = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/labelled")).join(file);
    let content = fs::read_to_string(&path).unwrap_or_else(|error| panic!("`{}`: {error}", path.display()));
    content.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// The values of a metric, larger is better, with whether people pass the case.
fn values(
    metric: &str,
    rows: &[Value],
    case: impl Fn(&Value) -> Case,
    passes: impl Fn(&Value) -> bool,
) -> Vec<(f64, bool)> {
    let definition = registry().get(metric).unwrap();
    let scorer = definition.build(json!(null), Profile::Improved).unwrap();
    let sign = if definition.better == probare_core::Better::Higher { 1.0 } else { -1.0 };
    let value = |row: &Value| {
        let case = case(row);
        let outcome = scorer.score(Sample::from_case(&case)).unwrap();
        outcome.score().map(|score| (sign * score.value.get(), passes(row)))
    };
    rows.iter().filter_map(value).collect()
}

/// What 1,000 splits of a set say: how many promise something, the mean share decided of what was kept, and how many of the promises
/// were broken there.
fn splits(cases: &[(f64, bool)], guarantee: Guarantee) -> (usize, f64, usize) {
    let (mut made, mut decided, mut broken) = (0, 0.0, 0);
    for split in 0..SPLITS {
        let mut random = Random::substream(31, split);
        let mut shuffled = cases.to_vec();
        for at in (1..shuffled.len()).rev() {
            shuffled.swap(at, random.below(at + 1));
        }
        let (labelled, rest) = shuffled.split_at(LABELS);
        let found = decision_thresholds(labelled, guarantee);
        let ends = [(found.pass, true), (found.fail, false)];
        let (mut spoken, mut is_broken) = (0_usize, false);
        for (threshold, passes) in ends.into_iter().filter_map(|(threshold, passes)| Some((threshold?, passes))) {
            let inside =
                rest.iter().filter(|(value, _)| if passes { *value >= threshold.at } else { *value <= threshold.at });
            let (all, wrong) =
                inside.fold((0_usize, 0_usize), |(all, wrong), case| (all + 1, wrong + usize::from(case.1 != passes)));
            is_broken |= wrong as f64 > guarantee.error * all as f64;
            spoken += all;
        }
        if ends.iter().any(|(threshold, _)| threshold.is_some()) {
            made += 1;
            decided += spoken as f64 / rest.len() as f64;
            broken += usize::from(is_broken);
        }
    }
    (made, decided / made.max(1) as f64, broken)
}

/// The figures of `docs/judgement.md` and of the guide to decision thresholds:
/// `cargo nextest run -p probare-metrics --run-ignored all guarantees_hold --no-capture`.
#[test]
#[ignore = "three sets, a thousand splits of each: for the figures in the docs"]
fn guarantees_hold_on_held_out_cases() {
    let both =
        |name: &str| [rows(&format!("{name}_development.jsonl")), rows(&format!("{name}_heldout.jsonl"))].concat();
    let responses = values(
        "hallucination",
        &both("ordinary/responses"),
        |row| Case {
            response: row["response"].as_str().map(Output::new),
            context: row["context"]
                .as_array()
                .map(|list| list.iter().map(|text| text.as_str().unwrap().into()).collect()),
            ..Case::default()
        },
        |row| row["label"] == 0,
    );
    let exchange = |row: &Value| Case {
        query: row["user"].as_str().map(str::to_owned),
        response: row["assistant"].as_str().map(Output::new),
        ..Case::default()
    };
    let exchanges = both("ordinary/exchanges");
    let reassurance = values("unverifiable_reassurance", &exchanges, exchange, |row| row["first"]["reassurance"] == 1);
    let agency = values("agency_language", &exchanges, exchange, |row| row["first"]["agency"] == 1);
    for (name, cases) in
        [("hallucination", responses), ("unverifiable_reassurance", reassurance), ("agency_language", agency)]
    {
        for error in [0.05, 0.1, 0.2] {
            let guarantee = Guarantee { error, confidence: 0.95 };
            let (made, decided, broken) = splits(&cases, guarantee);
            println!(
                "{name}, {} cases, at most {error} wrong: {made} of {SPLITS} splits promise, {:.1} % decided, {broken} broken",
                cases.len(),
                100.0 * decided
            );
            assert!(broken as f64 <= 0.08 * SPLITS as f64, "{name}, {error}: {broken} broken");
        }
    }
}
