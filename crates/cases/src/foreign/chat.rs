//! Conversations: objects with `messages`, one a line or in a list, as chat models are trained and asked with.

use probare_core::{Case, Field, Output};
use serde_json::{Map, Value as Json, json};

use super::document::{Document, as_text, as_texts};
use super::{Foreign, ForeignError, Imported, ORIGIN, content, put};
use crate::fields::names;

const FORMAT: Foreign = Foreign::Chat;

pub(super) fn read(document: &Document) -> Result<Imported, ForeignError> {
    let text = document.text(FORMAT)?;
    let mut imported = Imported::default();
    for value in document.values(&text, FORMAT)? {
        let row: Map<String, Json> = document.part(&text, value, FORMAT)?;
        let number = imported.cases.len() + 1;
        let Some(case) = case(number, row) else {
            let reason = "`messages` is no list of objects with `role` and `content`";
            return Err(document.broken(FORMAT, &format!("conversation {number}"), reason));
        };
        imported.push(case, Map::new());
    }
    Ok(imported)
}

/// A conversation as a case: what the user asked last, what was answered, and all that was said.
fn case(number: usize, mut row: Map<String, Json>) -> Option<Case> {
    let messages = row.shift_remove("messages").filter(content::is_messages)?;
    let list = messages.as_array()?;
    let (answer, before) = content::answer(list);
    let query = content::question(before);
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
    put(&mut metadata, "messages", messages);
    let response = answer.map(|text| Output { text, model, repeat: 0 });
    Some(Case { id, query, response, reference, tags, metadata, ..Case::default() })
}
