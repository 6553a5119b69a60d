//! [`Terminal`]: the summary as a table on a terminal or in a log.

use std::env;
use std::io::{self, IsTerminal, Write};

use comfy_table::{Cell, CellAlignment, ContentArrangement, LineStyle, Table, presets};
use probare_core::{Event, Problem, Sink, Stop};

use crate::escape::{excerpt, terminal};
use crate::number::rounded;
use crate::{Histogram, Options, Output, Summary, Verdict};

/// Width that is used where there is no terminal: a log has room, but a table without end is hard to read.
const LOG_WIDTH: u16 = 120;

/// Below this width the table leaves out least, greatest and distribution.
const NARROW: u16 = 72;

/// Remarks about the input that are printed.
const PROBLEMS: usize = 5;

/// What the place where text appears can show.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Look {
    /// Columns of characters.
    pub width: u16,
    /// Whether colours may be used.
    pub colour: bool,
}

impl Look {
    /// No colour, the width of a log.
    pub const PLAIN: Self = Self { width: LOG_WIDTH, colour: false };

    /// What a stream can show: plain unless it is a terminal; without colour if `NO_COLOR` is set to anything, or `TERM`
    /// says `dumb`.
    pub fn of(stream: &impl IsTerminal) -> Self {
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

    fn paint(self, code: &str, text: &str) -> String {
        if self.colour { format!("\u{1b}[{code}m{text}\u{1b}[0m") } else { text.to_owned() }
    }
}

const BOLD: &str = "1";
const GREEN: &str = "32";
const RED: &str = "31";
const YELLOW: &str = "33";

/// Prints the summary when the run ends.
#[derive(Debug)]
pub struct Terminal {
    output: Output,
    options: Options,
    look: Look,
    summary: Summary,
}

impl Terminal {
    /// The summary goes to `output`, made for `look`.
    pub fn new(output: Output, options: Options, look: Look) -> Self {
        Self { output, options, look, summary: Summary::default() }
    }

