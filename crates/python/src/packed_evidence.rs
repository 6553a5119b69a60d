//! Evidence of a row in few bytes. Most of it is never looked at, and as a value a piece takes about 200.

use std::borrow::Cow;

use probare_core::{Evidence, EvidenceKind, Field, FieldSpan, LabelOnly, MetricResult, Outcome, Score};

// Bits behind the kind of a piece.
const HAS_PLACE: u8 = 0x10;
const IS_CUT: u8 = 0x20;
const HAS_NOTE: u8 = 0x40;
const HAS_SUPPORT: u8 = 0x80;

// Bits behind the field of a place.
const HAS_INDEX: u8 = 0x10;
const HAS_PATH: u8 = 0x20;

/// Bits of the kind, or of the field.
const NAME: u8 = 0x0F;

/// The evidence of results, one after the other.
pub fn pack(results: &[MetricResult]) -> Box<[u8]> {
    if results.iter().flatten().all(|outcome| outcome.evidence().is_empty()) {
        return Box::default();
    }
    let mut bytes = Vec::with_capacity(512);
    for outcome in results.iter().flatten() {
        let pieces = outcome.evidence();
        push_number(&mut bytes, pieces.len());
        for piece in pieces {
            push_piece(&mut bytes, piece);
        }
    }
    bytes.into_boxed_slice()
}

/// Puts evidence back into the results that it was packed of.
pub fn unpack(bytes: &[u8], results: &mut [MetricResult]) {
    let mut reader = Reader(bytes);
    for outcome in results.iter_mut().flatten() {
        let Some(pieces) = reader.pieces() else { return };
        match outcome {
            Outcome::Scored(Score { evidence, .. }) | Outcome::Labelled(LabelOnly { evidence, .. }) => {
                *evidence = pieces;
            }
            Outcome::NotApplicable { .. } => {}
        }
    }
}

fn push_piece(bytes: &mut Vec<u8>, piece: &Evidence) {
    let has = |what: bool, bit: u8| if what { bit } else { 0 };
    bytes.push(
        piece.kind as u8
            | has(piece.place.is_some(), HAS_PLACE)
            | has(piece.cut, IS_CUT)
            | has(piece.note.is_some(), HAS_NOTE)
            | has(piece.support.is_some(), HAS_SUPPORT),
    );
    push_text(bytes, &piece.text);
    if let Some(note) = &piece.note {
        push_text(bytes, note);
    }
    for place in piece.place.iter().chain(&piece.support) {
        bytes.push(place.field as u8 | has(place.index.is_some(), HAS_INDEX) | has(place.path.is_some(), HAS_PATH));
        for number in place.index.into_iter().chain([place.start, place.end]) {
            push_number(bytes, number);
        }
        if let Some(path) = &place.path {
            push_text(bytes, path);
        }
    }
}

fn push_text(bytes: &mut Vec<u8>, text: &str) {
    push_number(bytes, text.len());
    bytes.extend_from_slice(text.as_bytes());
}

/// Seven bits to the byte, the lowest first; all bytes but the last have the eighth.
fn push_number(bytes: &mut Vec<u8>, mut number: usize) {
    while number >= 0x80 {
        let [lowest, ..] = number.to_le_bytes();
        bytes.push(lowest | 0x80);
        number >>= 7;
    }
    let [lowest, ..] = number.to_le_bytes();
    bytes.push(lowest);
}

/// What is left to read; nothing comes of bytes that [`pack`] did not write.
struct Reader<'a>(&'a [u8]);

impl<'a> Reader<'a> {
    fn pieces(&mut self) -> Option<Vec<Evidence>> {
        let count = self.number()?;
        (0..count).map(|_| self.piece()).collect()
    }

    fn piece(&mut self) -> Option<Evidence> {
        let head = self.byte()?;
        let has = |bit: u8| head & bit != 0;
        Some(Evidence {
            kind: EvidenceKind::ALL.into_iter().find(|kind| *kind as u8 == head & NAME)?,
            text: self.text()?.to_owned(),
            cut: has(IS_CUT),
            note: if has(HAS_NOTE) { Some(Cow::Owned(self.text()?.to_owned())) } else { None },
            place: if has(HAS_PLACE) { Some(self.place()?) } else { None },
            support: if has(HAS_SUPPORT) { Some(self.place()?) } else { None },
        })
    }

    fn place(&mut self) -> Option<FieldSpan> {
        let head = self.byte()?;
        Some(FieldSpan {
            field: Field::ALL.into_iter().find(|field| *field as u8 == head & NAME)?,
            index: if head & HAS_INDEX == 0 { None } else { Some(self.number()?) },
            start: self.number()?,
            end: self.number()?,
            path: if head & HAS_PATH == 0 { None } else { Some(self.text()?.to_owned()) },
        })
    }

    fn text(&mut self) -> Option<&'a str> {
        let length = self.number()?;
        let (text, rest) = self.0.split_at_checked(length)?;
        self.0 = rest;
        str::from_utf8(text).ok()
    }

    fn number(&mut self) -> Option<usize> {
        let (mut number, mut shift) = (0_usize, 0_u32);
        loop {
            let byte = self.byte()?;
            number |= usize::from(byte & 0x7F).checked_shl(shift)?;
            if byte < 0x80 {
                return Some(number);
            }
            shift += 7;
        }
    }

    fn byte(&mut self) -> Option<u8> {
        let (first, rest) = self.0.split_first()?;
        self.0 = rest;
        Some(*first)
    }
}
