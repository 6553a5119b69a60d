//! [`Markdown`]: a page for a pull request or a wiki: the gates, the summary, and, folded away, the worst cases of every
//! metric. It always fits into a comment: what would not is left out and said.

use std::io::{self, Write};

use probare_core::{CaseResult, Event, MetricInfo, Panel, PanelCell, Problem, RunEnd, Score, Sink};

use crate::escape::{excerpt, html, markdown};
use crate::number::{count, count_with_noun, rounded};
use crate::status::{model_and_repeat, score};
use crate::summary::ReasonCounts;
use crate::terminal::about_intervals;
use crate::timeline::answer_text;
use crate::worst::{Rank, Worst};
use crate::{MeanInterval, MetricSummary, OutputWriter, RendererOptions, Summary, VERSION, listed_verdicts};

/// Worst cases that are shown for each metric.
const CASES: usize = 5;

/// Bytes of a page. A comment on the usual platforms holds 65,536 characters.
const BYTES: usize = 60_000;

/// Groups that are listed for each metric.
const GROUPS: usize = 20;

/// Characters of a query or a response that are shown.
const EXCERPT: usize = 160;

/// Writes a Markdown page when the run ends.
#[derive(Debug)]
pub struct Markdown {
    output: OutputWriter,
    options: RendererOptions,
    metrics: Vec<MetricInfo>,
    /// Outputs so far.
    outputs: u64,
    /// For each metric, finished table rows.
    worst: Vec<Worst<String>>,
}

impl Markdown {
    /// The page goes to `output`.
    pub fn new(output: OutputWriter, options: RendererOptions) -> Self {
        Self { output, options, metrics: Vec::new(), outputs: 0, worst: Vec::new() }
    }

    fn case(&mut self, result: &CaseResult) {
        self.outputs += 1;
        for ((metric, worst), named) in self.metrics.iter().zip(&mut self.worst).zip(&result.results) {
            if let Some(score) = score(named) {
                let rank = Rank::for_value(metric, score.value.get(), self.outputs);
                worst.offer(rank, || {
                    let row = row(result, score);
                    (row.len(), row)
                });
            }
        }
    }

    fn page(&self, summary: &Summary, panels: &[Panel]) -> String {
        let mut page = format!("# {}\n\n", markdown(&self.options.title(&summary.source)));
        page.push_str(&format!(
            "{} from {}, scored by Probare {VERSION}.",
            summary.amount(),
            markdown(&summary.source),
        ));
        for why in summary.incomplete().map(str::to_owned).into_iter().chain(summary.lacking()) {
            page.push_str(&format!(" **Incomplete:** {}.", markdown(&why)));
        }
        page.push_str("\n\n");
        page.push_str(&gates(summary));
        for text in panels.iter().map(panel) {
            // What a benchmark has to say about itself may fill half of the page; its numbers are in the other files too.
            if page.len() + text.len() <= BYTES / 2 {
                page.push_str(&text);
            }
        }
        page.push_str(&means(summary));
        page.push_str(&problems(summary));
        page.push_str(&groups(summary));
        let mut unlisted = 0;
        for (metric, worst) in summary.metrics.iter().zip(&self.worst) {
            let section = section(metric, worst);
            if page.len() + section.len() > BYTES {
                unlisted += 1;
            } else {
                page.push_str(&section);
            }
        }
        if unlisted > 0 {
            let metrics = count_with_noun(unlisted, "metric", "metrics");
            page.push_str(&format!("\nThe cases of {metrics} are omitted: the page would not fit into a comment.\n"));
        }
        page
    }

    fn finish(&mut self, finish: &RunEnd) -> io::Result<()> {
        let page = self.page(Summary::required(finish)?, &finish.panels);
        self.output.write_all(page.as_bytes())?;
        self.output.finish(finish.stop).map(|_| ())
    }
}

impl Sink for Markdown {
    fn event(&mut self, event: &Event<'_>) -> io::Result<()> {
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
            Event::Finished(finish) => self.finish(finish),
            _ => Ok(()),
        }
    }
}

