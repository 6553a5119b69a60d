//! How close a laboratory protocol is to the right one: the order of its actions and the fit of its parameters.

use std::collections::BTreeSet;

use probare_core::{
    Evidence, EvidenceKind, Field, FieldSpan, Metric, Outcome, Profile, Sample, Score, ScoreError, ScoreParts, metric,
};
use probare_metrics::bounded_evidence::{BoundedEvidence, truncate_for_note};
use schemars::JsonSchema;
use serde::Deserialize;

use super::extraction::answer::prediction;
use super::protocol::{
    AlignedStep, Alignment, ParameterFit, ProtocolStep, SoftScore, StepDifference, action_similarity, align,
    parameter_fit, scan_protocol, scan_protocol_tolerant,
};
use super::upstream::Upstream;

/// Options of `wet_experiment`.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct WetExperiment {
    /// Which definition: `published` (the published scores) or `improved` (a true alignment of the steps).
    pub profile: Profile,
    /// Read calls on one line, empty calls, a `)` behind the last parameter and several parameters on a line. Default: false in
    /// the published profile, true in the improved one.
    pub tolerant_grammar: Option<bool>,
    /// Which implementation is followed. `llmrouterbench` (default), or `official-2026`, whose soft score stands beside the value in the
    /// parts `soft_*`.
    pub upstream: Upstream,
}

metric!(WetExperiment as Pure {
    summary: "How close a laboratory protocol is to the right one, by its actions and their parameters",
    range: (0.0, 1.0),
    better: Higher,
    needs: [Response, Reference],
    profiles: [Published, Improved],
    identity: false,
    whole: whole,
    since: "0.2",
    version: 1,
    page: "wet_experiment.md",
});

/// The value is the mean of the two parts that its profile counts.
fn whole(parts: &ScoreParts) -> Option<f64> {
    match (parts.get("order"), parts.get("parameters")) {
        (Some(order), Some(parameters)) => Some(f64::midpoint(order, parameters)),
        _ => Some(f64::midpoint(parts.get("action_sequence_similarity")?, parts.get("parameter_accuracy")?)),
    }
}

/// Everything that is known about two protocols.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ProtocolComparison {
    /// Steps of the reference.
    pub reference: Vec<ProtocolStep>,
    /// Steps of the response, with spans in the response.
    pub predicted: Vec<ProtocolStep>,
    /// How alike the order of actions is, by the published measure.
    pub action_sequence_similarity: f64,
    /// In how many steps the parameters fit, by the published measure.
    pub fit: ParameterFit,
    /// The mean of both; 0 where a side has no step.
    pub final_score: f64,
}

impl ProtocolComparison {
    /// Compares a response with a reference by the published measures.
    pub fn new(reference: &str, response: &str, tolerant: bool) -> Self {
        let (span, text) = prediction(response);
        let read = if tolerant { scan_protocol_tolerant } else { scan_protocol };
        let (reference, mut predicted) = (read(reference), read(text));
        for step in &mut predicted {
            step.span = step.span.start + span.start..step.span.end + span.start;
        }
        if reference.is_empty() || predicted.is_empty() {
            return Self { reference, predicted, ..Self::default() };
        }
        let action_sequence_similarity = action_similarity(&reference, &predicted);
        let fit = parameter_fit(&reference, &predicted);
        let final_score = f64::midpoint(action_sequence_similarity, fit.accuracy);
        Self { reference, predicted, action_sequence_similarity, fit, final_score }
    }

    /// Whether a side has no step that could be read.
    pub const fn is_unread(&self) -> bool {
        self.reference.is_empty() || self.predicted.is_empty()
    }
}

impl Metric for WetExperiment {
    fn score(&self, sample: Sample<'_>) -> Result<Outcome, ScoreError> {
        let response = sample.response()?;
        let reference = sample.references()?.first().map(String::as_str).unwrap_or_default();
        let tolerant = self.tolerant_grammar.unwrap_or(self.profile == Profile::Improved);
        let published = ProtocolComparison::new(reference, response, tolerant && self.profile == Profile::Published);
        let read = ProtocolComparison::new(reference, response, true);
        let alignment = align(&read.reference, &read.predicted);
        let mut evidence = BoundedEvidence::default();
        let mut score = if self.profile == Profile::Improved {
            let used = if tolerant { read } else { ProtocolComparison::new(reference, response, false) };
            let alignment = if tolerant { alignment } else { align(&used.reference, &used.predicted) };
            note_unread_sides(&used, &mut evidence);
            aligned_evidence(response, &used, &alignment, &mut evidence);
            let mut score = Score::from_number(alignment.value())?
                .with_part("order", alignment.order)?
                .with_part("parameters", alignment.parameters)?;
            if is_different(alignment.value(), published.final_score) {
                score = score.with_part("published", published.final_score)?;
                evidence
                    .push(|| Evidence::note(difference_note(&published, "the published score", published.final_score)));
            }
            score
        } else {
            note_unread_sides(&published, &mut evidence);
            published_evidence(response, &published, &mut evidence);
            let mut score = Score::from_number(published.final_score)?
                .with_part("action_sequence_similarity", published.action_sequence_similarity)?
                .with_part("parameter_accuracy", published.fit.accuracy)?;
            if is_different(alignment.value(), published.final_score) {
                score = score.with_part("improved", alignment.value())?;
                evidence.push(|| Evidence::note(difference_note(&published, "the improved score", alignment.value())));
            }
            score
        };
        if self.upstream.is_official() {
            // The soft score is defined over the published grammar, whatever the value is read with.
            let strict = ProtocolComparison::new(reference, response, false);
            score = add_soft_score(score, response, &strict, &mut evidence)?;
        }
        Ok(score.because(evidence.finish()).into())
    }
}

