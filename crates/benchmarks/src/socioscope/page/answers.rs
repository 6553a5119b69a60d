//! Every answer: a row with its scores, and under it the answer with what it names and its quotations.

use std::fmt::Write as _;

use probare_metrics::interviews::quotations::{OtherTranscript, QuotationFinding, TextChange};
use probare_report::escape::{excerpt, html};
use probare_report::html::{Mark, highlight};
use probare_report::number::three_decimals;

use super::PageData;
use super::transcripts::quotation_window;
use crate::socioscope::input::{FixtureAnswer, QuestionPair};
use crate::socioscope::interviews::matching::{Mention, MentionStatus};
use crate::socioscope::interviews::{Grade, QuestionType};
use crate::socioscope::output::differences;
use crate::socioscope::{AnswerResult, PairResult, UNKNOWN_SOURCE};

/// Answers on the page: the worst ones where there are more.
const ANSWERS: usize = 1000;

/// Bytes of an answer that are shown.
const TEXT: usize = 8_000;

/// The table of answers.
pub(super) fn section(shown: PageData<'_>) -> String {
    let mut all: Vec<(usize, usize)> = Vec::new();
    // A run with a limit graded the first answers only, and the last question of them perhaps in part.
    for (at, pair) in shown.evaluation.pairs.iter().enumerate() {
        all.extend((0..pair.answers.len()).map(|index| (at, index)));
    }
    let total = all.len();
    if total > ANSWERS {
        // The lowest scores first, those without one last; then back into the order of the file.
        let score = |(pair, index): &(usize, usize)| {
            let result = &shown.evaluation.pairs[*pair].answers[*index];
            result.grade.as_ref().map_or(2.0, |grade| grade.score)
        };
        all.sort_by(|left, right| score(left).total_cmp(&score(right)));
        all.truncate(ANSWERS);
        all.sort_unstable();
    }
    let mut page = String::from("<h2>Answers</h2>\n");
    if total > ANSWERS {
        let _ = writeln!(
            page,
            "<p class=\"soft\">{ANSWERS} of {total} answers are on this page: those with the lowest scores.</p>"
        );
    }
    let columns: Vec<String> = columns(shown).iter().map(|name| format!("<span>{name}</span>")).collect();
    let columns = columns.concat();
    let _ = write!(
        page,
        "<p class=\"legend\"><span>Marks in answers:</span><span><mark class=\"good\">counts, or is right</mark></span>\
         <span><mark class=\"bad\">is wrong, or is denied though it counts</mark></span>\
         <span><mark>named, and does not count</mark></span></p>\n\
         <div class=\"answers card\"><div class=\"answer-head\"><span>Answer</span>{columns}</div>\n"
    );
    for (pair, index) in all {
        page.push_str(&answer(shown, pair, index));
    }
    page.push_str("</div>\n");
    page
}

