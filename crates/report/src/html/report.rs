//! [`Html`]: the report of a run as one page.
//!
//! The page shows at most 1000 cases: up to 200 that could not be scored, in input order, and the worst of all others, by
//! the rule in [`crate::shortfall`] and its module. Their size is bounded as well, so neither the file nor the memory
//! grows with the run; the page says how many cases it leaves out. All numbers above the table are of the whole run.

use std::collections::BTreeMap;
use std::io::{self, Write};

use probare_core::{CaseResult, Event, Finish, MetricInfo, Sink, Stop};
use serde_json::Value as Json;

use super::case::case;
use super::{page_end, page_start};
use crate::escape::{excerpt, html};
use crate::number::{column, count, counted};
use crate::summary::{MetricSummary, Reasons};
use crate::worst::{Rank, Worst};
use crate::{Options, Output, Summary, manifest, svg};

/// Cases on the page.
const CASES: usize = 1000;

/// Of these, cases that could not be scored and come before the ranking.
const FAILED: usize = 200;

/// Bytes of all cases together, and of the failed ones among them.
const BYTES: usize = 32 << 20;
const FAILED_BYTES: usize = 8 << 20;

/// Writes the page when the run ends.
#[derive(Debug)]
pub struct Html {
    output: Output,
    options: Options,
    section: String,
    metrics: Vec<MetricInfo>,
    summary: Summary,
    failed: BTreeMap<Rank, String>,
    failed_bytes: usize,
    worst: Worst<String>,
}

impl Html {
    /// The page goes to `output`.
    pub fn new(output: Output, options: Options) -> Self {
        Self {
            output,
            options,
            section: String::new(),
            metrics: Vec::new(),
            summary: Summary::default(),
            failed: BTreeMap::new(),
            failed_bytes: 0,
            worst: Worst::new(CASES, BYTES - FAILED_BYTES),
        }
    }

    /// Adds a section of the caller's own before the summary: HTML, made with [`crate::escape::html`].
    #[must_use]
    pub fn with_section(mut self, section: String) -> Self {
        self.section = section;
        self
    }

    fn case(&mut self, result: &CaseResult) {
        let order = self.summary.cases;
        let rank = Rank::of_case(&self.metrics, result, order);
        let make = || case(result, &self.metrics, &self.options.gates, order);
        if result.results.iter().any(Result::is_err) && self.failed.len() < FAILED && self.failed_bytes < FAILED_BYTES {
            let row = make();
            self.failed_bytes += row.len();
            self.failed.insert(rank, row);
        } else {
            self.worst.offer(rank, || {
                let row = make();
                (row.len(), row)
            });
        }
    }

    fn finish(&mut self, finish: &Finish) -> io::Result<()> {
        for section in &finish.sections {
            self.section.push_str(&section.html);
        }
        self.worst.shrink(CASES.saturating_sub(self.failed.len()));
        let title = self.options.title(&self.summary);
        let head = page_start(&title, &lead(&self.summary, &self.metrics));
        self.output.write_all(head.as_bytes())?;
        self.output.write_all(self.overview().as_bytes())?;
        let mut rows: Vec<(Rank, &String)> = self.failed.iter().map(|(rank, row)| (*rank, row)).collect();
        rows.extend(self.worst.iter_ranked());
        rows.sort_by_key(|(rank, _)| *rank);
        if !rows.is_empty() {
            self.output.write_all(self.table_head(rows.len()).as_bytes())?;
            for (_, row) in rows {
                self.output.write_all(row.as_bytes())?;
            }
            self.output.write_all(b"</table></div>\n")?;
        }
        self.output.write_all(footer(&self.metrics).as_bytes())?;
        if finish.stop == Stop::Complete {
            self.output.write_all(manifest::element(finish.manifest.clone()).as_bytes())?;
        }
        self.output.write_all(page_end().as_bytes())?;
        self.output.finish(finish.stop).map(|_| ())
    }

    fn overview(&self) -> String {
        let mut body = String::new();
        body.push_str(&self.gates());
        if let Some(why) = self.summary.incomplete() {
            body.push_str(&format!("<div class=\"banner bad\"><b>Incomplete</b><span>{why}</span></div>\n"));
        }
        body.push_str(&tiles(&self.summary));
        body.push_str(&self.section);
        body.push_str(&means(&self.summary));
        body.push_str(&distributions(&self.summary));
        body.push_str(&problems(&self.summary));
        body
    }

