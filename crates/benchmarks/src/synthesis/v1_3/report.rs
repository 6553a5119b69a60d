//! [`VerdictReport`]: results, failures and totals in the published JSON form.

use std::sync::Arc;

use probare_metrics::care::synthesis_1_3::PostureState;
use serde_json::{Map, Value as Json, json};

use crate::synthesis::Check;
use crate::synthesis::javascript::JsNumber;

use super::CaseVerdict;
use super::case_checks::SLICES;

/// Totals of one check: fine, violated, silent; of `grounded_uptake` verified, not verified, abstained.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct CheckTotals {
    /// Fine, or verified.
    pub passed: usize,
    /// Violated, or not verified.
    pub failed: usize,
    /// Nothing was said.
    pub not_applicable: usize,
}

/// Agreement with labels: how many there are, and how many agree.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Agreement {
    /// Labels that were compared.
    pub total: usize,
    /// Those that agree.
    pub matched: usize,
}

impl Agreement {
    fn count(&mut self, is_match: bool) {
        self.total += 1;
        self.matched += usize::from(is_match);
    }

    /// Their share in percent, to one decimal.
    pub fn accuracy(self) -> JsNumber {
        JsNumber((1000.0 * self.matched as f64 / self.total as f64 + 0.5).floor() / 10.0)
    }

    fn json(self) -> Json {
        json!({"total": self.total, "matched": self.matched, "accuracy": self.accuracy()})
    }
}

/// What came of the cases so far.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct VerdictReport {
    /// All cases, in order.
    pub results: Vec<Arc<CaseVerdict>>,
    /// Cases of which no check failed.
    pub passed: usize,
    /// Cases that failed as they were meant to.
    pub expected_failures: usize,
    /// Cases that did something nobody expected.
    pub unexpected_failures: usize,
    /// Totals of each check, in the order of the checks.
    pub by_check: [CheckTotals; 5],
    /// Agreement with labels, in the order of the checks.
    pub labels: [Agreement; 5],
    /// Cases of each slice of the fairness rates that are meant to pass, and how many of them failed.
    pub slices: [(usize, usize); 2],
}

/// The place of a check in the order of the checks.
fn place(check: Check) -> usize {
    Check::ALL.iter().position(|known| *known == check).unwrap_or_default()
}

impl VerdictReport {
    /// Adds the next case.
    pub fn add(&mut self, result: Arc<CaseVerdict>) {
        let pass = result.pass();
        self.passed += usize::from(pass);
        self.unexpected_failures += usize::from(result.is_unexpected());
        self.expected_failures += usize::from(result.is_expected_failure());
        for (check, verdict) in &result.checks {
            let totals = &mut self.by_check[place(*check)];
            let is_good = if *check == Check::GroundedUptake { verdict.actual } else { verdict.pass };
            match (verdict.applicable, is_good) {
                (false, _) => totals.not_applicable += 1,
                (true, true) => totals.passed += 1,
                (true, false) => totals.failed += 1,
            }
        }
        for (check, expected, actual) in result.label_comparison().unwrap_or_default() {
            self.labels[place(check)].count(expected == actual);
        }
        if !result.is_negative {
            for ((cases, failed), _) in self.slices.iter_mut().zip(result.slices).filter(|(_, is_in)| *is_in) {
                *cases += 1;
                *failed += usize::from(!pass);
            }
        }
        self.results.push(result);
    }

    /// Cases so far.
    pub const fn cases(&self) -> usize {
        self.results.len()
    }

    /// Cases of which a check failed.
    pub const fn failed(&self) -> usize {
        self.results.len() - self.passed
    }

    /// Agreement with all labels, where there are any.
    pub fn label_accuracy(&self) -> Option<Agreement> {
        let all = self.labels.iter().fold(Agreement::default(), |sum, one| Agreement {
            total: sum.total + one.total,
            matched: sum.matched + one.matched,
        });
        (all.total > 0).then_some(all)
    }

    /// Checks that were asked for, in their order, with their totals.
    pub fn used_checks(&self) -> impl Iterator<Item = (Check, CheckTotals)> {
        let totals = Check::ALL.into_iter().zip(self.by_check);
        totals.filter(|(_, totals)| totals.passed + totals.failed + totals.not_applicable > 0)
    }

