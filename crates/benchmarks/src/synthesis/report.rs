//! [`Report`]: results, failures and totals in the published JSON form.

use std::sync::Arc;

use rustc_hash::FxHashMap;
use serde::ser::SerializeStruct;
use serde::{Serialize, Serializer};
use serde_json::{Value as Json, json};

use super::javascript::JsNumber;
use super::{Check, CheckResult, EvidenceValue, ExpectedVerdicts, ReportedMatch};

/// What came of the cases so far.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct SynthesisReport {
    /// Totals.
    pub summary: SynthesisSummary,
    /// All cases, in order.
    pub results: Vec<Arc<CaseChecks>>,
}

impl Serialize for SynthesisReport {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut report = serializer.serialize_struct("Report", 3)?;
        report.serialize_field("summary", &self.summary)?;
        report.serialize_field("failures", &Failures(self))?;
        report.serialize_field("results", &Results(&self.results))?;
        report.end()
    }
}

struct Results<'a>(&'a [Arc<CaseChecks>]);

impl Serialize for Results<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.0.iter().map(AsRef::as_ref))
    }
}

/// The failed cases of a report, put together only as they are written.
struct Failures<'a>(&'a SynthesisReport);

impl Serialize for Failures<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.0.failures())
    }
}

/// Totals of a report.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct SynthesisSummary {
    pub cases: usize,
    /// Cases of which every check passed.
    pub passed: usize,
    /// The others.
    pub failed: usize,
    /// Cases that are meant to pass, less those that did not.
    pub strict_passed: usize,
    /// Cases that are meant to pass and did not.
    pub strict_failed: usize,
    /// Cases that are meant to fail and did.
    pub expected_failures: usize,
    /// The same as `strict_failed`; gates use it.
    pub unexpected_failures: usize,
    /// Totals of each check, in order of first use.
    pub by_check: ByCheck<CheckCounts>,
    /// Agreement with expected verdicts, where there are any.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub label_accuracy: Option<LabelAccuracy>,
    /// The same for each check that has labels, in order of first use of the check.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub label_accuracy_by_check: Option<ByCheck<LabelAccuracy>>,
}

/// Something for each check, in order of first use.
#[derive(Debug, Clone, PartialEq)]
pub struct ByCheck<T>(pub Vec<(Check, T)>);

impl<T> Default for ByCheck<T> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<T: Default> ByCheck<T> {
    fn entry(&mut self, check: Check) -> &mut T {
        let at = self.0.iter().position(|(known, _)| *known == check).unwrap_or_else(|| {
            self.0.push((check, T::default()));
            self.0.len() - 1
        });
        &mut self.0[at].1
    }
}

impl<T: Serialize> Serialize for ByCheck<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut fields = serializer.serialize_struct("ByCheck", self.0.len())?;
        for (check, value) in &self.0 {
            fields.serialize_field(check.name(), value)?;
        }
        fields.end()
    }
}

/// Totals of one check.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct CheckCounts {
    /// Applied and fine.
    pub passed: usize,
    /// Applied and violated.
    pub failed: usize,
    /// Did not apply.
    pub not_applicable: usize,
}

/// Agreement with expected verdicts.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct LabelAccuracy {
    /// Verdicts that were compared.
    pub total: usize,
    /// Those that agreed.
    pub matched: usize,
    /// Their share in percent, to one decimal.
    pub accuracy: JsNumber,
}

impl Default for LabelAccuracy {
    fn default() -> Self {
        Self { total: 0, matched: 0, accuracy: JsNumber(0.0) }
    }
}

impl LabelAccuracy {
    fn count(&mut self, matched: bool) {
        self.total += 1;
        self.matched += usize::from(matched);
        self.accuracy = JsNumber((1000.0 * self.matched as f64 / self.total as f64 + 0.5).floor() / 10.0);
    }
}

/// A failed case.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct FailedCase<'a> {
    pub id: &'a str,
    /// The checks that failed, as requested.
    pub failed: Vec<Check>,
    /// What they found, by name.
    #[serde(serialize_with = "by_name")]
    pub evidence: Vec<(&'static str, EvidenceValue<'a>)>,
    /// Whether the case is meant to fail.
    pub expected_failure: bool,
}

