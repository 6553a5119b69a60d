//! One word for a response, PASS, WARN or FAIL, with the reasons: thresholds over relevance, completeness and
//! hallucination, over the time an evaluation took and what the exchange cost.

use std::rc::Rc;

use probare_core::{
    BuildError, Evidence, EvidenceKind, Field, Metric, Outcome, Profile, Sample, Score, ScoreError, UNSURE, metric,
};
use probare_text::python;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::completeness::{self, KeywordCoverage};
use super::hallucination::{self, AnchorFinding, Examination, Hallucination, SupportLabel};
use super::relevance;
use crate::bounded_evidence::{BoundedEvidence, truncate_for_note};

/// Options of `verdict`.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Verdict {
    /// Which definition of `hallucination`.
    pub profile: Profile,
    /// The limits.
    pub thresholds: Thresholds,
    /// Options of `hallucination`; the `profile` in them gives way to the one above.
    pub hallucination: Hallucination,
}

/// Limits of the verdict. All comparisons are strict and on unrounded values.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Thresholds {
    /// Hallucination above which a response fails. The improved profile asks for this and the next limit where it has proved
    /// nothing.
    pub hallucination_fail: f64,
    /// Hallucination above which there is a warning.
    pub hallucination_warn: f64,
    /// Relevance below which a response fails; 0.1 in the first version. What the improved profile finds supported is warned of.
    pub relevance_fail: f64,
    /// Relevance below which there is a warning.
    pub relevance_warn: f64,
    /// Completeness below which there is a warning, where nothing else was said; 0.6 in the first version.
    pub completeness_warn: f64,
    /// Milliseconds above which there is a warning.
    pub latency_warn_ms: f64,
    /// Dollars above which there is a warning.
    pub cost_warn_usd: f64,
}

impl Default for Thresholds {
    fn default() -> Self {
        Self {
            hallucination_fail: 0.5,
            hallucination_warn: 0.1,
            relevance_fail: 0.05,
            relevance_warn: 0.2,
            completeness_warn: 0.5,
            latency_warn_ms: 2000.0,
            cost_warn_usd: 0.05,
        }
    }
}

impl Thresholds {
    /// The names of the limits.
    pub const NAMES: [&'static str; 7] = [
        "hallucination_fail",
        "hallucination_warn",
        "relevance_fail",
        "relevance_warn",
        "completeness_warn",
        "latency_warn_ms",
        "cost_warn_usd",
    ];

    /// The limit of this name.
    pub fn get_mut(&mut self, name: &str) -> Option<&mut f64> {
        Some(match name {
            "hallucination_fail" => &mut self.hallucination_fail,
            "hallucination_warn" => &mut self.hallucination_warn,
            "relevance_fail" => &mut self.relevance_fail,
            "relevance_warn" => &mut self.relevance_warn,
            "completeness_warn" => &mut self.completeness_warn,
            "latency_warn_ms" => &mut self.latency_warn_ms,
            "cost_warn_usd" => &mut self.cost_warn_usd,
            _ => return None,
        })
    }

    /// The limits of the first published version.
    pub fn first_version() -> Self {
        Self { relevance_fail: 0.1, completeness_warn: 0.6, ..Self::default() }
    }
}

metric!(Verdict as Pure {
    summary: "PASS, WARN or FAIL with reasons, from relevance, completeness, hallucination, time and cost",
    range: (0.0, 1.0),
    better: Higher,
    needs: [Query, Response, Context],
    profiles: [Published, Improved],
    thresholds: &hallucination::THRESHOLDS,
    prepare: Verdict::validate,
    since: "0.1",
    version: 14,
    page: "verdict.md",
});

/// The word.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum VerdictStatus {
    /// Nothing to object to.
    Pass,
    /// Somebody should look at it.
    Warn,
    /// It should not be used.
    Fail,
}

impl VerdictStatus {
    /// The word in files and reports.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Pass => "PASS",
            Self::Warn => "WARN",
            Self::Fail => "FAIL",
        }
    }

    /// 1 for PASS, 0.5 for WARN, 0 for FAIL.
    pub const fn value(self) -> f64 {
        match self {
            Self::Pass => 1.0,
            Self::Warn => 0.5,
            Self::Fail => 0.0,
        }
    }
}

