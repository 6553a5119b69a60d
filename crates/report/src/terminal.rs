//! The summary as a table on a terminal or in a log.

use std::env;
use std::io::IsTerminal;

use probare_core::Problem;

use crate::escape::{excerpt, terminal};
use crate::number::{count_with_noun, rounded};
use crate::table::{TextColumn, TextTable};
use crate::{GateVerdict, Groups, Histogram, LabelRemark, MeanInterval, Summary, listed_verdicts};

/// Width that is used where there is no terminal: a log has room, but a table without end is hard to read.
const LOG_WIDTH: u16 = 120;

/// Rows of the table of groups that are printed; files have all.
const GROUP_ROWS: usize = 60;

/// Remarks about the input that are printed.
const PROBLEMS: usize = 5;

/// What the place where text appears can show.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TerminalStyle {
    /// Columns of characters.
    pub width: u16,
    /// Whether colours may be used.
    pub colour: bool,
}

impl TerminalStyle {
    /// No colour, the width of a log.
    pub const PLAIN: Self = Self { width: LOG_WIDTH, colour: false };

    /// What a stream can show: plain unless it is a terminal; without colour if `NO_COLOR` is set to anything, or `TERM`
    /// says `dumb`.
    pub fn for_stream(stream: &impl IsTerminal) -> Self {
        if !stream.is_terminal() {
            return Self::PLAIN;
        }
        let colour = env::var_os("NO_COLOR").is_none_or(|value| value.is_empty())
            && env::var_os("TERM").is_none_or(|value| value != "dumb");
        Self { width: terminal_size::terminal_size().map_or(80, |(width, _)| width.0), colour }
    }

    /// The text so that it stands out, where colours may be used.
    pub fn strong(self, text: &str) -> String {
        self.paint(BOLD, text)
    }

    /// The text in these codes of a terminal, where colours may be used.
    pub(crate) fn paint(self, codes: &str, text: &str) -> String {
        if self.colour { format!("\u{1b}[{codes}m{text}\u{1b}[0m") } else { text.to_owned() }
    }

    /// The text in green where it is good and in red where it is not, where colours may be used.
    pub(crate) fn good_or_bad(self, is_good: bool, text: &str) -> String {
        self.paint(if is_good { GREEN } else { RED }, text)
    }
}

const BOLD: &str = "1";
const GREEN: &str = "32";
const RED: &str = "31";
const YELLOW: &str = "33";

/// Why cases have no score: one cause, however many metrics it kept from scoring and whatever names and numbers stand in it.
struct Cause {
    is_failure: bool,
    metrics: Vec<String>,
    reason: String,
    count: u64,
    /// Further reasons that differ from the first in names and numbers alone.
    alike: usize,
}

/// All causes, those of failures first within each metric.
fn causes(summary: &Summary) -> Vec<Cause> {
    let mut causes: Vec<(Vec<String>, Cause)> = Vec::new();
    for metric in &summary.metrics {
        for (is_failure, reasons) in [(true, &metric.failed_reasons), (false, &metric.not_applicable_reasons)] {
            // Reasons of one shape are one cause.
            let mut own: Vec<(Vec<String>, Cause)> = Vec::new();
            for reason in &reasons.kept {
                let shape = vec![shape(&reason.reason)];
                if let Some((_, cause)) = own.iter_mut().find(|(known, _)| *known == shape) {
                    cause.count += reason.count;
                    cause.alike += 1;
                } else {
                    let metrics = vec![metric.info.name.clone()];
                    let (reason, count) = (reason.reason.clone(), reason.count);
                    own.push((shape, Cause { is_failure, metrics, reason, count, alike: 0 }));
                }
            }
            if reasons.others > 0 {
                let (metrics, reason) = (vec![metric.info.name.clone()], "other reasons".to_owned());
                own.push((Vec::new(), Cause { is_failure, metrics, reason, count: reasons.others, alike: 0 }));
            }
            for (shape, cause) in own {
                let is_same = |(known, other): &&mut (Vec<String>, Cause)| {
                    *known == shape
                        && (other.is_failure, other.count, other.alike) == (is_failure, cause.count, cause.alike)
                };
                match causes.iter_mut().find(is_same) {
                    Some((_, known)) => known.metrics.extend(cause.metrics),
                    None => causes.push((shape, cause)),
                }
            }
        }
    }
    causes.into_iter().map(|(_, cause)| cause).collect()
}

