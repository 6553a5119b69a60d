//! The texts of the published command, with colours and fancy signs or without both.

use std::fmt::Write as _;

use probare_metrics::care::is_js_whitespace;
use probare_metrics::care::synthesis_1_3::PostureState;
use probare_report::escape;
use serde_json::Value as Json;

use crate::synthesis::Check;
use crate::synthesis::javascript::to_fixed;

use super::report::{CheckTotals, VerdictReport, evidence};
use super::{CaseVerdict, CheckVerdict};

/// Columns of the block.
const WIDTH: usize = 60;

/// Failures of a kind that are listed.
const MOST_FAILURES: usize = 5;

/// Items of a list that are shown.
const MOST_ITEMS: usize = 3;

/// Columns that a line which is cut keeps free.
const CUT: usize = 8;

const LEGEND: &str = "FAIL = checker fired; N/A = abstain (not a pass); verified_uptake = observable uptake (not \
                      sincerity/safety).";
const EXPLAINED: &str = "  --explain dumps per-case claims/non_claims; limits also print on the default TTY.";

/// A colour of the terminal.
#[derive(Debug, Clone, Copy)]
pub(super) enum Colour {
    Red,
    Green,
    Yellow,
    Cyan,
}

/// Whether colours are used, and with them the fancy signs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::synthesis) struct Look {
    pub(in crate::synthesis) is_colourful: bool,
}

impl Look {
    /// As the published program decides: by the variables of node, then by the terminal.
    pub(in crate::synthesis) fn from_environment(is_terminal: bool, no_colour: bool) -> Self {
        let value = |name: &str| std::env::var(name).unwrap_or_default();
        let forced = value("FORCE_COLOR");
        let is_forced = !matches!(forced.as_str(), "" | "0" | "false");
        let is_disabled =
            std::env::var_os("NODE_DISABLE_COLORS").is_some() && !matches!(forced.as_str(), "1" | "2" | "3" | "true");
        let is_off =
            no_colour || !value("NO_COLOR").is_empty() || forced == "0" || value("TERM") == "dumb" || is_disabled;
        Self { is_colourful: !is_off && (is_forced || is_terminal) }
    }

    const fn sign(self, fancy: &'static str, plain: &'static str) -> &'static str {
        if self.is_colourful { fancy } else { plain }
    }

    const fn fail(self) -> &'static str {
        self.sign("✗", "[x]")
    }

    const fn pass(self) -> &'static str {
        self.sign("✓", "[v]")
    }

    const fn pointer(self) -> &'static str {
        self.sign("▸", "[>]")
    }

    fn paint(self, colour: Colour, text: &str) -> String {
        if !self.is_colourful {
            return text.to_owned();
        }
        let number = match colour {
            Colour::Red => 31,
            Colour::Green => 32,
            Colour::Yellow => 33,
            Colour::Cyan => 36,
        };
        format!("\u{1b}[{number}m{text}\u{1b}[0m")
    }

    /// The bullet of error lists and the sign before their heading.
    pub(in crate::synthesis) const fn error_signs(self) -> (&'static str, &'static str) {
        if self.is_colourful { ("❌", "•") } else { ("[x]", "*") }
    }
}

fn units(text: &str) -> usize {
    text.chars().map(char::len_utf16).sum()
}

/// Words behind a lead, in lines of the width; later lines begin with six spaces. A line that is too long is cut where that is
/// asked for.
fn wrap(lead: &str, text: &str, cut: Option<Look>) -> Vec<String> {
    let mut lines = Vec::new();
    let mut line = lead.to_owned();
    let mut is_first = true;
    for word in text.split(is_js_whitespace).filter(|word| !word.is_empty()) {
        let space = if is_first { "" } else { " " };
        if !is_first && units(&line) + units(space) + units(word) > WIDTH {
            lines.push(std::mem::replace(&mut line, format!("      {word}")));
        } else if is_first && units(&line) + units(word) > WIDTH && !line.trim().is_empty() {
            lines.push(std::mem::replace(&mut line, format!("      {word}")).trim_end().to_owned());
        } else {
            line.push_str(space);
            line.push_str(word);
        }
        is_first = false;
    }
    lines.push(line);
    match cut {
        Some(look) => lines.into_iter().map(|line| cut_line(line, look)).collect(),
        None => lines,
    }
}

fn cut_line(line: String, look: Look) -> String {
    if units(&line) <= WIDTH {
        return line;
    }
    let fitting: Vec<u16> = line.encode_utf16().take(WIDTH - CUT).collect();
    String::from_utf16_lossy(&fitting) + look.sign("…", "...")
}

/// The share of passed cases in percent with one decimal.
pub(super) fn pass_rate(report: &VerdictReport) -> String {
    if report.cases() == 0 {
        return "NaN%".to_owned();
    }
    format!("{}%", to_fixed(report.passed as f64 / report.cases() as f64 * 100.0, 1))
}

