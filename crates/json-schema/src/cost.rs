//! [`SchemaCost`]: how many checks a schema makes of a value, before any of them is made.
//!
//! Parts of a schema may refer to each other. `a0: {allOf: [a1, a1]}`, `a1: {allOf: [a2, a2]}` and so on for forty steps is
//! a page of text and 2⁴⁰ checks, of a value as small as `1`; with a schema that refers to itself the depth of the value
//! does the same. A validator follows every reference. The count does not: what a target costs on a value is found
//! once and remembered, so that counting takes no more than the size of the schema times the size of the value, and a count
//! that is too high is an error with words instead of a thread that never comes back.
//!
//! Where it cannot be exact the count is too high rather than too low: all branches of `anyOf` count, and both of `if`.

use percent_encoding::percent_decode_str;
use regex::Regex;
use rustc_hash::FxHashMap;
use serde_json::{Map, Value};

use probare_cancellation::count_steps;

/// Checks that a schema may make of one value. A plain schema makes about one for each value inside.
pub(crate) const MOST_CHECKS: u64 = 4_000_000;

/// References and parts within each other that are followed, on a value and what is inside of it.
const DEEPEST: usize = 300;

/// References in a schema: one that leads to the next is followed within it, and the stack of a thread has an end.
pub(crate) const MOST_REFERENCES: usize = 1_000;

/// Bytes of a text that count as one check.
const BYTES: u64 = 64;

/// Why a schema is not used on a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum CostError {
    /// More checks than are made.
    Checks,
    /// Parts within parts beyond any reasonable depth.
    Depth,
    /// A part refers to itself on the same value, which has no end.
    Circle,
}

impl CostError {
    pub(crate) fn reason(self) -> String {
        match self {
            Self::Checks => format!(
                "would take more than {MOST_CHECKS} checks against this schema; \
                 parts that refer to each other several times multiply"
            ),
            Self::Depth => format!("would be checked through more than {DEEPEST} references of the schema"),
            Self::Circle => "cannot be checked: a part of the schema refers to itself on the same value".to_owned(),
        }
    }
}

/// What is known of a schema before any value.
pub(crate) struct SchemaCost {
    schema: Value,
    /// Patterns that are plain regular expressions; nothing for those that go back in their text.
    patterns: FxHashMap<String, Option<Regex>>,
}

impl SchemaCost {
    pub(crate) fn new(schema: Value) -> Self {
        let mut patterns = FxHashMap::default();
        each_object(&schema, &mut |object| {
            let of_names = object.get("patternProperties").and_then(Value::as_object).into_iter().flat_map(Map::keys);
            let own = object.get("pattern").and_then(Value::as_str);
            for pattern in of_names.map(String::as_str).chain(own) {
                patterns.entry(pattern.to_owned()).or_insert_with(|| Regex::new(pattern).ok());
            }
        });
        Self { schema, patterns }
    }

    pub(crate) const fn schema(&self) -> &Value {
        &self.schema
    }

    /// References in the schema.
    pub(crate) fn references(&self) -> usize {
        let mut count = 0;
        each_object(&self.schema, &mut |object| {
            count += ["$ref", "$dynamicRef", "$recursiveRef"].iter().filter(|key| object.contains_key(**key)).count();
        });
        count
    }

    /// Counts the checks of a value.
    pub(crate) fn check(&self, value: &Value) -> Result<(), CostError> {
        let mut named = Vec::new();
        collect_named(&self.schema, &self.schema, &mut named);
        let mut count = CheckCounter { cost: self, named, known: FxHashMap::default(), visited: 0, depth: 0 };
        let spot = SchemaPart { schema: &self.schema, base: &self.schema };
        // One name stands for all keys of objects.
        match count.count_part(spot, value, &Value::String(String::new()))? {
            checks if checks > MOST_CHECKS => Err(CostError::Checks),
            _ => Ok(()),
        }
    }
}

/// A part of a schema, and the resource in which its references are looked up.
#[derive(Clone, Copy)]
struct SchemaPart<'a> {
    schema: &'a Value,
    base: &'a Value,
}

/// A part that can be referred to by a name.
struct NamedPart<'a> {
    name: &'a str,
    kind: NameKind,
    spot: SchemaPart<'a>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum NameKind {
    Resource,
    Anchor,
    DynamicAnchor,
    RecursiveAnchor,
}

