//! `probare socioscope`: grades answers about interview transcripts and checks their quotations.

use std::fs;
use std::io::{self, Read as _};
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::thread::available_parallelism;
use std::time::{SystemTime, UNIX_EPOCH};

use clap::ValueEnum;
use probare_core::Profile;
use probare_metrics::interviews::Settings;
use probare_metrics::interviews::quotations::{Existence, Finding, Source, Text, check, place};
use probare_report::escape;
use probare_suites::socioscope::input::{Corpus, DataError, Fixture};
use probare_suites::socioscope::output::{
    answers_csv, chart, citation_json, results, stamped, summary_csv, terminal, write_new,
};
use probare_suites::socioscope::page::{Shown, page};
use probare_suites::socioscope::{Evaluation, Options, Redaction, Summary, evaluate};
use probare_text::wordnet::WordNet;
use serde_json::{Value as Json, json};

use super::score::profile;
use super::text::{NormaliseArguments, SynonymArguments, normalise, synonyms};
use super::{print, remark};
use crate::failure::{Done, Failure};
use probare_runner::Exit;

/// Grade answers about interview transcripts and check their quotations.
///
/// Without a command, FIXTURE and CORPUS are evaluated. Exit codes of this verb: 0 done, whatever the scores; 1 data
/// that cannot be used; 64 a wrong command line.
#[derive(Debug, clap::Args)]
#[command(args_conflicts_with_subcommands = true)]
pub struct Arguments {
    #[command(subcommand)]
    command: Option<Command>,

    #[command(flatten)]
    evaluate: Option<EvaluateArguments>,
}

#[derive(Debug, clap::Subcommand)]
enum Command {
    /// Grade the answers of FIXTURE against the transcripts of CORPUS
    Evaluate(EvaluateArguments),
    /// Check citations against their context: JSON in, JSON out
    Verbatim(VerbatimArguments),
    /// Print the synonyms of a word
    Synonyms(SynonymArguments),
    /// Print the form in which answers are compared
    Normalise(NormaliseArguments),
}

#[derive(Debug, Clone, clap::Args)]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag of the command line")]
struct EvaluateArguments {
    /// Questions and answers, JSON
    fixture: PathBuf,

    /// Transcripts, JSON
    corpus: PathBuf,

    /// Folder for the results; made if needed
    #[arg(long, value_name = "DIR", default_value = ".", env = "PROBARE_OUT")]
    out: PathBuf,

    /// Format of the results file
    #[arg(long, value_enum, default_value_t = ResultFormat::Json)]
    format: ResultFormat,

    /// Write no charts
    #[arg(long)]
    no_plots: bool,

    /// Compare yes and no letter by letter, case aside
    #[arg(long)]
    strict_yes_no: bool,

    /// Least similarity of a near spelling
    #[arg(long, value_name = "SHARE", default_value_t = 0.85, value_parser = share)]
    fuzzy_threshold: f64,

    /// Share of the score that the yes or no carries where reasons count too
    #[arg(long, value_name = "SHARE", default_value_t = 0.5, value_parser = share)]
    rationale_weight: f64,

    /// Folder with the files of another WordNet
    #[arg(long, value_name = "DIR", env = "PROBARE_WORDNET")]
    wordnet: Option<PathBuf>,

    /// Time in the name of the results file, in place of now (UTC, `20240131_120000`)
    #[arg(long, value_name = "T", value_parser = stamp)]
    timestamp: Option<String>,

    /// Threads
    #[arg(short, long, value_name = "N", env = "PROBARE_JOBS")]
    jobs: Option<NonZeroUsize>,

    /// Which reading: reference (the published numbers), or careful (ours beside them)
    #[arg(long, value_name = "PROFILE", value_parser = profile, default_value = "reference", env = "PROBARE_PROFILE")]
    profile: Profile,

    /// Replace names and long passages in results and report by their positions
    #[arg(long)]
    redact: bool,