/// A reason without the names and numbers that stand in it.
fn shape(reason: &str) -> String {
    let mut shape = String::new();
    for (at, part) in reason.split('`').enumerate() {
        if at % 2 == 1 {
            shape.push('`');
            continue;
        }
        let is_name = |word: &&str| !word.contains(|character: char| character.is_ascii_digit());
        shape.extend(part.split(|character: char| !character.is_alphanumeric()).filter(is_name));
    }
    shape
}

/// The summary as text: the table, why cases have no score, remarks about the input, the gates.
pub fn render(summary: &Summary, verdicts: &[GateVerdict], look: TerminalStyle) -> String {
    let mut text = table(summary).render(usize::from(look.width));
    if let Some(groups) = &summary.groups {
        text.push_str(&group_table(groups, usize::from(look.width)));
    }
    let mut line = |code: &str, word: &str, rest: &str| {
        text.push_str(&format!("{}: {}\n", look.paint(code, word), terminal(rest)));
    };
    for metric in summary.metrics.iter().filter(|metric| !metric.labels.is_empty()) {
        line(BOLD, "labels", &format!("{}: {}", metric.info.name, metric.label_words()));
    }
    for remark in summary.label_remarks() {
        let (word, words) = remark.parts();
        line(if matches!(remark, LabelRemark::Warning(_)) { YELLOW } else { BOLD }, word, words);
    }
    for metric in summary.metrics.iter().filter(|metric| !metric.repeats.is_empty()) {
        line(BOLD, "repeats", &format!("{}: {}", metric.info.name, metric.repeats.words()));
    }
    for Cause { is_failure, metrics, reason, count, alike } in causes(summary) {
        let (code, word) = if is_failure { (RED, "failed") } else { (YELLOW, "not applicable") };
        let each = if metrics.len() > 1 { " each" } else { "" };
        let more = if alike > 0 { format!(" (and {alike} more like it)") } else { String::new() };
        line(code, word, &format!("{} in {}{each}: {reason}{more}", metrics.join(", "), cases(count)));
    }
    for problem in summary.problems.iter().take(PROBLEMS) {
        let (code, word) = if problem.lost { (RED, "lost") } else { (YELLOW, "warning") };
        line(code, word, &place_and_reason(problem));
    }
    let unlisted = (summary.lost_rows + summary.warnings).saturating_sub(PROBLEMS as u64);
    if unlisted > 0 {
        let remarks = count_with_noun(unlisted, "more remark", "more remarks");
        line(YELLOW, "and", &format!("{remarks} about the input"));
    }
    for why in summary.lacking() {
        line(RED, "incomplete", &why);
    }
    if let Some(words) = about_intervals(summary) {
        line(BOLD, "intervals", &words);
    }
    let mut totals = summary.amount();
    if summary.lost_rows > 0 {
        let rows = if summary.lost_rows == 1 { "row" } else { "rows" };
        totals.push_str(&format!(", {} {rows} not read", summary.lost_rows));
    }
    if let Some(why) = summary.incomplete() {
        totals.push_str(&format!("; incomplete: {why}"));
    }
    line(BOLD, "run", &format!("{totals}, from {}", summary.source));
    let (listed, quiet) = listed_verdicts(verdicts);
    for verdict in listed {
        let sentence = verdict.to_string();
        let (word, rest) = sentence.split_once(": ").unwrap_or(("gate", &sentence));
        line(if verdict.passed { GREEN } else { RED }, word, rest);
    }
    if quiet > 0 {
        line(GREEN, "passed", &format!("{quiet} more in groups"));
    }
    text
}

/// What a reader should know of the intervals: what they rest on, or why there are none.
pub(crate) fn about_intervals(summary: &Summary) -> Option<String> {
    if let Some(why) = &summary.no_intervals {
        return Some(format!("none: {why}"));
    }
    let clusters = summary.clusters.as_ref().map(|clusters| {
        let alone = match clusters.without {
            0 => String::new(),
            without => format!(", {} without it", cases(without)),
        };
        format!("by {} of `{}`{alone}", count_with_noun(clusters.count(), "cluster", "clusters"), clusters.column)
    });
    clusters.or_else(|| summary.has_repeats().then(|| "over cases, each averaged over its outputs first".to_owned()))
}

