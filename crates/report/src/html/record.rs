//! One case as the page keeps it: an entry of the index, which filters and sorts, and a record with its result line and its
//! texts, which is looked into when the case is opened. The script of the page shows both; all text stays text.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use probare_core::{Case, CaseResult, Field, FieldSpan, Message, MetricInfo, MetricResult, Outcome, Tone};
use schemars::JsonSchema;
use serde::Serialize;
use serde::ser::{SerializeSeq, Serializer};

use super::tone::{Tones, label_tone, step};
use crate::RendererOptions;
use crate::escape::{HTML_HIDDEN, TAG_CHARACTERS, excerpt};
use crate::status::{model_name, score};
use crate::timeline::{TimelineText, answer_text};
use crate::worst::Rank;

/// Bytes of one text that are kept.
const TEXT: usize = 20_000;

/// Items of a list field that are kept, and the bytes of each.
const ITEMS: usize = 20;
const ITEM: usize = 8_000;

/// Texts of messages and calls that are kept, besides those that evidence points at.
const PIECES: usize = 120;

/// Bytes of a question and of an answer in the table of a page.
const OPENING: usize = 220;

/// What the table of a page knows of an output.
#[derive(Debug, Serialize)]
struct CaseEntry {
    id: String,
    /// One value per metric.
    values: Vec<Cell>,
    /// Metrics by which the case fails.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    missed: Vec<usize>,
    /// Why it is no failure.
    #[serde(skip_serializing_if = "Option::is_none")]
    excuse: Option<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    tags: Vec<String>,
}

/// An output in the index of a page that is one file.
#[derive(Debug, Serialize)]
pub(super) struct IndexItem {
    /// Which part of the data has the record, and on which line; filled in by whoever writes it.
    pub(super) part: usize,
    pub(super) line: usize,
    entry: CaseEntry,
    #[serde(skip_serializing_if = "Option::is_none")]
    model: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    prompt: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    answered_by: Option<String>,
    #[serde(skip_serializing_if = "is_first")]
    repeat: u32,
    /// What makes the reader recognise the case.
    opening: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    answer: Option<String>,
    /// Largest and mean shortfall: worse comes first.
    shortfall: (f64, f64),
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
const fn is_first(repeat: &u32) -> bool {
    *repeat == 0
}

/// A value (`null` where there is a label alone) with its step and label; `null` where the question does not apply, `false` where it could not be scored.
#[derive(Debug)]
enum Cell {
    Scored { value: f64, step: usize, label: Option<(String, Option<Tone>)> },
    Labelled { label: (String, Option<Tone>) },
    NotApplicable,
    Failed,
}

impl Serialize for Cell {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::NotApplicable => serializer.serialize_none(),
            Self::Failed => serializer.serialize_bool(false),
            Self::Labelled { label: (label, tone) } => (None::<f64>, 0, label, tone).serialize(serializer),
            Self::Scored { value, step, label } => {
                let mut list = serializer.serialize_seq(None)?;
                list.serialize_element(value)?;
                list.serialize_element(step)?;
                if let Some((label, tone)) = label {
                    list.serialize_element(label)?;
                    list.serialize_element(tone)?;
                }
                list.end()
            }
        }
    }
}

/// One text of the case.
#[derive(Serialize)]
struct CaseText<'a> {
    field: Field,
    #[serde(skip_serializing_if = "Option::is_none")]
    index: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    path: Option<Cow<'a, str>>,
    name: String,
    text: Cow<'a, str>,
    /// Whether the text goes on.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    cut: bool,
    /// Items of the same field that are not here.
    #[serde(skip_serializing_if = "Option::is_none")]
    more: Option<usize>,
}

/// What a table shows of an output, as JSON: the id of its case, one value per metric, the metrics by which it fails, and its tags.
pub fn case_entry(
    result: &CaseResult,
    metrics: &[MetricInfo],
    options: &RendererOptions,
) -> serde_json::Result<String> {
    serde_json::to_string(&entry(result, metrics, options))
}

