//! [`Socioscope`]: the benchmark as a value that the runner drives.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;

use clap::Args;
use probare_core::{
    Benchmark, BenchmarkCall, BenchmarkError, Console, InputFile, Job, MeansOver, MetricRequest, Profile, closest,
};
use probare_formats::{CaseFileError, LARGEST_DOCUMENT, folder_input, read_whole};
use probare_metrics::interviews::quotations::Transcripts;
use probare_report::Utc;
use probare_text::wordnet::WordNet;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value as Json, json};

use super::cases::AnswerSource;
use super::input::{Corpus, DataError, Fixture};
use super::output::stamped;
use super::policy::SocioscopePolicy;
use super::publisher::{PublishOptions, ResultFormat, SocioscopePublisher};
use crate::command::{CommandOptions, parse_number};
use crate::socioscope::interviews::{GradingOptions, InterviewQuestion, QuestionType};

/// Answers about interview transcripts.
pub struct Socioscope;

/// What can be said on the command line.
#[derive(Debug, Clone, Args, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct Options {
    /// Questions and answers, JSON
    fixture: Option<PathBuf>,
    /// Transcripts, JSON
    corpus: Option<PathBuf>,
    /// Folder for the results; made if needed
    #[arg(long, value_name = "DIR", default_value = ".")]
    out: PathBuf,
    /// Format of the results file
    #[arg(long, value_enum, default_value_t)]
    format: ResultFormat,
    /// Write no charts
    #[arg(long)]
    no_plots: bool,
    /// Compare yes and no letter by letter, case aside
    #[arg(long)]
    strict_yes_no: bool,
    /// Least similarity of a near spelling
    #[arg(long, value_name = "SHARE", value_parser = parse_number, default_value_t = Options::default().fuzzy_threshold)]
    fuzzy_threshold: f64,
    /// Share of the score that the yes or no carries where reasons count too
    #[arg(long, value_name = "SHARE", value_parser = parse_number, default_value_t = Options::default().rationale_weight)]
    rationale_weight: f64,
    /// Folder with the files of another WordNet
    #[arg(long, value_name = "DIR")]
    wordnet: Option<PathBuf>,
    /// Time in the name of the results file, in place of now (UTC, `20240131_120000`)
    #[arg(long, value_name = "T")]
    timestamp: Option<String>,
    /// Which profile.
    #[arg(skip)]
    profile: Profile,
    /// Replace names and long passages in results and report by their positions; not with -o, whose files hold the texts
    #[arg(long)]
    redact: bool,
}

impl Default for Options {
    fn default() -> Self {
        let GradingOptions { fuzzy_threshold, rationale_weight, .. } = GradingOptions::default();
        Self {
            fixture: None,
            corpus: None,
            out: PathBuf::from("."),
            format: ResultFormat::default(),
            no_plots: false,
            strict_yes_no: false,
            fuzzy_threshold,
            rationale_weight,
            wordnet: None,
            timestamp: None,
            profile: Profile::Published,
            redact: false,
        }
    }
}

impl CommandOptions for Socioscope {
    type Options = Options;

    const PROFILES: &'static str =
        "Which definition: published (the published numbers, the default) or improved (ours beside them)";

    const TAKES: &'static [&'static str] = &["json"];

    const WITHOUT_OUTPUT: &'static [(&'static str, &'static str)] =
        &[("redact", "the files of -o hold the texts that are to be hidden")];
}

