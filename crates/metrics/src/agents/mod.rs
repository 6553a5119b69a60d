//! Agents: the calls that were made, against those that were expected, against rules, and against each other; what was said, against
//! what was done and what was said before.

use probare_core::MetricDef;

pub mod correct_prefix;
pub mod end_state;
pub mod fact_kept;
pub mod function_call;
pub mod json_diff;
pub mod json_match;
pub mod list_contains;
pub mod loops;
pub mod numeric_diff;
pub mod steps;
pub mod tool_call_accuracy;
pub mod tool_call_f1;
pub mod tool_calls;
pub mod tool_correctness;
pub mod tool_errors;
pub mod tool_rules;
pub mod tool_schema;
pub mod trajectory_match;
pub mod usage;

mod conversation;
mod trace;

pub(crate) use trace::transcript_gap;

/// The metrics of this family.
pub static FAMILY: &[&MetricDef] = &[
    &correct_prefix::DEF,
    &end_state::DEF,
    &fact_kept::DEF,
    &function_call::DEF,
    &json_diff::DEF,
    &json_match::DEF,
    &list_contains::DEF,
    &loops::DEF,
    &numeric_diff::DEF,
    &steps::DEF,
    &tool_call_accuracy::DEF,
    &tool_call_f1::DEF,
    &tool_calls::DEF,
    &tool_correctness::DEF,
    &tool_errors::DEF,
    &tool_rules::DEF,
    &tool_schema::DEF,
    &trajectory_match::DEF,
    &usage::DEF,
];