    /// Print nothing but warnings
    #[arg(short, long, env = "PROBARE_QUIET")]
    quiet: bool,

    /// Print the summary as JSON instead of a table
    #[arg(long, env = "PROBARE_JSON")]
    json: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum ResultFormat {
    /// Everything that was found
    Json,
    /// One row per answer
    Csv,
}

#[derive(Debug, clap::Args)]
struct VerbatimArguments {
    /// File with `{"context": […], "citations": […]}`: one object, a list, or one per line; `-` for standard input
    #[arg(default_value = "-")]
    file: PathBuf,
}

/// Reads a number between 0 and 1.
fn share(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(number) if (0.0..=1.0).contains(&number) => Ok(number),
        _ => Err("a number between 0 and 1 is expected".to_owned()),
    }
}

/// Reads what may stand in a file name.
fn stamp(text: &str) -> Result<String, String> {
    let is_plain = |character: char| character.is_ascii_alphanumeric() || matches!(character, '_' | '-');
    if !text.is_empty() && text.chars().all(is_plain) {
        Ok(text.to_owned())
    } else {
        Err("letters, digits, `_` and `-` are expected, as in 20240131_120000".to_owned())
    }
}

/// Runs the verb.
pub fn run(arguments: &Arguments) -> Done {
    match (&arguments.command, &arguments.evaluate) {
        (Some(Command::Evaluate(evaluate)), _) | (None, Some(evaluate)) => run_evaluate(evaluate),
        (Some(Command::Verbatim(verbatim)), _) => run_verbatim(verbatim),
        (Some(Command::Synonyms(arguments)), _) => synonyms(arguments),
        (Some(Command::Normalise(arguments)), _) => normalise(arguments),
        (None, None) => Err(Failure::usage("FIXTURE and CORPUS are missing")
            .hint("probare socioscope questions.json corpus.json --out results")),
    }
}

fn read(path: &Path) -> Result<Vec<u8>, Failure> {
    fs::read(path).map_err(|error| Failure::file("read", &path.display().to_string(), &error))
}

fn run_evaluate(arguments: &EvaluateArguments) -> Done {
    let name = |path: &Path| path.display().to_string();
    let hinted = |error: DataError| {
        let failure = Failure::from_error(&error);
        // Not a fault in some place of the file, but another file altogether: most often the two were exchanged.
        let is_whole = error.path.is_empty();
        if is_whole { failure.hint("the questions and answers come first, the transcripts second") } else { failure }
    };
    let fixture = Fixture::read(&read(&arguments.fixture)?, &name(&arguments.fixture)).map_err(hinted)?;
    let corpus = Corpus::read(&read(&arguments.corpus)?, &name(&arguments.corpus)).map_err(hinted)?;
    let other = match &arguments.wordnet {
        Some(folder) => Some(WordNet::from_dir(folder).map_err(|error| Failure::from_error(&error))?),
        None => None,
    };
    let settings = Settings {
        profile: arguments.profile,
        strict_yes_no: arguments.strict_yes_no,
        fuzzy_threshold: arguments.fuzzy_threshold,
        rationale_weight: arguments.rationale_weight,
        ..Settings::default()
    };
    let jobs = arguments.jobs.or_else(|| available_parallelism().ok()).map_or(1, NonZeroUsize::get);
    let options = Options { settings, wordnet: other.as_ref().unwrap_or(WordNet::embedded()), jobs };
    let evaluation = evaluate(&fixture, &corpus, options).map_err(|error| Failure::from_error(&error))?;
    for warning in evaluation.warnings() {
        remark(&format!("warning: {}", escape::terminal(warning)));
    }
    let summary = Summary::new(&fixture, &evaluation);
    let careful = (arguments.profile == Profile::Careful).then(|| Summary::careful(&fixture, &evaluation));
    write(arguments, settings, (&fixture, &corpus, &evaluation), (&summary, careful.as_ref()))?;
    if arguments.quiet {
        return Ok(Exit::Fine);
    }
    if arguments.json {
        let mut means = summary.to_json();
        if let (Some(careful), Json::Object(means)) = (&careful, &mut means) {
            means.insert("careful".into(), careful.to_json());
        }
        return print(&format!("{means}\n"));
    }
    print(&terminal(&summary, careful.as_ref()))
}

