//! [`prepare`]: from the guide's configuration to a run.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use probare_core::{BenchmarkError, Console, Profile};
use probare_engine::{BenchmarkDataset, BenchmarkRun, Config, Generate, MetricEntry, RunOptions};
use probare_models::ModelSettings;
use serde_json::{Map, Value as Json, json};

use super::config::{Guide, GuideDataset, GuideError};
use super::graders::{Environment, graders};
use crate::sgi::rows::{self, SubtaskRows};
use crate::sgi::{
    Collector, CollectorPlan, Destination, SgiPolicy, SgiPrompts, Subtask, embedding_model, fixtures, upstream_option,
};

/// What the command line says beside the configuration.
#[derive(Debug, Clone, Default)]
pub struct SgiOptions {
    /// Run also what has results.
    pub overwrite: bool,
    /// Which definition.
    pub profile: Option<Profile>,
    /// Most rows of each subtask.
    pub limit: Option<u64>,
    /// `YYYYMMDD_HHMMSS`, for the names of result files.
    pub stamp: String,
    /// What is printed, and how.
    pub console: Console,
}

/// A run that is ready to be opened.
pub struct PreparedSgiRun {
    /// Models, metrics and terms.
    pub config: Config,
    /// Cases, rules and result files.
    pub benchmark: BenchmarkRun,
    /// Subtasks that are left out, and why.
    pub refused: Vec<(Subtask, String)>,
    /// Subtasks whose results are there already.
    pub skipped: Vec<Subtask>,
    /// Most rows of each subtask.
    pub limit: Option<u64>,
}

/// Says whether what a subtask needs with these options is there: a model for vectors, a sandbox, an interpreter.
pub type RequirementCheck<'a> = &'a dyn Fn(Subtask, &Map<String, Json>) -> Result<(), String>;

/// The one part of the data.
const SPLIT: &str = "test";

/// Reads the rows, finds the graders, and puts a run together. A subtask that cannot be run is left out; it is an error where
/// none is left.
pub fn prepare(
    guide: &Guide,
    path: &Path,
    flags: &SgiOptions,
    environment: Environment<'_>,
    can: RequirementCheck<'_>,
) -> Result<PreparedSgiRun, GuideError> {
    let shown = path.display().to_string();
    let folder = path.parent().unwrap_or(Path::new(""));
    let wrong = |reason: String| GuideError::invalid(&shown, &reason);
    let mut config = config_without_metrics(guide, flags.profile);
    let variables = Variables::read(environment)?;
    let prompts = guide.prompts.as_deref().map(|named| SgiPrompts::read(&place(named, folder)));
    let prompts = prompts.transpose()?.unwrap_or_default();
    let mut rules = SgiPolicy::default();
    let limit = flags.limit.or_else(|| guide.run.demo_mode.then_some(guide.run.demo_limit));
    let demo = guide.run.demo_mode || flags.limit.is_some();
    let known: Vec<ModelSettings> = guide.graders.models.iter().chain(&guide.models).cloned().collect();
    let (mut datasets, mut refused, mut skipped) = (Vec::new(), Vec::new(), Vec::new());
    let (mut fingerprints, mut warnings) = (BTreeMap::new(), Vec::new());
    for dataset in &guide.datasets {
        let subtask = find_subtask(dataset, &datasets).map_err(wrong)?;
        let able = graders(subtask, &guide.graders, &known, environment).and_then(|panel| {
            let options = options(subtask, guide, &panel, &variables, &prompts);
            can(subtask, &options).map(|()| (panel, options))
        });
        let (panel, options) = match able {
            Ok(able) => able,
            Err(reason) => {
                refused.push((subtask, reason));
                continue;
            }
        };
        let file = find(guide, dataset, subtask, folder, &variables)?;
        let SubtaskRows { cases, input, fingerprint } =
            rows::read(subtask, &file, dataset.discipline.as_deref(), limit, &prompts)?;
        let destination = place(&guide.run.output_dir, folder);
        let is_there = |model: &ModelSettings| has_result(&destination, subtask, &model.name, &fingerprint);
        if !demo && !flags.overwrite && !guide.run.overwrite && guide.models.iter().all(is_there) {
            skipped.push(subtask);
            continue;
        }
        if subtask == Subtask::DryExperiment {
            warnings.extend(fixtures::missing_fixtures_warning(&cases, variables.fixtures.as_deref()));
        }
        if subtask == Subtask::ExperimentalReasoning {
            if guide.experimental_reasoning.is_some() {
                let reason = "`experimental_reasoning` is the value of a subtask that is among the `datasets`; leave one of them out";
                return Err(wrong(reason.to_owned()));
            }
            rules = SgiPolicy::with_pictures_below(file.parent().unwrap_or(Path::new("")));
        }
        // An embedding server is set up beside the graders, by the name of its model.
        let embedding = options.get("model").and_then(Json::as_str);
        let server = known.iter().find(|model| Some(model.name.as_str()) == embedding).cloned();
        for grader in panel.into_iter().chain(server) {
            if config.models.iter().all(|known| known.name != grader.name) {
                config.models.push(grader);
            }
        }
        add_metrics(&mut config, subtask, options);
        fingerprints.insert(subtask, fingerprint);
        datasets.push(BenchmarkDataset { name: subtask.dataset_id().to_owned(), input, cases });
    }
    if datasets.is_empty() && skipped.is_empty() {
        let reasons: Vec<String> =
            refused.iter().map(|(subtask, reason)| format!("{}: {reason}", subtask.dataset_id())).collect();
        return Err(GuideError::Nothing { reasons: reasons.join("; ") });
    }
    let subtasks: Vec<Subtask> = fingerprints.keys().copied().collect();
    let collector = Collector::new(CollectorPlan {
        destination: Some(Destination {
            folder: place(&guide.run.output_dir, folder),
            split: SPLIT.to_owned(),
            stamp: flags.stamp.clone(),
            demo,
        }),
        fingerprints,
        model: None,
        fifth: guide.experimental_reasoning,
        refused: refused.clone(),
        partial: partial(guide, limit),
        prompts: prompts.describe(&subtasks, guide.upstream, true),
        upstream: guide.upstream,
        warnings,
        console: flags.console,
    });
    let benchmark = BenchmarkRun {
        id: "sgi".to_owned(),
        title: format!("SGI-Bench: {}", config.generate.models.join(", ")),
        datasets,
        rules: Arc::new(rules),
        publisher: Box::new(collector),
    };
    config.path = Some(path.to_owned());
    config.resolve_paths();
    Ok(PreparedSgiRun { config, benchmark, refused, skipped, limit })
}