/// What became of the gates.
fn gates(summary: &Summary) -> String {
    if summary.verdicts.is_empty() {
        return String::new();
    }
    let mut text = String::from("## Gates\n\n");
    let (listed, quiet) = listed_verdicts(&summary.verdicts);
    let mut unlisted = 0;
    for verdict in listed {
        if text.len() > BYTES / 3 {
            unlisted += 1;
            continue;
        }
        let sign = if verdict.passed { "✅" } else { "❌" };
        text.push_str(&format!("- {sign} {}\n", markdown(&verdict.to_string())));
    }
    if unlisted > 0 {
        text.push_str(&format!("- ❌ and {} more\n", count(unlisted)));
    }
    if quiet > 0 {
        text.push_str(&format!("- ✅ {} more in groups\n", count(quiet)));
    }
    text.push('\n');
    text
}

/// What a benchmark says about a run: a heading, sentences, words and tables, without the charts.
pub fn panel(panel: &Panel) -> String {
    let mut text = format!("## {}\n\n", markdown(&panel.title));
    panel.says.iter().for_each(|words| text.push_str(&format!("{}\n\n", markdown(words))));
    if !panel.chips.is_empty() {
        let chips: Vec<String> = panel.chips.iter().map(|chip| markdown(&chip.words).into_owned()).collect();
        text.push_str(&format!("{}\n\n", chips.join(" · ")));
    }
    for one in &panel.tables {
        if !one.title.is_empty() {
            text.push_str(&format!("### {}\n\n", markdown(&one.title)));
        }
        let words = |PanelCell { words, note, .. }: &PanelCell| match note.as_str() {
            "" => words.clone(),
            note => format!("{words} ({note})"),
        };
        let head: Vec<&str> = one.columns.iter().map(String::as_str).collect();
        text.push_str(&table_of(&head, one.words, one.rows.iter().map(|row| row.iter().map(words).collect())));
        if one.more > 0 {
            text.push_str(&format!("and {} more\n\n", count(one.more)));
        }
    }
    text
}

/// A table: the first column is words, the others are numbers. Cells are escaped here.
pub fn table(head: &[&str], rows: impl IntoIterator<Item = Vec<String>>) -> String {
    table_of(head, 1, rows)
}

/// The same with several columns of words.
fn table_of(head: &[&str], words: usize, rows: impl IntoIterator<Item = Vec<String>>) -> String {
    let line = |cells: &[String]| format!("| {} |\n", cells.join(" | "));
    let escaped = |cells: Vec<String>| cells.iter().map(|cell| markdown(cell).into_owned()).collect::<Vec<String>>();
    let mut text = line(&escaped(head.iter().map(|name| (*name).to_owned()).collect()));
    let numbers = head.len().saturating_sub(words);
    text.push_str(&format!("|{}{}\n", "---|".repeat(head.len() - numbers), "---:|".repeat(numbers)));
    for row in rows {
        text.push_str(&line(&escaped(row)));
    }
    text.push('\n');
    text
}

/// What one metric said, folded away: the line that is seen names it.
fn section(metric: &MetricSummary, worst: &Worst<String>) -> String {
    let reasons =
        reasons("failed", &metric.failed_reasons) + &reasons("not applicable", &metric.not_applicable_reasons);
    if worst.len() == 0 && reasons.is_empty() {
        return String::new();
    }
    let name = html(&metric.info.name);
    let mut text = match worst.len() {
        0 => format!("\n<details><summary>{name}</summary>\n"),
        shown => {
            let scored = count(metric.scored);
            format!("\n<details><summary>{name}: the worst {shown} of {scored} scored</summary>\n")
        }
    };
    text.push_str(&format!("\n{}\n", markdown(&metric.info.summary)));
    if worst.len() > 0 {
        text.push_str("\n| case | value | query | response | evidence |\n|---|---:|---|---|---|\n");
        worst.iter().for_each(|row| text.push_str(row));
    }
    text.push_str(&reasons);
    text.push_str("\n</details>\n");
    text
}

/// A mean with its interval.
fn mean_of(mean: Option<f64>, interval: Option<MeanInterval>) -> String {
    let mean = mean.map_or_else(|| "–".to_owned(), rounded);
    match interval {
        Some(ends) => format!("{mean} ({})", ends.words()),
        None => mean,
    }
}