    fn gates(&self) -> String {
        let verdicts = self.options.gates.verdicts(&self.summary);
        if verdicts.is_empty() {
            return String::new();
        }
        let passed = verdicts.iter().filter(|verdict| verdict.passed).count();
        let (class, sign) = if passed == verdicts.len() { ("good", "Gates passed") } else { ("bad", "Gates missed") };
        let lines: Vec<String> = (verdicts.iter())
            .map(|verdict| {
                let class = if verdict.passed { "good" } else { "bad" };
                format!("<li class=\"{class}\">{}</li>", html(&verdict.to_string()))
            })
            .collect();
        format!("<div class=\"banner {class}\"><b>{sign}</b><ul>{}</ul></div>\n", lines.join(""))
    }

    fn table_head(&self, shown: usize) -> String {
        let mut head = String::from("<h2 id=\"cases\">Cases</h2>\n");
        if (shown as u64) < self.summary.cases {
            head.push_str(&format!(
                "<p class=\"soft\">{} of {} cases are on this page: up to {FAILED} that could not be scored, and the worst \
                 of the others. A case ranks by its largest distance from the best possible value, as a share of the \
                 metric’s range. The numbers above are of the whole run.</p>\n",
                count(shown as u64),
                count(self.summary.cases)
            ));
        }
        head.push_str(LEGEND);
        head.push_str(
            "<div class=\"tools\"><label class=\"sr\" for=\"search\">Search</label>\
             <input id=\"search\" type=\"search\" placeholder=\"Search in cases\">\
             <label class=\"sr\" for=\"show\">Show</label><select id=\"show\"><option value=\"\">All cases</option>",
        );
        if !self.options.gates.is_empty() {
            head.push_str("<option value=\"missed\">Missed a gate</option>");
        }
        head.push_str(
            "<option value=\"failed\">Could not be scored</option><option value=\"not_applicable\">Not applicable</option>\
             </select><button id=\"all\" type=\"button\">Open all</button><output id=\"shown\" for=\"search show\"></output></div>\n\
             <div class=\"cases card scroll\"><table><caption class=\"sr\">Cases with one column per metric</caption><thead><tr>\
             <th scope=\"col\"><button type=\"button\">Case</button></th>",
        );
        for metric in &self.metrics {
            head.push_str(&format!(
                "<th scope=\"col\" class=\"right\" title=\"{}\"><button type=\"button\">{}</button></th>",
                html(&metric.summary),
                breakable(&metric.name)
            ));
        }
        head.push_str("</tr></thead>\n");
        head
    }
}

