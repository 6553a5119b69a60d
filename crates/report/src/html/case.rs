//! One case as a row of the table and, under it, its texts with the evidence marked in them.

use std::collections::BTreeMap;

use probare_core::{Case, CaseResult, Evidence, EvidenceKind, Field, MetricInfo, Named, Outcome, Place, Score};

use super::highlight::{Mark, highlight};
use super::parts::parts;
use crate::escape::{excerpt, html};
use crate::number::{column, count};
use crate::worst::shortfall;
use crate::{Gates, Status};

/// Bytes of one text that are shown.
const TEXT: usize = 20_000;

/// Items of a list field that are shown, and the bytes of each.
const ITEMS: usize = 20;
const ITEM: usize = 8_000;

/// Pieces of evidence that are listed for one metric, and the bytes of each.
const PIECES: usize = 50;
const PIECE: usize = 600;

/// Marks by the text they stand in: field, and item of a list.
type Marks = BTreeMap<(Field, usize), Vec<Mark>>;

/// The case as a `<tbody>` of two rows, the second closed.
pub(super) fn case(result: &CaseResult, metrics: &[MetricInfo], gates: &Gates, order: u64) -> String {
    let CaseResult { case, results, .. } = result;
    let mut cells = String::new();
    let mut panels = String::new();
    let mut words: Vec<&str> = Vec::new();
    let mut marks = Marks::new();
    for (index, metric) in metrics.iter().enumerate() {
        let Some(named) = results.get(index) else {
            cells.push_str("<td data-value=\"\"></td>");
            continue;
        };
        let missed = misses(named, metric, gates);
        let word = match Status::of(named) {
            Status::Scored if missed => "missed",
            Status::Scored => "scored",
            Status::NotApplicable => "not_applicable",
            Status::Failed => "failed",
        };
        if !words.contains(&word) {
            words.push(word);
        }
        cells.push_str(&cell(named, metric, missed));
        panels.push_str(&panel(named, metric, missed));
        if let Ok(Outcome::Scored(score)) = named {
            collect(&mut marks, metric, &score.evidence);
        }
    }
    format!(
        "<tbody data-is=\"{words}\"><tr class=\"case-row\"><td data-value=\"{order}\">\
         <button class=\"opener\" aria-expanded=\"false\"><span><b><bdi>{id}</bdi></b><span><bdi>{query}</bdi></span></span></button></td>{cells}</tr>\n\
         <tr class=\"detail\" hidden><td colspan=\"{columns}\"><div class=\"split\"><div>{texts}</div><div>{panels}</div></div></td></tr></tbody>\n",
        words = words.join(" "),
        id = html(&excerpt(&case.id, 80)),
        query = html(&excerpt(opening(case), 110)),
        columns = metrics.len() + 1,
        texts = texts(case, &marks),
    )
}

/// What makes the reader recognise the case: what was asked, or else what was answered.
fn opening(case: &Case) -> &str {
    case.query.as_deref().or_else(|| case.text(Field::Response, None)).unwrap_or("")
}

fn misses(named: &Named, metric: &MetricInfo, gates: &Gates) -> bool {
    match named {
        Ok(Outcome::Scored(score)) => gates.failing_case(&metric.name, score.value.get()).next().is_some(),
        _ => false,
    }
}

/// The cell of one metric in the row.
fn cell(named: &Named, metric: &MetricInfo, missed: bool) -> String {
    match named {
        Ok(Outcome::Scored(score)) => {
            let value = score.value.get();
            format!("<td data-value=\"{value:?}\">{}{}</td>", number(value, missed), meter(metric, value))
        }
        Ok(Outcome::NotApplicable { .. }) => {
            "<td data-value=\"\"><span class=\"value none\" title=\"not applicable\">n/a</span></td>".to_owned()
        }
        Err(_) => "<td data-value=\"\" class=\"right\"><span class=\"tag bad\">failed</span></td>".to_owned(),
    }
}

fn number(value: f64, missed: bool) -> String {
    let (class, hint) = if missed { (" missed", " title=\"misses a gate\"") } else { ("", "") };
    format!("<span class=\"value{class}\"{hint}>{}</span>", column(value))
}

/// A bar for where the value lies in its range, coloured by how good that is.
fn meter(metric: &MetricInfo, value: f64) -> String {
    let (low, high) = metric.range;
    let width = high - low;
    if !(width.is_finite() && width > 0.0) {
        return String::new();
    }
    let share = ((value - low) / width).clamp(0.0, 1.0) * 100.0;
    let shortfall = shortfall(metric, value);
    let step = [0.2, 0.4, 0.6, 0.8].iter().filter(|edge| shortfall > **edge).count();
    format!("<span class=\"meter\" aria-hidden=\"true\"><i class=\"s{step}\" style=\"width:{share:.1}%\"></i></span>")
}

