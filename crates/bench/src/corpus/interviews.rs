//! Answers to questions about interviews: each type of question with what it expects, and quotations of a transcript.

use probare_core::{Case, Citation, Output, Passage};
use probare_stats::Random;
use serde_json::{Value as Json, json};

use super::text;
use crate::quotations;

/// What people are asked about; each answer names some of these.
const VALUES: [&str; 16] = [
    "funding",
    "permits",
    "volunteers",
    "weather",
    "transport",
    "housing",
    "training",
    "noise",
    "pollution",
    "fishing",
    "solar energy",
    "wind energy",
    "public support",
    "bicycle",
    "market prices",
    "clean water",
];

/// Values that one question knows.
const VALUES_PER_QUESTION: usize = 6;
/// Words of a transcript that quotations come from.
const TRANSCRIPT_WORDS: usize = 2_000;
/// Quotations of one answer.
const QUOTATIONS: usize = 10;

/// So many cases for a metric of the family.
pub fn cases(metric: &str, count: usize, seed: u64) -> Vec<Case> {
    let mut random = Random::new(seed);
    (0..count)
        .map(|number| {
            let id = format!("answer-{number}");
            match metric {
                "verbatim" => Case { id, ..quoting(&mut random) },
                "yes_no" => Case { id, ..yes_no(&mut random) },
                "yes_no_rationale" => Case { id, ..rationale(&mut random) },
                _ => Case { id, ..naming(&mut random) },
            }
        })
        .collect()
}

fn question_case(query: &str, response: String, metric: Json) -> Case {
    let metadata = [("metric".to_owned(), metric)].into_iter().collect();
    Case { query: Some(query.to_owned()), response: Some(Output::new(response)), metadata, ..Case::default() }
}

fn yes_no(random: &mut Random) -> Case {
    let expected = ["yes", "no"][random.below(2)];
    let response = format!("{}, {}", opening(random), text(random, 30));
    question_case("Did they get any public support?", response, json!(expected))
}

fn rationale(random: &mut Random) -> Case {
    let values = draw_values(random);
    let response = format!("{}, because of {} and {}. {}", opening(random), values[0], values[1], text(random, 30));
    let reasons: serde_json::Map<String, Json> =
        values.iter().take(4).map(|value| (value.clone(), json!(0.25))).collect();
    question_case("Did the project change over the years?", response, json!({"answer": "yes", "rationale": reasons}))
}

/// Names two of the values of its question, one of them perhaps with a slip or denied.
fn naming(random: &mut Random) -> Case {
    let values = draw_values(random);
    let first = match random.below(4) {
        // A letter is missing.
        0 => format!("{}{}", &values[0][..1], &values[0][2..]),
        1 => format!("not {}", values[0]),
        _ => values[0].clone(),
    };
    let response = format!("They spoke of {first} and of {}. {}", values[1], text(random, 30));
    let weights: serde_json::Map<String, Json> = values
        .iter()
        .enumerate()
        .map(|(place, value)| (value.clone(), json!(if place < 4 { 0.25 } else { 0.0 })))
        .collect();
    question_case("What did they need most at the beginning?", response, Json::Object(weights))
}

fn quoting(random: &mut Random) -> Case {
    let transcript = text(random, TRANSCRIPT_WORDS);
    let citations = (0..QUOTATIONS)
        .map(|number| Citation {
            source_index: json!(0),
            quote: json!(quotations::citation(&transcript, number * 2, random)),
            source: None,
        })
        .collect();
    Case { context: Some(vec![Passage::from(transcript.as_str())]), citations: Some(citations), ..Case::default() }
}

fn opening(random: &mut Random) -> &'static str {
    const OPENINGS: [&str; 6] = ["Yes", "No", "Absolutely", "Not at all", "Probably not", "It seems so"];
    OPENINGS[random.below(OPENINGS.len())]
}

/// Different values in a drawn order.
fn draw_values(random: &mut Random) -> Vec<String> {
    let mut values = VALUES;
    for place in 0..VALUES_PER_QUESTION {
        values.swap(place, place + random.below(VALUES.len() - place));
    }
    values[..VALUES_PER_QUESTION].iter().map(|value| (*value).to_owned()).collect()
}
