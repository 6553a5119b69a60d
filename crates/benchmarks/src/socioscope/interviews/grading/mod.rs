//! How an answer is graded: by the type of its question, in the published definition or in the improved one.

mod case_grade;
mod evidence;
mod grade;
mod naming;
mod question;
mod question_type;

pub use case_grade::{CaseGrade, set_run_wordnet};
pub use grade::{Grade, GradeFlag, YesNoDecision};
pub use question::InterviewQuestion;
pub use question_type::{GradingOptions, QuestionType};

pub(super) use case_grade::QuestionMetric;
pub(crate) use evidence::grade_evidence;
pub(super) use naming::Naming;
