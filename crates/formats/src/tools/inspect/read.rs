//! Logs of Inspect: a zip archive (`.eval`) with a file a sample, or one JSON document.

use std::borrow::Cow;

use probare_core::{Case, CaseMessage, CaseMessagePart, Outcome, Output, ScoreError};
use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Map, Value as Json, json};

use crate::agents;
use crate::tools::document::{SourceDocument, as_text, as_texts, cause, finite};
use crate::tools::zip::Archive;
use crate::tools::{ImportError, ImportFormat, ImportedCases, ORIGIN, content, put, scores};

const FORMAT: ImportFormat = ImportFormat::Inspect;

/// What stands before the name of a long text that is kept once for the whole sample.
const ATTACHMENT: &str = "attachment://";

#[derive(Deserialize)]
struct Log<'a> {
    #[serde(default)]
    status: Option<String>,
    #[serde(default)]
    eval: Spec,
    #[serde(borrow, default)]
    samples: Option<Vec<&'a RawValue>>,
}

/// What an archive says beside its samples.
#[derive(Deserialize)]
struct Header {
    status: Option<String>,
    #[serde(default)]
    eval: Spec,
}

#[derive(Default, Deserialize)]
struct Spec {
    task: Option<String>,
    model: Option<String>,
    created: Option<String>,
    eval_id: Option<String>,
    dataset: Option<Dataset>,
}

#[derive(Deserialize)]
struct Dataset {
    name: Option<String>,
}

#[derive(Deserialize)]
struct Sample {
    id: Json,
    #[serde(default)]
    epoch: Option<u32>,
    #[serde(default)]
    input: Json,
    choices: Option<Json>,
    #[serde(default)]
    target: Json,
    #[serde(default)]
    messages: Vec<Json>,
    output: Option<ModelOutput>,
    scores: Option<Map<String, Json>>,
    metadata: Option<Map<String, Json>>,
    error: Option<Json>,
    limit: Option<Json>,
    model_usage: Option<Map<String, Json>>,
    total_time: Option<f64>,
    #[serde(default)]
    attachments: Map<String, Json>,
}

#[derive(Deserialize)]
struct ModelOutput {
    #[serde(default)]
    choices: Vec<Choice>,
    completion: Option<String>,
    error: Option<String>,
}

#[derive(Deserialize)]
struct Choice {
    message: Option<Json>,
}

pub(in crate::tools) fn read(document: &SourceDocument) -> Result<ImportedCases, ImportError> {
    let mut imported = if Archive::is_zip(&document.bytes) { of_archive(document)? } else { of_document(document)? };
    // Samples are written as they end; their place is by id and epoch.
    imported.cases.sort_by_cached_key(|case| match &case.response {
        Some(output) => u64::from(output.repeat),
        None => case.metadata[ORIGIN].get("epoch").and_then(Json::as_u64).unwrap_or(1).saturating_sub(1),
    });
    Ok(imported)
}

fn of_document(document: &SourceDocument) -> Result<ImportedCases, ImportError> {
    let text = document.text(FORMAT)?;
    let log: Log<'_> = document.parse_whole(&text, FORMAT)?;
    let mut imported = ImportedCases::default();
    note_status(&mut imported, log.status.as_deref());
    for part in log.samples.unwrap_or_default() {
        let sample: Sample = document.parse_part(&text, part, FORMAT)?;
        let (case, scores) = sample.case(&log.eval);
        imported.push(case, scores);
    }
    Ok(imported)
}

fn of_archive(document: &SourceDocument) -> Result<ImportedCases, ImportError> {
    let mut archive = Archive::new(&document.bytes).map_err(|reason| document.broken(FORMAT, "", reason))?;
    let mut imported = ImportedCases::default();
    let mut header: Option<Header> = member(document, &mut archive, "header.json")?;
    if header.is_none() {
        imported.notes.push("the log was not finished: samples under way are missing".to_owned());
        header = member(document, &mut archive, "_journal/start.json")?;
    }
    let Some(header) = header else {
        let reason = "the archive has neither `header.json` nor `_journal/start.json`";
        return Err(document.broken(FORMAT, "", reason));
    };
    note_status(&mut imported, header.status.as_deref());
    let is_sample =
        |name: &String| name.strip_prefix("samples/").is_some_and(|name| name.strip_suffix(".json").is_some());
    for name in archive.names().into_iter().filter(is_sample) {
        if let Some(sample) = member::<Sample>(document, &mut archive, &name)? {
            let (case, scores) = sample.case(&header.eval);
            imported.push(case, scores);
        }
    }
    Ok(imported)
}

