//! The texts of the published command: its summary block and its last line.

use probare_report::escape;
use serde_json::json;

use super::javascript::to_fixed;
use super::{EvidenceValue, FailedCase, ReportedMatch, SynthesisReport, SynthesisSummary};

/// Most failures of a group that are listed.
const MOST_FAILURES: usize = 5;

/// Most items of a list that are shown.
const MOST_ITEMS: usize = 3;

const RED: &str = "\u{1b}[31m";
const GREEN: &str = "\u{1b}[32m";
const YELLOW: &str = "\u{1b}[33m";
const RESET: &str = "\u{1b}[0m";

/// A text without its ANSI colours.
pub fn without_colour(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('\u{1b}') {
        plain.push_str(before);
        rest = after.split_once('m').map_or("", |(_, behind)| behind);
    }
    plain.push_str(rest);
    plain
}

/// The summary block, with colours, ending in a line break.
pub fn block(report: &SynthesisReport) -> String {
    let rule = "═".repeat(60);
    let mut lines =
        vec![String::new(), rule.clone(), "  SYNTHESIS - Empathy Evaluation Report".to_owned(), rule.clone()];
    lines.push(String::new());
    overall(&report.summary, &mut lines);
    labels(&report.summary, &mut lines);
    by_check(&report.summary, &mut lines);
    unexpected(report, &mut lines);
    expected(report, &mut lines);
    lines.extend([String::new(), rule, String::new(), String::new()]);
    lines.join("\n")
}

fn overall(summary: &SynthesisSummary, lines: &mut Vec<String>) {
    let clean = summary.unexpected_failures == 0;
    let mark = if clean { format!("{GREEN}✓{RESET}") } else { format!("{RED}✗{RESET}") };
    let rate = rate(summary);
    lines.push(format!("  {mark} {}/{} cases passed ({rate})", summary.passed, summary.cases));
    if summary.failed > 0 {
        let colour = if clean { YELLOW } else { RED };
        lines
            .push(format!("    {YELLOW}├{RESET} Expected failures (negative examples): {}", summary.expected_failures));
        lines.push(format!("    {colour}└{RESET} Unexpected failures: {}", summary.unexpected_failures));
    }
}

/// The share of passed cases in percent with one decimal; `NaN%` of none.
fn rate(summary: &SynthesisSummary) -> String {
    if summary.cases == 0 {
        return "NaN%".to_owned();
    }
    format!("{}%", to_fixed(percent(summary.passed, summary.cases), 1))
}

/// In this order of operations, which is that of the published program.
fn percent(part: usize, whole: usize) -> f64 {
    part as f64 / whole as f64 * 100.0
}

fn labels(summary: &SynthesisSummary, lines: &mut Vec<String>) {
    if let Some(labels) = &summary.label_accuracy {
        let colour = if labels.matched == labels.total { GREEN } else { YELLOW };
        lines.push(String::new());
        lines.push(format!(
            "  {colour}▸{RESET} Label Accuracy: {}/{} ({}%)",
            labels.matched, labels.total, labels.accuracy
        ));
    }
}

fn by_check(summary: &SynthesisSummary, lines: &mut Vec<String>) {
    lines.extend([String::new(), "  By Check:".to_owned()]);
    // In the order of the checkers, whatever the order of first use.
    let mut checks = summary.by_check.0.clone();
    checks.sort_by_key(|(check, _)| *check);
    for (check, counts) in checks {
        let total = counts.passed + counts.failed;
        let percent = if total == 0 { "100".to_owned() } else { to_fixed(percent(counts.passed, total), 0) };
        let mark = if counts.failed == 0 { format!("{GREEN}✓{RESET}") } else { format!("{YELLOW}✗{RESET}") };
        let aside = if counts.not_applicable > 0 { format!(" [{} N/A]", counts.not_applicable) } else { String::new() };
        let title = check.title();
        lines.push(format!("    {mark} {title}: {}/{total} ({percent}%){aside}", counts.passed));
    }
}

