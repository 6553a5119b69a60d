//! How judges ask: what is shown and how it is fenced in, the template, the panel, and how replies are read.

mod checklist;
mod conversation;
mod panel;
mod quoted_texts;
mod reply;
mod rubric;
mod template;
mod verdict;

use probare_core::{BuildError, Evidence, EvidenceKind, LONGEST_TEXT};

pub(crate) use checklist::{
    Checklist, ChecklistQuestion, ChecklistReplies, MOST_STEPS, StepVerdict, parse_step_verdicts, statement_spans,
    steps_schema,
};
pub(crate) use conversation::ConversationText;
pub use panel::{JudgePanel, JudgeReplies, PanelOptions, PanelProgress, PanelVerdict, VoteRule};
pub use quoted_texts::QuotedTexts;
pub use reply::{JudgeReply, bool_field, number_field, read_verdict, text_field};
pub use rubric::{Rubric, RubricExample, RubricLevel};
pub use template::{PromptTemplate, TemplatePiece, TextPlaces, template_pieces};
pub use verdict::{PanelTally, ReasonedVerdict, all_agree, with_judge_parts};

/// Evidence of what a judge said: its reason, and in a note who said what.
pub fn judge_evidence(note: String, reason: &str) -> Evidence {
    let end = reason.floor_char_boundary(LONGEST_TEXT);
    Evidence {
        kind: EvidenceKind::Asked,
        place: None,
        text: reason[..end].to_owned(),
        cut: end < reason.len(),
        note: Some(note.into()),
        support: None,
    }
}

/// An option that cannot be used.
pub fn option_error(reason: impl Into<String>) -> BuildError {
    BuildError::Options(reason.into())
}