struct CheckCounter<'a> {
    cost: &'a SchemaCost,
    named: Vec<NamedPart<'a>>,
    /// What targets of references cost on a value, by where both stand; nothing while it is being counted.
    known: FxHashMap<(usize, usize), Option<u64>>,
    visited: u64,
    depth: usize,
}

impl<'a> CheckCounter<'a> {
    fn count_part(&mut self, spot: SchemaPart<'a>, value: &Value, name: &Value) -> Result<u64, CostError> {
        self.visit(1)?;
        self.depth += 1;
        if self.depth > DEEPEST {
            return Err(CostError::Depth);
        }
        let checks = match spot.schema.as_object() {
            Some(schema) => self.count_object(schema, resource_of(spot), value, name)?,
            None => 1,
        };
        self.depth -= 1;
        Ok(checks)
    }

    fn count_object(
        &mut self,
        schema: &'a Map<String, Value>,
        base: &'a Value,
        value: &Value,
        name: &Value,
    ) -> Result<u64, CostError> {
        let spot = |schema| SchemaPart { schema, base };
        // On the value itself, and on what is inside of it.
        let (mut here, mut inside) = (1_u64, 0_u64);
        let mut evaluated = 1;
        for (keyword, part) in schema {
            match keyword.as_str() {
                "allOf" | "anyOf" | "oneOf" => {
                    for part in part.as_array().into_iter().flatten() {
                        here = here.saturating_add(self.count_part(spot(part), value, name)?);
                    }
                }
                "not" | "if" | "then" | "else" => {
                    here = here.saturating_add(self.count_part(spot(part), value, name)?);
                }
                "dependentSchemas" | "dependencies" => {
                    for (key, part) in part.as_object().into_iter().flatten() {
                        if value.get(key).is_some() {
                            here = here.saturating_add(self.count_part(spot(part), value, name)?);
                        }
                    }
                }
                "$ref" => here = here.saturating_add(self.count_reference(part, base, value, name)?),
                "$dynamicRef" => {
                    let all = self.dynamic_targets(part.as_str().unwrap_or_default(), base);
                    here = here.saturating_add(self.count_costliest(all, value, name)?);
                }
                "$recursiveRef" => {
                    let mut all = self.named_parts("", NameKind::RecursiveAnchor);
                    all.push(spot(base));
                    here = here.saturating_add(self.count_costliest(all, value, name)?);
                }
                "const" | "enum" => here = here.saturating_add(self.size(part)?),
                "uniqueItems" => here = here.saturating_add(self.size(value)?),
                "pattern" => here = here.saturating_add(self.of_pattern(part, value)),
                "properties" => {
                    for (key, part) in part.as_object().into_iter().flatten() {
                        if let Some(value) = value.get(key) {
                            inside = inside.saturating_add(self.count_part(spot(part), value, name)?);
                        }
                    }
                }
                "patternProperties" => {
                    for (pattern, part) in part.as_object().into_iter().flatten() {
                        for (key, value) in value.as_object().into_iter().flatten() {
                            self.visit(1)?;
                            let known = self.cost.patterns.get(pattern).and_then(Option::as_ref);
                            here = here.saturating_add(1 + key.len() as u64 / BYTES);
                            if known.is_none_or(|known| known.is_match(key)) {
                                inside = inside.saturating_add(self.count_part(spot(part), value, name)?);
                            }
                        }
                    }
                }
                "additionalProperties" | "unevaluatedProperties" => {
                    evaluated += u64::from(keyword.starts_with('u'));
                    let listed = schema.get("properties").and_then(Value::as_object);
                    for (key, value) in value.as_object().into_iter().flatten() {
                        if !listed.is_some_and(|listed| listed.contains_key(key)) {
                            inside = inside.saturating_add(self.count_part(spot(part), value, name)?);
                        }
                    }
                }
                "propertyNames" => {
                    let keys = value.as_object().map_or(0, Map::len) as u64;
                    if keys > 0 {
                        let each = self.count_part(spot(part), name, name)?;
                        inside = inside.saturating_add(each.saturating_mul(keys));
                    }
                }
                "items" | "additionalItems" | "unevaluatedItems" | "contains" | "prefixItems" => {
                    evaluated += u64::from(keyword.starts_with('u'));
                    for (at, value) in value.as_array().into_iter().flatten().enumerate() {
                        let part = match part {
                            Value::Array(parts) => parts.get(at),
                            part => Some(part),
                        };
                        match part {
                            Some(part) => inside = inside.saturating_add(self.count_part(spot(part), value, name)?),
                            None => break,
                        }
                    }
                }
                _ => {}
            }
        }
        // What is left over after all other parts is found by asking them once more.
        let texts = value.as_str().map_or(0, |text| text.len() as u64 / BYTES);
        Ok(here.saturating_add(texts).saturating_mul(evaluated).saturating_add(inside))
    }

