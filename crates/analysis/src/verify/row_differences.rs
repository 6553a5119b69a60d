//! Two rows of the same case that are not the same bytes: what differs between them.

use std::collections::BTreeSet;

use probare_core::{Case, Evidence, FieldSpan};
use probare_formats::results::{RowContent, RowFormat};
use serde_json::{Map, Value as Json};

use super::Verdict;
use super::differences::{JsonDifference, differences, sentence, short};
use super::strict_json;

/// How many spans of this evidence point at the words they quote; those that do not are named.
pub(super) fn check_spans(evidence: &[Evidence], case: &Case, metric: &str, verdict: &mut Verdict) {
    for piece in evidence {
        if let Some(place) = &piece.place {
            verdict.spans += 1;
            match case.words_at(place) {
                Some(words) if piece.quotes(&words) => {}
                Some(words) => {
                    let reason = format!(
                        "the evidence says {:?}, but at its place stands {:?}",
                        short(&piece.text),
                        short(&words)
                    );
                    verdict.add(Some(&case.id), Some(metric), reason);
                }
                None => outside(place, case, metric, verdict),
            }
        }
        if let Some(place) = &piece.support {
            verdict.spans += 1;
            if case.words_at(place).is_none() {
                outside(place, case, metric, verdict);
            }
        }
    }
}

fn outside(place: &FieldSpan, case: &Case, metric: &str, verdict: &mut Verdict) {
    let reason = format!("a span points outside of the text: `{}`, {} to {}", place.field, place.start, place.end);
    verdict.add(Some(&case.id), Some(metric), reason);
}

/// Names everything in which a result line differs from what was computed. Remarks of evidence are put in other words by another
/// release, so of an `earlier` format they are not compared.
pub(super) fn compare_lines(recorded: &str, now: &str, earlier: bool, case: &Case, verdict: &mut Verdict) {
    let before = verdict.different;
    let (Ok(mut recorded), Ok(mut now)) = (strict_json::parse_strict(recorded), serde_json::from_str::<Json>(now))
    else {
        return verdict.about_case(&case.id, "the row is no result line".to_owned());
    };
    if earlier {
        for line in [&mut recorded.value, &mut now] {
            let scores = line.get_mut("scores").and_then(Json::as_object_mut);
            scores
                .into_iter()
                .flat_map(Map::values_mut)
                .filter_map(|score| score.get_mut("evidence"))
                .for_each(without_notes);
        }
    }
    for path in &recorded.twice {
        verdict.about_case(&case.id, format!("`{path}` stands in the row twice"));
    }
    let mut skipped = false;
    match (&recorded.value, &now) {
        (Json::Object(recorded), Json::Object(now)) => {
            let none = Map::new();
            let scores = |line: &Map<String, Json>| line.get("scores").and_then(Json::as_object).cloned();
            let (recorded_scores, now_scores) = (scores(recorded), scores(now));
            if recorded_scores.is_none() {
                verdict.about_case(&case.id, "the row has no `scores`".to_owned());
            }
            let (recorded_scores, now_scores) =
                (recorded_scores.as_ref().unwrap_or(&none), now_scores.as_ref().unwrap_or(&none));
            skipped = compare_scores(recorded_scores, now_scores, case, verdict);
            for difference in line_differences(recorded, now) {
                verdict.about_case(&case.id, difference.sentence());
            }
        }
        _ => verdict.about_case(&case.id, "the row is no result line".to_owned()),
    }
    if verdict.different == before && !skipped && !earlier {
        verdict.about_case(&case.id, "the row says the same, but is written differently".to_owned());
    }
}

/// Takes the remarks out of a list of evidence: of a piece that is nothing but a remark the text.
fn without_notes(evidence: &mut Json) {
    for piece in evidence.as_array_mut().into_iter().flatten().filter_map(Json::as_object_mut) {
        if piece.get("kind").and_then(Json::as_str) == Some("note") {
            piece.insert("text".to_owned(), Json::from(""));
        } else {
            piece.shift_remove("note");
        }
    }
}

/// What differs in a line beside its scores.
fn line_differences(recorded: &Map<String, Json>, now: &Map<String, Json>) -> Vec<JsonDifference> {
    let without = |line: &Map<String, Json>| {
        Json::Object(
            line.iter().filter(|(key, _)| *key != "scores").map(|(key, value)| (key.clone(), value.clone())).collect(),
        )
    };
    differences(&without(recorded), &without(now))
}

/// Whether a metric was passed over, because it cannot be computed here, for this case or for any.
fn compare_scores(recorded: &Map<String, Json>, now: &Map<String, Json>, case: &Case, verdict: &mut Verdict) -> bool {
    let unchecked: BTreeSet<String> = verdict.unchecked.iter().cloned().collect();
    let mut skipped = false;
    for (name, now) in now {
        if unchecked.contains(name) {
            skipped = true;
            continue;
        }
        match recorded.get(name) {
            None => verdict.add(Some(&case.id), Some(name), "the metric is missing from the row".to_owned()),
            Some(recorded) if recorded == now => {}
            Some(_) if verdict.lacks_reply(name) => skipped = true,
            Some(recorded) => {
                for difference in differences(recorded, now) {
                    verdict.add(Some(&case.id), Some(name), difference.sentence());
                }
                let evidence = recorded.get("evidence").cloned().unwrap_or(Json::Array(Vec::new()));
                read_spans(evidence, case, name, verdict);
            }
        }
    }
    for name in recorded.keys().filter(|name| !now.contains_key(*name)) {
        verdict.add(Some(&case.id), Some(name), "the metric was added to the row: it is none of the run".to_owned());
    }
    skipped
}

