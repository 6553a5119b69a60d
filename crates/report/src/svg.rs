//! Small charts as inline SVG. They take their colours from the page's style sheet and describe themselves in words to
//! readers who do not see them.

use crate::escape::html;
use crate::number::{count_with_noun, rounded};
use crate::summary::Histogram;

/// Colour where the style sheet of the page is missing.
const FALLBACK: &str = "#0072b2";

/// Size and margins of a full histogram, in user units.
const WIDTH: f64 = 320.0;
const HEIGHT: f64 = 110.0;
const TOP: f64 = 16.0;
const BASE: f64 = 90.0;

/// A histogram with an axis, and the mean as a dashed line where there is one.
pub fn histogram(histogram: &Histogram, mean: Option<f64>, label: &str) -> String {
    let cases: u64 = histogram.counts.iter().sum();
    let mut svg = format!(
        "<svg class=\"chart\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" role=\"img\" aria-label=\"{}: distribution of {} from {} to {}{}\">",
        html(label),
        count_with_noun(cases, "value", "values"),
        rounded(histogram.from),
        rounded(histogram.to),
        mean.map(|mean| format!(", mean {}", rounded(mean))).unwrap_or_default(),
    );
    svg.push_str(&columns(histogram, WIDTH, TOP, BASE));
    svg.push_str(&format!(
        "<line class=\"axis\" x1=\"0\" x2=\"{WIDTH}\" y1=\"{BASE}\" y2=\"{BASE}\" stroke=\"#999\"/>\
         <text x=\"0\" y=\"{0}\">{1}</text><text x=\"{WIDTH}\" y=\"{0}\" text-anchor=\"end\">{2}</text>",
        BASE + 15.0,
        rounded(histogram.from),
        rounded(histogram.to),
    ));
    if let Some(mean) = mean {
        let x = share(mean, histogram.from, histogram.to) * WIDTH;
        // The words stay inside the picture at both ends.
        let anchor = if x < 50.0 {
            "start"
        } else if x > WIDTH - 50.0 {
            "end"
        } else {
            "middle"
        };
        svg.push_str(&format!(
            "<line class=\"mean-line\" x1=\"{x:.1}\" x2=\"{x:.1}\" y1=\"{TOP}\" y2=\"{BASE}\" stroke=\"#d55e00\"/>\
             <text x=\"{x:.1}\" y=\"{:.1}\" text-anchor=\"{anchor}\">mean {}</text>",
            TOP - 5.0,
            rounded(mean),
        ));
    }
    svg.push_str("</svg>");
    svg
}

/// A histogram without words, for a table cell.
pub fn sparkline(histogram: &Histogram) -> String {
    format!(
        "<svg class=\"chart spark\" viewBox=\"0 0 140 30\" aria-hidden=\"true\">{}\
         <line class=\"axis\" x1=\"0\" x2=\"140\" y1=\"29.5\" y2=\"29.5\" stroke=\"#999\"/></svg>",
        columns(histogram, 140.0, 1.0, 29.0)
    )
}

/// One row of [`bars`].
#[derive(Debug, Clone, PartialEq)]
pub struct Bar {
    /// What is measured; as given, not escaped.
    pub label: String,
    /// The value; nothing is drawn as a row without a bar.
    pub value: Option<f64>,
}

/// Horizontal bars on a common scale, with their values behind them. A value outside the scale is drawn to its end.
pub fn bars(bars: &[Bar], (from, to): (f64, f64), label: &str) -> String {
    const ROW: f64 = 26.0;
    const LONGEST: usize = 32;
    const WIDTH: f64 = 520.0;
    // Room for the longest label at about seven units a character, and for the value behind a full bar.
    let longest = bars.iter().map(|bar| bar.label.chars().count().min(LONGEST)).max().unwrap_or(0);
    let left = (longest as f64 * 7.0 + 14.0).clamp(80.0, 240.0);
    let full = WIDTH - left - 60.0;
    let height = bars.len() as f64 * ROW + 4.0;
    let mut svg = format!(
        "<svg class=\"chart bars\" viewBox=\"0 0 {WIDTH} {height:.0}\" role=\"img\" aria-label=\"{}\">",
        html(label)
    );
    for (row, bar) in bars.iter().enumerate() {
        let y = row as f64 * ROW + 4.0;
        let name = crate::escape::excerpt(&bar.label, LONGEST);
        svg.push_str(&format!(
            "<text class=\"label\" x=\"{:.0}\" y=\"{:.1}\" text-anchor=\"end\">{}</text>",
            left - 10.0,
            y + 13.0,
            html(&name)
        ));
        let Some(value) = bar.value else {
            svg.push_str(&format!("<text x=\"{left}\" y=\"{:.1}\">no value</text>", y + 13.0));
            continue;
        };
        let span = to - from;
        let share = if span > 0.0 && span.is_finite() { ((value - from) / span).clamp(0.0, 1.0) } else { 0.0 };
        let length = share * full;
        svg.push_str(&format!(
            "<rect class=\"bar\" x=\"{left}\" y=\"{y:.1}\" width=\"{length:.1}\" height=\"18\" rx=\"3\" fill=\"{FALLBACK}\">\
             <title>{}: {}</title></rect><text x=\"{:.1}\" y=\"{:.1}\">{}</text>",
            html(&bar.label),
            rounded(value),
            left + length + 7.0,
            y + 13.0,
            rounded(value),
        ));
    }
    svg.push_str("</svg>");
    svg
}