impl From<BenchmarkError> for GuideError {
    fn from(error: BenchmarkError) -> Self {
        Self::Rows { reason: error.message, hint: error.hint }
    }
}

/// Models and terms of a run as the guide has them.
fn config_without_metrics(guide: &Guide, profile: Option<Profile>) -> Config {
    Config {
        models: guide.models.clone(),
        generate: Generate {
            models: guide.models.iter().map(|model| model.name.clone()).collect(),
            ..Generate::default()
        },
        profile: Some(profile.or(guide.profile).unwrap_or_default()),
        run: RunOptions {
            output: guide.run.output.iter().map(PathBuf::from).collect(),
            offline: guide.run.offline.then_some(true),
            budget_usd: guide.run.budget_usd,
            cache: guide.run.record.as_ref().map(PathBuf::from),
            ..RunOptions::default()
        },
        ..Config::default()
    }
}

/// The subtask of a data set, or what is wrong with it beside the others.
fn find_subtask(dataset: &GuideDataset, others: &[BenchmarkDataset]) -> Result<Subtask, String> {
    let id = dataset.dataset_id.as_str();
    let subtask = Subtask::ALL.into_iter().find(|subtask| subtask.dataset_id() == id);
    let subtask = subtask.ok_or_else(|| {
        format!("unknown `dataset_id` `{id}`; known are {}", Subtask::ALL.map(Subtask::dataset_id).join(", "))
    })?;
    if let Some(split) = dataset.splits.iter().flatten().find(|split| *split != SPLIT) {
        return Err(format!("{id} has no split `{split}`; the only one is `{SPLIT}`"));
    }
    if others.iter().any(|known| known.name == id) {
        return Err(format!("{id} is named twice"));
    }
    Ok(subtask)
}

/// The metric of a subtask, and the one that is computed beside it where somebody judges. Two data sets may go through the same
/// metric.
fn add_metrics(config: &mut Config, subtask: Subtask, options: Map<String, Json>) {
    let profile = config.profile;
    let entry = |id: &str, options| MetricEntry { id: id.to_owned(), options, profile, ..MetricEntry::default() };
    let (own, beside) = match subtask.judged_beside() {
        Some(id) => (Map::new(), options.contains_key("judges").then_some((id, options))),
        None => (options, None),
    };
    if config.metrics.iter().all(|known| known.id != subtask.metric()) {
        config.metrics.push(entry(subtask.metric(), own));
    }
    config.metrics.extend(beside.map(|(id, options)| entry(id, options)));
}

