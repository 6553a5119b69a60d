//! What a response states that its context does not bear out: numbers, dates, claims, and a drift away from its words; in the
//! improved profile, sentence by sentence, how much of it the context lacks.
//!
//! [`examine`] goes through a response and gives a [`AnchorFinding`] for each anchor: what it is, where it stands, and the
//! place in the context that bears it out or the reason why none does. The metric turns that into a score.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::rc::Rc;

use probare_core::{
    BuildError, Evidence, EvidenceKind, Field, FieldSpan, Metric, Outcome, Profile, Sample, Score, ScoreError,
    ScoreParts, metric,
};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::analysis::response_analysis;
use crate::bounded_evidence::BoundedEvidence;

mod claim_support;
mod component;
mod context;
mod examination;
mod extraction;
mod finding;
mod folding;
mod improved;
mod overlap;
mod parse_cache;
mod thresholds;
mod verbs;
mod vocabulary;
mod window;

pub use examination::{Examination, HallucinationSettings, examine};
pub use finding::{AnchorFinding, AnchorType, ContextPlace, SupportLabel, SupportVerdict};
pub use improved::{ContradictionKind, MissingShares, Reversal, ReversalKind, SentenceSupport, SentenceVerdict};

use claim_support::ClaimStatement;
use context::IndexedContext;
use examination::examine_with;
use parse_cache::ParseCache;
pub(super) use thresholds::THRESHOLDS;

/// Options of `hallucination`.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Hallucination {
    /// Which definition: the published rules, or ours, which holds each sentence against the context and tells contradiction
    /// from absence. The other options are for the published profile only.
    pub profile: Profile,
    /// Weights of numbers, dates and claims. The published code used 1, 1 and 0.5.
    pub anchor_weights: [f64; 3],
    /// Test a claim by the distance of subject and object in characters instead of by its sentence; 300 is what the
    /// published code did.
    pub claim_window: Option<usize>,
    /// Share of common words below which a response has drifted away from the context.
    pub drift_below: f64,
    /// Value that a response which has drifted away gets at least.
    pub drift: f64,
}

impl Default for Hallucination {
    fn default() -> Self {
        let settings = HallucinationSettings::default();
        Self {
            profile: Profile::Published,
            anchor_weights: settings.weights,
            claim_window: settings.claim_window,
            drift_below: settings.drift_below,
            drift: settings.drift,
        }
    }
}

metric!(Hallucination as Pure {
    summary: "Share of the numbers, dates and claims of the response that the context does not support",
    range: (0.0, 1.0),
    better: Lower,
    needs: [Response, Context],
    profiles: [Published, Improved],
    whole: whole,
    thresholds: &THRESHOLDS,
    prepare: Hallucination::validate,
    since: "0.1",
    version: 13,
    page: "hallucination.md",
});

impl Hallucination {
    /// The options, if the numbers in them make sense.
    pub fn validate(self) -> Result<Self, BuildError> {
        let bad = |message: &str| Err(BuildError::Options(message.to_owned()));
        if !self.anchor_weights.iter().all(|weight| (0.0..=1e9).contains(weight)) {
            return bad("`anchor_weights` are three numbers that are not negative");
        }
        if !(0.0..=1.0).contains(&self.drift) || !self.drift_below.is_finite() {
            return bad("`drift` is between 0 and 1, `drift_below` a number");
        }
        Ok(self)
    }

    /// The settings of these options.
    pub fn settings(&self) -> HallucinationSettings {
        HallucinationSettings {
            is_improved: self.profile == Profile::Improved,
            weights: self.anchor_weights,
            claim_window: self.claim_window,
            drift_below: self.drift_below,
            drift: self.drift,
        }
    }
}

/// What an examination of the sample with these options gives, examined once for all who ask.
pub fn examine_sample(sample: Sample<'_>, options: &Hallucination) -> Result<Rc<Examination>, ScoreError> {
    let (response, context) = (sample.response()?, sample.context()?);
    let settings = options.settings();
    Ok(sample.cached(settings.cache_key(), || {
        let chunks: Vec<&str> = context.iter().map(|passage| passage.text.as_str()).collect();
        sample.with_scratch(|trees: &mut ParseCache| {
            examine_with(trees, response, &chunks, &settings, || response_analysis(sample).unwrap_or_default())
        })
    }))
}