    /// A plain pattern goes over its text once; one that goes back in it may do so from every place.
    fn of_pattern(&self, pattern: &Value, value: &Value) -> u64 {
        let (Some(pattern), Some(text)) = (pattern.as_str(), value.as_str()) else { return 0 };
        let pieces = 1 + text.len() as u64 / BYTES;
        match self.cost.patterns.get(pattern) {
            Some(Some(_)) => pieces,
            _ => pieces.saturating_mul(1 + text.len() as u64),
        }
    }

    fn count_reference(
        &mut self,
        reference: &'a Value,
        base: &'a Value,
        value: &Value,
        name: &Value,
    ) -> Result<u64, CostError> {
        match self.target(reference.as_str().unwrap_or_default(), base) {
            Some(spot) => self.count_target(spot, value, name),
            // A schema that the validator brings along: one of the published ones about schemas.
            None => Ok(self.size(value)?.saturating_mul(MOST_PUBLISHED)),
        }
    }

    /// The most that one of several targets costs.
    fn count_costliest(&mut self, spots: Vec<SchemaPart<'a>>, value: &Value, name: &Value) -> Result<u64, CostError> {
        let mut most = 0;
        for spot in spots {
            most = most.max(self.count_target(spot, value, name)?);
        }
        Ok(most)
    }

    fn count_target(&mut self, spot: SchemaPart<'a>, value: &Value, name: &Value) -> Result<u64, CostError> {
        let key = (std::ptr::from_ref(spot.schema).addr(), std::ptr::from_ref(value).addr());
        match self.known.get(&key) {
            Some(Some(checks)) => return Ok(*checks),
            Some(None) => return Err(CostError::Circle),
            None => {}
        }
        self.known.insert(key, None);
        let checks = self.count_part(spot, value, name)?;
        self.known.insert(key, Some(checks));
        Ok(checks)
    }

