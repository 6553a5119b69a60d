//! The report as one page: means by transcript, question type and model, every answer with what it names, every
//! quotation inside its transcript.

mod answers;
mod transcripts;

use probare_metrics::interviews::quotations::QuotationStatus;
use probare_report::escape::html;
use probare_report::html::{page_end, page_start, panel};
use probare_report::number::{count, count_with_noun, three_decimals};

use super::input::{Corpus, Fixture};
use super::{Redaction, SocioscopeEvaluation, SocioscopeSummary, panels};

/// Everything that a page shows.
#[derive(Debug, Clone, Copy)]
pub struct PageData<'a> {
    /// The questions and answers.
    pub fixture: &'a Fixture,
    /// The transcripts.
    pub corpus: &'a Corpus,
    /// What was found.
    pub evaluation: &'a SocioscopeEvaluation,
    /// Means of the published definition.
    pub summary: &'a SocioscopeSummary,
    /// Means of the improved definition, where it was computed.
    pub improved: Option<&'a SocioscopeSummary>,
    /// What is to be hidden.
    pub redaction: Option<&'a Redaction>,
}

impl PageData<'_> {
    /// A short text for the page, with names hidden where that is asked for.
    fn words(&self, text: &str) -> String {
        self.redaction.map_or_else(|| text.to_owned(), |redaction| redaction.names(text))
    }
}

pub fn page(shown: PageData<'_>) -> String {
    let PageData { evaluation, corpus, summary, improved, redaction, .. } = shown;
    let answers: usize = evaluation.pairs.iter().map(|pair| pair.answers.len()).sum();
    let readings =
        if improved.is_some() { "in the reference and the improved definition" } else { "in the published definition" };
    let lead = format!(
        "<p class=\"lead\">{} with {} about {}, {readings}{}</p>",
        count_with_noun(evaluation.pairs.len() as u64, "question", "questions"),
        count_with_noun(answers as u64, "answer", "answers"),
        count_with_noun(corpus.transcripts().len() as u64, "transcript", "transcripts"),
        if redaction.is_some() { ". Names and long passages are replaced by their positions" } else { "" }
    );
    let mut page = page_start("Socioscope: answers about interviews", &lead);
    page.push_str(&tiles(summary, improved));
    page.push_str(&panel(&panels::groups(summary, improved)));
    page.push_str(&statuses(summary));
    page.push_str(&answers::section(shown));
    page.push_str(&transcripts::section(shown));
    page.push_str(
        "<footer>Means are of the answers that have a value; the number beside each is its denominator. Quotations count \
         where they are exact. The same files give the same numbers on any machine.</footer>\n",
    );
    page.push_str(&page_end());
    page
}

/// How many quotations have which status.
fn statuses(summary: &SocioscopeSummary) -> String {
    let tag = |(status, count): &(QuotationStatus, usize)| {
        let class = if status.is_found() { "tag" } else { "tag bad" };
        format!("<span class=\"{class}\">{} {count}</span>", status.name())
    };
    let tags: String = summary.statuses.iter().map(tag).collect();
    if tags.is_empty() { tags } else { format!("<p class=\"legend\"><span>Quotations:</span>{tags}</p>\n") }
}

fn tiles(summary: &SocioscopeSummary, improved: Option<&SocioscopeSummary>) -> String {
    let mean = |value: Option<f64>| value.map_or_else(|| "n/a".to_owned(), three_decimals);
    let citations: usize = summary.statuses.iter().map(|(_, count)| count).sum();
    let mut tiles =
        vec![(mean(summary.overall.mean()), format!("mean score of {} answers", summary.overall.values.len()))];
    if let Some(improved) = improved {
        tiles.push((mean(improved.overall.mean()), "mean score, improved definition".to_owned()));
    }
    tiles.push((
        mean(summary.verbatim.mean()),
        format!("quotations exact, mean of {} answers", summary.verbatim.values.len()),
    ));
    tiles.push((mean(summary.verbatim_normalised.mean()), "found with typography forgiven".to_owned()));
    tiles.push((count(citations as u64), "quotations checked".to_owned()));
    tiles.push((count(summary.uncited as u64), "questions without quotations".to_owned()));
    let tiles: Vec<String> = tiles
        .iter()
        .map(|(number, words)| format!("<div class=\"card tile\"><b>{number}</b><span>{}</span></div>", html(words)))
        .collect();
    format!("<div class=\"tiles\">{}</div>\n", tiles.join(""))
}
