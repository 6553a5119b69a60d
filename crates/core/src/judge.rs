//! [`Judge`]: a metric that needs a model's opinion, without any I/O.
//!
//! A judge says what to ask and reads replies; whoever drives it owns the network, the clock, the budget and the record
//! of replies. So a judge is tested with literal replies and a recorded run can be scored again offline.

use crate::{Outcome, Sample, ScoreError};

/// Who speaks in a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// The instructions.
    System,
    /// The person who asks.
    User,
    /// The model.
    Assistant,
}

/// One message of a conversation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Message {
    /// Who speaks.
    pub role: Role,
    /// What is said.
    pub text: String,
}

/// One question to a judging model.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Question {
    /// The conversation to send.
    pub messages: Vec<Message>,
    /// Which judge of a panel is asked, counted from 0.
    pub seat: usize,
}

/// What a judging model replied to the question of the same position.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reply {
    /// The reply, or `None` when the call failed for good.
    pub text: Option<String>,
}

/// What a judge wants next.
#[derive(Debug, Clone, PartialEq)]
pub enum Turn {
    /// Ask these questions; they do not depend on each other.
    Ask(Vec<Question>),
    /// Enough was heard.
    Done(Outcome),
}

/// A metric that asks models. `next` is called with all replies so far until it is done.
pub trait Judge: Send + Sync {
    /// What to do after these replies. An unreadable reply is an error, not a zero.
    fn next(&self, sample: Sample<'_>, replies: &[Reply]) -> Result<Turn, ScoreError>;
}
