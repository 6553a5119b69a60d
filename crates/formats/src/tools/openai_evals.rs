//! OpenAI evals: the records that a run writes as JSON lines, and the samples that it starts from.

use std::collections::BTreeMap;

use probare_core::{Case, ErrorKind, Outcome, Output, ScoreError};
use serde::Deserialize;
use serde_json::{Map, Value as Json, json};

use super::document::{SourceDocument, as_text, as_texts};
use super::{ImportError, ImportFormat, ImportedCases, ORIGIN, content, put, scores};

const FORMAT: ImportFormat = ImportFormat::OpenaiEvals;

/// What the record has where a grader's words name none of its choices.
const INVALID: &str = "__invalid__";

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
struct SampleEvents {
    /// What was asked before it was sampled.
    prompt: Json,
    /// What models were asked and said, in order.
    sampled: Vec<(Json, Option<String>)>,
    /// What a match says was sampled.
    matched: Option<String>,
    /// Choices that a model made about the answer: so many of the last samples are a grader's.
    graded: usize,
    expected: Option<Vec<String>>,
    told: Map<String, Json>,
    error: Option<String>,
    further: Vec<Json>,
}

pub(super) fn read(document: &SourceDocument) -> Result<ImportedCases, ImportError> {
    let text = document.text(FORMAT)?;
    let mut imported = ImportedCases::default();
    let mut spec = Spec::default();
    let mut order: Vec<String> = Vec::new();
    let mut samples: BTreeMap<String, SampleEvents> = BTreeMap::new();
    for value in document.values(&text, FORMAT)? {
        let line: Line = document.parse_part(&text, value, FORMAT)?;
        if let Some(found) = line.spec {
            spec = found;
        } else if let (Some(id), Some(kind)) = (&line.sample_id, &line.kind) {
            let sample = samples.entry(id.clone()).or_insert_with(|| {
                order.push(id.clone());
                SampleEvents::default()
            });
            sample.take(kind, &line.data.unwrap_or_default());
        } else if !line.input.is_null() {
            imported.push(unanswered_case(imported.cases.len() + 1, &line.input, &line.ideal, line.rest), Map::new());
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
fn unanswered_case(number: usize, input: &Json, ideal: &Json, mut rest: Map<String, Json>) -> Case {
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

impl SampleEvents {
    /// Takes in what happened.
    fn take(&mut self, kind: &str, data: &Json) {
        match kind {
            "sampling" => {
                let prompt = data.get("prompt").cloned().unwrap_or_default();
                self.sampled.push((prompt, data.get("sampled").and_then(first)));
            }
            "raw_sample" => {
                if self.prompt.is_null() {
                    self.prompt = data.get("input").cloned().unwrap_or_default();
                }
                self.expected = self.expected.take().or_else(|| as_texts(data.get("ideal")?));
            }
            "match" => {
                self.expected = data.get("expected").and_then(as_texts).or(self.expected.take());
                self.matched = data.get("sampled").and_then(first).or(self.matched.take());
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
                        Json::String(word) if kind == "metrics" && word == INVALID => {
                            self.graded += 1;
                            let error = ScoreError::other(ErrorKind::Unparseable, "the grader made no choice");
                            scores::add(&mut self.told, name, Err(error));
                        }
                        Json::String(word) if kind == "metrics" => {
                            self.graded += 1;
                            let reason = format!("the record has `{word}`, which is not a number");
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
        let graders = self.sampled.split_off(self.sampled.len().saturating_sub(self.graded));
        // Of several outputs the last one was judged.
        let (prompt, sampled) = self.sampled.pop().unwrap_or_default();
        if !prompt.is_null() {
            self.prompt = prompt;
        }
        // A match of an answer that nobody sampled has it itself.
        let sampled = sampled.or(self.matched.take());
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
        if !graders.is_empty() {
            let said = graders.into_iter().map(|(prompt, sampled)| json!({"prompt": prompt, "sampled": sampled}));
            origin["graders"] = said.collect();
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
            response: sampled.map(|text| Output { text, model: model.cloned(), repeat: 0 }),
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

#[cfg(test)]
mod tests {
    use crate::tools::read_foreign;

    /// As `ModelBasedClassify` of OpenAI evals records it: the answer, the grader, and the choice.
    fn graded(choice: &str) -> String {
        [
            r#"{"spec": {"eval_name": "joke", "completion_fns": ["m"], "run_id": "r"}}"#.to_owned(),
            r#"{"run_id": "r", "event_id": 0, "sample_id": "a.0", "type": "sampling", "data": {"prompt":
               [{"role": "user", "content": "Tell a joke."}], "sampled": ["A horse walks in."]}}"#
                .replace('\n', " "),
            r#"{"run_id": "r", "event_id": 1, "sample_id": "a.0", "type": "sampling", "data": {"prompt":
               [{"role": "user", "content": "Is this funny? A horse walks in."}], "sampled": ["Reasoning: Yes"]}}"#
                .replace('\n', " "),
            format!(r#"{{"run_id": "r", "event_id": 2, "sample_id": "a.0", "type": "metrics", "data": {{"choice": "{choice}"}}}}"#),
        ]
        .join("\n")
    }

    #[test]
    fn the_answer_is_the_models_and_not_the_graders() {
        let (_, imported) = read_foreign(graded("Yes").into_bytes(), "f", None, None).unwrap();
        let case = &imported.cases[0];
        assert_eq!(case.query.as_deref(), Some("Tell a joke."));
        assert_eq!(case.response.as_ref().unwrap().text, "A horse walks in.");
        assert_eq!(case.metadata["imported"]["graders"][0]["sampled"], "Reasoning: Yes");
    }

    #[test]
    fn a_grader_that_made_no_choice_gave_no_score() {
        let (_, imported) = read_foreign(graded("__invalid__").into_bytes(), "f", None, None).unwrap();
        assert_eq!(imported.cases[0].metadata["scores"]["choice"]["kind"], "unparseable");
    }
}
