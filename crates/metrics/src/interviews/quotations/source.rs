//! [`QuotationSource`]: a text that quotations are looked for in, prepared once for many of them.

use std::borrow::Cow;
use std::ops::Range;
use std::sync::OnceLock;

use memchr::memmem;
use probare_text::approximate::{ApproximateMatch, Haystack};
use probare_text::normalise::{VerbatimText, verbatim};
use probare_text::python::is_decimal;
use rustc_hash::FxHashSet;

/// A text as given, with the form in which quotations are looked for and the index that finds near ones; both are made
/// when they are first asked for. May be shared between threads.
#[derive(Debug, Default)]
pub struct QuotationSource<'t> {
    content: Cow<'t, str>,
    form: OnceLock<VerbatimText>,
    index: OnceLock<Haystack<'static>>,
    digits: OnceLock<FxHashSet<String>>,
}

impl<'t> QuotationSource<'t> {
    /// Searches `content`.
    pub fn new(content: impl Into<Cow<'t, str>>) -> Self {
        Self { content: content.into(), ..Self::default() }
    }

    /// The text as given.
    pub fn content(&self) -> &str {
        &self.content
    }

    /// The normal form.
    pub fn form(&self) -> &VerbatimText {
        self.form.get_or_init(|| verbatim(&self.content))
    }

    /// The first place of `quote` in the text as given.
    pub(super) fn find_exact(&self, quote: &str) -> Option<Range<usize>> {
        find(&self.content, quote, 0)
    }

    /// The first place of a normalised quotation in the normal form, from a byte on.
    pub(super) fn find(&self, quote: &str, from: usize) -> Option<Range<usize>> {
        // The index knows where rare letters stand; it pays once it has been made for some near quotation.
        if from == 0
            && let Some(index) = self.index.get()
        {
            return index.best_match(quote, 0).map(|found| found.span);
        }
        find(self.form().text(), quote, from)
    }

    /// The stretch of the normal form that comes nearest to a normalised quotation.
    pub(super) fn nearest(&self, quote: &str) -> Option<ApproximateMatch> {
        self.nearest_within(quote, quote.chars().count())
    }

    /// The same, with at most so many errors.
    pub(super) fn nearest_within(&self, quote: &str, limit: usize) -> Option<ApproximateMatch> {
        self.index.get_or_init(|| Haystack::new(self.form().text()).into_owned()).best_match(quote, limit)
    }

    /// Whether each run of digits of a normalised quotation is also one of the text.
    pub(super) fn has_digits_of(&self, quote: &str) -> bool {
        let digits = self.digits.get_or_init(|| digit_runs(self.form().text()).map(str::to_owned).collect());
        digit_runs(quote).all(|run| digits.contains(run))
    }

    /// A range of the normal form in Unicode scalar values of the NFC text.
    pub fn composed_scalars(&self, range: Range<usize>) -> Range<usize> {
        let span = self.form().composed_span(range);
        scalars(self.form().composed(), span)
    }
}

fn find(text: &str, quote: &str, from: usize) -> Option<Range<usize>> {
    let rest = text.get(from..)?;
    let at = from + memmem::find(rest.as_bytes(), quote.as_bytes())?;
    Some(at..at + quote.len())
}

/// A byte range in Unicode scalar values.
pub(super) fn scalars(text: &str, range: Range<usize>) -> Range<usize> {
    let count = |part: Option<&str>| part.map_or(0, |part| part.chars().count());
    let start = count(text.get(..range.start));
    start..start + count(text.get(range))
}

fn digit_runs(text: &str) -> impl Iterator<Item = &str> {
    text.split(|character| !is_decimal(character)).filter(|run| !run.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_index_changes_no_answer() {
        let source = QuotationSource::new("Vi begyndte — «HavHøst» hjalp os. HavHøst!");
        let before = source.find("havhøst", 0);
        source.nearest("havhest").unwrap();
        assert_eq!(source.find("havhøst", 0), before);
        assert_eq!(source.find("absent", 0), None);
        assert_eq!(source.composed_scalars(before.unwrap()), 15..22);
    }

    #[test]
    fn digits_are_compared_by_runs() {
        let source = QuotationSource::new("pays 50,000 in 2016");
        assert!(source.has_digits_of("50.000") && source.has_digits_of("no digits"));
        assert!(!source.has_digits_of("5000"));
    }
}
