//! [`Html`]: the report of a run as one page.
//!
//! All cases are on the page, as data that its script shows fifty at a time: up to 100,000 cases and about 200 MB of
//! them, and of any that come later the worst thousand, by the rule in [`crate::shortfall`] and its module; the page says
//! how many it leaves out. They pass through temporary files, so memory does not grow with the run. All numbers above the
//! table are of the whole run. Without scripts the worst hundred can still be read.

use std::io::{self, Write};

use probare_core::{CaseResult, ErrorKind, Event, MetricInfo, MetricResult, Outcome, RunEnd, Sink, Stop};

use super::data::PageCases;
use super::overview::{self, breakable};
use super::record::{IndexItem, PageSettings, case_opening, index_item, page_settings, record};
use super::{PAGE_END, gate_banner, page_script, page_start};
use crate::escape::{excerpt, html, script_json};
use crate::number::{count, three_decimals};
use crate::status::model_and_repeat;
use crate::worst::{Rank, Worst};
use crate::{OutputWriter, RendererOptions, Summary, listed_verdicts, manifest};

/// Cases that are shown without scripts.
const ROWS: usize = 100;

/// Cases beyond those that a page has room for, and their bytes.
const BEYOND: usize = 1000;
const BEYOND_BYTES: usize = 24 << 20;

/// Writes the page when the run ends.
#[derive(Debug)]
pub struct Html {
    output: OutputWriter,
    options: RendererOptions,
    metrics: Vec<MetricInfo>,
    /// Outputs so far.
    outputs: u64,
    data: PageCases,
    /// The worst of the cases for which there is no room in order.
    beyond: Worst<(IndexItem, String)>,
    /// Rows for who has no scripts.
    rows: Worst<String>,
}

impl Html {
    /// The page goes to `output`.
    pub fn new(output: OutputWriter, options: RendererOptions) -> Self {
        let data = PageCases::new(&output.folder());
        Self {
            output,
            options,
            metrics: Vec::new(),
            outputs: 0,
            data,
            beyond: Worst::new(BEYOND, BEYOND_BYTES),
            rows: Worst::new(ROWS, usize::MAX),
        }
    }

    fn case(&mut self, result: &CaseResult) -> io::Result<()> {
        self.outputs += 1;
        let rank = Rank::for_case(&self.metrics, result, self.outputs);
        let Self { metrics, options, .. } = self;
        self.rows.offer(rank, || {
            let row = plain_row(result, metrics);
            (row.len(), row)
        });
        if self.data.has_room() {
            return self.data.add(index_item(result, metrics, options, rank), &record(result, metrics)?);
        }
        self.beyond.offer(rank, || {
            // Names, numbers and texts always have a JSON form.
            let record = record(result, metrics).unwrap_or_default();
            (record.len(), (index_item(result, metrics, options, rank), record))
        });
        Ok(())
    }

    fn finish(&mut self, finish: &RunEnd) -> io::Result<()> {
        for (item, record) in self.beyond.take_in_order() {
            self.data.add(item, &record)?;
        }
        let summary = Summary::required(finish)?;
        let title = self.options.title(&summary.source);
        let head = page_start(&title, &overview::lead(summary, &self.metrics));
        self.output.write_all(head.as_bytes())?;
        self.output.write_all(b"<div id=\"overview\">\n")?;
        self.output.write_all(upper_part(summary, finish).as_bytes())?;
        let cases = if self.data.cases() > 0 { self.browser() } else { "</div>\n".to_owned() };
        self.output.write_all(cases.as_bytes())?;
        self.output.write_all(overview::footer(&self.metrics).as_bytes())?;
        // The script stands before the records: the table is there while a large file is still being read.
        self.data.copy_index(&mut self.output)?;
        self.output.write_all(page_script().as_bytes())?;
        self.data.copy_records(&mut self.output)?;
        if finish.stop == Stop::Complete {
            self.output.write_all(manifest::to_html_element(finish.manifest.clone()).as_bytes())?;
        }
        self.output.write_all(PAGE_END.as_bytes())?;
        self.output.finish(finish.stop).map(|_| ())
    }

