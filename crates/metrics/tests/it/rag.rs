//! Golden vectors of the family `rag`: exact for relevance, completeness and single anchors, graded for whole responses.

use std::collections::BTreeMap;

use probare_metrics::rag::hallucination::{AnchorFinding, AnchorType, HallucinationSettings, claim_support, examine};
use probare_metrics::rag::{completeness, relevance};
use probare_testing::{Golden, close, golden, list, number, same, text};
use probare_text::anchors::{AnchorKind, find_support};
use serde_json::Value;

fn optional(expected: &Value, field: &str, got: Option<f64>) -> Result<(), String> {
    match (expected.get(field).and_then(Value::as_f64), got) {
        (Some(expected), Some(got)) => close(field, expected, got, 1e-9),
        (expected, got) => same(field, &expected, &got),
    }
}

#[test]
fn golden_relevance() {
    golden("rag_metrics", "relevance.jsonl", |case| {
        let comparison = relevance::compare(text(case, "query")?, text(case, "response")?);
        close("relevance", number(case, "relevance")?, comparison.value(), 1e-9)?;
        optional(case, "cosine", comparison.cosine)?;
        optional(case, "jaccard", comparison.jaccard)
    });
}

#[test]
fn golden_completeness() {
    golden("rag_metrics", "completeness.jsonl", |case| {
        let (query, response) = (text(case, "query")?, text(case, "response")?);
        let coverage = completeness::keyword_coverage(query, response);
        close("completeness", number(case, "completeness")?, coverage.value, 1e-9)?;
        let lowered = |words: Vec<&str>| {
            let mut words: Vec<String> = words.into_iter().map(probare_text::python::lower).collect();
            words.sort();
            words
        };
        let common = coverage.keywords.iter().filter_map(|keyword| keyword.response_span.clone());
        let expected: Vec<&str> = list(case, "common")?.iter().filter_map(Value::as_str).collect();
        same("common", &lowered(expected), &lowered(common.map(|span| &response[span]).collect()))
    });
}

fn chunks(case: &Value) -> Result<Vec<&str>, String> {
    Ok(list(case, "context")?.iter().filter_map(Value::as_str).collect())
}

#[test]
fn golden_evidence() {
    golden("rag_metrics", "evidence.jsonl", |case| {
        let anchor = case.get("anchor").ok_or("no anchor")?;
        let chunks = chunks(case)?;
        let words = text(anchor, "text")?;
        let got = match text(anchor, "type")? {
            "numeric" => find_support(words, AnchorKind::Numeric, &chunks).is_some(),
            "date" => find_support(words, AnchorKind::Date, &chunks).is_some(),
            _ => {
                let components: Vec<&str> = list(anchor, "components")?.iter().filter_map(Value::as_str).collect();
                let components = components.try_into().map_err(|_| "three components")?;
                let is_negated = anchor.get("negated") == Some(&Value::Bool(true));
                claim_support(components, is_negated, &chunks).is_some()
            }
        };
        same(&format!("support of `{words}`"), &case.get("supported").and_then(Value::as_bool), &Some(got))
    });
}

/// An anchor for comparison: type and words; for a claim the last word of each component.
type Key = (String, String);

fn last_words<'a>(components: impl Iterator<Item = &'a str>) -> String {
    let last = |text: &str| text.split_whitespace().next_back().unwrap_or_default().to_lowercase();
    components.map(last).collect::<Vec<_>>().join(" ")
}

/// Right, found and labelled anchors.
#[derive(Debug, Default)]
struct Counts {
    right: f64,
    found: f64,
    labelled: f64,
}

impl Counts {
    fn add(&mut self, found: &[Key], labelled: &[Key]) {
        let mut open: BTreeMap<&Key, u32> = BTreeMap::new();
        for key in labelled {
            *open.entry(key).or_default() += 1;
        }
        self.found += found.len() as f64;
        self.labelled += labelled.len() as f64;
        for key in found {
            if let Some(count) = open.get_mut(key).filter(|count| **count > 0) {
                *count -= 1;
                self.right += 1.0;
            }
        }
    }

    fn precision(&self) -> f64 {
        self.right / self.found.max(1.0)
    }

    fn recall(&self) -> f64 {
        self.right / self.labelled.max(1.0)
    }
}

#[derive(Debug, Default)]
struct Grades {
    /// By type and text.
    anchors: Counts,
    /// By last words.
    claims: Counts,
    matched: f64,
    judged_alike: f64,
    cases: f64,
    exact: f64,
}

