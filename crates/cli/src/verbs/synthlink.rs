//! `probare synthlink`: scores the predictions of deep-search systems against a catalogue.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use clap::ValueEnum;
use probare_core::{Profile, Sink};
use probare_report::{Format, Html, Options, Output, escape};
use probare_suites::synthlink::careful::careful_scores;
use probare_suites::synthlink::catalogue::CatalogueError;
use probare_suites::synthlink::comparison::{self, System};
use probare_suites::synthlink::predictions::PredictionError;
use probare_suites::synthlink::{
    DEFAULT_SEED, MEASURES, Missing, Scorer, Scores, Summary, Weights, catalogue, files, predictions, report,
};
use serde_json::{Value as Json, json};

use super::score::profile;
use super::{print, remark};
use crate::failure::{Done, Failure};
use probare_runner::Exit;

/// Score the predictions of deep-search systems against a SynthLink catalogue.
///
/// Writes synthlink_scores.csv, synthlink_category_scores.csv, synthlink_overall_score.txt and synthlink_intervals.csv into
/// the output folder. Several files of predictions get a folder each and are compared pair by pair.
#[expect(clippy::doc_markdown, reason = "these lines are the help text, which is printed as it is")]
#[derive(Debug, clap::Args)]
pub struct Arguments {
    /// Predictions, a JSON array (repeatable)
    #[arg(long, value_name = "FILE", num_args = 1.., default_value = "predictions.json", env = "PROBARE_PREDICTIONS")]
    predictions: Vec<PathBuf>,

    /// Folder for the results; made if needed
    #[arg(long, value_name = "DIR", default_value = ".", env = "PROBARE_OUTPUT_DIR")]
    output_dir: PathBuf,

    /// Catalogue: a folder with files SynthLink_*.md, or a file (.md .jsonl .json .csv .tsv .parquet)
    #[arg(long, value_name = "DIR", default_value = ".", env = "PROBARE_CATALOG")]
    catalog: PathBuf,

    /// What to do with questions that have no prediction
    #[arg(long, value_enum, default_value_t = WhenMissing::Skip, env = "PROBARE_MISSING")]
    missing: WhenMissing,

    /// Weights of the aggregate that differ from f1=0.3,p_at_5=0.2,rqs=0.3,fcs=0.1,ie=0.1; together they sum to 1
    #[arg(long, value_name = "NAME=NUMBER,…", value_parser = weights, env = "PROBARE_WEIGHTS")]
    weights: Option<Weights>,

    /// Which reading: reference (the published numbers), or careful (ours beside them)
    #[arg(long, value_name = "PROFILE", value_parser = profile, default_value = "reference", env = "PROBARE_PROFILE")]
    profile: Profile,

    /// Report with the evidence of every question; its extension says what is written (repeatable)
    #[arg(short, long = "output", value_name = "OUT", env = "PROBARE_OUTPUT")]
    output: Vec<PathBuf>,

    /// Seed of the intervals and tests
    #[arg(long, value_name = "N", default_value_t = DEFAULT_SEED, env = "PROBARE_SEED")]
    seed: u64,

    /// Print nothing but warnings
    #[arg(short, long, env = "PROBARE_QUIET")]
    quiet: bool,

    /// Print JSON instead of tables
    #[arg(long, env = "PROBARE_JSON")]
    json: bool,
}

/// What to do with questions that have no prediction.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum WhenMissing {
    /// Means cover the answered questions
    Skip,
    /// They count as zero, which is the fair way to compare systems
    Zero,
}

/// Reads `f1=0.4,p_at_5=0.1`.
fn weights(text: &str) -> Result<Weights, String> {
    let mut list = Weights::default().list();
    for pair in text.split(',') {
        let (name, number) = pair.split_once('=').ok_or_else(|| format!("`{pair}` is not of the form NAME=NUMBER"))?;
        let place = MEASURES
            .iter()
            .position(|measure| *measure == name.trim())
            .ok_or_else(|| format!("unknown measure `{}`; known are {}", name.trim(), MEASURES.join(", ")))?;
        list[place] = number.trim().parse().map_err(|_| format!("`{}` is no number", number.trim()))?;
    }
    Weights::from(list).check()
}

/// A file of predictions with all that was computed from it.
struct Scored {
    name: String,
    scores: Scores,
    summary: Summary,
    careful: Option<(Scores, Summary)>,
    written: Vec<PathBuf>,
}