fn read_spans(evidence: Json, case: &Case, metric: &str, verdict: &mut Verdict) {
    match serde_json::from_value::<Vec<Evidence>>(evidence) {
        Ok(evidence) => check_spans(&evidence, case, metric, verdict),
        Err(error) => verdict.add(Some(&case.id), Some(metric), format!("`evidence` cannot be read: {error}")),
    }
}

/// Names every cell in which a row of a table differs from what was computed.
pub(super) fn compare_cells(
    form: &RowFormat,
    columns: &[String],
    recorded: &RowContent,
    now: &RowContent,
    case: &Case,
    verdict: &mut Verdict,
) {
    let earlier = form.is_earlier();
    let before = verdict.different;
    let (Ok(recorded), Ok(now)) = (form.cells(recorded), form.cells(now)) else {
        return verdict.about_case(&case.id, "the row is no row of the table".to_owned());
    };
    let lacking = metrics_without_reply(form, columns, &recorded, &now, verdict);
    let mut skipped = false;
    for (name, now) in form.columns().unwrap_or_default().iter().zip(&now) {
        let metric = form.metric_of(name);
        let is_passed_over = |metric: &str| verdict.unchecked.iter().chain(&lacking).any(|name| name == metric);
        if metric.is_some_and(is_passed_over) {
            skipped = true;
            continue;
        }
        // A column that is not there was named once, for the whole file.
        let Some(at) = columns.iter().position(|column| column == name) else {
            skipped = true;
            continue;
        };
        let recorded = recorded.get(at).and_then(Option::as_deref);
        let is_same = recorded == now.as_deref()
            || earlier && name.ends_with(".evidence") && is_same_evidence(recorded, now.as_deref());
        if !is_same {
            let quoted = |cell: Option<&str>| cell.map(|cell| format!("{cell:?}"));
            let reason = sentence(name, quoted(recorded).as_deref(), quoted(now.as_deref()).as_deref());
            verdict.add(Some(&case.id), metric, reason);
            if let (Some(metric), Some(text)) = (metric, recorded)
                && name.ends_with(".evidence")
            {
                read_spans(serde_json::from_str(text).unwrap_or_default(), case, metric, verdict);
            }
        }
    }
    if verdict.different == before && !skipped && columns.len() == now.len() && !earlier {
        verdict.about_case(&case.id, "the row says the same, but is written differently".to_owned());
    }
}

/// Whether two cells of evidence say the same but for their remarks.
fn is_same_evidence(recorded: Option<&str>, now: Option<&str>) -> bool {
    let bare = |cell: Option<&str>| {
        let mut evidence = serde_json::from_str::<Json>(cell?).ok()?;
        without_notes(&mut evidence);
        Some(evidence)
    };
    bare(recorded).is_some_and(|recorded| bare(now) == Some(recorded))
}

/// Metrics that miss a reply for this case and say something else than the row does.
fn metrics_without_reply(
    form: &RowFormat,
    columns: &[String],
    recorded: &[Option<String>],
    now: &[Option<String>],
    verdict: &mut Verdict,
) -> Vec<String> {
    let mut differing = BTreeSet::new();
    for (name, now) in form.columns().unwrap_or_default().iter().zip(now) {
        let at = columns.iter().position(|column| column == name);
        let recorded = at.and_then(|at| recorded.get(at)).and_then(Option::as_deref);
        if recorded != now.as_deref() {
            differing.extend(form.metric_of(name).map(str::to_owned));
        }
    }
    differing.into_iter().filter(|metric| verdict.lacks_reply(metric)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn compared(recorded: &str, now: &str, unchecked: &[&str]) -> Vec<String> {
        let unchecked = unchecked.iter().map(|name| (*name).to_owned()).collect();
        let mut verdict = Verdict { unchecked, ..Verdict::default() };
        compare_lines(recorded, now, false, &Case { id: "a".into(), ..Case::default() }, &mut verdict);
        verdict.disagreements.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn what_differs_in_a_line_is_named() {
        let now = r#"{"id":"a","scores":{"m":{"value":0.5},"n":{"error":"x","kind":"failed"}}}"#;
        let said = |recorded| compared(recorded, now, &[]).join("\n");
        assert_eq!(
            said(r#"{"id":"a","scores":{"m":{"value":0.5,"value":0.5,"more":1},"k":{"value":1.0}},"x":1}"#),
            "case `a`: `scores.m.value` stands in the row twice\n\
             case `a`, m: `more` is 1 in the file and nothing now\n\
             case `a`, n: the metric is missing from the row\n\
             case `a`, k: the metric was added to the row: it is none of the run\n\
             case `a`: `x` is 1 in the file and nothing now"
        );
        assert_eq!(
            said(r#"{"id":"a", "scores":{"m":{"value":0.5},"n":{"error":"x","kind":"failed"}}}"#),
            "case `a`: the row says the same, but is written differently"
        );
        assert_eq!(said("[]"), "case `a`: the row is no result line");
    }

    #[test]
    fn what_a_model_was_asked_for_is_passed_over() {
        let now = r#"{"id":"a","scores":{"m":{"error":"no reply","kind":"missing"}}}"#;
        assert!(compared(r#"{"id":"a","scores":{"m":{"value":0.5}}}"#, now, &["m"]).is_empty());
    }
}
