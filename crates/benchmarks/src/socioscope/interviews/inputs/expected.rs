//! What a yes/no question expects, and the reasons beside it.

use probare_text::normalise::normalise;
use serde_json::Value as Json;

use super::weights::{MetricSpecError, ValueWeights, parse_json_text};
use crate::socioscope::interviews::polarity::{Polarity, opening_polarity};

/// What counts as the right answer to a yes/no question.
#[derive(Debug, Clone, PartialEq)]
pub enum ExpectedYesNo {
    /// An answer of this polarity.
    Polarity(Polarity),
    /// What each polarity is worth.
    Worth {
        /// The answer is yes.
        yes: f64,
        /// The answer is no.
        no: f64,
    },
    /// A text that says neither yes nor no, in normal form.
    Text(String),
}

/// The expected answer, as given and as read.
#[derive(Debug, Clone, PartialEq)]
pub struct ExpectedAnswer {
    /// The words of the metric, for a comparison letter by letter; empty where it gives weights.
    pub literal: String,
    /// What they mean.
    pub expected: ExpectedYesNo,
}

impl ExpectedAnswer {
    /// Reads text, a boolean, `{"answer": …}` or weights by polarity, or JSON text of one of these.
    pub fn read(metric: &Json) -> Result<Self, MetricSpecError> {
        match metric {
            Json::String(text) => match parse_json_text(text)? {
                Some(json) if !json.is_string() => Self::read(&json),
                Some(json) => Ok(Self::text(json.as_str().unwrap_or_default())),
                None => Ok(Self::text(text)),
            },
            Json::Bool(_) | Json::Number(_) => Ok(Self::text(&metric.to_string())),
            Json::Object(object) => match object.get("answer") {
                Some(answer) if !answer.is_object() => Self::read(answer),
                Some(_) => Err(MetricSpecError("has an `answer` that is neither text nor yes/no".into())),
                None => Self::weights(&ValueWeights::read(metric)?),
            },
            Json::Array(_) | Json::Null => Err(MetricSpecError("is no answer to a yes/no question".into())),
        }
    }

    fn text(text: &str) -> Self {
        let expected = match opening_polarity(text).polarity {
            Some(polarity) => ExpectedYesNo::Polarity(polarity),
            None => ExpectedYesNo::Text(normalise(text)),
        };
        Self { literal: text.to_owned(), expected }
    }

    fn weights(weights: &ValueWeights) -> Result<Self, MetricSpecError> {
        let (mut yes, mut no) = (0.0, 0.0);
        for (index, value) in weights.values().enumerate() {
            match opening_polarity(value).polarity {
                Some(Polarity::Yes) => yes = weights.weight(index),
                Some(Polarity::No) => no = weights.weight(index),
                None => {
                    return Err(MetricSpecError(format!("gives a weight to `{value}`, which is neither yes nor no")));
                }
            }
        }
        Ok(Self { literal: String::new(), expected: ExpectedYesNo::Worth { yes, no } })
    }
}

/// What a yes/no question with reasons expects.
#[derive(Debug, Clone, PartialEq)]
pub struct ExpectedRationale {
    /// The yes or no.
    pub answer: ExpectedAnswer,
    /// The reasons that count; any will do where there are none.
    pub reasons: Option<ValueWeights>,
    /// The share of the score that the yes or no carries, where the metric says so.
    pub answer_weight: Option<f64>,
}

impl ExpectedRationale {
    /// Reads `{"answer", "rationale", "answer_weight"}`, or what a plain yes/no question takes.
    pub fn read(metric: &Json) -> Result<Self, MetricSpecError> {
        if let Json::String(text) = metric
            && let Some(json @ Json::Object(_)) = parse_json_text(text)?
        {
            return Self::read(&json);
        }
        let part = |name: &str| metric.as_object().and_then(|object| object.get(name)).filter(|part| !part.is_null());
        let reasons = part("rationale").map(ValueWeights::read).transpose()?;
        let answer_weight = match part("answer_weight") {
            None => None,
            Some(weight) => Some(
                weight
                    .as_f64()
                    .filter(|weight| (0.0..=1.0).contains(weight))
                    .ok_or_else(|| MetricSpecError(format!("has an `answer_weight` outside of 0 to 1: {weight}")))?,
            ),
        };
        Ok(Self { answer: ExpectedAnswer::read(metric)?, reasons, answer_weight })
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn expected(metric: &Json) -> ExpectedYesNo {
        ExpectedAnswer::read(metric).unwrap().expected
    }

    #[test]
    fn the_forms_of_yes_and_no() {
        for metric in [json!("yes"), json!("{\"answer\": \"Ja\"}"), json!(true), json!("true"), json!(1)] {
            assert_eq!(expected(&metric), ExpectedYesNo::Polarity(Polarity::Yes), "{metric}");
        }
        assert_eq!(expected(&json!({"Yes": 1, "no": 0.25})), ExpectedYesNo::Worth { yes: 1.0, no: 0.25 });
        assert_eq!(expected(&json!("Maybe!")), ExpectedYesNo::Text("maybe".into()));
        assert!(ExpectedAnswer::read(&json!({"car": 1})).unwrap_err().to_string().contains("`car`"));
        assert!(ExpectedAnswer::read(&json!(null)).is_err());
    }

    #[test]
    fn reasons_and_their_weight() {
        let metric = json!("{\"answer\": \"no\", \"rationale\": [\"cost\"], \"answer_weight\": 0.8}");
        let read = ExpectedRationale::read(&metric).unwrap();
        assert_eq!(read.answer_weight, Some(0.8));
        assert_eq!(read.reasons.unwrap().len(), 1);
        assert!(ExpectedRationale::read(&json!("no")).unwrap().reasons.is_none());
        assert!(ExpectedRationale::read(&json!({"answer": "no", "answer_weight": 7})).is_err());
    }
}
