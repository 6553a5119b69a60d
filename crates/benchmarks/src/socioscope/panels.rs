//! What a page says beside the answers: means of models, question types and transcripts, and every quotation with the line that
//! it comes from.

use std::collections::BTreeMap;

use probare_core::{Chip, Panel, PanelCell, PanelChart, PanelTable, Tone};
use probare_metrics::interviews::quotations::{QuotationFinding, Transcripts};
use probare_report::escape::excerpt;
use probare_report::number::three_decimals;
use serde_json::Value as Json;

use super::cases::answer_id;
use super::input::{Fixture, FixtureAnswer, QuestionPair};
use super::{AnswerResult, ScoreGroup, SocioscopeEvaluation, SocioscopeSummary};
use crate::quoted_line::{QuotedLine, tone};

/// Bars of a chart; more stand in the table and in the chart files.
const BARS: usize = 40;

/// Characters of a name beside a bar.
const LABEL: usize = 23;

/// Characters of a quotation, and of the line that it comes from.
const SHOWN: usize = 160;

/// Charts of scores and quotations, and one table of all groups.
pub(super) fn groups(summary: &SocioscopeSummary, improved: Option<&SocioscopeSummary>) -> Panel {
    let types: BTreeMap<String, ScoreGroup> = summary.types.iter().cloned().collect();
    let charts = [
        ("Mean score per transcript", &summary.transcripts),
        ("Exact quotations per transcript", &summary.verbatim_transcripts),
        ("Mean score per question type", &types),
        ("Mean score per model", &summary.models),
    ];
    let charts =
        charts.into_iter().filter(|(_, groups)| !groups.is_empty()).map(|(title, groups)| chart(title, groups));
    Panel {
        title: "Transcripts, question types and models".to_owned(),
        charts: charts.collect(),
        tables: vec![table(summary, improved)],
        ..Panel::default()
    }
}

fn chart(title: &str, groups: &BTreeMap<String, ScoreGroup>) -> PanelChart {
    let rest = groups.len().saturating_sub(BARS);
    let note = if rest > 0 { format!("first {BARS} of {}", groups.len()) } else { String::new() };
    let bars = groups.iter().take(BARS).map(|(name, group)| (shortened(name), group.mean())).collect();
    PanelChart { title: title.to_owned(), note, range: (0.0, 1.0), bars }
}

/// A name that fits beside a bar: names of transcripts differ at their beginning and at their end.
fn shortened(name: &str) -> String {
    let characters: Vec<char> = name.chars().collect();
    if characters.len() <= LABEL {
        return name.to_owned();
    }
    let (start, end) = (&characters[..LABEL / 2], &characters[characters.len() - (LABEL - LABEL / 2 - 1)..]);
    start.iter().chain(&['…']).chain(end).collect()
}

/// One row of the table: what it is of, its name, its scores, those of the improved definition, and its exact quotations.
type GroupRow<'a> = (&'static str, &'a str, &'a ScoreGroup, Option<&'a ScoreGroup>, Option<&'a ScoreGroup>);

fn table(summary: &SocioscopeSummary, improved: Option<&SocioscopeSummary>) -> PanelTable {
    let columns = ["Name", "Group", "Score"].into_iter().chain(improved.map(|_| "Improved"));
    let columns = columns.chain(["Answers", "Min", "Max", "Deviation", "Exact quotations"]);
    let mut table = PanelTable::new("", columns, 2);
    let overall = ("all", "overall", &summary.overall, improved.map(|all| &all.overall), Some(&summary.verbatim));
    let models = summary.models.iter().map(|(name, group)| {
        let improved = improved.and_then(|all| all.models.get(name));
        ("model", name.as_str(), group, improved, summary.verbatim_models.get(name))
    });
    let types = summary.types.iter().enumerate().map(|(at, (name, group))| {
        ("type", name.as_str(), group, improved.and_then(|all| all.types.get(at)).map(|(_, group)| group), None)
    });
    let transcripts = summary.transcripts.iter().map(|(name, group)| {
        let improved = improved.and_then(|all| all.transcripts.get(name));
        ("transcript", name.as_str(), group, improved, summary.verbatim_transcripts.get(name))
    });
    let number = |value: Option<f64>| value.map_or_else(|| "n/a".to_owned(), three_decimals);
    let rows = [overall].into_iter().chain(models).chain(types).chain(transcripts);
    table.fill(rows, |(kind, name, group, in_improved, verbatim): GroupRow<'_>| {
        let without = if group.nulls > 0 { format!("{} without a score", group.nulls) } else { String::new() };
        let exact =
            |group: &ScoreGroup| PanelCell::from(number(group.mean())).with_note(format!("of {}", group.values.len()));
        let mut row = vec![PanelCell::from(name), kind.into(), number(group.mean()).into()];
        row.extend(improved.map(|_| number(in_improved.and_then(ScoreGroup::mean)).into()));
        row.push(PanelCell::from(group.values.len().to_string()).with_note(without));
        row.extend([group.min(), group.max(), group.standard_deviation()].map(|value| number(value).into()));
        row.push(verbatim.map(exact).unwrap_or_default());
        row
    });
    table
}

