//! Metrics that ask a model: a rubric with levels, the same answer in other words, the better of two, a list of steps.
//!
//! All of them ask through `prompting`: the texts under judgement are quoted line by line, so that nothing in them can pass for an
//! instruction; a reply is read as strict JSON first and with patience second; one that cannot be read is asked for once
//! more and is then `unparseable`, never wrong; several models may sit on a panel.

use std::borrow::Cow;

use probare_core::MetricDef;
use serde_json::Value as Json;

use crate::cascade;

pub mod judge_answer_relevancy;
pub mod judge_claims;
pub mod judge_context_precision;
pub mod judge_context_recall;
pub mod judge_context_relevance;
pub mod judge_noise_sensitivity;
pub mod judge_pairwise;
pub mod judge_rubric;
pub mod judge_same_answer;
pub mod judge_steps;

pub mod prompting;

pub use prompting::{PanelOptions, Rubric, RubricExample, RubricLevel, TemplatePiece, VoteRule, template_pieces};

/// The metrics of this family.
pub static FAMILY: &[&MetricDef] = &[
    &judge_answer_relevancy::DEF,
    &judge_claims::DEF,
    &judge_context_precision::DEF,
    &judge_context_recall::DEF,
    &judge_context_relevance::DEF,
    &judge_noise_sensitivity::DEF,
    &judge_pairwise::DEF,
    &judge_rubric::DEF,
    &judge_same_answer::DEF,
    &judge_steps::DEF,
];

/// The prompts that a metric asks with, one after the other: those of its options, else its own. Nothing for metrics that ask no
/// model.
pub fn prompt<'a>(metric: &MetricDef, options: &'a Json) -> Option<Cow<'a, str>> {
    let metric = cascade::judge_for(metric.id, options).unwrap_or(metric);
    let pieces = metric.prompts?(options);
    let given = |name: &str| options.get(name).and_then(Json::as_str);
    // A prompt that is given alone stands for all of them, so that the digest in the manifests of older runs stays.
    let is_alone = pieces.iter().all(|(name, _)| *name == "prompt" || given(name).is_none());
    let shown = match given("prompt").filter(|_| is_alone) {
        Some(alone) => Cow::Borrowed(alone),
        None => pieces.iter().map(|(name, own)| given(name).unwrap_or(own)).collect::<String>().into(),
    };
    // A rubric is part of what is asked, and another version of it is another prompt.
    Some(match given("rubric").and_then(|rubric| Rubric::option_text(rubric).ok()) {
        Some(rubric) => Cow::Owned(format!("{shown}{rubric}")),
        None => shown,
    })
}