/// The numbers of an answer, by name.
fn columns(shown: PageData<'_>) -> Vec<&'static str> {
    let improved = shown.improved.map(|_| "Improved");
    ["Score"].into_iter().chain(improved).chain(["Exact quotations"]).collect()
}

/// An answer that opens without scripts.
fn answer(shown: PageData<'_>, at: usize, index: usize) -> String {
    let (pair, result) = (&shown.fixture.pairs[at], &shown.evaluation.pairs[at]);
    let (answer, graded) = (&pair.answers[index], &result.answers[index]);
    let mut numbers = vec![graded.grade.as_ref().map(|grade| grade.score)];
    if shown.improved.is_some() {
        numbers.push(graded.improved.as_ref().map(|grade| grade.score));
    }
    numbers.push(graded.existence.score());
    let numbers: String = columns(shown).iter().zip(numbers).map(|(name, value)| number(name, value)).collect();
    let model = answer.model.as_deref().map(|model| format!(" · {model}")).unwrap_or_default();
    format!(
        "<details class=\"answer\"><summary><span class=\"words\"><b><bdi>{}</bdi></b><span><bdi>{}</bdi></span>\
         <span><bdi>{}</bdi></span></span>{numbers}</summary>\n<div class=\"split\"><div>{}{}</div><div>{}</div></div></details>\n",
        html(&excerpt(&format!("{}{model}", pair.id), 90)),
        html(&excerpt(&shown.words(&pair.question), 130)),
        html(&excerpt(&shown.words(answer.response.as_deref().unwrap_or("(nothing)")), 130)),
        texts(shown, pair, answer, graded, result),
        quotations(shown, answer, graded),
        panels(pair, answer, graded, result)
    )
}

/// A value with a bar below it.
fn number(name: &str, value: Option<f64>) -> String {
    let Some(value) = value else {
        return "<span class=\"cell\"><span class=\"value none\">n/a</span></span>".to_owned();
    };
    let step = [0.8, 0.6, 0.4, 0.2].iter().filter(|edge| value < **edge).count();
    format!(
        "<span class=\"cell\"><span class=\"value\" title=\"{name}\">{}</span><span class=\"meter s{step}\" aria-hidden=\"true\">\
         <i class=\"s{step}\" style=\"width:{:.1}%\"></i></span></span>",
        three_decimals(value),
        value.clamp(0.0, 1.0) * 100.0
    )
}

/// The question and the answer with its marks.
fn texts(
    shown: PageData<'_>,
    pair: &QuestionPair,
    answer: &FixtureAnswer,
    graded: &AnswerResult,
    result: &PairResult,
) -> String {
    let response = answer.response.as_deref().unwrap_or_default();
    let cut = &response[..response.floor_char_boundary(TEXT)];
    let text = match shown.redaction {
        // Positions of marks belong to the text as given.
        Some(redaction) => html(&redaction.names(cut)).into_owned(),
        None => highlight(cut, &marks(graded, result)),
    };
    let answer_html =
        if response.is_empty() { "<span class=\"none\">nothing was answered</span>".to_owned() } else { text };
    format!(
        "<div class=\"field\"><h4>Question · {}</h4><div class=\"said\"><bdi>{}</bdi></div></div>\
         <div class=\"field response\"><h4>Answer</h4><div class=\"said\">{answer_html}</div></div>",
        html(&pair.kind),
        html(&shown.words(&pair.question))
    )
}

/// What a mention does for an answer, as a class of the style sheet, and why.
fn mention_class(grade: &Grade, mention: &Mention, result: &PairResult) -> (&'static str, String) {
    let counts = result.values.get(mention.value).is_some_and(|(_, weight)| *weight > 0.0);
    match &mention.status {
        MentionStatus::Asserted if !grade.matched.contains(&mention.value) => {
            ("note", "named, and does not count".to_owned())
        }
        MentionStatus::Asserted => (if counts { "good" } else { "bad" }, mention.reason.describe()),
        MentionStatus::Denied(word) => (if counts { "bad" } else { "note" }, format!("denied by `{word}`")),
        MentionStatus::OtherSense(sense) => (if counts { "bad" } else { "note" }, sense.clone()),
    }
}

/// Whether the yes or no of an answer is the expected one.
fn verdict(grade: &Grade) -> &'static str {
    match grade.binary.unwrap_or(grade.score) {
        wrong if wrong <= 0.0 => "bad",
        right if right >= 1.0 => "good",
        _ => "warn",
    }
}

fn marks(graded: &AnswerResult, result: &PairResult) -> Vec<Mark> {
    let Some(grade) = graded.improved.as_ref().or(graded.grade.as_ref()) else { return Vec::new() };
    let mut marks: Vec<Mark> = grade
        .mentions
        .iter()
        .map(|mention| {
            let (kind, note) = mention_class(grade, mention, result);
            Mark { start: mention.span.start, end: mention.span.end, kind, note }
        })
        .collect();
    if let Some(decision) = &grade.decision
        && let (Some(span), Some(polarity)) = (&decision.span, decision.polarity)
    {
        let note = format!("{}: {}", polarity.name(), decision.why);
        marks.push(Mark { start: span.start, end: span.end, kind: verdict(grade), note });
    }
    marks
}

/// Each quotation with its status and the place it comes from, or comes nearest to.
fn quotations(shown: PageData<'_>, answer: &FixtureAnswer, graded: &AnswerResult) -> String {
    let mut list = String::new();
    for (index, (citation, finding)) in answer.citations.iter().zip(&graded.findings).enumerate() {
        let quote = citation.get("quote").and_then(serde_json::Value::as_str).unwrap_or_default();
        let quote = match (shown.redaction, &finding.scalars) {
            (Some(_), Some(range)) => format!("[{}-{} of the source]", range.start, range.end),
            (Some(redaction), None) => redaction.text(quote),
            (None, _) => excerpt(quote, 600),
        };
        let class = if finding.status.is_found() { "good" } else { "bad" };
        let _ = write!(
            list,
            "<li class=\"{class}\"><span class=\"kind\">{}</span> “<bdi>{}</bdi>”<span class=\"remark\">{}</span>{}</li>",
            finding.status.name(),
            html(&quote),
            html(&remark(finding)),
            quotation_window(shown, answer, graded, index)
        );
        if let (Some(near), None) = (&finding.near, shown.redaction) {
            let _ = write!(list, "<li class=\"compared\">{}</li>", difference(&near.difference.changes));
        }
        let elsewhere = finding.other_transcript.as_ref().and_then(|elsewhere| elsewhere.near.as_ref());
        if let (Some(near), None) = (elsewhere, shown.redaction) {
            let _ = write!(list, "<li class=\"compared\">{}</li>", difference(&near.difference.changes));
        }
    }
    if list.is_empty() {
        return String::new();
    }
    format!("<div class=\"field\"><h4>Quotations</h4><ul class=\"evidence\">{list}</ul></div>")
}

