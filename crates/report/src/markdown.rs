//! [`Markdown`]: a page for a pull request or a wiki: the summary, the gates, and the worst cases of every metric.

use std::io::{self, Write};

use probare_core::{CaseResult, Event, MetricInfo, Problem, Score, Sink, Stop};

use crate::escape::{excerpt, markdown};
use crate::number::{count, counted, rounded};
use crate::status::score;
use crate::summary::Reasons;
use crate::worst::{Rank, Worst};
use crate::{Options, Output, Summary, VERSION};

/// Worst cases that are shown for each metric.
const CASES: usize = 5;

/// Characters of a query or a response that are shown.
const EXCERPT: usize = 160;

/// Writes a Markdown page when the run ends.
#[derive(Debug)]
pub struct Markdown {
    output: Output,
    options: Options,
    metrics: Vec<MetricInfo>,
    summary: Summary,
    /// For each metric, finished table rows.
    worst: Vec<Worst<String>>,
}

impl Markdown {
    /// The page goes to `output`.
    pub fn new(output: Output, options: Options) -> Self {
        Self { output, options, metrics: Vec::new(), summary: Summary::default(), worst: Vec::new() }
    }

    fn case(&mut self, result: &CaseResult) {
        for ((metric, worst), named) in self.metrics.iter().zip(&mut self.worst).zip(&result.results) {
            if let Some(score) = score(named) {
                let rank = Rank::of_value(metric, score.value.get(), self.summary.cases);
                worst.offer(rank, || {
                    let row = row(result, score);
                    (row.len(), row)
                });
            }
        }
    }

    fn page(&self) -> String {
        let summary = &self.summary;
        let mut page = format!("# {}\n\n", markdown(&self.options.title(summary)));
        page.push_str(&format!(
            "{} from {}, scored by Probare {VERSION}.",
            counted(summary.cases, "case", "cases"),
            markdown(&summary.source),
        ));
        if let Some(why) = summary.incomplete() {
            page.push_str(&format!(" **Incomplete:** {why}."));
        }
        page.push_str("\n\n");
        page.push_str(&self.gates());
        page.push_str(&means(summary));
        page.push_str(&problems(summary));
        for (metric, worst) in summary.metrics.iter().zip(&self.worst) {
            let name = markdown(&metric.info.name);
            let reasons =
                reasons("failed", &metric.failed_reasons) + &reasons("not applicable", &metric.not_applicable_reasons);
            if worst.len() == 0 && reasons.is_empty() {
                continue;
            }
            page.push_str(&format!("\n## {name}\n\n{}\n", markdown(&metric.info.summary)));
            if worst.len() > 0 {
                page.push_str(&format!("\nThe worst {} of {} scored:\n\n", worst.len(), count(metric.scored)));
                page.push_str("| case | value | query | response | evidence |\n|---|---:|---|---|---|\n");
                worst.iter().for_each(|row| page.push_str(row));
            }
            page.push_str(&reasons);
        }
        page
    }

    fn gates(&self) -> String {
        if self.options.gates.is_empty() {
            return String::new();
        }
        let mut text = String::from("## Gates\n\n");
        for verdict in self.options.gates.verdicts(&self.summary) {
            let sign = if verdict.passed { "✅" } else { "❌" };
            text.push_str(&format!("- {sign} {}\n", markdown(&verdict.to_string())));
        }
        text.push('\n');
        text
    }

    fn finish(&mut self, stop: Stop) -> io::Result<()> {
        let page = self.page();
        self.output.write_all(page.as_bytes())?;
        self.output.finish(stop).map(|_| ())
    }
}

impl Sink for Markdown {
    fn event(&mut self, event: &Event<'_>) -> io::Result<()> {
        self.summary.event(event)?;
        match event {
            Event::Started { metrics, .. } => {
                self.metrics = metrics.to_vec();
                self.worst = metrics.iter().map(|_| Worst::new(CASES, usize::MAX)).collect();
                Ok(())
            }
            Event::Scored(result) => {
                self.case(result);
                Ok(())
            }
            Event::Finished(finish) => self.finish(finish.stop),
            _ => Ok(()),
        }
    }
}

fn means(summary: &Summary) -> String {
    let mut text = String::from(
        "## Summary\n\n| metric | mean | of | min | max | not applicable | failed | better |\n|---|---:|---:|---:|---:|---:|---:|---|\n",
    );
    for metric in &summary.metrics {
        let number = |value: Option<f64>| value.map_or_else(|| "–".to_owned(), rounded);
        text.push_str(&format!(
            "| {} | {} | {} | {} | {} | {} | {} | {} |\n",
            markdown(&metric.info.name),
            number(metric.mean()),
            count(metric.scored),
            number(metric.min),
            number(metric.max),
            count(metric.not_applicable),
            count(metric.failed),
            metric.info.better.name(),
        ));
    }
    text
}