impl Grades {
    /// Adds a case; the error says what differs.
    fn add(&mut self, case: &Value) -> Result<(), String> {
        let (response, chunks) = (text(case, "response")?, chunks(case)?);
        let examination = examine(response, &chunks, &HallucinationSettings::default());
        let expected = number(case.get("expected").ok_or("nothing is expected")?, "hallucination")?;
        let is_exact = (examination.value() - expected).abs() <= 1e-9;
        self.cases += 1.0;
        self.exact += f64::from(u8::from(is_exact));
        let mut differences = Vec::new();
        if !is_exact {
            differences.push(format!("expected {expected}, got {}", examination.value()));
        }
        // Without a context the list is a remark of the labels; the rule does not look at it.
        if chunks.iter().any(|chunk| !chunk.trim().is_empty()) {
            self.compare(&examination.findings, list(case, "anchors")?, &mut differences)?;
        }
        if differences.is_empty() { Ok(()) } else { Err(format!("`{response}`: {}", differences.join("; "))) }
    }

    fn compare(
        &mut self,
        found: &[AnchorFinding],
        labels: &[Value],
        differences: &mut Vec<String>,
    ) -> Result<(), String> {
        let mut labelled: Vec<(Key, bool)> = Vec::new();
        let mut labelled_claims = Vec::new();
        for label in labels {
            let key = (text(label, "type")?.to_owned(), text(label, "text")?.to_owned());
            if let Some(components) = label.get("components").and_then(Value::as_array) {
                labelled_claims.push(("claim".to_owned(), last_words(components.iter().filter_map(Value::as_str))));
            }
            labelled.push((key, label.get("supported") == Some(&Value::Bool(true))));
        }
        let keys: Vec<Key> =
            found.iter().map(|finding| (finding.kind.name().to_owned(), finding.text.clone())).collect();
        let claims: Vec<Key> = found
            .iter()
            .filter(|finding| finding.kind == AnchorType::Claim)
            .filter_map(|finding| finding.components.as_ref())
            .map(|components| ("claim".to_owned(), last_words(components.iter().map(String::as_str))))
            .collect();
        let labelled_keys: Vec<Key> = labelled.iter().map(|(key, _)| key.clone()).collect();
        self.anchors.add(&keys, &labelled_keys);
        self.claims.add(&claims, &labelled_claims);
        for (key, finding) in keys.iter().zip(found) {
            match labelled.iter().find(|(label, _)| label == key) {
                Some((_, is_supported)) => {
                    self.matched += 1.0;
                    if *is_supported == finding.is_supported() {
                        self.judged_alike += 1.0;
                    } else {
                        differences.push(format!("{key:?} is labelled {is_supported}: {:?}", finding.verdict));
                    }
                }
                None => differences.push(format!("{key:?} is not labelled")),
            }
        }
        differences.extend(labelled_keys.iter().filter(|key| !keys.contains(key)).map(|key| format!("no {key:?}")));
        Ok(())
    }
}

#[test]
fn golden_hallucination() {
    let mut grades = Grades::default();
    // Every disagreement is printed; the floors below decide.
    Golden::new("rag_metrics", "hallucination.jsonl").with_least_share(0.0).check_lines(|case| grades.add(case));
    if grades.cases == 0.0 {
        // Another folder of vectors need not hold this file.
        return;
    }
    let Grades { anchors, claims, .. } = &grades;
    let support = grades.judged_alike / grades.matched.max(1.0);
    let exact = grades.exact / grades.cases;
    eprintln!(
        "anchors: precision {:.4}, recall {:.4} of {}; claims by last words: precision {:.4}, recall {:.4} of {}; \
         support right on {support:.4} of {}; exact scores {exact:.4} of {}",
        anchors.precision(),
        anchors.recall(),
        anchors.labelled,
        claims.precision(),
        claims.recall(),
        claims.labelled,
        grades.matched,
        grades.cases,
    );
    assert!(anchors.precision() >= 0.97 && anchors.recall() >= 0.97, "{anchors:?}");
    assert!(claims.precision() >= 0.95 && claims.recall() >= 0.95, "{claims:?}");
    assert!(support >= 0.98, "support right on {support}");
    assert!(exact >= 0.95, "exact on {exact}");
}

/// Whether the improved definition finds every number and date of a response borne out.
fn bears_out(response: &str, context: &str) -> bool {
    let found =
        examine(response, &[context], &HallucinationSettings { is_improved: true, ..HallucinationSettings::default() });
    let mut numbers =
        found.findings.iter().filter(|finding| matches!(finding.kind, AnchorType::Numeric | AnchorType::Date));
    numbers.all(AnchorFinding::is_supported)
}