/// What is shown of a case once it is opened, as JSON: its result line, its texts, and the tones of its evidence.
pub fn case_record(result: &CaseResult, metrics: &[MetricInfo]) -> serde_json::Result<String> {
    record(result, metrics)
}

/// What the script of a page has to know.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct PageSettings {
    /// The metrics, in the order of their values.
    pub metrics: Vec<PageMetric>,
    /// First and last of the signs that a reader would not see.
    pub hidden: Vec<(u32, u32)>,
}

/// A metric, as the script of a page knows it.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct PageMetric {
    /// What its values are called in the results.
    pub name: String,
    /// What it measures.
    pub summary: String,
    /// Ends of its scale, where it has them.
    pub range: (Option<f64>, Option<f64>),
    /// `higher` or `lower`.
    pub better: &'static str,
}

/// What the script of a page has to know about these metrics.
pub fn page_settings(metrics: &[MetricInfo]) -> PageSettings {
    let end = |end: f64| end.is_finite().then_some(end);
    let metric = |metric: &MetricInfo| PageMetric {
        name: metric.name.clone(),
        summary: metric.summary.to_string(),
        range: (end(metric.range.0), end(metric.range.1)),
        better: metric.better.name(),
    };
    PageSettings {
        metrics: metrics.iter().map(metric).collect(),
        hidden: HTML_HIDDEN.iter().copied().chain([TAG_CHARACTERS]).collect(),
    }
}

/// An output as the index has it.
pub(super) fn index_item(
    result: &CaseResult,
    metrics: &[MetricInfo],
    options: &RendererOptions,
    rank: Rank,
) -> IndexItem {
    IndexItem {
        part: 0,
        line: 0,
        entry: entry(result, metrics, options),
        model: result.model.clone(),
        prompt: result.prompt.clone(),
        answered_by: result.answered_by().map(str::to_owned),
        repeat: result.repeat,
        opening: excerpt(case_opening(&result.case), OPENING),
        answer: answer_text(&result.case).map(|answer| excerpt(&answer, OPENING)),
        shortfall: rank.shortfalls(),
    }
}

fn entry(result: &CaseResult, metrics: &[MetricInfo], options: &RendererOptions) -> CaseEntry {
    let pairs = || metrics.iter().zip(&result.results);
    let fails = |(metric, named): &(&MetricInfo, &MetricResult)| {
        score(named).is_some_and(|score| options.failing_case(&metric.name, score.value.get()).next().is_some())
    };
    let failing: Vec<usize> = pairs().enumerate().filter(|(_, pair)| fails(pair)).map(|(at, _)| at).collect();
    let excused = result.excused.as_deref().filter(|_| !failing.is_empty()).map(|excuse| excerpt(excuse, 200));
    CaseEntry {
        id: result.case.id.clone(),
        values: pairs().map(|(metric, named)| cell(metric, named)).collect(),
        missed: if excused.is_some() { Vec::new() } else { failing },
        excuse: excused,
        tags: result.case.tags.iter().take(ITEMS).map(|tag| excerpt(tag, 80)).collect(),
    }
}

fn cell(metric: &MetricInfo, named: &MetricResult) -> Cell {
    match named {
        Ok(Outcome::Scored(score)) => {
            let value = score.value.get();
            let label = score.label.as_deref().map(|label| (excerpt(label, 40), label_tone(label)));
            Cell::Scored { value, step: step(metric, value), label }
        }
        Ok(Outcome::Labelled(label)) => Cell::Labelled { label: (excerpt(&label.label, 40), label_tone(&label.label)) },
        Ok(Outcome::NotApplicable { .. }) => Cell::NotApplicable,
        Err(_) => Cell::Failed,
    }
}

/// What makes the reader recognise the case: what was asked, or else what was answered or quoted.
pub fn case_opening(case: &Case) -> &str {
    let answered = || case.text(Field::Response, None).or_else(|| case.text(Field::Citations, Some(0)));
    case.query.as_deref().or_else(answered).unwrap_or("")
}