    /// The place where the script shows the cases, what it has to know, and a table for who has no scripts.
    fn browser(&self) -> String {
        let mut body = String::new();
        let case_count = self.data.cases();
        if case_count < self.outputs {
            body.push_str(&format!(
                "<p class=\"soft\">{} of {} cases are on this page: the first ones, and the worst of the others. A case \
                 ranks by its largest distance from the best possible value, as a share of the metric’s range. The \
                 numbers above are of the whole run.</p>\n",
                count(case_count),
                count(self.outputs)
            ));
        }
        let settings = script_json(&self.settings().to_string()).into_owned();
        body.push_str(&format!(
            "</div>\n<div id=\"browser\" class=\"viewer\"></div>\n<script type=\"application/json\" id=\"settings\">{settings}</script>\n<noscript>\
             <h2>Cases</h2><p class=\"soft\">The worst {} of {} cases. All cases, their texts and their evidence need scripts.</p>\
             <div class=\"cases card scroll\"><table><thead><tr><th scope=\"col\">Case</th>",
            self.rows.len(),
            count(self.outputs),
        ));
        for metric in &self.metrics {
            body.push_str(&format!("<th scope=\"col\" class=\"right\">{}</th>", breakable(&metric.name)));
        }
        body.push_str("</tr></thead><tbody>\n");
        self.rows.iter().for_each(|row| body.push_str(row));
        body.push_str("</tbody></table></div></noscript>\n");
        body
    }

    fn settings(&self) -> serde_json::Value {
        let PageSettings { metrics, hidden } = page_settings(&self.metrics);
        let statuses: Vec<&str> =
            ["scored", "not_applicable"].into_iter().chain(ErrorKind::ALL.map(ErrorKind::name)).collect();
        serde_json::json!({"metrics": metrics, "hidden": hidden, "statuses": statuses})
    }
}

impl Sink for Html {
    fn event(&mut self, event: &Event<'_>) -> io::Result<()> {
        match event {
            Event::Started { metrics, .. } => {
                self.metrics = metrics.to_vec();
                Ok(())
            }
            Event::Scored(result) => self.case(result),
            Event::Finished(finish) => self.finish(finish),
            _ => Ok(()),
        }
    }
}

/// Everything above the cases.
fn upper_part(summary: &Summary, finish: &RunEnd) -> String {
    let mut body = String::new();
    body.push_str(&gates(summary));
    let reasons = summary.incomplete().map(str::to_owned).into_iter().chain(summary.lacking());
    for why in reasons {
        let why = html(&why);
        body.push_str(&format!("<div class=\"banner bad\"><b>Incomplete</b><span>{why}</span></div>\n"));
    }
    body.push_str(&overview::tiles(summary));
    finish.panels.iter().for_each(|panel| body.push_str(&super::panel(panel)));
    body.push_str(&overview::means(summary));
    body.push_str(&overview::groups(summary));
    body.push_str(&overview::distributions(summary));
    body.push_str(&overview::problems(summary));
    body
}

/// What became of the gates.
fn gates(summary: &Summary) -> String {
    let verdicts = &summary.verdicts;
    if verdicts.is_empty() {
        return String::new();
    }
    let (listed, quiet) = listed_verdicts(verdicts);
    let more = (quiet > 0).then(|| (true, format!("passed: {} more in groups", count(quiet))));
    let lines = listed.map(|verdict| (verdict.passed, verdict.to_string())).chain(more);
    gate_banner(verdicts.iter().all(|verdict| verdict.passed), lines)
}

/// A case in one row, for who has no scripts.
fn plain_row(result: &CaseResult, metrics: &[MetricInfo]) -> String {
    let cell = |named: &MetricResult| match named {
        Ok(Outcome::Scored(score)) => {
            let label = score.label.as_deref().map(|label| format!(" {}", html(&excerpt(label, 40))));
            format!("{}{}", three_decimals(score.value.get()), label.unwrap_or_default())
        }
        Ok(Outcome::Labelled(label)) => html(&excerpt(&label.label, 40)).into_owned(),
        Ok(Outcome::NotApplicable { .. }) => "n/a".to_owned(),
        Err(_) => "failed".to_owned(),
    };
    let cells: Vec<String> = (metrics.iter().zip(&result.results))
        .map(|(_, named)| format!("<td class=\"right\">{}</td>", cell(named)))
        .collect();
    format!(
        "<tr><td><b><bdi>{}</bdi></b>{}<br><bdi>{}</bdi></td>{}</tr>\n",
        html(&excerpt(&result.case.id, 80)),
        model_and_repeat(result).map(|whose| format!(" <bdi>{}</bdi>", html(&whose))).unwrap_or_default(),
        html(&excerpt(case_opening(&result.case), 110)),
        cells.join("")
    )
}

