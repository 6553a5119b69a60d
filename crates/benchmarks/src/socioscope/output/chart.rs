//! Bar charts as SVG files: one bar per transcript, from 0 to 1, values written beside them.
//!
//! A file of its own has no style sheet around it, so colours and fonts are inside, for light and dark. Bars are vertical
//! with slanted names while these fit, and become rows from some number of transcripts on, so that each name can be read.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use probare_report::escape::{excerpt, html};

use crate::socioscope::summary::ScoreGroup;

/// Transcripts up to which bars stand upright.
const MOST_UPRIGHT: usize = 24;

/// Characters of a name; the whole name is in the tooltip.
const NAME: usize = 34;

const STYLE: &str = "<style>\
    svg{--paper:#fff;--ink:#16202c;--soft:#5a6675;--line:#dfe4ea;--bar:#0072b2;--none:#8a95a3;background:var(--paper)}\
    @media (prefers-color-scheme:dark){svg{--paper:#12171d;--ink:#e7ebf0;--soft:#a3aebb;--line:#2a323c;--bar:#56b4e9;--none:#7c8794}}\
    text{font:12px Inter,ui-sans-serif,system-ui,\"Segoe UI\",Roboto,\"Noto Sans\",Arial,sans-serif;fill:var(--soft)}\
    .title{font-size:17px;font-weight:650;fill:var(--ink)}.name,.value{fill:var(--ink)}.value{font-variant-numeric:tabular-nums}\
    .none{fill:var(--none);font-style:italic}.grid{stroke:var(--line)}.bar{fill:var(--bar)}.axis{stroke:var(--soft)}\
    .paper{fill:var(--paper)}</style>";

/// The chart of some means. `title` stands above, `unit` names the axis of values.
pub fn chart(groups: &BTreeMap<String, ScoreGroup>, title: &str, unit: &str) -> String {
    if groups.len() <= MOST_UPRIGHT { upright(groups, title, unit) } else { rows(groups, title, unit) }
}

fn open(width: f64, height: f64, title: &str, groups: &BTreeMap<String, ScoreGroup>) -> String {
    let valued = groups.values().filter(|group| group.mean().is_some()).count();
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width:.0} {height:.0}\" width=\"{width:.0}\" \
         height=\"{height:.0}\" role=\"img\" aria-label=\"{}: {valued} of {} transcripts have a value\">{STYLE}\
         <rect class=\"paper\" width=\"100%\" height=\"100%\" fill=\"#fff\"/>\
         <text class=\"title\" x=\"24\" y=\"34\">{}</text>",
        html(title),
        groups.len(),
        html(title)
    )
}

fn tooltip(name: &str, group: &ScoreGroup) -> String {
    let value = group.mean().map_or_else(|| "n/a".to_owned(), |mean| format!("{mean:.4}"));
    format!("<title>{}: {value}, {} answers, {} without a value</title>", html(name), group.values.len(), group.nulls)
}

/// About how long a name is in user units; letters of East Asian scripts are twice as wide.
fn length(name: &str) -> f64 {
    name.chars().map(|character| if character >= '\u{1100}' { 13.0 } else { 6.9 }).sum()
}

/// Bars side by side, names slanted below.
fn upright(groups: &BTreeMap<String, ScoreGroup>, title: &str, unit: &str) -> String {
    const TOP: f64 = 64.0;
    const FULL: f64 = 260.0;
    let step = if groups.len() <= 8 { 76.0 } else { 46.0 };
    let longest = groups.keys().map(|name| length(&excerpt(name, NAME))).fold(0.0, f64::max);
    // A slanted name reaches to the left and below by its length times the cosine and sine of the angle.
    let below = 34.0 + longest * 0.743;
    let first = groups.keys().next().map_or(0.0, |name| length(&excerpt(name, NAME)) * 0.669);
    let left = (first + 24.0 - step / 2.0).max(76.0);
    let width = (left + step * groups.len() as f64 + 40.0).max(480.0);
    let base = TOP + FULL;
    let mut svg = open(width, base + below + 34.0, title, groups);
    for tick in 0..=5 {
        let value = f64::from(tick) / 5.0;
        let y = base - value * FULL;
        let _ = write!(
            svg,
            "<line class=\"grid\" x1=\"{left:.1}\" x2=\"{:.0}\" y1=\"{y:.1}\" y2=\"{y:.1}\" stroke=\"#ddd\"/>\
             <text x=\"{:.0}\" y=\"{:.1}\" text-anchor=\"end\">{value:.1}</text>",
            width - 20.0,
            left - 8.0,
            y + 4.0
        );
    }
    let _ = write!(
        svg,
        "<text transform=\"translate({:.1} {:.1}) rotate(-90)\" text-anchor=\"middle\">{}</text>",
        left - 50.0,
        base - FULL / 2.0,
        html(unit)
    );
    for (at, (name, group)) in groups.iter().enumerate() {
        let middle = left + step * (at as f64 + 0.5);
        let bar = step * 0.62;
        let height = group.mean().unwrap_or(0.0).clamp(0.0, 1.0) * FULL;
        let (class, words) = match group.mean() {
            Some(mean) => ("value", format!("{mean:.2}")),
            None => ("none", "n/a".to_owned()),
        };
        let _ = write!(
            svg,
            "<g>{}<rect class=\"bar\" x=\"{:.1}\" y=\"{:.1}\" width=\"{bar:.1}\" height=\"{height:.1}\" fill=\"#0072b2\"/>\
             <text class=\"{class}\" x=\"{middle:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{words}</text>\
             <text class=\"name\" transform=\"translate({:.1} {:.1}) rotate(-48)\" text-anchor=\"end\">{}</text></g>",
            tooltip(name, group),
            middle - bar / 2.0,
            base - height,
            base - height - 7.0,
            middle + 4.0,
            base + 16.0,
            html(&excerpt(name, NAME))
        );
    }
    let _ = writeln!(
        svg,
        "<line class=\"axis\" x1=\"{left:.1}\" x2=\"{:.0}\" y1=\"{base}\" y2=\"{base}\" stroke=\"#666\"/>\
         <text x=\"{:.0}\" y=\"{:.0}\" text-anchor=\"middle\">transcript</text></svg>",
        width - 20.0,
        (left + width - 20.0) / 2.0,
        base + below + 22.0
    );
    svg
}

