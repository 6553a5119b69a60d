//! Goes through a response anchor by anchor and asks the context for each.

use std::borrow::Cow;
use std::rc::Rc;

use probare_english::claims::ClaimOptions;
use probare_english::text_analysis::TextAnalysis;
use probare_text::anchors::{AnchorKind, ContextAnchors, find_anchors};
use probare_text::python;
use rustc_hash::FxHashMap;

use super::claim_support::{ClaimStatement, MissingPart, SupportFailure};
use super::context::IndexedContext;
use super::extraction::{self, ExtractedClaim};
use super::finding::{
    AnchorFinding, AnchorType, ContextPlace, SupportLabel, SupportVerdict, anchor_finding, sort_findings,
};
use super::improved::{ImprovedExamination, SentenceSupport, examine_sentences};
use super::overlap::overlap;
use super::parse_cache::ParseCache;
use super::window;

/// How to examine.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct HallucinationSettings {
    /// Whether to read with the rules of the improved profile.
    pub is_improved: bool,
    /// Weights of numbers, dates and claims; a name weighs as a claim.
    pub weights: [f64; 3],
    /// Test a claim by the distance of its words, in characters, instead of by its sentence.
    pub claim_window: Option<usize>,
    /// Overlap below which a response has drifted away from the context.
    pub drift_below: f64,
    /// What a response that has drifted away gets at least.
    pub drift: f64,
}

impl Default for HallucinationSettings {
    fn default() -> Self {
        Self { is_improved: false, weights: [1.0; 3], claim_window: None, drift_below: 0.2, drift: 0.2 }
    }
}

/// What came of it.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Examination {
    /// Everything that was asked for, in the order of the response.
    pub findings: Vec<AnchorFinding>,
    /// Share of the anchors, by weight, that the context does not bear out; of the improved profile, the value of the worst
    /// sentences.
    pub claim_error: f64,
    /// Share of the distinct words of the response that the context has; nothing for a response without words.
    pub overlap: Option<f64>,
    /// What a response that has drifted away from the context gets at least; else 0. The improved profile does not ask.
    pub drift: f64,
    /// The sentences of the response and what the context lacks of each; the improved profile alone asks.
    pub sentences: Vec<SentenceSupport>,
    /// What was proved of the response; the improved profile alone proves.
    pub support_label: Option<SupportLabel>,
}

impl Examination {
    /// The greater of the two.
    pub fn value(&self) -> f64 {
        self.claim_error.max(self.drift)
    }

    /// Words for what was proved; of the published profile, for what was found.
    pub fn label(&self) -> &'static str {
        match self.support_label {
            Some(label) => label.name(),
            None if self.value() > 0.0 => "unsupported",
            None => "supported",
        }
    }
}

/// Examines a response.
pub fn examine(response: &str, chunks: &[&str], settings: &HallucinationSettings) -> Examination {
    examine_with(&mut ParseCache::default(), response, chunks, settings, || Rc::new(TextAnalysis::new(response)))
}

/// The same, with trees of texts that may come again and with the analysis of the response, which the improved profile asks for.
pub(super) fn examine_with(
    trees: &mut ParseCache,
    response: &str,
    chunks: &[&str],
    settings: &HallucinationSettings,
    analysis: impl FnOnce() -> Rc<TextAnalysis>,
) -> Examination {
    let proved = |label| settings.is_improved.then_some(label);
    if response.is_empty() {
        return Examination { support_label: proved(SupportLabel::Unsure), ..Examination::default() };
    }
    let overlap = overlap(response, chunks);
    let drift = if overlap.is_some_and(|share| share < settings.drift_below) { settings.drift } else { 0.0 };
    if chunks.iter().all(|chunk| python::strip(chunk).is_empty()) {
        let proved = proved(SupportLabel::Unsupported);
        return Examination {
            findings: vec![no_context()],
            claim_error: 1.0,
            overlap,
            drift,
            support_label: proved,
            sentences: Vec::new(),
        };
    }
    if settings.is_improved {
        let ImprovedExamination { findings, supports, value, label } = examine_sentences(response, analysis, chunks);
        let proved = Some(label);
        return Examination {
            findings,
            claim_error: value,
            overlap,
            drift: 0.0,
            sentences: supports,
            support_label: proved,
        };
    }
    let findings = findings(trees, response, chunks, settings);
    let claim_error = claim_error(&findings, settings.weights);
    Examination { findings, claim_error, overlap, drift, sentences: Vec::new(), support_label: None }
}

fn no_context() -> AnchorFinding {
    AnchorFinding {
        kind: AnchorType::Context,
        text: "No context provided".to_owned(),
        span: None,
        components: None,
        is_negated: false,
        verdict: SupportVerdict::Unsupported { reason: Cow::Borrowed("Cannot verify claims without context") },
        nearest: None,
    }
}

fn claim_error(findings: &[AnchorFinding], [numeric, date, claim]: [f64; 3]) -> f64 {
    let (mut all, mut unsupported) = (0.0, 0.0);
    for finding in findings {
        let weight = match finding.kind {
            AnchorType::Numeric => numeric,
            AnchorType::Date => date,
            AnchorType::Claim | AnchorType::Name | AnchorType::Sentence | AnchorType::Context => claim,
        };
        all += weight;
        unsupported += if finding.is_supported() { 0.0 } else { weight };
    }
    if all > 0.0 { unsupported / all } else { 0.0 }
}