    /// The share of failures in each slice, unrounded; nothing without a case.
    pub fn fairness(&self) -> [(&'static str, usize, Option<f64>); 2] {
        let mut of_slice = SLICES
            .into_iter()
            .zip(self.slices)
            .map(|(name, (cases, failed))| (name, cases, (cases > 0).then(|| failed as f64 / cases as f64)));
        std::array::from_fn(|_| of_slice.next().unwrap_or_default())
    }

    /// The cases of a posture, in order.
    pub fn of_posture(&self, state: PostureState) -> impl Iterator<Item = &Arc<CaseVerdict>> {
        self.results.iter().filter(move |result| result.posture.state == state)
    }

    /// Cases with something to list: failed, or passed where they should not have.
    pub fn failures(&self) -> impl Iterator<Item = &Arc<CaseVerdict>> {
        self.results.iter().filter(|result| !result.pass() || result.is_unexpected())
    }

    fn summary(&self) -> Json {
        let by_check: Map<String, Json> = self
            .used_checks()
            .map(|(check, CheckTotals { passed, failed, not_applicable })| {
                (check.name().to_owned(), json!({"passed": passed, "failed": failed, "not_applicable": not_applicable}))
            })
            .collect();
        let mut summary = json!({
            "cases": self.cases(),
            "passed": self.passed,
            "failed": self.failed(),
            "strict_passed": self.cases() - self.expected_failures - self.unexpected_failures,
            "strict_failed": self.unexpected_failures,
            "expected_failures": self.expected_failures,
            "unexpected_failures": self.unexpected_failures,
            "by_check": by_check,
        });
        self.add_fairness(&mut summary);
        if let Some(labels) = self.label_accuracy() {
            summary["label_accuracy"] = labels.json();
            let used = Check::ALL.into_iter().zip(self.labels).filter(|(_, labels)| labels.total > 0);
            let by_check: Map<String, Json> =
                used.map(|(check, labels)| (check.name().to_owned(), labels.json())).collect();
            summary["label_accuracy_by_check"] = by_check.into();
        }
        summary
    }

    /// Adds the sizes of the slices, then their rates.
    fn add_fairness(&self, summary: &mut Json) {
        for (name, cases, _) in self.fairness() {
            summary[format!("n_{name}")] = json!(cases);
        }
        for (name, _, rate) in self.fairness() {
            summary[format!("fpr_{name}")] = rate.map_or(Json::Null, |rate| json!(JsNumber(rate)));
        }
    }

    /// The report as a file holds it: two spaces of indent, no final line break.
    pub fn json(&self) -> Vec<u8> {
        let failures: Vec<Json> = self.failures().map(|result| failure(result)).collect();
        let results: Vec<Json> = self.results.iter().map(|result| entry(result)).collect();
        let report = json!({"summary": self.summary(), "failures": failures, "results": results});
        // Names, numbers and texts always have a JSON form.
        serde_json::to_vec_pretty(&report).unwrap_or_default()
    }

    /// The artifact for tools that ask for it: one line.
    pub fn artifact(&self, path: &str, pass_rate: &str) -> Json {
        let mut totals = json!({
            "cases": self.cases(),
            "passed": self.passed,
            "failed": self.failed(),
            "expected_failures": self.expected_failures,
            "unexpected_failures": self.unexpected_failures,
            "pass_rate": pass_rate,
        });
        if let Some(labels) = self.label_accuracy() {
            totals["label_accuracy"] = json!(format!("{}%", labels.accuracy()));
        }
        self.add_fairness(&mut totals);
        json!({"type": "artifact", "name": "synthesis-report", "path": path, "summary": totals})
    }
}

fn names(checks: &[Check]) -> Json {
    checks.iter().map(|check| check.name()).collect()
}

/// What the failed checks of a case found; two that say the same share a key, and the later one holds.
pub(super) fn evidence(result: &CaseVerdict) -> Map<String, Json> {
    let mut evidence = Map::new();
    for (_, verdict) in result.failed() {
        for (name, value) in &verdict.evidence {
            evidence.insert((*name).to_owned(), value.clone());
        }
    }
    if !result.unexpected_pass.is_empty() {
        evidence.insert("unexpected_pass".to_owned(), names(&result.unexpected_pass));
    }
    evidence
}

fn failure(result: &CaseVerdict) -> Json {
    let failed: Vec<Check> = result.failed().map(|(check, _)| *check).collect();
    let mut failure = json!({
        "id": result.id,
        "failed": names(&failed),
        "evidence": evidence(result),
        "expected_failure": !result.is_unexpected(),
    });
    if !result.unexpected_pass.is_empty() {
        failure["unexpected_pass"] = names(&result.unexpected_pass);
    }
    failure
}

fn entry(result: &CaseVerdict) -> Json {
    let checks: Map<String, Json> =
        result.checks.iter().map(|(check, verdict)| (check.name().to_owned(), verdict.entry.clone())).collect();
    let posture = &result.posture;
    let mut entry = json!({
        "id": result.id,
        "checks": checks,
        "pass": result.pass(),
        "is_negative_example": result.is_negative,
        "relational_posture": {
            "state": posture.state.name(), "claims": posture.claims, "non_claims": posture.state.non_claims(),
        },
    });
    if let Some(compared) = result.label_comparison() {
        let compared: Map<String, Json> = compared
            .into_iter()
            .map(|(check, expected, actual)| {
                let entry = json!({"expected": expected, "actual": actual, "match": expected == actual});
                (check.name().to_owned(), entry)
            })
            .collect();
        entry["label_comparison"] = compared.into();
    }
    if !result.unexpected_pass.is_empty() {
        entry["unexpected_pass"] = names(&result.unexpected_pass);
    }
    entry
}