/// The record of a case, as JSON: its result line, its texts, and for each metric the tones of its evidence.
pub(super) fn record(result: &CaseResult, metrics: &[MetricInfo]) -> serde_json::Result<String> {
    let tones =
        |(metric, named): (&MetricInfo, &MetricResult)| score(named).map(|score| Tones::for_score(metric, score));
    let tones: Vec<Option<Tones>> = metrics.iter().zip(&result.results).map(tones).collect();
    // The line goes in as it is, so that the page holds the very bytes that other formats have.
    Ok(format!(
        "{{\"line\":{},\"texts\":{},\"tones\":{}{}}}",
        result.line_text(metrics),
        serde_json::to_string(&texts(result))?,
        serde_json::to_string(&tones)?,
        messages_json(result)?,
    ))
}

/// What the model was asked, message by message, where it is known and more than the question of the case.
fn messages_json(result: &CaseResult) -> serde_json::Result<String> {
    let is_question = |message: &Message| Some(message.text.as_str()) == result.case.query.as_deref();
    if result.asked.iter().all(is_question) {
        return Ok(String::new());
    }
    let messages: Vec<(&str, &str, bool)> = (result.asked.iter().take(ITEMS))
        .map(|message| {
            let (text, cut) = beginning(&message.text, ITEM);
            (message.role.name(), text, cut)
        })
        .collect();
    Ok(format!(",\"asked\":{}", serde_json::to_string(&messages)?))
}

/// The texts that evidence stands in, by field: items of lists, paths in the metadata.
struct EvidenceTexts<'a> {
    items: BTreeMap<Field, BTreeSet<usize>>,
    paths: BTreeSet<&'a str>,
}

fn evidence_texts(result: &CaseResult) -> EvidenceTexts<'_> {
    let mut pointed = EvidenceTexts { items: BTreeMap::new(), paths: BTreeSet::new() };
    for FieldSpan { field, index, path, .. } in places(result) {
        pointed.items.entry(*field).or_default().insert(index.unwrap_or(0));
        pointed.paths.extend(path.as_deref().filter(|_| *field == Field::Metadata));
    }
    pointed
}

/// The texts of the case, in the order in which a reader wants them.
fn texts(result: &CaseResult) -> Vec<CaseText<'_>> {
    let case = &result.case;
    let pointed = evidence_texts(result);
    let mut texts = Vec::new();
    let one = |field, name: String, text| {
        let (text, cut) = beginning(text, TEXT);
        CaseText { field, index: None, path: None, name, text: Cow::Borrowed(text), cut, more: None }
    };
    if let Some(query) = &case.query {
        texts.push(one(Field::Query, "Query".to_owned(), query));
    }
    if let Some(response) = &case.response {
        let own = || response.model.as_deref().map(|model| excerpt(model, 60));
        let model = model_name(result).or_else(own);
        let name = model.map_or_else(|| "Response".to_owned(), |model| format!("Response of {model}"));
        texts.push(one(Field::Response, name, &response.text));
    }
    for (field, singular) in [
        (Field::Reference, "Reference"),
        (Field::Context, "Passage"),
        (Field::Citations, "Citation"),
        (Field::Retrieved, "Retrieved"),
        (Field::Relevant, "Relevant"),
    ] {
        texts.extend(items(case, field, singular, pointed.items.get(&field)));
    }
    for path in pointed.paths.iter().copied().take(ITEMS) {
        if let Some(text) = case.metadata_at(path).and_then(serde_json::Value::as_str) {
            let mut text = one(Field::Metadata, format!("Metadata {}", excerpt(path, 60)), text);
            text.path = Some(Cow::Borrowed(path));
            texts.push(text);
        }
    }
    texts.extend(timeline(result, &places(result)));
    texts
}

