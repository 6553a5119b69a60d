//! Anchors: the numbers and dates of an answer that a source can bear out or not.
//!
//! [`find_anchors`] reads both kinds in one pass over the text. A text is numeric or a date, never both: dates come
//! first, so `15 March` is one date and no number. [`ContextAnchors`] holds what the chunks of a context say and finds the
//! evidence for an anchor; [`find_support`] is the same for a single question.
//!
//! ```
//! use probare_text::anchors::{AnchorKind, find_anchors, find_support};
//!
//! let answer = "On 12 June the club sold 3,000 posters.";
//! let anchors = find_anchors(answer);
//! let texts: Vec<_> = anchors.iter().map(|anchor| (anchor.kind, anchor.text(answer))).collect();
//! assert_eq!(texts, [(AnchorKind::Date, "12 June"), (AnchorKind::Numeric, "3,000")]);
//!
//! let context = ["Posters: 3000 sold.", "Held on 2022-06-12."];
//! assert_eq!(find_support("3,000", AnchorKind::Numeric, &context).unwrap().chunk, 0);
//! assert_eq!(find_support("12 June", AnchorKind::Date, &context).unwrap().span, 8..18);
//! ```

use std::ops::Range;

use crate::anchor_scan::{AnchorScan, scan, scan_for_evidence};
use crate::{dates, quantities};

/// Whether an anchor is a number or a date.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum AnchorKind {
    /// Money, a percentage, a measured quantity, a cardinal.
    Numeric,
    /// A date of any precision, a time of day, a length of time, a relative day or period.
    Date,
}

/// A number or date in a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Anchor {
    /// Which of the two it is.
    pub kind: AnchorKind,
    /// Its byte range.
    pub span: Range<usize>,
}

impl Anchor {
    /// The words of the anchor in the text it was found in.
    pub fn text<'t>(&self, text: &'t str) -> &'t str {
        text.get(self.span.clone()).unwrap_or_default()
    }
}

/// Where the evidence for an anchor stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AnchorSupport {
    /// Index of the chunk.
    pub chunk: usize,
    /// Byte range in that chunk.
    pub span: Range<usize>,
}

/// The numbers and dates of a text, in order and without overlap.
pub fn find_anchors(text: &str) -> Vec<Anchor> {
    let scanned = scan(text);
    let numeric = scanned.quantities.into_iter().map(|quantity| quantity.span).chain(scanned.malformed);
    let mut anchors: Vec<Anchor> = numeric.map(|span| Anchor { kind: AnchorKind::Numeric, span }).collect();
    anchors.extend(scanned.dates.into_iter().map(|date| Anchor { kind: AnchorKind::Date, span: date.span }));
    anchors.sort_by_key(|anchor| (anchor.span.start, anchor.span.end));
    anchors
}

/// The evidence for an anchor in the chunks of a context: the first number or date that bears it out.
///
/// An anchor that cannot be read (`12,50`, `15 mars`) has none. For several anchors and the same chunks, [`ContextAnchors`]
/// reads the chunks once.
pub fn find_support<S: AsRef<str>>(anchor: &str, kind: AnchorKind, context: &[S]) -> Option<AnchorSupport> {
    ContextAnchors::new(context).support(anchor, kind)
}

/// What the chunks of a context say in numbers and dates.
#[derive(Debug, Clone)]
pub struct ContextAnchors {
    chunks: Vec<AnchorScan>,
}

impl ContextAnchors {
    /// Reads the chunks.
    pub fn new<S: AsRef<str>>(context: &[S]) -> Self {
        Self { chunks: context.iter().map(|chunk| scan_for_evidence(chunk.as_ref())).collect() }
    }

    /// The first number or date that bears out the anchor of this text and kind.
    pub fn support(&self, anchor: &str, kind: AnchorKind) -> Option<AnchorSupport> {
        match kind {
            AnchorKind::Numeric => {
                let anchor = quantities::parse(anchor)?;
                self.first(|chunk| {
                    let found = chunk.quantities.iter().find(|quantity| quantities::supports(quantity, &anchor));
                    found.map(|quantity| quantity.span.clone())
                })
            }
            AnchorKind::Date => {
                let anchor = dates::parse(anchor)?;
                self.first(|chunk| {
                    chunk.dates.iter().find(|date| dates::supports(date, &anchor)).map(|date| date.span.clone())
                })
            }
        }
    }

    fn first(&self, find: impl Fn(&AnchorScan) -> Option<Range<usize>>) -> Option<AnchorSupport> {
        self.chunks.iter().enumerate().find_map(|(chunk, scan)| find(scan).map(|span| AnchorSupport { chunk, span }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(text: &str) -> Vec<(AnchorKind, &str)> {
        find_anchors(text).iter().map(|anchor| (anchor.kind, anchor.text(text))).collect()
    }

    #[test]
    fn an_anchor_is_judged_by_its_own_words() {
        use AnchorKind::{Date, Numeric};
        assert_eq!(texts("5-10 minutes"), [(Numeric, "5"), (Date, "10 minutes")]);
        assert_eq!(texts("10–15%"), [(Numeric, "10"), (Numeric, "15%")]);
        assert_eq!(texts("2016-1990s"), [(Date, "2016"), (Date, "1990s")]);
        for (anchor, context) in
            [("10", "10–15%"), ("10%", "10–15%"), ("3", "3-4 million"), ("3 million", "3-4 million")]
        {
            assert!(find_support(anchor, Numeric, &[context]).is_some(), "{anchor} in {context}");
        }
        assert!(find_support("5 minutes", Date, &["5-10 minutes"]).is_some());
    }

    #[test]
    fn numbers_that_cannot_be_read_are_anchors_without_support() {
        assert_eq!(
            texts("It costs €12,50 or 11,9 million."),
            [(AnchorKind::Numeric, "€12,50"), (AnchorKind::Numeric, "11,9 million")]
        );
        assert_eq!(find_support("12,50", AnchorKind::Numeric, &["12,50"]), None);
    }

    #[test]
    fn a_lone_year_is_a_number_of_a_source_and_a_dated_one_is_not() {
        let in_context = |context: &str| find_support("2006", AnchorKind::Numeric, &[context]).is_some();
        assert!(in_context("in 2006") && in_context("Q3 2006") && in_context("2006 members"));
        assert!(
            !in_context("November 2006")
                && !in_context("2006-11-09")
                && !in_context("at 20:06")
                && !in_context("12006")
        );
    }

    #[test]
    fn nothing_is_borne_out_by_nothing() {
        assert_eq!(find_support::<&str>("5", AnchorKind::Numeric, &[]), None);
        assert_eq!(find_support("5", AnchorKind::Numeric, &["", "  "]), None);
        assert_eq!(texts(""), []);
    }
}
