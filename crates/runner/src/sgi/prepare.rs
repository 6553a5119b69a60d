//! [`prepare`]: from the guide's configuration to a run.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use probare_core::{Console, Profile};
use probare_models::ModelSettings;
use probare_suites::sgi::rows::{self, Rows};
use probare_suites::sgi::{Collector, Destination, Plan, SgiRules, Subtask};
use serde_json::{Map, Value as Json, json};

use super::config::{Guide, GuideDataset, GuideError};
use super::graders::{Environment, graders};
use crate::config::{Config, Generate, MetricEntry, Run};
use crate::runs::{Benchmark, GivenDataset};

/// What the command line says beside the configuration.
#[derive(Debug, Clone, Default)]
pub struct Wishes {
    /// Run also what has results.
    pub overwrite: bool,
    /// Which reading.
    pub profile: Option<Profile>,
    /// Most rows of each subtask.
    pub limit: Option<u64>,
    /// `YYYYMMDD_HHMMSS`, for the names of result files.
    pub stamp: String,
    /// What is printed, and how.
    pub console: Console,
}

/// A run that is ready to be opened.
pub struct Prepared {
    /// Models, metrics and terms.
    pub config: Config,
    /// Cases, rules and result files.
    pub benchmark: Benchmark,
    /// Subtasks that are left out, and why.
    pub refused: Vec<(Subtask, String)>,
    /// Subtasks whose results are there already.
    pub skipped: Vec<Subtask>,
    /// Most rows of each subtask.
    pub limit: Option<u64>,
}

/// Says whether what a subtask needs with these options is there: a model for vectors, a sandbox, an interpreter.
pub type Able<'a> = &'a dyn Fn(Subtask, &Map<String, Json>) -> Result<(), String>;

/// The one part of the data.
const SPLIT: &str = "test";

/// Reads the rows, finds the graders, and puts a run together. A subtask that cannot be run is left out; it is an error where
/// none is left.
pub fn prepare(
    guide: &Guide,
    path: &Path,
    wishes: &Wishes,
    environment: Environment<'_>,
    can: Able<'_>,
) -> Result<Prepared, GuideError> {
    let shown = path.display().to_string();
    let folder = path.parent().unwrap_or(Path::new(""));
    let profile = wishes.profile.or(guide.profile).unwrap_or_default();
    let wrong = |reason: String| GuideError::Form { name: shown.clone(), reason };
    let mut config = Config {
        models: guide.models.clone(),
        generate: Generate {
            models: guide.models.iter().map(|model| model.name.clone()).collect(),
            ..Generate::default()
        },
        profile: Some(profile),
        run: Run {
            output: guide.run.output.clone(),
            offline: guide.run.offline,
            budget_usd: guide.run.budget_usd,
            record: guide.run.record.clone(),
            ..Run::default()
        },
        ..Config::default()
    };
    let limit = wishes.limit.or_else(|| guide.run.demo_mode.then_some(guide.run.demo_limit));
    let demo = guide.run.demo_mode || wishes.limit.is_some();
    let known: Vec<ModelSettings> = guide.graders.models.iter().chain(&guide.models).cloned().collect();
    let (mut datasets, mut refused, mut skipped) = (Vec::new(), Vec::new(), Vec::new());
    let mut fingerprints = BTreeMap::new();
    for dataset in &guide.datasets {
        let subtask = Subtask::ALL.into_iter().find(|subtask| subtask.dataset_id() == dataset.dataset_id);
        let subtask = subtask.ok_or_else(|| {
            let known = Subtask::ALL.map(Subtask::dataset_id).join(", ");
            wrong(format!("unknown `dataset_id` `{}`; known are {known}", dataset.dataset_id))
        })?;
        if let Some(split) = dataset.splits.iter().flatten().find(|split| *split != SPLIT) {
            return Err(wrong(format!("{} has no split `{split}`; the only one is `{SPLIT}`", dataset.dataset_id)));
        }
        if datasets.iter().any(|known: &GivenDataset| known.name == subtask.dataset_id()) {
            return Err(wrong(format!("{} is named twice", dataset.dataset_id)));
        }
        let able = graders(subtask, &guide.graders, &known, environment).and_then(|panel| {
            let options = options(subtask, guide, &panel, environment);
            can(subtask, &options).map(|()| (panel, options))
        });
        let (panel, options) = match able {
            Ok(able) => able,
            Err(reason) => {
                refused.push((subtask, reason));
                continue;
            }
        };
        let file = find(guide, dataset, subtask, folder, environment)?;
        let Rows { cases, input, fingerprint } = rows::read(subtask, &file, dataset.discipline.as_deref(), limit)
            .map_err(|error| GuideError::Rows { reason: error.message, hint: error.hint })?;
        let destination = place(&guide.run.output_dir, folder);
        let is_there = |model: &ModelSettings| has_result(&destination, subtask, &model.name, &fingerprint);
        if !demo && !wishes.overwrite && !guide.run.overwrite && guide.models.iter().all(is_there) {
            skipped.push(subtask);
            continue;
        }
        config.metrics.push(MetricEntry {
            id: subtask.metric().to_owned(),
            name: None,
            options,
            profile: Some(profile),
        });
        for grader in panel {
            if config.models.iter().all(|known| known.name != grader.name) {
                config.models.push(grader);
            }
        }
        fingerprints.insert(subtask, fingerprint);
        datasets.push(GivenDataset { name: subtask.dataset_id().to_owned(), input, cases });
    }
    if datasets.is_empty() && skipped.is_empty() {
        let reasons: Vec<String> =
            refused.iter().map(|(subtask, reason)| format!("{}: {reason}", subtask.dataset_id())).collect();
        return Err(GuideError::Nothing { reasons: reasons.join("; ") });
    }
    let collector = Collector::new(Plan {
        destination: Some(Destination {
            folder: place(&guide.run.output_dir, folder),
            split: SPLIT.to_owned(),
            stamp: wishes.stamp.clone(),
            demo,
        }),
        fingerprints,
        model: None,
        fifth: guide.experimental_reasoning,
        refused: refused.clone(),
        console: wishes.console,
    });
    let benchmark = Benchmark {
        suite: "sgi".to_owned(),
        title: format!("SGI-Bench: {}", config.generate.models.join(", ")),
        datasets,
        rules: Arc::new(SgiRules),
        publisher: Box::new(collector),
    };
    Ok(Prepared { config, benchmark, refused, skipped, limit })
}

