//! What the tests share.

use std::collections::BTreeMap;
use std::path::Path;

use probare_core::{Message, Question};
use probare_models::{Client, ModelSettings, Options, Shared};
use probare_testing::Server;

pub fn question(text: impl Into<String>) -> Question {
    Question { messages: vec![Message::user(text)], ..Question::default() }
}

pub fn questions(count: usize) -> Vec<Question> {
    (0..count).map(|number| question(format!("question {number}"))).collect()
}

/// A model at a test server, with short waits.
pub fn settings(server: &Server) -> ModelSettings {
    ModelSettings {
        base_url: Some(format!("{}/v1", server.url())),
        retry_wait: Some(0.01),
        timeout: Some(5.0),
        breaker_wait: Some(0.05),
        ..ModelSettings::named("test")
    }
}

pub fn options(record: Option<&Path>) -> Options {
    Options {
        record: record.map(Into::into),
        environment: Some(BTreeMap::new()),
        ..Options::new(probare_core::Trust::Trusted)
    }
}

pub fn open(server: &Server, record: Option<&Path>) -> (Client, Shared) {
    let shared = Shared::open(options(record)).unwrap();
    (Client::open(settings(server), &shared).unwrap(), shared)
}
