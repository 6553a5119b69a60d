//! Metrics that ask a model: a rubric with levels, the same answer in other words, the better of two, a list of steps.
//!
//! All of them ask through `prompting`: the texts under judgement are quoted line by line, so that nothing in them can pass for an
//! instruction; a reply is read as strict JSON first and with patience second; one that cannot be read is asked for once
//! more and is then `unparseable`, never wrong; several models may sit on a panel.

use probare_core::MetricDef;
use serde_json::Value as Json;

use crate::cascade;
use crate::sgi::{deep_research, dry_experiment, idea_generation};

pub mod judge_claims;
pub mod judge_pairwise;
pub mod judge_rubric;
pub mod judge_same_answer;
pub mod judge_steps;

pub(crate) mod prompting;

pub use prompting::{PanelOptions, TemplatePiece, VoteRule, template_pieces};

/// The metrics of this family.
pub static FAMILY: &[&MetricDef] =
    &[&judge_claims::DEF, &judge_pairwise::DEF, &judge_rubric::DEF, &judge_same_answer::DEF, &judge_steps::DEF];

/// The prompt that a metric asks with: the one of its options, else its own. Nothing for metrics that ask no model.
pub fn prompt<'a>(id: &str, options: &'a Json) -> Option<&'a str> {
    let id = cascade::judge_for(id, options).map_or(id, |judge| judge.id);
    let own = match id {
        "judge_claims" => judge_claims::PROMPT,
        "judge_pairwise" => judge_pairwise::PROMPT,
        "judge_rubric" => judge_rubric::PROMPT,
        "judge_same_answer" => judge_same_answer::PROMPT,
        "judge_steps" => judge_steps::PROMPT,
        "deep_research" => deep_research::PROMPTS,
        "idea_generation" => idea_generation::PROMPT,
        "dry_experiment" => dry_experiment::PROMPTS,
        _ => return None,
    };
    Some(options.get("prompt").and_then(Json::as_str).unwrap_or(own))
}
