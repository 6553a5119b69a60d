//! Options of metrics as parameters of Python. The stub of `probare.catalogue` and its signatures at run time are made of them.

use serde_json::{Map, Value as Json};

/// Words that cannot name an argument of Python.
const KEYWORDS: &[&str] =
    &["and", "as", "assert", "class", "def", "for", "from", "if", "in", "is", "lambda", "not", "or", "with"];

/// A parameter: its name and its type, as Python writes them.
pub struct Parameter {
    /// As everywhere in Python: a name that is taken has an underscore behind it.
    pub name: String,
    /// The type; what has no name in Python is `Any`.
    pub annotation: String,
}

/// The options of a metric, from their JSON Schema. The profile is an argument of all metrics and not among them.
pub fn parameters(schema: &Json) -> Vec<Parameter> {
    let empty = Map::new();
    let properties = schema["properties"].as_object().unwrap_or(&empty);
    let options = properties.iter().filter(|(name, _)| *name != "profile");
    options
        .map(|(name, property)| {
            let end = if KEYWORDS.contains(&name.as_str()) { "_" } else { "" };
            Parameter { name: format!("{name}{end}"), annotation: annotation(property, schema, 0) }
        })
        .collect()
}

/// The type of an option. What has no name in Python is `Any`.
fn annotation(property: &Json, schema: &Json, depth: usize) -> String {
    if depth > 8 {
        return "Any".to_owned();
    }
    if let Some(reference) = property["$ref"].as_str() {
        return schema
            .pointer(reference.trim_start_matches('#'))
            .map_or_else(|| "Any".to_owned(), |to| annotation(to, schema, depth + 1));
    }
    if let Some(word) = property["const"].as_str() {
        return format!("Literal[\"{word}\"]");
    }
    if let Some(words) = property["enum"].as_array() {
        let words: Vec<String> =
            words.iter().map(|word| if word.is_null() { "None".to_owned() } else { word.to_string() }).collect();
        return format!("Literal[{}]", words.join(", "));
    }
    if let Some(choices) = property["anyOf"].as_array().or_else(|| property["oneOf"].as_array()) {
        let mut types: Vec<String> = Vec::new();
        for choice in choices {
            let next = annotation(choice, schema, depth + 1);
            match (types.last_mut(), next.strip_prefix("Literal[")) {
                (Some(last), _) if *last == next => {}
                (Some(last), Some(words)) if last.starts_with("Literal[") => {
                    last.truncate(last.len() - 1);
                    last.push_str(&format!(", {words}"));
                }
                _ => types.push(next),
            }
        }
        return types.join(" | ");
    }
    let plain = |word: &str| match word {
        "string" => "str".to_owned(),
        "integer" => "int".to_owned(),
        "number" => "float".to_owned(),
        "boolean" => "bool".to_owned(),
        "null" => "None".to_owned(),
        "array" => format!("Sequence[{}]", annotation(&property["items"], schema, depth + 1)),
        "object" => "dict[str, Any]".to_owned(),
        _ => "Any".to_owned(),
    };
    match &property["type"] {
        Json::String(word) => plain(word),
        Json::Array(words) => words.iter().filter_map(Json::as_str).map(plain).collect::<Vec<_>>().join(" | "),
        _ => "Any".to_owned(),
    }
}

/// What `help` and editors say of a metric: its summary and its options.
pub fn docstring(summary: &str, schema: &Json) -> String {
    let mut text = format!("{summary}.");
    let options = schema["properties"].as_object().into_iter().flatten();
    let described = options.filter(|(name, _)| *name != "profile").filter_map(|(name, property)| {
        let whole = property["description"].as_str().unwrap_or_default();
        let first = whole.split("\n\n").next().unwrap_or_default().replace('\n', " ");
        (!first.is_empty()).then(|| format!("\n- `{name}`: {first}"))
    });
    for (at, line) in described.enumerate() {
        text.push_str(if at == 0 { "\n" } else { "" });
        text.push_str(&line);
    }
    text
}