/// A folder from the configuration's own, unless it is absolute or here.
fn place(named: &Path, folder: &Path) -> PathBuf {
    if named.is_absolute() || folder.as_os_str().is_empty() { named.to_owned() } else { folder.join(named) }
}

/// The variable with the seconds that a program may take.
const SECONDS: &str = "SGI_EXECUTION_TIMEOUT";

/// What the guide's variables say beside who judges.
struct Variables {
    data: Option<PathBuf>,
    fixtures: Option<PathBuf>,
    seconds: Option<u32>,
    conda: String,
    embedding: Option<String>,
}

impl Variables {
    /// Reads them all; what cannot be used is an error, not a variable that is not there.
    fn read(environment: Environment<'_>) -> Result<Self, GuideError> {
        let wrong = |name: &'static str, value: &str, expected: &'static str| GuideError::Variable {
            name,
            value: value.to_owned(),
            expected,
        };
        let folder = |name: &'static str| match environment(name) {
            Some(value) if !Path::new(&value).is_dir() => Err(wrong(name, &value, "a folder that is there")),
            found => Ok(found.map(PathBuf::from)),
        };
        let seconds = environment(SECONDS).map(|text| match text.trim().parse::<u32>() {
            Ok(seconds) if seconds > 0 => Ok(seconds),
            _ => Err(wrong(SECONDS, &text, "a whole number of seconds, 1 or more")),
        });
        Ok(Self {
            data: folder("SGI_DATA_DIR")?,
            fixtures: folder("SGI_DRY_EXPERIMENT_DATA_DIR")?,
            seconds: seconds.transpose()?,
            conda: environment("SGI_CONDA_ENV").unwrap_or_else(|| "dryexp".to_owned()),
            embedding: environment("SGI_EMBEDDING_MODEL"),
        })
    }
}

/// Why a run is over a part of the data alone; nothing where it is over all of them.
fn partial(guide: &Guide, limit: Option<u64>) -> Option<String> {
    let discipline = guide.datasets.iter().find_map(|dataset| dataset.discipline.as_deref());
    match (limit, discipline) {
        (Some(limit), _) => Some(format!("no more than the first {limit} rows of each subtask were run")),
        (None, Some(name)) => Some(format!("only rows of the discipline {name} were run")),
        (None, None) => None,
    }
}

/// Options of a subtask's metric; of the one that judges reasoning where there is one.
fn options(
    subtask: Subtask,
    guide: &Guide,
    panel: &[ModelSettings],
    variables: &Variables,
    prompts: &SgiPrompts,
) -> Map<String, Json> {
    let mut map = prompts.metric_options(subtask);
    map.extend(upstream_option(subtask, guide.upstream));
    if !panel.is_empty() {
        map.insert("judges".to_owned(), panel.iter().map(|grader| grader.name.clone()).collect());
    }
    match subtask {
        Subtask::IdeaGeneration => {
            let named = variables.embedding.as_deref().map(embedding_model);
            map.extend(named.map(|model| ("model".to_owned(), json!(model))));
        }
        Subtask::DryExperiment => {
            let named = guide.run.environment.clone().unwrap_or_else(|| format!("conda:{}", variables.conda));
            if named != "system" {
                map.insert("environment".to_owned(), json!(named));
            }
            map.extend(variables.seconds.map(|seconds| ("timeout".to_owned(), json!(seconds))));
            map.extend(variables.fixtures.as_ref().map(|folder| ("fixtures".to_owned(), json!(folder))));
            if guide.run.parallel {
                map.insert("parallel".to_owned(), json!(true));
            }
        }
        Subtask::ExperimentalReasoning => {
            if guide.graders.text_only {
                map.insert("text_only".to_owned(), json!(true));
            }
        }
        Subtask::DeepResearch | Subtask::DeepResearchGold | Subtask::WetExperiment => {}
    }
    map
}

/// The guide's own folder of data, from where the program is started.
const GUIDE_DATA: &str = "data/sgibench";

