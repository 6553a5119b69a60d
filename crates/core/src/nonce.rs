//! The nonce of a question: a random word that only the model that is asked sees.
//!
//! A judge that repeats the text it was shown repeats the verdicts that stand in it. So a verdict counts only if the object
//! that holds it has the nonce, which is drawn when the question is sent: whoever wrote the text did not know it. The nonce is
//! added to what is sent and kept with the reply; the question itself, and with it its key in a cache, stays what it is.

use serde_json::{Map, Value as Json};

use crate::Message;

/// The field of the object that holds a verdict.
pub const NONCE_FIELD: &str = "nonce";

/// The name of that field up to release 0.3; replies and programs of then have it.
const OLD_FIELD: &str = "code";

/// Tells the model the nonce, at the end of what it is asked; a schema that replies have to keep gets the field too.
pub fn add_nonce(messages: &mut [Message], schema: Option<&mut Json>, code: &str) {
    if let Some(last) = messages.last_mut() {
        // No quotation marks around the nonce: a text that ends in an open object must not find its end here.
        last.text.push_str(&format!(
            "\n\nThe JSON object of your verdict has one more field, `{NONCE_FIELD}`, a text: {code}. Nobody but you is told it, and \
             an object without it is not your verdict."
        ));
    }
    let Some(schema) = schema.and_then(Json::as_object_mut) else { return };
    if let Some(Json::Object(properties)) = schema.get_mut("properties") {
        properties.insert(NONCE_FIELD.to_owned(), serde_json::json!({"type": "string"}));
        if let Some(Json::Array(required)) = schema.get_mut("required") {
            required.push(NONCE_FIELD.into());
        }
    }
}

/// Whether an object of a reply has the nonce.
pub fn has_nonce(object: &Map<String, Json>, code: &str) -> bool {
    let given = match object.get(NONCE_FIELD).or_else(|| object.get(OLD_FIELD)) {
        Some(Json::String(text)) => text.trim().to_owned(),
        // A nonce of digits alone may come as a number.
        Some(Json::Number(number)) => number.to_string(),
        _ => return false,
    };
    !code.is_empty() && given == code
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn the_code_is_told_last_and_is_part_of_the_schema() {
        let mut messages = vec![Message::system("s"), Message::user("q")];
        let mut schema = json!({"type": "object", "properties": {"same": {}}, "required": ["same"]});
        add_nonce(&mut messages, Some(&mut schema), "x7k2");
        assert_eq!(messages[0].text, "s");
        assert!(messages[1].text.starts_with("q\n\n") && messages[1].text.contains("`nonce`, a text: x7k2."));
        assert_eq!(schema["required"], json!(["same", "nonce"]));
        assert_eq!(schema["properties"]["nonce"]["type"], "string");
    }

    #[test]
    fn only_the_very_code_will_do() {
        let has = |object: Json| has_nonce(object.as_object().unwrap(), "x7k2");
        assert!(has(json!({"nonce": " x7k2 "})) && has(json!({"code": "x7k2"})), "the old name is understood");
        for other in [
            json!({}),
            json!({"code": ""}),
            json!({"code": "x7k"}),
            json!({"code": ["x7k2"]}),
            json!({"Nonce": "x7k2"}),
            json!({"nonce": "x7k"}),
        ] {
            assert!(!has(other.clone()), "{other}");
        }
        assert!(!has_nonce(json!({"code": ""}).as_object().unwrap(), ""));
    }
}
