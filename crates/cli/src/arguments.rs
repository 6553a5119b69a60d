//! The command line.

use clap::builder::Styles;
use clap::builder::styling::AnsiColor;
use clap::{Command, CommandFactory, Parser, Subcommand};

use crate::commands;
use crate::old_names::with_old_names;

const STYLES: Styles = Styles::styled()
    .header(AnsiColor::Green.on_default().bold())
    .usage(AnsiColor::Green.on_default().bold())
    .literal(AnsiColor::Cyan.on_default().bold())
    .placeholder(AnsiColor::Cyan.on_default());

/// Evaluates what language models answer: fast, offline, with the evidence behind every score.
#[derive(Debug, Parser)]
#[command(name = "probare", version, styles = STYLES, after_help = AFTER_HELP)]
pub struct Cli {
    /// What to do.
    #[command(subcommand)]
    pub command: CliCommand,
}

const AFTER_HELP: &str = "Examples:
  probare score cases.jsonl --metric token_f1 -o report.html
  probare explain token_f1
  probare verify results.jsonl

Exit codes: 0 fine, 1 error, 2 quality gate failed, 3 incomplete, 4 budget reached, 64 usage, 130 interrupted.";

/// What to do. The help of a command is the documentation of its arguments.
#[derive(Debug, Subcommand)]
pub enum CliCommand {
    Score(Box<commands::score::Arguments>),
    Run(Box<commands::run::Arguments>),
    Rescore(Box<commands::rescore::Arguments>),
    Resume(Box<commands::resume::Arguments>),
    Runs(commands::runs::Arguments),
    List(commands::list::Arguments),
    Explain(commands::explain::Arguments),
    Validate(commands::validate::Arguments),
    Verify(commands::verify::Arguments),
    Show(commands::show::Arguments),
    View(commands::view::Arguments),
    Compare(commands::compare::Arguments),
    History(commands::history::Arguments),
    Calibrate(commands::calibrate::Arguments),
    Estimate(commands::estimate::Arguments),
    Power(commands::power::Arguments),
    Import(commands::import::Arguments),
    Export(commands::export::Arguments),
    Sgi(commands::sgi::Arguments),
    Socioscope(commands::socioscope::Arguments),
    Rag(commands::rag::Arguments),
    Text(commands::text::Arguments),
    Serve(commands::serve::Arguments),
    Config(commands::config::Arguments),
    Init(commands::init::Arguments),
    Schema(commands::schema::Arguments),
    Doctor(commands::doctor::Arguments),
    Models(commands::models::Arguments),
    Cache(commands::cache::Arguments),
    Trust(commands::trust::Arguments),
    Judge(commands::judge::Arguments),
    Metric(commands::metric::Arguments),
    Parse(commands::parse::Arguments),
    Completions(commands::completions::Arguments),
    Man(commands::man::Arguments),
}

/// The whole command line, with the commands of all benchmarks.
pub fn command() -> Command {
    with_old_names(commands::benchmark::add_benchmark_commands(Cli::command()))
}
