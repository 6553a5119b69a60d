//! Graders of other tools: those of OpenAI Evals, and tests of promptfoo that a model helps to decide.

use probare_core::MetricDef;
use serde_json::Value as Json;

mod grading;

pub use self::grading::evaluate_formula;

pub mod openai_grader;
pub mod openai_model_grader;
pub mod promptfoo_judged_test;

/// The metrics of this family.
pub static FAMILY: &[&MetricDef] = &[&openai_grader::DEF, &openai_model_grader::DEF, &promptfoo_judged_test::DEF];

/// Why no sample of a metric with these options can be scored here, whatever the case; nothing where it can.
pub fn not_run_reason(id: &str, options: &Json) -> Option<String> {
    let grader = options.get("grader")?;
    match id {
        "openai_grader" => grading::GraderDefinition::from_json(grader).ok()?.not_run_reason(),
        "openai_model_grader" => grading::unreadable_content(grader),
        _ => None,
    }
}