/// A quotation: where it was given, and what was found.
type AnswerQuotation<'a> = (&'a QuestionPair, &'a FixtureAnswer, &'a AnswerResult, usize, &'a QuotationFinding);

/// Every kind of finding with its count, and the quotations with their lines, those that are not right first.
pub(super) fn quotations(
    fixture: &Fixture,
    evaluation: &SocioscopeEvaluation,
    transcripts: &Transcripts,
) -> Option<Panel> {
    let answers = fixture.pairs.iter().zip(&evaluation.pairs).flat_map(|(pair, result)| {
        pair.answers.iter().zip(&result.answers).map(move |(answer, graded)| (pair, answer, graded))
    });
    let all: Vec<AnswerQuotation<'_>> = answers
        .flat_map(|(pair, answer, graded)| {
            let findings = graded.findings.iter().enumerate();
            findings.map(move |(at, finding)| (pair, answer, graded, at, finding))
        })
        .collect();
    let mut counts: BTreeMap<_, (usize, Tone)> = BTreeMap::new();
    for (.., finding) in &all {
        counts.entry(finding.status).or_insert((0, tone(finding))).0 += 1;
    }
    let chips: Vec<Chip> =
        counts.iter().map(|(status, (count, tone))| Chip::new(format!("{} {count}", status.name()), *tone)).collect();
    let mut table = PanelTable::new("", ["Quotation", "Finding", "Line", "Case"], 4);
    let (right, wrong): (Vec<_>, Vec<_>) = all.iter().partition(|(.., finding)| finding.status.is_found());
    table.fill(wrong.into_iter().chain(right), |&(pair, answer, graded, at, finding)| {
        let quote = answer.citations.get(at).and_then(|given| given.get("quote")).and_then(Json::as_str).unwrap_or("");
        let cited = graded.transcripts.get(at).copied().flatten();
        let line =
            QuotedLine::from_finding(finding, cited, quote, transcripts).or_else(|| in_passage(answer, finding, quote));
        let place = line.as_ref().map(QuotedLine::place).unwrap_or_default();
        let words = line.map(|line| excerpt(&line.words, SHOWN)).unwrap_or_default();
        let id = answer_id(pair, answer);
        vec![
            excerpt(quote, SHOWN).into(),
            PanelCell::from(finding.status.name()).with_tone(tone(finding)),
            PanelCell::from(place).with_note(words),
            PanelCell::case(&id, excerpt(&id, 80)).with_note(answer.model.clone().unwrap_or_default()),
        ]
    });
    let says = vec![format!("{} quotations in {} transcripts.", all.len(), transcripts.names().count())];
    let title = "Quotations".to_owned();
    (!all.is_empty()).then(|| Panel { title, says, chips, tables: vec![table], ..Panel::default() })
}

/// The line of a passage, where an answer has passages of its own.
fn in_passage(answer: &FixtureAnswer, finding: &QuotationFinding, quote: &str) -> Option<QuotedLine> {
    let number = finding.found_in.or(finding.source)?;
    let text = &answer.context.as_ref()?.get(number)?.text;
    let span = finding.span.as_ref().or_else(|| finding.near.as_ref().map(|near| &near.span));
    // In another passage than the one that is cited it stands as it is quoted.
    let at = if finding.found_in.is_some() { text.find(quote.trim()) } else { span.map(|span| span.start) };
    at.map(|at| QuotedLine::at_byte(&format!("passage {}", number + 1), text, at))
}