    fn named_parts(&self, name: &str, kind: NameKind) -> Vec<SchemaPart<'a>> {
        self.named.iter().filter(|part| part.kind == kind && part.name == name).map(|part| part.spot).collect()
    }

    fn dynamic_targets(&self, reference: &str, base: &'a Value) -> Vec<SchemaPart<'a>> {
        let anchor = reference.rsplit_once('#').map_or("", |(_, anchor)| anchor);
        let mut all = self.named_parts(anchor, NameKind::DynamicAnchor);
        all.extend(self.target(reference, base));
        all
    }

    /// What a reference leads to.
    fn target(&self, reference: &str, base: &'a Value) -> Option<SchemaPart<'a>> {
        let (resource, fragment) = reference.split_once('#').unwrap_or((reference, ""));
        let base = if resource.is_empty() {
            base
        } else {
            // References and names may be relative to each other; the last part is what they share.
            let last = |name: &str| name.trim_end_matches('#').rsplit('/').next().unwrap_or_default().to_owned();
            let resources = || self.named.iter().filter(|part| part.kind == NameKind::Resource);
            let found = resources()
                .find(|part| part.name.trim_end_matches('#') == resource)
                .or_else(|| resources().find(|part| last(part.name) == last(resource)));
            found?.spot.schema
        };
        if fragment.is_empty() {
            return Some(SchemaPart { schema: base, base });
        }
        if fragment.starts_with('/') {
            return follow_pointer(base, fragment).or_else(|| follow_pointer(&self.cost.schema, fragment));
        }
        let named = || {
            let is_anchor = |part: &&NamedPart<'_>| matches!(part.kind, NameKind::Anchor | NameKind::DynamicAnchor);
            self.named.iter().filter(is_anchor).filter(|part| part.name == fragment)
        };
        let found = named().find(|part| std::ptr::eq(part.spot.base, base)).or_else(|| named().next());
        found.map(|part| part.spot)
    }

    /// Values in a value, itself included.
    fn size(&mut self, value: &Value) -> Result<u64, CostError> {
        self.visit(1)?;
        let mut size = 1 + value.as_str().map_or(0, |text| text.len() as u64 / BYTES);
        for inner in value.as_array().into_iter().flatten() {
            size += self.size(inner)?;
        }
        for inner in value.as_object().into_iter().flat_map(Map::values) {
            size += self.size(inner)?;
        }
        Ok(size)
    }

    fn visit(&mut self, count: u64) -> Result<(), CostError> {
        count_steps(1);
        self.visited += count;
        if self.visited > MOST_CHECKS { Err(CostError::Checks) } else { Ok(()) }
    }
}

/// Checks of one value by one of the published schemas about schemas, at most.
const MOST_PUBLISHED: u64 = 200;

/// The resource of what stands in a part: the part itself where it has a name of its own.
fn resource_of(spot: SchemaPart<'_>) -> &Value {
    if resource_name(spot.schema).is_some() { spot.schema } else { spot.base }
}

/// The name of a part that is a resource of its own.
fn resource_name(schema: &Value) -> Option<&str> {
    let name = schema.get("$id").or_else(|| schema.get("id")).and_then(Value::as_str)?;
    (!name.starts_with('#')).then_some(name)
}

/// Follows a JSON Pointer as it stands in a reference.
fn follow_pointer<'a>(base: &'a Value, pointer: &str) -> Option<SchemaPart<'a>> {
    let mut spot = SchemaPart { schema: base, base };
    for token in pointer.split('/').skip(1) {
        let token = percent_decode_str(token).decode_utf8_lossy().replace("~1", "/").replace("~0", "~");
        let schema = match spot.schema {
            Value::Object(object) => object.get(&token)?,
            Value::Array(list) => list.get(token.parse::<usize>().ok()?)?,
            _ => return None,
        };
        spot = SchemaPart { schema, base: resource_of(spot) };
    }
    Some(spot)
}

/// All parts of a schema that can be referred to by a name.
fn collect_named<'a>(schema: &'a Value, base: &'a Value, named: &mut Vec<NamedPart<'a>>) {
    let spot = SchemaPart { schema, base };
    let inner = resource_of(spot);
    match schema {
        Value::Object(object) => {
            let text = |key: &str| object.get(key).and_then(Value::as_str);
            let mut add = |name, kind| named.push(NamedPart { name, kind, spot: SchemaPart { schema, base: inner } });
            if let Some(name) = resource_name(schema) {
                add(name, NameKind::Resource);
            }
            for key in ["$id", "id"] {
                if let Some(name) = text(key).and_then(|name| name.strip_prefix('#')) {
                    add(name, NameKind::Anchor);
                }
            }
            if let Some(name) = text("$anchor") {
                add(name, NameKind::Anchor);
            }
            if let Some(name) = text("$dynamicAnchor") {
                add(name, NameKind::DynamicAnchor);
            }
            if object.get("$recursiveAnchor") == Some(&Value::Bool(true)) {
                add("", NameKind::RecursiveAnchor);
            }
            object.values().for_each(|part| collect_named(part, inner, named));
        }
        Value::Array(list) => list.iter().for_each(|part| collect_named(part, inner, named)),
        _ => {}
    }
}

