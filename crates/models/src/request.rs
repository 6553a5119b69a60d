//! [`ModelRequest`]: a question with everything that decides its answer.

use std::collections::BTreeMap;

use probare_core::{Message, MessagePart, Parameters};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value as Json};

/// A question with everything that decides its answer. Its JSON, byte for byte, is what the record's key is made of: what
/// came later is left out where it is absent, so that replies that were paid for stay found.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ModelRequest {
    /// Who answers.
    pub provider: crate::Provider,
    /// Where.
    pub base_url: String,
    /// The model, as the provider calls it.
    pub model: String,
    /// How it is asked, settings and question together.
    pub parameters: Parameters,
    /// How long a reasoning model thinks.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reasoning_effort: Option<String>,
    /// Further fields of the body.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub extra_body: Map<String, Json>,
    /// Whether a vector of the last message is wanted in place of a reply.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub embedding: bool,
    /// What else decides a reply: headers that are no secret, digests of files that a program names, the version of an
    /// interface.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub also: BTreeMap<String, String>,
    /// The conversation.
    pub messages: Vec<Message>,
    /// Which repetition of the run.
    pub repeat: u32,
    /// Which judge of a panel.
    pub seat: usize,
    /// Which attempt of the judge.
    pub attempt: u32,
}

impl ModelRequest {
    /// Whether an image comes with it.
    pub(crate) fn has_images(&self) -> bool {
        self.messages.iter().flat_map(|message| &message.parts).any(|part| matches!(part, MessagePart::Image(_)))
    }

    /// The text that a vector is wanted of.
    pub(crate) fn embedding_text(&self) -> &str {
        self.messages.last().map(|message| message.text.as_str()).unwrap_or_default()
    }
}