fn by_name<S: Serializer>(evidence: &[(&'static str, EvidenceValue<'_>)], serializer: S) -> Result<S::Ok, S::Error> {
    let mut fields = serializer.serialize_struct("Evidence", evidence.len())?;
    for (name, value) in evidence {
        fields.serialize_field(name, value)?;
    }
    fields.end()
}

/// A case with its verdicts.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct CaseChecks {
    pub id: String,
    /// The requested checks.
    pub checks: ByCheck<CheckResult>,
    /// Whether all of them are fine.
    pub pass: bool,
    /// Whether the case is meant to fail.
    pub is_negative_example: bool,
    /// Expected against actual verdicts, where any are expected.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub label_comparison: Option<ByCheck<LabelComparison>>,
}

/// An expected and an actual verdict.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct LabelComparison {
    /// What people expect.
    pub expected: bool,
    /// What the check says.
    pub actual: bool,
    /// Whether they are the same.
    #[serde(rename = "match")]
    pub matched: bool,
}

impl CaseChecks {
    /// Puts together what the checks of a case say and what was expected of them.
    pub(super) fn new(
        id: &str,
        checks: Vec<(Check, CheckResult)>,
        expected: Option<ExpectedVerdicts>,
        is_negative: bool,
    ) -> Self {
        let label_comparison = expected.map(|expected| {
            let compared = checks.iter().filter_map(|(check, checked)| {
                let (expected, actual) = (expected.for_check(*check)?, checked.pass());
                Some((*check, LabelComparison { expected, actual, matched: expected == actual }))
            });
            ByCheck(compared.collect())
        });
        Self {
            id: id.to_owned(),
            pass: checks.iter().all(|(_, checked)| checked.pass()),
            is_negative_example: is_negative,
            checks: ByCheck(checks),
            label_comparison,
        }
    }

    /// What every check matched, as requested.
    pub fn matches(&self) -> impl Iterator<Item = (Check, &ReportedMatch)> {
        self.checks.0.iter().flat_map(|(check, checked)| checked.matches().iter().map(|found| (*check, found)))
    }

    /// The checks that failed, as requested.
    pub(super) fn failed_checks(&self) -> impl Iterator<Item = &(Check, CheckResult)> {
        self.checks.0.iter().filter(|(_, checked)| !checked.pass())
    }

    /// What they found, by name.
    fn evidence(&self) -> impl Iterator<Item = (&'static str, EvidenceValue<'_>)> {
        let is_first =
            |number: usize, check: Check| self.failed_checks().position(|(other, _)| *other == check) == Some(number);
        // A schema of one's own may let a case ask for a check twice; its evidence is there once.
        let once = self.failed_checks().enumerate().filter(move |(number, (check, _))| is_first(*number, *check));
        once.flat_map(|(_, (_, checked))| checked.evidence())
    }
}

impl<'a> FailedCase<'a> {
    fn from_result(result: &'a CaseChecks) -> Self {
        Self {
            id: &result.id,
            failed: result.failed_checks().map(|(check, _)| *check).collect(),
            evidence: result.evidence().collect(),
            expected_failure: result.is_negative_example,
        }
    }
}

impl SynthesisSummary {
    fn count(&mut self, result: &CaseChecks) {
        self.cases += 1;
        match (result.pass, result.is_negative_example) {
            (true, negative) => {
                self.passed += 1;
                self.strict_passed += usize::from(!negative);
            }
            (false, true) => {
                self.failed += 1;
                self.expected_failures += 1;
            }
            (false, false) => {
                self.failed += 1;
                self.strict_failed += 1;
                self.unexpected_failures += 1;
            }
        }
        for (check, checked) in &result.checks.0 {
            let counts = self.by_check.entry(*check);
            match (checked.applicable(), checked.pass()) {
                (false, _) => counts.not_applicable += 1,
                (true, true) => counts.passed += 1,
                (true, false) => counts.failed += 1,
            }
        }
        for (check, comparison) in result.label_comparison.iter().flat_map(|compared| &compared.0) {
            self.label_accuracy.get_or_insert_default().count(comparison.matched);
            self.label_accuracy_by_check.get_or_insert_default().entry(*check).count(comparison.matched);
        }
        if let Some(labels) = &mut self.label_accuracy_by_check {
            labels.0.sort_by_key(|(check, _)| self.by_check.0.iter().position(|(used, _)| used == check));
        }
    }
}

