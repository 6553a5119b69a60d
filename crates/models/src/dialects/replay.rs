//! A cassette as a model: it answers what it holds, whoever said it first.

use std::collections::HashMap;
use std::path::Path;
use std::time::{Duration, SystemTime};

use reqwest::header::HeaderMap;
use serde_json::{Map, Value as Json, json};

use super::{Dialect, Feature, RawReply, RawRequest, ReplyError, Signs};
use crate::record::{Entry, RecordError, read_cassette};
use crate::{Fault, Request};

/// Nothing is written and nothing is read: what the file holds was read before.
pub(crate) struct Replay;

impl Dialect for Replay {
    fn supports(&self, feature: Feature) -> bool {
        feature != Feature::Streaming
    }

    fn write(&self, _: &Request, _: bool) -> RawRequest {
        RawRequest::new(String::new(), Map::new())
    }

    fn read(&self, _: &Request, _: &[u8]) -> Result<RawReply, ReplyError> {
        Err(none())
    }

    fn write_vectors(&self, _: &[Request]) -> RawRequest {
        RawRequest::new(String::new(), Map::new())
    }

    fn read_vectors(&self, _: &[Request], _: &[u8]) -> Result<Vec<RawReply>, ReplyError> {
        Err(none())
    }

    fn most_vectors(&self) -> usize {
        1
    }

    fn join(&self, _: &[Json]) -> Result<Json, ReplyError> {
        Err(super::no_stream())
    }

    fn fault(&self, _: u16, _: &str) -> Fault {
        Fault::NotInCassette
    }

    fn retry_after(&self, _: &HeaderMap, _: &str, _: SystemTime) -> Option<Duration> {
        None
    }

    fn signs(&self) -> Signs {
        Signs { truncated: "as recorded", refused: "as recorded", empty: "as recorded" }
    }
}

fn none() -> ReplyError {
    ReplyError::new(Fault::NotInCassette, "the file holds no reply to this question")
}

/// Replies by what was asked; the provider and the address that gave them do not matter.
pub(crate) struct Cassette {
    /// With the parameters.
    exact: HashMap<String, Vec<Entry>>,
    /// Without them: a reader of a paper need not know at which temperature a judge was asked.
    loose: HashMap<String, Vec<Entry>>,
}

fn exact(request: &Request) -> String {
    json!([request.messages, request.parameters, request.repeat, request.seat, request.attempt]).to_string()
}

fn loose(request: &Request) -> String {
    json!([request.messages, request.repeat, request.seat, request.attempt]).to_string()
}

impl Cassette {
    /// Reads a file.
    pub(crate) fn open(path: &Path) -> Result<Self, RecordError> {
        let file = std::fs::File::open(path)
            .map_err(|error| RecordError::Database { path: path.to_owned(), reason: error.to_string() })?;
        Ok(Self::of(read_cassette(&mut std::io::BufReader::new(file))?.into_iter().map(|(_, entry)| entry)))
    }

    fn of(entries: impl IntoIterator<Item = Entry>) -> Self {
        let mut cassette = Self { exact: HashMap::new(), loose: HashMap::new() };
        for entry in entries {
            cassette.loose.entry(loose(&entry.request)).or_default().push(entry.clone());
            cassette.exact.entry(exact(&entry.request)).or_default().push(entry);
        }
        cassette
    }

    /// The one reply to this question. Several different ones leave the question open.
    pub(crate) fn reply(&self, request: &Request) -> Result<RawReply, ReplyError> {
        let entries = self
            .exact
            .get(&exact(request))
            .or_else(|| self.loose.get(&loose(request)))
            .map(Vec::as_slice)
            .unwrap_or_default();
        let (first, others) = entries.split_first().ok_or_else(none)?;
        if others.iter().any(|other| other.reply.content != first.reply.content) {
            return Err(ReplyError::new(Fault::NotInCassette, "the file holds several replies to this question"));
        }
        Ok(RawReply { reply: first.reply.clone(), cost: None, logprobs: first.logprobs.clone() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Provider;
    use crate::dialects::tests_support::request;
    use probare_core::Reply;

    fn entry(request: Request, text: &str) -> Entry {
        Entry::new(request, Reply::text(text))
    }

    #[test]
    fn the_same_question_is_answered_whoever_was_asked() {
        let cassette = Cassette::of([entry(request(Provider::OpenAi), "Yes")]);
        let mut asked = request(Provider::Replay);
        assert_eq!(cassette.reply(&asked).unwrap().reply, Reply::text("Yes"));
        asked.parameters.temperature = None;
        assert_eq!(cassette.reply(&asked).unwrap().reply, Reply::text("Yes"), "other parameters, one reply");
        asked.attempt = 1;
        assert_eq!(cassette.reply(&asked).unwrap_err().fault, Fault::NotInCassette);
    }

    #[test]
    fn several_replies_leave_the_question_open() {
        let other = Request { model: "other".into(), ..request(Provider::OpenAi) };
        let cassette = Cassette::of([entry(request(Provider::OpenAi), "Yes"), entry(other, "No")]);
        let error = cassette.reply(&request(Provider::Replay)).unwrap_err();
        assert!(error.reason.contains("several"), "{}", error.reason);
    }
}
