//! [`Evidence`]: the "show me" behind a score, with byte spans into the text as it was given.

use std::borrow::Cow;
use std::ops::Range;

use serde::{Deserialize, Serialize};

use crate::Field;

/// What a piece of evidence says.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum EvidenceKind {
    /// Looked for and there.
    #[serde(alias = "found")]
    Matched,
    /// Looked for and not there.
    Missing,
    /// Two values were compared.
    Compared,
    /// Neither support nor contradiction was found.
    Unverified,
    /// The context, or the reference, lacks it.
    Unsupported,
    /// The context says otherwise.
    Contradicted,
    /// A judge was asked.
    Asked,
    /// A program was run.
    Ran,
    /// A remark for the reader.
    Note,
}

impl EvidenceKind {
    /// All kinds.
    pub const ALL: [Self; 9] = [
        Self::Matched,
        Self::Missing,
        Self::Compared,
        Self::Unverified,
        Self::Unsupported,
        Self::Contradicted,
        Self::Asked,
        Self::Ran,
        Self::Note,
    ];

    /// The word of format 3 and before.
    pub const fn old_name(self) -> &'static str {
        match self {
            Self::Matched => "found",
            Self::Unverified => "compared",
            Self::Contradicted => "unsupported",
            other => other.name(),
        }
    }

    /// The word in files and reports.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Matched => "matched",
            Self::Missing => "missing",
            Self::Compared => "compared",
            Self::Unverified => "unverified",
            Self::Unsupported => "unsupported",
            Self::Contradicted => "contradicted",
            Self::Asked => "asked",
            Self::Ran => "ran",
            Self::Note => "note",
        }
    }
}

/// A range of bytes in one field of the case.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FieldSpan {
    /// The field.
    pub field: Field,
    /// Which item, where the field is a list.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub index: Option<usize>,
    /// JSON Pointer to the text, where the field is `metadata`; inside of the item, where it is what an agent said or did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// First byte.
    pub start: usize,
    /// One past the last byte.
    pub end: usize,
}

impl FieldSpan {
    /// A range of a field that is one text.
    pub const fn new(field: Field, span: Range<usize>) -> Self {
        Self { field, index: None, path: None, start: span.start, end: span.end }
    }

    /// A range of an item of a list.
    pub const fn in_item(field: Field, index: usize, span: Range<usize>) -> Self {
        Self { field, index: Some(index), path: None, start: span.start, end: span.end }
    }

    /// A range of the text of the value that a JSON Pointer names inside of an item.
    pub fn inside(field: Field, index: usize, path: impl Into<String>, span: Range<usize>) -> Self {
        Self { path: Some(path.into()), ..Self::in_item(field, index, span) }
    }

    /// A range of the text in the metadata that a JSON Pointer names.
    pub fn in_metadata(path: impl Into<String>, span: Range<usize>) -> Self {
        Self { path: Some(path.into()), ..Self::new(Field::Metadata, span) }
    }
}

/// Bytes of its text that a piece of evidence repeats; its span is whole however long it is.
pub const LONGEST_TEXT: usize = 200;

/// One piece of evidence.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "WrittenEvidence")]
pub struct Evidence {
    /// What it says.
    pub kind: EvidenceKind,
    /// Where it stands in the case, if it stands anywhere.
    #[serde(flatten, skip_serializing_if = "Option::is_none")]
    pub place: Option<FieldSpan>,
    /// The words at that place, or the words that were looked for; the beginning of them where `cut` says so.
    pub text: String,
    /// Whether `text` is only the beginning of what stands at the place.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub cut: bool,
    /// A remark for the reader.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<Cow<'static, str>>,
    /// Where the counterpart stands: what supports a statement, what a quotation was found in.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub support: Option<FieldSpan>,
}

/// Evidence as a file holds it: its place lies open among the rest, so that it is read without a detour.
#[derive(Deserialize)]
struct WrittenEvidence {
    kind: EvidenceKind,
    field: Option<Field>,
    index: Option<usize>,
    path: Option<String>,
    start: Option<usize>,
    end: Option<usize>,
    text: String,
    #[serde(default)]
    cut: bool,
    note: Option<Cow<'static, str>>,
    support: Option<FieldSpan>,
}

impl From<WrittenEvidence> for Evidence {
    fn from(written: WrittenEvidence) -> Self {
        let WrittenEvidence { kind, field, index, path, start, end, text, cut, note, support } = written;
        let place = match (field, start, end) {
            (Some(field), Some(start), Some(end)) => Some(FieldSpan { field, index, path, start, end }),
            _ => None,
        };
        Self { kind, place, text, cut, note, support }
    }
}

