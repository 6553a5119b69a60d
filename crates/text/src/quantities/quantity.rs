//! A number in a text and what it counts.

use std::ops::Range;

/// What a number counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum QuantityKind {
    /// Money. The currency is an ISO code where the text makes it plain, else a common name such as `kr`.
    Money {
        /// Code or name, folded.
        currency: &'static str,
    },
    /// A percentage.
    Percent,
    /// A measured quantity.
    Measure {
        /// Symbol of the unit, folded: `kilometres` is `km`.
        unit: &'static str,
    },
    /// A length of time.
    Duration {
        /// Symbol of the unit, folded: `hrs` is `h`.
        unit: &'static str,
        /// Whether it is counted back from now: `two years ago`.
        is_ago: bool,
    },
    /// A number of things, or a bare number.
    Cardinal,
}

/// A number in a text.
#[derive(Debug, Clone, PartialEq)]
pub struct Quantity {
    /// What it counts.
    pub kind: QuantityKind,
    /// Its value, scale words and suffixes applied.
    pub value: f64,
    /// Its byte range, currency, scale and unit included.
    pub span: Range<usize>,
}

impl Quantity {
    /// The words of the quantity in the text it was found in.
    pub fn text<'t>(&self, text: &'t str) -> &'t str {
        text.get(self.span.clone()).unwrap_or_default()
    }
}
