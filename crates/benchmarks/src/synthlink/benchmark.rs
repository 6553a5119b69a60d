//! [`SynthLink`]: the benchmark as a value that the runner drives.

use std::cell::OnceCell;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::Args;
use probare_core::{Benchmark, BenchmarkCall, BenchmarkError, Console, InputFile, Job, MetricRequest, Profile};
use probare_formats::{LARGEST_DOCUMENT, folder_input, read_whole};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value as Json, json};

use crate::command::CommandOptions;

use super::catalogue::{self, CatalogueError};
use super::judged_measures::{self, JUDGED};
use super::policy::{AGGREGATE, SynthLinkPolicy};
use super::predictions::PredictionReader;
use super::publisher::{SynthLinkPublisher, SystemResult};
use super::source::{QuestionSource, SystemFile, prediction_failure};
use crate::printing::remark;

use super::{DEFAULT_SEED, MEASURES, MeasureWeights, MissingPolicy, SystemScores, comparison, files};

/// Answers of deep-search systems.
pub struct SynthLink;

/// The metrics by the names of their columns.
const METRICS: [(&str, &str); 6] = [
    ("f1", "answer_f1"),
    ("p_at_5", "source_precision"),
    ("rqs", "step_coverage"),
    ("fcs", "claim_verification"),
    ("ie", "iteration_efficiency"),
    ("aggregate_score", AGGREGATE),
];

/// What can be said on the command line.
#[derive(Debug, Clone, Args, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
#[expect(clippy::doc_markdown, reason = "these lines are the help text, which is printed as it is")]
pub(crate) struct Options {
    /// Predictions, a JSON array (repeatable); predictions.json where none is named
    #[arg(long, value_name = "FILE")]
    predictions: Vec<PathBuf>,
    /// Folder for the results; made if needed
    #[arg(long, value_name = "DIR", default_value = ".")]
    output_dir: PathBuf,
    /// Catalogue: a folder with files SynthLink_*.md, or a file (.md .jsonl .json .csv .tsv .parquet); else SynthLink60
    #[arg(long, value_name = "DIR", default_value = ".")]
    catalog: PathBuf,
    /// What to do with questions that have no prediction: skip (means cover the others) or zero (they count as zero, which
    /// is the fair way to compare systems)
    #[arg(long, value_enum, default_value_t)]
    missing: MissingPolicy,
    /// Weights of the aggregate that differ from f1=0.3,p_at_5=0.2,rqs=0.3,fcs=0.1,ie=0.1; together they sum to 1
    #[arg(long, value_name = "NAME=NUMBER,…")]
    weights: Option<String>,
    /// Which profile.
    #[arg(skip)]
    profile: Profile,
    /// Seed of the intervals and tests
    #[arg(long, value_name = "N", default_value_t = DEFAULT_SEED)]
    seed: u64,
    /// Models that judge reasoning and claims, beside the published measures
    #[arg(skip)]
    judges: Vec<String>,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            predictions: vec![PathBuf::from("predictions.json")],
            output_dir: PathBuf::from("."),
            catalog: PathBuf::from("."),
            missing: MissingPolicy::Skip,
            weights: None,
            profile: Profile::Published,
            seed: DEFAULT_SEED,
            judges: Vec::new(),
        }
    }
}

impl CommandOptions for SynthLink {
    type Options = Options;

    const PROFILES: &'static str =
        "Which definition: published (the published numbers, the default) or improved (ours beside them)";

    const SHARED: &'static [&'static str] = &["profile", "judges"];

    const TAKES: &'static [&'static str] =
        &["offline", "refresh", "budget_usd", "budget_tokens", "score_truncated", "cache", "json"];
}

