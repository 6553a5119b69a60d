//! `extra_body`: further fields of a request, merged into what is sent.

use serde_json::{Map, Value as Json};

/// Fields that a setting decides, and the setting. Sent by another way they would go past budget and reader.
const SETTINGS: &[(&str, &str)] = &[
    ("max_tokens", "max_tokens"),
    ("max_completion_tokens", "max_tokens` with `max_tokens_field: max_completion_tokens"),
    ("max_output_tokens", "max_tokens"),
    ("generationConfig.maxOutputTokens", "max_tokens"),
    ("inferenceConfig.maxTokens", "max_tokens"),
    ("options.num_predict", "max_tokens"),
    ("stream", "stream"),
];

/// Fields that ask for several replies, of which one would be read.
const SEVERAL: &[&str] = &["n", "generationConfig.candidateCount"];

/// The body with further fields; objects are merged field by field. A field that is sent already is named in the error.
pub(super) fn merged(mut body: Map<String, Json>, extra: &Map<String, Json>) -> Result<Map<String, Json>, String> {
    merge(&mut body, extra, "")?;
    Ok(body)
}

fn merge(body: &mut Map<String, Json>, extra: &Map<String, Json>, above: &str) -> Result<(), String> {
    for (name, value) in extra {
        let path = if above.is_empty() { name.clone() } else { format!("{above}.{name}") };
        if let Some((_, setting)) = SETTINGS.iter().find(|(known, _)| *known == path) {
            return Err(format!("sets `{path}`; set `{setting}` of the model instead"));
        }
        if SEVERAL.contains(&path.as_str()) && value.as_u64() != Some(1) {
            return Err(format!("sets `{path}`, but one reply is read; leave it out and set `repeats`"));
        }
        match (body.get_mut(name), value) {
            (Some(Json::Object(own)), Json::Object(further)) => merge(own, further, &path)?,
            (Some(own), value) if own == value => {}
            (Some(_), _) => return Err(format!("sets `{path}`, which is sent already; leave it out")),
            // What stands in an object of its own is looked at as well.
            (None, Json::Object(further)) => {
                let mut own = Map::new();
                merge(&mut own, further, &path)?;
                body.insert(name.clone(), Json::Object(own));
            }
            (None, value) => {
                body.insert(name.clone(), value.clone());
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn merge_json(body: Json, extra: Json) -> Result<Json, String> {
        let (Json::Object(body), Json::Object(extra)) = (body, extra) else { panic!("objects") };
        merged(body, &extra).map(Json::Object)
    }

    #[test]
    fn objects_are_merged_and_a_field_that_is_sent_is_refused_by_name() {
        let body = json!({"generationConfig": {"maxOutputTokens": 50, "temperature": 0.5}});
        let thinking = json!({"generationConfig": {"thinkingConfig": {"thinkingBudget": 0}}, "labels": {"a": "b"}});
        assert_eq!(
            merge_json(body.clone(), thinking).unwrap(),
            json!({"generationConfig": {"maxOutputTokens": 50, "temperature": 0.5, "thinkingConfig": {"thinkingBudget": 0}},
                "labels": {"a": "b"}})
        );
        let error = merge_json(body.clone(), json!({"generationConfig": {"temperature": 1}})).unwrap_err();
        assert!(error.contains("`generationConfig.temperature`, which is sent already"), "{error}");
        assert_eq!(
            merge_json(body.clone(), json!({"generationConfig": {"temperature": 0.5}})).unwrap(),
            body,
            "the same again"
        );
    }

    #[test]
    fn what_would_go_past_the_budget_or_the_reader_is_refused_also_where_it_is_not_sent() {
        for extra in [
            json!({"max_tokens": 9}),
            json!({"max_completion_tokens": 9}),
            json!({"max_output_tokens": 9}),
            json!({"generationConfig": {"maxOutputTokens": 9}}),
            json!({"inferenceConfig": {"maxTokens": 9}}),
        ] {
            let error = merge_json(json!({}), extra).unwrap_err();
            assert!(error.contains("set `max_tokens`"), "{error}");
        }
        assert!(merge_json(json!({}), json!({"n": 3})).unwrap_err().contains("one reply is read"));
        assert!(merge_json(json!({}), json!({"n": 1})).is_ok());
        assert!(merge_json(json!({}), json!({"stream": true})).unwrap_err().contains("set `stream`"));
    }
}
