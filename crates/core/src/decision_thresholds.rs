//! [`DecisionThresholds`]: from which value on a metric decides.

use serde::{Deserialize, Serialize};
use serde_json::Value as Json;

use crate::{Better, BuildError, UNSURE};

/// The ends of a metric's scale at which its value decides as people would, as often as is guaranteed. Every metric takes them
/// as its option `decision_thresholds`; `probare calibrate` finds them.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DecisionThresholds {
    /// A value that is this good or better passes; nothing passes where it is absent.
    pub pass: Option<f64>,
    /// A value that is this bad or worse fails; nothing fails where it is absent.
    pub fail: Option<f64>,
    /// Largest share of wrong decisions.
    pub error: f64,
    /// The confidence with which that is guaranteed.
    pub confidence: f64,
    /// The least and the greatest value of the labelled cases; files of release 0.3 do not say.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub range: Option<(f64, f64)>,
}

impl DecisionThresholds {
    /// The name of the option.
    pub const OPTION: &str = "decision_thresholds";

    /// Its name up to release 0.3, which is still read.
    pub const OLD_OPTION: &str = "bands";

    /// Both names.
    pub const OPTION_NAMES: [&str; 2] = [Self::OPTION, Self::OLD_OPTION];

    /// Takes the thresholds out of the options of a metric, which knows nothing of them.
    pub fn take_from_options(options: &mut Json) -> Result<Option<Self>, BuildError> {
        let Some(map) = options.as_object_mut() else { return Ok(None) };
        let mut taken =
            Self::OPTION_NAMES.into_iter().filter_map(|name| Some((name, map.shift_remove(name)?))).collect::<Vec<_>>();
        let Some((name, value)) = taken.pop() else { return Ok(None) };
        let wrong = |reason: String| BuildError::Options(format!("`{name}`: {reason}"));
        if !taken.is_empty() {
            return Err(wrong(format!("it is the old name of `{}`; give one of them", Self::OPTION)));
        }
        if map.is_empty() {
            *options = Json::Null;
        }
        let thresholds: Self = serde_json::from_value(value).map_err(|error| wrong(error.to_string()))?;
        if thresholds.pass.is_none() && thresholds.fail.is_none() {
            return Err(wrong("neither `pass` nor `fail` says from which value on to decide".to_owned()));
        }
        Ok(Some(thresholds))
    }

    /// What a value means.
    pub fn label(&self, value: f64, better: Better) -> &'static str {
        let reaches =
            |end: Option<f64>, upwards: bool| end.is_some_and(|end| if upwards { value >= end } else { value <= end });
        let upwards = better == Better::Higher;
        match (reaches(self.pass, upwards), reaches(self.fail, !upwards)) {
            (true, false) => "pass",
            (false, true) => "fail",
            _ => UNSURE,
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn between_the_ends_nothing_is_decided() {
        let thresholds =
            DecisionThresholds { pass: Some(0.8), fail: Some(0.2), error: 0.05, confidence: 0.95, range: None };
        let labels = [0.0, 0.2, 0.5, 0.8, 1.0].map(|value| thresholds.label(value, Better::Higher));
        assert_eq!(labels, ["fail", "fail", "unsure", "pass", "pass"]);
        let thresholds = DecisionThresholds { pass: Some(0.2), fail: None, ..thresholds };
        let labels = [0.0, 0.2, 0.5, 1.0].map(|value| thresholds.label(value, Better::Lower));
        assert_eq!(labels, ["pass", "pass", "unsure", "unsure"]);
    }

    #[test]
    fn they_are_taken_out_of_the_options_or_refused() {
        let mut options =
            json!({"decision_thresholds": {"pass": 0.8, "fail": null, "error": 0.05, "confidence": 0.95}});
        assert_eq!(DecisionThresholds::take_from_options(&mut options).unwrap().unwrap().pass, Some(0.8));
        assert_eq!(options, Json::Null);
        let mut options = json!({"k": 3, "bands": {"pass": 0.7, "fail": 0.1, "error": 0.05, "confidence": 0.95}});
        assert_eq!(
            DecisionThresholds::take_from_options(&mut options).unwrap().unwrap().pass,
            Some(0.7),
            "the name of release 0.3"
        );
        let mut options = json!({"k": 3});
        assert_eq!(DecisionThresholds::take_from_options(&mut options), Ok(None));
        assert_eq!(options, json!({"k": 3}));
        for wrong in [
            json!({"decision_thresholds": "thresholds.json"}),
            json!({"decision_thresholds": {"pass": null, "fail": null, "error": 0.1, "confidence": 0.9}}),
            json!({"decision_thresholds": {"pass": 1, "fail": 0, "error": 0.1, "confidence": 0.9}, "bands": {"pass": 1, "fail": 0, "error": 0.1, "confidence": 0.9}}),
        ] {
            assert!(DecisionThresholds::take_from_options(&mut wrong.clone()).is_err(), "{wrong}");
        }
    }
}