fn each_object<'a>(value: &'a Value, found: &mut impl FnMut(&'a Map<String, Value>)) {
    match value {
        Value::Object(object) => {
            found(object);
            object.values().for_each(|inner| each_object(inner, found));
        }
        Value::Array(list) => list.iter().for_each(|inner| each_object(inner, found)),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn check(schema: Value, value: &Value) -> Result<(), CostError> {
        SchemaCost::new(schema).check(value)
    }

    /// Forty steps, each of which refers to the next one twice.
    fn doubled(reference: impl Fn(usize) -> Value, place: impl Fn(usize, Value) -> Value) -> Value {
        let parts: Map<String, Value> = (0..40)
            .map(|at| (format!("a{at}"), place(at, json!({"allOf": [reference(at + 1), reference(at + 1)]}))))
            .collect();
        let mut parts = parts;
        parts.insert("a40".to_owned(), place(40, json!({"type": "integer"})));
        json!({"allOf": [reference(0)], "$defs": parts})
    }

    #[test]
    fn references_that_double_are_too_much_however_they_are_written() {
        let pointer = doubled(|at| json!({"$ref": format!("#/$defs/a{at}")}), |_, part| part);
        assert_eq!(check(pointer, &json!(1)), Err(CostError::Checks));
        let anchor = |keyword: &str, reference: &str| {
            let (keyword, reference) = (keyword.to_owned(), reference.to_owned());
            doubled(
                move |at| json!({ reference.as_str(): format!("#x{at}") }),
                move |at, mut part| {
                    part[keyword.as_str()] = json!(format!("x{at}"));
                    part
                },
            )
        };
        assert_eq!(check(anchor("$anchor", "$ref"), &json!(1)), Err(CostError::Checks));
        assert_eq!(check(anchor("$dynamicAnchor", "$dynamicRef"), &json!(1)), Err(CostError::Checks));
        let resource = doubled(
            |at| json!({"$ref": format!("https://a.example/{at}")}),
            |at, mut part| {
                part["$id"] = json!(format!("https://a.example/{at}"));
                part
            },
        );
        assert_eq!(check(resource, &json!(1)), Err(CostError::Checks));
        // A pointer within a resource of its own.
        let inner = doubled(|at| json!({"$ref": format!("#/$defs/a{at}")}), |_, part| part);
        let mut hidden = json!({"$ref": "https://b.example/x", "$defs": {"z": inner}});
        hidden["$defs"]["z"]["$id"] = json!("https://b.example/x");
        assert_eq!(check(hidden, &json!(1)), Err(CostError::Checks));
    }

    #[test]
    fn the_depth_of_a_value_doubles_too() {
        let schema = json!({"allOf": [
            {"properties": {"x": {"$ref": "#"}}},
            {"additionalProperties": {"$ref": "#"}},
        ]});
        let mut value = json!(1);
        for _ in 0..60 {
            value = json!({ "x": value });
        }
        assert_eq!(check(schema.clone(), &value), Err(CostError::Checks));
        assert_eq!(check(schema, &json!({"x": {"x": 1}})), Ok(()));
    }

    #[test]
    fn a_circle_and_a_chain_have_an_end() {
        assert_eq!(check(json!({"$ref": "#"}), &json!(1)), Err(CostError::Circle));
        let chain: Map<String, Value> =
            (0..5_000).map(|at| (format!("a{at}"), json!({"$ref": format!("#/$defs/a{}", at + 1)}))).collect();
        assert_eq!(check(json!({"$ref": "#/$defs/a0", "$defs": chain}), &json!(1)), Err(CostError::Depth));
    }

    #[test]
    fn honest_schemas_are_used_on_large_values() {
        let tree = json!({"type": "object", "properties": {"kids": {"type": "array", "items": {"$ref": "#"}}}});
        let mut value = json!({"kids": []});
        for _ in 0..40 {
            value = json!({"kids": [value, {"kids": []}]});
        }
        assert_eq!(check(tree, &value), Ok(()));
        let row = json!({"type": "array", "items": {"type": "object", "properties": {"n": {"type": "number"}}}});
        let rows: Vec<Value> = (0..200_000).map(|number| json!({ "n": number })).collect();
        assert_eq!(check(row, &Value::Array(rows)), Ok(()));
    }

    #[test]
    fn a_pattern_that_goes_back_counts_for_each_place_of_its_text() {
        let text = json!("a".repeat(100_000));
        assert_eq!(check(json!({"pattern": "^(a|aa)+$"}), &text), Ok(()));
        assert_eq!(check(json!({"pattern": "^(?=(a+))\\1$"}), &text), Err(CostError::Checks));
        assert_eq!(check(json!({"pattern": "^(?=(a+))\\1$"}), &json!("aaa")), Ok(()));
    }
}