/// The file with the rows of a subtask: as it is named, or by its usual name in the folder of the data. Where no folder is
/// named it is the one beside the configuration, or that of the guide.
fn find(
    guide: &Guide,
    dataset: &GuideDataset,
    subtask: Subtask,
    folder: &Path,
    variables: &Variables,
) -> Result<PathBuf, GuideError> {
    if let Some(path) = &dataset.path {
        return Ok(place(path, folder));
    }
    let folders = match (&guide.run.data_dir, &variables.data) {
        (Some(named), _) => vec![place(named, folder)],
        (None, Some(named)) => vec![named.clone()],
        (None, None) => vec![folder.join("data"), folder.join(GUIDE_DATA), PathBuf::from(GUIDE_DATA)],
    };
    let (id, metric) = (subtask.dataset_id(), subtask.name());
    let names = [
        format!("{metric}/{SPLIT}.jsonl"),
        format!("{id}/{SPLIT}.jsonl"),
        format!("{id}.jsonl"),
        format!("{metric}.jsonl"),
    ];
    let mut paths = folders.iter().flat_map(|folder| names.iter().map(|name| folder.join(name)));
    paths.find(|path| path.is_file()).ok_or_else(|| {
        let shown: Vec<String> = folders.iter().map(|folder| format!("`{}`", folder.display())).collect();
        GuideError::Rows {
            reason: format!("the rows of {id} are not in {}", shown.join(" or ")),
            hint: Some(format!(
                "they are looked for as {}; name the folder with SGI_DATA_DIR or `run.data_dir`, or the file with `path` of the data set",
                names.join(", ")
            )),
        }
    })
}

/// Bytes of the largest result file that is looked into.
const LARGEST_RESULT: u64 = 1024 * 1024 * 1024;