impl Sink for Html {
    fn event(&mut self, event: &Event<'_>) -> io::Result<()> {
        self.summary.event(event)?;
        match event {
            Event::Started { metrics, .. } => {
                self.metrics = metrics.to_vec();
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

/// A name that may be cut behind underscores, so that a narrow column can have a long one; short names stay whole.
fn breakable(name: &str) -> String {
    const SHORT: usize = 5;
    let mut text = String::new();
    let mut length = 0;
    for piece in name.split_inclusive('_') {
        if length > SHORT {
            text.push_str("<wbr>");
            length = 0;
        }
        text.push_str(&html(piece));
        // A space is a place to cut already.
        length = piece.rsplit(' ').next().map_or(0, str::len) + if piece.contains(' ') { 0 } else { length };
    }
    text
}

/// How the marks in the texts are to be read.
const LEGEND: &str = "<p class=\"legend\"><span>Marks in texts:</span>\
    <span><mark class=\"found\">found</mark></span><span><mark class=\"unsupported\">unsupported</mark></span>\
    <span><mark class=\"compared\">compared</mark></span><span><mark class=\"support\">held against</mark></span>\
    <span><mark class=\"note\">note</mark></span><span><mark class=\"several found\">several kinds</mark></span></p>\n";

fn lead(summary: &Summary, metrics: &[MetricInfo]) -> String {
    let mut profiles: Vec<&str> = metrics.iter().map(|metric| metric.profile.name()).collect();
    profiles.sort_unstable();
    profiles.dedup();
    let profile = match profiles.as_slice() {
        [] => String::new(),
        [one] => format!(" in the {one} profile"),
        several => format!(" in the profiles {}", several.join(" and ")),
    };
    format!(
        "<p class=\"lead\">{} from <bdi>{}</bdi>, {}{profile}</p>",
        counted(summary.cases, "case", "cases"),
        html(&excerpt(&summary.source, 200)),
        counted(metrics.len() as u64, "metric", "metrics"),
    )
}

fn tiles(summary: &Summary) -> String {
    let scored: u64 = summary.metrics.iter().map(|metric| metric.scored).sum();
    let not_applicable: u64 = summary.metrics.iter().map(|metric| metric.not_applicable).sum();
    let alarm = |class: &'static str, number: u64| if number > 0 { class } else { "" };
    let tiles = [
        (summary.cases, "cases", ""),
        (scored, "results scored", ""),
        (not_applicable, "not applicable", ""),
        (summary.failed(), "results failed", alarm("bad", summary.failed())),
        (summary.lost_rows, "rows not read", alarm("bad", summary.lost_rows)),
        (summary.warnings, "warnings", alarm("warn", summary.warnings)),
    ];
    let tiles: Vec<String> = tiles
        .iter()
        .map(|(number, words, class)| {
            format!("<div class=\"card tile {class}\"><b>{}</b><span>{words}</span></div>", count(*number))
        })
        .collect();
    format!("<div class=\"tiles\">{}</div>\n", tiles.join(""))
}

fn means(summary: &Summary) -> String {
    let mut table = String::from(
        "<h2>Summary</h2>\n<div class=\"summary card scroll\"><table><thead><tr><th scope=\"col\">Metric</th>\
         <th scope=\"col\" class=\"right\">Mean</th><th scope=\"col\" class=\"right\">Scored</th>\
         <th scope=\"col\" class=\"right\">Min</th><th scope=\"col\" class=\"right\">Max</th>\
         <th scope=\"col\" class=\"right\">Not applicable</th><th scope=\"col\" class=\"right\">Failed</th>\
         <th scope=\"col\">Better</th><th scope=\"col\">Distribution</th></tr></thead><tbody>\n",
    );
    for metric in &summary.metrics {
        let number = |value: Option<f64>| value.map_or_else(|| "<span class=\"none\">–</span>".to_owned(), column);
        let failed = match metric.failed {
            0 => "0".to_owned(),
            some => format!("<span class=\"tag bad\">{}</span>", count(some)),
        };
        let arrow = match metric.info.better {
            probare_core::Better::Higher => "↑",
            probare_core::Better::Lower => "↓",
        };
        table.push_str(&format!(
            "<tr><td><span class=\"metric-name\">{}</span><span class=\"small\">{}</span></td>\
             <td class=\"right\"><span class=\"mean\">{}</span></td><td class=\"right\">{}</td><td class=\"right\">{}</td>\
             <td class=\"right\">{}</td><td class=\"right\">{}</td><td class=\"right\">{failed}</td>\
             <td class=\"soft\">{arrow}\u{a0}{}</td><td>{}</td></tr>\n",
            html(&metric.info.name),
            html(&metric.info.summary),
            number(metric.mean()),
            count(metric.scored),
            number(metric.min),
            number(metric.max),
            count(metric.not_applicable),
            metric.info.better.name(),
            metric.histogram().as_ref().map(svg::sparkline).unwrap_or_default(),
        ));
    }
    table.push_str("</tbody></table></div>\n");
    table
}

fn distributions(summary: &Summary) -> String {
    let cards: Vec<String> = summary.metrics.iter().map(distribution).collect();
    if cards.is_empty() {
        return String::new();
    }
    format!("<h2>Distributions</h2>\n<div class=\"charts\">{}</div>\n", cards.join(""))
}

fn distribution(metric: &MetricSummary) -> String {
    let chart = match metric.histogram() {
        Some(histogram) => svg::histogram(&histogram, metric.mean(), &metric.info.name),
        None => "<p class=\"soft\">No case was scored.</p>".to_owned(),
    };
    format!(
        "<article class=\"card chart-card\"><header><h3>{}</h3><span class=\"small soft\">{} scored</span></header>{chart}{}{}</article>\n",
        html(&metric.info.name),
        count(metric.scored),
        reasons("failed", &metric.failed_reasons),
        reasons("not applicable", &metric.not_applicable_reasons),
    )
}

fn reasons(word: &str, reasons: &Reasons) -> String {
    let mut lines: Vec<String> = (reasons.kept.iter())
        .map(|reason| format!("<li>{} {word}: <bdi>{}</bdi></li>", count(reason.count), html(&reason.reason)))
        .collect();
    if reasons.others > 0 {
        lines.push(format!("<li>{} {word} for other reasons</li>", count(reasons.others)));
    }
    if lines.is_empty() { String::new() } else { format!("<ul class=\"reasons\">{}</ul>", lines.join("")) }
}

fn problems(summary: &Summary) -> String {
    if summary.problems.is_empty() {
        return String::new();
    }
    let mut table = String::from(
        "<h2>Input</h2>\n<div class=\"card scroll\"><table><thead><tr><th scope=\"col\">Row</th><th scope=\"col\">Place</th>\
         <th scope=\"col\">What is wrong</th></tr></thead><tbody>\n",
    );
    for problem in &summary.problems {
        let row =
            if problem.lost { "<span class=\"tag bad\">not read</span>" } else { "<span class=\"tag\">kept</span>" };
        let line = problem.line.map(|line| format!(", line {line}")).unwrap_or_default();
        let hint =
            problem.hint.as_deref().map(|hint| format!(" <span class=\"soft\">{}</span>", html(&excerpt(hint, 200))));
        table.push_str(&format!(
            "<tr><td>{row}</td><td><bdi>{}</bdi>{line}</td><td><bdi>{}</bdi>{}</td></tr>\n",
            html(&excerpt(&problem.file, 120)),
            html(&excerpt(&problem.reason, 300)),
            hint.unwrap_or_default(),
        ));
    }
    table.push_str("</tbody></table></div>\n");
    let unlisted = (summary.lost_rows + summary.warnings).saturating_sub(summary.problems.len() as u64);
    if unlisted > 0 {
        table.push_str(&format!("<p class=\"soft small\">and {} more</p>\n", count(unlisted)));
    }
    table
}

/// What a reader needs in order to get the same numbers again.
fn footer(metrics: &[MetricInfo]) -> String {
    let definitions: Vec<String> = (metrics.iter())
        .map(|metric| {
            let options = match &metric.options {
                Json::Null => String::new(),
                options => format!(", options {}", html(&excerpt(&options.to_string(), 300))),
            };
            format!("{} (version {}, {}{options})", html(&metric.id), metric.version, metric.profile)
        })
        .collect();
    format!(
        "<footer>Definitions: {}. The same cases give the same numbers on any machine.</footer>\n",
        if definitions.is_empty() { "none".to_owned() } else { definitions.join(", ") },
    )
}

#[cfg(test)]
mod tests {
    use crate::testing::{Written, events, hostile, metrics, result};
    use crate::{Gate, Gates};

    use super::*;

    fn rendered(metrics: &[MetricInfo], results: &[CaseResult]) -> String {
        let written = Written::default();
        let gates = Gates::new(vec![Gate::fail_under("relevance=0.7").unwrap()]);
        let options = Options { gates, ..Options::default() };
        events(&mut Html::new(written.output(), options), metrics, results);
        written.text()
    }

    #[test]
    fn a_page_has_everything_and_only_one_script_that_runs() {
        let page = rendered(&metrics(), &[result("a", 0.5), hostile()]);
        for wanted in
            ["Gates missed", "<h2>Summary</h2>", "<h2>Distributions</h2>", "<h2>Input</h2>", "Search in cases"]
        {
            assert!(page.contains(wanted), "{wanted}");
        }
        assert_eq!(page.matches("<script>").count(), 1);
        assert_eq!(page.matches(manifest::OPENING).count(), 1);
        assert_eq!(page.matches("<script").count(), 2, "the other one is data");
        assert_eq!(page.matches("</script").count(), 2);
        assert_eq!(page.matches("<tbody data-is").count(), 2);
        assert!(!page.contains(['\u{1b}', '\u{202e}', '\u{0}']));
        assert!(!page.contains("are on this page"));
    }

    #[test]
    fn long_names_may_be_cut_and_short_ones_stay_whole() {
        assert_eq!(breakable("aggregate_score"), "aggregate_<wbr>score");
        assert_eq!(breakable("careful p_at_5"), "careful p_at_5");
        assert_eq!(breakable("a_b_<i>_agreement_of_all"), "a_b_&lt;i&gt;_<wbr>agreement_<wbr>of_all");
    }

    #[test]
    fn the_worst_cases_and_the_failed_ones_are_shown() {
        let metrics = &metrics()[..1];
        let results: Vec<CaseResult> = (0..3000u32)
            .map(|number| {
                let mut result = result(&format!("case-{number}"), f64::from(number) / 3000.0);
                result.results.truncate(1);
                if number >= 2995 {
                    result.results[0] = Err(probare_core::ScoreError::Internal { reason: "stopped".into() });
                }
                result
            })
            .collect();
        let page = rendered(metrics, &results);
        assert_eq!(page.matches("<tbody data-is").count(), CASES);
        assert_eq!(page.matches("<tbody data-is=\"failed\"").count(), 5);
        assert!(page.contains("<bdi>case-994</bdi>"));
        assert!(!page.contains("<bdi>case-995</bdi>"));
        assert!(page.contains("1000 of 3000 cases are on this page"));
    }
}