/// A folder from the configuration's own, unless it is absolute or here.
fn place(named: &Path, folder: &Path) -> PathBuf {
    if named.is_absolute() || folder.as_os_str().is_empty() { named.to_owned() } else { folder.join(named) }
}

/// Options of a subtask's metric.
fn options(
    subtask: Subtask,
    guide: &Guide,
    panel: &[ModelSettings],
    environment: Environment<'_>,
) -> Map<String, Json> {
    let mut map = Map::new();
    if !panel.is_empty() {
        map.insert("judges".to_owned(), panel.iter().map(|grader| grader.name.clone()).collect());
    }
    match subtask {
        Subtask::IdeaGeneration => {
            map.extend(environment("SGI_EMBEDDING_MODEL").map(|model| ("model".to_owned(), json!(model))));
        }
        Subtask::DryExperiment => {
            let conda = || format!("conda:{}", environment("SGI_CONDA_ENV").unwrap_or_else(|| "dryexp".to_owned()));
            let named = guide.run.environment.clone().unwrap_or_else(conda);
            if named != "system" {
                map.insert("environment".to_owned(), json!(named));
            }
            let seconds = environment("SGI_EXECUTION_TIMEOUT").and_then(|text| text.trim().parse::<u32>().ok());
            map.extend(seconds.map(|seconds| ("timeout".to_owned(), json!(seconds))));
            let fixtures = environment("SGI_DRY_EXPERIMENT_DATA_DIR").filter(|folder| !folder.is_empty());
            map.extend(fixtures.map(|folder| ("fixtures".to_owned(), json!(folder))));
            if guide.run.parallel {
                map.insert("parallel".to_owned(), json!(true));
            }
        }
        Subtask::DeepResearch | Subtask::WetExperiment => {}
    }
    map
}

/// The file with the rows of a subtask.
fn find(
    guide: &Guide,
    dataset: &GuideDataset,
    subtask: Subtask,
    folder: &Path,
    environment: Environment<'_>,
) -> Result<PathBuf, GuideError> {
    if let Some(path) = &dataset.path {
        return Ok(place(path, folder));
    }
    let data = match (&guide.run.data_dir, environment("SGI_DATA_DIR")) {
        (Some(named), _) => place(named, folder),
        (None, Some(named)) => PathBuf::from(named),
        (None, None) => folder.join("data"),
    };
    let id = subtask.dataset_id();
    let names = [format!("{id}/{SPLIT}.jsonl"), format!("{id}.jsonl"), format!("{}.jsonl", subtask.metric())];
    let found = names.iter().map(|name| data.join(name)).find(|path| path.is_file());
    found.ok_or_else(|| GuideError::Rows {
        reason: format!("the rows of {id} are not in `{}`", data.display()),
        hint: Some(format!(
            "they are looked for as {}; name the folder with SGI_DATA_DIR or `run.data_dir`, or the file with `path` of the data set",
            names.join(", ")
        )),
    })
}

/// Bytes of the largest result file that is looked into.
const LARGEST_RESULT: u64 = 1024 * 1024 * 1024;

/// Whether a result of the whole data, as they are now, is there. The newest counts; what cannot be read is passed over.
fn has_result(folder: &Path, subtask: Subtask, model: &str, fingerprint: &str) -> bool {
    let folder = folder.join("bench").join(subtask.dataset_id()).join(SPLIT).join(model);
    let Ok(entries) = std::fs::read_dir(folder) else { return false };
    let mut paths: Vec<PathBuf> = entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "json"));
    // The time stands in the name.
    paths.sort_unstable();
    let read = |path: &PathBuf| {
        let (bytes, _) = probare_cases::read_whole(&path.display().to_string(), LARGEST_RESULT).ok()?;
        let document: Map<String, Json> = serde_json::from_slice(&bytes).ok()?;
        (document.get("demo") != Some(&Json::Bool(true))).then_some(document)
    };
    let newest = paths.iter().rev().find_map(read);
    newest.is_some_and(|document| match document.get("data_fingerprint") {
        Some(Json::String(known)) => known == fingerprint,
        _ => true,
    })
}