/// Whether a result of the whole data, as they are now, is there, with a score for every record. The newest counts; what cannot
/// be read is passed over.
fn has_result(folder: &Path, subtask: Subtask, model: &str, fingerprint: &str) -> bool {
    let folder = folder.join("bench").join(subtask.dataset_id()).join(SPLIT).join(model);
    let Ok(entries) = std::fs::read_dir(folder) else { return false };
    let mut paths: Vec<PathBuf> = entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "json"));
    // The time stands in the name.
    paths.sort_unstable();
    let read = |path: &PathBuf| {
        let (bytes, _) = probare_formats::read_whole(&path.display().to_string(), LARGEST_RESULT).ok()?;
        let document: Map<String, Json> = serde_json::from_slice(&bytes).ok()?;
        (document.get("demo") != Some(&Json::Bool(true))).then_some(document)
    };
    let newest = paths.iter().rev().find_map(read);
    newest.is_some_and(|document| {
        let is_whole = document.get("failed").and_then(Json::as_u64).unwrap_or_default() == 0;
        let is_same = match document.get("data_fingerprint") {
            Some(Json::String(known)) => known == fingerprint,
            _ => true,
        };
        is_whole && is_same
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const GUIDE: &str =
        "models: [{name: m, api_model_name: 'replay:r.jsonl'}]\ndatasets: [{dataset_id: sgibench-wetexperiment}]\n";

    fn prepared(folder: &Path, guide: &str, environment: Environment<'_>) -> Result<PreparedSgiRun, GuideError> {
        let path = folder.join("c.yaml");
        let guide = Guide::parse(guide, "c.yaml")?;
        prepare(&guide, &path, &SgiOptions::default(), environment, &|_, _| Ok(()))
    }

    fn put(path: &Path, text: &str) {
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }

    #[test]
    fn the_guides_own_tree_of_data_is_found() {
        let folder = tempfile::tempdir().unwrap();
        let Err(GuideError::Rows { reason, hint }) = prepared(folder.path(), GUIDE, &|_| None) else {
            panic!("there are no rows")
        };
        assert!(reason.contains("data/sgibench") && hint.unwrap().contains("wet_experiment/test.jsonl"), "{reason}");
        let row = r#"{"idx": "w1", "question": "Q?", "answer": "a"}"#;
        put(&folder.path().join("data/sgibench/wet_experiment/test.jsonl"), row);
        let found = prepared(folder.path(), GUIDE, &|_| None).unwrap();
        assert_eq!(found.benchmark.datasets[0].cases[0].id, "w1");
        // A folder that is named holds them by the same names.
        let named = folder.path().join("data/sgibench").display().to_string();
        let elsewhere = tempfile::tempdir().unwrap();
        let environment = |name: &str| (name == "SGI_DATA_DIR").then(|| named.clone());
        assert!(prepared(elsewhere.path(), GUIDE, &environment).is_ok());
    }

    #[test]
    fn a_variable_that_cannot_be_used_is_an_error() {
        let folder = tempfile::tempdir().unwrap();
        for (name, value, words) in [
            ("SGI_EXECUTION_TIMEOUT", "abc", "`SGI_EXECUTION_TIMEOUT` is `abc`, where a whole number of seconds"),
            ("SGI_EXECUTION_TIMEOUT", "0", "1 or more"),
            ("SGI_EXECUTION_TIMEOUT", "-3", "1 or more"),
            ("SGI_DATA_DIR", "nowhere", "`SGI_DATA_DIR` is `nowhere`, where a folder"),
            ("SGI_DRY_EXPERIMENT_DATA_DIR", "nowhere", "`SGI_DRY_EXPERIMENT_DATA_DIR` is `nowhere`"),
        ] {
            let error = prepared(folder.path(), GUIDE, &|variable| (variable == name).then(|| value.to_owned()));
            let error = error.err().unwrap().to_string();
            assert!(error.contains(words), "{error}");
        }
    }

    #[test]
    fn the_embedding_model_may_be_named_as_its_publisher_does() {
        let folder = tempfile::tempdir().unwrap();
        put(&folder.path().join("data/idea_generation.jsonl"), r#"{"idx": "i", "question": "Q?", "core_idea": "c"}"#);
        let guide = GUIDE.replace("wetexperiment", "ideageneration")
            + "graders: {idea_generation: ['replay:a', 'replay:b', 'replay:c']}\n";
        let named =
            |name: &str| (name == "SGI_EMBEDDING_MODEL").then(|| "sentence-transformers/all-MiniLM-L6-v2".to_owned());
        let found = prepared(folder.path(), &guide, &named).unwrap();
        assert_eq!(found.config.metrics[0].options["model"], "all-MiniLM-L6-v2");
    }

    #[test]
    fn reasoning_is_judged_where_somebody_is_named_and_data_sets_share_a_metric() {
        let folder = tempfile::tempdir().unwrap();
        let place = folder.path();
        let row = r#"{"idx": "r", "question": "Q?", "options": ["a", "b"], "answer": 0}"#;
        put(&place.join("data/experimental_reasoning/test.jsonl"), row);
        for name in ["deep_research", "deep_research_gold"] {
            put(&place.join(format!("data/{name}/test.jsonl")), r#"{"idx": "d", "question": "Q?", "answer": "a"}"#);
        }
        put(&place.join("texts/judge_reasoning.txt"), "Rate {{solution}}");
        put(&place.join("texts/judge_steps.txt"), "Steps of {{solution}}");
        let guide = "models: [{name: m, api_model_name: 'replay:r.jsonl'}]\ndatasets:\n  - {dataset_id: sgibench-experimentalreasoning}\n  \
             - {dataset_id: sgibench-deepresearch}\n  - {dataset_id: sgibench-deepresearch-gold}\nupstream: official-2026\nprompts: texts\n";
        let graders = "graders: {deep_research: 'replay:g', experimental_reasoning: 'replay:s', text_only: true}\n";
        let found = prepared(place, &format!("{guide}{graders}"), &|_| None).unwrap();
        let ids: Vec<&str> = found.config.metrics.iter().map(|metric| metric.id.as_str()).collect();
        assert_eq!(ids, ["experimental_reasoning", "reasoning_validity", "deep_research"]);
        let [choice, validity, research] = found.config.metrics.as_slice() else { panic!("three metrics") };
        assert!(choice.options.is_empty(), "{:?}", choice.options);
        assert_eq!(validity.options["text_only"], true);
        assert_eq!(validity.options["prompt"], "Rate {{solution}}");
        assert_eq!(
            (&research.options["upstream"], &research.options["prompt"]),
            (&json!("official-2026"), &json!("Steps of {{solution}}"))
        );
        // Nobody is asked where nobody is named.
        let alone = prepared(place, &format!("{guide}graders: {{deep_research: 'replay:g'}}\n"), &|_| None).unwrap();
        assert_eq!(alone.config.metrics.len(), 2);
        let Err(error) = prepared(place, &format!("{guide}{graders}experimental_reasoning: 41.2\n"), &|_| None) else {
            panic!("the value is given twice")
        };
        assert!(error.to_string().contains("leave one of them out"), "{error}");
    }

    #[test]
    fn a_result_with_failed_records_is_no_result_that_is_there() {
        let folder = tempfile::tempdir().unwrap();
        put(&folder.path().join("data/wet_experiment.jsonl"), r#"{"idx": "w1", "question": "Q?", "answer": "a"}"#);
        let result = folder.path().join("results/bench/sgibench-wetexperiment/test/m/r.json");
        put(&result, r#"{"failed": 1}"#);
        assert_eq!(prepared(folder.path(), GUIDE, &|_| None).unwrap().skipped, []);
        put(&result, r#"{"failed": 0}"#);
        assert_eq!(prepared(folder.path(), GUIDE, &|_| None).unwrap().skipped, [Subtask::WetExperiment]);
    }
}