fn remark(finding: &QuotationFinding) -> String {
    let mut parts = Vec::new();
    if let Some(range) = &finding.scalars {
        parts.push(format!("characters {} to {}", range.start, range.end));
    } else if let Some(similarity) = finding.similarity {
        parts.push(format!("similarity {similarity}"));
    }
    if let Some(place) = finding.found_in {
        parts.push(format!("it stands in passage {place}"));
    }
    if let Some(negation) = finding.near.as_ref().and_then(|near| near.difference.negation.clone()) {
        parts.push(negation);
    }
    if let Some(OtherTranscript { name, near, .. }) = &finding.other_transcript {
        let stands = if near.is_some() { "something near to it stands" } else { "it stands" };
        parts.push(format!("wrong source: {stands} in {name}"));
        parts.extend(near.as_ref().and_then(|near| near.difference.negation.clone()));
    }
    if finding.is_trivial {
        parts.push("too short to prove much".to_owned());
    }
    parts.join("; ")
}

/// The source with what the quotation dropped and added.
fn difference(changes: &[TextChange]) -> String {
    let mut text = String::from("<span class=\"kind\">difference</span> ");
    for change in changes {
        let _ = match change {
            TextChange::Same(words) => write!(text, "{}", html(words)),
            TextChange::Dropped(words) => write!(text, "<del title=\"in the source only\">{}</del>", html(words)),
            TextChange::Added(words) => write!(text, "<ins title=\"in the quotation only\">{}</ins>", html(words)),
        };
    }
    text
}

/// What the two readings say.
fn panels(pair: &QuestionPair, answer: &FixtureAnswer, graded: &AnswerResult, result: &PairResult) -> String {
    let mut panels = String::new();
    for (name, grade) in [("reference", &graded.grade), ("improved", &graded.improved)] {
        if let Some(grade) = grade {
            panels.push_str(&panel(name, grade, result));
        }
    }
    if graded.grade.is_none() && QuestionType::from_name(&pair.kind).is_some() {
        panels.push_str("<div class=\"panel\"><p>The answer could not be scored.</p></div>");
    } else if graded.grade.is_none() {
        let _ = write!(
            panels,
            "<div class=\"panel\"><p>The question type `{}` is not known; nothing is scored.</p></div>",
            html(&pair.kind)
        );
    }
    if let (Some(published), Some(improved)) = (&graded.grade, &graded.improved) {
        let reasons: Vec<String> = differences(published, improved, result)
            .iter()
            .map(|reason| format!("<li class=\"compared\">{}</li>", html(reason)))
            .collect();
        if !reasons.is_empty() {
            let _ = write!(
                panels,
                "<div class=\"panel\"><h4>Why the readings differ</h4><ul class=\"evidence\">{}</ul></div>",
                reasons.join("")
            );
        }
    }
    let _ = write!(
        panels,
        "<div class=\"panel\"><h4>Source</h4><p class=\"small\"><bdi>{}</bdi></p></div>",
        html(answer.source.as_deref().unwrap_or(UNKNOWN_SOURCE))
    );
    panels
}

fn panel(name: &str, grade: &Grade, result: &PairResult) -> String {
    let value = |mention: &Mention| result.values.get(mention.value).map_or("", |(name, _)| name.as_str());
    let mut parts = Vec::new();
    for (part, number) in [("raw", grade.raw), ("yes/no", grade.binary), ("reasons", grade.rationale)] {
        parts.extend(number.map(|number| format!("{part} {}", three_decimals(number))));
    }
    parts.extend(grade.flags.iter().map(|flag| flag.name().to_owned()));
    let mut items = String::new();
    if let Some(decision) = &grade.decision {
        let says = decision.polarity.map_or("neither yes nor no", |polarity| polarity.name());
        let _ = write!(
            items,
            "<li class=\"{}\">says {says} <span class=\"remark\">{}</span></li>",
            verdict(grade),
            html(decision.why)
        );
    }
    for mention in grade.mentions.iter().take(30) {
        let (class, note) = mention_class(grade, mention, result);
        let _ = write!(
            items,
            "<li class=\"{class}\"><bdi>{}</bdi><span class=\"remark\">{}</span></li>",
            html(value(mention)),
            html(&note)
        );
    }
    let missing =
        result.values.iter().enumerate().filter(|(value, (_, weight))| *weight > 0.0 && !grade.matched.contains(value));
    for (_, (name, weight)) in missing.take(30) {
        let _ = write!(
            items,
            "<li class=\"bad missing\"><bdi>{}</bdi><span class=\"remark\">not named, worth {weight}</span></li>",
            html(name)
        );
    }
    format!(
        "<div class=\"panel\"><div class=\"panel-head\"><h3>{name}</h3><span class=\"value\">{}</span></div>\
         <p class=\"parts\">{}</p><ul class=\"evidence\">{items}</ul></div>",
        three_decimals(grade.score),
        html(&parts.join(" · "))
    )
}