impl Benchmark for Socioscope {
    fn id(&self) -> &'static str {
        "socioscope"
    }

    fn command(&self) -> &'static [&'static str] {
        &["socioscope"]
    }

    fn about(&self) -> &'static str {
        "Grade answers about interview transcripts and check their quotations\n\n\
         Without a command, FIXTURE and CORPUS are evaluated. Scores, however low, end with exit code 0; an answer that \
         could not be scored ends with 1."
    }

    fn example(&self, options: &Map<String, Json>) -> Map<String, Json> {
        if ["fixture", "corpus"].iter().any(|name| options.contains_key(*name)) {
            return Map::new();
        }
        let named = [("fixture", "questions"), ("corpus", "corpus")];
        named
            .map(|(option, file)| (option.to_owned(), json!(format!("bundled:socioscope/{file}.json"))))
            .into_iter()
            .collect()
    }

    fn open(&self, given: Json, console: Console) -> Result<Job, BenchmarkError> {
        let options = Options::deserialize(&given).map_err(|error| BenchmarkError::usage(error.to_string()))?;
        options.check()?;
        let (fixture_path, corpus_path) = match (&options.fixture, &options.corpus) {
            (Some(fixture), Some(corpus)) => (fixture, corpus),
            (fixture, _) => {
                let missing = match fixture {
                    Some(_) => "CORPUS is missing: the transcripts that the answers are about",
                    None => "FIXTURE and CORPUS are missing: questions with their answers, and transcripts",
                };
                return Err(
                    BenchmarkError::usage(missing).hint("probare socioscope questions.json corpus.json --out results")
                );
            }
        };
        let (questions, mut fixture_input) = read("fixture", fixture_path)?;
        let (texts, mut corpus_input) = read("corpus", corpus_path)?;
        let fixture = Fixture::read(&questions, &name(fixture_path)).map_err(|error| data_failure(&error))?;
        let corpus = Corpus::read(&texts, &name(corpus_path)).map_err(|error| data_failure(&error))?;
        let warnings = check_inputs(&fixture, &corpus)?;
        fixture_input.rows = Some(fixture.pairs.len() as u64);
        corpus_input.rows = Some(corpus.transcripts().len() as u64);
        let (fixture, corpus) = (Arc::new(fixture), Arc::new(corpus));

        let requests = options.requests(&fixture);
        let cases = AnswerSource::new(Arc::clone(&fixture), Arc::clone(&corpus), vec![fixture_input, corpus_input]);
        let mut job = Job::new(name(fixture_path), Box::new(cases), requests);
        job.title = Some("Socioscope: answers about interviews".to_owned());
        // The published means are over answers: limits hold for the number that is printed.
        job.means_over = MeansOver::Outputs;
        job.reads = vec![fixture_path.clone(), corpus_path.clone()];
        let mut wordnet = None;
        if let Some(folder) = &options.wordnet {
            wordnet = Some(Arc::new(WordNet::from_dir(folder).map_err(|error| BenchmarkError::from_error(&error))?));
            let files = files_in(folder)?;
            job.reads.extend(files.iter().map(|file| PathBuf::from(&file.path)));
            job.inputs.push(InputFile { option: Some("/wordnet".to_owned()), ..folder_input(&name(folder), &files) });
        }
        let texts = corpus.transcripts().iter().map(|transcript| (transcript.key.clone(), transcript.text.clone()));
        let transcripts = Arc::new(Transcripts::new(texts));
        job.rules = Arc::new(SocioscopePolicy {
            transcripts: Arc::clone(&transcripts),
            wordnet,
            readings: options.grading_settings(),
        });
        let publish = options.publish_options();
        job.writes = publish.names().iter().map(|name| publish.folder.join(name)).collect();
        job.writes.push(stamped(&publish.folder, &publish.stamp, publish.format.extension()));
        job.benchmark = Some(BenchmarkCall { id: self.id().to_owned(), options: given });
        job.publisher =
            Some(Box::new(SocioscopePublisher::new((fixture, corpus, transcripts), publish, console, warnings)));
        Ok(job)
    }
}

impl Options {
    fn check(&self) -> Result<(), BenchmarkError> {
        for (name, share) in [("fuzzy_threshold", self.fuzzy_threshold), ("rationale_weight", self.rationale_weight)] {
            if !(0.0..=1.0).contains(&share) {
                return Err(BenchmarkError::usage(format!(
                    "`{name}` is {share}; a number between 0 and 1 is expected"
                )));
            }
        }
        let is_plain = |character: char| character.is_ascii_alphanumeric() || matches!(character, '_' | '-');
        match &self.timestamp {
            Some(stamp) if stamp.is_empty() || !stamp.chars().all(is_plain) => Err(BenchmarkError::usage(format!(
                "`timestamp` is `{stamp}`; letters, digits, `_` and `-` are expected, as in 20240131_120000"
            ))),
            _ => Ok(()),
        }
    }

    fn settings(&self, profile: Profile) -> GradingOptions {
        GradingOptions {
            profile,
            strict_yes_no: self.strict_yes_no,
            fuzzy_threshold: self.fuzzy_threshold,
            rationale_weight: self.rationale_weight,
            ..GradingOptions::default()
        }
    }

    /// The published definition, and the improved one where it is asked for.
    fn grading_settings(&self) -> Vec<GradingOptions> {
        let improved = (self.profile == Profile::Improved).then(|| self.settings(Profile::Improved));
        [self.settings(Profile::Published)].into_iter().chain(improved).collect()
    }

    /// The metrics of the question types that there are, and the check of quotations; those of the improved definition beside
    /// them.
    fn requests(&self, fixture: &Fixture) -> Vec<MetricRequest> {
        let occurs = |kind: &QuestionType| fixture.pairs.iter().any(|pair| pair.kind == kind.name());
        let mut requests = Vec::new();
        for GradingOptions { profile, .. } in self.grading_settings() {
            let prefix = if profile == Profile::Improved { "improved " } else { "" };
            let mut add = |id: &str, options: Json| {
                let (name, id) = (format!("{prefix}{id}"), id.to_owned());
                requests.push(MetricRequest { name, id, options, profile: Some(profile), code: None });
            };
            for kind in QuestionType::ALL.into_iter().filter(occurs) {
                add(kind.metric(), self.metric_options(kind));
            }
            add("verbatim", Json::Null);
        }
        requests
    }