fn note_status(imported: &mut ImportedCases, status: Option<&str>) {
    if let Some(status) = status.filter(|status| *status != "success") {
        imported.notes.push(format!("the log has the status `{status}`"));
    }
}

/// A member of an archive as a value of this type; nothing where it is not there.
fn member<T: for<'de> Deserialize<'de>>(
    document: &SourceDocument,
    archive: &mut Archive<'_>,
    name: &str,
) -> Result<Option<T>, ImportError> {
    let Some(read) = archive.read(name) else { return Ok(None) };
    let broken = |place: &str, reason: String| document.broken(FORMAT, place, reason);
    let bytes = read.map_err(|reason| broken(&format!("`{name}`"), reason))?;
    let text = String::from_utf8(bytes).map_err(|_| broken(&format!("`{name}`"), "it is not UTF-8".to_owned()))?;
    serde_json::from_str(&finite(&text))
        .map(Some)
        .map_err(|error| broken(&format!("`{name}`, line {}, column {}", error.line(), error.column()), cause(&error)))
}

impl Sample {
    fn case(mut self, spec: &Spec) -> (Case, Map<String, Json>) {
        let error = self.error.as_ref().map(|error| match error.get("message") {
            Some(message) => as_text(message),
            None => as_text(error),
        });
        let error = error.or_else(|| self.output.as_ref().and_then(|output| output.error.clone()));
        let mut told = Map::new();
        for (name, score) in self.scores.take().unwrap_or_default() {
            match &error {
                Some(error) => scores::add(&mut told, &name, scores::failed(error.clone())),
                None => add_score(&mut told, &name, &score),
            }
        }
        let mut metadata = self.metadata.take().unwrap_or_default();
        let origin = json!({
            "from": FORMAT.name(),
            "task": spec.task,
            "eval": spec.eval_id,
            "created": spec.created,
            "dataset": spec.dataset.as_ref().and_then(|dataset| dataset.name.as_ref()),
            "error": error,
            // Else the response says which one it is.
            "epoch": self.epoch.filter(|epoch| *epoch > 1 && error.is_some()),
            "limit": self.limit,
            "usage": self.model_usage,
            "seconds": self.total_time,
        });
        put(&mut metadata, ORIGIN, origin);
        if let Some(choices) = self.choices.take() {
            put(&mut metadata, "choices", choices);
        }
        // Beyond one question and one answer the whole conversation is of interest.
        let is_talk =
            self.messages.len() > 2 || self.messages.iter().any(|message| message.get("tool_calls").is_some());
        let messages = is_talk.then(|| self.conversation()).flatten();
        let query = content::prompt(&self.input).map(|text| self.resolve_attachment(text));
        let model = spec.model.clone();
        let repeat = self.epoch.unwrap_or(1).saturating_sub(1);
        // Whatever an interrupted sample had said so far is no answer.
        let answer = self.answer().filter(|_| error.is_none());
        let response = answer.map(|text| Output { text: self.resolve_attachment(text), model, repeat });
        let case = Case {
            id: as_text(&self.id),
            query,
            response,
            reference: as_texts(&self.target).filter(|targets| targets.iter().any(|target| !target.is_empty())),
            messages,
            metadata,
            ..Case::default()
        };
        (case, told)
    }

    /// What the model answered in the end.
    fn answer(&self) -> Option<String> {
        let output = self.output.as_ref()?;
        let message = output.choices.first().and_then(|choice| choice.message.as_ref());
        let said = message.and_then(|message| content::text(message.get("content")?));
        // A log writes an empty text also where the model was never asked.
        said.or_else(|| output.completion.clone().filter(|text| message.is_some() || !text.is_empty()))
    }