/// The parts `soft_*`, and evidence for each pair of steps.
fn add_soft_score(
    mut score: Score,
    response: &str,
    strict: &ProtocolComparison,
    evidence: &mut BoundedEvidence,
) -> Result<Score, ScoreError> {
    let Some(soft) = SoftScore::new(&strict.reference, &strict.predicted) else {
        evidence.push(|| Evidence::note("the protocols are too long for the soft score, so its parts are absent"));
        return Ok(score);
    };
    for (name, value) in soft.parts() {
        score = score.with_part(name, value)?;
    }
    for pair in &soft.pairs {
        let (expected, step) = (&strict.reference[pair.reference], &strict.predicted[pair.predicted]);
        evidence.push(|| {
            let is_whole = pair.key_score >= 1.0 && pair.value_score >= 1.0;
            let kind = if is_whole { EvidenceKind::Matched } else { EvidenceKind::Compared };
            let number = pair.reference + 1;
            at_step(kind, response, step).with_support(in_reference(expected)).with_note(format!(
                "soft score: step {number} of the reference; parameter names {:.4}, values {:.4}",
                pair.key_score, pair.value_score
            ))
        });
    }
    Ok(score)
}

fn is_different(left: f64, right: f64) -> bool {
    (left - right).abs() > 1e-12
}

/// Why the two readings differ, where that is known.
fn difference_note(published: &ProtocolComparison, which: &str, value: f64) -> String {
    let mut text = format!("{which} is {value:.4}");
    let same_length = published.reference.len() == published.predicted.len() && !published.is_unread();
    let common = {
        let names: BTreeSet<&str> = published.predicted.iter().map(|step| step.action.as_str()).collect();
        published.reference.iter().any(|step| names.contains(step.action.as_str()))
    };
    if same_length && published.action_sequence_similarity > 0.0 && !common {
        text.push_str(
            "; no action is the same: the published order similarity compares names by alphabet and never matches them",
        );
    } else if !same_length && !published.is_unread() {
        text.push_str("; the numbers of steps differ, for which the published order similarity is 0");
    }
    text
}

fn note_unread_sides(comparison: &ProtocolComparison, evidence: &mut BoundedEvidence) {
    if comparison.predicted.is_empty() {
        evidence.push(|| Evidence::missing("a step of the form name = <Action>( … )"));
    }
    if comparison.reference.is_empty() {
        evidence.push(|| Evidence::note("no step of the reference can be read"));
    }
}

fn at_step(kind: EvidenceKind, response: &str, step: &ProtocolStep) -> Evidence {
    Evidence::at(kind, Field::Response, step.span.clone(), response)
}

fn in_reference(step: &ProtocolStep) -> FieldSpan {
    FieldSpan { index: Some(0), ..FieldSpan::new(Field::Reference, step.span.clone()) }
}

fn published_evidence(response: &str, comparison: &ProtocolComparison, evidence: &mut BoundedEvidence) {
    for (at, difference) in comparison.fit.steps.iter().enumerate() {
        let number = at + 1;
        match (comparison.predicted.get(at), comparison.reference.get(at), difference) {
            (Some(step), Some(expected), None) => evidence.push(|| {
                at_step(EvidenceKind::Matched, response, step)
                    .with_support(in_reference(expected))
                    .with_note(format!("step {number}: {}", truncate_for_note(&step.action)))
            }),
            (Some(step), Some(expected), Some(difference)) => evidence.push(|| {
                let expected_step = if matches!(difference, StepDifference::Action) {
                    format!(", expected {}", truncate_for_note(&expected.action))
                } else {
                    String::new()
                };
                at_step(EvidenceKind::Compared, response, step)
                    .with_support(in_reference(expected))
                    .with_note(format!("step {number}: {}{expected_step}", difference.message()))
            }),
            (Some(step), None, _) => evidence.push(|| {
                at_step(EvidenceKind::Unsupported, response, step)
                    .with_note(format!("step {number}: {}", StepDifference::Surplus.message()))
            }),
            (None, Some(expected), _) => {
                evidence.push(|| Evidence::missing(format!("step {number}: {}", expected.action)));
            }
            (None, None, _) => {}
        }
    }
}

fn aligned_evidence(response: &str, used: &ProtocolComparison, alignment: &Alignment, evidence: &mut BoundedEvidence) {
    for pair in &alignment.pairs {
        let (expected, step) = (&used.reference[pair.reference], &used.predicted[pair.predicted]);
        evidence.push(|| {
            let kind = if pair.wrong.is_empty() { EvidenceKind::Matched } else { EvidenceKind::Compared };
            let wrong =
                if pair.wrong.is_empty() { String::new() } else { format!("; other: {}", pair.wrong.join(", ")) };
            at_step(kind, response, step)
                .with_support(in_reference(expected))
                .with_note(format!("step {} of the reference{wrong}", pair.reference + 1))
        });
    }
    let matched = |number: fn(&AlignedStep) -> usize| alignment.pairs.iter().map(number).collect::<BTreeSet<usize>>();
    let (found, used_up) = (matched(|pair| pair.reference), matched(|pair| pair.predicted));
    for (at, step) in used.reference.iter().enumerate() {
        if !found.contains(&at) {
            evidence.push(|| Evidence::missing(format!("step {}: {}", at + 1, step.action)));
        }
    }
    for (at, step) in used.predicted.iter().enumerate() {
        if !used_up.contains(&at) {
            evidence.push(|| {
                at_step(EvidenceKind::Unsupported, response, step)
                    .with_note("the reference has no such step at this place")
            });
        }
    }
}
