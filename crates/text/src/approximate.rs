//! The place in a long text that comes nearest to a pattern.
//!
//! For a quotation that may have been changed a little: which stretch of the text has the least edit distance to it, and
//! how large is that distance? Items are characters (Unicode scalar values), spans are bytes.
//!
//! One pattern against one text is one pass over the text ([`best_match`]). For many patterns a [`Haystack`] keeps an
//! index of the text: if a match has at most k errors, then of k + 1 pieces of the pattern one occurs unchanged, and
//! only the surroundings of such places need a look. What is found is the same.
//!
//! ```
//! use probare_text::approximate::Haystack;
//!
//! let haystack = Haystack::new("She said that the harvest had failed twice.");
//! let found = haystack.best_match("harvest has failed", 3).unwrap();
//! assert_eq!((found.distance, found.span), (1, 18..36));
//! ```

use std::borrow::Cow;
use std::ops::Range;

use crate::bit_vectors::{BitColumn, Masks, Symbol};

mod index;
mod lanes;
mod scan;

use index::GramIndex;
use scan::scan;

/// A stretch of a text near to a pattern.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ApproximateMatch {
    /// Edit distance between the pattern and the stretch.
    pub distance: usize,
    /// The stretch, in bytes of the text. Of equally near ones it is the one that ends first; of those that end there,
    /// the one whose length is nearest to that of the pattern, the longer one if two are.
    pub span: Range<usize>,
}

/// The best match of `pattern` in `text` with at most `limit` errors.
///
/// Every pattern is as many errors away from the empty stretch as it is long, so with such a limit there is always a
/// match.
pub fn best_match(text: &str, pattern: &str, limit: usize) -> Option<ApproximateMatch> {
    Haystack { symbols: Symbols::new(text), index: None }.best_match(pattern, limit)
}

/// A text to be searched for many patterns.
#[derive(Debug)]
pub struct Haystack<'t> {
    symbols: Symbols<'t>,
    index: Option<GramIndex>,
}

/// The characters of a text.
#[derive(Debug)]
enum Symbols<'t> {
    /// Bytes are characters.
    Ascii(Cow<'t, [u8]>),
    /// The characters, and the byte at which each starts, with the length of the text at the end.
    Wide(Vec<char>, Vec<usize>),
}

impl<'t> Symbols<'t> {
    fn new(text: &'t str) -> Self {
        if text.is_ascii() {
            return Self::Ascii(Cow::Borrowed(text.as_bytes()));
        }
        let starts = text.char_indices().map(|(start, _)| start).chain([text.len()]).collect();
        Self::Wide(text.chars().collect(), starts)
    }
}

impl<'t> Haystack<'t> {
    /// Reads and indexes `text`.
    pub fn new(text: &'t str) -> Self {
        let symbols = Symbols::new(text);
        let index = match &symbols {
            Symbols::Ascii(bytes) => GramIndex::new(bytes),
            Symbols::Wide(characters, _) => GramIndex::new(characters),
        };
        Self { symbols, index }
    }

    /// The same without the text it was made from, so that it can be kept beside it.
    pub fn into_owned(self) -> Haystack<'static> {
        let symbols = match self.symbols {
            Symbols::Ascii(bytes) => Symbols::Ascii(Cow::Owned(bytes.into_owned())),
            Symbols::Wide(characters, starts) => Symbols::Wide(characters, starts),
        };
        Haystack { symbols, index: self.index }
    }

    /// The best match of `pattern` with at most `limit` errors.
    pub fn best_match(&self, pattern: &str, limit: usize) -> Option<ApproximateMatch> {
        let pattern: Vec<u32> = pattern.chars().map(u32::from).collect();
        match &self.symbols {
            Symbols::Ascii(bytes) => {
                let (distance, span) = best(bytes, self.index.as_ref(), &pattern, limit)?;
                Some(ApproximateMatch { distance, span })
            }
            Symbols::Wide(characters, starts) => {
                let (distance, span) = best(characters, self.index.as_ref(), &pattern, limit)?;
                Some(ApproximateMatch { distance, span: starts[span.start]..starts[span.end] })
            }
        }
    }
}

/// The least distance up to `limit` and its stretch, in symbols.
fn best<S: Symbol>(
    text: &[S],
    index: Option<&GramIndex>,
    pattern: &[u32],
    limit: usize,
) -> Option<(usize, Range<usize>)> {
    if pattern.is_empty() {
        return Some((0, 0..0));
    }
    let limit = limit.min(pattern.len());
    let masks = Masks::new(pattern.iter().copied());
    let (distance, end) = match index.map(|index| search_windows(text, index, &masks, pattern, limit)) {
        Some(FilterResult::Found(distance, end)) => (distance, end),
        Some(FilterResult::Absent) => return None,
        Some(FilterResult::Unsuited) | None if lanes::is_long_enough(text.len(), pattern.len()) => {
            lanes::scan(text, pattern, limit)?
        }
        Some(FilterResult::Unsuited) | None => scan(text, 0, &masks, limit)?,
    };
    Some((distance, start(text, pattern, distance, end)..end))
}

/// What the index has to say.
enum FilterResult {
    Found(usize, usize),
    Absent,
    /// The pieces of the pattern would be too short, or they are nearly everywhere.
    Unsuited,
}

/// Looks around places where a piece of the pattern occurs, with more and more errors allowed.
fn search_windows<S: Symbol>(
    text: &[S],
    index: &GramIndex,
    masks: &Masks,
    pattern: &[u32],
    limit: usize,
) -> FilterResult {
    let mut errors = 0;
    loop {
        let Some(windows) = index.windows(text, pattern, errors) else { return FilterResult::Unsuited };
        let mut found: Option<(usize, usize)> = None;
        for window in windows {
            // Later windows end later, so only a smaller distance is better.
            let allowed = match found {
                Some((0, _)) => break,
                Some((distance, _)) => distance - 1,
                None => errors,
            };
            found = scan(&text[window.clone()], window.start, masks, allowed).or(found);
        }
        match found {
            Some((distance, end)) => return FilterResult::Found(distance, end),
            None if errors == limit => return FilterResult::Absent,
            None => errors = (errors * 2).max(1).min(limit),
        }
    }
}

