//! Traces of OpenTelemetry as cases: OTLP/JSON with the GenAI conventions, OpenInference, and what came before them.
//!
//! Every call of a model repeats the conversation up to it; here it is put together once. Agents that other agents call have
//! conversations, and cases, of their own. What cannot be used is not silently gone: it is told as [`TraceLoss`].

mod conversation;
mod grouping;
mod losses;
mod model_call;
mod otlp;
mod parts;
mod serialized;
mod spans;
mod split;
mod thread_case;
mod threads;
mod weight;

use std::collections::HashMap;

use probare_core::Case;

use self::losses::LossCollector;
use self::otlp::{LogRecord, Span};
use self::spans::SpanKind;
use self::threads::Threads;
use self::weight::ValueBudget;

pub use self::grouping::Grouping;
pub(crate) use self::losses::summary;
pub use self::losses::{TraceLoss, TraceLossKind};
pub use self::split::{SplitExport, SplitTrace, split_export};

/// Where a case says in its metadata which trace it comes from.
pub const TRACE: &str = "trace";

/// Where that has what each call of a model took.
pub const MODEL_CALLS: &str = "model_calls";

/// The event of the conventions that holds a score.
pub const EVALUATION_EVENT: &str = "gen_ai.evaluation.result";

/// Whether a text begins as OTLP/JSON does, and as no file of cases would: with an object, in a list or not, whose first
/// member is `resourceSpans` or `resourceLogs`.
pub(crate) fn is_otlp(start: &str) -> bool {
    let start = start.trim_start_matches('\u{feff}').trim_start();
    let start = start.strip_prefix('[').unwrap_or(start).trim_start();
    let Some(member) = start.strip_prefix('{').and_then(|rest| rest.trim_start().strip_prefix('"')) else {
        return false;
    };
    otlp::MEMBERS.iter().any(|name| member.strip_prefix(name).is_some_and(|rest| rest.starts_with('"')))
}

/// Whether an object has a member of OTLP/JSON.
pub(crate) fn has_member<'a>(names: impl IntoIterator<Item = &'a str>) -> bool {
    names.into_iter().any(|name| otlp::MEMBERS.contains(&name))
}

/// Takes spans and log records in, object by object, and makes cases of them at the end.
#[derive(Debug, Default)]
pub(crate) struct Traces {
    spans: Vec<Span>,
    records: Vec<LogRecord>,
    /// How many spans, events and records came so far.
    count: usize,
    weight: ValueBudget,
}

impl Traces {
    /// Takes one object of a file in.
    pub fn add(&mut self, text: &str) -> serde_json::Result<()> {
        self.weight.add(text)?;
        let written = otlp::parse_export(text)?;
        let events = |spans: &[Span]| -> usize { spans.iter().map(|span| 1 + span.events.len()).sum() };
        self.count += events(&written.spans) + written.records.len();
        if self.count > otlp::MOST {
            return Err(serde::de::Error::custom(otlp::TOO_MANY));
        }
        self.spans.extend(written.spans);
        self.records.extend(written.records);
        Ok(())
    }

    /// All cases in order of time, and what was lost.
    pub fn cases(self, grouping: Grouping) -> (Vec<Case>, Vec<TraceLoss>) {
        let mut lost = LossCollector::default();
        let mut spans = distinct(self.spans, &mut lost);
        // A stable sort: what began at the same time stays in the order of the file.
        spans.sort_by_key(|span| span.start);
        join(&mut spans, self.records, &mut lost);
        let threads = Threads::new(&spans, grouping, &mut lost);
        let others = threads.kinds.iter().filter(|kind| **kind == SpanKind::None).count();
        if others > 0 {
            lost.add(TraceLossKind::OtherSpans, None, Some(others.to_string()));
        }
        let cases =
            threads.list.iter().filter_map(|thread| thread_case::case(&spans, &threads, thread, &mut lost)).collect();
        (cases, lost.into_list())
    }
}

/// The spans, of several of one id the last.
fn distinct(spans: Vec<Span>, lost: &mut LossCollector) -> Vec<Span> {
    let mut last: HashMap<(String, String), usize> = HashMap::with_capacity(spans.len());
    for (at, span) in spans.iter().enumerate() {
        if !span.id.is_empty() && last.insert((span.trace.clone(), span.id.clone()), at).is_some() {
            lost.add(TraceLossKind::DuplicateSpan, Some(&span.id), None);
        }
    }
    let mut keep = vec![false; spans.len()];
    for at in last.into_values() {
        keep[at] = true;
    }
    spans.into_iter().zip(keep).filter(|(span, keep)| *keep || span.id.is_empty()).map(|(span, _)| span).collect()
}

/// Log records among the events of their spans, in order of time.
fn join(spans: &mut [Span], records: Vec<LogRecord>, lost: &mut LossCollector) {
    let places: HashMap<(String, String), usize> =
        spans.iter().enumerate().map(|(at, span)| ((span.trace.clone(), span.id.clone()), at)).collect();
    let mut others = 0_u64;
    for LogRecord { trace, span, event } in records {
        match places.get(&(trace, span)) {
            Some(at) => spans[*at].events.push(event),
            None => others += 1,
        }
    }
    for span in spans {
        span.events.sort_by_key(|event| event.time);
    }
    if others > 0 {
        lost.add(TraceLossKind::OtherRecords, None, Some(others.to_string()));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_unmistakable_is_taken_for_traces() {
        for text in ["{\"resourceSpans\":[", "\u{feff} [ {\"resource_logs\" : ", "{\n  \"resourceLogs\": []}"] {
            assert!(is_otlp(text), "{text}");
        }
        for text in ["{\"id\": 1, \"resourceSpans\": []}", "{\"resourceSpansX\": 1}", "[[{\"resourceSpans\"", "", "{"] {
            assert!(!is_otlp(text), "{text}");
        }
    }
}