/// What an agent said and did. What evidence points at comes first when not all can be kept.
fn timeline<'a>(result: &'a CaseResult, places: &[&'a FieldSpan]) -> Vec<CaseText<'a>> {
    let pieces = crate::timeline::pieces(&result.case, places.iter().copied());
    let is_pointed = |piece: &TimelineText<'_>| {
        places.iter().any(|place| {
            (place.field, place.index, place.path.as_deref())
                == (piece.field, Some(piece.index), Some(piece.path.as_str()))
        })
    };
    let mut room = PIECES.saturating_sub(pieces.iter().filter(|piece| is_pointed(piece)).count());
    let mut left = 0;
    let mut shown = Vec::new();
    for piece in pieces {
        if !is_pointed(&piece) {
            if room == 0 {
                left += 1;
                continue;
            }
            room -= 1;
        }
        let cut = piece.text.len() > ITEM;
        let text = match piece.text {
            Cow::Borrowed(text) => Cow::Borrowed(beginning(text, ITEM).0),
            Cow::Owned(text) => Cow::Owned(beginning(&text, ITEM).0.to_owned()),
        };
        let name = excerpt(&piece.name, 100);
        let path = Some(Cow::Owned(piece.path));
        shown.push(CaseText { field: piece.field, index: Some(piece.index), path, name, text, cut, more: None });
    }
    if let Some(last) = shown.last_mut().filter(|_| left > 0) {
        last.more = Some(left);
    }
    shown
}

fn places(result: &CaseResult) -> Vec<&FieldSpan> {
    let evidence = result.results.iter().flatten().flat_map(Outcome::evidence);
    evidence.flat_map(|piece| [piece.place.as_ref(), piece.support.as_ref()]).flatten().collect()
}

/// The items of a list. Those that evidence points into come first when not all can be kept.
fn items<'a>(case: &'a Case, field: Field, singular: &str, pointed: Option<&BTreeSet<usize>>) -> Vec<CaseText<'a>> {
    let length = list_length(case, field);
    let is_pointed = |index: &usize| pointed.is_some_and(|pointed| pointed.contains(index));
    let mut chosen: Vec<usize> = (0..length).filter(is_pointed).take(ITEMS).collect();
    let room = ITEMS - chosen.len();
    chosen.extend((0..length).filter(|index| !is_pointed(index)).take(room));
    chosen.sort_unstable();
    let left = length - chosen.len();
    let last = chosen.last().copied();
    let text = |index: usize| {
        let (text, cut) = beginning(case.text(field, Some(index))?, ITEM);
        let mut name = if length == 1 { singular.to_owned() } else { format!("{singular} {}", index + 1) };
        if let Some(source) = citation_source(case, field, index) {
            name.push_str(&format!(", said to be from {}", excerpt(source, 60)));
        }
        let more = (left > 0 && last == Some(index)).then_some(left);
        Some(CaseText { field, index: Some(index), path: None, name, text: Cow::Borrowed(text), cut, more })
    };
    chosen.into_iter().filter_map(text).collect()
}

/// The text that a quotation names.
fn citation_source(case: &Case, field: Field, index: usize) -> Option<&str> {
    let citations = case.citations.as_ref().filter(|_| field == Field::Citations)?;
    citations.get(index)?.source.as_deref()
}

fn list_length(case: &Case, field: Field) -> usize {
    match field {
        Field::Context => case.context.as_ref().map_or(0, Vec::len),
        Field::Reference => case.reference.as_ref().map_or(0, Vec::len),
        Field::Citations => case.citations.as_ref().map_or(0, Vec::len),
        Field::Retrieved => case.retrieved.as_ref().map_or(0, Vec::len),
        Field::Relevant => case.relevant.as_ref().map_or(0, Vec::len),
        _ => 0,
    }
}

/// The first bytes of a text, and whether there is more.
fn beginning(text: &str, limit: usize) -> (&str, bool) {
    if text.len() <= limit { (text, false) } else { (&text[..text.floor_char_boundary(limit)], true) }
}

#[cfg(test)]
mod tests {
    use probare_core::{LabelOnly, ScoreParts};

    use crate::testing::{hostile, metrics, result};
    use crate::{Gate, Gates};

    use super::*;