fn problems(summary: &Summary) -> String {
    let all = summary.lost_rows + summary.warnings;
    if all == 0 {
        return String::new();
    }
    let mut text = format!(
        "\n## Input\n\n{}, {}.\n\n",
        counted(summary.lost_rows, "row could not be read", "rows could not be read"),
        counted(summary.warnings, "warning", "warnings"),
    );
    for Problem { file, line, reason, lost, .. } in &summary.problems {
        let line = line.map(|line| format!(", line {line}")).unwrap_or_default();
        let word = if *lost { "lost" } else { "kept" };
        text.push_str(&format!("- {word}: {}{line}: {}\n", markdown(file), markdown(&excerpt(reason, EXCERPT))));
    }
    let unlisted = all - summary.problems.len() as u64;
    if unlisted > 0 {
        text.push_str(&format!("- and {} more\n", count(unlisted)));
    }
    text
}

fn reasons(heading: &str, reasons: &Reasons) -> String {
    let mut text = String::new();
    for reason in &reasons.kept {
        text.push_str(&format!(
            "- {heading}, {}: {}\n",
            counted(reason.count, "case", "cases"),
            markdown(&reason.reason)
        ));
    }
    if reasons.others > 0 {
        text.push_str(&format!("- {heading}, {}: other reasons\n", counted(reasons.others, "case", "cases")));
    }
    if text.is_empty() { text } else { format!("\n{text}") }
}

/// One row of the table of worst cases.
fn row(result: &CaseResult, score: &Score) -> String {
    let evidence: Vec<String> = (score.evidence.iter().take(3))
        .map(|piece| format!("{} “{}”", piece.kind.name(), excerpt(&piece.text, 60)))
        .collect();
    let response = result.case.response.as_ref().map_or("", |response| response.text.as_str());
    format!(
        "| {} | {} | {} | {} | {} |\n",
        markdown(&excerpt(&result.case.id, 60)),
        rounded(score.value.get()),
        markdown(&excerpt(result.case.query.as_deref().unwrap_or(""), EXCERPT)),
        markdown(&excerpt(response, EXCERPT)),
        markdown(&evidence.join(", ")),
    )
}

#[cfg(test)]
mod tests {
    use crate::testing::{Written, events, hostile, metrics, result};
    use crate::{Gate, Gates};

    use super::*;

    fn rendered(results: &[CaseResult]) -> String {
        let written = Written::default();
        let gates = Gates::new(vec![Gate::fail_under("relevance=0.7").unwrap()]);
        let options = Options { gates, ..Options::default() };
        events(&mut Markdown::new(written.output(), options), &metrics(), results);
        written.text().replace(VERSION, "[version]")
    }

    #[test]
    fn a_page_has_gates_means_and_the_worst_cases() {
        insta::assert_snapshot!(rendered(&[result("a", 0.5), result("b", 0.9)]), @r#"
        # Evaluation of cases.jsonl

        2 cases from cases.jsonl, scored by Probare [version].

        ## Gates

        - ✅ passed: mean relevance 0.7 over 2 scored cases; fails if &lt; 0.7

        ## Summary

        | metric | mean | of | min | max | not applicable | failed | better |
        |---|---:|---:|---:|---:|---:|---:|---|
        | relevance | 0.7 | 2 | 0.5 | 0.9 | 0 | 0 | higher |
        | topic\_pivot | – | 0 | – | – | 2 | 0 | higher |
        | hallucination | – | 0 | – | – | 0 | 2 | lower |

        ## Input

        1 row could not be read, 1 warning.

        - lost: cases.jsonl, line 3: expected \`,\` or \`\}\`
        - kept: cases.jsonl, line 3: expected \`,\` or \`\}\`

        ## relevance

        what relevance measures

        The worst 2 of 2 scored:

        | case | value | query | response | evidence |
        |---|---:|---|---|---|
        | a | 0.5 | Why did books become cheap? | The press made books cheap. | found “press” |
        | b | 0.9 | Why did books become cheap? | The press made books cheap. | found “press” |

        ## topic\_pivot

        what topic\_pivot measures

        - not applicable, 2 cases: the query has one topic

        ## hallucination

        what hallucination measures

        - failed, 2 cases: the case has no \`reference\`
        "#);
    }

    #[test]
    fn hostile_text_is_no_markup() {
        let page = rendered(&[hostile()]);
        assert!(!page.contains(['<', '\u{1b}', '\u{202e}', '\u{0}']));
        let row = page.lines().find(|line| line.contains("pipe")).unwrap();
        let bars = row.match_indices('|').filter(|(at, _)| !row[..*at].ends_with('\\')).count();
        assert_eq!(bars, 6, "five cells: {row}");
        assert!(!row.replace("\\`", "").contains('`'));
    }
}