/// What the thresholds are applied to.
#[derive(Debug, Clone, PartialEq)]
pub struct VerdictInputs<'a> {
    /// Value of `relevance`.
    pub relevance: f64,
    /// Value of `completeness`.
    pub completeness: f64,
    /// Value of `hallucination`.
    pub hallucination: f64,
    /// What was proved; the improved profile alone proves.
    pub support_label: Option<SupportLabel>,
    /// The words of what has no support, in the order of the response.
    pub unsupported: Vec<&'a str>,
    /// How long the evaluation took, where it was measured.
    pub latency_ms: Option<f64>,
    /// What the exchange is estimated to cost.
    pub cost_usd: f64,
}

/// The word and why.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Judgement {
    /// The word.
    pub status: VerdictStatus,
    /// The reasons, in the order of the rules.
    pub reasons: Vec<String>,
}

/// A verdict and what it rests on; all values are unrounded.
#[derive(Debug, Clone)]
pub struct ScoredVerdict {
    /// Value of `relevance`.
    pub relevance: f64,
    /// What `completeness` found.
    pub coverage: Rc<KeywordCoverage>,
    /// What `hallucination` found.
    pub examination: Rc<Examination>,
    /// How long the exchange took, where the case says so.
    pub latency_ms: Option<f64>,
    /// What the exchange is estimated to cost.
    pub cost_usd: f64,
    /// The word and why.
    pub judgement: Judgement,
}

impl ScoredVerdict {
    /// The same with the time that the evaluation took; the rules are applied to it.
    #[must_use]
    pub fn with_latency(self, latency_ms: f64, thresholds: &Thresholds) -> Self {
        Self { latency_ms: Some(latency_ms), ..self }.with_judgement(thresholds)
    }

    /// With the word that follows from all values.
    fn with_judgement(mut self, thresholds: &Thresholds) -> Self {
        let measures = VerdictInputs {
            relevance: self.relevance,
            completeness: self.coverage.value,
            hallucination: self.examination.value(),
            support_label: self.examination.support_label,
            unsupported: unsupported_texts(&self.examination),
            latency_ms: self.latency_ms,
            cost_usd: self.cost_usd,
        };
        self.judgement = apply_rules(&measures, thresholds);
        self
    }
}

/// Applies the rules. A warning never lowers a failure.
pub fn apply_rules(measures: &VerdictInputs<'_>, thresholds: &Thresholds) -> Judgement {
    let mut judgement = Judgement { status: VerdictStatus::Pass, reasons: Vec::new() };
    let mut say = |status: VerdictStatus, reason: String| {
        judgement.status = judgement.status.max(status);
        judgement.reasons.push(reason);
        judgement.status
    };
    let listed = |count: usize| measures.unsupported.iter().copied().take(count).collect::<Vec<_>>().join(", ");
    let has_list = !measures.unsupported.is_empty();
    let mut status = VerdictStatus::Pass;
    let proved = measures.support_label.filter(|label| *label != SupportLabel::Unsure);
    if let Some(label) = proved {
        let what = if label == SupportLabel::Contradicted { "Contradicted" } else { "Not supported" };
        let reason = if has_list { format!("{what}: {}", listed(1)) } else { what.to_owned() };
        if label != SupportLabel::Supported {
            status = say(VerdictStatus::Fail, reason);
        }
    } else if measures.hallucination > thresholds.hallucination_fail {
        let reason = if has_list {
            format!("High hallucination: Unsupported claims found: {}", listed(3))
        } else {
            "High hallucination risk".to_owned()
        };
        status = say(VerdictStatus::Fail, reason);
    } else if measures.hallucination > thresholds.hallucination_warn {
        let reason = if has_list {
            format!("Potential hallucination: {}", listed(2))
        } else {
            "Potential hallucination".to_owned()
        };
        status = say(VerdictStatus::Warn, reason);
    }
    if measures.relevance < thresholds.relevance_fail && proved != Some(SupportLabel::Supported) {
        status = say(VerdictStatus::Fail, "Irrelevant".to_owned());
    } else if measures.relevance < thresholds.relevance_warn {
        status = say(VerdictStatus::Warn, "Low relevance".to_owned());
    }
    if measures.completeness < thresholds.completeness_warn && status == VerdictStatus::Pass {
        say(VerdictStatus::Warn, "Incomplete answer".to_owned());
    }
    if measures.latency_ms.is_some_and(|latency| latency > thresholds.latency_warn_ms) {
        say(VerdictStatus::Warn, format!("Latency > {}ms", thresholds.latency_warn_ms));
    }
    if measures.cost_usd > thresholds.cost_warn_usd {
        say(VerdictStatus::Warn, "Cost limit exceeded".to_owned());
    }
    judgement
}

