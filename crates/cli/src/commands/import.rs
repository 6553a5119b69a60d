//! `probare import`: files of other tools as cases.

use std::path::{Path, PathBuf};

use probare_analysis::{
    ImportRequest, ImportSummary, TranslateOptions, import_file, is_promptfoo_configuration, translate,
};
use probare_engine::Exit;
use probare_formats::{Grouping, ImportFormat};
use probare_report::number::count_with_noun;

use super::export::exchange_failure;
use super::remark;
use super::run::describe_translation;
use crate::failure::{CommandResult, Failure};

/// Turn a file of another tool into cases, or a configuration of promptfoo into one of ours: promptfoo, Inspect, lm-eval,
/// OpenAI Evals, DeepEval, Ragas, LangSmith, Langfuse, Every Eval Ever, chats, traces of OpenTelemetry.
///
/// The format is detected from the content. The other tool's own scores are kept in `metadata.scores` of each case;
/// --results writes them as results, which `probare compare` and `probare show` read. See docs/exchange.md for what is lost.
#[derive(Debug, clap::Args)]
#[command(after_help = AFTER_HELP)]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag of its own")]
pub struct Arguments {
    /// The file; - is standard input. Several files are read as one: an eval of OpenAI, its runs and its samples
    #[arg(value_name = "FILE", required = true)]
    files: Vec<String>,

    /// File of cases to write, as JSON lines; standard output by default. With OUT.yaml a configuration with the metrics, models
    /// and prompts of the file, its cases beside it
    #[arg(short, long = "output", value_name = "OUT.jsonl", value_parser = output_name)]
    output: Option<PathBuf>,

    /// Write nothing, and list what would be lost
    #[arg(long)]
    dry_run: bool,

    /// Write the other tool's scores as a results file: .jsonl .json .csv .parquet .md .html .xml (repeatable)
    #[arg(long, value_name = "OUT", requires = "output")]
    results: Vec<PathBuf>,

    /// Format of the file, if it cannot be detected: promptfoo, inspect, lm-eval, openai-evals, openai-platform,
    /// deepeval, ragas, langsmith, langfuse, every-eval-ever, chat or otlp
    #[arg(long, value_name = "TOOL")]
    from: Option<ImportFormat>,

    /// Who decides `llm-rubric` and the like of a configuration of promptfoo; several make a panel
    #[arg(long = "judge", value_name = "MODEL")]
    judges: Vec<String>,

    /// Model whose vectors decide `similar` of a configuration of promptfoo: all-MiniLM-L6-v2 or provider:model
    #[arg(long, value_name = "MODEL")]
    embedding: Option<String>,

    /// Take over the code of a configuration of promptfoo: the configuration that is written runs it, with your rights
    #[arg(long)]
    allow_code: bool,

    /// What one case of a file of traces is: trace (the default) or conversation
    #[arg(long, value_name = "WHAT")]
    group: Option<Grouping>,

    /// List everything in a file of traces that could not be used
    #[arg(short, long, conflicts_with = "quiet")]
    verbose: bool,

    /// Print only errors
    #[arg(short, long)]
    quiet: bool,
}

const AFTER_HELP: &str = "Examples:
  probare import log.eval -o cases.jsonl
  probare import promptfooconfig.yaml -o probare.yaml && probare run probare.yaml
  probare score cases.jsonl -m token_f1 -o ours.jsonl
  probare import results.json -o cases.jsonl --results theirs.jsonl
  probare import eval.json run.json output_items.jsonl -o probare.yaml
  probare import conversations.jsonl | probare score - -m topic_pivot
  probare import traces.jsonl --group conversation --verbose -o cases.jsonl";

/// A file of JSON lines or of YAML, by its name.
fn output_name(text: &str) -> Result<PathBuf, String> {
    let name = text.strip_suffix(".gz").or_else(|| text.strip_suffix(".zst")).unwrap_or(text);
    if name.strip_suffix(".jsonl").is_some() || is_configuration(Path::new(text)) {
        return Ok(text.into());
    }
    Err("cases are written as JSON lines: the name ends in .jsonl, .jsonl.gz or .jsonl.zst; a configuration ends in .yaml".to_owned())
}

/// Whether a file is a configuration, by its name.
fn is_configuration(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension == "yaml" || extension == "yml")
}