/// Writes all files of a run and says where they are.
fn write(
    arguments: &EvaluateArguments,
    settings: Settings,
    (fixture, corpus, evaluation): (&Fixture, &Corpus, &Evaluation),
    (summary, careful): (&Summary, Option<&Summary>),
) -> Result<(), Failure> {
    let folder = &arguments.out;
    let redaction = arguments.redact.then(|| Redaction::new(corpus));
    let stamp = arguments.timestamp.clone().unwrap_or_else(|| utc(SystemTime::now()));
    let (extension, content) = match arguments.format {
        ResultFormat::Json => {
            let json = results(fixture, evaluation, settings, (summary, careful), redaction.as_ref());
            let text = serde_json::to_string_pretty(&json).unwrap_or_else(|_| json.to_string());
            ("json", text + "\n")
        }
        ResultFormat::Csv => ("csv", answers_csv(fixture, evaluation)),
    };
    let mut files = vec![
        (stamped(folder, &stamp, extension), content),
        (folder.join("summary.csv"), summary_csv(summary, careful)),
        (
            folder.join("report.html"),
            page(Shown { fixture, corpus, evaluation, summary, careful, redaction: redaction.as_ref() }),
        ),
    ];
    if !arguments.no_plots {
        let mut plot = |name: &str, groups, title, unit| files.push((folder.join(name), chart(groups, title, unit)));
        plot("transcript_scores.svg", &summary.transcripts, "Mean score per transcript", "mean score");
        plot(
            "verbatim_scores.svg",
            &summary.verbatim_transcripts,
            "Exact quotations per transcript",
            "share of quotations",
        );
        if let Some(careful) = careful {
            let title = "Mean score per transcript, careful reading";
            plot("careful_transcript_scores.svg", &careful.transcripts, title, "mean score");
        }
    }
    for (path, content) in files {
        let name = path.display().to_string();
        let written = write_new(path, &content).map_err(|error| Failure::file("write", &name, &error))?;
        if !arguments.quiet {
            remark(&format!("wrote {}", escape::terminal(&written.display().to_string())));
        }
    }
    Ok(())
}

/// `20240131_120000` for a time in UTC. The calendar is that of Howard Hinnant's `civil_from_days`.
fn utc(time: SystemTime) -> String {
    let seconds = time.duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs());
    let (days, rest) = (seconds / 86_400, seconds % 86_400);
    let shifted = days + 719_468;
    let (era, day_of_era) = (shifted / 146_097, shifted % 146_097);
    let year_of_era = (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month_from_march = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * month_from_march + 2) / 5 + 1;
    let month = if month_from_march < 10 { month_from_march + 3 } else { month_from_march - 9 };
    let year = year_of_era + era * 400 + u64::from(month <= 2);
    format!("{year:04}{month:02}{day:02}_{:02}{:02}{:02}", rest / 3_600, rest % 3_600 / 60, rest % 60)
}