/// The block, ending in an empty line.
pub(super) fn block(report: &VerdictReport, look: Look, is_explained: bool) -> String {
    let bar = look.sign("═", "=").repeat(WIDTH);
    let mut lines = vec![String::new(), bar.clone(), "  SYNTHESIS - Empathy Evaluation Report".to_owned(), bar.clone()];
    lines.extend(wrap("  ", LEGEND, None).iter().map(|line| look.paint(Colour::Yellow, line)));
    if is_explained {
        lines.push(EXPLAINED.to_owned());
    }
    lines.push(String::new());
    overall(report, look, &mut lines);
    by_check(report, look, &mut lines);
    postures(report, look, &mut lines);
    if is_explained {
        explained(report, look, &mut lines);
    }
    failures(report, look, &mut lines);
    lines.extend([String::new(), bar, String::new(), String::new()]);
    lines.join("\n")
}

fn overall(report: &VerdictReport, look: Look, lines: &mut Vec<String>) {
    let is_clean = report.unexpected_failures == 0;
    let mark = if is_clean { look.paint(Colour::Green, look.pass()) } else { look.paint(Colour::Red, look.fail()) };
    lines.push(format!("  {mark} {}/{} cases passed ({})", report.passed, report.cases(), pass_rate(report)));
    if report.failed() > 0 || report.unexpected_failures > 0 {
        let tee = look.paint(Colour::Yellow, look.sign("├", "+"));
        let elbow = look.paint(if is_clean { Colour::Yellow } else { Colour::Red }, look.sign("└", "+"));
        lines.push(format!("    {tee} Expected failures (negative examples): {}", report.expected_failures));
        lines.push(format!("    {elbow} Unexpected failures: {}", report.unexpected_failures));
    }
    if let Some(labels) = report.label_accuracy() {
        let colour = if labels.matched == labels.total { Colour::Green } else { Colour::Yellow };
        let pointer = look.paint(colour, look.pointer());
        lines.push(String::new());
        lines.push(format!("  {pointer} Label Accuracy: {}/{} ({}%)", labels.matched, labels.total, labels.accuracy()));
    }
    let pointer = look.paint(Colour::Cyan, look.pointer());
    lines.push(String::new());
    lines.push(format!("  {pointer} Fairness FPR (tagged genuine-care slices; not a quality score):"));
    for (name, cases, rate) in report.fairness() {
        let rate =
            rate.map_or_else(|| "N/A".to_owned(), |rate| crate::synthesis::javascript::JsNumber(rate).to_string());
        lines.push(format!("    n_{name}: {cases}  fpr_{name}: {rate}"));
    }
}

fn by_check(report: &VerdictReport, look: Look, lines: &mut Vec<String>) {
    lines.extend([String::new(), "  By Check:".to_owned()]);
    for (check, CheckTotals { passed, failed, not_applicable }) in report.used_checks() {
        let total = passed + failed;
        let share = if total == 0 { "100".to_owned() } else { to_fixed(passed as f64 / total as f64 * 100.0, 0) };
        let aside = if not_applicable > 0 { format!(" [{not_applicable} N/A]") } else { String::new() };
        let title = check.title();
        lines.push(if check == Check::GroundedUptake {
            let mark = look.paint(Colour::Cyan, look.pointer());
            format!("    {mark} {title}: {passed} verified / {total} assessed ({share}%){aside}")
        } else {
            let mark = if failed == 0 {
                look.paint(Colour::Green, look.pass())
            } else {
                look.paint(Colour::Yellow, look.fail())
            };
            format!("    {mark} {title}: {passed}/{total} ({share}%){aside}")
        });
    }
}

/// `grounded_uptake_verified` as `Grounded Uptake Verified`.
fn title(state: PostureState) -> String {
    let capital = |word: &str| word[..1].to_uppercase() + &word[1..];
    state.name().split('_').map(capital).collect::<Vec<_>>().join(" ")
}

fn postures(report: &VerdictReport, look: Look, lines: &mut Vec<String>) {
    lines.extend([String::new(), "  Relational Posture:".to_owned()]);
    for state in PostureState::LISTED {
        let mut cases = report.of_posture(state);
        let Some(first) = cases.next() else { continue };
        let mark = match state {
            PostureState::GroundedUptakeVerified => look.paint(Colour::Cyan, look.pointer()),
            PostureState::UnresolvedAbstain => look.paint(Colour::Yellow, look.sign("◦", "o")),
            PostureState::UnsafeComfort => look.paint(Colour::Red, look.fail()),
            PostureState::HollowWarmthFlagged | PostureState::PivotOrAbandonment => {
                look.paint(Colour::Yellow, look.fail())
            }
        };
        lines.push(format!("    {mark} {}: {}", title(state), cases.count() + 1));
        let non_claims = state.non_claims();
        if !non_claims.is_empty() {
            lines.extend(wrap("      non_claims: ", &non_claims.join("; "), Some(look)));
        }
        if !first.posture.claims.is_empty() {
            let lead = format!("      claims [{}]: ", escape::terminal(&first.id));
            lines.extend(wrap(&lead, &escape::terminal(&first.posture.claims.join("; ")), Some(look)));
        }
    }
}

