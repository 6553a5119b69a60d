//! What differs between two JSON values, leaf by leaf.

use serde_json::Value as Json;

use super::strict_json::join;

/// One leaf that differs.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct JsonDifference {
    pub(super) path: String,
    pub(super) recorded: Option<Json>,
    pub(super) now: Option<Json>,
}

impl JsonDifference {
    /// One sentence with both values.
    pub(super) fn sentence(&self) -> String {
        sentence(&self.path, json_text(self.recorded.as_ref()).as_deref(), json_text(self.now.as_ref()).as_deref())
    }
}

/// Both values of something that differs.
pub(super) fn sentence(what: &str, recorded: Option<&str>, now: Option<&str>) -> String {
    let show = |value: Option<&str>| value.map_or_else(|| "nothing".to_owned(), short);
    format!("`{what}` is {} in the file and {} now", show(recorded), show(now))
}

fn json_text(value: Option<&Json>) -> Option<String> {
    value.map(Json::to_string)
}

/// The beginning of a long text.
pub(super) fn short(text: &str) -> String {
    const LONGEST: usize = 240;
    if text.len() <= LONGEST {
        return text.to_owned();
    }
    format!("{}…", &text[..text.floor_char_boundary(LONGEST)])
}

/// All leaves in which `recorded` differs from `now`. The order of keys makes no difference here.
pub(super) fn differences(recorded: &Json, now: &Json) -> Vec<JsonDifference> {
    let mut found = Vec::new();
    walk(Some(recorded), Some(now), String::new(), &mut found);
    found
}

fn walk(recorded: Option<&Json>, now: Option<&Json>, path: String, found: &mut Vec<JsonDifference>) {
    match (recorded, now) {
        (Some(Json::Object(recorded)), Some(Json::Object(now))) => {
            for (key, value) in now {
                walk(recorded.get(key), Some(value), join(&path, key), found);
            }
            for (key, value) in recorded.iter().filter(|(key, _)| !now.contains_key(*key)) {
                walk(Some(value), None, join(&path, key), found);
            }
        }
        (Some(Json::Array(recorded)), Some(Json::Array(now))) => {
            for index in 0..recorded.len().max(now.len()) {
                walk(recorded.get(index), now.get(index), format!("{path}[{index}]"), found);
            }
        }
        (recorded, now) if recorded == now => {}
        (recorded, now) => found.push(JsonDifference { path, recorded: recorded.cloned(), now: now.cloned() }),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn every_leaf_is_named_with_both_values() {
        let found = differences(&json!({"a": [1, 2], "b": {"c": 1}, "x": null}), &json!({"b": {"c": 1.0}, "a": [1]}));
        let sentences: Vec<String> = found.iter().map(JsonDifference::sentence).collect();
        assert_eq!(
            sentences,
            [
                "`b.c` is 1 in the file and 1.0 now",
                "`a[1]` is 2 in the file and nothing now",
                "`x` is null in the file and nothing now"
            ]
        );
    }
}
