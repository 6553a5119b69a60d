//! A comparison as one page: tables, pictures, and the cases that changed side by side.

use probare_core::{Case, Field, MetricResult, Outcome};

use super::columns::COLUMNS;
use super::phrases::{case_name, evidence, movements, pairing, question, result, step};
use super::{CaseChange, ComparedRun, EvidenceByCase, MetricComparison, MetricDifference, RunComparison, Slice};
use crate::escape::{excerpt, html};
use crate::html::{Mark, TABLE_END, gate_banner, highlight, page_end, page_start, table_start};
use crate::number::rounded;
use crate::svg;

/// Cases of a metric that are shown side by side.
const CHANGES: usize = 50;

/// Bytes of a text that are shown.
const TEXT: usize = 4_000;

impl RunComparison {
    /// The comparison as a page for a browser.
    pub fn to_html(&self, evidences: &EvidenceByCase, title: Option<&str>) -> String {
        let names: Vec<String> = self.others.iter().map(|other| excerpt(&other.name, 60)).collect();
        let made = format!("{} against {}", names.join(", "), excerpt(&self.baseline, 60));
        let lead = format!(
            "<p class=\"lead\">Baseline <bdi>{}</bdi>. Differences are other minus baseline, with their 95 % intervals{}; \
             {}. Detectable is the minimum detectable effect (80 % power) with this many pairs.</p>",
            html(&excerpt(&self.baseline, 200)),
            self.cluster.as_ref().map(|name| format!(" by clusters of {}", html(name))).unwrap_or_default(),
            html(&self.rule),
        );
        let mut page = page_start(title.unwrap_or(&made), &lead);
        for (at, other) in self.others.iter().enumerate() {
            page.push_str(&gates(other));
            page.push_str(&format!(
                "<h2><bdi>{}</bdi></h2>\n<p class=\"soft\">{}</p>\n",
                html(&excerpt(&other.name, 100)),
                pairing(other.pairing)
            ));
            page.push_str(&table(other));
            for (by, parts) in self.parts() {
                page.push_str(&slices(other, by, parts));
            }
            page.push_str(&pictures(other));
            for metric in other.metrics.iter().filter(|metric| !metric.changes.is_empty()) {
                page.push_str(&changes(metric, evidences, at + 1));
            }
        }
        if !self.notes.is_empty() {
            let notes: Vec<String> = self.notes.iter().map(|note| format!("<li>{}</li>", html(note))).collect();
            page.push_str(&format!("<h2>Notes</h2>\n<ul class=\"soft\">{}</ul>\n", notes.concat()));
        }
        page.push_str(&page_end());
        page
    }
}

fn gates(other: &ComparedRun) -> String {
    if other.gates.is_empty() {
        return String::new();
    }
    let lines = other.gates.iter().map(|gate| (gate.passed, gate.to_string()));
    gate_banner(other.gates.iter().all(|gate| gate.passed), lines)
}

/// The heads of a table whose first column names the rows.
fn heads(first: &str) -> impl Iterator<Item = (String, bool)> {
    let columns = COLUMNS.iter().map(|column| (capitalized(column.head), !column.is_verdict()));
    [(first.to_owned(), false)].into_iter().chain(columns)
}

/// With a capital, but for the symbol p.
fn capitalized(head: &str) -> String {
    match head.split_at_checked(1) {
        Some((first, rest)) if !rest.is_empty() => first.to_uppercase() + rest,
        _ => head.to_owned(),
    }
}

fn tag(finding: &MetricDifference) -> String {
    let verdict = finding.verdict();
    let class = match verdict {
        "better" => " good",
        "worse" => " bad",
        _ => "",
    };
    format!("<span class=\"tag{class}\">{verdict}</span>")
}

fn numbers(finding: &MetricDifference) -> String {
    let cells: Vec<String> = (COLUMNS.iter())
        .map(|column| {
            let cell = html(&(column.cell)(finding)).into_owned();
            match column.head {
                "verdict" => format!("<td>{}</td>", tag(finding)),
                "difference" => format!("<td class=\"right nowrap\"><b>{cell}</b></td>"),
                _ => format!("<td class=\"right nowrap\">{cell}</td>"),
            }
        })
        .collect();
    cells.concat()
}

fn table(other: &ComparedRun) -> String {
    let label = format!("Differences of {}", html(&other.name));
    let mut text = table_start("summary card", &label, heads("Metric"));
    for metric in &other.metrics {
        let numbers = metric
            .whole
            .as_ref()
            .map_or_else(|| "<td colspan=\"10\" class=\"none\">no pair was scored</td>".to_owned(), numbers);
        text.push_str(&format!(
            "<tr><td><span class=\"metric-name\">{}</span><span class=\"small\">{} is better; {}</span></td>{numbers}</tr>\n",
            html(&metric.metric),
            metric.better,
            movements(metric),
        ));
    }
    text.push_str(TABLE_END);
    text
}