fn explained(report: &VerdictReport, look: Look, lines: &mut Vec<String>) {
    lines.extend([String::new(), "  Per-case relational_posture (--explain):".to_owned()]);
    let or_none = |list: &[String]| if list.is_empty() { "(none)".to_owned() } else { list.join("; ") };
    for result in &report.results {
        let (bullet, posture) = (look.sign("•", "*"), &result.posture);
        lines.push(format!("    {bullet} {}: {}", escape::terminal(&result.id), posture.state.name()));
        lines.extend(wrap("      claims: ", &escape::terminal(&or_none(&posture.claims)), Some(look)));
        let non_claims: Vec<String> = posture.state.non_claims().iter().map(|&claim| claim.to_owned()).collect();
        lines.extend(wrap("      non_claims: ", &or_none(&non_claims), Some(look)));
    }
}

fn failures(report: &VerdictReport, look: Look, lines: &mut Vec<String>) {
    let more = |count: usize, lines: &mut Vec<String>| {
        if count > MOST_FAILURES {
            lines.push(format!("    ... and {} more", count - MOST_FAILURES));
        }
    };
    if report.unexpected_failures > 0 {
        let heading = look.paint(Colour::Red, "Unexpected Failures (regressions):");
        lines.extend([String::new(), format!("  {heading}")]);
        for result in report.failures().filter(|result| result.is_unexpected()).take(MOST_FAILURES) {
            lines.push(format!("    {} {}", look.sign("•", "*"), unexpected_line(result)));
            for (name, value) in evidence(result) {
                if let Some(shown) = shown(&value).filter(|_| name != "unexpected_pass") {
                    lines.push(format!("      {name}: {}", escape::terminal(&shown)));
                }
            }
        }
        more(report.unexpected_failures, lines);
    }
    if report.expected_failures > 0 {
        let heading = look.paint(Colour::Yellow, "Expected Failures (negative examples correctly caught):");
        lines.extend([String::new(), format!("  {heading}")]);
        for result in report.failures().filter(|result| !result.is_unexpected()).take(MOST_FAILURES) {
            lines.push(format!("    {} {}: {}", look.pass(), escape::terminal(&result.id), failed(result)));
        }
        more(report.expected_failures, lines);
    }
}

fn failed(result: &CaseVerdict) -> String {
    let name = |(check, _): &(Check, CheckVerdict)| check.name();
    result.failed().map(name).collect::<Vec<_>>().join(", ")
}

fn unexpected_line(result: &CaseVerdict) -> String {
    let mut text = format!("{}: {}", escape::terminal(&result.id), failed(result));
    if !result.unexpected_pass.is_empty() {
        let names: Vec<&str> = result.unexpected_pass.iter().map(|check| check.name()).collect();
        let separator = if result.pass() { "" } else { "; " };
        let _ = write!(text, "{separator}unexpected pass: {}", names.join(", "));
    }
    text
}

/// A value of the evidence; nothing for what is not shown.
fn shown(value: &Json) -> Option<String> {
    match value {
        Json::Null => None,
        Json::Array(items) if items.is_empty() => None,
        Json::Array(items) => {
            let texts: Vec<&str> = items.iter().take(MOST_ITEMS).filter_map(Json::as_str).collect();
            let more = if items.len() > MOST_ITEMS { "..." } else { "" };
            Some(format!("{}{more}", texts.join(", ")))
        }
        Json::String(text) => Some(text.clone()),
        other => Some(other.to_string()),
    }
}

/// The last line: what the exit code says.
pub(super) fn last_line(report: &VerdictReport, fail_on: i64) -> String {
    let unexpected = report.unexpected_failures;
    if exceeds(report, fail_on) {
        return format!("Exiting with code 2 ({unexpected} unexpected failures > {fail_on} threshold)");
    }
    if unexpected > 0 {
        return format!("Exiting 0: {unexpected} unexpected failures <= --fail-on {fail_on}");
    }
    if report.expected_failures > 0 {
        return format!("All checks passed! ({} expected failures correctly caught)", report.expected_failures);
    }
    "All checks passed!".to_owned()
}

/// Whether more cases did something unexpected than are allowed.
pub(super) fn exceeds(report: &VerdictReport, fail_on: i64) -> bool {
    i64::try_from(report.unexpected_failures).unwrap_or(i64::MAX) > fail_on
}
