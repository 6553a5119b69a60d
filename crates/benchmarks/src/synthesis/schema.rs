//! [`CaseSchema`]: the part of JSON Schema that case files use, with the wording and order of messages that their users know.
//!
//! Messages and their order follow Ajv 8 with all errors collected: a wrong type hides the rules for that type, required
//! properties come before unknown ones, and those before the properties themselves.

use probare_metrics::care::Upstream;
use regex::Regex;
use serde_json::{Map, Value as Json};

/// A schema that is ready to check values.
#[derive(Debug, PartialEq)]
pub struct CaseSchema {
    root: SchemaRules,
    /// The version of Synthesis whose schema this is, if it is one.
    published: Option<Upstream>,
}

/// A schema that cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct SchemaError(String);

impl SchemaError {
    fn bad_value(keyword: &str, path: &str) -> Self {
        Self(format!("`{keyword}` at `{path}` of the schema has a value that it cannot have"))
    }
}

/// The schema that comes with the program.
const BUNDLED: &str = include_str!("../../data/synthesis/case.schema.json");

/// The one of Synthesis 1.3.
const BUNDLED_1_3: &str = include_str!("../../data/synthesis/case_1_3.schema.json");

/// Keywords that say nothing about validity.
const ANNOTATIONS: [&str; 7] = ["$schema", "$id", "$comment", "title", "description", "default", "examples"];

#[derive(Debug, Default, PartialEq)]
struct SchemaRules {
    kind: Option<Kind>,
    least_length: Option<usize>,
    most_length: Option<usize>,
    pattern: Option<Pattern>,
    allowed: Option<Vec<Json>>,
    least_items: Option<usize>,
    most_items: Option<usize>,
    unique_items: bool,
    items: Option<Box<SchemaRules>>,
    required: Vec<String>,
    closed: bool,
    properties: Vec<(String, SchemaRules)>,
    has_properties: bool,
}

/// A pattern; two are equal when they are written the same.
#[derive(Debug)]
struct Pattern(Regex);

impl PartialEq for Pattern {
    fn eq(&self, other: &Self) -> bool {
        self.0.as_str() == other.0.as_str()
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Object,
    Array,
    String,
    Number,
    Integer,
    Boolean,
    Null,
}

impl Kind {
    const ALL: [Self; 7] =
        [Self::Object, Self::Array, Self::String, Self::Number, Self::Integer, Self::Boolean, Self::Null];

    const fn name(self) -> &'static str {
        match self {
            Self::Object => "object",
            Self::Array => "array",
            Self::String => "string",
            Self::Number => "number",
            Self::Integer => "integer",
            Self::Boolean => "boolean",
            Self::Null => "null",
        }
    }

    fn holds(self, value: &Json) -> bool {
        match self {
            Self::Object => value.is_object(),
            Self::Array => value.is_array(),
            Self::String => value.is_string(),
            Self::Number => value.is_number(),
            Self::Integer => value.as_f64().is_some_and(|number| number.fract() == 0.0),
            Self::Boolean => value.is_boolean(),
            Self::Null => value.is_null(),
        }
    }
}

impl CaseSchema {
    /// The schema of the published case files.
    pub fn bundled() -> Self {
        Self::bundled_for(Upstream::V1_0)
    }

    /// The schema of the case files of a version.
    pub fn bundled_for(upstream: Upstream) -> Self {
        let text = match upstream {
            Upstream::V1_0 => BUNDLED,
            Upstream::V1_3 => BUNDLED_1_3,
        };
        Self::read(text).expect("a test reads the bundled schema")
    }

    pub fn read(text: &str) -> Result<Self, SchemaError> {
        let rules = |text: &str| {
            let json =
                serde_json::from_str(text).map_err(|error| SchemaError(format!("the schema is not JSON: {error}")))?;
            SchemaRules::read(&json, "/")
        };
        let root = rules(text)?;
        let mut published = None;
        for (upstream, known) in [(Upstream::V1_0, BUNDLED), (Upstream::V1_3, BUNDLED_1_3)] {
            if text == known || rules(known)? == root {
                published = Some(upstream);
            }
        }
        Ok(Self { root, published })
    }

