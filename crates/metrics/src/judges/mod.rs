//! Metrics that ask a model: a rubric with levels, the same answer in other words, the better of two, a list of steps.
//!
//! All of them ask through `prompting`: the texts under judgement are quoted line by line, so that nothing in them can pass for an
//! instruction; a reply is read as strict JSON first and with patience second; one that cannot be read is asked for once
//! more and is then `unparseable`, never wrong; several models may sit on a panel.

use std::borrow::Cow;

use probare_core::MetricDef;
use serde_json::{Value as Json, json};

use crate::cascade;
use crate::sgi::{Upstream, deep_research, dry_experiment, idea_generation, reasoning_validity};

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

pub(crate) mod prompting;

pub use prompting::{PanelOptions, Rubric, RubricExample, TemplatePiece, VoteRule, template_pieces};

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
pub fn prompt<'a>(id: &str, options: &'a Json) -> Option<Cow<'a, str>> {
    let id = cascade::judge_for(id, options).map_or(id, |judge| judge.id);
    let pieces = own_prompts(id, options)?;
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

/// What a metric asks with where its option of this name says nothing else.
pub fn own_prompt(id: &str, option: &str) -> Option<&'static str> {
    let options = json!({"upstream": Upstream::Official2026.name()});
    own_prompts(id, &options)?.into_iter().find_map(|(name, own)| (name == option).then_some(own))
}

/// The options of a metric that hold prompts, with what is asked without them.
fn own_prompts(id: &str, options: &Json) -> Option<Vec<(&'static str, &'static str)>> {
    Some(match id {
        "judge_answer_relevancy" => vec![("prompt", judge_answer_relevancy::PROMPT)],
        "judge_context_precision" => vec![("prompt", judge_context_precision::PROMPT)],
        "judge_context_recall" => vec![("prompt", judge_context_recall::PROMPT)],
        "judge_context_relevance" => vec![("prompt", judge_context_relevance::PROMPT)],
        "judge_noise_sensitivity" => vec![("prompt", judge_noise_sensitivity::PROMPT)],
        "judge_claims" => vec![("prompt", judge_claims::PROMPT)],
        "judge_pairwise" => vec![("prompt", judge_pairwise::PROMPT)],
        "judge_rubric" => vec![("prompt", judge_rubric::PROMPT)],
        "judge_same_answer" => vec![("prompt", judge_same_answer::PROMPT)],
        "judge_steps" => vec![("prompt", judge_steps::PROMPT)],
        "deep_research" => deep_research::prompts(options),
        "idea_generation" => vec![("prompt", idea_generation::PROMPT)],
        "dry_experiment" => dry_experiment::PROMPTS.to_vec(),
        "reasoning_validity" => vec![("prompt", reasoning_validity::PROMPT)],
        _ => return None,
    })
}
