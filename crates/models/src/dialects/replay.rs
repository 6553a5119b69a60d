//! A cassette as a model: it answers what it holds, whoever said it first.

use std::collections::HashMap;
use std::path::Path;
use std::time::{Duration, SystemTime};

use reqwest::header::HeaderMap;
use serde_json::json;

use super::{Dialect, Feature, RawReply, RawRequest, ReplyError};
use crate::cache::{CacheEntry, CacheError, read_cassette};
use crate::{Fault, ModelRequest};

/// Nothing is written and nothing is read: what the file holds was read before.
pub(crate) struct Replay;

impl Dialect for Replay {
    fn supports(&self, feature: Feature) -> bool {
        feature != Feature::Streaming
    }

    fn write(&self, _: &ModelRequest, _: bool) -> Result<RawRequest, ReplyError> {
        Ok(RawRequest::none())
    }

    fn read(&self, _: &ModelRequest, _: &[u8]) -> Result<RawReply, ReplyError> {
        Err(not_in_cassette())
    }

    fn read_vectors(&self, _: &[ModelRequest], _: &[u8]) -> Result<Vec<RawReply>, ReplyError> {
        Err(not_in_cassette())
    }

    fn fault(&self, _: u16, _: &str) -> Fault {
        Fault::NotInCassette
    }

    fn retry_after(&self, _: &HeaderMap, _: &str, _: SystemTime) -> Option<Duration> {
        None
    }
}

fn not_in_cassette() -> ReplyError {
    ReplyError::new(Fault::NotInCassette, "the file holds no reply to this question")
}

/// Replies by what was asked; the provider and the address that gave them do not matter.
pub(crate) struct ReplayCassette {
    /// With the parameters.
    exact: HashMap<String, Vec<CacheEntry>>,
    /// Without them: a reader of a paper need not know at which temperature a judge was asked.
    loose: HashMap<String, Vec<CacheEntry>>,
}

fn exact_key(request: &ModelRequest) -> String {
    json!([request.messages, request.parameters, request.repeat, request.seat, request.attempt]).to_string()
}

fn loose_key(request: &ModelRequest) -> String {
    json!([request.messages, request.repeat, request.seat, request.attempt]).to_string()
}

impl ReplayCassette {
    /// Reads a file.
    pub(crate) fn open(path: &Path) -> Result<Self, CacheError> {
        let file = probare_files::open_plain(path)
            .map_err(|error| CacheError::Database { path: path.to_owned(), reason: error.to_string() })?;
        Ok(Self::from_entries(read_cassette(&mut std::io::BufReader::new(file))?.into_iter().map(|(_, entry)| entry)))
    }

    fn from_entries(entries: impl IntoIterator<Item = CacheEntry>) -> Self {
        let mut cassette = Self { exact: HashMap::new(), loose: HashMap::new() };
        for entry in entries {
            cassette.loose.entry(loose_key(&entry.request)).or_default().push(entry.clone());
            cassette.exact.entry(exact_key(&entry.request)).or_default().push(entry);
        }
        cassette
    }

    /// The one reply to this question. Several different ones leave the question open.
    pub(crate) fn reply(&self, request: &ModelRequest) -> Result<RawReply, ReplyError> {
        let entries = self
            .exact
            .get(&exact_key(request))
            .or_else(|| self.loose.get(&loose_key(request)))
            .map(Vec::as_slice)
            .unwrap_or_default();
        let (first, others) = entries.split_first().ok_or_else(not_in_cassette)?;
        if others.iter().any(|other| other.reply.content != first.reply.content) {
            return Err(ReplyError::new(Fault::NotInCassette, "the file holds several replies to this question"));
        }
        Ok(RawReply { logprobs: first.logprobs.clone(), ..first.reply.clone().into() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Provider;
    use crate::dialects::tests_support::request;
    use probare_core::ModelReply;

    fn entry(request: ModelRequest, text: &str) -> CacheEntry {
        CacheEntry::new(request, ModelReply::text(text))
    }

    #[test]
    fn the_same_question_is_answered_whoever_was_asked() {
        let cassette = ReplayCassette::from_entries([entry(request(Provider::OpenAi), "Yes")]);
        let mut question = request(Provider::Replay);
        assert_eq!(cassette.reply(&question).unwrap().reply, ModelReply::text("Yes"));
        question.parameters.temperature = None;
        assert_eq!(cassette.reply(&question).unwrap().reply, ModelReply::text("Yes"), "other parameters, one reply");
        question.attempt = 1;
        assert_eq!(cassette.reply(&question).unwrap_err().fault, Fault::NotInCassette);
    }

    #[test]
    fn several_replies_leave_the_question_open() {
        let other = ModelRequest { model: "other".into(), ..request(Provider::OpenAi) };
        let cassette = ReplayCassette::from_entries([entry(request(Provider::OpenAi), "Yes"), entry(other, "No")]);
        let error = cassette.reply(&request(Provider::Replay)).unwrap_err();
        assert!(error.reason.contains("several"), "{}", error.reason);
    }
}
