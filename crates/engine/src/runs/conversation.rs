//! The conversation of a case as it is sent to a model: what was said, called and given back up to the answer that is wanted.

use std::collections::VecDeque;

use probare_core::{
    Case, CaseMessage, CaseMessagePart, CaseToolCall, ErrorKind, Message, MessagePart, Role, ScoreError, Speaker,
    ToolCall,
};
use serde_json::Value as Json;

/// The conversation, where the question of the case is part of it.
pub(super) fn messages(case: &Case) -> Option<Result<Vec<Message>, ScoreError>> {
    let asked = case.asked_messages();
    let query = case.query.as_deref()?;
    let is_held =
        asked.iter().any(|message| message.has_role(Role::User) && message.spoken_text().as_deref() == Some(query));
    is_held.then(|| {
        let mut open = PendingCalls::default();
        asked.iter().enumerate().map(|(number, message)| sent(number, message, &mut open)).collect()
    })
}

/// Calls that have no result yet. Providers know a result by the id of its call, and files need not have ids.
#[derive(Default)]
struct PendingCalls {
    calls: u32,
    waiting: VecDeque<String>,
}

impl PendingCalls {
    fn call(&mut self, call: &CaseToolCall) -> MessagePart {
        self.calls += 1;
        let id = call.id.clone().unwrap_or_else(|| format!("call_{}", self.calls));
        self.waiting.push_back(id.clone());
        let arguments = match &call.arguments_text {
            Some(text) => Json::from(text.as_str()),
            None => Json::Object(call.arguments().clone()),
        };
        MessagePart::ToolCall(ToolCall { id, name: call.name.clone(), arguments, signature: call.signature.clone() })
    }

    /// The id of a result: its own, or that of the first call without one.
    fn result_id(&mut self, id: Option<&str>) -> String {
        let at = id.map_or(Some(0), |id| self.waiting.iter().position(|known| known == id));
        let waiting = at.and_then(|at| self.waiting.remove(at));
        id.map(str::to_owned).or(waiting).unwrap_or_default()
    }
}

fn sent(number: usize, message: &CaseMessage, open: &mut PendingCalls) -> Result<Message, ScoreError> {
    let refused = |what: &str| {
        let reason = format!("message {} {what}, which is not sent to a model; set `generate.prompt`", number + 1);
        Err(ScoreError::other(ErrorKind::Failed, reason))
    };
    let Speaker::Known(role) = &message.role else {
        return refused(&format!("is by `{}`", message.role.name()));
    };
    if let Some(kind) = message.parts.iter().find_map(|part| match part {
        CaseMessagePart::Other { kind, .. } => Some(kind),
        _ => None,
    }) {
        return refused(&format!("holds something of kind `{kind}`"));
    }
    let text = message.spoken_text().unwrap_or_default().into_owned();
    if *role == Role::Tool {
        let id = open.result_id(message.id.as_deref());
        let name = message.name.clone().unwrap_or_default();
        let result = MessagePart::ToolResult { id, name, text, is_error: message.error.is_some() };
        return Ok(Message::new(Role::Tool, "").with_part(result));
    }
    let calls = message.tool_calls.iter().map(|call| open.call(call));
    Ok(calls.fold(Message::new(*role, text), Message::with_part))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn case(messages: &str) -> Case {
        serde_json::from_str(&format!(r#"{{"id":"1","query":"Rain?","messages":{messages}}}"#)).unwrap()
    }

    #[test]
    fn what_was_said_called_and_given_back_is_sent_up_to_the_answer() {
        let case = case(
            r#"[{"role":"system","text":"Be brief."},{"role":"user","text":"Rain?"},{"role":"assistant","parts":[{"type":"reasoning","text":"hm"},{"type":"text","text":"I look."}],"tool_calls":[{"name":"sky","arguments":{"at":"Rome"}},{"id":"x","name":"sea","arguments_text":"{","problem":"unparseable"}]},{"role":"tool","id":"x","text":"calm","error":true},{"role":"tool","name":"sky","text":"grey"},{"role":"assistant","text":"Yes."}]"#,
        );
        let sent = messages(&case).unwrap().unwrap();
        let text = serde_json::to_string(&sent[2..]).unwrap();
        assert_eq!(
            text,
            r#"[{"role":"assistant","text":"I look.","parts":[{"type":"tool_call","id":"call_1","name":"sky","arguments":{"at":"Rome"}},{"type":"tool_call","id":"x","name":"sea","arguments":"{"}]},{"role":"tool","text":"","parts":[{"type":"tool_result","id":"x","text":"calm","is_error":true}]},{"role":"tool","text":"","parts":[{"type":"tool_result","id":"call_1","name":"sky","text":"grey"}]}]"#
        );
        assert_eq!(sent.len(), 5, "the answer of the file is not sent");
    }

    #[test]
    fn a_question_that_is_not_in_the_conversation_is_asked_by_itself_and_what_cannot_be_sent_is_refused() {
        assert!(messages(&case(r#"[{"role":"user","text":"Snow?"}]"#)).is_none());
        assert!(messages(&Case { messages: None, ..case("[]") }).is_none());
        for (more, what) in [
            (r#"{"role":"critic","text":"x"}"#, "message 2 is by `critic`"),
            (
                r#"{"role":"user","parts":[{"type":"other","kind":"image"}]}"#,
                "message 2 holds something of kind `image`",
            ),
        ] {
            let error = messages(&case(&format!(r#"[{{"role":"user","text":"Rain?"}},{more}]"#))).unwrap().unwrap_err();
            assert!(error.to_string().starts_with(what), "{error}");
        }
    }
}
