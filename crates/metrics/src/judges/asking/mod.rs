//! How judges ask: what is shown and how it is fenced in, the template, the panel, and how replies are read.

mod panel;
mod quoted;
mod reply;
mod template;

use probare_core::{BuildError, Evidence, EvidenceKind, LONGEST_TEXT};

pub(crate) use panel::{Bench, Held, Seat};
pub use panel::{Panel, Vote};
pub(crate) use quoted::Quoted;
pub(crate) use reply::{JudgeReply, flag, number, text, verdict};
pub(crate) use template::Template;
pub use template::{Piece, pieces};

/// Evidence of what a judge said: its reason, and in a note who said what.
pub(crate) fn said(note: String, reason: &str) -> Evidence {
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
pub(crate) fn wrong(reason: impl Into<String>) -> BuildError {
    BuildError::Options(reason.into())
}