impl SynthesisReport {
    /// Adds the result of the next case.
    pub fn add(&mut self, result: Arc<CaseChecks>) {
        self.summary.count(&result);
        self.results.push(result);
    }

    /// The failed cases, in order.
    pub fn failures(&self) -> impl Iterator<Item = FailedCase<'_>> {
        self.results.iter().filter(|result| !result.pass).map(|result| FailedCase::from_result(result))
    }

    /// The report as a file holds it: two spaces of indent, no final line break.
    pub fn json(&self) -> Vec<u8> {
        // Names, numbers and texts always have a JSON form.
        serde_json::to_vec_pretty(self).unwrap_or_default()
    }

    /// What was matched in every case, and what for: the published report has ids of families for some of it.
    pub fn matches_json(&self) -> Vec<u8> {
        let of = |result: &Arc<CaseChecks>| {
            let found: Vec<Json> = result
                .matches()
                .map(|(check, ReportedMatch { kind, family, meaning, text })| {
                    json!({"check": check.name(), "kind": kind, "family": family, "meaning": meaning, "text": text})
                })
                .collect();
            json!({"id": result.id, "matches": found})
        };
        let cases: Vec<Json> = self.results.iter().map(of).collect();
        serde_json::to_vec_pretty(&json!({ "cases": cases })).unwrap_or_default()
    }

    /// What the published report passes over in silence: negative examples that pass, so that what they stand for would not be
    /// noticed, and ids that occur twice, by id.
    pub fn warnings(&self) -> Vec<String> {
        let uncaught = self.results.iter().filter(|result| result.pass && result.is_negative_example);
        let mut ids: FxHashMap<&str, usize> = FxHashMap::default();
        ids.reserve(self.results.len());
        for result in &self.results {
            *ids.entry(&result.id).or_default() += 1;
        }
        let mut twice: Vec<(&str, usize)> = ids.into_iter().filter(|(_, count)| *count > 1).collect();
        // Sorted, because the order of a hash table is nobody's.
        twice.sort_unstable();
        uncaught
            .map(|result| {
                format!("case `{}` is a negative example and passes: what it guards against is not caught", result.id)
            })
            .chain(twice.into_iter().map(|(id, count)| format!("{count} cases have the id `{id}`")))
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::super::Check::{AgencyLanguage, TopicPivot};
    use super::*;

    #[test]
    fn labels_stand_in_the_order_in_which_checks_are_first_used() {
        let checked = || CheckResult::Reassurance {
            pass: true,
            hits: vec![],
            mind_reading_hits: vec![],
            guarantee_hits: vec![],
            reason: None,
            matches: vec![],
        };
        let expected = |check| {
            let json = serde_json::json!({ Check::name(check): true });
            serde_json::from_value::<ExpectedVerdicts>(json).ok()
        };
        let mut report = SynthesisReport::default();
        let checks = |list: [Check; 2]| list.map(|check| (check, checked())).to_vec();
        report.add(Arc::new(CaseChecks::new(
            "A-1",
            checks([TopicPivot, AgencyLanguage]),
            expected(AgencyLanguage),
            false,
        )));
        report.add(Arc::new(CaseChecks::new("A-2", checks([TopicPivot, AgencyLanguage]), expected(TopicPivot), false)));
        let labels = report.summary.label_accuracy_by_check.unwrap();
        assert_eq!(labels.0.iter().map(|(check, _)| *check).collect::<Vec<_>>(), [TopicPivot, AgencyLanguage]);
    }
}
