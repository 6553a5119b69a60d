//! Which tool wrote a file, by what is in it.

use serde::Deserialize;
use serde_json::{Map, Value as Json};

use super::document::{SourceDocument, finite};
use super::every_eval_ever::read as eee;
use super::promptfoo::read_csv as promptfoo_csv;
use super::zip::Archive;
use super::{ImportError, ImportFormat, deepeval, langfuse, langsmith, openai_platform, ragas};
use crate::agents;
use crate::traces::{has_member, is_otlp};

/// The format of a document.
pub(super) fn format(document: &SourceDocument) -> Result<ImportFormat, ImportError> {
    let unknown = |seen: String| ImportError::Unknown { file: document.name.clone(), seen };
    if Archive::is_zip(&document.bytes) {
        return Ok(ImportFormat::Inspect);
    }
    if document.bytes.starts_with(b"PAR1") {
        return Err(unknown("it is Parquet".to_owned()));
    }
    if document.bytes.trim_ascii().is_empty() {
        return Err(unknown("it is empty".to_owned()));
    }
    let text = String::from_utf8_lossy(&document.bytes);
    let text = finite(text.trim_start_matches('\u{feff}').trim_start());
    // The first value tells; what stands behind it may be damaged, which is found later and told with its place.
    let inner = text.strip_prefix('[').unwrap_or(&text);
    let first = match first(inner) {
        Ok(first) => first,
        Err(Some(seen)) => return Err(unknown(seen)),
        // A document that ends too early is still known by its start.
        Err(None) if promptfoo_csv::is_promptfoo_csv(&text) => return Ok(ImportFormat::Promptfoo),
        Err(None) => return by_words(&text).ok_or_else(|| unknown("it is neither JSON nor a zip archive".to_owned())),
    };
    of_value(&first).ok_or_else(|| unknown(keys(&first)))
}

/// The first value, if it is an object; else what was seen, if it is JSON at all.
fn first(text: &str) -> Result<Map<String, Json>, Option<String>> {
    let mut reader = serde_json::Deserializer::from_str(text);
    match Json::deserialize(&mut reader) {
        Ok(Json::Object(first)) => Ok(first),
        Ok(Json::Array(_)) => Err(Some("its first value is a list".to_owned())),
        Ok(other) => Err(Some(format!("its first value is {}", short(&other.to_string())))),
        Err(_) => Err(None),
    }
}

fn of_value(value: &Map<String, Json>) -> Option<ImportFormat> {
    let has = |key: &str| value.contains_key(key);
    if has_member(value.keys().map(String::as_str)) {
        return Some(ImportFormat::Otlp);
    }
    let results = value.get("results");
    if results.is_some_and(|results| results.get("results").is_some_and(Json::is_array))
        || has("testCase") && has("promptIdx")
    {
        return Some(ImportFormat::Promptfoo);
    }
    let run = value.get("testRunData").and_then(Json::as_object).unwrap_or(value);
    if run.get("testCases").is_some_and(Json::is_array)
        || run.get("conversationalTestCases").is_some_and(Json::is_array)
    {
        return Some(ImportFormat::Deepeval);
    }
    if openai_platform::is_platform_object(value) {
        return Some(ImportFormat::OpenaiPlatform);
    }
    if value.get("eval").is_some_and(Json::is_object) && (has("samples") || has("status") || has("plan")) {
        return Some(ImportFormat::Inspect);
    }
    if has("doc_id") && (has("resps") || has("filtered_resps")) {
        return Some(ImportFormat::LmEval);
    }
    if eee::is_eee_record(value) {
        return Some(ImportFormat::Eee);
    }
    let is_event = has("sample_id") && has("type") && has("data");
    if value.get("spec").is_some_and(Json::is_object) || is_event || has("input") && has("ideal") {
        return Some(ImportFormat::OpenaiEvals);
    }
    if ragas::is_sample(value) {
        return Some(ImportFormat::Ragas);
    }
    if langsmith::is_record(value) {
        return Some(ImportFormat::Langsmith);
    }
    if langfuse::is_record(value) {
        return Some(ImportFormat::Langfuse);
    }
    if deepeval::is_golden(value) {
        return Some(ImportFormat::Deepeval);
    }
    let has_messages = value.get("messages").and_then(Json::as_array).is_some_and(|list| agents::is_conversation(list));
    (has_messages || agents::is_session_line(value)).then_some(ImportFormat::Chat)
}