    fn metric_options(&self, kind: QuestionType) -> Json {
        match kind {
            QuestionType::YesNo => json!({"strict": self.strict_yes_no}),
            QuestionType::YesNoRationale => {
                json!({"strict": self.strict_yes_no, "answer_weight": self.rationale_weight})
            }
            _ => json!({"fuzzy_threshold": self.fuzzy_threshold}),
        }
    }

    fn publish_options(&self) -> PublishOptions {
        PublishOptions {
            folder: self.out.clone(),
            format: self.format,
            stamp: self.timestamp.clone().unwrap_or_else(|| Utc::from_system_time(SystemTime::now()).stamp()),
            plots: !self.no_plots,
            redact: self.redact,
            improved: self.profile == Profile::Improved,
            settings: self.settings(self.profile),
        }
    }
}

fn name(path: &Path) -> String {
    path.display().to_string()
}

/// A document that an option names.
fn read(option: &str, path: &Path) -> Result<(Vec<u8>, InputFile), BenchmarkError> {
    let opened =
        read_whole(&name(path), LARGEST_DOCUMENT).map_err(|error: CaseFileError| BenchmarkError::from_error(&error));
    opened.map(|(bytes, input)| (bytes, InputFile { option: Some(format!("/{option}")), ..input }))
}

/// All files of a folder.
fn files_in(folder: &Path) -> Result<Vec<InputFile>, BenchmarkError> {
    let failed = |error: std::io::Error| BenchmarkError::data(format!("cannot read `{}`: {error}", name(folder)));
    let mut files = Vec::new();
    for entry in folder.read_dir().map_err(failed)? {
        let path = entry.map_err(failed)?.path();
        if path.is_file() {
            files.push(read("wordnet", &path)?.1);
        }
    }
    Ok(files)
}

/// The error for a file. Where not some place in it is at fault but all of it, the two were most often exchanged.
fn data_failure(error: &DataError) -> BenchmarkError {
    let failure = BenchmarkError::from_error(error);
    if error.path.is_empty() {
        failure.hint("the questions and answers come first, the transcripts second")
    } else {
        failure
    }
}

/// The type that was perhaps meant, or all of them.
fn type_suggestion(kind: &str) -> String {
    let names = || QuestionType::ALL.iter().map(|known| known.name());
    let same = names().find(|name| name.eq_ignore_ascii_case(kind.trim()));
    match same.or_else(|| closest(kind, names())) {
        Some(name) => format!("; did you mean `{name}`?"),
        None => format!("; known are {}", names().collect::<Vec<_>>().join(", ")),
    }
}

/// Remarks about questions of unknown types and answers about unknown transcripts; an error where the metric of a
/// question cannot be used.
fn check_inputs(fixture: &Fixture, corpus: &Corpus) -> Result<Vec<String>, BenchmarkError> {
    let mut warnings = Vec::new();
    let file = &fixture.file;
    for pair in &fixture.pairs {
        match QuestionType::from_name(&pair.kind) {
            Some(kind) => {
                InterviewQuestion::weights_from_metric(kind, &pair.metric).map_err(|error| {
                    let path = format!("{}.question.metric", pair.path);
                    data_failure(&DataError { file: file.clone(), path, reason: error.to_string() })
                })?;
            }
            None => warnings.push(format!(
                "`{file}` at `{}.question.type`: unknown type `{}`; its answers are not scored{}",
                pair.path,
                pair.kind,
                type_suggestion(&pair.kind)
            )),
        }
        for (index, answer) in pair.answers.iter().enumerate() {
            if let Some(source) = answer.source.as_deref().filter(|source| corpus.index_of(source).is_none()) {
                let path = &pair.path;
                warnings.push(format!(
                    "`{file}` at `{path}.answers[{index}].source`: the corpus has no transcript `{source}`"
                ));
            }
        }
    }
    Ok(warnings)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_type_that_was_perhaps_meant_is_named() {
        assert_eq!(type_suggestion("yes/no"), "; did you mean `Yes/No`?");
        assert_eq!(type_suggestion("ListMnay"), "; did you mean `ListMany`?");
        assert!(type_suggestion("essay").starts_with("; known are Yes/No"), "{}", type_suggestion("essay"));
    }

    #[test]
    fn the_missing_one_is_named() {
        let error = |options: Json| Socioscope.open(options, Console::default()).map(|_| ()).unwrap_err().message;
        assert!(error(json!({"fixture": "f.json"})).starts_with("CORPUS is missing"));
        assert!(error(json!({})).starts_with("FIXTURE and CORPUS are missing"));
    }

    #[test]
    fn options_are_checked() {
        let open = |options: Json| Socioscope.open(options, Console::default()).map(|_| ()).unwrap_err();
        for options in [
            json!({"fuzzy_threshold": 85.0}),
            json!({"rationale_weight": -0.1}),
            json!({"timestamp": "../x"}),
            json!({"timestamp": ""}),
            json!({"unknown": 1}),
            json!({}),
        ] {
            assert!(open(options.clone()).is_usage, "{options}");
        }
    }
}
