//! Days and periods that are relative to now: `yesterday`, `last year`, `next Monday`.

use super::fields::DateFields;
use super::reader::{DateMatch, DateReader};
use crate::terms::WordClass;

/// Periods that every shift word can move.
const PERIODS: &str = "week month year decade century quarter weekend";

/// Times of day and seasons, for `last`, `next` and `this`.
const PARTS: &str = "night morning afternoon evening spring summer autumn fall winter season";

/// A relative day.
pub(super) fn read_day(reader: &DateReader<'_, '_>, at: usize) -> DateMatch {
    let word = reader.terms.text(at).to_ascii_lowercase();
    DateMatch::new(DateFields { relative: Some(word), ..DateFields::default() }, at, at + 1)
}

/// A shift word with what it moves.
pub(super) fn read_shift(reader: &DateReader<'_, '_>, at: usize, floor: usize) -> Option<DateMatch> {
    let terms = reader.terms;
    let shift = terms.text(at).to_ascii_lowercase();
    let next = at + 1;
    let first = if reader.is_alone { reader.with_article(at, floor) } else { at };
    match terms.word(next)? {
        WordClass::Weekday { number, is_short: false } if shift != "past" => {
            let fields = DateFields { weekday: Some(number), relative: Some(shift), ..DateFields::default() };
            return Some(DateMatch::new(fields, first, next + 1));
        }
        // `this may` is a verb.
        WordClass::Month { number, is_short: false } if shift != "past" && terms.is_capitalised(next) => {
            let fields = DateFields { month: Some(number), relative: Some(shift), ..DateFields::default() };
            return Some(DateMatch::new(fields, first, next + 1));
        }
        _ => {}
    }
    let is_period = terms.is_any_word(next, PERIODS)
        || (terms.is_any_word(next, PARTS) && matches!(shift.as_str(), "last" | "next" | "this"))
        || (terms.is_word(next, "day") && matches!(shift.as_str(), "next" | "following" | "previous"));
    // `last quarter-final`, `this week-long course`.
    if !is_period || terms.is_tying_hyphen(next + 1) {
        return None;
    }
    let relative = format!("{shift} {}", terms.text(next).to_ascii_lowercase());
    Some(DateMatch::new(DateFields { relative: Some(relative), ..DateFields::default() }, first, next + 1))
}
