//! [`Levels`]: the words of a label and the numbers that they stand for.

use probare_metrics::judges::{Rubric, RubricLevel};
use probare_metrics::registry;
use serde_json::{Value as Json, json};

/// What a label may be.
pub const LABEL: &str = "a label is a number, true or false, pass or fail, a word of our metrics such as right or wrong, or the name of a level";

/// A level of a rubric.
#[derive(Debug, Clone, PartialEq, serde::Serialize, schemars::JsonSchema)]
pub struct LevelOfRubric {
    /// Its name.
    pub label: String,
    /// What it means, where that is said.
    pub means: String,
    /// What it is worth.
    pub value: f64,
}

/// The levels of a metric's rubric, from the worst to the best; none where it has no rubric.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Levels(Vec<LevelOfRubric>);

impl Levels {
    /// The levels in the options of a metric, or its own.
    pub fn for_metric(id: &str, options: &Json) -> Self {
        let own = ["poor", "fair", "good"].map(|label| json!({"label": label})).to_vec();
        let has_levels =
            registry().get(id).is_ok_and(|metric| (metric.schema)().to_value()["properties"].get("levels").is_some());
        let rubric = options.get("rubric").and_then(Json::as_str).and_then(|rubric| Rubric::from_option(rubric).ok());
        let of_rubric = rubric.map(|rubric| {
            let level = |level: RubricLevel| json!({"label": level.label, "means": level.means, "value": level.value});
            rubric.levels.into_iter().map(level).collect::<Vec<Json>>()
        });
        let given = options.get("levels").and_then(Json::as_array).cloned().filter(|list| !list.is_empty());
        let list = if has_levels { of_rubric.or(given).unwrap_or(own) } else { Vec::new() };
        let last = list.len().saturating_sub(1).max(1) as f64;
        let level = |(at, level): (usize, &Json)| {
            let label = level.get("label")?.as_str()?.trim().to_owned();
            let means = level.get("means").and_then(Json::as_str).unwrap_or_default().to_owned();
            Some(LevelOfRubric {
                label,
                means,
                value: level.get("value").and_then(Json::as_f64).unwrap_or(at as f64 / last),
            })
        };
        Self(list.iter().enumerate().filter_map(level).collect())
    }

    /// All of them, in the order of the rubric.
    pub fn all(&self) -> &[LevelOfRubric] {
        &self.0
    }

    /// The number that a label stands for.
    pub fn label_value(&self, label: &Json) -> Option<f64> {
        match label {
            Json::Number(number) => number.as_f64(),
            Json::Bool(yes) => Some(f64::from(*yes)),
            Json::String(text) => self.word_value(text),
            _ => None,
        }
    }

    /// The number that a word stands for.
    pub fn word_value(&self, text: &str) -> Option<f64> {
        let word = text.trim().to_lowercase();
        let named = self.0.iter().find(|level| level.label.to_lowercase() == word).map(|level| level.value);
        named.or_else(|| word.parse().ok()).or(match word.as_str() {
            "true" | "yes" | "pass" | "right" | "supported" | "kept" => Some(1.0),
            "false" | "no" | "fail" | "wrong" | "unsupported" | "contradicted" | "changed" => Some(0.0),
            _ => None,
        })
    }

    /// The place of the level whose value is nearest, of two the lower one; nothing where there are no levels.
    pub fn nearest(&self, value: f64) -> Option<usize> {
        let far = |level: &LevelOfRubric| (level.value - value).abs();
        let places = self.0.iter().enumerate();
        places.min_by(|(_, left), (_, right)| far(left).total_cmp(&far(right))).map(|(at, _)| at)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_numbers_by_the_rubric_and_by_what_everybody_knows() {
        let own = Levels::for_metric("judge_rubric", &Json::Null);
        assert_eq!(own.all().iter().map(|level| level.value).collect::<Vec<_>>(), [0.0, 0.5, 1.0]);
        assert_eq!(own.word_value(" Fair "), Some(0.5));
        let given =
            json!({"levels": [{"label": "Rude", "value": 0.1}, {"label": "pass", "means": "kind", "value": 0.9}]});
        let given = Levels::for_metric("judge_rubric", &given);
        assert_eq!(
            (given.word_value("rude"), given.word_value("pass"), given.word_value("fail")),
            (Some(0.1), Some(0.9), Some(0.0))
        );
        assert_eq!((given.nearest(0.0), given.nearest(0.5), given.nearest(2.0)), (Some(0), Some(0), Some(1)));
        let none = Levels::for_metric("token_f1", &Json::Null);
        assert!(none.all().is_empty() && none.nearest(0.5).is_none());
        assert_eq!(
            (none.word_value("pass"), none.word_value("0.25"), none.word_value("good")),
            (Some(1.0), Some(0.25), None)
        );
        assert_eq!(none.label_value(&json!([1])), None);
        // The words by which metrics decide.
        assert_eq!((none.word_value("right"), none.word_value("Unsupported")), (Some(1.0), Some(0.0)));
        assert_eq!(none.word_value("unsure"), None);
    }
}
