//! The transcripts with all quotations marked in them, and single quotations in their surroundings.

use std::fmt::Write as _;
use std::ops::Range;

use probare_metrics::interviews::quotations::QuotationFinding;
use probare_report::escape::html;
use probare_report::html::{Mark, highlight};

use super::PageData;
use crate::socioscope::AnswerResult;
use crate::socioscope::input::FixtureAnswer;

/// Bytes around a quotation that are shown.
const AROUND: usize = 140;

/// Transcripts with quotations that are shown in full, and the bytes of each.
const TRANSCRIPTS: usize = 60;
const TEXT: usize = 60_000;

/// A quotation, or what comes nearest to it, in its surroundings.
pub(super) fn quotation_window(
    shown: PageData<'_>,
    answer: &FixtureAnswer,
    graded: &AnswerResult,
    index: usize,
) -> String {
    let finding = &graded.findings[index];
    let Some((span, kind)) = quotation_span(finding) else { return String::new() };
    if shown.redaction.is_some() {
        return String::new();
    }
    let content = match (graded.transcripts.get(index).copied().flatten(), &answer.context, finding.source) {
        (Some(transcript), _, _) => shown.corpus.transcripts().get(transcript).map(|found| found.text.as_str()),
        (None, Some(context), Some(passage)) => context.get(passage).map(|found| found.text.as_str()),
        _ => None,
    };
    let Some(content) = content else { return String::new() };
    let from = content.floor_char_boundary(span.start.saturating_sub(AROUND));
    let to = content.ceil_char_boundary((span.end + AROUND).min(content.len()));
    // Words are not cut, unless there is no space to cut at.
    let start = if from == 0 { 0 } else { content[from..span.start].find(' ').map_or(from, |space| from + space + 1) };
    let end =
        if to == content.len() { to } else { content[span.end..to].rfind(' ').map_or(to, |space| span.end + space) };
    let mark = Mark { start: span.start - start, end: span.end - start, kind, note: finding.status.name().to_owned() };
    let (before, after) = (if start > 0 { "… " } else { "" }, if end < content.len() { " …" } else { "" });
    format!("<div class=\"said small\">{before}{}{after}</div>", highlight(&content[start..end], &[mark]))
}

/// Where a quotation stands, or comes nearest to.
fn quotation_span(finding: &QuotationFinding) -> Option<(Range<usize>, &'static str)> {
    match (&finding.span, &finding.near) {
        (Some(span), _) => Some((span.clone(), "good")),
        (None, Some(near)) => Some((near.span.clone(), "bad")),
        (None, None) => None,
    }
}

/// Every transcript that is quoted, with its quotations marked.
pub(super) fn section(shown: PageData<'_>) -> String {
    let mut marks: Vec<Vec<Mark>> = vec![Vec::new(); shown.corpus.transcripts().len()];
    for (pair, result) in shown.fixture.pairs.iter().zip(&shown.evaluation.pairs) {
        for (answer, graded) in pair.answers.iter().zip(&result.answers) {
            for (finding, transcript) in graded.findings.iter().zip(&graded.transcripts) {
                let Some(list) = transcript.and_then(|at| marks.get_mut(at)) else { continue };
                let Some((span, kind)) = quotation_span(finding) else { continue };
                let model = answer.model.as_deref().unwrap_or("an answer");
                let note = format!("{} quoted for {} by {model}", finding.status.name(), pair.id);
                list.push(Mark { start: span.start, end: span.end, kind, note });
            }
        }
    }
    let quoted: Vec<usize> = (0..marks.len()).filter(|at| !marks[*at].is_empty()).collect();
    if quoted.is_empty() {
        return String::new();
    }
    let mut page = String::from("<h2>Quotations in their transcripts</h2>\n");
    if quoted.len() > TRANSCRIPTS {
        let _ = writeln!(page, "<p class=\"soft\">The first {TRANSCRIPTS} of {} quoted transcripts.</p>", quoted.len());
    }
    for at in quoted.into_iter().take(TRANSCRIPTS) {
        let transcript = &shown.corpus.transcripts()[at];
        let text = &transcript.text[..transcript.text.floor_char_boundary(TEXT)];
        let body = if shown.redaction.is_some() {
            positions(&transcript.text, &marks[at])
        } else {
            format!(
                "<div class=\"said\">{}{}</div>",
                highlight(text, &marks[at]),
                if text.len() < transcript.text.len() { " …" } else { "" }
            )
        };
        let _ = writeln!(
            page,
            "<details class=\"field card\" style=\"padding:12px 18px\"><summary><bdi>{}</bdi> · {} quotations</summary>{body}</details>",
            html(&transcript.key),
            marks[at].len()
        );
    }
    page
}

/// The places of quotations without their words.
fn positions(text: &str, marks: &[Mark]) -> String {
    let scalar = |at: usize| text.get(..at).map_or(0, |part| part.chars().count());
    let items: Vec<String> = marks
        .iter()
        .map(|mark| {
            let (start, end) = (scalar(mark.start), scalar(mark.end));
            format!(
                "<li class=\"{}\">characters {start} to {end}<span class=\"remark\">{}</span></li>",
                mark.kind,
                html(&mark.note)
            )
        })
        .collect();
    format!("<ul class=\"evidence\">{}</ul>", items.join(""))
}