fn groups(summary: &Summary) -> String {
    let Some(groups) = &summary.groups else { return String::new() };
    let by = markdown(&groups.by.to_string()).into_owned();
    let mut text = format!("\n## By {by}\n\n| {by} | metric | mean (95 %) | of |\n|---|---|---:|---:|\n");
    let mut unlisted = 0;
    for (at, info) in groups.metrics().iter().enumerate() {
        for (place, (name, group)) in groups.with_names().filter(|(_, group)| group.scored(at) > 0).enumerate() {
            if place >= GROUPS || text.len() > BYTES / 3 {
                unlisted += 1;
                continue;
            }
            text.push_str(&format!(
                "| {} | {} | {} | {} |\n",
                markdown(&excerpt(name, 60)),
                markdown(&info.name),
                mean_of(group.mean(at), group.interval(at, info)),
                count(group.cases_scored(at)),
            ));
        }
    }
    if unlisted > 0 {
        text.push_str(&format!("\nand {}\n", count_with_noun(unlisted, "more row", "more rows")));
    }
    text
}

fn means(summary: &Summary) -> String {
    let mut text = String::from(
        "## Summary\n\n| metric | mean (95 %) | of | min | max | not applicable | failed | better |\n|---|---:|---:|---:|---:|---:|---:|---|\n",
    );
    for metric in &summary.metrics {
        let number = |value: Option<f64>| value.map_or_else(|| "–".to_owned(), rounded);
        text.push_str(&format!(
            "| {} | {} | {} | {} | {} | {} | {} | {} |\n",
            markdown(&metric.info.name),
            mean_of(metric.mean(), metric.interval()),
            metric.denominator(),
            number(metric.min),
            number(metric.max),
            count(metric.not_applicable),
            count(metric.failed),
            metric.info.better.name(),
        ));
    }
    if let Some(words) = about_intervals(summary) {
        text.push_str(&format!("\n{}\n", markdown(&words)));
    }
    let labelled: Vec<&MetricSummary> = summary.metrics.iter().filter(|metric| !metric.labels.is_empty()).collect();
    let has_labels = !labelled.is_empty();
    if has_labels {
        text.push('\n');
    }
    for metric in labelled {
        text.push_str(&format!("- {}: {}\n", markdown(&metric.info.name), markdown(&metric.label_words())));
    }
    for remark in summary.label_remarks() {
        let (word, words) = remark.parts();
        text.push_str(&format!("- {word}: {}\n", markdown(words)));
    }
    for (at, metric) in summary.metrics.iter().filter(|metric| !metric.repeats.is_empty()).enumerate() {
        let before = if at == 0 && !has_labels { "\n" } else { "" };
        text.push_str(&format!("{before}- {}: {}\n", markdown(&metric.info.name), metric.repeats.words()));
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
        count_with_noun(summary.lost_rows, "row could not be read", "rows could not be read"),
        count_with_noun(summary.warnings, "warning", "warnings"),
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

fn reasons(heading: &str, reasons: &ReasonCounts) -> String {
    let mut text = String::new();
    for reason in &reasons.kept {
        text.push_str(&format!(
            "- {heading}, {}: {}\n",
            count_with_noun(reason.count, "case", "cases"),
            markdown(&reason.reason)
        ));
    }
    if reasons.others > 0 {
        text.push_str(&format!("- {heading}, {}: other reasons\n", count_with_noun(reasons.others, "case", "cases")));
    }
    if text.is_empty() { text } else { format!("\n{text}") }
}

/// One row of the table of worst cases.
fn row(result: &CaseResult, score: &Score) -> String {
    let evidence: Vec<String> = (score.evidence.iter().take(3))
        .map(|piece| format!("{} “{}”", piece.kind.name(), excerpt(&piece.text, 60)))
        .collect();
    let response = answer_text(&result.case).unwrap_or_default();
    let value = match &score.label {
        Some(label) => format!("{} ({})", excerpt(label, 40), rounded(score.value.get())),
        None => rounded(score.value.get()),
    };
    format!(
        "| {} | {} | {} | {} | {} |\n",
        markdown(&match model_and_repeat(result) {
            Some(whose) => format!("{} ({whose})", excerpt(&result.case.id, 60)),
            None => excerpt(&result.case.id, 60),
        }),
        markdown(&value),
        markdown(&excerpt(result.case.query.as_deref().unwrap_or(""), EXCERPT)),
        markdown(&excerpt(&response, EXCERPT)),
        markdown(&evidence.join(", ")),
    )
}

#[cfg(test)]
mod tests {
    use crate::testing::{MemoryOutput, events, events_of, hostile, metrics, result};
    use crate::{Gate, Gates};

    use super::*;

    fn rendered(results: &[CaseResult]) -> String {
        let written = MemoryOutput::default();
        let gates = Gates::new(vec![Gate::fail_under("relevance=0.7").unwrap()]);
        let options = RendererOptions { gates, ..RendererOptions::default() };
        events_of(&mut Markdown::new(written.output(), options.clone()), &options, &metrics(), results);
        written.text().replace(VERSION, "[version]")
    }

    #[test]
    fn a_page_has_gates_means_and_the_worst_cases() {
        insta::assert_snapshot!(rendered(&[result("a", 0.5), result("b", 0.9)]), @r#"
        # Evaluation of cases.jsonl

        2 cases from cases.jsonl, scored by Probare [version]. **Incomplete:** hallucination has no mean: none of 2 cases could be scored.

        ## Gates

        - ✅ passed: mean relevance 0.7 over 2 scored cases; fails if &lt; 0.7

        ## Summary

        | metric | mean (95 %) | of | min | max | not applicable | failed | better |
        |---|---:|---:|---:|---:|---:|---:|---|
        | relevance | 0.7 (0.000 to 1.000) | 2 | 0.5 | 0.9 | 0 | 0 | higher |
        | topic\_pivot | – | 0 | – | – | 2 | 0 | higher |
        | hallucination | – | 0 | – | – | 0 | 2 | lower |

        ## Input

        1 row could not be read, 1 warning.

        - lost: cases.jsonl, line 3: expected \`,\` or \`\}\`
        - kept: cases.jsonl, line 3: expected \`,\` or \`\}\`

        <details><summary>relevance: the worst 2 of 2 scored</summary>

        what relevance measures

        | case | value | query | response | evidence |
        |---|---:|---|---|---|
        | a | 0.5 | Why did books become cheap? | The press made books cheap. | matched “press” |
        | b | 0.9 | Why did books become cheap? | The press made books cheap. | matched “press” |

        </details>

        <details><summary>topic_pivot</summary>

        what topic\_pivot measures

        - not applicable, 2 cases: the query has one topic

        </details>

        <details><summary>hallucination</summary>

        what hallucination measures

        - failed, 2 cases: the case has no \`reference\`

        </details>
        "#);
    }

    #[test]
    fn a_table_is_escaped_cell_by_cell() {
        let rows = [vec!["a|b".to_owned(), "0.5".to_owned()]];
        assert_eq!(table(&["Name", "Mean"], rows), "| Name | Mean |\n|---|---:|\n| a\\|b | 0.5 |\n\n");
    }

    #[test]
    fn a_page_fits_into_a_comment() {
        let many: Vec<MetricInfo> =
            (0..60).map(|number| MetricInfo { name: format!("metric_{number}"), ..metrics()[0].clone() }).collect();
        let mut long = result("a", 0.5);
        long.case.query = Some("word ".repeat(200));
        long.results = vec![long.results[0].clone(); 60];
        let written = MemoryOutput::default();
        events(&mut Markdown::new(written.output(), RendererOptions::default()), &many, &vec![long; 9]);
        let page = written.text();
        assert!(page.len() < 65_536, "{}", page.len());
        assert!(page.contains("metrics are omitted: the page would not fit into a comment."), "{page}");
    }

    #[test]
    fn hostile_text_is_no_markup() {
        let page = rendered(&[hostile()]);
        let own = ["<details>", "</details>", "<summary>", "</summary>"];
        let rest = own.iter().fold(page.clone(), |page, tag| page.replace(tag, ""));
        assert!(!rest.contains(['<', '\u{1b}', '\u{202e}', '\u{0}']));
        let row = page.lines().find(|line| line.contains("pipe") && line.starts_with('|')).unwrap();
        let bars = row.match_indices('|').filter(|(at, _)| !row[..*at].ends_with('\\')).count();
        assert_eq!(bars, 6, "five cells: {row}");
        assert!(!row.replace("\\`", "").contains('`'));
    }
}