    #[test]
    fn an_entry_says_what_the_table_shows() {
        let gates =
            Gates::new(vec![Gate::fail_if_any("relevance<0.7").unwrap(), Gate::fail_under("relevance=1").unwrap()]);
        let options = RendererOptions { gates, ..RendererOptions::default() };
        let mut result = result("a", 0.5);
        result.case.tags = vec!["new".into()];
        result.model = Some("small".into());
        let json = |result: &CaseResult| {
            let rank = Rank::for_case(&metrics(), result, 0);
            serde_json::to_string(&index_item(result, &metrics(), &options, rank)).unwrap()
        };
        insta::assert_snapshot!(json(&result), @r#"{"part":0,"line":0,"entry":{"id":"a","values":[[0.5,2],null,false],"missed":[0],"tags":["new"]},"model":"small","opening":"Why did books become cheap?","answer":"The press made books cheap.","shortfall":[1.0,0.75]}"#);
        result.excused = Some("on purpose".into());
        if let Ok(Outcome::Scored(score)) = &mut result.results[0] {
            score.label = Some("FAIL".into());
        }
        result.repeat = 1;
        insta::assert_snapshot!(json(&result), @r#"{"part":0,"line":0,"entry":{"id":"a","values":[[0.5,2,"FAIL","bad"],null,false],"excuse":"on purpose","tags":["new"]},"model":"small","repeat":1,"opening":"Why did books become cheap?","answer":"The press made books cheap.","shortfall":[1.0,0.75]}"#);
    }

    #[test]
    fn a_record_holds_the_result_line_and_the_texts() {
        let json: serde_json::Value = serde_json::from_str(&record(&result("a", 0.5), &metrics()).unwrap()).unwrap();
        assert_eq!(json["line"]["scores"]["relevance"]["value"], 0.5);
        assert_eq!(json["texts"][1]["text"], "The press made books cheap.");
        assert_eq!(json["texts"][2]["name"], "Passage");
        assert_eq!(json["tones"], serde_json::json!([{"found": "good", "lacking": "bad"}, null, null]));
        assert!(serde_json::from_str::<serde_json::Value>(&record(&hostile(), &metrics()).unwrap()).is_ok());
    }

    #[test]
    fn long_texts_and_lists_are_cut() {
        let mut long = result("a", 0.5);
        long.case.query = Some("ä".repeat(TEXT));
        long.case.context = Some(vec![probare_core::Passage::from("passage"); 100]);
        let texts = texts(&long);
        assert!(texts[0].cut && texts[0].text.len() == TEXT);
        assert_eq!(texts.iter().filter(|text| text.field == Field::Context).count(), ITEMS);
        assert_eq!(texts.last().and_then(|text| text.more), Some(80));
    }

    #[test]
    fn messages_and_calls_are_there_with_their_places() {
        let mut result = result("a", 0.5);
        let messages =
            r#"[{"role":"user","text":"q"},{"role":"assistant","tool_calls":[{"name":"f","arguments":{"a":1}}]}]"#;
        result.case.messages = Some(serde_json::from_str(messages).unwrap());
        let texts = texts(&result);
        let last = texts.last().unwrap();
        assert_eq!((last.index, last.path.as_deref(), &*last.text), (Some(1), Some("/tool_calls/0/arguments/a"), "1"));
    }

    #[test]
    fn texts_of_the_metadata_are_there_where_evidence_points_into_them() {
        let mut result = result("a", 0.5);
        result.case.metadata.insert("steps".into(), serde_json::json!(["one", "two"]));
        if let Ok(Outcome::Scored(score)) = &mut result.results[0] {
            let evidence = probare_core::Evidence::found(Field::Metadata, 0..3, "two").at_path("/steps/1");
            score.evidence.push(evidence);
        }
        let mut label_alone = result.clone();
        if let Ok(Outcome::Scored(score)) = &result.results[0] {
            let (label, parts, evidence) = ("late".into(), ScoreParts::EMPTY, score.evidence.clone());
            label_alone.results = vec![Ok(Outcome::Labelled(LabelOnly { label, by: None, parts, evidence }))];
        }
        for result in [result, label_alone] {
            let texts = texts(&result);
            let last = texts.last().unwrap();
            assert_eq!((last.path.as_deref(), &*last.text), (Some("/steps/1"), "two"));
        }
    }
}
