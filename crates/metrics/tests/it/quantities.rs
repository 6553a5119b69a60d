//! Numbers, dates, times and units in the improved metrics: sentences written for one idea each, `tests/labelled/quantities/README.md`.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use probare_core::{Case, Output, Profile, Sample};
use probare_metrics::rag::hallucination::{AnchorFinding, AnchorType, HallucinationSettings, examine};
use probare_metrics::registry;
use serde::Deserialize;
use serde::de::DeserializeOwned;

#[derive(Deserialize)]
struct Sentence {
    id: String,
    row: String,
    context: String,
    response: String,
    number: String,
    borne_out: bool,
}

#[derive(Deserialize)]
struct Judged {
    id: String,
    question: String,
    reference: String,
    answer: String,
    right: bool,
}

fn read<T: DeserializeOwned>(file: &str) -> Vec<T> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/labelled/quantities").join(file);
    let content = fs::read_to_string(path).expect("the sentences are part of the repository");
    content.lines().map(|line| serde_json::from_str(line).expect("each line is one of them")).collect()
}

/// The finding of the last number of a response with these words; nothing where it is not looked for.
fn finding(context: &str, response: &str, number: &str) -> Option<AnchorFinding> {
    let start = response.rfind(number).expect("the number stands in the response");
    let settings = HallucinationSettings { is_improved: true, ..HallucinationSettings::default() };
    let is_number = |finding: &AnchorFinding| matches!(finding.kind, AnchorType::Numeric | AnchorType::Date);
    let is_here = |finding: &AnchorFinding| {
        finding.span.as_ref().is_some_and(|span| span.start < start + number.len() && start < span.end)
    };
    examine(response, &[context], &settings)
        .findings
        .into_iter()
        .rfind(|finding| is_number(finding) && is_here(finding))
}

/// Share of the sentences of each idea that are judged right, just under what is measured.
const RIGHT: [(&str, f64); 5] = [("M1", 0.96), ("M18", 0.92), ("M2", 0.98), ("M9", 0.98), ("N6", 0.96)];

#[test]
fn labelled_numbers_are_borne_out_within_their_kind() {
    let mut rows: BTreeMap<String, (usize, usize)> = BTreeMap::new();
    for sentence in read::<Sentence>("sentences.jsonl") {
        let found = finding(&sentence.context, &sentence.response, &sentence.number);
        let is_right = found.as_ref().is_some_and(|found| found.is_supported() == sentence.borne_out);
        if !is_right {
            println!("{}: {} | {} | {found:?}", sentence.id, sentence.context, sentence.response);
        }
        let (right, all) = rows.entry(sentence.row).or_default();
        *right += usize::from(is_right);
        *all += 1;
    }
    println!("{rows:?}");
    for ((row, (right, all)), (expected, least)) in rows.iter().zip(RIGHT) {
        assert_eq!(row, expected);
        assert!(*all >= 60 && *right as f64 >= least * *all as f64, "{row}: {right} of {all}");
    }
}

#[test]
fn labelled_numbers_are_answers_within_their_kind() {
    let metric = registry().get("answer_match").unwrap().build(serde_json::Value::Null, Profile::Published).unwrap();
    let answers: Vec<Judged> = read("answers.jsonl");
    let mut right = 0;
    for answer in &answers {
        let case = Case {
            query: Some(answer.question.clone()),
            reference: Some(vec![answer.reference.clone()]),
            response: Some(Output::new(&answer.answer)),
            ..Case::default()
        };
        let outcome = metric.score(Sample::from_case(&case)).unwrap();
        // The value also holds how much of the question the answer takes up; whether the number is the same is what was matched.
        let is_matched = outcome.score().and_then(|score| score.parts.get("matched")).is_some_and(|part| part >= 0.5);
        let is_right = is_matched == answer.right;
        if !is_right {
            println!("{}: {} | {}", answer.id, answer.reference, answer.answer);
        }
        right += usize::from(is_right);
    }
    assert!(answers.len() >= 60 && right as f64 >= 0.96 * answers.len() as f64, "{right} of {}", answers.len());
}

#[test]
fn a_true_number_is_found_however_many_others_are_near() {
    let context: String = (0..2_000).map(|lot| format!("Lot {lot} fetched {} euros. ", 10_000 + 7 * lot)).collect();
    for lot in (0..2_000).step_by(401) {
        let price = 10_000 + 7 * lot;
        let is_borne_out = |price: i32| {
            let number = format!("{price} euros");
            finding(&context, &format!("Lot {lot} fetched {number}."), &number)
                .is_some_and(|found| found.is_supported())
        };
        assert!(is_borne_out(price) && !is_borne_out(price + 3), "{price}");
    }
}

#[test]
fn what_is_worked_out_is_shown() {
    let note = |context: &str, response: &str, number: &str| {
        let found = finding(context, response, number).expect("it is looked for");
        assert!(found.is_supported(), "{response}: {found:?}");
        found.reason().map(str::to_owned)
    };
    for (context, response, number, expected) in [
        ("The trail is 3.1 miles long.", "The trail is 5 km long.", "5 km", "converted: `3.1 miles` = 4.989 km"),
        ("It stores 0.5 kWh.", "It stores 500 Wh.", "500 Wh", "converted: `0.5 kWh` = 500 Wh"),
        ("A quarter of them cycle.", "25 % of them cycle.", "25 %", "converted: `A quarter` = 25 %"),
        ("The vote was on 16 November 2026.", "It was on a Monday.", "Monday", "by the calendar: `16 November 2026`"),
        (
            "The fair runs from 3 May to 24 May.",
            "The fair lasts three weeks in total.",
            "three weeks",
            "follows: 3 May to 24 May = three weeks",
        ),
        ("A ticket costs €12.", "Three tickets cost €36.", "€36", "follows: €12 × Three = €36"),
        ("The town has 51,200 people.", "The town has over 50,000 people.", "50,000", "within its bound: `51,200`"),
    ] {
        assert_eq!(note(context, response, number).as_deref(), Some(expected), "{response}");
    }
    assert_eq!(note("It has 16 players.", "It has sixteen players.", "sixteen"), None);
}
