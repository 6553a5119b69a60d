//! What the tests share.

use std::collections::BTreeMap;
use std::path::Path;

use probare_core::{ChatRequest, Message};
use probare_models::{Client, ModelContext, ModelOptions, ModelSettings};
use probare_testing::TestServer;

pub fn question(text: impl Into<String>) -> ChatRequest {
    ChatRequest { messages: vec![Message::user(text)], ..ChatRequest::default() }
}

pub fn questions(count: usize) -> Vec<ChatRequest> {
    (0..count).map(|number| question(format!("question {number}"))).collect()
}

/// A model at a test server, with short waits.
pub fn settings(server: &TestServer) -> ModelSettings {
    ModelSettings {
        base_url: Some(format!("{}/v1", server.url())),
        retry_wait: Some(0.01),
        timeout: Some(5.0),
        breaker_wait: Some(0.05),
        ..ModelSettings::from_name("test")
    }
}

pub fn options(record: Option<&Path>) -> ModelOptions {
    ModelOptions {
        record: record.map(Into::into),
        environment: Some(BTreeMap::new()),
        ..ModelOptions::new(probare_core::Trust::Trusted)
    }
}

pub fn open(server: &TestServer, record: Option<&Path>) -> (Client, ModelContext) {
    let shared = ModelContext::open(options(record)).unwrap();
    (Client::open(settings(server), &shared).unwrap(), shared)
}
