//! `probare import`: files of other tools as cases.

use std::path::{Path, PathBuf};

use probare_analysis::{ImportRequest, import_file, is_promptfoo_configuration, translate};
use probare_engine::Exit;
use probare_formats::{Grouping, ImportFormat};
use probare_report::number::count_with_noun;

use super::export::exchange_failure;
use super::remark;
use super::run::describe_translation;
use crate::failure::{CommandResult, Failure};

/// Turn a file of another tool into cases, or a configuration of promptfoo into one of ours: promptfoo, Inspect, lm-eval, OpenAI evals, chats, traces of OpenTelemetry.
///
/// The format is detected from the content. The other tool's own scores are kept in `metadata.scores` of each case;
/// --results writes them as results, which `probare compare` and `probare show` read. See docs/exchange.md for what is lost.
#[derive(Debug, clap::Args)]
#[command(after_help = AFTER_HELP)]
pub struct Arguments {
    /// The file; - is standard input
    #[arg(value_name = "FILE")]
    file: String,

    /// File of cases to write, as JSON lines; standard output by default. Of a promptfoo configuration: the configuration to
    /// write, `probare.yaml`; its cases lie beside it
    #[arg(short, long = "output", value_name = "OUT", value_parser = lines)]
    output: Option<PathBuf>,

    /// Write the other tool's scores as a results file: .jsonl .json .csv .parquet .md .html .xml (repeatable)
    #[arg(long, value_name = "OUT", requires = "output")]
    results: Vec<PathBuf>,

    /// Format of the file, if it cannot be detected: promptfoo, inspect, lm-eval, openai-evals, deepeval,
    /// every-eval-ever, chat or otlp
    #[arg(long, value_name = "TOOL")]
    from: Option<ImportFormat>,

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
  probare import conversations.jsonl | probare score - -m topic_pivot
  probare import traces.jsonl --group conversation --verbose -o cases.jsonl";

/// Whether a name is that of a configuration.
fn is_yaml(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension == "yaml" || extension == "yml")
}

/// A file of JSON lines, or a configuration, by its name.
fn lines(text: &str) -> Result<PathBuf, String> {
    if is_yaml(Path::new(text)) {
        return Ok(text.into());
    }
    let name = text.strip_suffix(".gz").or_else(|| text.strip_suffix(".zst")).unwrap_or(text);
    if name.strip_suffix(".jsonl").is_some() {
        return Ok(text.into());
    }
    Err("cases are written as JSON lines: the name ends in .jsonl, .jsonl.gz or .jsonl.zst (.yaml for a configuration)"
        .to_owned())
}

/// Writes a configuration of promptfoo as one of ours, with its cases.
fn import_configuration(arguments: &Arguments, config: &Path) -> CommandResult {
    let translation = translate(Path::new(&arguments.file), config).map_err(exchange_failure)?;
    if !arguments.quiet {
        describe_translation(&translation);
        for path in &translation.written {
            remark(&format!("wrote {}", path.display()));
        }
    }
    Ok(Exit::Fine)
}

/// Runs the command.
pub fn run(arguments: &Arguments) -> CommandResult {
    let is_configuration = arguments.from.is_none() && is_promptfoo_configuration(Path::new(&arguments.file));
    match arguments.output.as_deref().filter(|path| is_yaml(path)) {
        Some(config) if is_configuration => return import_configuration(arguments, config),
        Some(config) => {
            let reason = format!(
                "`{}` is no configuration of promptfoo, and cases are not written to `{}`",
                arguments.file,
                config.display()
            );
            return Err(Failure::usage(reason).hint("name a file of cases: -o cases.jsonl"));
        }
        None if is_configuration => {
            let reason = format!("`{}` is a configuration of promptfoo, not a file of cases", arguments.file);
            return Err(Failure::usage(reason)
                .hint("-o probare.yaml writes it as one of ours; `probare run` takes it as it is"));
        }
        None => {}
    }
    let asked = ImportRequest {
        file: &arguments.file,
        from: arguments.from,
        group: arguments.group,
        cases: arguments.output.as_deref(),
        results: arguments.results.clone(),
    };
    let made = import_file(&asked).map_err(exchange_failure)?;
    for note in &made.notes {
        remark(&format!("note: {note}"));
    }
    if arguments.verbose {
        for lost in &made.lost {
            remark(&format!("lost: {lost}"));
        }
    }
    if arguments.quiet {
        return Ok(Exit::Fine);
    }
    let mut text = format!("{}: {}", made.format, count_with_noun(made.cases, "case", "cases"));
    if made.answered < made.cases {
        text.push_str(&format!(", {} without a response", made.cases - made.answered));
    }
    if !made.scores.is_empty() {
        text.push_str(&format!("; its scores: {}", made.scores.join(", ")));
    }
    remark(&text);
    for path in arguments.output.iter().chain(&arguments.results) {
        remark(&format!("wrote {}", path.display()));
    }
    Ok(Exit::Fine)
}
