//! The command line.

use clap::builder::Styles;
use clap::builder::styling::AnsiColor;
use clap::{Parser, Subcommand};

use crate::verbs;

const STYLES: Styles = Styles::styled()
    .header(AnsiColor::Green.on_default().bold())
    .usage(AnsiColor::Green.on_default().bold())
    .literal(AnsiColor::Cyan.on_default().bold())
    .placeholder(AnsiColor::Cyan.on_default());

/// Evaluates what language models answer: fast, offline, with the evidence behind every score.
#[derive(Debug, Parser)]
#[command(name = "probare", version, styles = STYLES, disable_help_subcommand = true, after_help = AFTER_HELP)]
pub struct Cli {
    /// What to do.
    #[command(subcommand)]
    pub verb: Verb,
}

const AFTER_HELP: &str = "Examples:
  probare score cases.jsonl --metric token_f1 -o report.html
  probare explain token_f1
  probare verify results.jsonl cases.jsonl

Exit codes: 0 fine, 1 error, 2 quality gate failed, 64 usage, 130 interrupted.";

/// What to do.
#[derive(Debug, Subcommand)]
pub enum Verb {
    /// Score the cases of a file
    Score(verbs::score::Arguments),
    /// List all metrics
    List(verbs::list::Arguments),
    /// Show the page of a metric
    Explain(verbs::explain::Arguments),
    /// Check a file of cases or a configuration without scoring
    Validate(verbs::validate::Arguments),
    /// Compute the scores of a results file again and check every span
    Verify(verbs::verify::Arguments),
    /// Evaluate responses against the query and the passages they were based on
    Rag(verbs::rag::Arguments),
    /// Score the predictions of deep-search systems against a SynthLink catalogue
    Synthlink(verbs::synthlink::Arguments),
    /// Check empathy, trust and care in replies, with the evidence
    Synthesis(verbs::synthesis::Arguments),
    /// Grade answers about interview transcripts and check their quotations
    Socioscope(verbs::socioscope::Arguments),
    /// Look at texts the way metrics do
    Text(verbs::text::Arguments),
    /// Write a small commented project to start from
    Init(verbs::init::Arguments),
    /// Print JSON Schemas of the files Probare reads and writes
    Schema(verbs::schema::Arguments),
    /// Say what is installed, what is missing and how to get it
    Doctor(verbs::doctor::Arguments),
    /// Show how the built-in parser reads an English text
    Parse(verbs::parse::Arguments),
    /// Print a completion script for a shell
    Completions(verbs::completions::Arguments),
    /// Write the manual pages into a folder
    Man(verbs::man::Arguments),
}
