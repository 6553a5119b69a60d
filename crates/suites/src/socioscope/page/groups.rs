//! Means of groups: charts and a table.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use probare_report::escape::html;
use probare_report::number::column;
use probare_report::svg::{Bar, bars};

use crate::socioscope::{Group, Summary};

/// Bars of a chart on the page; more stand in the table and in the chart files.
const BARS: usize = 40;

/// Characters of a name beside a bar.
const LABEL: usize = 23;

/// Charts of scores and quotations, then one table of all groups.
pub(super) fn section(summary: &Summary, careful: Option<&Summary>) -> String {
    let mut page = String::from(
        "<h2>Transcripts, question types and models</h2>\n<div class=\"charts\" \
        style=\"grid-template-columns:repeat(auto-fit,minmax(min(440px,100%),1fr))\">",
    );
    let types: BTreeMap<String, Group> = summary.types.iter().cloned().collect();
    for (title, groups) in [
        ("Mean score per transcript", &summary.transcripts),
        ("Exact quotations per transcript", &summary.verbatim_transcripts),
        ("Mean score per question type", &types),
        ("Mean score per model", &summary.models),
    ] {
        page.push_str(&chart(title, groups));
    }
    page.push_str("</div>\n");
    page.push_str(&statuses(summary));
    page.push_str(&table(summary, careful));
    page
}

fn chart(title: &str, groups: &BTreeMap<String, Group>) -> String {
    if groups.is_empty() {
        return String::new();
    }
    let list: Vec<Bar> =
        groups.iter().take(BARS).map(|(name, group)| Bar { label: shortened(name), value: group.mean() }).collect();
    let rest = groups.len().saturating_sub(BARS);
    let note = if rest > 0 { format!("first {BARS} of {}", groups.len()) } else { String::new() };
    format!(
        "<article class=\"card chart-card\"><header><h3>{title}</h3><span class=\"small soft\">{note}</span></header>{}</article>",
        bars(&list, (0.0, 1.0), title)
    )
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

/// How many quotations have which status.
fn statuses(summary: &Summary) -> String {
    if summary.statuses.is_empty() {
        return String::new();
    }
    let tags: Vec<String> = summary
        .statuses
        .iter()
        .map(|(status, count)| {
            let class = if status.is_found() { "tag" } else { "tag bad" };
            format!("<span class=\"{class}\">{} {count}</span>", status.name())
        })
        .collect();
    format!("<p class=\"legend\" style=\"margin-top:18px\"><span>Quotations:</span>{}</p>\n", tags.join(""))
}

fn table(summary: &Summary, careful: Option<&Summary>) -> String {
    let mut table = String::from(
        "<div class=\"summary card scroll\" style=\"margin-top:16px\"><table><thead><tr><th scope=\"col\">Group</th>\
         <th scope=\"col\">Name</th><th scope=\"col\" class=\"right\">Score</th>",
    );
    if careful.is_some() {
        table.push_str("<th scope=\"col\" class=\"right\">Careful</th>");
    }
    table.push_str(
        "<th scope=\"col\" class=\"right\">Answers</th><th scope=\"col\" class=\"right\">Min</th>\
         <th scope=\"col\" class=\"right\">Max</th><th scope=\"col\" class=\"right\">Deviation</th>\
         <th scope=\"col\" class=\"right\">Exact quotations</th></tr></thead><tbody>\n",
    );
    let mut row = |kind: &str, name: &str, group: &Group, careful: Option<Option<&Group>>, verbatim: Option<&Group>| {
        let number = |value: Option<f64>| value.map_or_else(|| "<span class=\"none\">n/a</span>".to_owned(), column);
        let _ = write!(
            table,
            "<tr><td class=\"soft\">{kind}</td><td><span class=\"metric-name\"><bdi>{}</bdi></span></td>\
             <td class=\"right\"><b>{}</b></td>",
            html(name),
            number(group.mean())
        );
        if let Some(careful) = careful {
            let _ = write!(table, "<td class=\"right\">{}</td>", number(careful.and_then(Group::mean)));
        }
        let without =
            if group.nulls > 0 { format!(" <span class=\"soft\">+{} n/a</span>", group.nulls) } else { String::new() };
        let _ = writeln!(
            table,
            "<td class=\"right\">{}{without}</td><td class=\"right\">{}</td><td class=\"right\">{}</td>\
             <td class=\"right\">{}</td><td class=\"right\">{}</td></tr>",
            group.values.len(),
            number(group.min()),
            number(group.max()),
            number(group.standard_deviation()),
            match verbatim {
                Some(verbatim) =>
                    format!("{} <span class=\"soft\">of {}</span>", number(verbatim.mean()), verbatim.values.len()),
                None => String::new(),
            }
        );
    };
    row("all", "overall", &summary.overall, careful.map(|careful| Some(&careful.overall)), Some(&summary.verbatim));
    for (name, group) in &summary.models {
        row("model", name, group, careful.map(|careful| careful.models.get(name)), summary.verbatim_models.get(name));
    }
    for (at, (name, group)) in summary.types.iter().enumerate() {
        row("type", name, group, careful.map(|careful| careful.types.get(at).map(|(_, group)| group)), None);
    }
    for (name, group) in &summary.transcripts {
        let careful = careful.map(|careful| careful.transcripts.get(name));
        row("transcript", name, group, careful, summary.verbatim_transcripts.get(name));
    }
    table.push_str("</tbody></table></div>\n");
    table
}
