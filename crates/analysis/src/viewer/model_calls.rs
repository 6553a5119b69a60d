//! What models were asked for an output of a case, and what came back, as the record of replies has it.
//!
//! A sample does not say which reply it came from. The record is searched for what both share: the question and the answer stand
//! in what was asked and said, word for word. Nothing is asked again.

use super::contract::{CallKind, CallMessage, ModelCall, ModelCalls};
use super::{OpenRun, RunViewer, ViewerError};
use probare_core::{Message, ModelRecord, ReplyContent};
use probare_models::{CacheEntry, CacheFile, find_entries_containing};
use probare_report::escape::excerpt;
use probare_store::CasePosition;

/// Replies that are shown of one output.
const MOST: usize = 20;

/// Characters of a message or a reply that are shown.
const LONGEST: usize = 20_000;

/// What the record is called, beside its store.
const BESIDE: [&str; 2] = ["cache.db", "replies.db"];

impl RunViewer {
    /// What was asked and said for one output of a case: by the model whose output it is, and by judges about it.
    pub fn model_calls(&self, key: &str, place: CasePosition, sample: i64) -> Result<ModelCalls, ViewerError> {
        let run = self.find_run(key)?;
        let plan = &run.stored.plan;
        let samples =
            self.with(&run.store, |store| store.samples_at(run.stored.run, &plan.metrics, &[place], false))?;
        let found = samples.iter().find(|found| found.sample == sample).ok_or(ViewerError::NoCase)?;
        let case = &found.result.case;
        let answer = case.response.as_ref().map(|output| output.text.as_str()).unwrap_or_default();
        let texts: Vec<&str> =
            case.query.as_deref().into_iter().chain([answer]).filter(|text| !text.is_empty()).collect();
        let cache = record_of(&run);
        let shown = cache.path.display().to_string();
        if texts.is_empty() {
            let note = "the case has neither a question nor an answer";
            return Ok(ModelCalls { record: shown, asked: Vec::new(), note });
        }
        let entries = find_entries_containing(&cache, &texts, MOST)
            .map_err(|error| ViewerError::in_file(&cache.path, &super::sources::error_chain(&error)))?;
        let under_test =
            found.result.model.as_ref().and_then(|name| plan.models.iter().find(|used| used.name == *name));
        let asked: Vec<ModelCall> = (entries.iter())
            .filter_map(|entry| {
                let is_of = |used: &&ModelRecord| {
                    (used.provider.as_str(), used.model.as_str())
                        == (entry.request.provider.name(), entry.request.model.as_str())
                };
                let is_answer =
                    entry.reply.response_text() == Ok(answer) && entry.request.repeat == found.result.repeat;
                if let Some(used) = under_test.filter(is_of).filter(|_| is_answer) {
                    return Some(ModelCall::new(entry, CallKind::Answer, &used.name));
                }
                let judge = plan.judges.iter().find(is_of)?;
                mentions(&entry.request.messages, answer).then(|| ModelCall::new(entry, CallKind::Judge, &judge.name))
            })
            .collect();
        let note = if asked.is_empty() { "the response cache has nothing about this output" } else { "" };
        Ok(ModelCalls { record: shown, asked, note })
    }
}

/// The response cache of a run: the one that the user names, or the one beside its store.
fn record_of(run: &OpenRun) -> CacheFile {
    let usual = CacheFile::from_environment();
    if usual.is_named || run.results.is_some() {
        usual
    } else {
        let [now, old] = BESIDE.map(|name| run.store.with_file_name(name));
        CacheFile::discovered(if !now.exists() && old.exists() { old } else { now })
    }
}

fn mentions(messages: &[Message], text: &str) -> bool {
    !text.is_empty() && messages.iter().any(|message| message.text.contains(text))
}

impl ModelCall {
    fn new(entry: &CacheEntry, kind: CallKind, name: &str) -> Self {
        let CacheEntry { request, reply, .. } = entry;
        let said = match &reply.content {
            ReplyContent::Text(text) | ReplyContent::Truncated(text) | ReplyContent::Refused(text) => text,
            ReplyContent::Failed { reason, .. } => reason,
        };
        let message =
            |message: &Message| CallMessage { role: message.role.name(), text: excerpt(&message.text, LONGEST) };
        Self {
            kind,
            name: name.to_owned(),
            model: format!("{}:{}", request.provider.name(), request.model),
            parameters: request.parameters.clone(),
            messages: request.messages.iter().map(message).collect(),
            reply: excerpt(said, LONGEST),
            raw: entry.received.as_deref().map(|body| excerpt(body, LONGEST)),
            stop: reply.stop,
            cost_usd: entry.cost_in_all(),
            latency_ms: entry.latency_ms,
            attempts: entry.attempts,
            input_tokens: reply.usage.map(|usage| usage.input_tokens),
            output_tokens: reply.usage.map(|usage| usage.output_tokens),
        }
    }
}
