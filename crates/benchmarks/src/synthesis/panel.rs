//! What a page says beside the cases: the verdict, what each check came to, and the failures, expected ones and others.

use probare_core::{Chip, Panel, PanelCell, PanelTable, Tone};
use probare_report::escape::excerpt;

use super::console::{exceeds, last_line};
use super::report::CheckCounts;
use super::{CaseChecks, LabelAccuracy, SynthesisReport};

/// Characters of what was matched in a case.
const SHOWN: usize = 200;

/// The verdict on a report, by the published rule.
pub(super) fn verdict(report: &SynthesisReport, fail_on: i64) -> Panel {
    let summary = &report.summary;
    let if_any = |number: usize, tone: Tone| if number > 0 { tone } else { Tone::Plain };
    let is_missed = exceeds(summary, fail_on);
    let mut chips = vec![
        Chip::new(if is_missed { "failed" } else { "passed" }, if is_missed { Tone::Bad } else { Tone::Good }),
        Chip::new(format!("{} of {} cases passed", summary.passed, summary.cases), Tone::Plain),
        Chip::new(
            format!("{} expected failures", summary.expected_failures),
            if_any(summary.expected_failures, Tone::Good),
        ),
        Chip::new(
            format!("{} unexpected failures", summary.unexpected_failures),
            if_any(summary.unexpected_failures, Tone::Bad),
        ),
    ];
    if let Some(LabelAccuracy { total, matched, accuracy }) = &summary.label_accuracy {
        let tone = if matched == total { Tone::Good } else { Tone::Warn };
        chips.push(Chip::new(format!("{matched} of {total} labels agree ({accuracy} %)"), tone));
    }
    let says = [last_line(summary, fail_on)].into_iter().chain(report.warnings().into_iter().take(20));
    Panel {
        title: "Verdict".to_owned(),
        says: says.collect(),
        chips,
        tables: [Some(checks(report)), failures(report)].into_iter().flatten().collect(),
        ..Panel::default()
    }
}

fn checks(report: &SynthesisReport) -> PanelTable {
    let summary = &report.summary;
    let mut table = PanelTable::new("Checks", ["Check", "Passed", "Failed", "Not applicable", "Labels that agree"], 1);
    let mut counts = summary.by_check.0.clone();
    counts.sort_by_key(|(check, _)| *check);
    table.fill(counts, |(check, CheckCounts { passed, failed, not_applicable })| {
        let mut labels = summary.label_accuracy_by_check.iter().flat_map(|labels| &labels.0);
        let agree = labels.find(|(labelled, _)| *labelled == check);
        let agree = agree.map_or_else(|| "–".to_owned(), |(_, labels)| format!("{}/{}", labels.matched, labels.total));
        let numbers = [passed, failed, not_applicable].map(|number| number.to_string());
        [check.title().to_owned()].into_iter().chain(numbers).chain([agree]).map(PanelCell::from).collect()
    });
    table
}

/// The cases that failed, those that were not meant to first.
fn failures(report: &SynthesisReport) -> Option<PanelTable> {
    let of_kind = |expected: bool| {
        report.results.iter().filter(move |result| !result.pass && result.is_negative_example == expected)
    };
    let mut table = PanelTable::new("Failures", ["Case", "Failure", "Checks", "What was matched"], 4);
    table.fill(of_kind(false).chain(of_kind(true)), |result| {
        let (words, tone) =
            if result.is_negative_example { ("expected", Tone::Good) } else { ("unexpected", Tone::Bad) };
        let failed: Vec<&str> = result.failed_checks().map(|(check, _)| check.name()).collect();
        vec![
            PanelCell::case(&result.id, excerpt(&result.id, 80)),
            PanelCell::from(words).with_tone(tone),
            failed.join(", ").into(),
            excerpt(&matched(result), SHOWN).into(),
        ]
    });
    (!table.rows.is_empty()).then_some(table)
}

/// What the failed checks of a case matched, each text once.
fn matched(result: &CaseChecks) -> String {
    let found = result.failed_checks().flat_map(|(_, checked)| checked.matches());
    let mut texts: Vec<String> = found.map(|found| format!("“{}”", found.text)).collect();
    texts.dedup();
    texts.join(", ")
}
