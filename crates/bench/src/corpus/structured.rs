//! Responses that are JSON, some of them broken.

use probare_core::{Case, Output};
use probare_stats::Random;
use serde_json::{Value as Json, json};

use super::text;

/// What the objects of [`cases`] look like, for metrics that compare with a schema.
pub fn schema() -> Json {
    json!({
        "type": "object",
        "required": ["title", "year", "places"],
        "properties": {
            "title": {"type": "string", "minLength": 1},
            "year": {"type": "integer", "minimum": 1000},
            "places": {"type": "array", "items": {"type": "object", "required": ["name"]}},
        },
    })
}

/// So many responses with an object of about a hundred words; each eighth breaks off before its end.
pub fn cases(count: usize, seed: u64) -> Vec<Case> {
    let mut random = Random::new(seed);
    (0..count)
        .map(|number| {
            let places: Vec<Json> = (0..5).map(|at| json!({"name": text(&mut random, 16), "rank": at})).collect();
            let object = json!({"title": text(&mut random, 8), "year": random.below(2_100), "places": places});
            let mut response = object.to_string();
            if number % 8 == 7 {
                response.pop();
            }
            Case { id: format!("object-{number}"), response: Some(Output::new(response)), ..Case::default() }
        })
        .collect()
}
