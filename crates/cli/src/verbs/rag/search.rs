//! `probare rag search`: the best passages for a question.

use probare_report::escape;
use probare_retrieval::Hit;
use serde_json::json;

use super::{Searching, embedding_by, print, print_json};
use crate::failure::Done;

/// Characters of a passage that are shown.
const SHOWN: usize = 300;

/// Search an index: the best passages for a question, and why they are
#[derive(Debug, clap::Args)]
pub struct Arguments {
    #[command(flatten)]
    searching: Searching,

    /// What to look for
    #[arg(value_name = "QUESTION")]
    question: String,

    /// Passages with metadata, places and scores as JSON
    #[arg(long, env = "PROBARE_JSON")]
    json: bool,
}

/// Runs the verb.
pub fn run(arguments: &Arguments) -> Done {
    let search = arguments.searching.search(&arguments.question)?;
    let opened = arguments.searching.open(&embedding_by(arguments.searching.embedding.as_deref())?)?;
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
    let lines: Vec<String> = found.hits.iter().enumerate().map(|(at, hit)| line(at, hit)).collect();
    print(&lines.join("\n"))
}

fn line(at: usize, hit: &Hit) -> String {
    let place = place(hit);
    let text = escape::excerpt(&hit.text.replace('\n', " "), SHOWN);
    format!(
        "{:>2}. {}  {:.4}\n    {}\n    {}\n",
        at + 1,
        escape::terminal(&place),
        hit.score,
        escape::terminal(&text),
        escape::terminal(&hit.explanation()),
    )
}

/// Where a passage stands.
pub(super) fn place(hit: &Hit) -> String {
    let page = hit.page.map(|page| format!(", page {page}")).unwrap_or_default();
    format!("{}:{}{page} ({})", hit.document, hit.line, hit.id)
}
