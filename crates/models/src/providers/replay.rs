//! A cassette as a model: it answers what it holds, whoever said it first.

use std::collections::HashMap;
use std::path::Path;

use serde_json::json;

use super::{Heard, Request, Unheard};
use crate::Fault;
use crate::record::{Entry, RecordError, read_cassette};

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
    pub(crate) fn heard(&self, request: &Request) -> Result<Heard, Unheard> {
        let none = Unheard::new(Fault::NotInCassette, "the file holds no reply to this question");
        let entries = self
            .exact
            .get(&exact(request))
            .or_else(|| self.loose.get(&loose(request)))
            .map(Vec::as_slice)
            .unwrap_or_default();
        let (first, others) = entries.split_first().ok_or(none)?;
        if others.iter().any(|other| other.reply.content != first.reply.content) {
            return Err(Unheard::new(Fault::NotInCassette, "the file holds several replies to this question"));
        }
        Ok(Heard { reply: first.reply.clone(), cost: None, logprobs: first.logprobs.clone() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Provider;
    use crate::providers::tests_support::request;
    use probare_core::Reply;

    fn entry(request: Request, text: &str) -> Entry {
        Entry {
            request,
            reply: Reply::text(text),
            sent: None,
            received: None,
            logprobs: None,
            cost_usd: None,
            latency_ms: 0,
            attempts: 1,
            made: 0,
        }
    }

    #[test]
    fn the_same_question_is_answered_whoever_was_asked() {
        let cassette = Cassette::of([entry(request(Provider::OpenAi), "Yes")]);
        let mut asked = request(Provider::Replay);
        assert_eq!(cassette.heard(&asked).unwrap().reply, Reply::text("Yes"));
        asked.parameters.temperature = None;
        assert_eq!(cassette.heard(&asked).unwrap().reply, Reply::text("Yes"), "other parameters, one reply");
        asked.attempt = 1;
        assert_eq!(cassette.heard(&asked).unwrap_err().fault, Fault::NotInCassette);
    }

    #[test]
    fn several_replies_leave_the_question_open() {
        let other = Request { model: "other".into(), ..request(Provider::OpenAi) };
        let cassette = Cassette::of([entry(request(Provider::OpenAi), "Yes"), entry(other, "No")]);
        let error = cassette.heard(&request(Provider::Replay)).unwrap_err();
        assert!(error.reason.contains("several"), "{}", error.reason);
    }
}