impl Evidence {
    /// Words that were looked for and stand at `span` of `whole`, the full text of that field.
    pub fn found(field: Field, span: Range<usize>, whole: &str) -> Self {
        Self::at(EvidenceKind::Matched, field, span, whole)
    }

    /// Words that were looked for and are nowhere.
    pub fn missing(text: impl Into<String>) -> Self {
        Self { kind: EvidenceKind::Missing, place: None, text: text.into(), cut: false, note: None, support: None }
    }

    /// A remark without a place.
    pub fn note(text: impl Into<String>) -> Self {
        Self { kind: EvidenceKind::Note, place: None, text: text.into(), cut: false, note: None, support: None }
    }

    /// Evidence of any kind at `span` of `whole`, the full text of that field.
    ///
    /// A span outside the text or inside a character is cut to the nearest place that is neither; the laws of every
    /// metric check that this never happens.
    pub fn at(kind: EvidenceKind, field: Field, span: Range<usize>, whole: &str) -> Self {
        let start = whole.floor_char_boundary(span.start);
        let end = whole.floor_char_boundary(span.end).max(start);
        let shown = whole.floor_char_boundary(end.min(start + LONGEST_TEXT));
        Self {
            kind,
            place: Some(FieldSpan::new(field, start..end)),
            text: whole[start..shown].to_owned(),
            cut: shown < end,
            note: None,
            support: None,
        }
    }

    /// Says which item of a list field the place is in.
    #[must_use]
    pub fn in_item(mut self, index: usize) -> Self {
        if let Some(place) = &mut self.place {
            place.index = Some(index);
        }
        self
    }

    /// Says which text of the metadata, or of an item, the place is in, as a JSON Pointer.
    #[must_use]
    pub fn at_path(mut self, path: impl Into<String>) -> Self {
        if let Some(place) = &mut self.place {
            place.path = Some(path.into());
        }
        self
    }

    /// Whether these are the words at its place: all of them, or the beginning where it is cut.
    pub fn quotes(&self, words: &str) -> bool {
        if self.cut { words.len() > self.text.len() && words.starts_with(&self.text) } else { words == self.text }
    }

    /// Adds a remark.
    #[must_use]
    pub fn with_note(mut self, note: impl Into<Cow<'static, str>>) -> Self {
        self.note = Some(note.into());
        self
    }

    /// Says where the counterpart stands.
    #[must_use]
    pub fn with_support(mut self, place: FieldSpan) -> Self {
        self.support = Some(place);
        self
    }

    /// Whether it is of kind `matched`.
    pub const fn is_found(&self) -> bool {
        matches!(self.kind, EvidenceKind::Matched)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_is_written_flat_and_read_back() {
        let evidence = Evidence::found(Field::Context, 4..9, "the press").in_item(2).with_note("by name");
        let json = serde_json::to_string(&evidence).unwrap();
        assert_eq!(
            json,
            r#"{"kind":"matched","field":"context","index":2,"start":4,"end":9,"text":"press","note":"by name"}"#
        );
        assert_eq!(serde_json::from_str::<Evidence>(&json).unwrap(), evidence);
        let missing = Evidence::missing("x");
        let json = serde_json::to_string(&missing).unwrap();
        assert_eq!(json, r#"{"kind":"missing","text":"x"}"#);
        assert_eq!(serde_json::from_str::<Evidence>(&json).unwrap(), missing);
    }

    #[test]
    fn a_long_span_is_whole_and_its_text_is_cut() {
        let whole = "é".repeat(150);
        let evidence = Evidence::found(Field::Response, 0..whole.len(), &whole);
        let place = evidence.place.as_ref().unwrap();
        assert_eq!((place.end, evidence.text.len(), evidence.cut), (300, 200, true));
        assert!(evidence.quotes(&whole) && !evidence.quotes(&evidence.text));
        let json = serde_json::to_string(&evidence).unwrap();
        assert!(json.ends_with("\",\"cut\":true}"), "{json}");
        assert_eq!(serde_json::from_str::<Evidence>(&json).unwrap(), evidence);
    }

    #[test]
    fn a_span_inside_a_character_is_cut_to_its_edge() {
        let evidence = Evidence::found(Field::Response, 1..99, "é!");
        assert_eq!(evidence.text, "é!");
    }
}
