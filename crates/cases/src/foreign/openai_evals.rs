//! OpenAI evals: the records that a run writes as JSON lines, and the samples that it starts from.

use std::collections::BTreeMap;

use probare_core::{Case, Outcome, Output};
use serde::Deserialize;
use serde_json::{Map, Value as Json, json};

use super::document::{Document, as_text, as_texts};
use super::{Foreign, ForeignError, Imported, ORIGIN, content, put, scores};

const FORMAT: Foreign = Foreign::OpenaiEvals;

/// A line: what the run is, something that happened to a sample, or a sample that was not run.
#[derive(Deserialize)]
struct Line {
    spec: Option<Spec>,
    sample_id: Option<String>,
    #[serde(rename = "type")]
    kind: Option<String>,
    data: Option<Json>,
    #[serde(default)]
    input: Json,
    #[serde(default)]
    ideal: Json,
    #[serde(flatten)]
    rest: Map<String, Json>,
}

#[derive(Default, Deserialize)]
struct Spec {
    eval_name: Option<String>,
    run_id: Option<String>,
    completion_fns: Option<Vec<String>>,
}

/// What is known of a sample.
#[derive(Default)]
struct Gathered {
    prompt: Json,
    sampled: Option<String>,
    expected: Option<Vec<String>>,
    told: Map<String, Json>,
    error: Option<String>,
    further: Vec<Json>,
}

pub(super) fn read(document: &Document) -> Result<Imported, ForeignError> {
    let text = document.text(FORMAT)?;
    let mut imported = Imported::default();
    let mut spec = Spec::default();
    let mut order: Vec<String> = Vec::new();
    let mut samples: BTreeMap<String, Gathered> = BTreeMap::new();
    for value in document.values(&text, FORMAT)? {
        let line: Line = document.part(&text, value, FORMAT)?;
        if let Some(found) = line.spec {
            spec = found;
        } else if let (Some(id), Some(kind)) = (&line.sample_id, &line.kind) {
            let sample = samples.entry(id.clone()).or_insert_with(|| {
                order.push(id.clone());
                Gathered::default()
            });
            sample.take(kind, &line.data.unwrap_or_default());
        } else if !line.input.is_null() {
            imported.push(unanswered(imported.cases.len() + 1, &line.input, &line.ideal, line.rest), Map::new());
        }
    }
    let model = spec.completion_fns.as_ref().and_then(|names| names.first()).cloned();
    for id in order {
        if let Some(sample) = samples.remove(&id) {
            let (case, told) = sample.case(id, &spec, model.as_ref());
            imported.push(case, told);
        }
    }
    Ok(imported)
}

/// A sample that was not run: a question and what would be right.
fn unanswered(number: usize, input: &Json, ideal: &Json, mut rest: Map<String, Json>) -> Case {
    let id = rest.shift_remove("id").filter(|id| !id.is_null());
    let mut metadata = rest;
    put(&mut metadata, ORIGIN, json!({"from": FORMAT.name()}));
    if content::is_messages(input) {
        put(&mut metadata, "messages", input.clone());
    }
    Case {
        id: id.map_or_else(|| number.to_string(), |id| as_text(&id)),
        query: content::prompt(input),
        reference: as_texts(ideal),
        metadata,
        ..Case::default()
    }
}

impl Gathered {
    /// Takes in what happened.
    fn take(&mut self, kind: &str, data: &Json) {
        match kind {
            "sampling" => {
                self.prompt = data.get("prompt").cloned().unwrap_or_default();
                // Of several outputs the last one was judged.
                self.sampled = data.get("sampled").and_then(first).or(self.sampled.take());
            }
            "raw_sample" => {
                if self.prompt.is_null() {
                    self.prompt = data.get("input").cloned().unwrap_or_default();
                }
                self.expected = self.expected.take().or_else(|| as_texts(data.get("ideal")?));
            }
            "match" => {
                self.expected = data.get("expected").and_then(as_texts).or(self.expected.take());
                if self.sampled.is_none() {
                    self.sampled = data.get("sampled").and_then(first);
                }
                if let Some(correct) = data.get("correct").and_then(scores::number) {
                    let picked = data.get("picked").and_then(first).map(|picked| format!("picked: {picked}"));
                    scores::add(&mut self.told, "match", scores::value(correct, None, picked.as_deref()));
                }
            }
            "metrics" | "embedding" | "cond_logp" | "pick_option" => {
                for (name, value) in data.as_object().into_iter().flatten() {
                    match value {
                        Json::Bool(_) | Json::Number(_) => {
                            let number = scores::number(value).unwrap_or_default();
                            scores::add(&mut self.told, name, scores::value(number, None, None));
                        }
                        Json::String(word) if kind == "metrics" => {
                            let reason = format!("the record has `{word}`, which is no number");
                            scores::add(&mut self.told, name, Ok(Outcome::not_applicable(reason)));
                        }
                        _ => {}
                    }
                }
            }
            "error" => self.error = Some(data.get("message").map_or_else(|| data.to_string(), as_text)),
            _ => self.further.push(json!({"type": kind, "data": data})),
        }
    }

    fn case(mut self, id: String, spec: &Spec, model: Option<&String>) -> (Case, Map<String, Json>) {
        let mut metadata = Map::new();
        let mut origin = json!({"from": FORMAT.name()});
        for (name, value) in [("eval", &spec.eval_name), ("run", &spec.run_id), ("error", &self.error)] {
            if let Some(text) = value {
                origin[name] = json!(text);
            }
        }
        if let Some(error) = self.error.take().filter(|_| self.told.is_empty()) {
            scores::add(&mut self.told, "match", scores::failed(error));
        }
        put(&mut metadata, ORIGIN, origin);
        if content::is_messages(&self.prompt) {
            put(&mut metadata, "messages", self.prompt.clone());
        }
        if !self.further.is_empty() {
            put(&mut metadata, "events", Json::Array(self.further));
        }
        let case = Case {
            id,
            query: content::prompt(&self.prompt),
            response: self.sampled.map(|text| Output { text, model: model.cloned(), repeat: 0 }),
            reference: self.expected,
            metadata,
            ..Case::default()
        };
        (case, self.told)
    }
}

/// A text, or the first of a list.
fn first(value: &Json) -> Option<String> {
    match value {
        Json::String(text) => Some(text.clone()),
        Json::Array(items) => items.first().and_then(first),
        _ => None,
    }
}
