//! [`SimulatedUser`]: a model with a persona and a goal, or a list of messages, that speaks for the user.

use probare_core::{Case, ChatRequest, ErrorKind, Message, Role, ScoreError};
use probare_metrics::judges::{TemplatePiece, template_pieces};
use serde_json::Value as Json;

use super::config::{USUAL_STOP, UserEntry};
use crate::runs::prompt_value;

/// What the assistant says before everything else to who plays the user. It is no part of the conversation.
const OPENING: &str = "Hello, how can I help you?";

/// Who speaks for the user.
#[derive(Debug, Clone)]
pub(super) enum SimulatedUser {
    /// A model, by its name.
    Model { name: String, persona: Vec<TemplatePiece>, goal: Vec<TemplatePiece>, stop: String },
    /// The field of a case with what is said.
    Script(String),
}

impl SimulatedUser {
    pub fn from_config(entry: &UserEntry) -> Result<Self, String> {
        if let Some(field) = &entry.script {
            return Ok(Self::Script(field.clone()));
        }
        let pieces = |name: &str, text: Option<&String>| {
            template_pieces(text.map(String::as_str).unwrap_or_default())
                .map_err(|error| format!("`agent.user.{name}`: {error}"))
        };
        Ok(Self::Model {
            name: entry.model.clone().unwrap_or_default(),
            persona: pieces("persona", entry.persona.as_ref())?,
            goal: pieces("goal", entry.goal.as_ref())?,
            stop: entry.stop.clone().unwrap_or_else(|| USUAL_STOP.to_owned()),
        })
    }

    /// What the user of a case says in a script.
    pub fn script(case: &Case, field: &str) -> Result<Vec<String>, ScoreError> {
        let missing = |reason: &str| {
            ScoreError::other(ErrorKind::Missing, format!("`{field}`, which `agent.user.script` names, {reason}"))
        };
        let list = case.metadata.get(field).ok_or_else(|| missing("is not in the case"))?;
        let texts = match list {
            Json::String(one) => Some(vec![one.clone()]),
            Json::Array(list) => list.iter().map(|text| text.as_str().map(str::to_owned)).collect(),
            _ => None,
        };
        texts.ok_or_else(|| missing("is not a list of texts"))
    }

    /// What a model that plays the user is asked: its role, and the conversation as the user sees it.
    pub fn question(
        (persona, goal, stop): (&[TemplatePiece], &[TemplatePiece], &str),
        case: &Case,
        messages: &[Message],
    ) -> Result<ChatRequest, ScoreError> {
        let (persona, goal) = (filled(persona, case)?, filled(goal, case)?);
        let mut role =
            "You play a person who writes to an assistant. You are the person, never the assistant.\n".to_owned();
        if !persona.trim().is_empty() {
            role.push_str(&format!("\nWho you are: {}\n", persona.trim()));
        }
        role.push_str(&format!(
            "\nWhat you want: {}\n\nWrite the person's next message and nothing else: short, in the person's own words, one thing at a \
             time. Say what the assistant needs to know when it asks, and make up nothing that is not said here. When you have what \
             you want, or it is clear that you cannot have it, write {stop}",
            goal.trim()
        ));
        // Whoever plays answers, and so somebody has to speak first.
        let mut asked = vec![Message::system(role), Message::user(OPENING)];
        for message in messages {
            match message.role {
                // One that is empty stands for a question that is not asked yet.
                Role::User if message.text.trim().is_empty() => {}
                Role::User => asked.push(Message::assistant(message.text.clone())),
                // Calls and their results are nothing that the user sees.
                Role::Assistant if !message.text.is_empty() && message.parts.is_empty() => {
                    asked.push(Message::user(message.text.clone()));
                }
                _ => {}
            }
        }
        Ok(ChatRequest { messages: asked, ..ChatRequest::default() })
    }
}

fn filled(pieces: &[TemplatePiece], case: &Case) -> Result<String, ScoreError> {
    let mut text = String::new();
    for piece in pieces {
        match piece {
            TemplatePiece::Text(own) => text.push_str(own),
            TemplatePiece::Name(name) => text.push_str(&prompt_value(case, name)?),
        }
    }
    Ok(text)
}