/// What one metric says about the case.
fn panel(named: &Named, metric: &MetricInfo, missed: bool) -> String {
    let (head, body) = match named {
        Ok(Outcome::Scored(score)) => {
            let label = score
                .label
                .as_deref()
                .map(|label| format!(" <span class=\"tag\">{}</span>", html(&excerpt(label, 60))));
            (format!("{}{}", number(score.value.get(), missed), label.unwrap_or_default()), scored(score))
        }
        Ok(Outcome::NotApplicable { reason }) => {
            ("<span class=\"tag\">not applicable</span>".to_owned(), said("small soft", reason))
        }
        Err(error) => ("<span class=\"tag bad\">failed</span>".to_owned(), said("small", &error.to_string())),
    };
    format!(
        "<section class=\"panel\"><div class=\"panel-head\"><h3>{}</h3><span>{head}</span></div>{body}</section>",
        html(&metric.name)
    )
}

fn said(class: &str, text: &str) -> String {
    format!("<p class=\"{class}\"><bdi>{}</bdi></p>", html(cut(text, PIECE).0))
}

fn scored(score: &Score) -> String {
    let mut body = parts(&score.parts);
    if score.evidence.is_empty() {
        return body;
    }
    body.push_str("<ul class=\"evidence\">");
    for piece in score.evidence.iter().take(PIECES) {
        body.push_str(&evidence(piece));
    }
    if score.evidence.len() > PIECES {
        body.push_str(&format!("<li class=\"soft\">and {} more</li>", score.evidence.len() - PIECES));
    }
    body.push_str("</ul>");
    body
}

fn evidence(piece: &Evidence) -> String {
    let kind = piece.kind.name();
    let (text, dots) = cut(&piece.text, PIECE);
    let mut line = format!("<li class=\"{kind}\"><span class=\"kind\">{kind}</span> ");
    // A remark is our own words; what stands in a text, or should, is quoted.
    let (open, close) =
        if piece.kind == EvidenceKind::Note && piece.place.is_none() { ("", "") } else { ("“", "”") };
    if !text.is_empty() {
        line.push_str(&format!("<bdi>{open}{}{dots}{close}</bdi> ", html(text)));
    }
    let mut remarks: Vec<String> = Vec::new();
    if let Some(note) = &piece.note {
        let (note, dots) = cut(note, PIECE);
        remarks.push(format!("<bdi>{}{dots}</bdi>", html(note)));
    }
    remarks.extend(piece.place.as_ref().map(place_name));
    remarks.extend(piece.support.as_ref().map(|place| format!("held against {}", place_name(place))));
    if !remarks.is_empty() {
        line.push_str(&format!("<span class=\"remark\">{}</span>", remarks.join(" · ")));
    }
    line.push_str("</li>");
    line
}

/// Where evidence stands: field, item counted from 1, bytes.
fn place_name(place: &Place) -> String {
    let item = place.index.map(|index| format!(" {}", index + 1)).unwrap_or_default();
    format!("<span class=\"place\">{}{item}, {}–{}</span>", place.field, place.start, place.end)
}

/// Sorts the places of evidence by the text they stand in.
fn collect(marks: &mut Marks, metric: &MetricInfo, evidence: &[Evidence]) {
    for piece in evidence.iter().take(PIECES * 4) {
        let kind = piece.kind.name();
        let note = piece.note.as_deref().map(|note| format!(": {}", excerpt(note, 160))).unwrap_or_default();
        let mut add = |place: &Place, kind: &'static str, note: String| {
            let mark = Mark { start: place.start, end: place.end, kind, note };
            marks.entry((place.field, place.index.unwrap_or(0))).or_default().push(mark);
        };
        if let Some(place) = &piece.place {
            add(place, kind, format!("{}: {kind}{note}", metric.name));
        }
        if let Some(place) = &piece.support {
            add(place, "support", format!("{}: held against “{}”", metric.name, excerpt(&piece.text, 80)));
        }
    }
}

/// The texts of the case, in the order in which a reader wants them.
fn texts(case: &Case, marks: &Marks) -> String {
    let mut texts = String::new();
    if let Some(query) = &case.query {
        texts.push_str(&field("query", "Query", query, TEXT, marks_in(marks, Field::Query, 0)));
    }
    if let Some(response) = &case.response {
        let heading = match &response.model {
            Some(model) => format!("Response of {}", excerpt(model, 60)),
            None => "Response".to_owned(),
        };
        texts.push_str(&field("response", &heading, &response.text, TEXT, marks_in(marks, Field::Response, 0)));
    }
    for (field, singular) in [
        (Field::Reference, "Reference"),
        (Field::Context, "Passage"),
        (Field::Citations, "Citation"),
        (Field::Retrieved, "Retrieved"),
        (Field::Relevant, "Relevant"),
    ] {
        texts.push_str(&items(case, field, singular, marks));
    }
    if !case.tags.is_empty() {
        let tags: Vec<String> = case
            .tags
            .iter()
            .take(ITEMS)
            .map(|tag| format!("<span class=\"tag\">{}</span>", html(&excerpt(tag, 40))))
            .collect();
        texts.push_str(&format!("<div class=\"field\">{}</div>", tags.join(" ")));
    }
    texts
}

