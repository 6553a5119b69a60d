//! Tables and banners that several pages have.

use crate::escape::html;

/// Everything of a table above its first row. It scrolls on its own where it is wide. The label and the heads are HTML; with each
/// head comes whether numbers stand under it.
pub(crate) fn table_start<H: AsRef<str>>(
    class: &str,
    label: &str,
    heads: impl IntoIterator<Item = (H, bool)>,
) -> String {
    let heads: String = heads
        .into_iter()
        .map(|(head, is_number)| {
            let right = if is_number { " class=\"right\"" } else { "" };
            format!("<th scope=\"col\"{right}>{}</th>", head.as_ref())
        })
        .collect();
    format!(
        "<div class=\"{class} scroll\" tabindex=\"0\" role=\"group\" aria-label=\"{label}\"><table><thead><tr>{heads}</tr></thead><tbody>\n"
    )
}

/// Everything below its last row.
pub(crate) const TABLE_END: &str = "</tbody></table></div>\n";

/// What became of all gates, with a line for each: whether it passed, and its sentence.
pub(crate) fn gate_banner(passed: bool, gates: impl Iterator<Item = (bool, String)>) -> String {
    let class = |passed: bool| if passed { "good" } else { "bad" };
    let lines: String =
        gates.map(|(passed, words)| format!("<li class=\"{}\">{}</li>", class(passed), html(&words))).collect();
    let sign = if passed { "Gates passed" } else { "Gates failed" };
    format!("<div class=\"banner {}\"><b>{sign}</b><ul>{lines}</ul></div>\n", class(passed))
}