fn unexpected(report: &SynthesisReport, lines: &mut Vec<String>) {
    group(report, false, &format!("  {RED}Unexpected Failures (regressions):{RESET}"), lines, |failure, lines| {
        lines.push(format!("    • {}", failed_checks_line(failure)));
        for (name, value) in &failure.evidence {
            if let Some(shown) = evidence_text(*value) {
                lines.push(format!("      {name}: {shown}"));
            }
        }
    });
}

fn expected(report: &SynthesisReport, lines: &mut Vec<String>) {
    let heading = format!("  {YELLOW}Expected Failures (negative examples correctly caught):{RESET}");
    group(report, true, &heading, lines, |failure, lines| lines.push(format!("    ✓ {}", failed_checks_line(failure))));
}

/// The failures of one kind under their heading, the first few of them.
fn group(
    report: &SynthesisReport,
    expected: bool,
    heading: &str,
    lines: &mut Vec<String>,
    show: impl Fn(&FailedCase<'_>, &mut Vec<String>),
) {
    let summary = &report.summary;
    let count = if expected { summary.expected_failures } else { summary.unexpected_failures };
    if count == 0 {
        return;
    }
    lines.extend([String::new(), heading.to_owned()]);
    for failure in report.failures().filter(|failure| failure.expected_failure == expected).take(MOST_FAILURES) {
        show(&failure, lines);
    }
    if count > MOST_FAILURES {
        lines.push(format!("    ... and {} more", count - MOST_FAILURES));
    }
}

fn failed_checks_line(failure: &FailedCase<'_>) -> String {
    let failed: Vec<&str> = failure.failed.iter().map(|check| check.name()).collect();
    format!("{}: {}", escape::terminal(failure.id), failed.join(", "))
}

/// A value of the evidence; empty lists are left out.
fn evidence_text(value: EvidenceValue<'_>) -> Option<String> {
    match value {
        EvidenceValue::Texts([]) => None,
        EvidenceValue::Texts(texts) => {
            let more = if texts.len() > MOST_ITEMS { "..." } else { "" };
            let shown = texts[..texts.len().min(MOST_ITEMS)].join(", ");
            Some(format!("{}{more}", escape::terminal(&shown)))
        }
        EvidenceValue::Score(score) => Some(score.to_string()),
        EvidenceValue::Similarity(similarity) => Some(similarity.to_string()),
        EvidenceValue::Flag(flag) => Some(flag.to_string()),
    }
}

/// What was matched in the cases that failed, in our own words below the published block, which has ids of families alone.
/// As many cases as the block lists; nothing where no phrase was matched.
pub fn matched(report: &SynthesisReport) -> String {
    let mut lines = Vec::new();
    for expected in [false, true] {
        let failed = report.results.iter().filter(|result| !result.pass && result.is_negative_example == expected);
        for result in failed.take(MOST_FAILURES) {
            let bad = result.checks.0.iter().filter(|(_, checked)| !checked.pass());
            for (check, found) in
                bad.flat_map(|(check, checked)| checked.matches().iter().map(move |found| (check, found)))
            {
                let ReportedMatch { kind, family, meaning, text } = found;
                let meaning = if meaning.is_empty() { family.clone() } else { format!("{family}: {meaning}") };
                let kind = kind.replace('_', " ");
                lines.push(format!(
                    "    {} {}: {kind} \u{201c}{}\u{201d} ({})",
                    escape::terminal(&result.id),
                    check.name(),
                    escape::terminal(text),
                    escape::terminal(&meaning)
                ));
            }
        }
    }
    if lines.is_empty() { String::new() } else { format!("  Matched in cases that failed:\n{}\n\n", lines.join("\n")) }
}

/// The last line: what the exit code says.
pub fn last_line(summary: &SynthesisSummary, fail_on: i64) -> String {
    if exceeds(summary, fail_on) {
        return format!(
            "Exiting with code 2 ({} unexpected failures > {fail_on} threshold)",
            summary.unexpected_failures
        );
    }
    if summary.expected_failures > 0 {
        return format!("All checks passed! ({} expected failures correctly caught)", summary.expected_failures);
    }
    "All checks passed!".to_owned()
}

/// Whether more cases failed unexpectedly than are allowed; a negative number allows none and fails a clean run too.
pub fn exceeds(summary: &SynthesisSummary, fail_on: i64) -> bool {
    i64::try_from(summary.unexpected_failures).unwrap_or(i64::MAX) > fail_on
}

/// The artifact that is printed for tools which ask for it in the environment.
pub fn artifact(summary: &SynthesisSummary, path: &str) -> String {
    let mut totals = json!({
        "cases": summary.cases,
        "passed": summary.passed,
        "failed": summary.failed,
        "expected_failures": summary.expected_failures,
        "unexpected_failures": summary.unexpected_failures,
        "pass_rate": rate(summary),
    });
    if let (Some(labels), Some(object)) = (&summary.label_accuracy, totals.as_object_mut()) {
        object.insert("label_accuracy".to_owned(), json!(format!("{}%", labels.accuracy)));
    }
    let artifact = json!({"type": "artifact", "name": "synthesis-report", "path": path, "summary": totals});
    serde_json::to_string_pretty(&artifact).expect("strings and numbers always have a JSON form")
}

#[cfg(test)]
mod tests {
    use super::super::javascript::JsNumber;
    use super::*;

    #[test]
    fn the_last_line_says_what_the_exit_code_does() {
        let mut summary = SynthesisSummary::default();
        assert_eq!(last_line(&summary, 0), "All checks passed!");
        assert!(exceeds(&summary, -1));
        summary.unexpected_failures = 2;
        assert_eq!(last_line(&summary, 1), "Exiting with code 2 (2 unexpected failures > 1 threshold)");
        assert_eq!(last_line(&summary, 2), "All checks passed!");
        summary.expected_failures = 3;
        assert_eq!(last_line(&summary, 2), "All checks passed! (3 expected failures correctly caught)");
    }

    #[test]
    fn what_was_matched_is_said_with_what_it_is_for() {
        use super::super::{CarePolicy, CaseSchema, read_case};
        let line = r#"{"id": "A-1", "user": "I'm scared.", "assistant": "You must rest. You'll be fine.", "checks": ["agency_language", "unverifiable_reassurance"]}"#;
        let case = read_case(line, 1, &CaseSchema::bundled()).unwrap().into_case();
        let mut report = SynthesisReport::default();
        report.add(std::sync::Arc::new(CarePolicy::default().result(probare_core::Sample::from_case(&case)).unwrap()));
        let text = matched(&report);
        assert!(text.contains("    A-1 agency_language: order “You must” (N01: "), "{text}");
        assert!(text.contains("    A-1 unverifiable_reassurance: guarantee “You'll be fine” ("), "{text}");
        assert_eq!(matched(&SynthesisReport::default()), "");
        let json: serde_json::Value = serde_json::from_slice(&report.matches_json()).unwrap();
        assert_eq!(json["cases"][0]["matches"][0]["text"], "You must");
        // The published form stays as it is.
        let published: serde_json::Value = serde_json::from_slice(&report.json()).unwrap();
        assert_eq!(published["results"][0]["checks"]["agency_language"]["neg_hits"], json!(["N01"]));
        assert!(!String::from_utf8(report.json()).unwrap().contains("matches"));
    }

    #[test]
    fn rates_are_those_of_the_published_program() {
        let summary = |passed, cases| SynthesisSummary { cases, passed, ..SynthesisSummary::default() };
        assert_eq!((rate(&summary(1, 16)), rate(&summary(4038, 12000))), ("6.3%".into(), "33.7%".into()));
    }

    #[test]
    fn colours_can_be_left_out() {
        assert_eq!(without_colour("a \u{1b}[32m✓\u{1b}[0m b"), "a ✓ b");
    }

    #[test]
    fn lists_show_three_items() {
        assert_eq!(
            evidence_text(EvidenceValue::Texts(&["a", "b", "c", "d"].map(str::to_owned))).as_deref(),
            Some("a, b, c...")
        );
        assert_eq!(evidence_text(EvidenceValue::Texts(&[])), None);
        assert_eq!(evidence_text(EvidenceValue::Similarity(JsNumber(0.13))).as_deref(), Some("0.13"));
    }
}
