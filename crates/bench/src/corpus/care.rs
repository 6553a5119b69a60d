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

fn case(number: usize, exchange: &Json) -> Case {
    Case {
        id: format!("ROW-{number}"),
        query: exchange["user"].as_str().map(str::to_owned),
        response: exchange["assistant"].as_str().map(Output::new),
        ..Case::default()
    }
}