/// Runs the verb.
pub fn run(arguments: &Arguments) -> Done {
    let systems = arguments.predictions.len();
    if systems > 1 && !arguments.output.is_empty() {
        return Err(Failure::usage("a report (-o) is made of one file of predictions"));
    }
    for output in &arguments.output {
        Format::of_path(output)?;
    }
    if arguments.output_dir.is_file() {
        let name = arguments.output_dir.display();
        return Err(Failure::new(format!("cannot write into `{name}`: it is a file"))
            .hint("--output-dir names a folder; it is made if needed"));
    }
    let catalogue =
        catalogue::load(&arguments.catalog).map_err(|error| unusable_catalogue(&error, &arguments.catalog))?;
    let mut scorer = Scorer::new(&catalogue, arguments.weights.unwrap_or_default());
    let mut scored = Vec::with_capacity(systems);
    for (path, name) in arguments.predictions.iter().zip(names(&arguments.predictions)) {
        let folder = if systems > 1 { arguments.output_dir.join(&name) } else { arguments.output_dir.clone() };
        scored.push(score(arguments, &mut scorer, path, name, &folder)?);
    }
    let mut written: Vec<PathBuf> = scored.iter().flat_map(|system| system.written.iter().cloned()).collect();
    let mut differences = String::new();
    if systems > 1 {
        let (text, path) = compared(arguments, &scored)?;
        differences = text;
        written.push(path);
    }
    if arguments.quiet {
        return Ok(Exit::Fine);
    }
    if arguments.json {
        let list: Vec<Json> = scored.iter().map(as_json).collect();
        print(&format!("{}\n", Json::Array(list)))?;
    } else {
        let texts: Vec<String> = scored.iter().map(|system| text(system, systems > 1)).collect();
        print(&(texts.join("\n") + &differences))?;
    }
    for path in written {
        remark(&format!("wrote {}", escape::terminal(&path.display().to_string())));
    }
    Ok(Exit::Fine)
}

