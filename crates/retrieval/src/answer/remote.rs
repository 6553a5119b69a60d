//! Servers that retrieve and answer by themselves, over the published interface: what they are asked, and how their reply is
//! read. Retries, limits and the record are those of every model; who asks (`auth`) comes from `EVALUATION_API_AUTH` and goes
//! into the body when it is sent, nowhere else.

use probare_core::{ChatRequest, ErrorKind, Message, ReplyContent};
use probare_models::{Client, ModelSettings, Provider};
use serde_json::json;

use super::{AnswerError, PromptReply, PromptRequest};

/// The settings of a server at an address, whose own model is `model`.
pub fn settings(url: &str, model: &str) -> ModelSettings {
    ModelSettings {
        provider: Some(Provider::Prompt),
        base_url: Some(url.to_owned()),
        api_model_name: Some(model.to_owned()),
        ..ModelSettings::from_name(format!("{model} at {url}"))
    }
}

/// A request as a question to a client of such a server, or to a file of its recorded replies.
pub fn question(request: &PromptRequest) -> ChatRequest {
    let own = json!({"k": request.k, "filter": request.filter});
    let messages = vec![Message::system(own.to_string()), Message::user(request.question.clone())];
    ChatRequest { messages, ..ChatRequest::default() }
}

/// Asks a server; the client is one of [`settings`], or of recorded replies.
pub fn ask(client: &Client, request: &PromptRequest) -> Result<PromptReply, AnswerError> {
    request.search()?;
    let answered = client.ask_once(&question(request), 0).map(|answered| answered.entry.reply);
    read_content(&answered.unwrap_or_else(|error| error.reply()).content, request)
}

/// Reads what became of a question.
pub fn read_content(content: &ReplyContent, request: &PromptRequest) -> Result<PromptReply, AnswerError> {
    let failed = |kind, reason| AnswerError::Model { kind, reason };
    match content.response_text() {
        Ok(text) => {
            let reply: PromptReply = serde_json::from_str(text).map_err(|error| {
                failed(ErrorKind::Unparseable, format!("the reply has not the published form: {error}"))
            })?;
            if reply.context.len() > request.k {
                let reason =
                    format!("the reply has {} passages, and {} were asked for", reply.context.len(), request.k);
                return Err(failed(ErrorKind::Unparseable, reason));
            }
            Ok(reply)
        }
        Err(error) => Err(failed(error.kind(), error.to_string())),
    }
}