#[test]
fn numbers_in_another_shape_are_borne_out() {
    for (response, context) in [
        ("The seeds need 64 to 70 °F.", "Keep the seeds at 18 to 21 °C."),
        ("They open from 9 until 12.", "Open between 9 am and noon."),
        ("The café serves from 9 until 4.", "Soup and cake from 9 to 16."),
        ("The club meets at half past three.", "The club meets at 15.30."),
        ("Come at 7:15 pm.", "The choir meets from 7:15 to 9:15 pm."),
        ("Rinse gently from day two.", "Do not rinse on the day itself; from the second day on rinse gently."),
        ("The fee is CHF 40.", "The fee of 40 francs includes soup."),
        ("You may deduct 10% of your income.", "Donations count up to a tenth of your income."),
        ("The 19-year-old Orr scored.", "Orr, 19, scored."),
        ("With 10,000 crowns in the account you get a card.", "Every account comes with a card."),
        ("It won't run on version 14.", "It needs version 15 or later."),
        ("Sales fell by 30.", "Sales were 410 in May and 380 in June."),
    ] {
        assert!(bears_out(response, context), "{response}");
    }
    for (response, context) in [
        ("The seeds need 90 °F.", "Keep the seeds at 18 to 21 °C."),
        ("The club meets at half past four.", "The club meets at 15.30."),
        ("You may deduct 12% of your income.", "Donations count up to a tenth of your income."),
        ("The fee is CHF 45.", "The fee of 40 francs includes soup."),
        ("The 21-year-old Orr scored.", "Orr, 19, scored."),
    ] {
        assert!(!bears_out(response, context), "{response}");
    }
}

#[test]
fn a_denial_counts_where_the_same_word_is_denied_on_one_side() {
    let is_opposed = |response: &str, context: &str| {
        let found = examine(
            response,
            &[context],
            &HallucinationSettings { is_improved: true, ..HallucinationSettings::default() },
        );
        found.sentences.iter().any(|sentence| sentence.shares.opposed > 0.0)
    };
    for (response, context) in [
        ("The committee approved the new budget.", "The committee has not approved the new budget."),
        ("The new trains do not stop at Harlow.", "The new trains stop at Harlow."),
        ("The union accepted the offer.", "The union rejected the offer."),
    ] {
        assert!(is_opposed(response, context), "{response}");
    }
    for (response, context) in [
        ("The vaccine does not contain eggs.", "The vaccine contains no eggs and no preservatives."),
        ("Wait 24 hours before you rinse the mouth.", "Do not rinse the mouth for 24 hours."),
        ("The day was lengthened for the same pay.", "The day was lengthened without more pay."),
        ("Most restaurants shut in winter, but two stay open.", "Most restaurants close in winter; two stay open."),
        ("A nut-free packed lunch is needed.", "Children need a packed lunch without nuts."),
    ] {
        assert!(!is_opposed(response, context), "{response}");
    }
}

#[test]
fn another_name_among_the_same_words_accuses_nobody() {
    let label = |response: &str, context: &str| {
        examine(response, &[context], &HallucinationSettings { is_improved: true, ..HallucinationSettings::default() })
            .label()
            .to_owned()
    };
    assert_eq!(label("The plant is located in Odense.", "The plant is located in Aarhus."), "unsure");
    assert_eq!(label("The plant is located in Odense.", "The plant is located by a river."), "unsure");
    // Thousands of names in one sentence are read in proportion; none of them stands in the context.
    let many = |vowel: char| {
        let names: String = (0..4000).map(|number| format!("Br{vowel}{number}x and ")).collect();
        format!("The guests were {names}others.")
    };
    assert_eq!(label(&many('a'), &many('o')), "unsupported");
}

/// Rows of the review: facts that are swapped among shared words.
#[test]
fn swapped_facts_are_not_supported() {
    let label = |response: &str, context: &str| {
        examine(response, &[context], &HallucinationSettings { is_improved: true, ..HallucinationSettings::default() })
            .label()
            .to_owned()
    };
    let dose = "Take two tablets every six hours with water, and no more than eight tablets in 24 hours.";
    let hotel = "Check-in is from 3 pm and check-out is before 11 am. The restaurant is closed on Wednesdays. Pets are not allowed in the rooms.";
    let firm = "Ruth Amsel founded the company in 1987, and Pieter Claes joined it in 1993. The share price rose from 12 to 15 euros.";
    for (response, context, expected) in [
        ("Take two tablets every six hours with water.", dose, "supported"),
        ("Take two tablets every eight hours with water, and no more than six tablets in 24 hours.", dose, "unsure"),
        ("Check-in is from 11 am and check-out is before 3 pm.", hotel, "unsure"),
        ("The restaurant is open on Wednesdays.", hotel, "unsure"),
        ("Pets are allowed in the rooms.", hotel, "unsure"),
        ("Pieter Claes founded the company in 1987, and Ruth Amsel joined it in 1993.", firm, "unsure"),
        ("The share price rose to 12 euros.", firm, "unsure"),
    ] {
        assert_eq!(label(response, context), expected, "{response}");
    }
}