/// Names for tables and folders: the names of the files, numbered where two are the same.
fn names(paths: &[PathBuf]) -> Vec<String> {
    let stem = |path: &Path| path.file_stem().unwrap_or(OsStr::new("predictions")).to_string_lossy().into_owned();
    let mut names: Vec<String> = Vec::new();
    for path in paths {
        let plain = stem(path);
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

fn score(
    arguments: &Arguments,
    scorer: &mut Scorer<'_>,
    path: &Path,
    name: String,
    folder: &Path,
) -> Result<Scored, Failure> {
    let (catalogue, weights) = (scorer.catalogue(), arguments.weights.unwrap_or_default());
    let missing = if arguments.missing == WhenMissing::Zero { Missing::Zero } else { Missing::Skip };
    // The careful reading and reports need the texts again; without them a file of any length passes through.
    let needs_texts = arguments.profile == Profile::Careful || !arguments.output.is_empty();
    let bytes = needs_texts.then(|| predictions::read(path)).transpose().map_err(|error| unusable(&error))?;
    let source = path.display().to_string();
    let parsed = bytes.as_deref().map(|bytes| predictions::parse(bytes, &source)).transpose();
    let found = parsed.map_err(|error| unusable(&error))?.unwrap_or_default();
    let scores = if needs_texts {
        scorer.score(&found, missing)
    } else {
        scorer.score_file(path, missing).map_err(|error| unusable(&error))?
    };
    for warning in &scores.warnings {
        remark(&escape::terminal(warning));
    }
    let summary = Summary::new(catalogue, &scores, arguments.seed);
    if summary.overall.answered == 0 {
        remark(&escape::terminal(&format!("`{source}` answers no question of the catalogue")));
    }
    let mut written = files::write(folder, "", catalogue, &scores, &summary).map_err(cannot_write)?;
    let careful = if arguments.profile == Profile::Careful {
        let scores =
            careful_scores(catalogue, &found, &scores, weights).map_err(|error| Failure::from_error(&error))?;
        let summary = Summary::new(catalogue, &scores, arguments.seed);
        written.extend(files::write(folder, "careful_", catalogue, &scores, &summary).map_err(cannot_write)?);
        Some((scores, summary))
    } else {
        None
    };
    for output in &arguments.output {
        let (format, compression) = Format::of_path(output)?;
        let file = Output::to_file(output, compression).map_err(cannot_write)?;
        let options = Options { title: Some(format!("SynthLink: {name}")), ..Options::default() };
        let section = report::section(&summary, careful.as_ref().map(|(_, summary)| summary));
        let mut sink: Box<dyn Sink> = match format {
            Format::Html => Box::new(Html::new(file, options).with_section(section)),
            other => other.sink(file, options),
        };
        report::emit(sink.as_mut(), &source, (catalogue, &found, &scores), weights, arguments.profile)
            .map_err(cannot_write)?;
        written.push(output.clone());
    }
    Ok(Scored { name, scores, summary, careful, written })
}

/// The failure for a file that could not be written; the error names it.
#[expect(clippy::needless_pass_by_value, reason = "it is what `map_err` hands over")]
fn cannot_write(error: std::io::Error) -> Failure {
    Failure::from_error(&error)
}

/// The failure for a catalogue, with what to do.
fn unusable_catalogue(error: &CatalogueError, path: &Path) -> Failure {
    let hint = match error {
        CatalogueError::Row { .. } => {
            format!("`probare validate {} --as catalogue` shows all that is wrong", path.display())
        }
        CatalogueError::Empty { .. } => format!("{}; name another place with --catalog", catalogue::expected(path)),
        CatalogueError::UnknownFormat { .. } => {
            "rename it, or name a folder with files SynthLink_*.md with --catalog".to_owned()
        }
        _ => "--catalog names a folder with files SynthLink_*.md, or a file of questions (.md .jsonl .json .csv .tsv \
              .parquet)"
            .to_owned(),
    };
    Failure::from_error(error).hint(hint)
}

/// The failure for a file of predictions, with what to do where the message does not name one wrong value.
fn unusable(error: &PredictionError) -> Failure {
    let failure = Failure::from_error(error);
    match error {
        PredictionError::Shape { path, .. } if path.starts_with('[') => failure,
        _ => failure.hint(
            "--predictions names a file with one JSON array: [{\"question_id\": \"…\", \"predicted_answer\": \"…\"}, …]",
        ),
    }
}

/// Writes the differences of all pairs of systems, and returns them as text with the file.
fn compared(arguments: &Arguments, scored: &[Scored]) -> Result<(String, PathBuf), Failure> {
    let systems: Vec<System<'_>> =
        scored.iter().map(|system| System { name: &system.name, scores: &system.scores }).collect();
    let differences = comparison::differences(&systems, arguments.seed);
    let path = arguments.output_dir.join(comparison::COMPARISON);
    files::write_file(&path, &comparison::csv(&differences)).map_err(cannot_write)?;
    Ok((format!("\n{}", comparison::terminal(&differences)), path))
}

fn text(system: &Scored, named: bool) -> String {
    let mut text = if named { format!("{}\n\n", escape::terminal(&system.name)) } else { String::new() };
    text.push_str(&files::terminal(&system.summary));
    if let Some((_, careful)) = &system.careful {
        text.push_str("\nCareful reading:\n");
        text.push_str(&files::terminal(careful));
    }
    text
}

fn as_json(system: &Scored) -> Json {
    let reading = |summary: &Summary| {
        let group = |group: &probare_suites::synthlink::Group| {
            let measures: serde_json::Map<String, Json> = files::COLUMNS
                .iter()
                .zip(group.means)
                .zip(group.intervals)
                .map(|((name, mean), interval)| ((*name).to_owned(), json!({"mean": mean, "interval": interval})))
                .collect();
            json!({
                "category": group.category,
                "rows": group.rows,
                "answered": group.answered,
                "total": group.total,
                "measures": measures,
            })
        };
        json!({
            "overall": group(&summary.overall),
            "categories": summary.categories.iter().map(group).collect::<Vec<_>>(),
        })
    };
    json!({
        "name": system.name,
        "reference": reading(&system.summary),
        "careful": system.careful.as_ref().map(|(_, summary)| reading(summary)),
        "warnings": system.scores.warnings,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn weights_are_named_and_sum_to_one() {
        assert_eq!(weights("f1=0.4, ie=0").map(Weights::list), Ok([0.4, 0.2, 0.3, 0.1, 0.0]));
        assert!(weights("f1=0.5").unwrap_err().contains("sum to 1"));
        assert!(weights("f2=0.3").unwrap_err().contains("unknown measure `f2`"));
        assert!(weights("f1").unwrap_err().contains("NAME=NUMBER"));
        assert!(weights("f1=x").unwrap_err().contains("no number"));
    }

    #[test]
    fn files_of_the_same_name_get_numbers() {
        let paths = ["a/p.json", "b/p.json", "c/q.json"].map(PathBuf::from);
        assert_eq!(names(&paths), ["p", "p-2", "q"]);
    }
}
