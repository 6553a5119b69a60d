//! [`Baseline`]: a finished run that another one is compared with while it goes on, case by case.

use std::collections::BTreeMap;
use std::path::PathBuf;

use probare_core::{MetricInfo, Sha256};
use probare_report::comparison::{CaseMean, ContentHash};

use super::error::EarlyDecisionError;

/// What a finished run says of every case.
#[derive(Debug, Clone)]
pub struct Baseline {
    /// As it was named.
    pub name: String,
    /// Its file, if it is one.
    pub path: Option<PathBuf>,
    metrics: Vec<MetricInfo>,
    cases: BTreeMap<(String, u32), CaseMean>,
}

/// The case of a run that is compared with a baseline.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CaseKey {
    pub id: String,
    /// Which case of this id, counted from 0 in the order of the file.
    pub occurrence: u32,
    /// What it asks and what would be right.
    pub content: ContentHash,
    /// How many outputs it has.
    pub outputs: u64,
}

/// What the baseline says of a case.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum BaselineValue {
    /// It does not have the case, or asks something else in it.
    Unpaired,
    /// It has no value for it.
    Missing,
    /// Its value, in units of the metric.
    Value(f64),
}

impl Baseline {
    /// What finished results say: `path` is their file, if they are one.
    pub fn new(name: String, path: Option<PathBuf>, metrics: Vec<MetricInfo>, cases: Vec<CaseMean>) -> Self {
        let cases = cases.into_iter().map(|case| ((case.id.clone(), case.occurrence), case)).collect();
        Self { name, path, metrics, cases }
    }

    /// A digest of everything that has a part in a verdict.
    pub fn digest(&self) -> String {
        let mut digest = Sha256::default();
        for metric in &self.metrics {
            digest.update(format!("{} {}\n", metric.name, metric.version));
        }
        for ((id, occurrence), case) in &self.cases {
            digest.update(format!("{} {id} {occurrence}", id.len()));
            case.values.iter().for_each(|value| digest.update(format!(" {value:?}")));
            digest.update("\n");
        }
        digest.hex()
    }

    /// What it says of a metric in these cases, in their order.
    pub(super) fn values(&self, info: &MetricInfo, keys: &[CaseKey]) -> Result<Vec<BaselineValue>, EarlyDecisionError> {
        let unusable = |reason: String| EarlyDecisionError::Baseline { name: self.name.clone(), reason };
        let known = self.metrics.iter().position(|metric| metric.name == info.name);
        let at = known.ok_or_else(|| unusable(format!("it has no metric `{}`", info.name)))?;
        let same = &self.metrics[at];
        let profile = |info: &MetricInfo| info.profile.unwrap_or_default();
        if (&same.id, same.version, profile(same), &same.options)
            != (&info.id, info.version, profile(info), &info.options)
        {
            let message = format!("it computed `{}` in another way (version, profile or options)", info.name);
            return Err(unusable(message));
        }
        let value = |key: &CaseKey| {
            let Some(case) = self.cases.get(&(key.id.clone(), key.occurrence)) else { return BaselineValue::Unpaired };
            if case.content.is_some_and(|content| content != key.content) {
                return BaselineValue::Unpaired;
            }
            case.values.get(at).copied().flatten().map_or(BaselineValue::Missing, BaselineValue::Value)
        };
        let (low, high) = info.range;
        let is_outside = |case: &&CaseMean| {
            case.values.get(at).copied().flatten().is_some_and(|value| !(low..=high).contains(&value))
        };
        if let Some(case) = self.cases.values().find(is_outside) {
            let (id, name) = (&case.id, &info.name);
            return Err(unusable(format!("its value of `{name}` in case `{id}` does not lie from {low} to {high}")));
        }
        let values: Vec<BaselineValue> = keys.iter().map(value).collect();
        if !keys.is_empty() && values.iter().all(|value| *value == BaselineValue::Unpaired) {
            return Err(unusable("the two runs share no cases; only paired runs can be compared early".to_owned()));
        }
        Ok(values)
    }
}
