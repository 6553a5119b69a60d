//! The command line.

use clap::builder::Styles;
use clap::builder::styling::AnsiColor;
use clap::{Command, CommandFactory, Parser, Subcommand};

use crate::verbs;

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
    pub verb: Verb,
}

const AFTER_HELP: &str = "Examples:
  probare score cases.jsonl --metric token_f1 -o report.html
  probare explain token_f1
  probare verify results.jsonl

Exit codes: 0 fine, 1 error, 2 quality gate failed, 3 incomplete, 4 budget reached, 64 usage, 130 interrupted.";

/// What to do. The help of a verb is the documentation of its arguments.
#[derive(Debug, Subcommand)]
pub enum Verb {
    Score(Box<verbs::score::Arguments>),
    Run(Box<verbs::run::Arguments>),
    Resume(Box<verbs::resume::Arguments>),
    Runs(verbs::runs::Arguments),
    List(verbs::list::Arguments),
    Explain(verbs::explain::Arguments),
    Validate(verbs::validate::Arguments),
    Verify(verbs::verify::Arguments),
    Show(verbs::show::Arguments),
    View(verbs::view::Arguments),
    Compare(verbs::compare::Arguments),
    History(verbs::history::Arguments),
    Calibrate(verbs::calibrate::Arguments),
    Import(verbs::import::Arguments),
    Export(verbs::export::Arguments),
    Sgi(verbs::sgi::Arguments),
    Socioscope(verbs::socioscope::Arguments),
    Rag(verbs::rag::Arguments),
    Text(verbs::text::Arguments),
    Serve(verbs::serve::Arguments),
    Config(verbs::config::Arguments),
    Init(verbs::init::Arguments),
    Schema(verbs::schema::Arguments),
    Doctor(verbs::doctor::Arguments),
    Models(verbs::models::Arguments),
    Judge(verbs::judge::Arguments),
    Parse(verbs::parse::Arguments),
    Completions(verbs::completions::Arguments),
    Man(verbs::man::Arguments),
}

/// The whole command line, with the verbs of all suites.
pub fn command() -> Command {
    verbs::suite::add_verbs(Cli::command())
}
