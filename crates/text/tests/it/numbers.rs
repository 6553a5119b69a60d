//! Normalised text and numbers in words against the golden vectors.

use probare_testing::{golden, same, text};
use probare_text::normalise::normalise;
use probare_text::number_words::{canonical, cardinal, ordinal, to_number};
use serde_json::Value;

#[test]
fn golden_normalise() {
    golden("socioscope", "normalise.jsonl", |case| {
        same("output", &text(case, "output")?.to_owned(), &normalise(text(case, "input")?))
    });
}

#[test]
fn golden_numbers() {
    golden("socioscope", "numbers.jsonl", |case| {
        let input = case.get("input").ok_or("no `input`")?;
        // Numbers are taken as their digits, since `to_words` spells more of them than a float can hold.
        let input = input.as_str().map_or_else(|| input.to_string(), str::to_owned);
        match (text(case, "op")?, case.get("kind").and_then(Value::as_str)) {
            ("to_words", Some("ordinal")) => same("ordinal", &words(case), &ordinal(&input)),
            ("to_words", _) => same("cardinal", &words(case), &cardinal(&input)),
            ("to_number", _) => same("number", &case["output"].as_f64(), &to_number(&input)),
            ("canonical", _) => same("canonical", &words(case), &Some(canonical(&input))),
            (operation, _) => Err(format!("unknown operation `{operation}`")),
        }
    });
}

fn words(case: &Value) -> Option<String> {
    case["output"].as_str().map(str::to_owned)
}
