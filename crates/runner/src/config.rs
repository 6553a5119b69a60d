//! `probare.yaml`: what a project scores, so that the command line can stay short.

use std::path::Path;

use probare_cases::{FieldMap, MapError, OpenError, read_whole};
use probare_core::{MetricRequest, Profile};
use probare_report::{Gate, Relation};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value as Json};

/// The file that is read when it stands in the current folder and no other is named.
pub const DEFAULT_NAME: &str = "probare.yaml";

/// Bytes of the largest configuration that is read.
const LARGEST_CONFIG: u64 = 16 * 1024 * 1024;

/// A project's settings.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Config {
    /// Files of cases to score when the command line names none.
    pub datasets: Vec<Dataset>,
    /// Metrics to compute when the command line names none.
    pub metrics: Vec<MetricEntry>,
    /// Limits that the means must keep.
    pub gates: Vec<GateEntry>,
    /// Which reading of the metrics: `reference` or `careful`.
    pub profile: Option<Profile>,
    /// How to run.
    pub run: Run,
}

/// One file of cases.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Dataset {
    /// The file, relative to the configuration.
    pub path: String,
    /// Columns under other names: `response: model_output`.
    #[serde(default)]
    pub mapping: Map<String, Json>,
}

/// A metric by its id, or with options.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct MetricEntry {
    /// Id of the metric.
    pub id: String,
    /// Name in the results; the id if absent.
    pub name: Option<String>,
    /// Options of the metric.
    #[serde(default)]
    pub options: Map<String, Json>,
    /// Profile of this metric alone.
    pub profile: Option<Profile>,
}

/// A limit on the mean of a metric.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct GateEntry {
    /// Name of the metric.
    pub metric: String,
    /// The run fails if the mean is below.
    pub fail_under: Option<f64>,
    /// The run fails if the mean is above.
    pub fail_over: Option<f64>,
}

/// How to run.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Run {
    /// Reports to write.
    pub output: Vec<String>,
    /// Scoring threads.
    pub concurrency: Option<std::num::NonZeroUsize>,
    /// At most this many cases.
    pub limit: Option<u64>,
    /// End at the first row that cannot be read.
    pub strict: bool,
}

impl Config {
    /// Reads the named file, or `probare.yaml` if it is there, or nothing.
    pub fn load(named: Option<&Path>) -> Result<Self, ConfigError> {
        let path = match named {
            Some(path) => path,
            None if Path::new(DEFAULT_NAME).is_file() => Path::new(DEFAULT_NAME),
            None => return Ok(Self::default()),
        };
        let shown = path.display().to_string();
        let (bytes, _) = read_whole(&shown, LARGEST_CONFIG)?;
        let text = String::from_utf8(bytes)
            .map_err(|_| ConfigError::Form { name: shown.clone(), reason: "it is not valid UTF-8".to_owned() })?;
        Self::parse(&text, &shown)
    }

    /// Reads the text of a configuration; `name` is what messages call it.
    pub fn parse(text: &str, name: &str) -> Result<Self, ConfigError> {
        let config: Self = serde_saphyr::from_str(text)
            .map_err(|error| ConfigError::Form { name: name.to_owned(), reason: error.to_string() })?;
        for gate in &config.gates {
            if gate.fail_under.is_none() && gate.fail_over.is_none() {
                return Err(ConfigError::GateWithoutLimit { name: name.to_owned(), metric: gate.metric.clone() });
            }
        }
        Ok(config)
    }

    /// The metrics as requests.
    pub fn requests(&self) -> Vec<MetricRequest> {
        self.metrics
            .iter()
            .map(|entry| MetricRequest {
                name: entry.name.clone().unwrap_or_else(|| entry.id.clone()),
                id: entry.id.clone(),
                options: if entry.options.is_empty() { Json::Null } else { Json::Object(entry.options.clone()) },
                profile: entry.profile,
            })
            .collect()
    }
}

impl GateEntry {
    /// The limits, as gates.
    pub fn gates(&self) -> impl Iterator<Item = Gate> + '_ {
        let sides = [(self.fail_under, Relation::Under), (self.fail_over, Relation::Over)];
        let gate = |(limit, relation): (Option<f64>, Relation)| {
            Some(Gate { metric: self.metric.clone(), relation, limit: limit? })
        };
        sides.into_iter().filter_map(gate)
    }
}

impl Dataset {
    /// Which column becomes which field.
    pub fn fields(&self) -> Result<FieldMap, MapError> {
        let columns = self.mapping.iter().map(|(field, column)| match column {
            Json::String(column) => (field.as_str(), column.clone()),
            other => (field.as_str(), other.to_string()),
        });
        FieldMap::of(columns)
    }
}

/// A configuration cannot be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ConfigError {
    /// The file cannot be read.
    #[error(transparent)]
    Read(#[from] OpenError),
    /// It does not have the form of a configuration.
    #[error("`{name}` is no good configuration: {reason}")]
    Form {
        /// Name of the file.
        name: String,
        /// What is wrong, with its place.
        reason: String,
    },
    /// A gate says nothing.
    #[error("`{name}`: the gate on `{metric}` has no limit")]
    GateWithoutLimit {
        /// Name of the file.
        name: String,
        /// The metric.
        metric: String,
    },
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_configuration_is_read() {
        let text = "datasets:\n  - path: cases.jsonl\n    mapping: {response: model_output}\nmetrics:\n  - id: token_f1\n  - id: precision_at_k\n    name: p3\n    options: {k: 3}\ngates:\n  - {metric: token_f1, fail_under: 0.5}\n";
        let config = Config::parse(text, "test").unwrap();
        let requests = config.requests();
        assert_eq!(requests[0], MetricRequest::plain("token_f1"));
        assert_eq!((requests[1].name.as_str(), &requests[1].options["k"]), ("p3", &Json::from(3)));
        assert_eq!(config.datasets[0].fields().unwrap().iter().collect::<Vec<_>>(), [("response", "model_output")]);
    }

    #[test]
    fn a_slip_is_reported_with_its_line() {
        let failure = Config::parse("metrics:\n  - id: token_f1\n    optoins: {}\n", "suite.yaml").unwrap_err();
        let text = failure.to_string();
        assert!(text.contains("suite.yaml") && text.contains("optoins") && text.contains('3'), "{text}");
    }
}
