//! [`DecisionThresholdsFile`]: what `probare calibrate` writes and `--decision-thresholds` reads.

use std::path::{Path, PathBuf};

use probare_core::{DecisionThresholds, MetricRequest, Profile, Registry, closest};
use probare_files::read_plain_text;
use probare_metrics::cascade;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value as Json};

/// The format that this release writes. Format 1 is that of release 0.3, which called the thresholds `bands`.
pub const THRESHOLDS_FORMAT: u32 = 2;

/// Bytes of the largest file of decision thresholds.
const LARGEST_FILE: u64 = 16 << 20;

/// The decision thresholds of one metric.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DecisionThresholdsFile {
    /// Which format the file has.
    pub format: u32,
    /// The name of the metric in the results.
    pub metric: String,
    pub id: String,
    pub version: u32,
    /// Which definition it was; the published one where a metric has one alone.
    #[serde(default)]
    pub profile: Profile,
    #[serde(default)]
    pub options: Json,
    /// The thresholds.
    #[serde(alias = "bands")]
    pub decision_thresholds: DecisionThresholds,
    /// Labelled cases that they rest on.
    pub cases: usize,
    /// Those of them that they decide.
    pub decided: usize,
}

/// A file of decision thresholds cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct DecisionThresholdsError(String);

impl DecisionThresholdsFile {
    /// Reads a file.
    pub fn read(path: &Path) -> Result<Self, DecisionThresholdsError> {
        let unreadable = |reason: String| {
            DecisionThresholdsError(format!("cannot read the decision thresholds in `{}`: {reason}", path.display()))
        };
        let text = read_plain_text(path, LARGEST_FILE).map_err(|error| unreadable(error.to_string()))?;
        let file: Self = serde_json::from_str(&text).map_err(|error| unreadable(error.to_string()))?;
        if !(1..=THRESHOLDS_FORMAT).contains(&file.format) {
            let reason =
                format!("it has format {}, and this release reads formats 1 to {THRESHOLDS_FORMAT}", file.format);
            return Err(unreadable(reason));
        }
        Ok(file)
    }

    /// The file as text.
    pub fn text(&self) -> Result<String, serde_json::Error> {
        Ok(serde_json::to_string_pretty(self)? + "\n")
    }

    /// What was calibrated, in words.
    fn describe(&self) -> String {
        describe_metric(&self.id, self.version, self.profile, &self.options)
    }

    /// Puts the thresholds to the metric that they are for.
    fn apply(
        &self,
        path: &Path,
        requests: &mut [MetricRequest],
        profile: Profile,
        registry: &Registry,
    ) -> Result<(), DecisionThresholdsError> {
        let names: Vec<String> = requests.iter().map(|request| request.name.clone()).collect();
        // Options that are written on the command line become part of the name; where one metric alone can be meant it is.
        let of_id: Vec<usize> = (0..requests.len()).filter(|at| requests[*at].id == self.id).collect();
        let named = requests.iter().position(|request| request.name == self.metric);
        let at = named.or(if let [only] = of_id[..] { Some(only) } else { None });
        let Some(request) = at.and_then(|at| requests.get_mut(at)) else {
            let similar = closest(&self.metric, names.iter().map(String::as_str));
            return Err(DecisionThresholdsError(format!(
                "`{}` has decision thresholds for `{}`, which is not computed here{}",
                path.display(),
                self.metric,
                similar.map(|name| format!("; `{name}` is")).unwrap_or_default()
            )));
        };
        let own = registry.own(request).map(|metric| metric.version);
        let version =
            own.unwrap_or_else(|| registry.get(&request.id).map_or(self.version, |definition| definition.version));
        // Whom a reading asks where it is unsure changes nothing about where that is.
        let is_reading = self.options.get(cascade::JUDGE_OPTION).is_none();
        let options =
            if is_reading { cascade::without_judge_options(&request.options) } else { request.options.clone() };
        let now = describe_metric(&request.id, version, request.profile.unwrap_or(profile), &options);
        if now != self.describe() {
            return Err(DecisionThresholdsError(format!(
                "the decision thresholds in `{}` are for {}, but here it is {now}",
                path.display(),
                self.describe()
            )));
        }
        let mut options = request.options.as_object().cloned().unwrap_or_default();
        options.insert(
            DecisionThresholds::OPTION.to_owned(),
            serde_json::to_value(self.decision_thresholds).unwrap_or_default(),
        );
        request.options = Json::Object(options);
        Ok(())
    }
}

/// A metric in words. The order in which options were written does not matter.
fn describe_metric(id: &str, version: u32, profile: Profile, options: &Json) -> String {
    let mut options: Map<String, Json> = options.as_object().cloned().unwrap_or_default();
    options.sort_keys();
    let with = if options.is_empty() { String::new() } else { format!(" with {}", Json::Object(options)) };
    format!("{id} version {version}, {}{with}", profile.name())
}

/// Puts the decision thresholds of files to the metrics of a run. Those of another version, profile or other options guarantee nothing.
pub fn apply_decision_thresholds(
    files: &[PathBuf],
    requests: &mut [MetricRequest],
    profile: Profile,
    registry: &Registry,
) -> Result<(), DecisionThresholdsError> {
    files.iter().try_for_each(|path| DecisionThresholdsFile::read(path)?.apply(path, requests, profile, registry))
}