/// Dollars that a thousand tokens are taken to cost.
const USD_PER_THOUSAND_TOKENS: f64 = 0.002;
/// Characters that make a token.
const CHARACTERS_PER_TOKEN: f64 = 4.0;

/// What an exchange is estimated to cost: four characters are a token, a thousand tokens 0.2 cents.
pub fn estimated_cost_usd(query: &str, response: &str, chunks: &[&str]) -> f64 {
    let texts = [query, response].into_iter().chain(chunks.iter().copied());
    let characters: usize = texts.map(|text| text.chars().count()).sum();
    characters as f64 / CHARACTERS_PER_TOKEN / 1000.0 * USD_PER_THOUSAND_TOKENS
}

/// The words of what has no support; what was proved to be wrong before what is open.
pub fn unsupported_texts(examination: &Examination) -> Vec<&str> {
    let lacking = || examination.findings.iter().filter(|finding| !finding.is_supported());
    let (proved, open): (Vec<&AnchorFinding>, Vec<&AnchorFinding>) = lacking().partition(|finding| !finding.is_open());
    proved.into_iter().chain(open).map(|finding| finding.text.as_str()).collect()
}

impl Verdict {
    /// The options, if the numbers in them make sense.
    pub fn validate(mut self) -> Result<Self, BuildError> {
        self.hallucination = Hallucination { profile: self.profile, ..self.hallucination }.validate()?;
        Ok(self)
    }

    /// The verdict on a sample with all that it rests on. What other metrics have found out is not found out again.
    pub fn judge_sample(&self, sample: Sample<'_>) -> Result<ScoredVerdict, ScoreError> {
        let (query, response) = (sample.query()?, sample.response()?);
        let chunks: Vec<&str> = sample.context()?.iter().map(|passage| passage.text.as_str()).collect();
        let examination = hallucination::examine_sample(sample, &self.hallucination)?;
        let coverage = completeness::sample_coverage(sample)?;
        let relevance = relevance::sample_comparison(sample)?.value();
        // Time is the caller's to measure; a case may bring it along.
        let latency_ms = sample.case.metadata.get("latency_ms").and_then(serde_json::Value::as_f64);
        let cost_usd = estimated_cost_usd(query, response, &chunks);
        let judgement = Judgement { status: VerdictStatus::Pass, reasons: Vec::new() };
        let unjudged = ScoredVerdict { relevance, coverage, examination, latency_ms, cost_usd, judgement };
        Ok(unjudged.with_judgement(&self.thresholds))
    }
}

impl Metric for Verdict {
    fn score(&self, sample: Sample<'_>) -> Result<Outcome, ScoreError> {
        let (query, response) = (sample.query()?, sample.response()?);
        let ScoredVerdict { relevance, coverage, examination, latency_ms, cost_usd, judgement } =
            self.judge_sample(sample)?;
        let is_unsure = examination.support_label == Some(SupportLabel::Unsure);
        let label = if is_unsure { UNSURE } else { judgement.status.name() };
        let mut score = Score::from_number(judgement.status.value())?
            .labelled(label)
            .with_part("relevance", relevance)?
            .with_part("completeness", coverage.value)?
            .with_part("hallucination", examination.value())?
            .with_part("estimated_cost_usd", cost_usd)?;
        if let Some(latency) = latency_ms {
            score = score.with_part("latency_ms", latency)?;
        }
        let mut evidence = BoundedEvidence::default();
        for reason in &judgement.reasons {
            evidence.push(|| Evidence::note(shortened(reason)));
        }
        for finding in examination.findings.iter().filter(|finding| !finding.is_supported()) {
            evidence.push(|| hallucination::finding_evidence(finding, response));
        }
        for keyword in &coverage.keywords {
            if keyword.response_span.is_none() && judgement.reasons.iter().any(|reason| reason == "Incomplete answer") {
                let span = keyword.query_span.clone();
                evidence.push(|| Evidence::at(EvidenceKind::Missing, Field::Query, span, query));
            }
        }
        Ok(score.because(evidence.finish()).into())
    }
}