impl HallucinationSettings {
    /// Tells readings with these settings from those with others.
    fn cache_key(&self) -> u64 {
        let mut hasher = DefaultHasher::new();
        let numbers = self.weights.into_iter().chain([self.drift_below, self.drift]);
        numbers.for_each(|number| number.to_bits().hash(&mut hasher));
        (self.is_improved, self.claim_window).hash(&mut hasher);
        hasher.finish()
    }
}

fn whole(parts: &ScoreParts) -> Option<f64> {
    Some(parts.get("claim_error")?.max(parts.get("drift")?))
}

impl Metric for Hallucination {
    fn score(&self, sample: Sample<'_>) -> Result<Outcome, ScoreError> {
        let response = sample.response()?;
        let examination = examine_sample(sample, self)?;
        let mut score = Score::from_number(examination.value())?
            .with_part("claim_error", examination.claim_error)?
            .with_part("drift", examination.drift)?;
        if let Some(overlap) = examination.overlap {
            score = score.with_part("overlap", overlap)?;
        }
        if self.profile == Profile::Improved {
            score = score.labelled(examination.label());
        }
        Ok(score.because(findings_evidence(&examination, response, self.profile)).into())
    }
}

/// What has no support first, since a long response fills the space.
fn findings_evidence(examination: &Examination, response: &str, profile: Profile) -> Vec<Evidence> {
    let mut evidence = BoundedEvidence::default();
    if profile == Profile::Improved && examination.findings.is_empty() {
        evidence.push(|| Evidence::note("the response states nothing: it declines, asks, or is polite"));
    }
    if examination.drift > 0.0 {
        evidence.push(|| {
            Evidence::note(format!(
                "drift: only {:.1} % of the distinct words are in the context",
                examination.overlap.unwrap_or(0.0) * 100.0
            ))
        });
    }
    let mut findings: Vec<&AnchorFinding> = examination.findings.iter().collect();
    findings.sort_by_key(|finding| match finding.verdict {
        SupportVerdict::Contradicted { .. } | SupportVerdict::Unsupported { .. } => 0,
        SupportVerdict::Open { .. } => 1,
        SupportVerdict::Supported { .. } => 2,
    });
    for finding in findings {
        evidence.push(|| finding_evidence(finding, response));
    }
    evidence.finish()
}

/// A finding as evidence.
pub(crate) fn finding_evidence(finding: &AnchorFinding, response: &str) -> Evidence {
    let kind = match finding.verdict {
        SupportVerdict::Supported { .. } => EvidenceKind::Matched,
        SupportVerdict::Open { .. } => EvidenceKind::Unverified,
        SupportVerdict::Unsupported { .. } => EvidenceKind::Unsupported,
        SupportVerdict::Contradicted { .. } => EvidenceKind::Contradicted,
    };
    let mut piece = match &finding.span {
        Some(span) => Evidence::at(kind, Field::Response, span.clone(), response),
        None => Evidence { kind, place: None, text: finding.text.clone(), cut: false, note: None, support: None },
    };
    let mut note = finding.kind.name().to_owned();
    if let Some([subject, verb, object]) = &finding.components {
        let denied = if finding.is_negated { "not " } else { "" };
        note.push_str(&format!(" [{subject} | {denied}{verb} | {object}]"));
    }
    if finding.is_contradicted() {
        note.push_str(", contradicted");
    }
    if let Some(reason) = finding.reason() {
        note.push_str(": ");
        note.push_str(reason);
    }
    piece.note = Some(note.into());
    if let Some(ContextPlace { chunk, span }) = finding.source().or(finding.nearest.as_ref()) {
        let place = FieldSpan::in_item(Field::Context, *chunk, span.clone());
        piece = piece.with_support(place);
    }
    piece
}

/// Where the context bears out a claim that is given by its words: subject, verb as it stands, object.
pub fn claim_support(components: [&str; 3], is_negated: bool, chunks: &[&str]) -> Option<ContextPlace> {
    let statement = ClaimStatement::from_words(components, is_negated);
    let context = IndexedContext::new(chunks);
    statement.support(&context).ok().map(|sentence| examination::source_of(&context, sentence))
}