    /// All that was said and done, with the texts that are stored separately put in their places; nothing where it is not a list of
    /// messages.
    fn conversation(&mut self) -> Option<Vec<CaseMessage>> {
        let list = Json::Array(std::mem::take(&mut self.messages));
        let mut messages = agents::parse_conversation(&list)?.ok()?;
        for text in messages.iter_mut().flat_map(|message| {
            message.text.as_mut().into_iter().chain(message.parts.iter_mut().filter_map(|part| match part {
                CaseMessagePart::Text { text } | CaseMessagePart::Reasoning { text } => Some(text),
                CaseMessagePart::Other { .. } => None,
            }))
        }) {
            *text = self.resolve_attachment(std::mem::take(text));
        }
        Some(messages)
    }

    /// A text, or what it stands for.
    fn resolve_attachment(&self, text: String) -> String {
        let attached = text.strip_prefix(ATTACHMENT).and_then(|name| self.attachments.get(name)?.as_str());
        attached.map(str::to_owned).unwrap_or(text)
    }
}

/// A score of Inspect: a letter, a number, a truth value, or several of them under names.
fn add_score(told: &mut Map<String, Json>, name: &str, score: &Json) {
    let reason = score.get("explanation").and_then(Json::as_str);
    match score.get("value") {
        Some(Json::Object(values)) => {
            for (key, value) in values {
                scores::add(told, &format!("{name}.{key}"), outcome(value, reason));
            }
        }
        Some(Json::Array(values)) => {
            for (number, value) in values.iter().enumerate() {
                scores::add(told, &format!("{name}.{number}"), outcome(value, reason));
            }
        }
        Some(value) => scores::add(told, name, outcome(value, reason)),
        None => scores::add(told, name, outcome(&Json::Null, reason)),
    }
}

/// The number of a value, by the meaning that Inspect gives to letters and words.
fn outcome(value: &Json, reason: Option<&str>) -> Result<Outcome, ScoreError> {
    let number = match value {
        Json::String(word) => match word.to_ascii_lowercase().as_str() {
            "c" | "yes" | "true" => Some(1.0),
            "p" => Some(0.5),
            "i" | "n" | "no" | "false" => Some(0.0),
            other => other.parse().ok().filter(|number: &f64| number.is_finite()),
        },
        other => scores::number(other),
    };
    match number {
        Some(number) => scores::value(number, value.as_str(), reason),
        None if value.is_null() => Ok(Outcome::not_applicable("Inspect gave no value")),
        None => {
            let word: Cow<'_, str> = value.as_str().map_or_else(|| value.to_string().into(), Cow::Borrowed);
            Ok(Outcome::not_applicable(format!("Inspect gave `{word}`, which is not a number")))
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::tools::read_foreign;

    #[test]
    fn a_sample_with_an_error_is_failed_and_has_no_answer() {
        let text = r#"{"version": 2, "status": "error", "eval": {"task": "t", "model": "m"}, "samples": [
            {"id": "a", "epoch": 1, "input": "q", "target": "A", "output": {"model": "", "choices": [], "completion": ""},
             "error": {"message": "TimeoutError()"}, "scores": {"match": {"value": "I"}}},
            {"id": "a", "epoch": 2, "input": "q", "target": "A", "output": {"model": "m", "completion": "A", "choices":
             [{"message": {"role": "assistant", "content": "A"}}]}, "scores": {"match": {"value": "C"}}},
            {"id": "b", "epoch": 1, "input": "q", "target": "A", "output": {"choices": [], "completion": ""}},
            {"id": "c", "epoch": 1, "input": "q", "target": "A", "output": {"model": "m", "completion": "", "choices":
             [{"message": {"role": "assistant", "content": ""}}]}}]}"#;
        let (_, imported) = read_foreign(text.as_bytes().to_vec(), "f", None, None).unwrap();
        let answer = |at: usize| imported.cases[at].response.as_ref().map(|output| output.text.as_str());
        let ids: Vec<&str> = imported.cases.iter().map(|case| case.id.as_str()).collect();
        assert_eq!(ids, ["a", "b", "c", "a"]);
        assert_eq!((answer(0), answer(1), answer(2), answer(3)), (None, None, Some(""), Some("A")));
        assert_eq!(imported.cases[0].metadata["imported"]["error"], "TimeoutError()");
        assert_eq!(imported.cases[0].metadata["scores"]["match"]["kind"], "failed");
    }
}