/// Columns go where there is no room: the distribution first, then least and greatest, then the interval, then the counts
/// that the lines below say again.
fn table(summary: &Summary) -> TextTable {
    let number = |value: Option<f64>| value.map_or_else(|| "-".to_owned(), rounded);
    let mut names = TextColumn::left("metric");
    let mut mean = TextColumn::right("mean");
    let mut interval = TextColumn::right("95 % interval").goes(3);
    let mut scored = TextColumn::right("scored");
    let mut least = TextColumn::right("min").goes(2);
    let mut greatest = TextColumn::right("max").goes(2);
    let mut not_applicable = TextColumn::right("n/a").goes(4);
    let mut failed = TextColumn::right("failed").goes(4);
    let mut distribution = TextColumn::left("distribution").goes(1);
    for metric in &summary.metrics {
        names.push(terminal(&metric.info.name));
        mean.push(number(metric.mean()));
        interval.push(ends(metric.interval()));
        scored.push(metric.denominator());
        least.push(number(metric.min));
        greatest.push(number(metric.max));
        not_applicable.push(metric.not_applicable.to_string());
        failed.push(metric.failed.to_string());
        distribution.push(metric.histogram().as_ref().map(blocks).unwrap_or_default());
    }
    TextTable::new(vec![names, mean, interval, scored, least, greatest, not_applicable, failed, distribution])
}

fn group_table(groups: &Groups, width: usize) -> String {
    let by = groups.by.to_string();
    let mut name = TextColumn::left(&terminal(&by));
    let mut metric = TextColumn::left("metric");
    let mut mean = TextColumn::right("mean");
    let mut interval = TextColumn::right("95 % interval").goes(1);
    let mut scored = TextColumn::right("scored");
    let mut rows = 0;
    let mut unlisted = 0;
    for (at, info) in groups.metrics().iter().enumerate() {
        for (group_name, group) in groups.with_names().filter(|(_, group)| group.scored(at) > 0) {
            if rows == GROUP_ROWS {
                unlisted += 1;
                continue;
            }
            rows += 1;
            name.push(terminal(group_name));
            metric.push(terminal(&info.name));
            mean.push(group.mean(at).map_or_else(|| "-".to_owned(), rounded));
            interval.push(ends(group.interval(at, info)));
            scored.push(group.cases_scored(at).to_string());
        }
    }
    let mut text = TextTable::new(vec![metric, name, mean, interval, scored]).render(width);
    if unlisted > 0 {
        let rows = count_with_noun(unlisted, "more row", "more rows");
        text.push_str(&format!("and {rows}, which the JSON summary and the page have\n"));
    }
    text
}

/// The ends of an interval; a dash where there is none.
fn ends(interval: Option<MeanInterval>) -> String {
    interval.map_or_else(|| "-".to_owned(), |ends| ends.words())
}

/// A histogram in one line of block characters; a bin that is not empty is always visible.
fn blocks(histogram: &Histogram) -> String {
    const BLOCKS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];
    let most = histogram.counts.iter().copied().max().unwrap_or(0).max(1);
    histogram
        .counts
        .iter()
        .map(|count| match count {
            0 => '·',
            count => {
                // Rounded up, between 1 and 8; counts stay far from overflowing when multiplied by 8.
                let height = count.saturating_mul(8).div_ceil(most).clamp(1, 8);
                BLOCKS[usize::try_from(height).unwrap_or(8) - 1]
            }
        })
        .collect()
}

fn cases(count: u64) -> String {
    format!("{count} {}", if count == 1 { "case" } else { "cases" })
}

fn place_and_reason(problem: &Problem) -> String {
    let line = problem.line.map(|line| format!(" at line {line}")).unwrap_or_default();
    let column = problem.column.map(|column| format!(", column {column}")).unwrap_or_default();
    format!("{}{line}{column}: {}", problem.file, excerpt(&problem.reason, 200))
}

#[cfg(test)]
mod tests {
    use unicode_width::UnicodeWidthStr;

    use crate::testing::{events, hostile, metrics, result};
    use crate::{Gate, Gates, RendererOptions};

    use super::*;

    fn rendered(results: &[probare_core::CaseResult], look: TerminalStyle) -> String {
        let gates = Gates::new(vec![Gate::fail_under("relevance=0.6").unwrap()]);
        let mut summary = Summary::new(&RendererOptions { gates, ..RendererOptions::default() });
        events(&mut summary, &metrics(), results);
        render(&summary, &summary.verdicts, look)
    }

