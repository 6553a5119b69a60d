//! How many reasoning steps an answer touches.

use std::hash::Hash;

use probare_core::{Evidence, EvidenceKind, Field, Metric, Outcome, Profile, Sample, Score, ScoreError, Value, metric};
use probare_metrics::bounded_evidence::{BoundedEvidence, truncate_for_note};
use schemars::JsonSchema;
use serde::Deserialize;

use super::improved::{ParsedAnswer, match_steps};
use super::inputs::{ResponseWords, parsed_answer, response_words, steps, store_measure};
use super::measures::{ReasoningSteps, StepFinding, WordId};

/// Options of `step_coverage`.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct StepCoverage {
    /// Which definition: one keyword anywhere (`published`), or several in one statement (`improved`).
    pub profile: Profile,
    /// Name in the metadata of the reasoning steps.
    pub steps: String,
    /// Name in the metadata of the source texts, for `improved`: what is copied from them is no statement.
    pub sources: String,
}

impl Default for StepCoverage {
    fn default() -> Self {
        Self { profile: Profile::Published, steps: "steps".into(), sources: "sources_verified".into() }
    }
}

metric!(StepCoverage as Pure {
    summary: "Share of the reasoning steps of which the answer has at least one keyword",
    range: (0.0, 1.0),
    better: Higher,
    needs: [Response, Metadata],
    profiles: [Published, Improved],
    whole: |parts| {
        let steps = parts.get("steps")?;
        Some(if steps == 0.0 { 0.0 } else { parts.get("covered")? / steps })
    },
    since: "0.1",
    version: 1,
    page: "step_coverage.md",
});

impl Metric for StepCoverage {
    fn score(&self, sample: Sample<'_>) -> Result<Outcome, ScoreError> {
        let answer = parsed_answer(sample, self.profile, &self.sources)?;
        let outcome = self.score_parsed(sample, answer.as_deref())?;
        store_measure(sample, self.cache_key(), &outcome);
        Ok(outcome)
    }
}

impl StepCoverage {
    /// What the value depends on beside the case.
    pub(super) fn cache_key(&self) -> impl Hash {
        (DEF.id, self.profile, &self.steps, &self.sources)
    }

    /// Scores a sample whose answer was read already, in the improved profile.
    pub(super) fn score_parsed(
        &self,
        sample: Sample<'_>,
        improved: Option<&ParsedAnswer<'_>>,
    ) -> Result<Outcome, ScoreError> {
        let (response, steps) = (sample.response()?, steps(sample, &self.steps)?);
        match improved {
            Some(answer) => by_statement(answer, &steps),
            None => by_keyword(response, &steps, &*response_words(sample)?),
        }
    }
}

fn by_keyword(response: &str, texts: &[&str], read: &ResponseWords) -> Result<Outcome, ScoreError> {
    let (mut vocabulary, words) = (read.vocabulary.borrow_mut(), &read.words);
    let steps = ReasoningSteps::new(texts, &mut vocabulary);
    let findings: Vec<StepFinding> = steps.find(&words.ids, &mut vocabulary).collect();
    let text_of = |id: &WordId| vocabulary.text(*id);
    let mut evidence = BoundedEvidence::default();
    for (at, (text, finding)) in texts.iter().zip(&findings).enumerate() {
        evidence.push(|| match finding {
            StepFinding::Covered { keyword, token } => {
                let word = text_of(&steps.keywords(at)[*keyword]);
                Evidence::at(EvidenceKind::Matched, Field::Response, words.spans[*token].clone(), response).with_note(
                    format!("keyword `{}` of the step `{}`", truncate_for_note(word), truncate_for_note(text)),
                )
            }
            StepFinding::Missing => Evidence::missing(*text)
                .with_note(format!("none of the keywords {}", quoted_list(steps.keywords(at).iter().map(text_of)))),
            StepFinding::Empty => no_keywords(text),
        });
    }
    let covered = findings.iter().filter(|finding| matches!(finding, StepFinding::Covered { .. })).count();
    let counted = findings.iter().filter(|finding| **finding != StepFinding::Empty).count();
    scored(covered, counted, evidence)
}

fn by_statement(answer: &ParsedAnswer<'_>, texts: &[&str]) -> Result<Outcome, ScoreError> {
    let findings = match_steps(texts, answer);
    let mut evidence = BoundedEvidence::default();
    for (text, finding) in texts.iter().zip(&findings) {
        let words: Vec<&str> = finding.found.iter().map(|(_, word)| word.as_str()).collect();
        let share = format!("{} of {} content words", words.len(), finding.word_count);
        evidence.push(|| match &finding.statement {
            _ if finding.word_count == 0 => no_keywords(text),
            Some(span) if finding.covered => {
                Evidence::at(EvidenceKind::Matched, Field::Response, span.clone(), answer.text()).with_note(format!(
                    "has {share} of the step `{}`: {}",
                    truncate_for_note(text),
                    quoted_list(words.into_iter())
                ))
            }
            Some(_) => Evidence::missing(*text).with_note(format!("the nearest statement has {share}")),
            None => Evidence::missing(*text).with_note("no statement of the answer has a word of it"),
        });
    }
    let covered = findings.iter().filter(|finding| finding.covered).count();
    let counted = findings.iter().filter(|finding| finding.word_count > 0).count();
    scored(covered, counted, evidence)
}

fn no_keywords(step: &str) -> Evidence {
    Evidence::note(format!("the step `{}` has no keywords and does not count", truncate_for_note(step)))
}

fn scored(covered: usize, counted: usize, evidence: BoundedEvidence) -> Result<Outcome, ScoreError> {
    let score = if counted == 0 { Score::new(Value::ZERO) } else { Score::ratio(covered, counted)? };
    let score = score.with_part("covered", covered as f64)?.with_part("steps", counted as f64)?;
    Ok(score.because(evidence.finish()).into())
}

/// Words for a note, the first of many.
fn quoted_list<'a>(words: impl Iterator<Item = &'a str>) -> String {
    const MOST: usize = 12;
    let mut words = words.map(|word| format!("`{}`", truncate_for_note(word)));
    let mut shown: Vec<String> = words.by_ref().take(MOST).collect();
    if words.next().is_some() {
        shown.push("…".to_owned());
    }
    shown.join(", ")
}