    /// The version of Synthesis whose schema this is, wherever it was read from.
    pub(super) const fn published(&self) -> Option<Upstream> {
        self.published
    }

    /// All problems of a value, each as `path: message`.
    pub fn problems(&self, value: &Json) -> Vec<String> {
        let mut problems = Vec::new();
        self.root.check(value, "", &mut problems);
        problems
    }
}

impl SchemaRules {
    fn read(json: &Json, path: &str) -> Result<Self, SchemaError> {
        let mut rules = Self::default();
        let object = match json {
            Json::Bool(true) => return Ok(rules),
            Json::Object(object) => object,
            _ => return Err(SchemaError::bad_value("schema", path)),
        };
        for (keyword, value) in object {
            let wrong = || SchemaError::bad_value(keyword, path);
            let count = || value.as_u64().and_then(|count| usize::try_from(count).ok()).ok_or_else(wrong);
            match keyword.as_str() {
                "type" => {
                    let name = value.as_str().ok_or_else(wrong)?;
                    rules.kind = Some(Kind::ALL.into_iter().find(|kind| kind.name() == name).ok_or_else(wrong)?);
                }
                "minLength" => rules.least_length = Some(count()?),
                "maxLength" => rules.most_length = Some(count()?),
                "minItems" => rules.least_items = Some(count()?),
                "maxItems" => rules.most_items = Some(count()?),
                "uniqueItems" => rules.unique_items = value.as_bool().ok_or_else(wrong)?,
                "additionalProperties" => rules.closed = !value.as_bool().ok_or_else(wrong)?,
                "enum" => rules.allowed = Some(value.as_array().ok_or_else(wrong)?.clone()),
                "pattern" => {
                    let pattern = value.as_str().ok_or_else(wrong)?;
                    rules.pattern = Some(Pattern(Regex::new(pattern).map_err(|_| wrong())?));
                }
                "required" => {
                    let names = value.as_array().ok_or_else(wrong)?.iter().map(|name| name.as_str().map(str::to_owned));
                    rules.required = names.collect::<Option<_>>().ok_or_else(wrong)?;
                }
                "items" => rules.items = Some(Box::new(Self::read(value, &format!("{path}items/"))?)),
                "properties" => {
                    rules.has_properties = true;
                    for (name, inner) in value.as_object().ok_or_else(wrong)? {
                        let inner = Self::read(inner, &format!("{path}properties/{name}/"))?;
                        rules.properties.push((name.clone(), inner));
                    }
                }
                annotation if ANNOTATIONS.contains(&annotation) => {}
                _ => {
                    return Err(SchemaError(format!(
                        "the schema uses `{keyword}` at `{path}`, which is not supported"
                    )));
                }
            }
        }
        Ok(rules)
    }

    fn check(&self, value: &Json, path: &str, problems: &mut Vec<String>) {
        let shown = if path.is_empty() { "/" } else { path };
        let mut say = |message: String| problems.push(format!("{shown}: {message}"));
        if let Some(kind) = self.kind
            && !kind.holds(value)
        {
            say(format!("must be {}", kind.name()));
        }
        if let Json::String(text) = value {
            self.check_string(text, &mut say);
        }
        if let Some(allowed) = &self.allowed
            && !allowed.contains(value)
        {
            say("must be equal to one of the allowed values".to_owned());
        }
        match value {
            Json::Array(items) => {
                self.check_list(items, &mut say);
                for (number, item) in items.iter().enumerate() {
                    if let Some(rules) = &self.items {
                        rules.check(item, &format!("{path}/{number}"), problems);
                    }
                }
            }
            Json::Object(object) => {
                self.check_names(object, &mut say);
                for (name, rules) in &self.properties {
                    if let Some(inner) = object.get(name) {
                        rules.check(inner, &format!("{path}/{}", escaped(name)), problems);
                    }
                }
            }
            _ => {}
        }
    }

