//! [`Guide`]: the YAML of the benchmark's guide, as it is, with a few keys of our own.

use std::path::{Path, PathBuf};

use probare_core::Profile;
use probare_engine::yaml;
use probare_formats::{CaseFileError, read_whole};
use probare_models::{ModelSettings, SettingsError};
use serde::Deserialize;
use serde_json::{Map, Value as Json};

use crate::sgi::metrics::Upstream;

/// Bytes of the largest configuration that is read.
const LARGEST: u64 = 16 * 1024 * 1024;

/// The configuration of a run.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Guide {
    /// Models under test.
    pub models: Vec<ModelSettings>,
    /// Subtasks.
    pub datasets: Vec<GuideDataset>,
    pub run: GuideRun,
    /// Settings of the collector's cache, which our record of replies stands for.
    pub cache: Option<Map<String, Json>>,
    /// The same for graders.
    pub grader_cache: Option<Map<String, Json>>,
    /// Who judges, in place of the environment variables; our own key.
    pub graders: Graders,
    /// Which definition of the metrics; our own key.
    pub profile: Option<Profile>,
    /// The value of the fifth task, from 0 to 100, for the official score where it is not run here; our own key.
    pub experimental_reasoning: Option<f64>,
    /// Which implementation is followed; our own key.
    pub upstream: Upstream,
    /// Folder with prompts in place of ours, from the folder of the configuration; our own key.
    pub prompts: Option<PathBuf>,
}

/// One subtask.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GuideDataset {
    /// `sgibench-deepresearch` and so on.
    pub dataset_id: String,
    /// Parts of the data; there is one, `test`.
    #[serde(default)]
    pub splits: Option<Vec<String>>,
    /// The file with the rows, from the folder of the configuration; our own key.
    #[serde(default)]
    pub path: Option<PathBuf>,
    /// Only rows of this discipline; our own key.
    #[serde(default)]
    pub discipline: Option<String>,
}

/// How to run.
#[expect(clippy::struct_excessive_bools, reason = "each is a key of the guide or a wish of its own")]
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct GuideRun {
    /// Kind of the run; there is one.
    pub kind: String,
    /// Folder for result files.
    pub output_dir: PathBuf,
    /// Whether subtasks whose results are there are run again.
    pub overwrite: bool,
    /// Samples under way at once.
    pub concurrency: std::num::NonZeroU32,
    /// How much the collector tells.
    pub log_level: String,
    /// Whether only the first rows are run.
    pub demo_mode: bool,
    /// How many these are: 1 or more.
    #[serde(deserialize_with = "row_count")]
    pub demo_limit: u64,
    /// Folder with the rows of all subtasks; our own key.
    pub data_dir: Option<PathBuf>,
    /// Python for dry experiments: `conda:NAME`, `venv:FOLDER`, `python:PATH` or `system`; our own key.
    pub environment: Option<String>,
    /// Whether the tests of a dry experiment run at the same time; our own key.
    pub parallel: bool,
    /// Reports to write; our own key.
    pub output: Vec<String>,
    /// Send no request; our own key.
    pub offline: bool,
    /// Most money, in US dollars; our own key.
    pub budget_usd: Option<f64>,
    /// The response cache; our own key.
    pub record: Option<String>,
}

/// A number of rows, with words of ours for what is none.
fn row_count<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<u64, D::Error> {
    let given = Json::deserialize(deserializer)?;
    given.as_u64().filter(|count| *count > 0).ok_or_else(|| {
        serde::de::Error::custom(format!("`demo_limit` is {given}, where a number of rows is expected, 1 or more"))
    })
}

impl Default for GuideRun {
    fn default() -> Self {
        Self {
            kind: "bench".to_owned(),
            output_dir: PathBuf::from("./results"),
            overwrite: false,
            concurrency: std::num::NonZeroU32::MIN.saturating_add(7),
            log_level: "INFO".to_owned(),
            demo_mode: false,
            demo_limit: 10,
            data_dir: None,
            environment: None,
            parallel: false,
            output: Vec::new(),
            offline: false,
            budget_usd: None,
            record: None,
        }
    }
}

