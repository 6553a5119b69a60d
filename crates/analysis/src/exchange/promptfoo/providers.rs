//! Providers of promptfoo as models of ours.

use std::collections::BTreeSet;

use serde_json::{Map, Value as Json};

/// A model of ours in place of a provider.
pub(super) struct MappedModel {
    pub(super) entry: Json,
}

/// Keys of a provider that name an address.
pub(super) const ADDRESS_KEYS: [&str; 4] = ["apiBaseUrl", "apiHost", "baseUrl", "basePath"];

/// Providers of promptfoo by their first word, with ours and the words that may follow.
const PROVIDERS: [(&str, &str, &[&str]); 10] = [
    ("openai", "openai", &["chat"]),
    ("anthropic", "anthropic", &["messages"]),
    ("azure", "azure", &["chat"]),
    ("azureopenai", "azure", &["chat"]),
    ("google", "gemini", &[]),
    ("mistral", "mistral", &["chat"]),
    ("ollama", "ollama", &["chat"]),
    ("openrouter", "openrouter", &[]),
    ("groq", "groq", &[]),
    ("bedrock", "bedrock", &["converse"]),
];

/// Settings of a provider that ours have, too.
const SETTINGS: [(&str, &str); 8] = [
    ("temperature", "temperature"),
    ("top_p", "top_p"),
    ("max_tokens", "max_tokens"),
    ("max_completion_tokens", "max_tokens"),
    ("max_output_tokens", "max_tokens"),
    ("maxOutputTokens", "max_tokens"),
    ("reasoning_effort", "reasoning_effort"),
    ("seed", "seed"),
];

/// The model of ours that answers in place of a provider; else why there is none.
pub(super) fn mapped_model(
    id: &str,
    label: &str,
    config: &Map<String, Json>,
    notes: &mut Vec<String>,
) -> Result<MappedModel, String> {
    let is_code = ["exec:", "file://", "python:", "javascript:", "golang:", "ruby:", "package:"];
    if is_code.iter().any(|start| id.starts_with(start)) {
        return Err(format!("the provider `{id}` is code of the configuration, which is not run"));
    }
    if ["http:", "https:", "ws:", "wss:", "webhook:", "browser"].iter().any(|start| id.starts_with(start)) {
        return Err(format!("the provider `{id}` is an address of the configuration, which is not contacted"));
    }
    let unknown = || format!("the provider `{id}` has no counterpart here");
    let (first, rest) = id.split_once(':').ok_or_else(unknown)?;
    let (_, provider, words) = PROVIDERS.iter().find(|(name, ..)| *name == first).ok_or_else(unknown)?;
    let (provider, model) = match rest.split_once(':') {
        Some(("responses", model)) if first == "openai" => ("openai-responses", model),
        Some((word, model)) if words.contains(&word) => (*provider, model),
        Some(("completion" | "embedding" | "embeddings" | "image" | "moderation" | "realtime" | "assistant", _)) => {
            return Err(unknown());
        }
        _ => (*provider, rest),
    };
    if ADDRESS_KEYS.iter().any(|key| config.contains_key(*key)) {
        return Err(format!("the provider `{label}` names an address, which is not contacted"));
    }
    let api_name = format!("{provider}:{model}");
    let mut entry = Map::new();
    entry.insert("name".to_owned(), Json::from(if label == id { api_name.as_str() } else { label }));
    if label != id {
        entry.insert("api_model_name".to_owned(), Json::from(api_name));
    }
    for (theirs, ours) in SETTINGS {
        if let Some(value) = config.get(theirs) {
            entry.insert(ours.to_owned(), value.clone());
        }
    }
    let known = |key: &str| SETTINGS.iter().any(|(theirs, _)| *theirs == key);
    let left: Vec<String> = config.keys().filter(|key| !known(key)).map(|key| format!("`{key}`")).collect();
    if !left.is_empty() {
        notes.push(format!("settings of the provider `{label}` that are not taken over: {}", left.join(", ")));
    }
    Ok(MappedModel { entry: Json::Object(entry) })
}

/// Gives models of one name names of their own.
pub(super) fn name_models_apart(models: &mut [Result<MappedModel, String>]) {
    let mut known: BTreeSet<String> = BTreeSet::new();
    for model in models.iter_mut().flatten() {
        let name = model.entry.get("name").and_then(Json::as_str).unwrap_or_default().to_owned();
        let free = (2..=u32::MAX).map(|number| format!("{name} ({number})")).find(|other| !known.contains(other));
        if let (false, Some(free)) = (known.insert(name.clone()), free) {
            if model.entry.get("api_model_name").is_none() {
                model.entry["api_model_name"] = Json::from(name);
            }
            model.entry["name"] = Json::from(free.as_str());
            known.insert(free);
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn providers_are_resolved_by_name_and_never_by_address_or_code() {
        let map = |id: &str, config: Json| {
            let config = config.as_object().cloned().unwrap();
            mapped_model(id, id, &config, &mut Vec::new()).map(|model| model.entry)
        };
        assert_eq!(map("openai:chat:gpt-4.1-mini", json!({})).unwrap()["name"], "openai:gpt-4.1-mini");
        assert_eq!(map("openai:responses:o3", json!({})).unwrap()["name"], "openai-responses:o3");
        assert_eq!(map("google:gemini-2.5-pro", json!({"temperature": 0.5})).unwrap()["temperature"], 0.5);
        let reasoning = map("openai:o3", json!({"reasoning_effort": "low", "max_completion_tokens": 90})).unwrap();
        assert_eq!((&reasoning["reasoning_effort"], &reasoning["max_tokens"]), (&json!("low"), &json!(90)));
        assert_eq!(map("openai:responses:o3", json!({"max_output_tokens": 90})).unwrap()["max_tokens"], 90);
        assert_eq!(map("ollama:chat:llama3:8b", json!({})).unwrap()["name"], "ollama:llama3:8b");
        for (id, config, word) in [
            ("exec:./run.sh", json!({}), "code"),
            ("file://provider.py", json!({}), "code"),
            ("https://example.org/chat", json!({}), "address"),
            ("openai:gpt-4.1", json!({"apiBaseUrl": "http://127.0.0.1:1"}), "address"),
            ("replicate:x/y", json!({}), "counterpart"),
            ("openai:embedding:x", json!({}), "counterpart"),
        ] {
            assert!(map(id, config).unwrap_err().contains(word), "{id}");
        }
    }
}