/// One row per transcript.
fn rows(groups: &BTreeMap<String, ScoreGroup>, title: &str, unit: &str) -> String {
    const ROW: f64 = 20.0;
    const TOP: f64 = 78.0;
    const FULL: f64 = 420.0;
    let longest = groups.keys().map(|name| length(&excerpt(name, NAME))).fold(0.0, f64::max);
    let left = (44.0 + longest).max(110.0);
    let width = left + FULL + 76.0;
    let bottom = TOP + ROW * groups.len() as f64;
    let mut svg = open(width, bottom + 46.0, title, groups);
    for tick in 0..=5 {
        let value = f64::from(tick) / 5.0;
        let x = left + value * FULL;
        let _ = write!(
            svg,
            "<line class=\"grid\" x1=\"{x:.1}\" x2=\"{x:.1}\" y1=\"{TOP}\" y2=\"{bottom:.1}\" stroke=\"#ddd\"/>\
             <text x=\"{x:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{value:.1}</text>\
             <text x=\"{x:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{value:.1}</text>",
            TOP - 8.0,
            bottom + 17.0
        );
    }
    for (at, (name, group)) in groups.iter().enumerate() {
        let y = TOP + ROW * at as f64;
        let length = group.mean().unwrap_or(0.0).clamp(0.0, 1.0) * FULL;
        let (class, words) = match group.mean() {
            Some(mean) => ("value", format!("{mean:.2}")),
            None => ("none", "n/a".to_owned()),
        };
        let _ = write!(
            svg,
            "<g>{}<text class=\"name\" x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\">{}</text>\
             <rect class=\"bar\" x=\"{left:.1}\" y=\"{:.1}\" width=\"{length:.1}\" height=\"13\" fill=\"#0072b2\"/>\
             <text class=\"{class}\" x=\"{:.1}\" y=\"{:.1}\">{words}</text></g>",
            tooltip(name, group),
            left - 10.0,
            y + 14.0,
            html(&excerpt(name, NAME)),
            y + 3.5,
            left + length + 7.0,
            y + 14.0
        );
    }
    let _ = writeln!(
        svg,
        "<line class=\"axis\" x1=\"{left:.1}\" x2=\"{left:.1}\" y1=\"{TOP}\" y2=\"{bottom:.1}\" stroke=\"#666\"/>\
         <text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{}</text>\
         <text x=\"24\" y=\"{:.1}\">transcript</text></svg>",
        left + FULL / 2.0,
        bottom + 36.0,
        html(unit),
        TOP - 8.0
    );
    svg
}

#[cfg(test)]
mod tests {
    use super::*;

    fn groups(count: usize) -> BTreeMap<String, ScoreGroup> {
        (0..count)
            .map(|at| {
                let values = if at % 5 == 4 { Vec::new() } else { vec![at as f64 / count as f64] };
                (
                    format!("录音-{at:03} <b>&\"'Łódź interview of a very long name indeed.m4a"),
                    ScoreGroup { values, nulls: 1 },
                )
            })
            .collect()
    }

    #[test]
    fn charts_are_well_formed_at_every_size_and_name_what_is_missing() {
        for count in [0, 1, 3, 24, 25, 200] {
            let svg = chart(&groups(count), "Mean score <per> transcript", "mean score");
            let document = roxmltree::Document::parse(&svg).unwrap();
            let bars = document.descendants().filter(|node| node.attribute("class") == Some("bar")).count();
            assert_eq!(bars, count);
            let missing = document.descendants().filter(|node| node.is_element() && node.text() == Some("n/a")).count();
            assert_eq!(missing, count / 5);
        }
    }
}
