//! How many statements of an answer one of its sources holds.

use std::hash::Hash;
use std::ops::Range;

use probare_core::{
    Evidence, EvidenceKind, Field, FieldSpan, Metric, Outcome, Profile, Sample, Score, ScoreError, Value, metric,
};
use probare_metrics::bounded_evidence::{BoundedEvidence, truncate_for_note};
use probare_metrics::source_texts::SourceTexts;
use schemars::JsonSchema;
use serde::Deserialize;

use super::improved::{ClaimVerdict, ParsedAnswer, verify_claims};
use super::inputs::{ResponseWords, parsed_answer, response_words, store_measure};
use super::measures::{ClaimChecker, ClaimFinding};

/// Options of `claim_verification`.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct ClaimVerification {
    /// Which definition: by words and numbers (`published`), or by statements (`improved`).
    pub profile: Profile,
    /// Name in the metadata of the source texts. Where the metadata have none, `context` is used.
    pub sources: String,
}

impl Default for ClaimVerification {
    fn default() -> Self {
        Self { profile: Profile::Published, sources: "sources_verified".into() }
    }
}

metric!(ClaimVerification as Pure {
    summary: "Share of the claims of an answer that a single source holds by their words and all their numbers",
    range: (0.0, 1.0),
    better: Higher,
    needs: [Response],
    profiles: [Published, Improved],
    whole: |parts| {
        let claims = parts.get("claims")?;
        Some(if claims == 0.0 { 0.0 } else { parts.get("verified")? / claims })
    },
    since: "0.1",
    version: 2,
    page: "claim_verification.md",
});

impl Metric for ClaimVerification {
    fn score(&self, sample: Sample<'_>) -> Result<Outcome, ScoreError> {
        let answer = parsed_answer(sample, self.profile, &self.sources)?;
        let outcome = self.score_parsed(sample, answer.as_deref())?;
        store_measure(sample, self.cache_key(), &outcome);
        Ok(outcome)
    }
}

impl ClaimVerification {
    /// What the value depends on beside the case.
    pub(super) fn cache_key(&self) -> impl Hash {
        (DEF.id, self.profile, &self.sources)
    }

    /// Scores a sample whose answer was read already, in the improved profile.
    pub(super) fn score_parsed(
        &self,
        sample: Sample<'_>,
        improved: Option<&ParsedAnswer<'_>>,
    ) -> Result<Outcome, ScoreError> {
        let (response, sources) = (sample.response()?, SourceTexts::from_sample(sample, &self.sources)?);
        match improved {
            Some(answer) => by_statements(sample, answer, &sources),
            None => by_words(response, &sources, &*response_words(sample)?),
        }
    }
}

fn by_words(response: &str, sources: &SourceTexts<'_>, read: &ResponseWords) -> Result<Outcome, ScoreError> {
    let (mut vocabulary, words) = (read.vocabulary.borrow_mut(), &read.words);
    let mut claims = ClaimChecker::default();
    claims.verify(response, words, &sources.texts, &mut vocabulary);
    let mut evidence = BoundedEvidence::default();
    for claim in claims.findings() {
        evidence.push(|| {
            let verified_source = claim.source.as_ref().filter(|_| claim.verified);
            let place =
                verified_source.and_then(|source| sources.place(source.index, 0..sources.texts[source.index].len()));
            let missing = claims.missing(claim).take(MOST_LISTED).map(|token| vocabulary.text(words.ids[token]));
            let missing: Vec<&str> = missing.collect();
            piece(response, &claim.span, claim.verified, note(claim, &missing), place)
        });
    }
    scored(claims.verified(), claims.findings().len(), evidence)
}

fn by_statements(
    sample: Sample<'_>,
    answer: &ParsedAnswer<'_>,
    sources: &SourceTexts<'_>,
) -> Result<Outcome, ScoreError> {
    let claims = verify_claims(answer, &sources.texts, &subject(sample));
    let mut evidence = BoundedEvidence::default();
    for claim in &claims {
        evidence.push(|| {
            let (note, place) = match &claim.verdict {
                ClaimVerdict::Verified { source, span } => {
                    (format!("source {} supports it", source + 1), sources.place(*source, span.clone()))
                }
                ClaimVerdict::NoStatement => ("states nothing".to_owned(), None),
                ClaimVerdict::BesideTheQuestion => ("copied, and beside the question".to_owned(), None),
                ClaimVerdict::Words { missing } => (format!("the nearest source lacks {}", quoted_list(missing)), None),
                ClaimVerdict::Anchor(anchor) => {
                    (format!("no source that has its words has `{}`", truncate_for_note(anchor)), None)
                }
                ClaimVerdict::Opposite { source, span, words } => {
                    let note = format!("source {} says otherwise: {}", source + 1, truncate_for_note(words));
                    (note, sources.place(*source, span.clone()))
                }
                ClaimVerdict::NoSource => ("there is no source but the answer itself".to_owned(), None),
            };
            piece(answer.text(), &claim.span, claim.verdict.is_verified(), note, place)
        });
    }
    scored(claims.iter().filter(|claim| claim.verdict.is_verified()).count(), claims.len(), evidence)
}

/// What the question is about, as far as the case says: the question, its reference, its topics and steps.
fn subject(sample: Sample<'_>) -> String {
    let texts = |key: &str| sample.case.metadata.get(key).map(ToString::to_string).unwrap_or_default();
    let reference = sample.references().ok().and_then(|list| list.first()).map_or("", String::as_str);
    [sample.query().unwrap_or_default(), reference, &texts("topics"), &texts("steps")].join("\n")
}

fn piece(response: &str, span: &Range<usize>, verified: bool, note: String, support: Option<FieldSpan>) -> Evidence {
    let kind = if verified { EvidenceKind::Matched } else { EvidenceKind::Unsupported };
    let piece = Evidence::at(kind, Field::Response, span.clone(), response).with_note(note);
    match support {
        Some(place) => piece.with_support(place),
        None => piece,
    }
}

fn scored(verified: usize, claims: usize, evidence: BoundedEvidence) -> Result<Outcome, ScoreError> {
    let score = if claims == 0 { Score::new(Value::ZERO) } else { Score::ratio(verified, claims)? };
    let score = score.with_part("verified", verified as f64)?.with_part("claims", claims as f64)?;
    Ok(score.because(evidence.finish()).into())
}

/// How many words of a claim a note lists.
const MOST_LISTED: usize = 8;

/// Words for a note, the first of many.
fn quoted_list<S: AsRef<str>>(words: &[S]) -> String {
    let shown = words.iter().take(MOST_LISTED).map(|word| format!("`{}`", truncate_for_note(word.as_ref())));
    let shown: Vec<String> = shown.collect();
    format!("{}{}", shown.join(", "), if words.len() > MOST_LISTED { ", …" } else { "" })
}

/// How much of the claim the best source has, and which words it lacks.
fn note(claim: &ClaimFinding, missing: &[&str]) -> String {
    let Some(source) = claim.source else { return "there is no source".to_owned() };
    let share = format!("source {} has {} of {} content words", source.index + 1, source.found, claim.content());
    if missing.is_empty() { share } else { format!("{share}; not {}", quoted_list(missing)) }
}
