//! [`Bands`]: from where on a value is a verdict.

use serde::{Deserialize, Serialize};
use serde_json::Value as Json;

use crate::{Better, BuildError, UNSURE};

/// The ends of a metric's scale at which its value is a verdict that people would share, as often as was promised. Every
/// metric takes them as its option `bands`; `probare calibrate` finds them.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Bands {
    /// A value that is this good or better passes; nothing passes where it is absent.
    pub pass: Option<f64>,
    /// A value that is this bad or worse fails; nothing fails where it is absent.
    pub fail: Option<f64>,
    /// Largest share of wrong verdicts.
    pub error: f64,
    /// The confidence with which that is promised.
    pub confidence: f64,
}

impl Bands {
    /// The name of the option.
    pub const OPTION: &str = "bands";

    /// Takes the bands out of the options of a metric, which knows nothing of them.
    pub fn take(options: &mut Json) -> Result<Option<Self>, BuildError> {
        let Some(taken) = options.as_object_mut().and_then(|options| options.shift_remove(Self::OPTION)) else {
            return Ok(None);
        };
        if options.as_object().is_some_and(serde_json::Map::is_empty) {
            *options = Json::Null;
        }
        let wrong = |reason: String| BuildError::Options(format!("`{}`: {reason}", Self::OPTION));
        let bands: Self = serde_json::from_value(taken).map_err(|error| wrong(error.to_string()))?;
        if bands.pass.is_none() && bands.fail.is_none() {
            return Err(wrong("neither `pass` nor `fail` says from where on a value is a verdict".to_owned()));
        }
        Ok(Some(bands))
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
        let bands = Bands { pass: Some(0.8), fail: Some(0.2), error: 0.05, confidence: 0.95 };
        let told = [0.0, 0.2, 0.5, 0.8, 1.0].map(|value| bands.label(value, Better::Higher));
        assert_eq!(told, ["fail", "fail", "unsure", "pass", "pass"]);
        let bands = Bands { pass: Some(0.2), fail: None, ..bands };
        let told = [0.0, 0.2, 0.5, 1.0].map(|value| bands.label(value, Better::Lower));
        assert_eq!(told, ["pass", "pass", "unsure", "unsure"]);
    }

    #[test]
    fn they_are_taken_out_of_the_options_or_refused() {
        let mut options = json!({"bands": {"pass": 0.8, "fail": null, "error": 0.05, "confidence": 0.95}});
        assert_eq!(Bands::take(&mut options).unwrap().unwrap().pass, Some(0.8));
        assert_eq!(options, Json::Null);
        let mut options = json!({"k": 3});
        assert_eq!(Bands::take(&mut options), Ok(None));
        assert_eq!(options, json!({"k": 3}));
        for wrong in [
            json!({"bands": "bands.json"}),
            json!({"bands": {"pass": null, "fail": null, "error": 0.1, "confidence": 0.9}}),
        ] {
            assert!(Bands::take(&mut wrong.clone()).is_err(), "{wrong}");
        }
    }
}