/// One row of [`intervals`].
#[derive(Debug, Clone, PartialEq)]
pub struct Range {
    /// What is measured; as given, not escaped.
    pub label: String,
    pub mean: f64,
    /// The ends of its interval, where it has one.
    pub interval: Option<(f64, f64)>,
}

/// Means with their intervals on a common scale, one below the other. The scale is cut to what is there, so that small
/// differences can be seen; its ends are written under it.
pub fn intervals(ranges: &[Range], label: &str) -> String {
    const ROW: f64 = 24.0;
    const LONGEST: usize = 24;
    const WIDTH: f64 = 330.0;
    let ends = || ranges.iter().flat_map(|range| range.interval.map_or([range.mean; 2], |(low, high)| [low, high]));
    let (from, to) = (ends().fold(f64::INFINITY, f64::min), ends().fold(f64::NEG_INFINITY, f64::max));
    let longest = ranges.iter().map(|range| range.label.chars().count().min(LONGEST)).max().unwrap_or(0);
    let left = (longest as f64 * 7.0 + 14.0).clamp(50.0, 150.0);
    let full = WIDTH - left - 64.0;
    let place = |value: f64| left + share(value, from, to) * full;
    let height = ranges.len() as f64 * ROW + 22.0;
    let base = height - 18.0;
    let mut svg = format!(
        "<svg class=\"chart intervals\" viewBox=\"0 0 {WIDTH} {height:.0}\" role=\"img\" aria-label=\"{}\">",
        html(label)
    );
    for (row, range) in ranges.iter().enumerate() {
        let y = row as f64 * ROW + 12.0;
        let name = crate::escape::excerpt(&range.label, LONGEST);
        let words =
            range.interval.map_or_else(String::new, |(low, high)| format!(" ({} to {})", rounded(low), rounded(high)));
        svg.push_str(&format!(
            "<g><title>{}: {}{words}</title><text class=\"label\" x=\"{:.0}\" y=\"{:.1}\" text-anchor=\"end\">{}</text>",
            html(&range.label),
            rounded(range.mean),
            left - 10.0,
            y + 4.0,
            html(&name)
        ));
        if let Some((low, high)) = range.interval {
            svg.push_str(&format!(
                "<line class=\"whisker\" x1=\"{:.1}\" x2=\"{:.1}\" y1=\"{y}\" y2=\"{y}\" stroke=\"{FALLBACK}\" stroke-width=\"3\"/>",
                place(low),
                place(high)
            ));
        }
        svg.push_str(&format!(
            "<circle class=\"bar\" cx=\"{:.1}\" cy=\"{y}\" r=\"5\" fill=\"{FALLBACK}\"/>\
             <text x=\"{:.1}\" y=\"{:.1}\">{}</text></g>",
            place(range.mean),
            WIDTH - 54.0,
            y + 4.0,
            rounded(range.mean),
        ));
    }
    if ranges.is_empty() {
        svg.push_str("</svg>");
        return svg;
    }
    svg.push_str(&format!(
        "<line class=\"axis\" x1=\"{left}\" x2=\"{:.1}\" y1=\"{base}\" y2=\"{base}\" stroke=\"#999\"/>\
         <text x=\"{left}\" y=\"{height}\">{}</text><text x=\"{:.1}\" y=\"{height}\" text-anchor=\"end\">{}</text></svg>",
        left + full,
        rounded(from),
        left + full,
        rounded(to),
    ));
    svg
}

/// A value in a row of runs.
#[derive(Debug, Clone, PartialEq)]
pub struct TrendPoint {
    /// The run; as given, not escaped.
    pub label: String,
    /// Its place among all runs.
    pub place: usize,
    /// The mean.
    pub value: f64,
    /// The ends of its interval, where it has one.
    pub interval: Option<(f64, f64)>,
    /// Whether it is surely better, or surely worse, than the one before.
    pub mark: Option<bool>,
}

/// A line from run to run, with intervals, small enough for a row of a table.
#[derive(Debug, Clone, PartialEq)]
pub struct Trend {
    /// What is measured; as given, not escaped.
    pub label: String,
    /// How many runs there are.
    pub places: usize,
    /// The runs that have a value, in order.
    pub points: Vec<TrendPoint>,
}

