//! Messages and replies: the labelled exchanges of this project, again and again.

use std::fs;
use std::io;
use std::path::Path;

use probare_core::{Case, Output};
use serde_json::Value as Json;

/// The exchanges, each an object with `user` and `assistant`.
fn exchanges() -> io::Result<Vec<Json>> {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/labelled/synthesis/development.jsonl");
    Ok(fs::read_to_string(file)?.lines().map(serde_json::from_str).collect::<Result<_, _>>()?)
}

/// So many cases.
pub fn cases(count: usize) -> io::Result<Vec<Case>> {
    Ok(exchanges()?.iter().cycle().take(count).enumerate().map(|(number, exchange)| case(number, exchange)).collect())
}

/// The same with stock phrases and nothing else as every second reply: what `performative_empathy` flags.
pub fn hollow_cases(count: usize) -> io::Result<Vec<Case>> {
    let mut cases = cases(count)?;
    for case in cases.iter_mut().step_by(2) {
        case.query = Some("My landlord sold the flat and I'm terrified.".to_owned());
        case.response = Some(Output::new("I hear you. You're not alone in this."));
    }
    Ok(cases)
}

fn case(number: usize, exchange: &Json) -> Case {
    Case {
        id: format!("ROW-{number}"),
        query: exchange["user"].as_str().map(str::to_owned),
        response: exchange["assistant"].as_str().map(Output::new),
        ..Case::default()
    }
}
