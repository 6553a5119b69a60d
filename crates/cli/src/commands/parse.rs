//! `probare parse`: shows how the built-in parser reads a text, as CoNLL-U, as a tree, with the claims it makes.

use std::io::{self, Read};

use clap::ValueEnum;
use probare_english::claims::{Claim, ClaimOptions, claims};
use probare_english::{Parser, Strokes};
use probare_report::escape;

use super::{print, remark};
use crate::failure::{CommandResult, Failure};

/// Show how the built-in parser reads an English text.
#[derive(Debug, clap::Args)]
pub struct Arguments {
    /// The text; `-` reads standard input
    #[arg(value_name = "TEXT")]
    text: String,

    /// What to print
    #[arg(long, value_enum, default_value_t = Show::All)]
    show: Show,

    /// Draw trees with ASCII characters only
    #[arg(long)]
    ascii: bool,
}

/// What to print.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Show {
    /// CoNLL-U, then the trees
    All,
    /// CoNLL-U alone, for other programs
    Conllu,
    /// Trees alone
    Tree,
    /// The claims: who did what
    Claims,
}

/// Runs the command.
pub fn run(arguments: &Arguments) -> CommandResult {
    let text = if arguments.text == "-" { standard_input()? } else { arguments.text.clone() };
    let document = Parser::english().parse(&text);
    let strokes = if arguments.ascii { Strokes::Ascii } else { Strokes::Unicode };
    let conllu = || document.to_conllu(&text);
    let tree = || document.to_tree(strokes);
    let shown = match arguments.show {
        Show::All => format!("{}{}", conllu(), tree()),
        Show::Conllu => conllu(),
        Show::Tree => tree(),
        Show::Claims => claims(&document, &ClaimOptions::improved()).iter().map(line).collect(),
    };
    if shown.is_empty() {
        remark(if document.sentences.is_empty() { "the text holds no words" } else { "the text makes no claims" });
    }
    // The text is somebody else's: nothing in it may steer the terminal. The tabs are ours.
    let columns: Vec<_> = shown.split('\t').map(escape::terminal_lines).collect();
    print(&columns.join("\t"))
}

fn line(claim: &Claim) -> String {
    let denied = if claim.negated { "not " } else { "" };
    format!("{} | {denied}{} | {}\n", claim.subject.text, claim.verb.text, claim.object.text)
}

fn standard_input() -> Result<String, Failure> {
    let mut text = String::new();
    io::stdin().lock().read_to_string(&mut text).map_err(|error| Failure::file("read", "-", &error))?;
    Ok(text)
}