/// Who judges: names of its own `models`, of those under test, or `provider:model`.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Graders {
    /// Models that judge, by name.
    pub models: Vec<ModelSettings>,
    /// Judges the steps of deep research.
    pub deep_research: Option<String>,
    /// Brings answers into form; the grader of the task if absent.
    pub answer_parser: Option<String>,
    /// Compares the outputs of dry experiments.
    pub dry_experiment: Option<String>,
    /// The three that vote on ideas.
    pub idea_generation: Vec<String>,
    /// Judges the reasoning about experiments; nobody is asked if absent.
    pub experimental_reasoning: Option<String>,
    /// Whether that judge reads text alone, so that no pictures are sent.
    pub text_only: bool,
}

/// A guide cannot be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum GuideError {
    /// The file cannot be read.
    #[error(transparent)]
    Read(#[from] CaseFileError),
    /// It has another form, or a model in it cannot be used.
    #[error("{0}")]
    Invalid(String),
    /// A variable of the environment cannot be used.
    #[error("`{name}` is `{value}`, where {expected} is expected")]
    Variable { name: &'static str, value: String, expected: &'static str },
    /// The rows of a subtask cannot be read.
    #[error("{reason}")]
    Rows {
        reason: String,
        /// What to do.
        hint: Option<String>,
    },
    /// No subtask can be run.
    #[error("no subtask can be run: {reasons}")]
    Nothing { reasons: String },
}

impl GuideError {
    pub(super) fn invalid(name: &str, reason: &str) -> Self {
        Self::Invalid(format!("the configuration `{name}` is not valid: {reason}"))
    }
}

impl Guide {
    /// Whether a text has the form of the guide: its data sets are known by their ids.
    pub fn is_sgi_config(text: &str) -> bool {
        let Ok(Json::Object(whole)) = yaml::from_yaml::<Json>(text) else { return false };
        let sets = whole.get("datasets").and_then(Json::as_array);
        sets.is_some_and(|sets| sets.iter().any(|set| set.get("dataset_id").is_some()))
    }

    /// Reads a configuration.
    pub fn load(path: &Path) -> Result<Self, GuideError> {
        let name = path.display().to_string();
        let (bytes, _) = read_whole(&name, LARGEST)?;
        let text = String::from_utf8(bytes).map_err(|_| GuideError::invalid(&name, "it is not valid UTF-8"))?;
        Self::parse(&text, &name)
    }

    /// Reads the text of a configuration.
    pub fn parse(text: &str, name: &str) -> Result<Self, GuideError> {
        let wrong = |reason: String| GuideError::invalid(name, &reason);
        let wrong_model = |error: SettingsError| GuideError::Invalid(format!("`{name}`: {error}"));
        let mut guide: Self = yaml::from_yaml(text).map_err(wrong)?;
        if guide.models.is_empty() {
            return Err(wrong("`models` names no model".to_owned()));
        }
        if guide.datasets.is_empty() {
            return Err(wrong("`datasets` names no subtask".to_owned()));
        }
        for model in &mut guide.models {
            // The original asks again where a model says nothing.
            model.retry_empty = true;
            if model.name.contains('/') {
                return Err(wrong(format!(
                    "the name of model `{}` holds a `/`; it becomes the name of a folder",
                    model.display_name()
                )));
            }
            model.temperature.get_or_insert(0.0);
            model.top_p.get_or_insert(1.0);
            model.timeout.get_or_insert(500.0);
            model.concurrency.get_or_insert(guide.run.concurrency.get());
            // The guide takes the name of a variable in any case.
            if let Some(key) = &mut model.api_key
                && std::env::var_os(&*key).is_none()
                && std::env::var_os(key.to_uppercase()).is_some()
            {
                *key = key.to_uppercase();
            }
            model.check().map_err(wrong_model)?;
        }
        for model in &guide.graders.models {
            model.check().map_err(wrong_model)?;
        }
        if let Some(value) = guide.experimental_reasoning
            && !(0.0..=100.0).contains(&value)
        {
            return Err(wrong("`experimental_reasoning` is a number from 0 to 100".to_owned()));
        }
        Ok(guide)
    }
}