impl Benchmark for SynthLink {
    fn id(&self) -> &'static str {
        "synthlink"
    }

    fn command(&self) -> &'static [&'static str] {
        &["synthlink"]
    }

    fn about(&self) -> &'static str {
        "Score the predictions of deep-search systems against a SynthLink catalogue\n\n\
         Writes synthlink_scores.csv, synthlink_category_scores.csv, synthlink_overall_score.txt and \
         synthlink_intervals.csv into the output folder. Several files of predictions get a folder each and are compared \
         pair by pair. With --judge MODEL a model judges the reasoning steps and the claims too; its figures stand beside the \
         published ones (synthlink_judged_scores.csv) and never in their place."
    }

    fn example(&self, options: &Map<String, Json>) -> Map<String, Json> {
        let is_named = ["predictions", "catalog"].iter().any(|name| options.contains_key(*name));
        if is_named || Options::default().predictions.iter().any(|path| path.exists()) {
            return Map::new();
        }
        Map::from_iter([
            ("predictions".to_owned(), json!(["bundled:synthlink/system_a.json"])),
            ("catalog".to_owned(), json!("bundled:synthlink/catalog.jsonl")),
        ])
    }

    fn open(&self, given: Json, console: Console) -> Result<Job, BenchmarkError> {
        let given = with_default_catalogue(given, console);
        let options = Options::deserialize(&given).map_err(|error| BenchmarkError::usage(error.to_string()))?;
        let weights = options.weights.as_deref().map_or_else(|| Ok(MeasureWeights::default()), read_weights);
        let weights = weights.map_err(|reason| BenchmarkError::usage(format!("`weights`: {reason}")))?;
        if options.output_dir.is_file() {
            let message = format!("cannot write into `{}`: it is a file", options.output_dir.display());
            return Err(BenchmarkError::data(message).hint("the results go into a folder; it is made if needed"));
        }
        let path = &options.catalog;
        let catalogue = Arc::new(catalogue::load(path).map_err(|error| unusable_catalogue(&error, path))?);
        let catalogue_files = catalogue::files(path).map_err(|error| unusable_catalogue(&error, path))?;

        let (mut systems, mut scored) = (Vec::new(), Vec::new());
        let is_one = options.predictions.len() == 1;
        for (path, name) in options.predictions.iter().zip(names(&options.predictions)) {
            let path = path.display().to_string();
            let predictions = PredictionReader::open(&path).map_err(|error| prediction_failure(&error))?;
            let named = (!is_one).then(|| name.as_str().into());
            systems.push(SystemFile { path: path.clone(), name: named, predictions });
            let folder = if is_one { options.output_dir.clone() } else { options.output_dir.join(&name) };
            let scores = SystemScores { total: catalogue.questions().len(), ..SystemScores::default() };
            scored.push(SystemResult { name, path, folder, scores, improved: Vec::new(), judged: Vec::new() });
        }

        let paths: Vec<String> = scored.iter().map(|system| system.path.clone()).collect();
        let titles: Vec<&str> = scored.iter().map(|system| system.name.as_str()).collect();
        let title = format!("SynthLink: {}", titles.join(", "));
        let cases = QuestionSource::new(Arc::clone(&catalogue), systems);
        let mut job = Job::new(paths.join(", "), Box::new(cases), requests(weights, options.profile));
        if !options.judges.is_empty() {
            job.requests
                .extend(JUDGED.map(|(name, id)| MetricRequest { name: name.to_owned(), ..MetricRequest::plain(id) }));
        }
        job.title = Some(title);
        job.reads = options.predictions.iter().chain(&catalogue_files).cloned().collect();
        job.inputs = catalogue_input(path, &catalogue_files)?.into_iter().collect();
        job.rules = Arc::new(SynthLinkPolicy { missing: options.missing, weights });
        job.writes = options.writes(&scored);
        job.benchmark = Some(BenchmarkCall { id: self.id().to_owned(), options: given });
        job.publisher = Some(Box::new(SynthLinkPublisher {
            catalogue,
            systems: scored,
            folder: options.output_dir,
            seed: options.seed,
            console,
            aggregates: [None; 2],
            judged: [None; 2],
            cases: 0,
            means: OnceCell::new(),
            written: Vec::new(),
        }));
        Ok(job)
    }
}

impl Options {
    fn writes(&self, systems: &[SystemResult]) -> Vec<PathBuf> {
        let mut names: Vec<String> = files::NAMES.map(str::to_owned).to_vec();
        if self.profile == Profile::Improved {
            names.extend(files::NAMES.map(|name| format!("improved_{name}")));
        }
        let mut paths: Vec<PathBuf> =
            systems.iter().flat_map(|system| names.iter().map(|name| system.folder.join(name))).collect();
        if !self.judges.is_empty() {
            paths.extend(systems.iter().map(|system| system.folder.join(judged_measures::FILE)));
        }
        if systems.len() > 1 {
            paths.push(self.output_dir.join(comparison::COMPARISON));
        }
        paths
    }
}

/// The 60 questions that the program carries.
const SYNTHLINK_60: &str = "bundled:synthlink60";

/// The options with the 60 published questions as the catalogue, where none is named and none lies here.
fn with_default_catalogue(mut given: Json, console: Console) -> Json {
    if let Json::Object(options) = &mut given
        && !options.contains_key("catalog")
        && matches!(catalogue::load(&Options::default().catalog), Err(CatalogueError::Empty { .. }))
    {
        options.insert("catalog".to_owned(), json!(SYNTHLINK_60));
        if !console.quiet {
            remark(
                "no catalogue is named and none lies here: the 60 questions of SynthLink60 are used (MIT, Scalytics)",
            );
        }
    }
    given
}

