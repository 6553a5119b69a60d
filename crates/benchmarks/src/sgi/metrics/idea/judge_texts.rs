//! How an idea and its surroundings are shown to a judge.

use probare_text::python::{PyValue, strip};
use serde_json::{Map, Value as Json};

use super::FIELDS;

/// The fields of the row that a judge is shown beside the two ideas.
const CONTEXT: [&str; 6] =
    ["related_work", "challenge", "limitation", "motivation", "task_objective", "existing_solutions"];

/// The fields of an idea, each as `name: value` with an empty line between them; what is empty is left out.
pub fn idea_text(idea: &PyValue) -> String {
    join_fields(FIELDS.iter().filter_map(|name| Some((*name, idea.get(name)?.clone()))))
}

/// The same for what stands around the ideas in the row.
pub fn context_text(row: &Map<String, Json>) -> String {
    join_fields(CONTEXT.iter().filter_map(|name| Some((*name, PyValue::from(row.get(*name)?)))))
}

fn join_fields<'a>(fields: impl Iterator<Item = (&'a str, PyValue)>) -> String {
    let shown: Vec<String> = fields
        .filter(|(_, value)| value.is_truthy())
        .map(|(name, value)| format!("{name}: {}", value.to_text()))
        .collect();
    strip(&shown.join("\n\n")).to_owned()
}
