//! Results that the dashboard of OpenAI Evals downloads, held against what promptfoo's import makes of them.

use probare_formats::read_foreign;
use probare_testing::{Golden, close, same};
use serde_json::{Map, Value};

fn check(vector: &Value) -> Result<(), String> {
    let row = &vector["row"];
    let read = read_foreign(row.to_string().into_bytes(), "row", None, None);
    let is_refused = vector["refused"] == true;
    let case = match read {
        Err(_) if is_refused => return Ok(()),
        Err(error) => return Err(error.to_string()),
        Ok((_, imported)) => imported.cases.into_iter().next().ok_or("no case")?,
    };
    let scores = case.metadata.get("scores").and_then(Value::as_object).cloned().unwrap_or_default();
    let label = |name: &str| scores.get(name).and_then(|score| score["label"].as_str());
    // Whatever else differs: nothing passes that the file does not call passed.
    for name in scores.keys().filter(|name| label(name) == Some("pass")) {
        same(&format!("`passes` of {name}"), &Value::from(true), &row["passes"][name])?;
    }
    if is_refused {
        // What promptfoo refuses is read as far as it can be.
        return Ok(());
    }
    let said = case.response.as_ref().map_or(Value::Null, |output| Value::from(output.text.as_str()));
    same("output", &vector["output"], &said)?;
    let named = vector["namedScores"].as_object().cloned().unwrap_or_else(Map::new);
    same("graders", &named.len(), &scores.len())?;
    for (name, expected) in &named {
        let value = scores.get(name).and_then(|score| score["value"].as_f64()).ok_or_else(|| format!("no {name}"))?;
        close(name, expected.as_f64().unwrap_or(f64::NAN), value, 0.0)?;
    }
    let passed = scores.keys().filter(|name| label(name) == Some("pass")).count();
    let is_judged = !scores.is_empty() && scores.keys().all(|name| label(name).is_some());
    same("pass", &vector["pass"], &Value::from(is_judged && passed == scores.len()))?;
    let share = if is_judged { passed as f64 / scores.len() as f64 } else { 0.0 };
    close("score", vector["score"].as_f64().unwrap_or(f64::NAN), share, 1e-12)
}

#[test]
fn golden_openai_import() {
    let unjudged = "without `passes` nothing was judged here; promptfoo lets it pass";
    let mut golden = Golden::new("promptfoo", "openai_import.jsonl");
    for (id, reason) in [
        ("openai_import/3", unjudged),
        ("openai_import/9", "`error: null` is no error here"),
        ("openai_import/10", "of several outputs the last is the response"),
        ("openai_import/13", "tool calls are calls of the case, not its text"),
        ("openai_import/22", unjudged),
    ] {
        golden = golden.with_known_disagreement(id, reason);
    }
    golden.check_lines(check);
}