    fn finish(&mut self, stop: Stop) -> io::Result<()> {
        let verdicts = self.options.gates.verdicts(&self.summary);
        self.output.write_all(render(&self.summary, &verdicts, self.look).as_bytes())?;
        self.output.finish(stop).map(|_| ())
    }
}

impl Sink for Terminal {
    fn event(&mut self, event: &Event<'_>) -> io::Result<()> {
        self.summary.event(event)?;
        match event {
            Event::Finished(finish) => self.finish(finish.stop),
            _ => Ok(()),
        }
    }
}

/// The summary as text: the table, why cases have no score, remarks about the input, the gates.
pub fn render(summary: &Summary, verdicts: &[Verdict], look: Look) -> String {
    let mut text = format!("{}\n", table(summary, look).trim_fmt());
    let mut line = |code: &str, word: &str, rest: &str| {
        text.push_str(&format!("{}: {}\n", look.paint(code, word), terminal(rest)));
    };
    for metric in &summary.metrics {
        let both =
            [(RED, "failed", &metric.failed_reasons), (YELLOW, "not applicable", &metric.not_applicable_reasons)];
        for (code, word, reasons) in both {
            for reason in &reasons.kept {
                line(code, word, &format!("{} in {}: {}", metric.info.name, cases(reason.count), reason.reason));
            }
            if reasons.others > 0 {
                line(code, word, &format!("{} in {}: other reasons", metric.info.name, cases(reasons.others)));
            }
        }
    }
    for problem in summary.problems.iter().take(PROBLEMS) {
        let (code, word) = if problem.lost { (RED, "lost") } else { (YELLOW, "warning") };
        line(code, word, &place_and_reason(problem));
    }
    let unlisted = (summary.lost_rows + summary.warnings).saturating_sub(PROBLEMS as u64);
    if unlisted > 0 {
        line(YELLOW, "and", &format!("{unlisted} more remarks about the input"));
    }
    let mut totals = cases(summary.cases);
    if summary.lost_rows > 0 {
        let rows = if summary.lost_rows == 1 { "row" } else { "rows" };
        totals.push_str(&format!(", {} {rows} not read", summary.lost_rows));
    }
    if let Some(why) = summary.incomplete() {
        totals.push_str(&format!("; incomplete: {why}"));
    }
    line(BOLD, "run", &format!("{totals}, from {}", summary.source));
    for verdict in verdicts {
        let sentence = verdict.to_string();
        let (word, rest) = sentence.split_once(": ").unwrap_or(("gate", &sentence));
        line(if verdict.passed { GREEN } else { RED }, word, rest);
    }
    text
}

fn table(summary: &Summary, look: Look) -> Table {
    let wide = look.width >= NARROW;
    let mut table = Table::new();
    table
        .load_style(presets::UTF8_HORIZONTAL_ONLY.row_separator(LineStyle::none()))
        .set_content_arrangement(ContentArrangement::Dynamic)
        .set_width(look.width.max(20));
    let numbers = |names: &[&'static str]| -> Vec<Cell> {
        names.iter().map(|name| Cell::new(name).set_alignment(CellAlignment::Right)).collect()
    };
    let mut header = vec![Cell::new("metric")];
    header.extend(numbers(if wide {
        &["mean", "scored", "min", "max", "n/a", "failed"]
    } else {
        &["mean", "scored", "n/a", "failed"]
    }));
    if wide {
        header.push(Cell::new("distribution"));
    }
    table.set_header(header);
    for metric in &summary.metrics {
        let number = |value: Option<f64>| value.map_or_else(|| "-".to_owned(), rounded);
        let mut cells = vec![number(metric.mean()), metric.scored.to_string()];
        if wide {
            cells.extend([number(metric.min), number(metric.max)]);
        }
        cells.extend([metric.not_applicable.to_string(), metric.failed.to_string()]);
        let mut row = vec![Cell::new(terminal(&metric.info.name))];
        row.extend(cells.into_iter().map(|cell| Cell::new(cell).set_alignment(CellAlignment::Right)));
        if wide {
            row.push(Cell::new(metric.histogram().as_ref().map(blocks).unwrap_or_default()));
        }
        table.add_row(row);
    }
    table
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

    use crate::testing::{Written, events, hostile, metrics, result};
    use crate::{Gate, Gates};

    use super::*;

    fn rendered(results: &[probare_core::CaseResult], look: Look) -> String {
        let written = Written::default();
        let gates = Gates::new(vec![Gate::fail_under("relevance=0.6").unwrap()]);
        let options = Options { gates, ..Options::default() };
        events(&mut Terminal::new(written.output(), options, look), &metrics(), results);
        written.text()
    }

    #[test]
    fn the_table_is_plain_without_a_terminal() {
        let text = rendered(&[result("a", 0.5), result("b", 0.9)], Look::PLAIN);
        assert!(!text.contains('\u{1b}'));
        insta::assert_snapshot!(text, @r#"
        ─────────────────────────────────────────────────────────────────────────────────
         metric          mean   scored   min   max   n/a   failed   distribution
        ═════════════════════════════════════════════════════════════════════════════════
         relevance        0.7        2   0.5   0.9     0        0   ··········█·······█·
         topic_pivot        -        0     -     -     2        0
         hallucination      -        0     -     -     0        2
        ─────────────────────────────────────────────────────────────────────────────────
        not applicable: topic_pivot in 2 cases: the query has one topic
        failed: hallucination in 2 cases: the case has no `reference`
        lost: cases.jsonl at line 3: expected `,` or `}`
        warning: cases.jsonl at line 3: expected `,` or `}`
        run: 2 cases, 1 row not read, from cases.jsonl
        passed: mean relevance 0.7 over 2 scored cases; fails if < 0.6
        "#);
    }

    #[test]
    fn a_narrow_terminal_gets_a_narrow_table() {
        let text = rendered(&[result("a", 0.5)], Look { width: 50, colour: false });
        let table: Vec<&str> = text.lines().take_while(|line| !line.contains(": ")).collect();
        assert!(table.iter().all(|line| line.width() <= 50), "{text}");
    }

    #[test]
    fn hostile_text_cannot_reach_the_terminal() {
        let text = rendered(&[hostile()], Look { width: 80, colour: true });
        let own = [GREEN, RED, YELLOW, BOLD, "0"].map(|code| format!("\u{1b}[{code}m"));
        let rest = own.iter().fold(text.clone(), |text, code| text.replace(code, ""));
        // Red is one of our own codes: what the model wrote is shown, not obeyed.
        assert!(text.contains("\\u{1b}[31m"));
        assert!(!rest.contains(['\u{1b}', '\u{202e}', '\u{0}', '\u{8}']));
    }
}