/// Writes a configuration of promptfoo as one of ours, with its cases.
fn import_promptfoo_configuration(arguments: &Arguments, file: &Path, config: Option<&Path>) -> CommandResult {
    if config.is_none() && !arguments.dry_run {
        let reason = format!("`{}` is a configuration of promptfoo, not a file of cases", file.display());
        let hint = "-o probare.yaml writes it as one of ours; `probare run` takes it as it is";
        return Err(Failure::usage(reason).hint(hint));
    }
    if !arguments.results.is_empty() {
        return Err(Failure::usage(
            "a configuration of promptfoo has no results; --results is for files that do".to_owned(),
        ));
    }
    let config = config.filter(|_| !arguments.dry_run);
    let options = TranslateOptions {
        judges: arguments.judges.clone(),
        allow_code: arguments.allow_code,
        embedding: arguments.embedding.clone(),
    };
    let translation = translate(file, config, &options).map_err(exchange_failure)?;
    if arguments.quiet {
        return Ok(Exit::Fine);
    }
    describe_translation(&translation);
    if !translation.derived.is_empty() {
        remark("note: derived metrics are computed where the configuration of promptfoo itself is run");
    }
    let Some(config) = config else {
        remark("nothing was written");
        return Ok(Exit::Fine);
    };
    for path in &translation.written {
        remark(&format!("wrote {}", path.display()));
    }
    remark(&format!("next: probare run {}", config.display()));
    Ok(Exit::Fine)
}

/// Says what a file held, and what of it is lost.
fn describe_import(arguments: &Arguments, made: &ImportSummary) {
    for note in &made.notes {
        remark(&format!("note: {note}"));
    }
    for (name, reason) in &made.not_run {
        remark(&format!("warning: `{name}` cannot be run here and counts as not_run, which is no pass: {reason}"));
    }
    if arguments.dry_run {
        for lost in made.format.losses() {
            remark(&format!("lost: {lost}"));
        }
    }
    if arguments.verbose {
        for lost in &made.lost {
            remark(&format!("lost: {lost}"));
        }
    }
    if arguments.quiet {
        return;
    }
    let mut text = format!("{}: {}", made.format, count_with_noun(made.cases, "case", "cases"));
    if made.answered < made.cases {
        text.push_str(&format!(", {} without a response", made.cases - made.answered));
    }
    if !made.scores.is_empty() {
        text.push_str(&format!("; its scores: {}", made.scores.join(", ")));
    }
    remark(&text);
}

/// Runs the command.
pub fn run(arguments: &Arguments) -> CommandResult {
    let configuration = arguments.output.as_deref().filter(|path| is_configuration(path));
    let cases = match configuration {
        Some(path) => Some(path.with_extension("cases.jsonl")),
        None => arguments.output.clone(),
    };
    let (file, more) = arguments.files.split_first().map(|(file, more)| (file.as_str(), more)).unwrap_or_default();
    if arguments.from.is_none() && more.is_empty() && is_promptfoo_configuration(Path::new(file)) {
        return import_promptfoo_configuration(arguments, Path::new(file), configuration);
    }
    if !arguments.judges.is_empty() {
        let hint = "`probare score` and `probare run` take --judge";
        return Err(Failure::usage("--judge is for configurations of promptfoo".to_owned()).hint(hint));
    }
    let flags = [("--allow-code", arguments.allow_code), ("--embedding", arguments.embedding.is_some())];
    if let Some((flag, _)) = flags.into_iter().find(|(_, is_given)| *is_given) {
        let hint = "this file is not a configuration of promptfoo";
        return Err(Failure::usage(format!("{flag} is for configurations of promptfoo")).hint(hint));
    }
    let asked = ImportRequest {
        file,
        more,
        from: arguments.from,
        group: arguments.group,
        cases: cases.as_deref(),
        configuration,
        dry_run: arguments.dry_run,
        results: arguments.results.clone(),
    };
    let made = import_file(&asked).map_err(exchange_failure)?;
    describe_import(arguments, &made);
    if arguments.quiet {
        return Ok(Exit::Fine);
    }
    if arguments.dry_run {
        remark("nothing was written");
        return Ok(Exit::Fine);
    }
    for path in configuration.into_iter().chain(cases.as_deref()).chain(arguments.results.iter().map(PathBuf::as_path))
    {
        remark(&format!("wrote {}", path.display()));
    }
    if let Some(path) = configuration {
        let command = if made.answered == made.cases { "score -c" } else { "run" };
        remark(&format!("next: probare {command} {}", path.display()));
    }
    Ok(Exit::Fine)
}
