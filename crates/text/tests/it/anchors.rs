//! Numbers and dates of answers, and their evidence, against the golden vectors.

use std::fmt::Write as _;

use probare_testing::{golden, list, same, text};
use probare_text::anchors::{AnchorKind, find_anchors, find_support};
use proptest::prelude::*;
use serde_json::Value;

/// The kind of a labelled anchor; claims are read elsewhere.
fn kind(anchor: &Value) -> Option<AnchorKind> {
    match anchor["type"].as_str()? {
        "numeric" => Some(AnchorKind::Numeric),
        "date" => Some(AnchorKind::Date),
        _ => None,
    }
}

fn chunks(case: &Value) -> Result<Vec<&str>, String> {
    Ok(list(case, "context")?.iter().filter_map(Value::as_str).collect())
}

#[test]
fn golden_evidence() {
    golden("rag_metrics", "evidence.jsonl", |case| {
        let anchor = &case["anchor"];
        let Some(kind) = kind(anchor) else { return Ok(()) };
        let found = find_support(text(anchor, "text")?, kind, &chunks(case)?);
        same("supported", &case["supported"].as_bool(), &Some(found.is_some()))
    });
}

#[test]
fn golden_hallucination() {
    golden("rag_metrics", "hallucination.jsonl", |case| {
        let response = text(case, "response")?;
        let chunks = chunks(case)?;
        let mut expected: Vec<(AnchorKind, String, bool)> = list(case, "anchors")?
            .iter()
            .filter_map(|anchor| {
                let words = anchor["text"].as_str()?.to_owned();
                Some((kind(anchor)?, words, anchor["supported"].as_bool()?))
            })
            .collect();
        let mut got: Vec<(AnchorKind, String, bool)> = find_anchors(response)
            .iter()
            .map(|anchor| {
                let words = anchor.text(response);
                (anchor.kind, words.to_owned(), find_support(words, anchor.kind, &chunks).is_some())
            })
            .collect();
        // The order of the labels means nothing.
        expected.sort();
        got.sort();
        same("anchors", &expected, &got)
    });
}

#[test]
fn evidence_is_where_it_says() {
    let context = ["Nothing here.", "It opened on 15 March 2016 with 1,250 members."];
    let support = find_support("March 2016", AnchorKind::Date, &context).unwrap();
    assert_eq!((support.chunk, &context[1][support.span]), (1, "15 March 2016"));
    let support = find_support("1250", AnchorKind::Numeric, &context).unwrap();
    assert_eq!((support.chunk, &context[1][support.span]), (1, "1,250"));
}

/// Pieces that numbers and dates are made of, in any order.
fn pieces() -> impl Strategy<Value = String> {
    let piece = prop::sample::select(vec![
        "5",
        "12",
        "1,250",
        "12,50",
        "2016",
        "31",
        "9:15",
        "2016-03-15",
        "15/03/2016",
        "2.0.1",
        "½",
        "0",
        "1990s",
        "$",
        "€",
        "US$",
        "%",
        "°C",
        "-",
        "–",
        "/",
        ":",
        ".",
        ",",
        "'",
        "(",
        "+",
        "km",
        "m",
        "k",
        "bn",
        "s",
        "th",
        "am",
        "p.m.",
        "a",
        "the",
        "one",
        "twenty",
        "hundred",
        "million",
        "and",
        "point",
        "half",
        "past",
        "quarter",
        "of",
        "Q3",
        "FY",
        "BC",
        "AD",
        "March",
        "may",
        "Sept",
        "Sunday",
        "Sat",
        "last",
        "this",
        "year",
        "yesterday",
        "hours",
        "second",
        "third",
        "century",
        "dollars",
        "U.S.",
        "kroner",
        "percent",
        "per",
        "cent",
        "degrees",
        "Celsius",
        "ago",
        "dozen",
        "minus",
        "o'clock",
        "nineties",
        "mid",
        "T",
        "Z",
        "é",
        "日",
        "\u{a0}",
        "\n",
        "99999999999999999999999",
    ]);
    prop::collection::vec((piece, prop::sample::select(vec!["", " ", " ", "-"])), 0..14).prop_map(|pieces| {
        pieces.into_iter().fold(String::new(), |mut text, (piece, gap)| {
            write!(text, "{piece}{gap}").expect("a string takes all");
            text
        })
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn anchors_of_any_text_are_in_order_and_inside(text in prop_oneof![pieces(), any::<String>(), "[ -~]{0,60}"]) {
        let anchors = find_anchors(&text);
        for anchor in &anchors {
            prop_assert!(!anchor.span.is_empty() && text.get(anchor.span.clone()).is_some());
            find_support(anchor.text(&text), anchor.kind, &[&text]);
        }
        for pair in anchors.windows(2) {
            prop_assert!(pair[0].span.end <= pair[1].span.start, "{pair:?}");
        }
    }

    #[test]
    fn a_text_bears_out_what_it_says(text in pieces()) {
        use probare_text::{dates, quantities};
        for anchor in find_anchors(&text) {
            let words = anchor.text(&text);
            let is_readable = match anchor.kind {
                AnchorKind::Numeric => quantities::parse(words).is_some(),
                AnchorKind::Date => dates::parse(words).is_some(),
            };
            // Only a numeral with commas in the wrong places is an anchor that cannot be read.
            prop_assert!(is_readable || words.contains(','), "{words:?} of {text:?}");
            if is_readable {
                prop_assert!(find_support(words, anchor.kind, &[&text]).is_some(), "{words:?}");
            }
        }
    }
}
