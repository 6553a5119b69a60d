//! The upper part of the report of a run: what all cases came to.

use probare_core::{MetricInfo, Profile, Tone};
use serde_json::Value as Json;

use super::table::{TABLE_END, table_start};
use super::tone::label_tone;
use crate::escape::{excerpt, html};
use crate::number::{count, count_with_noun, percent, three_decimals};
use crate::summary::{MetricSummary, ReasonCounts};
use crate::terminal::about_intervals;
use crate::{Groups, MeanInterval, Summary, svg};

/// The line under the title.
pub(super) fn lead(summary: &Summary, metrics: &[MetricInfo]) -> String {
    let mut profiles: Vec<&str> = metrics.iter().filter_map(|metric| metric.profile.map(Profile::name)).collect();
    profiles.sort_unstable();
    profiles.dedup();
    let profile = match profiles.as_slice() {
        [] => String::new(),
        [one] => format!(" in the {one} profile"),
        several => format!(" in the profiles {}", several.join(" and ")),
    };
    format!(
        "<p class=\"lead\">{} from <bdi>{}</bdi>, {}{profile}</p>",
        summary.amount(),
        html(&excerpt(&summary.source, 200)),
        count_with_noun(metrics.len() as u64, "metric", "metrics"),
    )
}

/// The counts of the run, large.
pub(super) fn tiles(summary: &Summary) -> String {
    let scored: u64 = summary.metrics.iter().map(|metric| metric.scored).sum();
    let not_applicable: u64 = summary.metrics.iter().map(|metric| metric.not_applicable).sum();
    let alarm = |class: &'static str, number: u64| if number > 0 { class } else { "" };
    let tiles = [
        (summary.cases, if summary.cases == 1 { "case" } else { "cases" }, ""),
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

/// The table of all metrics.
pub(super) fn means(summary: &Summary) -> String {
    let heads = [
        ("Metric", false),
        ("Mean", true),
        ("95 % interval", true),
        ("Scored", true),
        ("Min", true),
        ("Max", true),
        ("Not applicable", true),
        ("Failed", true),
        ("Better", false),
        ("Distribution", false),
    ];
    let mut table = format!("<h2>Summary</h2>\n{}", table_start("summary card", "Summary", heads));
    for metric in &summary.metrics {
        let number =
            |value: Option<f64>| value.map_or_else(|| "<span class=\"none\">–</span>".to_owned(), three_decimals);
        let failed = match metric.failed {
            0 => "0".to_owned(),
            some => format!("<span class=\"tag bad\">{}</span>", count(some)),
        };
        let arrow = match metric.info.better {
            probare_core::Better::Higher => "↑",
            probare_core::Better::Lower => "↓",
        };
        table.push_str(&format!(
            "<tr><td><span class=\"metric-name\">{}</span><span class=\"small\">{}</span>{}</td>\
             <td class=\"right\"><span class=\"mean\">{}</span></td><td class=\"right soft nowrap\">{}</td>\
             <td class=\"right\">{}</td><td class=\"right\">{}</td>\
             <td class=\"right\">{}</td><td class=\"right\">{}</td><td class=\"right\">{failed}</td>\
             <td class=\"soft\">{arrow}\u{a0}{}</td><td>{}</td></tr>\n",
            breakable(&metric.info.name),
            html(&metric.info.summary),
            labels(metric),
            number(metric.mean()),
            interval(metric.interval()),
            metric.denominator(),
            number(metric.min),
            number(metric.max),
            count(metric.not_applicable),
            metric.info.better.name(),
            metric.histogram().as_ref().map(svg::sparkline).unwrap_or_default(),
        ));
    }
    table.push_str(TABLE_END);
    table.push_str(
        &about_intervals(summary)
            .map(|words| format!("<p class=\"soft small\">{}</p>\n", html(&words)))
            .unwrap_or_default(),
    );
    for remark in summary.label_remarks() {
        let (word, words) = remark.parts();
        table.push_str(&format!("<p class=\"soft small\"><b>{word}:</b> {}</p>\n", html(words)));
    }
    table
}

/// The labels of a metric with their counts.
fn labels(metric: &MetricSummary) -> String {
    if metric.labels.is_empty() && metric.repeats.is_empty() {
        return String::new();
    }
    let mut ordered: Vec<_> = metric.labels.kept.iter().collect();
    ordered.sort_by_key(|label| std::cmp::Reverse(label.count));
    let mut tags: Vec<String> = ordered
        .iter()
        .map(|label| {
            let tone = label_tone(&label.label).unwrap_or(Tone::Plain);
            format!("<span class=\"{}\">{} {}</span>", tag(tone), html(&label.label), count(label.count))
        })
        .collect();
    if metric.labels.others > 0 {
        tags.push(format!("<span class=\"tag\">others {}</span>", count(metric.labels.others)));
    }
    if let Some(coverage) = metric.coverage() {
        let decided = format!("{} of {} decided", count(metric.scored - metric.unsure), count(metric.scored));
        tags.insert(0, format!("<span class=\"tag\">coverage {} ({decided})</span>", percent(coverage)));
    }
    let repeats = &metric.repeats;
    let any = repeats.pass_at().into_iter().map(|pass| ("pass@", pass));
    let all = repeats.pass_all().into_iter().filter(|pass| pass.k > 1).map(|pass| ("pass^", pass));
    let rates = any.chain(all);
    tags.extend(
        rates.map(|(rate, pass)| format!("<span class=\"tag\">{rate}{} {}</span>", pass.k, three_decimals(pass.mean))),
    );
    format!("<span class=\"labels\">{}</span>", tags.join(" "))
}

/// The classes of a tag.
pub(super) const fn tag(tone: Tone) -> &'static str {
    match tone {
        Tone::Good => "tag good",
        Tone::Warn => "tag warn",
        Tone::Bad => "tag bad",
        Tone::Plain => "tag",
    }
}

/// The ends of an interval.
fn interval(interval: Option<MeanInterval>) -> String {
    match interval {
        Some(ends) => format!("<span title=\"{}\">{}</span>", ends.method.name(), ends.words()),
        None => "<span class=\"none\">–</span>".to_owned(),
    }
}

/// The means of each group, where that was asked for.
pub(super) fn groups(summary: &Summary) -> String {
    let Some(groups) = &summary.groups else { return String::new() };
    let by = html(&groups.by.to_string()).into_owned();
    let metrics = groups.metrics().iter().map(|metric| (breakable(&metric.name), true));
    let heads = [(by.clone(), false), ("Cases".to_owned(), true)].into_iter().chain(metrics);
    let mut table = format!("<h2>By {by}</h2>\n{}", table_start("groups card", &format!("By {by}"), heads));
    for (name, group) in groups.with_names() {
        table.push_str(&format!(
            "<tr><th scope=\"row\"><bdi>{}</bdi></th><td class=\"right\">{}</td>",
            html(&excerpt(name, 80)),
            count(group.cases())
        ));
        for (at, info) in groups.metrics().iter().enumerate() {
            let cell = match group.mean(at) {
                None => "<span class=\"none\">–</span>".to_owned(),
                Some(mean) => format!(
                    "<b>{}</b> <span class=\"small soft nowrap\">{} · {} scored</span>",
                    three_decimals(mean),
                    interval(group.interval(at, info)),
                    count(group.scored(at))
                ),
            };
            table.push_str(&format!("<td class=\"right\">{cell}</td>"));
        }
        table.push_str("</tr>\n");
    }
    table.push_str(TABLE_END);
    table.push_str(&group_charts(groups, &by));
    table
}

/// Groups that a chart shows; more of them are a list to read, not a picture.
const MOST_IN_CHART: usize = 30;

/// For each metric the means of all groups with their intervals, side by side.
fn group_charts(groups: &Groups, by: &str) -> String {
    let mut cards = String::new();
    for (at, info) in groups.metrics().iter().enumerate() {
        let ranges: Vec<svg::Range> = groups
            .with_names()
            .filter_map(|(name, group)| {
                let interval = group.interval(at, info).map(|ends| (ends.low, ends.high));
                Some(svg::Range { label: name.to_owned(), mean: group.mean(at)?, interval })
            })
            .collect();
        if (2..=MOST_IN_CHART).contains(&ranges.len()) {
            cards.push_str(&format!(
                "<article class=\"card chart-card\"><header><h3>{}</h3><span class=\"small soft\">95 % intervals</span></header>{}</article>\n",
                html(&info.name),
                svg::intervals(&ranges, &format!("{} by {by}: means with 95 % intervals", info.name)),
            ));
        }
    }
    if cards.is_empty() { cards } else { format!("<div class=\"charts\">{cards}</div>\n") }
}

/// A chart for each metric.
pub(super) fn distributions(summary: &Summary) -> String {
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

fn reasons(word: &str, reasons: &ReasonCounts) -> String {
    let mut lines: Vec<String> = (reasons.kept.iter())
        .map(|reason| format!("<li>{} {word}: <bdi>{}</bdi></li>", count(reason.count), html(&reason.reason)))
        .collect();
    if reasons.others > 0 {
        lines.push(format!("<li>{} {word} for other reasons</li>", count(reasons.others)));
    }
    if lines.is_empty() { String::new() } else { format!("<ul class=\"reasons\">{}</ul>", lines.join("")) }
}

/// Remarks about the input.
pub(super) fn problems(summary: &Summary) -> String {
    if summary.problems.is_empty() {
        return String::new();
    }
    let heads = [("Row", false), ("Place", false), ("What is wrong", false)];
    let mut table = format!("<h2>Input</h2>\n{}", table_start("card", "Input", heads));
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
    table.push_str(TABLE_END);
    let unlisted = (summary.lost_rows + summary.warnings).saturating_sub(summary.problems.len() as u64);
    if unlisted > 0 {
        table.push_str(&format!("<p class=\"soft small\">and {} more</p>\n", count(unlisted)));
    }
    table
}

/// What a reader needs in order to get the same numbers again.
pub(super) fn footer(metrics: &[MetricInfo]) -> String {
    let definitions: Vec<String> = (metrics.iter())
        .map(|metric| {
            let options = match &metric.options {
                Json::Null => String::new(),
                options => format!(", options {}", html(&excerpt(&options.to_string(), 300))),
            };
            let profile = metric.profile.map(|profile| format!(", {profile}")).unwrap_or_default();
            format!("{} (version {}{profile}{options})", html(&metric.id), metric.version)
        })
        .collect();
    format!(
        "<footer>Definitions: {}. The same cases give the same numbers on any machine.</footer>\n",
        if definitions.is_empty() { "none".to_owned() } else { definitions.join(", ") },
    )
}

/// A name that may be cut behind underscores, so that a narrow column can have a long one; short names stay whole.
pub(super) fn breakable(name: &str) -> String {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_names_may_be_cut_and_short_ones_stay_whole() {
        assert_eq!(breakable("aggregate_score"), "aggregate_<wbr>score");
        assert_eq!(breakable("improved p_at_5"), "improved p_at_5");
        assert_eq!(breakable("a_b_<i>_agreement_of_all"), "a_b_&lt;i&gt;_<wbr>agreement_<wbr>of_all");
    }
}