/// The metrics of the published definition; in the improved profile the published aggregate, which holds all five measures,
/// and the improved ones beside it.
fn requests(weights: MeasureWeights, profile: Profile) -> Vec<MetricRequest> {
    let [f1, p_at_5, rqs, fcs, ie] = weights.list();
    let weights = json!({"weights": {"f1": f1, "p_at_5": p_at_5, "rqs": rqs, "fcs": fcs, "ie": ie}});
    let request = |name: String, id: &str, profile| MetricRequest {
        name,
        id: id.to_owned(),
        options: if id == AGGREGATE { weights.clone() } else { Json::Null },
        profile: Some(profile),
        code: None,
    };
    let is_improved = profile == Profile::Improved;
    let prefix = if is_improved { "improved " } else { "" };
    let published = is_improved.then(|| request(METRICS[5].0.to_owned(), AGGREGATE, Profile::Published));
    let ours = METRICS.iter().map(|(name, id)| request(format!("{prefix}{name}"), id, profile));
    published.into_iter().chain(ours).collect()
}

/// Reads `f1=0.4,p_at_5=0.1`.
fn read_weights(text: &str) -> Result<MeasureWeights, String> {
    let mut list = MeasureWeights::default().list();
    for pair in text.split(',') {
        let (name, number) = pair.split_once('=').ok_or_else(|| format!("`{pair}` is not of the form NAME=NUMBER"))?;
        let place = MEASURES
            .iter()
            .position(|measure| *measure == name.trim())
            .ok_or_else(|| format!("unknown measure `{}`; known are {}", name.trim(), MEASURES.join(", ")))?;
        list[place] = number.trim().parse().map_err(|_| format!("`{}` is not a number", number.trim()))?;
    }
    MeasureWeights::from(list).check()
}

/// Names for tables and folders: the names of the files, numbered where two are the same.
fn names(paths: &[PathBuf]) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for path in paths {
        let plain = safe(path.file_stem().unwrap_or_default());
        let mut name = plain.clone();
        let mut number = 2;
        while names.contains(&name) {
            name = format!("{plain}-{number}");
            number += 1;
        }
        names.push(name);
    }
    names
}

/// A name that is the name of a folder and of nothing else: `..` would lead out of the output folder.
fn safe(stem: &OsStr) -> String {
    let name = stem.to_string_lossy().replace(['/', '\\', '\0'], "_");
    if name.chars().all(|character| character == '.') { "predictions".to_owned() } else { name }
}

/// The catalogue as a manifest names it; standard input cannot be read again.
fn catalogue_input(path: &Path, files: &[PathBuf]) -> Result<Option<InputFile>, BenchmarkError> {
    let name = path.display().to_string();
    if name == "-" {
        return Ok(None);
    }
    let read = |path: &PathBuf| {
        let read = read_whole(&path.display().to_string(), LARGEST_DOCUMENT);
        read.map(|(_, input)| input).map_err(|error| BenchmarkError::from_error(&error))
    };
    let mut inputs: Vec<InputFile> = files.iter().map(read).collect::<Result<_, _>>()?;
    let input = if catalogue::is_folder(path) { Some(folder_input(&name, &inputs)) } else { inputs.pop() };
    Ok(input.map(|input| InputFile { option: Some("/catalog".to_owned()), ..input }))
}

/// The error for a catalogue, with what to do.
fn unusable_catalogue(error: &CatalogueError, path: &Path) -> BenchmarkError {
    let hint = match error {
        CatalogueError::Row { .. } => {
            format!("`probare validate {} --as catalogue` shows all that is wrong", path.display())
        }
        CatalogueError::Empty { .. } => {
            format!("{}; name another place with --catalog", catalogue::expected_content(path))
        }
        CatalogueError::UnknownFormat { .. } => {
            "rename it, or name a folder with files SynthLink_*.md with --catalog".to_owned()
        }
        _ => "--catalog names a folder with files SynthLink_*.md, or a file of questions (.md .jsonl .json .csv .tsv \
              .parquet)"
            .to_owned(),
    };
    BenchmarkError::from_error(error).hint(hint)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn weights_are_named_and_sum_to_one() {
        assert_eq!(read_weights("f1=0.4, ie=0").map(MeasureWeights::list), Ok([0.4, 0.2, 0.3, 0.1, 0.0]));
        assert!(read_weights("f1=0.5").unwrap_err().contains("sum to 1"));
        assert!(read_weights("f2=0.3").unwrap_err().contains("unknown measure `f2`"));
        assert!(read_weights("f1").unwrap_err().contains("NAME=NUMBER"));
        assert!(read_weights("f1=x").unwrap_err().contains("is not a number"));
    }

    #[test]
    fn files_of_the_same_name_get_numbers() {
        let paths = ["a/p.json", "b/p.json", "c/q.json"].map(PathBuf::from);
        assert_eq!(names(&paths), ["p", "p-2", "q"]);
    }

    #[test]
    fn no_name_leads_out_of_the_output_folder() {
        let paths = ["pp/...json", "..", "a\\b.json", "x/..json"].map(PathBuf::from);
        assert_eq!(names(&paths), ["predictions", "predictions-2", "a_b", "predictions-3"]);
    }
}