/// The findings of the published profile, in the order of the response.
fn findings(
    trees: &mut ParseCache,
    response: &str,
    chunks: &[&str],
    settings: &HallucinationSettings,
) -> Vec<AnchorFinding> {
    let anchors = find_anchors(response);
    let sources = ContextAnchors::new(chunks);
    let mut findings: Vec<AnchorFinding> = anchors
        .iter()
        .map(|anchor| {
            let text = anchor.text(response);
            let verdict = match sources.support(text, anchor.kind) {
                Some(support) => SupportVerdict::Supported {
                    source: ContextPlace { chunk: support.chunk, span: support.span },
                    note: None,
                },
                None => SupportVerdict::Unsupported { reason: missing_anchor(text, anchor.kind).into() },
            };
            anchor_finding(anchor, text, verdict)
        })
        .collect();
    let document = trees.parse(response);
    let claims = extraction::extract_claims(response, &document, &anchors, &ClaimOptions::published());
    if !claims.is_empty() {
        let context = IndexedContext::new(chunks);
        // The same claim again, as in a long list, has the same answer.
        let mut known: FxHashMap<([String; 3], bool), SupportVerdict> = FxHashMap::default();
        for claim in claims {
            probare_cancellation::count_steps(1);
            let key = (claim.components.clone(), claim.statement.is_negated);
            let verdict =
                known.entry(key).or_insert_with(|| claim_verdict(&claim.statement, &context, settings)).clone();
            findings.push(claim_finding(claim, verdict));
        }
    }
    sort_findings(&mut findings);
    findings
}

/// Why a number or date has no support.
pub(crate) fn missing_anchor(text: &str, kind: AnchorKind) -> &'static str {
    let can_be_read = match kind {
        AnchorKind::Numeric => probare_text::quantities::parse(text).is_some(),
        AnchorKind::Date => probare_text::dates::parse(text).is_some(),
    };
    match (kind, can_be_read) {
        (AnchorKind::Numeric, true) => "no number of the context has this value and unit",
        (AnchorKind::Date, true) => "no date of the context has all that this one says",
        (AnchorKind::Numeric, false) => "the number cannot be read, so nothing can support it",
        (AnchorKind::Date, false) => "the date cannot be read, so nothing can support it",
    }
}

/// The finding of a claim.
pub(crate) fn claim_finding(claim: ExtractedClaim, verdict: SupportVerdict) -> AnchorFinding {
    AnchorFinding {
        kind: AnchorType::Claim,
        text: claim.text(),
        span: Some(claim.span),
        components: Some(claim.components),
        is_negated: claim.statement.is_negated,
        verdict,
        nearest: None,
    }
}

/// What the context says of a claim, by its sentences or by the distance of words.
fn claim_verdict(
    statement: &ClaimStatement,
    context: &IndexedContext<'_>,
    settings: &HallucinationSettings,
) -> SupportVerdict {
    if let Some(window) = settings.claim_window {
        return match window::find_in_window(statement, context, window) {
            Some(window::WindowMatch { chunk, span, other }) => SupportVerdict::Supported {
                source: ContextPlace { chunk, span },
                note: other.map(|other| format!("the object stands in chunk {other}").into()),
            },
            None => SupportVerdict::Unsupported {
                reason: format!("subject and object do not stand within {window} characters of each other").into(),
            },
        };
    }
    match statement.support(context) {
        Ok(sentence) => SupportVerdict::Supported { source: source_of(context, sentence), note: None },
        Err(SupportFailure { reason: lack, nearest }) => {
            let reason = lack_reason(statement, lack);
            let reason = match nearest.and_then(|index| context.sentences.get(index)) {
                Some(sentence) => {
                    let shown = crate::bounded_evidence::truncate_for_note(context.text_of(sentence));
                    Cow::Owned(format!("{reason}: chunk {}, `{shown}`", sentence.chunk))
                }
                None => Cow::Owned(reason),
            };
            SupportVerdict::Unsupported { reason }
        }
    }
}

/// The place of a sentence.
pub(crate) fn source_of(context: &IndexedContext<'_>, sentence: usize) -> ContextPlace {
    let sentence = &context.sentences[sentence];
    ContextPlace { chunk: sentence.chunk, span: sentence.span.clone() }
}

/// What is missing from the sentence that comes nearest.
pub(crate) fn lack_reason(statement: &ClaimStatement, lack: MissingPart) -> String {
    match lack {
        MissingPart::Object => format!("no sentence of the context holds `{}`", statement.object.text),
        MissingPart::Subject => format!("no sentence of the context holds `{}`", statement.subject.text),
        MissingPart::Together => {
            format!(
                "no sentence of the context holds both `{}` and `{}`",
                statement.subject.text, statement.object.text
            )
        }
        MissingPart::Polarity if statement.is_negated => "the nearest sentence denies nothing".to_owned(),
        MissingPart::Polarity => "the nearest sentence holds a denial".to_owned(),
        MissingPart::Verb => {
            format!("the nearest sentence has no verb like `{}`", statement.verb.lemmas().join("`, `"))
        }
        MissingPart::Direction => "the nearest sentence has the roles the other way round".to_owned(),
    }
}
