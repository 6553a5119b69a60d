//! `probare rag search`: the best passages for a question.

use std::cmp::Reverse;

use probare_report::escape;
use probare_retrieval::Hit;
use serde_json::json;

use super::{SearchFlags, embedding_backend, print, print_json};
use crate::failure::CommandResult;

/// Characters of a passage that are shown.
const SHOWN: usize = 300;

/// Search an index: the best passages for a question, with reasons
#[derive(Debug, clap::Args)]
pub struct Arguments {
    #[command(flatten)]
    searching: SearchFlags,

    /// What to look for
    #[arg(value_name = "QUESTION")]
    question: String,

    /// Print passages with metadata, positions and scores as JSON
    #[arg(long, env = "PROBARE_JSON")]
    json: bool,
}

/// Runs the command.
pub fn run(arguments: &Arguments) -> CommandResult {
    let search = arguments.searching.search(&arguments.question)?;
    let opened = arguments.searching.open(&embedding_backend(arguments.searching.embedding.as_deref())?)?;
    let found = opened.search(&search)?;
    if arguments.json {
        let hits: Vec<_> = found.hits.iter().map(Hit::to_json).collect();
        return print_json(&json!({
            "question": search.question, "k": search.k, "filter": search.filter.to_json(), "mode": found.mode,
            "remarks": found.remarks, "hits": hits,
        }));
    }
    if found.hits.is_empty() {
        return print("nothing was found\n");
    }
    let lines: Vec<String> = found.hits.iter().enumerate().map(|(at, hit)| line(at, hit, &search.question)).collect();
    print(&lines.join("\n"))
}

fn line(at: usize, hit: &Hit, question: &str) -> String {
    let place = passage_location(hit);
    let text = around_match(&hit.text, question);
    format!(
        "{:>2}. {}  {:.4}\n    {}\n    {}\n",
        at + 1,
        escape::terminal(&place),
        hit.score,
        escape::terminal(&text),
        escape::terminal(&hit.explanation()),
    )
}

/// The part of a passage that has most words of the question; its beginning where it has none.
fn around_match(text: &str, question: &str) -> String {
    let words =
        |text: &str| -> Vec<String> { text.split(|c: char| !c.is_alphanumeric()).map(str::to_lowercase).collect() };
    // Short words stand everywhere.
    let wanted: Vec<String> = words(question).into_iter().filter(|word| word.chars().count() > 3).collect();
    let pieces: Vec<&str> = text.split_whitespace().collect();
    let found: Vec<Option<usize>> = pieces
        .iter()
        .map(|piece| wanted.iter().position(|wanted| words(piece).iter().any(|word| word.starts_with(wanted.as_str()))))
        .collect();
    // How many different words of the question stand in what would be shown from each place on.
    let richness = |start: usize| {
        let (mut seen, mut length) = (Vec::new(), 0);
        for (piece, found) in pieces[start..].iter().zip(&found[start..]) {
            length += piece.chars().count() + 1;
            if length > SHOWN {
                break;
            }
            seen.extend(found.filter(|found| !seen.contains(found)));
        }
        seen.len()
    };
    let best = (0..pieces.len()).filter(|at| found[*at].is_some()).max_by_key(|at| (richness(*at), Reverse(*at)));
    // A few words before it, so that a reader can get in; none where all of it is shown anyway.
    let start = best.map_or(0, |at| at.saturating_sub(6));
    let is_short = text.chars().count() <= SHOWN;
    if is_short || start == 0 {
        return escape::excerpt(text, SHOWN);
    }
    format!("… {}", escape::excerpt(&pieces[start..].join(" "), SHOWN))
}

/// Where a passage stands.
pub(super) fn passage_location(hit: &Hit) -> String {
    let page = hit.page.map(|page| format!(", page {page}")).unwrap_or_default();
    format!("{}:{}{page} ({})", hit.document, hit.line, hit.id)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_excerpt_shows_what_was_found_and_not_the_beginning() {
        let filler = "Nothing of that kind stands here at all. ".repeat(20);
        let text = format!("{filler}The mussels are grown on ropes near the harbour. {filler}");
        let shown = around_match(&text, "Who grows mussels near the harbour?");
        assert!(shown.starts_with("… ") && shown.contains("mussels are grown on ropes near the harbour"), "{shown}");
        assert!(around_match(&text, "Wer?").starts_with("Nothing of that kind"));
        assert_eq!(around_match("Mussels.", "mussels"), "Mussels.");
        assert_eq!(around_match("", ""), "");
    }
}
