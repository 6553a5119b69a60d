//! Samples of lm-eval: the lines of `samples_*.jsonl`, which `--log_samples` writes.

use probare_core::{Case, Outcome, Output};
use serde_json::{Map, Value as Json, json};

use super::document::{SourceDocument, as_text, as_texts};
use super::{ImportError, ImportFormat, ImportedCases, ORIGIN, put, scores};

const FORMAT: ImportFormat = ImportFormat::LmEval;

/// What a line holds beside scores.
const KNOWN: [&str; 11] = [
    "doc_id",
    "doc",
    "target",
    "arguments",
    "resps",
    "filtered_resps",
    "filter",
    "metrics",
    "doc_hash",
    "prompt_hash",
    "target_hash",
];

pub(super) fn read(document: &SourceDocument) -> Result<ImportedCases, ImportError> {
    let text = document.text(FORMAT)?;
    let mut imported = ImportedCases::default();
    for value in document.values(&text, FORMAT)? {
        let row: Map<String, Json> = document.parse_part(&text, value, FORMAT)?;
        let Some(id) = row.get("doc_id").filter(|id| !id.is_null()) else {
            return Err(document.broken(FORMAT, &format!("row {}", imported.cases.len() + 1), "it has no `doc_id`"));
        };
        let (case, told) = case(as_text(id), &row);
        imported.push(case, told);
    }
    Ok(imported)
}

fn case(mut id: String, row: &Map<String, Json>) -> (Case, Map<String, Json>) {
    let filter = row.get("filter").and_then(Json::as_str).unwrap_or("none");
    if filter != "none" {
        id = format!("{id}/{filter}");
    }
    let requests = requests(row.get("arguments"));
    let replies = row.get("filtered_resps").or_else(|| row.get("resps")).unwrap_or(&Json::Null);
    let chosen = chosen(replies);
    let (response, how) = match chosen {
        Some(at) => (requests.get(at).and_then(|(_, continuation)| continuation.clone()), "loglikelihood"),
        None => (first_text(replies), "generated"),
    };
    let target = row.get("target").unwrap_or(&Json::Null);
    // The number of the right continuation stands there as a number or as a text.
    let number = target.as_u64().or_else(|| target.as_str()?.parse().ok());
    let reference = match (chosen, number.and_then(|at| usize::try_from(at).ok())) {
        (Some(_), Some(at)) => match requests.get(at).and_then(|(_, continuation)| continuation.clone()) {
            Some(text) => Some(vec![text]),
            None => as_texts(target),
        },
        _ => as_texts(target),
    };
    let mut metadata = Map::new();
    put(&mut metadata, ORIGIN, json!({"from": FORMAT.name(), "filter": filter, "output": how}));
    if let Some(doc) = row.get("doc").filter(|doc| !doc.is_null()) {
        put(&mut metadata, "doc", doc.clone());
    }
    if chosen.is_some() {
        put(&mut metadata, "resps", replies.clone());
        let continuations: Vec<_> = requests.iter().map(|(_, continuation)| continuation).collect();
        put(&mut metadata, "choices", json!(continuations));
    }
    let case = Case {
        id,
        query: requests.first().and_then(|(context, _)| context.clone()),
        response: response.map(Output::new),
        reference,
        metadata,
        ..Case::default()
    };
    (case, metric_scores(row))
}

/// What each metric said of the sample.
fn metric_scores(row: &Map<String, Json>) -> Map<String, Json> {
    let mut told = Map::new();
    let named: Vec<&str> =
        row.get("metrics").and_then(Json::as_array).into_iter().flatten().filter_map(Json::as_str).collect();
    let is_metric = |name: &str, value: &Json| {
        // Older versions do not list them.
        if named.is_empty() { !KNOWN.contains(&name) && scores::number(value).is_some() } else { named.contains(&name) }
    };
    for (name, value) in row.iter().filter(|(name, value)| is_metric(name, value)) {
        let outcome = scores::number(value).map_or_else(
            || Ok(Outcome::not_applicable("lm-eval computes it over the whole set and not for single samples")),
            |number| scores::value(number, None, None),
        );
        scores::add(&mut told, name, outcome);
    }
    told
}

/// Context and continuation of every request: an object of `gen_args_0`, … with `arg_0`, …, or a list of lists.
fn requests(arguments: Option<&Json>) -> Vec<(Option<String>, Option<String>)> {
    let text = |value: Option<&Json>| value.and_then(Json::as_str).map(str::to_owned);
    // A continuation begins with the space that parts it from its context.
    let next = |value: Option<&Json>| value.and_then(Json::as_str).map(|text| text.trim_start().to_owned());
    match arguments {
        Some(Json::Object(all)) => all.values().map(|one| (text(one.get("arg_0")), next(one.get("arg_1")))).collect(),
        Some(Json::Array(all)) => all.iter().map(|one| (text(one.get(0)), next(one.get(1)))).collect(),
        _ => Vec::new(),
    }
}

/// Which continuation is likeliest, where the replies are likelihoods: pairs of a number and whether it is the greedy one.
fn chosen(replies: &Json) -> Option<usize> {
    let mut best: Option<(usize, f64)> = None;
    for (at, reply) in replies.as_array()?.iter().enumerate() {
        // Unfiltered ones are in a list of their own.
        let reply = reply.get(0).filter(|inner| inner.is_array()).unwrap_or(reply);
        let is_pair = reply.as_array().is_some_and(|pair| pair.len() == 2);
        let number = reply.get(0).filter(|_| is_pair).and_then(likelihood)?;
        if best.is_none_or(|(_, least)| number > least) {
            best = Some((at, number));
        }
    }
    best.map(|(at, _)| at)
}

/// A number, also where the file has it as a text.
fn likelihood(value: &Json) -> Option<f64> {
    value.as_f64().or_else(|| value.as_str()?.parse().ok())
}

/// The first text among the replies.
fn first_text(replies: &Json) -> Option<String> {
    match replies {
        Json::String(text) => Some(text.clone()),
        Json::Array(items) => items.first().and_then(first_text),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_likeliest_continuation_is_the_answer() {
        let replies = json!([[-3.5, false], [-0.5, true], ["-2.0", "False"]]);
        assert_eq!(chosen(&replies), Some(1));
        assert_eq!(chosen(&json!(["a text"])), None);
        assert_eq!(first_text(&json!([["one", "two"]])).as_deref(), Some("one"));
    }
}
