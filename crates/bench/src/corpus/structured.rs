//! Responses in a form that is asked for: JSON, some of it broken, and the letter of a choice.

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

/// So many answers of about a hundred words that end with the letter of one of four options.
pub fn choices(count: usize, seed: u64) -> Vec<Case> {
    let mut random = Random::new(seed);
    (0..count)
        .map(|number| {
            let letter = ["A", "B", "C", "D"][random.below(4)];
            Case {
                id: format!("choice-{number}"),
                response: Some(Output::new(format!("{} \\boxed{{{letter}}}", text(&mut random, 100)))),
                metadata: [("answer".to_owned(), json!(random.below(4)))].into_iter().collect(),
                ..Case::default()
            }
        })
        .collect()
}