/// By words that stand in the first part of a damaged document.
fn by_words(text: &str) -> Option<ImportFormat> {
    if !text.starts_with(['{', '[']) {
        return None;
    }
    let start: String = text.chars().take(4096).collect();
    let has = |word: &str| start.contains(word);
    if is_otlp(&start) {
        Some(ImportFormat::Otlp)
    } else if has("\"evalId\"") {
        Some(ImportFormat::Promptfoo)
    } else if has("\"eval\"") && has("\"status\"") {
        Some(ImportFormat::Inspect)
    } else if has("\"testCases\"") || has("\"testRunData\"") {
        Some(ImportFormat::Deepeval)
    } else if has("\"doc_id\"") {
        Some(ImportFormat::LmEval)
    } else if ["\"testing_criteria\"", "\"eval.run", "\"datasource_item\"", "\"data_source_idx\""].into_iter().any(has)
    {
        Some(ImportFormat::OpenaiPlatform)
    } else if has("\"spec\"") || has("\"ideal\"") {
        Some(ImportFormat::OpenaiEvals)
    } else {
        has("\"messages\"").then_some(ImportFormat::Chat)
    }
}

/// What an object of no known kind holds.
fn keys(value: &Map<String, Json>) -> String {
    if value.is_empty() {
        return "its first object is empty".to_owned();
    }
    let names: Vec<String> = value.keys().take(8).map(|key| format!("`{}`", short(key))).collect();
    let more = if value.len() > 8 { format!(" and {} more", value.len() - 8) } else { String::new() };
    format!("its first object has {}{more}", names.join(", "))
}

fn short(text: &str) -> String {
    const MOST: usize = 40;
    let start: String = text.chars().take(MOST).collect();
    if start.len() < text.len() { format!("{start}…") } else { start }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn detected(text: &str) -> Result<ImportFormat, String> {
        format(&SourceDocument::new(text.as_bytes().to_vec(), "f")).map_err(|error| error.to_string())
    }

    #[test]
    fn the_content_tells_the_format() {
        assert_eq!(detected(r#"{"evalId":"e","results":{"version":3,"results":[]}}"#), Ok(ImportFormat::Promptfoo));
        assert_eq!(detected(r#"{"version":2,"status":"success","eval":{}}"#), Ok(ImportFormat::Inspect));
        assert_eq!(detected("{\"doc_id\":0,\"resps\":[]}\n{broken"), Ok(ImportFormat::LmEval));
        assert_eq!(detected(r#"{"spec":{"run_id":"x"}}"#), Ok(ImportFormat::OpenaiEvals));
        assert_eq!(detected(r#"{"input":"a","ideal":"b"}"#), Ok(ImportFormat::OpenaiEvals));
        assert_eq!(detected(r#"{"testCases":[],"testPassed":0}"#), Ok(ImportFormat::Deepeval));
        assert_eq!(detected("{\"resourceSpans\": [{\"scopeSpans\": [broken"), Ok(ImportFormat::Otlp));
        assert_eq!(detected(r#"{"resource_logs":[]}"#), Ok(ImportFormat::Otlp));
        assert_eq!(detected("q,[echo] p,Status,Score,Named Scores\n"), Ok(ImportFormat::Promptfoo));
        assert_eq!(detected(r#" [{"messages":[{"role":"user","content":"a"}]}]"#), Ok(ImportFormat::Chat));
    }

    #[test]
    fn an_unknown_file_says_what_was_seen() {
        assert_eq!(detected(""), Err("the format of `f` is not known: it is empty".to_owned()));
        assert_eq!(
            detected("a,b\n1,2\n"),
            Err("the format of `f` is not known: it is neither JSON nor a zip archive".to_owned())
        );
        assert_eq!(detected("7"), Err("the format of `f` is not known: its first value is 7".to_owned()));
        assert_eq!(
            detected(r#"{"question":"q","answer":"a"}"#),
            Err("the format of `f` is not known: its first object has `question`, `answer`".to_owned())
        );
    }
}