/// Start of the best match that ends at `end`: the pattern is read backwards from there.
fn start<S: Symbol>(text: &[S], pattern: &[u32], distance: usize, end: usize) -> usize {
    let masks = Masks::new(pattern.iter().rev().copied());
    let mut column = BitColumn::first(&masks);
    let far = |length: usize| pattern.len().abs_diff(length);
    // The empty stretch is as far away as the pattern is long.
    let mut best = (distance == pattern.len()).then_some(0);
    for (read, &symbol) in text[..end].iter().rev().take(pattern.len() + distance).enumerate() {
        probare_cancellation::count_steps(pattern.len().div_ceil(64));
        let length = read + 1;
        if column.advance(symbol) == distance && best.is_none_or(|best| far(length) <= far(best)) {
            best = Some(length);
        }
    }
    end - best.unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::distance::levenshtein;

    /// Every stretch of the text, tried.
    fn slow(text: &str, pattern: &str) -> usize {
        let ends: Vec<usize> = text.char_indices().map(|(start, _)| start).chain([text.len()]).collect();
        let spans = ends.iter().flat_map(|&start| ends.iter().map(move |&end| (start, end)));
        spans
            .filter(|(start, end)| start <= end)
            .map(|(start, end)| levenshtein(&text[start..end], pattern))
            .min()
            .unwrap_or_default()
    }

    #[test]
    fn an_exact_place_is_found_first() {
        let haystack = Haystack::new("abcdef abcdef");
        assert_eq!(haystack.best_match("abcdef", 2), Some(ApproximateMatch { distance: 0, span: 0..6 }));
        assert_eq!(haystack.best_match("f abc", 0), Some(ApproximateMatch { distance: 0, span: 5..10 }));
    }

    #[test]
    fn nothing_near_is_nothing() {
        let haystack = Haystack::new("the quick brown fox");
        assert_eq!(haystack.best_match("zzzzzzzzzzzz", 3), None);
        assert_eq!(haystack.best_match("zz", 2), Some(ApproximateMatch { distance: 2, span: 0..0 }));
        assert_eq!(Haystack::new("").best_match("abc", 2), None);
        assert_eq!(Haystack::new("").best_match("", 0), Some(ApproximateMatch { distance: 0, span: 0..0 }));
    }

    #[test]
    fn spans_are_bytes() {
        let text = "für die große Straße nach Süden";
        let found = Haystack::new(text).best_match("grosse Strasse", 4).unwrap();
        assert_eq!((found.distance, &text[found.span]), (4, "große Straße"));
    }

    /// A text of some hundred characters with a changed piece of itself as the pattern.
    fn text_and_piece() -> impl Strategy<Value = (String, String)> {
        ("[abcd ]{150,400}", 0_usize..100, 20_usize..150, proptest::collection::vec((0_usize..150, 0_u8..3), 0..12))
            .prop_map(|(text, start, length, changes)| {
                let end = (start + length).min(text.len());
                let mut piece: Vec<u8> = text.as_bytes()[start..end].to_vec();
                for (at, kind) in changes {
                    let at = at % piece.len().max(1);
                    match kind {
                        0 if piece.len() > 1 => {
                            piece.remove(at);
                        }
                        1 => piece.insert(at, b'x'),
                        _ => piece[at] = b'y',
                    }
                }
                (text, String::from_utf8(piece).unwrap())
            })
    }

    proptest! {
        #[test]
        fn equals_trying_every_stretch(text in "[abcé]{0,24}", pattern in "[abcé]{0,12}") {
            let expected = slow(&text, &pattern);
            let found = best_match(&text, &pattern, pattern.len()).unwrap();
            prop_assert_eq!(found.distance, expected);
            prop_assert_eq!(levenshtein(&text[found.span.clone()], &pattern), expected);
            prop_assert_eq!(Haystack::new(&text).best_match(&pattern, pattern.len()), Some(found));
            if expected > 0 {
                prop_assert_eq!(best_match(&text, &pattern, expected - 1), None);
            }
        }

        #[test]
        fn the_index_changes_nothing((text, pattern) in text_and_piece(), limit in 0_usize..40) {
            let plain = best_match(&text, &pattern, limit);
            prop_assert_eq!(&Haystack::new(&text).best_match(&pattern, limit), &plain);
            if let Some(found) = plain {
                prop_assert_eq!(levenshtein(&text[found.span], &pattern), found.distance);
            }
        }

        #[test]
        fn long_patterns_agree_with_a_table((text, pattern) in text_and_piece()) {
            prop_assert_eq!(best_match(&text, &pattern, pattern.len()).unwrap().distance, table(&text, &pattern));
        }
    }

    /// Sellers' table: a match may start anywhere, so the first row is zero.
    fn table(text: &str, pattern: &str) -> usize {
        let pattern = pattern.as_bytes();
        let mut column: Vec<usize> = (0..=pattern.len()).collect();
        let mut best = pattern.len();
        for byte in text.bytes() {
            let mut diagonal = column[0];
            for row in 1..=pattern.len() {
                let replaced = diagonal + usize::from(pattern[row - 1] != byte);
                diagonal = column[row];
                column[row] = replaced.min(diagonal + 1).min(column[row - 1] + 1);
            }
            best = best.min(column[pattern.len()]);
        }
        best
    }
}
