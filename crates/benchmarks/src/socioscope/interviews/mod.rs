//! Interviews: answers to questions about transcripts, by the type of the question.
//!
//! Six question types, each in the published definition and in an improved one. A [`InterviewQuestion`] grades an answer without
//! the metrics around it; [`CaseGrade`] is the grade of a case, which the metrics and the benchmark share.

use probare_core::MetricDef;

pub mod inputs;
pub mod matching;
pub mod polarity;

pub mod list_many;
pub mod list_one;
pub mod pick_many;
pub mod pick_one;
pub mod yes_no;
pub mod yes_no_rationale;

mod grading;
mod improved;

pub use grading::{
    CaseGrade, Grade, GradeFlag, GradingOptions, InterviewQuestion, QuestionType, YesNoDecision, set_run_wordnet,
};

/// The metrics of this family.
pub static FAMILY: &[&MetricDef] =
    &[&list_many::DEF, &list_one::DEF, &pick_many::DEF, &pick_one::DEF, &yes_no::DEF, &yes_no_rationale::DEF];