#[cfg(test)]
mod tests {
    use crate::testing::{HOSTILE, MemoryOutput, events_of, hostile, metrics, result};
    use crate::{Gate, Gates, GroupBy};

    use super::*;

    fn rendered(metrics: &[MetricInfo], results: &[CaseResult]) -> String {
        let written = MemoryOutput::default();
        let gates = Gates::new(vec![Gate::fail_under("relevance=0.7").unwrap()]);
        let options = RendererOptions { gates, by: Some(GroupBy::Tags), ..RendererOptions::default() };
        events_of(&mut Html::new(written.output(), options.clone()), &options, metrics, results);
        written.text()
    }

    /// The JSON of the elements that open so, in order.
    fn data(page: &str, open: &str) -> Vec<serde_json::Value> {
        let bodies = page.split("<script type=\"application/json\" ").skip(1).filter(|rest| rest.starts_with(open));
        bodies
            .map(|rest| {
                let (_, rest) = rest.split_once('>').unwrap();
                serde_json::from_str(rest.split_once("</script>").unwrap().0).unwrap()
            })
            .collect()
    }

    /// The records, part by part.
    fn records(page: &str) -> Vec<Vec<serde_json::Value>> {
        let parts = page.split("<!--\n").skip(1).map(|rest| rest.split_once("\n-->").unwrap().0);
        parts.map(|part| part.lines().map(|line| serde_json::from_str(line).unwrap()).collect()).collect()
    }

    #[test]
    fn a_page_has_everything_and_only_one_script_that_runs() {
        let page = rendered(&metrics(), &[result("a", 0.5), hostile()]);
        let headings =
            ["Gates failed", "<h2>Summary</h2>", "<h2>By tags</h2>", "<h2>Distributions</h2>", "<h2>Input</h2>"];
        for heading in headings {
            assert!(page.contains(heading), "{heading}");
        }
        assert_eq!(page.matches("<script>").count(), 1);
        assert_eq!(page.matches(manifest::OPENING).count(), 1);
        assert_eq!(page.matches("<script ").count(), 3, "settings, index and the manifest");
        assert_eq!(page.matches("<script").count(), page.matches("</script>").count());
        assert!(!page.contains(['\u{1b}', '\u{202e}', '\u{0}', '\u{2028}']));
        assert!(!page.contains("are on this page"));
    }

    #[test]
    fn hostile_text_comes_back_whole_from_the_data_and_ends_no_element() {
        let mut worse = hostile();
        let text = format!("{HOSTILE}<!--<script>\u{2028}\u{2029}-->");
        worse.case.query = Some(text.clone());
        let page = rendered(&metrics(), &[worse]);
        let records = records(&page);
        assert_eq!(records[0][0]["texts"][0]["text"], text);
        assert_eq!(records[0][0]["line"]["id"], HOSTILE);
        assert_eq!(data(&page, "class=\"index\"")[0][0]["entry"]["id"], HOSTILE);
        assert_eq!((page.matches("<!--").count(), page.matches("-->").count()), (1, 1), "the records and nothing else");
        assert!(!page.contains("<script>alert"), "neither in the data nor in the table without scripts");
    }

    #[test]
    fn all_cases_are_on_the_page_and_the_worst_are_there_without_scripts() {
        let metrics = &metrics()[..1];
        let results: Vec<CaseResult> = (0..3000u32)
            .map(|number| {
                let mut result = result(&format!("case-{number}"), f64::from(number) / 3000.0);
                result.results.truncate(1);
                result
            })
            .collect();
        let page = rendered(metrics, &results);
        let entries: Vec<serde_json::Value> =
            data(&page, "class=\"index\"").iter().flat_map(|part| part.as_array().unwrap().clone()).collect();
        assert_eq!(entries.len(), 3000);
        let parts = records(&page);
        for entry in entries.iter().step_by(271) {
            let place = |key: &str| usize::try_from(entry[key].as_u64().unwrap()).unwrap();
            assert_eq!(parts[place("part")][place("line")]["line"]["id"], entry["entry"]["id"]);
        }
        assert_eq!(page.matches("<tr><td><b><bdi>case-").count(), ROWS);
        assert!(page.contains("<bdi>case-99</bdi>") && !page.contains("<bdi>case-100</bdi>"));
    }
}
