//! Conversations: objects with `messages`, one a line or in a list, as chat models are trained and asked with; and sessions of
//! Claude Code, a line for each message.

use std::collections::BTreeMap;

use probare_core::{Case, Field, Output};
use serde_json::{Map, Value as Json, json};

use super::document::{SourceDocument, as_text, as_texts};
use super::{ImportError, ImportFormat, ImportedCases, ORIGIN, put};
use crate::agents;
use crate::fields::names;

const FORMAT: ImportFormat = ImportFormat::Chat;

pub(super) fn read(document: &SourceDocument) -> Result<ImportedCases, ImportError> {
    let text = document.text(FORMAT)?;
    let mut imported = ImportedCases::default();
    let mut sessions: BTreeMap<String, Vec<Json>> = BTreeMap::new();
    for value in document.values(&text, FORMAT)? {
        let row: Map<String, Json> = document.parse_part(&text, value, FORMAT)?;
        if agents::is_session_line(&row) {
            if let Some(id) = conversation_id(&row) {
                sessions.entry(id).or_default().push(Json::Object(row));
            }
            continue;
        }
        let number = imported.cases.len() + 1;
        let broken = |reason: String| document.broken(FORMAT, &format!("conversation {number}"), reason);
        let case = case(number, row).map_err(broken)?;
        imported.push(case, Map::new());
    }
    for (id, lines) in sessions {
        let broken = |reason: String| document.broken(FORMAT, &format!("session {id}"), reason);
        let number = imported.cases.len() + 1;
        let model = lines.iter().rev().find_map(|line| line.pointer("/message/model")).cloned();
        let mut row =
            Map::from_iter([("id".to_owned(), Json::from(id.as_str())), ("messages".to_owned(), Json::from(lines))]);
        row.extend(model.map(|model| ("model".to_owned(), model)));
        let case = case(number, row).map_err(broken)?;
        // A session in which nobody spoke is none.
        if case.messages.as_ref().is_some_and(|messages| !messages.is_empty()) {
            imported.push(case, Map::new());
        }
    }
    Ok(imported)
}

/// The conversation that a line of a session belongs to: an agent that the session called has one of its own. Lines about the
/// session belong to none.
fn conversation_id(line: &Map<String, Json>) -> Option<String> {
    let text = |name: &str| line.get(name).and_then(Json::as_str);
    text("type").filter(|kind| ["user", "assistant"].contains(kind))?;
    let session = text("sessionId").or_else(|| text("session_id")).unwrap_or("session");
    let called = line.get("isSidechain") == Some(&Json::Bool(true));
    let agent = text("parent_tool_use_id").or_else(|| text("agentId").filter(|_| called)).or(called.then_some("agent"));
    Some(agent.map_or_else(|| session.to_owned(), |agent| format!("{session}/{agent}")))
}

/// A conversation as a case: what the user asked last, what was answered, and all that was said and done.
fn case(number: usize, mut row: Map<String, Json>) -> Result<Case, String> {
    if !row.get("messages").and_then(Json::as_array).is_some_and(|list| agents::is_conversation(list)) {
        return Err("`messages` is not a list of messages, each with `role` and `content`".to_owned());
    }
    let mut case = Case::default();
    agents::take_agent_columns(&mut case, &mut row)
        .map_err(|misfit| format!("`{}` {}", misfit.column, misfit.reason))?;
    agents::fill_query_and_response(&mut case);
    let mut take = |field: Option<Field>| {
        let name = names(field).into_iter().find(|name| row.get(*name).is_some_and(|value| !value.is_null()))?;
        row.shift_remove(name)
    };
    let id = take(None).map_or_else(|| number.to_string(), |id| as_text(&id));
    let reference = take(Some(Field::Reference)).as_ref().and_then(as_texts);
    let tags = take(Some(Field::Tags)).as_ref().and_then(as_texts).unwrap_or_default();
    let own = take(Some(Field::Metadata));
    let model = row.get("model").and_then(Json::as_str).map(str::to_owned);
    let mut metadata = match own {
        Some(Json::Object(own)) => own,
        Some(other) => Map::from_iter([("metadata".to_owned(), other)]),
        None => Map::new(),
    };
    for (name, value) in row {
        let name = if metadata.contains_key(&name) { format!("row.{name}") } else { name };
        metadata.insert(name, value);
    }
    put(&mut metadata, ORIGIN, json!({"from": FORMAT.name()}));
    let response = case.response.take().map(|output| Output { model, ..output });
    Ok(Case { id, response, reference, tags, metadata, ..case })
}