    fn check_string(&self, text: &str, say: &mut impl FnMut(String)) {
        let length = text.chars().count();
        if let Some(most) = self.most_length.filter(|most| length > *most) {
            say(format!("must NOT have more than {most} characters"));
        }
        if let Some(least) = self.least_length.filter(|least| length < *least) {
            say(format!("must NOT have fewer than {least} characters"));
        }
        if let Some(pattern) = self.pattern.as_ref().filter(|pattern| !pattern.0.is_match(text)) {
            say(format!("must match pattern \"{}\"", pattern.0.as_str()));
        }
    }

    fn check_list(&self, items: &[Json], say: &mut impl FnMut(String)) {
        if let Some(most) = self.most_items.filter(|most| items.len() > *most) {
            say(format!("must NOT have more than {most} items"));
        }
        if let Some(least) = self.least_items.filter(|least| items.len() < *least) {
            say(format!("must NOT have fewer than {least} items"));
        }
        if self.unique_items
            && let Some((first, second)) = self.duplicate_items(items)
        {
            say(format!("must NOT have duplicate items (items ## {second} and {first} are identical)"));
        }
    }

    /// The last item that occurs again behind it, with the nearest place where it does. Items of another type than the
    /// schema asks for have their own message and are left out.
    fn duplicate_items(&self, items: &[Json]) -> Option<(usize, usize)> {
        let kind = self.items.as_ref().and_then(|rules| rules.kind);
        let counts = |item: &Json| kind.is_none_or(|kind| kind.holds(item));
        (0..items.len())
            .rev()
            .filter(|&at| counts(&items[at]))
            .find_map(|at| (at + 1..items.len()).find(|&other| items[other] == items[at]).map(|other| (at, other)))
    }

    fn check_names(&self, object: &Map<String, Json>, say: &mut impl FnMut(String)) {
        for name in self.required.iter().filter(|name| !object.contains_key(*name)) {
            say(format!("must have required property '{name}'"));
        }
        if self.closed {
            for _ in object.keys().filter(|name| !self.properties.iter().any(|(known, _)| known == *name)) {
                say("must NOT have additional properties".to_owned());
            }
        }
    }
}

/// A name as it stands in a JSON pointer.
fn escaped(name: &str) -> String {
    name.replace('~', "~0").replace('/', "~1")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn the_order_of_messages_is_that_of_ajv() {
        let case =
            json!({"id": "A-1", "user": "u", "assistant": "a", "checks": ["tone", 5, "topic_pivot", "topic_pivot"]});
        let expected = [
            "/checks: must NOT have duplicate items (items ## 3 and 2 are identical)",
            "/checks/0: must be equal to one of the allowed values",
            "/checks/1: must be string",
            "/checks/1: must be equal to one of the allowed values",
        ];
        assert_eq!(CaseSchema::bundled().problems(&case), expected);
    }

    #[test]
    fn a_schema_of_ones_own_is_used_or_refused() {
        let schema = CaseSchema::read(r#"{"type": "object", "properties": {"n": {"type": "integer"}}}"#).unwrap();
        assert_eq!(schema.problems(&json!({"n": 1.5})), ["/n: must be integer"]);
        assert!(schema.problems(&json!({"n": 2.0})).is_empty());
        let error = |text: &str| CaseSchema::read(text).unwrap_err().to_string();
        assert!(error(r#"{"properties": {"a": {"oneOf": []}}}"#).contains("`oneOf` at `/properties/a/`"));
        assert!(error("{").contains("not JSON"));
        assert!(error(r#"{"type": "text"}"#).contains("`type` at `/`"));
    }
}