impl Trend {
    /// The picture. The scale is cut to what is there.
    pub fn svg(&self) -> String {
        let (width, height, edge) = (160.0, 44.0, 6.0);
        let ends =
            || self.points.iter().flat_map(|point| point.interval.map_or([point.value; 2], |(low, high)| [low, high]));
        let (from, to) = (ends().fold(f64::INFINITY, f64::min), ends().fold(f64::NEG_INFINITY, f64::max));
        let x =
            |place: usize| edge + share(place as f64, 0.0, self.places.saturating_sub(1) as f64) * (width - 2.0 * edge);
        let y = |value: f64| height - edge - share(value, from, to) * (height - 2.0 * edge);
        let words = |point: &TrendPoint| {
            let ends = point.interval.map(|(low, high)| format!(" ({} to {})", rounded(low), rounded(high)));
            let mark = point.mark.map_or("", |is_better| if is_better { ", better" } else { ", worse" });
            format!("{} {}{}{mark}", point.label, rounded(point.value), ends.unwrap_or_default())
        };
        let all: Vec<String> = self.points.iter().map(words).collect();
        let mut svg = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"chart trend\" viewBox=\"0 0 {width} {height}\" role=\"img\" \
             aria-label=\"{}: {}\">",
            html(&self.label),
            html(&all.join("; "))
        );
        for point in &self.points {
            if let Some((low, high)) = point.interval {
                svg.push_str(&format!(
                    "<line class=\"whisker\" x1=\"{0:.1}\" x2=\"{0:.1}\" y1=\"{1:.1}\" y2=\"{2:.1}\" stroke=\"{FALLBACK}\"/>",
                    x(point.place),
                    y(low),
                    y(high)
                ));
            }
        }
        let line: Vec<String> =
            self.points.iter().map(|point| format!("{:.1},{:.1}", x(point.place), y(point.value))).collect();
        svg.push_str(&format!(
            "<polyline class=\"line\" points=\"{}\" fill=\"none\" stroke=\"{FALLBACK}\"/>",
            line.join(" ")
        ));
        for (point, words) in self.points.iter().zip(&all) {
            let tone = point.mark.map_or("plain", |is_better| if is_better { "good" } else { "bad" });
            svg.push_str(&format!(
                "<circle class=\"point {tone}\" data-run=\"{}\" cx=\"{:.1}\" cy=\"{:.1}\" r=\"{}\" fill=\"{FALLBACK}\"><title>{}</title></circle>",
                point.place,
                x(point.place),
                y(point.value),
                if point.mark.is_some() { 4.0 } else { 2.5 },
                html(words)
            ));
        }
        svg.push_str("</svg>");
        svg
    }
}

/// A point for each pair of values, on a common scale, with the line on which both are the same.
pub fn scatter(points: &[(f64, f64)], (low, high): (f64, f64), label: &str) -> String {
    const SIZE: f64 = 260.0;
    const EDGE: f64 = 18.0;
    let values = || points.iter().flat_map(|(x, y)| [*x, *y]);
    let from = if low.is_finite() { low } else { values().fold(f64::INFINITY, f64::min) };
    let to = if high.is_finite() { high } else { values().fold(f64::NEG_INFINITY, f64::max) };
    let above = points.iter().filter(|(x, y)| y > x).count() as u64;
    let below = points.iter().filter(|(x, y)| y < x).count() as u64;
    let mut svg = format!(
        "<svg class=\"chart scatter\" viewBox=\"0 0 {0} {0}\" role=\"img\" aria-label=\"{1}: {2} larger in the other run, {3} smaller\">\
         <rect class=\"axis\" x=\"{EDGE}\" y=\"{EDGE}\" width=\"{SIZE}\" height=\"{SIZE}\" fill=\"none\" stroke=\"#999\"/>\
         <line class=\"mean-line\" x1=\"{EDGE}\" y1=\"{4}\" x2=\"{4}\" y2=\"{EDGE}\" stroke=\"#d55e00\"/>",
        SIZE + 2.0 * EDGE,
        html(label),
        count_with_noun(above, "value is", "values are"),
        count_with_noun(below, "is", "are"),
        SIZE + EDGE,
    );
    // Pairs on the same spot are one point that grows with their number.
    let mut spots: std::collections::BTreeMap<(u64, u64), u64> = std::collections::BTreeMap::new();
    for (x, y) in points {
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a share of 260 units")]
        let place = |value: f64| (share(value, from, to) * SIZE).round() as u64;
        *spots.entry((place(*x), place(*y))).or_default() += 1;
    }
    for ((x, y), count) in spots {
        svg.push_str(&format!(
            "<circle class=\"bar\" cx=\"{:.0}\" cy=\"{:.0}\" r=\"{:.1}\" fill=\"{FALLBACK}\" fill-opacity=\"0.55\"><title>{}</title></circle>",
            x as f64 + EDGE,
            SIZE + EDGE - y as f64,
            (2.5 + (count as f64).sqrt()).min(16.0),
            count_with_noun(count, "case", "cases"),
        ));
    }
    svg.push_str(&format!(
        "<text x=\"{EDGE}\" y=\"{0}\">{1}</text><text x=\"{2}\" y=\"{0}\" text-anchor=\"end\">baseline {3}</text>\
         <text x=\"{EDGE}\" y=\"12\">other {3}</text></svg>",
        SIZE + 2.0 * EDGE - 3.0,
        rounded(from),
        SIZE + EDGE,
        rounded(to),
    ));
    svg
}

