//! `probare text`: the text tools behind the metrics, one text at a time.

use std::path::PathBuf;

use probare_report::escape;
use probare_text::normalise::normalise as normal_form;
use probare_text::number_words::{canonical, cardinal, ordinal, to_number};
use probare_text::wordnet::WordNet;
use serde_json::json;

use super::{print, remark};
use crate::failure::{CommandResult, Failure};

/// Show texts as metrics see them.
#[derive(Debug, clap::Args)]
pub struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, clap::Subcommand)]
enum Command {
    /// Print the synonyms of a word
    Synonyms(SynonymArguments),
    /// Print the form in which answers are compared
    Normalise(NormaliseArguments),
    /// Print a text with its numbers in digits, and its first number
    Numbers(NumberArguments),
}

/// Which word.
#[derive(Debug, clap::Args)]
pub struct SynonymArguments {
    /// The word, or a collocation in quotation marks
    word: String,

    /// Print the synonyms that scoring uses, in the normal form in which answers are compared
    #[arg(long)]
    enriched: bool,

    /// Folder with the files of another WordNet
    #[arg(long, value_name = "DIR", env = "PROBARE_WORDNET")]
    wordnet: Option<PathBuf>,

    /// Print JSON
    #[arg(long, env = "PROBARE_JSON")]
    json: bool,
}

/// Which text.
#[derive(Debug, clap::Args)]
pub struct NormaliseArguments {
    /// The text
    text: String,

    /// Also write numbers in digits
    #[arg(long)]
    canonical: bool,

    /// Print JSON
    #[arg(long, env = "PROBARE_JSON")]
    json: bool,
}

#[derive(Debug, clap::Args)]
struct NumberArguments {
    /// The text
    text: String,

    /// Print JSON
    #[arg(long, env = "PROBARE_JSON")]
    json: bool,
}

/// Runs the command.
pub fn run(arguments: &Arguments) -> CommandResult {
    match &arguments.command {
        Command::Synonyms(arguments) => synonyms(arguments),
        Command::Normalise(arguments) => normalise(arguments),
        Command::Numbers(arguments) => numbers(arguments),
    }
}

/// Prints synonyms, one per line.
pub fn synonyms(arguments: &SynonymArguments) -> CommandResult {
    let other = match &arguments.wordnet {
        Some(folder) => Some(WordNet::from_dir(folder).map_err(|error| Failure::from_error(&error))?),
        None => None,
    };
    let wordnet = other.as_ref().unwrap_or(WordNet::embedded());
    let (synonyms, enriched) = (wordnet.synonyms(&arguments.word), wordnet.scoring_synonyms(&arguments.word));
    if arguments.json {
        return print(&format!("{}\n", json!({"value": arguments.word, "synonyms": synonyms, "enriched": enriched})));
    }
    let words = if arguments.enriched { enriched } else { synonyms };
    if words.is_empty() {
        remark(&format!("WordNet knows no synonyms of `{}`", arguments.word));
    }
    let lines: Vec<String> = words.iter().map(|word| format!("{}\n", escape::terminal(word))).collect();
    print(&lines.concat())
}

/// Prints a normal form.
pub fn normalise(arguments: &NormaliseArguments) -> CommandResult {
    let form = if arguments.canonical { canonical(&arguments.text) } else { normal_form(&arguments.text) };
    if arguments.json {
        let (normalised, canonical) = (normal_form(&arguments.text), canonical(&arguments.text));
        return print(&format!(
            "{}\n",
            json!({"text": arguments.text, "normalised": normalised, "canonical": canonical})
        ));
    }
    print(&format!("{}\n", escape::terminal(&form)))
}

fn numbers(arguments: &NumberArguments) -> CommandResult {
    let form = canonical(&arguments.text);
    let number = to_number(&arguments.text);
    let digits = form.split(' ').find(|word| word.starts_with(|first: char| first.is_ascii_digit()));
    let words = digits.and_then(cardinal);
    let nth = digits.and_then(ordinal);
    if arguments.json {
        let line = json!({"text": arguments.text, "canonical": form, "number": number, "words": words, "ordinal": nth});
        return print(&format!("{line}\n"));
    }
    let mut text = format!("canonical: {}\n", escape::terminal(&form));
    if let Some(number) = number {
        text.push_str(&format!("number: {number}\n"));
    }
    for (name, spelled) in [("words", words), ("ordinal", nth)] {
        if let Some(spelled) = spelled {
            text.push_str(&format!("{name}: {spelled}\n"));
        }
    }
    print(&text)
}
