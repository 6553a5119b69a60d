//! A judge that says what a page's example lets it say.

use std::sync::atomic::{AtomicUsize, Ordering};

use probare_core::{BackendAnswer, ErrorKind, JudgeAction, ModelReply};
use serde_json::Value;

/// Replies in the order of asking.
pub struct Scripted {
    replies: Vec<String>,
    said: AtomicUsize,
}

impl Scripted {
    /// The `replies` of an example.
    pub fn of(example: &Value) -> Self {
        let list = example.get("replies").and_then(Value::as_array).into_iter().flatten();
        let replies = list.map(|reply| reply.as_str().expect("a reply is a text").to_owned()).collect();
        Self { replies, said: AtomicUsize::new(0) }
    }

    /// Whether everything was said.
    pub fn is_over(&self) -> bool {
        self.said.load(Ordering::Relaxed) >= self.replies.len()
    }
}

impl Scripted {
    pub fn answer(&self, turn: &JudgeAction) -> Vec<BackendAnswer> {
        let JudgeAction::Ask(questions) = turn else { return Vec::new() };
        let next = |_| match self.replies.get(self.said.fetch_add(1, Ordering::Relaxed)) {
            Some(reply) => BackendAnswer::Reply(ModelReply::text(reply)),
            None => BackendAnswer::Reply(ModelReply::failed(ErrorKind::Missing, "the example has no further reply")),
        };
        questions.iter().map(next).collect()
    }
}

/// The same for any number of cases: the reply depends on the place of the question in its turn alone.
pub struct Repeating(pub Vec<String>);

impl Repeating {
    pub fn answer(&self, turn: &JudgeAction) -> Vec<BackendAnswer> {
        let JudgeAction::Ask(questions) = turn else { return Vec::new() };
        let reply = |at: usize| match self.0.get(at % self.0.len().max(1)) {
            Some(reply) => BackendAnswer::Reply(ModelReply::text(reply)),
            None => BackendAnswer::Reply(ModelReply::failed(ErrorKind::Missing, "the example has no reply")),
        };
        (0..questions.len()).map(reply).collect()
    }
}