    #[test]
    fn the_table_is_plain_without_a_terminal() {
        let text = rendered(&[result("a", 0.5), result("b", 0.9)], TerminalStyle::PLAIN);
        assert!(!text.contains('\u{1b}'));
        insta::assert_snapshot!(text, @r#"
        ──────────────────────────────────────────────────────────────────────────────────────────────────
         metric          mean    95 % interval   scored   min   max   n/a   failed   distribution
        ══════════════════════════════════════════════════════════════════════════════════════════════════
         relevance        0.7   0.000 to 1.000        2   0.5   0.9     0        0   ··········█·······█·
         topic_pivot        -                -        0     -     -     2        0
         hallucination      -                -        0     -     -     0        2
        ──────────────────────────────────────────────────────────────────────────────────────────────────
        not applicable: topic_pivot in 2 cases: the query has one topic
        failed: hallucination in 2 cases: the case has no `reference`
        lost: cases.jsonl at line 3: expected `,` or `}`
        warning: cases.jsonl at line 3: expected `,` or `}`
        incomplete: hallucination has no mean: none of 2 cases could be scored
        run: 2 cases, 1 row not read, from cases.jsonl
        passed: mean relevance 0.7 over 2 scored cases; fails if < 0.6
        "#);
    }

    #[test]
    fn names_and_distributions_are_whole_at_every_width() {
        let mut metrics = metrics();
        metrics[0].name = "deep_search_aggregate_of_all_questions".into();
        for width in [50, 60, 80, 100, 120, 130] {
            let mut summary = Summary::default();
            events(&mut summary, &metrics, &[result("a", 0.5), result("b", 0.75)]);
            let text = render(&summary, &[], TerminalStyle { width, colour: false });
            let table: Vec<&str> = text.lines().take_while(|line| !line.contains(": ")).collect();
            assert!(table.iter().all(|line| line.width() <= usize::from(width)), "{width}:\n{text}");
            assert_eq!(table.len(), 7, "one line a metric at {width}:\n{text}");
            assert_eq!(text.contains(&metrics[0].name), width >= 60, "{width}:\n{text}");
            assert_eq!(text.contains("··········█····█····"), width >= 130, "{width}:\n{text}");
            assert_eq!(text.contains("95 % interval"), width >= 100, "{width}:\n{text}");
        }
    }

    #[test]
    fn labels_are_counted_and_groups_have_their_own_table() {
        let mut results = [result("a", 0.5), result("b", 0.75), result("c", 1.0)];
        for (result, tag) in results.iter_mut().zip(["new", "old", "new"]) {
            result.case.tags = vec![tag.to_owned()];
            if let Ok(probare_core::Outcome::Scored(score)) = &mut result.results[0] {
                score.label = Some(if score.value.get() > 0.6 { "PASS" } else { "FAIL" }.into());
            }
        }
        let options = RendererOptions { by: Some(crate::GroupBy::Tags), ..RendererOptions::default() };
        let mut summary = Summary::new(&options);
        events(&mut summary, &metrics()[..1], &results);
        insta::assert_snapshot!(render(&summary, &[], TerminalStyle { width: 80, colour: false }), @r#"
        ───────────────────────────────────────────────────────────────────────
         metric      mean    95 % interval   scored   min   max   n/a   failed
        ═══════════════════════════════════════════════════════════════════════
         relevance   0.75   0.129 to 1.000        3   0.5     1     0        0
        ───────────────────────────────────────────────────────────────────────
        ───────────────────────────────────────────────────
         metric      tags   mean    95 % interval   scored
        ═══════════════════════════════════════════════════
         relevance   new    0.75   0.000 to 1.000        2
         relevance   old    0.75                -        1
        ───────────────────────────────────────────────────
        labels: relevance: PASS 2, FAIL 1
        lost: cases.jsonl at line 3: expected `,` or `}`
        warning: cases.jsonl at line 3: expected `,` or `}`
        run: 3 cases, 1 row not read, from cases.jsonl
        "#);
    }

    #[test]
    fn hostile_text_cannot_reach_the_terminal() {
        let text = rendered(&[hostile()], TerminalStyle { width: 80, colour: true });
        let own = [GREEN, RED, YELLOW, BOLD, "0"].map(|code| format!("\u{1b}[{code}m"));
        let rest = own.iter().fold(text.clone(), |text, code| text.replace(code, ""));
        // Red is one of our own codes: what the model wrote is shown, not obeyed.
        assert!(text.contains("\\u{1b}[31m"));
        assert!(!rest.contains(['\u{1b}', '\u{202e}', '\u{0}', '\u{8}']));
    }
}