/// A reason may hold words of the response, which may be long.
fn shortened(reason: &str) -> String {
    const MOST: usize = 300;
    if reason.len() <= MOST { python::strip(reason).to_owned() } else { truncate_for_note(reason) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn measures() -> VerdictInputs<'static> {
        VerdictInputs {
            relevance: 0.5,
            completeness: 0.9,
            hallucination: 0.0,
            support_label: None,
            unsupported: Vec::new(),
            latency_ms: Some(3.0),
            cost_usd: 0.0,
        }
    }

    fn status_and_reasons(measures: &VerdictInputs<'_>) -> (VerdictStatus, Vec<String>) {
        let judgement = apply_rules(measures, &Thresholds::default());
        (judgement.status, judgement.reasons)
    }

    #[test]
    fn reasons_come_in_the_order_of_the_rules() {
        let all = VerdictInputs {
            relevance: 0.1,
            completeness: 0.2,
            hallucination: 0.6,
            support_label: None,
            unsupported: vec!["a", "b", "c", "d"],
            latency_ms: Some(2000.5),
            cost_usd: 0.06,
        };
        let reasons = [
            "High hallucination: Unsupported claims found: a, b, c",
            "Low relevance",
            "Latency > 2000ms",
            "Cost limit exceeded",
        ];
        assert_eq!(status_and_reasons(&all), (VerdictStatus::Fail, reasons.map(str::to_owned).to_vec()));
    }

    #[test]
    fn comparisons_are_strict() {
        let edge = VerdictInputs { hallucination: 0.5, relevance: 0.2, completeness: 0.5, ..measures() };
        assert_eq!(status_and_reasons(&edge), (VerdictStatus::Warn, vec!["Potential hallucination".to_owned()]));
        let edge = VerdictInputs {
            hallucination: 0.1,
            relevance: 0.2,
            completeness: 0.5,
            latency_ms: Some(2000.0),
            ..measures()
        };
        assert_eq!(status_and_reasons(&edge), (VerdictStatus::Pass, Vec::new()));
        let drifted = VerdictInputs { hallucination: 0.2, unsupported: vec!["x"], ..measures() };
        assert_eq!(status_and_reasons(&drifted), (VerdictStatus::Warn, vec!["Potential hallucination: x".to_owned()]));
    }

    #[test]
    fn incompleteness_counts_only_where_nothing_else_was_said() {
        let short = VerdictInputs { completeness: 0.4, ..measures() };
        assert_eq!(status_and_reasons(&short).1, ["Incomplete answer"]);
        let both = VerdictInputs { completeness: 0.4, relevance: 0.01, ..measures() };
        assert_eq!(status_and_reasons(&both).1, ["Irrelevant"]);
        assert_eq!(
            apply_rules(&VerdictInputs { completeness: 0.55, ..measures() }, &Thresholds::first_version()).status,
            VerdictStatus::Warn
        );
    }

    #[test]
    fn the_improved_profile_goes_by_what_was_proved() {
        let proved = |label| VerdictInputs { support_label: Some(label), hallucination: 0.4, ..measures() };
        assert_eq!(status_and_reasons(&proved(SupportLabel::Supported)), (VerdictStatus::Pass, Vec::new()));
        // Where nothing was proved the limits decide.
        assert_eq!(
            status_and_reasons(&proved(SupportLabel::Unsure)),
            (VerdictStatus::Warn, vec!["Potential hallucination".to_owned()])
        );
        let wrong = VerdictInputs { unsupported: vec!["8 euros"], ..proved(SupportLabel::Contradicted) };
        assert_eq!(status_and_reasons(&wrong), (VerdictStatus::Fail, vec!["Contradicted: 8 euros".to_owned()]));
        // What was copied from the context answers something, whatever words the question has.
        let copied = VerdictInputs { relevance: 0.0, ..proved(SupportLabel::Supported) };
        assert_eq!(status_and_reasons(&copied), (VerdictStatus::Warn, vec!["Low relevance".to_owned()]));
    }

    #[test]
    fn every_limit_has_its_name() {
        let mut thresholds = Thresholds::default();
        for name in Thresholds::NAMES {
            *thresholds.get_mut(name).unwrap() = 7.0;
        }
        assert_eq!(thresholds.get_mut("other"), None);
        assert_eq!(format!("{thresholds:?}").matches("7.0").count(), Thresholds::NAMES.len());
    }

    #[test]
    fn cost_counts_characters_not_bytes() {
        assert_eq!(estimated_cost_usd("éé", "éé", &["éé", "éé"]), 8.0 / 4.0 / 1000.0 * 0.002);
    }
}
