//! Claims against hand-labelled ones: the last word of subject, verb and object, and the negation.

use std::collections::BTreeMap;

use probare_english::Parser;
use probare_english::claims::{Claim, ClaimOptions, claims};
use probare_testing::golden;
use serde_json::Value;

type Key = ([String; 3], bool);

fn last_word(text: &str) -> String {
    text.split_whitespace().next_back().unwrap_or_default().to_lowercase()
}

fn found(claim: &Claim) -> Key {
    ([&claim.subject.text, &claim.verb.text, &claim.object.text].map(|text| last_word(text)), claim.negated)
}

fn labelled(case: &Value) -> Vec<Key> {
    let anchors = case["anchors"].as_array().map(Vec::as_slice).unwrap_or_default();
    anchors
        .iter()
        .filter(|anchor| anchor["type"] == "claim")
        .map(|anchor| {
            let component = |index: usize| last_word(anchor["components"][index].as_str().unwrap_or_default());
            ([component(0), component(1), component(2)], anchor["negated"].as_bool().unwrap_or(false))
        })
        .collect()
}

#[test]
fn precision_and_recall_reach_95_percent() {
    let (mut right, mut all_found, mut all_labelled) = (0_u32, 0_u32, 0_u32);
    let mut differences = Vec::new();
    golden("rag_metrics", "hallucination.jsonl", |case| {
        let response = case["response"].as_str().unwrap_or_default();
        let mut open: BTreeMap<Key, u32> = BTreeMap::new();
        for key in labelled(case) {
            all_labelled += 1;
            *open.entry(key).or_default() += 1;
        }
        for claim in claims(&Parser::english().parse(response), &ClaimOptions::published()) {
            all_found += 1;
            let key = found(&claim);
            match open.get_mut(&key).filter(|count| **count > 0) {
                Some(count) => {
                    *count -= 1;
                    right += 1;
                }
                None => differences.push(format!("not labelled: {key:?} in `{response}`")),
            }
        }
        for (key, _) in open.iter().filter(|(_, count)| **count > 0) {
            differences.push(format!("not found: {key:?} in `{response}`"));
        }
        Ok(())
    });
    eprintln!("{}", differences.join("\n"));
    let precision = f64::from(right) / f64::from(all_found.max(1));
    let recall = f64::from(right) / f64::from(all_labelled.max(1));
    eprintln!("claims: precision {precision:.3}, recall {recall:.3} of {all_labelled}");
    assert!(precision >= 0.95 && recall >= 0.95, "precision {precision:.3}, recall {recall:.3}");
}