fn run_verbatim(arguments: &VerbatimArguments) -> Done {
    let is_standard_input = arguments.file.as_os_str() == "-";
    let name = if is_standard_input { "standard input".to_owned() } else { arguments.file.display().to_string() };
    let mut bytes = Vec::new();
    let read = if is_standard_input {
        io::stdin().lock().read_to_end(&mut bytes).map(|_| ())
    } else {
        fs::read(&arguments.file).map(|found| bytes = found)
    };
    read.map_err(|error| Failure::file("read", &name, &error))?;
    let mut output = String::new();
    let mut number = 0;
    for value in serde_json::Deserializer::from_slice(&bytes).into_iter::<Json>() {
        let value = value.map_err(|error| Failure::new(format!("`{name}`: is no valid JSON: {error}")))?;
        let rows = match value {
            Json::Array(rows) => rows,
            row => vec![row],
        };
        for row in &rows {
            number += 1;
            let checked = verbatim(row).map_err(|reason| {
                Failure::new(format!("`{name}`: object {number} {reason}")).hint(
                    "each object has `context`, a list of passages, and `citations`, a list of {source_index, quote}",
                )
            })?;
            output.push_str(&checked.to_string());
            output.push('\n');
        }
    }
    if output.is_empty() {
        return Err(Failure::new(format!("`{name}`: holds nothing to check")));
    }
    print(&output)
}

/// Checks the citations of one object.
fn verbatim(row: &Json) -> Result<Json, String> {
    let list = |name: &str| {
        let found = row.get(name).ok_or_else(|| format!("has no `{name}`"))?;
        found.as_array().ok_or_else(|| format!("has a `{name}` that is no list"))
    };
    let (context, citations) = (list("context")?, list("citations")?);
    let content = |item: &'_ Json| {
        let text = item.get("page_content").or_else(|| item.get("text")).unwrap_or(item);
        text.as_str().unwrap_or_default().to_owned()
    };
    let contents: Vec<String> = context.iter().map(content).collect();
    let texts: Vec<Text<'_>> = contents.iter().map(|content| Text::new(content)).collect();
    let sources: Vec<Source<'_>> = texts.iter().map(Source::new).collect();
    let missing = Json::Null;
    let findings: Vec<Finding> = citations
        .iter()
        .map(|citation| {
            let place = place(citation.get("source_index").unwrap_or(&missing), sources.len());
            let quote = citation.get("quote").unwrap_or(&missing);
            check(quote, place.map(|place| &sources[place]), place, &sources)
        })
        .collect();
    let existence = Existence::of(&findings);
    let mut checked = serde_json::Map::new();
    if let Some(id) = row.get("id") {
        checked.insert("id".into(), id.clone());
    }
    let checks: Vec<u8> = findings.iter().map(|finding| u8::from(finding.status.name() == "exact")).collect();
    checked.insert("checks".into(), json!(checks));
    checked.insert("details".into(), findings.iter().map(citation_json).collect::<Vec<_>>().into());
    checked.insert("existence_score".into(), json!(existence.score()));
    checked.insert("existence_score_normalised".into(), json!(existence.score_normalised()));
    Ok(checked.into())
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn times_are_written_in_utc() {
        for (seconds, expected) in
            [(0, "19700101_000000"), (951_782_400, "20000229_000000"), (1_735_689_599, "20241231_235959")]
        {
            assert_eq!(utc(UNIX_EPOCH + Duration::from_secs(seconds)), expected);
        }
    }

    #[test]
    fn options_are_checked() {
        assert!(share("1.5").is_err() && share("x").is_err() && share("NaN").is_err());
        assert_eq!(share("0.9"), Ok(0.9));
        assert!(stamp("../x").is_err() && stamp("").is_err());
        assert!(stamp("20240131_120000").is_ok());
    }

    #[test]
    fn citations_are_checked_object_by_object() {
        let row = json!({"id": 7, "context": [{"page_content": "We grow mussels"}, "and kelp", {"metadata": {}}],
            "citations": [{"source_index": 0, "quote": "grow"}, {"source_index": 1, "quote": "Kelp"}, {"source_index": 2, "quote": "x"}]});
        let checked = verbatim(&row).unwrap();
        assert_eq!(checked["checks"], json!([1, 0, 0]));
        assert_eq!(checked["details"][1]["status"], "normalised");
        assert_eq!(checked["details"][2]["status"], "missing_content");
        assert_eq!(checked["id"], 7);
        assert!(verbatim(&json!({"context": []})).is_err());
    }
}