fn marks_in(marks: &Marks, field: Field, index: usize) -> &[Mark] {
    marks.get(&(field, index)).map_or(&[], Vec::as_slice)
}

/// The items of a list. Those with marks come open, and first when not all can be shown.
fn items(case: &Case, field: Field, singular: &str, marks: &Marks) -> String {
    let length = list_length(case, field);
    let is_marked = |index: &usize| !marks_in(marks, field, *index).is_empty();
    let mut chosen: Vec<usize> = (0..length).filter(is_marked).take(ITEMS).collect();
    let room = ITEMS - chosen.len();
    chosen.extend((0..length).filter(|index| !is_marked(index)).take(room));
    chosen.sort_unstable();
    let mut html_text = String::new();
    for index in chosen.iter().copied() {
        let Some(text) = case.text(field, Some(index)) else { continue };
        let marks = marks_in(marks, field, index);
        let heading = if length == 1 { singular.to_owned() } else { format!("{singular} {}", index + 1) };
        let (shown, rest) = cut(text, ITEM);
        let open = if marks.is_empty() && field == Field::Context { "" } else { " open" };
        html_text.push_str(&format!(
            "<details class=\"field\"{open}><summary>{heading}{}</summary><div class=\"said\" dir=\"auto\">{}{rest}</div></details>",
            if marks.is_empty() { String::new() } else { format!(" · {} marked", marks.len()) },
            highlight(shown, marks),
        ));
    }
    if length > chosen.len() {
        html_text
            .push_str(&format!("<p class=\"small soft\">{} more not shown</p>", count((length - chosen.len()) as u64)));
    }
    html_text
}

fn list_length(case: &Case, field: Field) -> usize {
    match field {
        Field::Context => case.context.as_ref().map_or(0, Vec::len),
        Field::Reference => case.reference.as_ref().map_or(0, Vec::len),
        Field::Citations => case.citations.as_ref().map_or(0, Vec::len),
        Field::Retrieved => case.retrieved.as_ref().map_or(0, Vec::len),
        Field::Relevant => case.relevant.as_ref().map_or(0, Vec::len),
        Field::Query | Field::Response | Field::Tags | Field::Metadata => 0,
    }
}

fn field(class: &str, heading: &str, text: &str, limit: usize, marks: &[Mark]) -> String {
    let (shown, rest) = cut(text, limit);
    let body = if text.is_empty() { "<span class=\"none\">empty</span>".to_owned() } else { highlight(shown, marks) };
    format!(
        "<div class=\"field {class}\"><h4>{}</h4><div class=\"said\" dir=\"auto\">{body}{rest}</div></div>",
        html(heading)
    )
}

/// The first bytes of a text, and a sign that there is more.
fn cut(text: &str, limit: usize) -> (&str, &'static str) {
    if text.len() <= limit { (text, "") } else { (&text[..text.floor_char_boundary(limit)], " […]") }
}

#[cfg(test)]
mod tests {
    use crate::Gate;
    use crate::testing::{HOSTILE, hostile, metrics, result};

    use super::*;

    #[test]
    fn a_case_shows_its_evidence_in_its_text() {
        let gates = Gates::new(vec![Gate::fail_under("relevance=0.7").unwrap()]);
        let row = case(&result("a", 0.5), &metrics(), &gates, 7);
        assert!(row.contains("<tbody data-is=\"missed not_applicable failed\">"));
        assert!(row.contains("<mark class=\"found\" title=\"relevance: found: named in the query\">press</mark>"));
        assert!(row.contains("<td data-value=\"0.5\">"));
        assert!(row.contains("the query has one topic"));
        assert!(row.contains("the case has no `reference`"));
    }

    #[test]
    fn remarks_are_not_quoted() {
        assert!(evidence(&Evidence::note("1 of 4 steps")).contains("note</span> <bdi>1 of 4 steps</bdi>"));
        assert!(evidence(&Evidence::missing("a <step>")).contains("<bdi>“a &lt;step&gt;”</bdi>"));
    }

    #[test]
    fn hostile_text_is_text_everywhere() {
        let row = case(&hostile(), &metrics(), &Gates::default(), 1);
        assert!(!row.contains("<script"));
        assert!(!row.contains(['\u{1b}', '\u{202e}', '\u{0}', '\u{8}']));
        assert!(HOSTILE.contains("<script"), "or the test says nothing");
    }

    #[test]
    fn long_texts_and_lists_are_cut() {
        let mut long = result("a", 0.5);
        long.case.query = Some("ä".repeat(TEXT));
        long.case.context = Some(vec![probare_core::Passage::from("passage"); 100]);
        let row = case(&long, &metrics(), &Gates::default(), 1);
        assert!(row.len() < 2 * TEXT, "{}", row.len());
        assert!(row.contains(" […]"));
        assert!(row.contains("80 more not shown"));
    }
}