fn slices(other: &ComparedRun, by: &str, parts: fn(&MetricComparison) -> &[Slice]) -> String {
    if other.metrics.iter().all(|metric| parts(metric).is_empty()) {
        return String::new();
    }
    let mut text = format!("<h2>By {}</h2>\n", html(by));
    for metric in other.metrics.iter().filter(|metric| !parts(metric).is_empty()) {
        let name = html(&metric.metric);
        text.push_str(&format!("<h3>{name}</h3>\n"));
        text.push_str(&table_start("groups card", &format!("{name} by {}", html(by)), heads("Slice")));
        for slice in parts(metric) {
            let name = html(&slice.slice);
            text.push_str(&format!("<tr><th scope=\"row\">{name}</th>{}</tr>\n", numbers(&slice.finding)));
        }
        text.push_str(TABLE_END);
    }
    text
}

/// A point for each case: above the line the other run has the larger value.
fn pictures(other: &ComparedRun) -> String {
    let cards: Vec<String> = (other.metrics.iter().filter(|metric| !metric.points.is_empty()))
        .map(|metric| {
            format!(
                "<div class=\"card chart-card\"><header><h3>{}</h3><span class=\"small soft\">{} is better</span></header>{}</div>",
                html(&metric.metric),
                metric.better,
                svg::scatter(&metric.points, metric.info.range, &metric.metric)
            )
        })
        .collect();
    format!("<h2>Case by case</h2>\n<div class=\"charts\">{}</div>\n", cards.concat())
}

fn changes(metric: &MetricComparison, evidences: &EvidenceByCase, run: usize) -> String {
    let all = metric.improved + metric.worsened;
    let shown = metric.changes.len().min(CHANGES);
    let mut text = format!("<h2>{}: what changed</h2>\n", html(&metric.metric));
    if (shown as u64) < all {
        text.push_str(&format!("<p class=\"soft\">{shown} of {all} cases, those that flipped first.</p>\n"));
    }
    for change in metric.changes.iter().take(CHANGES) {
        text.push_str(&side_by_side(metric, change, evidences, run));
    }
    text
}

fn side_by_side(metric: &MetricComparison, change: &CaseChange, evidences: &EvidenceByCase, run: usize) -> String {
    let (class, word) = match (change.improved, change.flipped) {
        (true, true) => (" good", "flipped to good"),
        (true, false) => (" good", "better"),
        (false, true) => (" bad", "flipped to bad"),
        (false, false) => (" bad", "worse"),
    };
    let seen = |run: usize| evidences.get(&change.case).and_then(|runs| runs.get(run)).and_then(Option::as_ref);
    let mut text = format!(
        "<details class=\"card pair\"{}><summary><b><bdi>{}</bdi></b> <span class=\"tag{class}\">{word}</span> \
         <span class=\"number\">{}</span>{}</summary>\n",
        if change.flipped { " open" } else { "" },
        html(&case_name(change, 80)),
        step(change),
        question(evidences, change, run)
            .map(|query| format!("<div class=\"soft\"><bdi>{}</bdi></div>", html(&excerpt(query, 300))))
            .unwrap_or_default(),
    );
    text.push_str("<div class=\"sides\">");
    for (name, value, at) in [("Baseline", change.baseline, 0), ("Other", change.other, run)] {
        let named = result(evidences, change, at, &metric.metric);
        let response =
            seen(at).and_then(|seen| seen.case.as_ref()).map(|case| response(case, named)).unwrap_or_default();
        let why = named.map(evidence).filter(|why| !why.is_empty());
        text.push_str(&format!(
            "<div><h3>{name} <span class=\"number\">{}</span></h3>{response}{}</div>",
            rounded(value),
            why.map(|why| format!("<p class=\"small soft\">{}</p>", html(&why))).unwrap_or_default(),
        ));
    }
    text.push_str("</div></details>\n");
    text
}

/// The response with what the metric marked in it.
fn response(case: &Case, named: Option<&MetricResult>) -> String {
    let Some(whole) = case.text(Field::Response, None) else { return String::new() };
    let shown = &whole[..whole.floor_char_boundary(TEXT)];
    let evidence = named.and_then(|named| named.as_ref().ok()).map(Outcome::evidence).unwrap_or_default();
    let marks: Vec<Mark> = (evidence.iter())
        .filter_map(|piece| {
            let place = piece.place.as_ref().filter(|place| place.field == Field::Response && place.path.is_none())?;
            let note = piece.note.as_deref().unwrap_or(piece.kind.name()).to_owned();
            Some(Mark { start: place.start, end: place.end.min(shown.len()), kind: piece.kind.name(), note })
        })
        .filter(|mark| mark.start < mark.end)
        .collect();
    let more = if shown.len() < whole.len() { " …" } else { "" };
    format!("<p class=\"text\"><bdi>{}</bdi>{more}</p>", highlight(shown, &marks))
}
