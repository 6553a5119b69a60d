//! [`MetricInfo`]: a metric of a run, under its name there.

use std::borrow::Cow;

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::Value as Json;

use crate::{Better, DecisionThresholds, MetricCode, MetricDef, OwnMetric, Profile, ShippedThresholds};

/// What sinks know about a metric of this run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MetricInfo {
    /// Name in this run: the id, or the name that the configuration gives.
    pub name: String,
    /// Id in the registry.
    pub id: Cow<'static, str>,
    /// One line for readers.
    pub summary: Cow<'static, str>,
    /// Which direction is better.
    pub better: Better,
    /// Least and greatest possible value; a side without an end is `null` in files.
    #[serde(serialize_with = "write_range", deserialize_with = "read_range")]
    pub range: (f64, f64),
    /// Version of the definition.
    pub version: u32,
    /// Which definition was used, where there are two.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub profile: Option<Profile>,
    /// Options that were given.
    #[serde(default, skip_serializing_if = "Json::is_null")]
    pub options: Json,
    /// The thresholds that come with the metric, where its labels rest on them: their name, date and held-out error.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub decision_thresholds: Option<Json>,
    /// Whether it describes a text and judges nothing: it has no mean, no gate and no place in comparisons.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_descriptive: bool,
    /// The code that computes it, where it is the user's own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub code: Option<MetricCode>,
}

impl MetricInfo {
    /// What a definition says, under a name of its own.
    pub fn new(name: impl Into<String>, def: &'static MetricDef, profile: Profile) -> Self {
        let profile = def.resolve_profile(profile);
        Self {
            name: name.into(),
            id: def.id.into(),
            summary: def.summary.into(),
            better: def.better,
            range: def.range,
            version: def.version,
            profile: (def.profiles.len() > 1).then_some(profile),
            options: Json::Null,
            decision_thresholds: def.shipped_thresholds(profile).map(ShippedThresholds::to_json),
            is_descriptive: def.is_descriptive,
            code: None,
        }
    }

    /// What a metric of the user's own says about itself, under a name of its own.
    pub fn from_own(name: impl Into<String>, metric: &OwnMetric, options: Json) -> Self {
        Self {
            name: name.into(),
            id: metric.id.clone().into(),
            summary: metric.summary.clone().into(),
            better: metric.better,
            range: metric.range,
            version: metric.version,
            profile: None,
            options,
            decision_thresholds: None,
            is_descriptive: false,
            code: Some(metric.code.clone()),
        }
    }

    /// The same with the options that were given. One that names a profile is the profile that computes, and thresholds of the
    /// user take the place of those that come with the metric.
    #[must_use]
    pub fn with_options(mut self, def: &'static MetricDef, options: Json) -> Self {
        let named = options.get("profile").and_then(|profile| Profile::deserialize(profile).ok());
        self.profile = self.profile.map(|profile| named.unwrap_or(profile));
        let has_own = DecisionThresholds::OPTION_NAMES.iter().any(|name| options.get(name).is_some());
        let shipped = def.shipped_thresholds(self.profile.unwrap_or_default()).filter(|_| !has_own);
        self.decision_thresholds = shipped.map(ShippedThresholds::to_json);
        self.options = options;
        self
    }
}

fn write_range<S: Serializer>(range: &(f64, f64), serializer: S) -> Result<S::Ok, S::Error> {
    let end = |end: f64| end.is_finite().then_some(end);
    (end(range.0), end(range.1)).serialize(serializer)
}

fn read_range<'de, D: Deserializer<'de>>(deserializer: D) -> Result<(f64, f64), D::Error> {
    let (low, high) = <(Option<f64>, Option<f64>)>::deserialize(deserializer)?;
    Ok((low.unwrap_or(f64::NEG_INFINITY), high.unwrap_or(f64::INFINITY)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_range_without_an_end_is_read_back() {
        let mut info = MetricInfo {
            name: "n".into(),
            id: "x".into(),
            summary: "s".into(),
            better: Better::Lower,
            range: (0.0, f64::INFINITY),
            version: 2,
            profile: Some(Profile::Improved),
            options: serde_json::json!({"k": 1}),
            decision_thresholds: None,
            is_descriptive: false,
            code: None,
        };
        for range in [(0.0, 1.0), (0.0, f64::INFINITY), (f64::NEG_INFINITY, f64::INFINITY)] {
            info.range = range;
            let json = serde_json::to_string(&info).unwrap();
            assert_eq!(serde_json::from_str::<MetricInfo>(&json).unwrap(), info);
        }
    }
    static SHIPPING: MetricDef = MetricDef {
        id: "m",
        family: "f",
        summary: "s",
        kind: crate::MetricKind::Pure,
        range: (0.0, 1.0),
        better: Better::Higher,
        needs: &[],
        metadata: &[],
        profiles: &[Profile::Published, Profile::Improved],
        identity: false,
        whole: None,
        thresholds: Some(&ShippedThresholds {
            name: "example-2026-11",
            date: "2026-11-18",
            calibrated_on: "40 written cases",
            held_out_on: "other cases",
            held_out_cases: 20,
            labels: &[],
        }),
        prompts: None,
        per_turn: true,
        is_descriptive: false,
        since: "0.4",
        version: 1,
        page: "",
        schema: || schemars::schema_for!(bool),
        build: |_| Err(crate::BuildError::Options(String::new())),
    };

    #[test]
    fn shipped_thresholds_stand_beside_a_metric_unless_the_user_has_others() {
        let named = |info: &MetricInfo| info.decision_thresholds.as_ref().map(|thresholds| thresholds["name"].clone());
        let plain = MetricInfo::new("m", &SHIPPING, Profile::Published);
        assert_eq!(named(&plain), None, "labels of the published profile do not rest on them");
        let improved = MetricInfo::new("m", &SHIPPING, Profile::Improved);
        assert_eq!(named(&improved), Some("example-2026-11".into()));
        let read: MetricInfo = serde_json::from_str(&serde_json::to_string(&improved).unwrap()).unwrap();
        assert_eq!(read, improved);
        let own =
            serde_json::json!({"decision_thresholds": {"pass": 1.0, "fail": null, "error": 0.1, "confidence": 0.9}});
        assert_eq!(named(&improved.with_options(&SHIPPING, own)), None);
        let chosen = plain.with_options(&SHIPPING, serde_json::json!({"profile": "improved"}));
        assert_eq!(named(&chosen), Some("example-2026-11".into()));
    }
}
