//! Transcripts with calls of tools: those of the example, again and again; and values in JSON.

use std::io;
use std::path::Path;

use probare_core::{Case, Output};
use probare_formats::{CaseReader, ReadOptions};
use serde_json::json;

/// So many cases for a metric.
pub fn cases(id: &str, count: usize) -> io::Result<Vec<Case>> {
    let pair = match id {
        "numeric_diff" => Some(("12.5", "13")),
        "json_diff" | "json_match" => {
            Some((r#"{"city": "Bern", "days": [1, 2, 4], "wet": true}"#, r#"{"city": "Basel", "days": [1, 2, 3]}"#))
        }
        "list_contains" => Some((r#"["ferry", "train", "bus"]"#, r#"["train", "tram"]"#)),
        _ => None,
    };
    // What a run with an agent leaves in its cases.
    let left_by_a_run = || {
        json!({
            "input_tokens": 1_200, "output_tokens": 90, "cost_usd": 0.002, "latency_ms": 800,
            "expected_state": [{"table": "orders", "where": {"id": 7}, "rows": [{"status": "paid"}]}, {"unchanged": true}],
            "state": [{"rows": {"count": 1, "rows": [{"status": "paid"}]}}, {"changes": []}],
        })
    };
    let known = match pair {
        None if matches!(id, "end_state" | "usage") => {
            vec![Case { metadata: serde_json::from_value(left_by_a_run())?, ..Case::default() }]
        }
        Some((response, reference)) => vec![Case {
            response: Some(Output::new(response)),
            reference: Some(vec![reference.to_owned()]),
            ..Case::default()
        }],
        None => transcripts()?,
    };
    Ok(known
        .into_iter()
        .cycle()
        .take(count)
        .enumerate()
        .map(|(number, case)| Case { id: number.to_string(), ..case })
        .collect())
}

#[expect(clippy::disallowed_methods, reason = "the cases are handed to metrics, and no run is made")]
fn transcripts() -> io::Result<Vec<Case>> {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/agents/transcripts.jsonl");
    let rows = CaseReader::open(&file.display().to_string(), &ReadOptions::default()).map_err(io::Error::other)?;
    let mut cases = Vec::new();
    for batch in rows {
        for case in batch.map_err(io::Error::other)?.cases() {
            let case = case.map_err(|problem| io::Error::other(problem.reason))?;
            cases.push(Case { expected_messages: case.messages.clone(), ..case });
        }
    }
    Ok(cases)
}