/// The columns of a histogram between two heights. A bin that is not empty is always visible.
fn columns(histogram: &Histogram, width: f64, top: f64, base: f64) -> String {
    let most = histogram.counts.iter().copied().max().unwrap_or(0).max(1);
    let step = width / histogram.counts.len().max(1) as f64;
    let bin = (histogram.to - histogram.from) / histogram.counts.len().max(1) as f64;
    let mut svg = String::new();
    for (number, count) in histogram.counts.iter().enumerate().filter(|(_, count)| **count > 0) {
        let height = (*count as f64 / most as f64 * (base - top)).max(1.5);
        let from = histogram.from + bin * number as f64;
        svg.push_str(&format!(
            "<rect class=\"bar\" x=\"{:.2}\" y=\"{:.2}\" width=\"{:.2}\" height=\"{height:.2}\" rx=\"1.5\" fill=\"{FALLBACK}\">\
             <title>{} to {}: {}</title></rect>",
            number as f64 * step + step * 0.08,
            base - height,
            step * 0.84,
            rounded(from),
            rounded(from + bin),
            count_with_noun(*count, "case", "cases"),
        ));
    }
    svg
}

/// How far between two ends a value lies; in the middle where they are the same.
fn share(value: f64, from: f64, to: f64) -> f64 {
    let width = to - from;
    if width > 0.0 && width.is_finite() { ((value - from) / width).clamp(0.0, 1.0) } else { 0.5 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn charts_are_well_formed_and_speak() {
        let values = Histogram { from: 0.0, to: 1.0, counts: vec![0, 3, 1, 0, 7] };
        let chart = histogram(&values, Some(0.75), "<relevance>");
        let document = roxmltree::Document::parse(&chart).unwrap();
        assert_eq!(
            document.root_element().attribute("aria-label"),
            Some("<relevance>: distribution of 11 values from 0 to 1, mean 0.75")
        );
        assert_eq!(document.descendants().filter(|node| node.has_tag_name("rect")).count(), 3);
        assert!(roxmltree::Document::parse(&sparkline(&values)).is_ok());
    }

    #[test]
    fn intervals_stay_in_the_picture() {
        let rows = [
            Range { label: "<a>".into(), mean: 0.5, interval: Some((0.4, 0.6)) },
            Range { label: "alone".into(), mean: 0.9, interval: None },
        ];
        let chart = intervals(&rows, "means by model");
        let document = roxmltree::Document::parse(&chart).unwrap();
        let places: Vec<f64> =
            document.descendants().filter_map(|node| node.attribute("cx")).map(|x| x.parse().unwrap()).collect();
        assert!(
            places.len() == 2 && places[0] < places[1] && places.iter().all(|x| (0.0..330.0).contains(x)),
            "{chart}"
        );
        assert!(chart.contains("&lt;a&gt;: 0.5 (0.4 to 0.6)"), "{chart}");
        let one = intervals(&rows[1..], "one");
        assert!(roxmltree::Document::parse(&one).is_ok() && !one.contains("NaN"), "{one}");
        assert!(!intervals(&[], "none").contains("NaN"));
    }

    #[test]
    fn odd_values_do_not_leave_the_picture() {
        let rows = [
            Bar { label: "a\u{202e}<b>".into(), value: Some(7.0) },
            Bar { label: "none".into(), value: None },
            Bar { label: "below".into(), value: Some(-1.0) },
        ];
        let chart = bars(&rows, (0.0, 1.0), "means");
        let document = roxmltree::Document::parse(&chart).unwrap();
        let widths: Vec<_> = document.descendants().filter_map(|node| node.attribute("width")).collect();
        assert_eq!(widths, ["380.0", "0.0"]);
        let empty = Histogram { from: 0.0, to: 0.0, counts: Vec::new() };
        assert!(roxmltree::Document::parse(&histogram(&empty, Some(1.0), "x")).is_ok());
    }
}
