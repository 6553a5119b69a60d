//! [`Source`]: a text that quotations are looked for in, prepared once for many of them.

use std::ops::Range;
use std::sync::OnceLock;

use memchr::memmem;
use probare_text::approximate::{Haystack, Match};
use probare_text::normalise::{Verbatim, verbatim};
use probare_text::python::is_decimal;
use rustc_hash::FxHashSet;

/// A text as given, and the form in which quotations are looked for, made when it is first asked for.
#[derive(Debug, Default)]
pub struct Text<'t> {
    content: &'t str,
    form: OnceLock<Verbatim>,
}

impl<'t> Text<'t> {
    /// Holds `content`.
    pub const fn new(content: &'t str) -> Self {
        Self { content, form: OnceLock::new() }
    }

    /// The text as given.
    pub const fn content(&self) -> &'t str {
        self.content
    }

    /// Its normal form.
    pub fn form(&self) -> &Verbatim {
        self.form.get_or_init(|| verbatim(self.content))
    }
}

/// Searches a [`Text`]. May be shared between threads.
#[derive(Debug)]
pub struct Source<'t> {
    text: &'t Text<'t>,
    index: OnceLock<Haystack<'t>>,
    digits: OnceLock<FxHashSet<&'t str>>,
}

impl<'t> Source<'t> {
    /// Searches `text`.
    pub const fn new(text: &'t Text<'t>) -> Self {
        Self { text, index: OnceLock::new(), digits: OnceLock::new() }
    }

    /// The text as given.
    pub const fn content(&self) -> &'t str {
        self.text.content
    }

    /// The normal form.
    pub fn form(&self) -> &'t Verbatim {
        self.text.form()
    }

    /// The first place of `quote` in the text as given.
    pub(super) fn find_exact(&self, quote: &str) -> Option<Range<usize>> {
        find(self.text.content, quote, 0)
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
    pub(super) fn nearest(&self, quote: &str) -> Option<Match> {
        let index = self.index.get_or_init(|| Haystack::new(self.form().text()));
        index.best_match(quote, quote.chars().count())
    }

    /// Whether each run of digits of a normalised quotation is also one of the text.
    pub(super) fn has_digits_of(&self, quote: &str) -> bool {
        let digits = self.digits.get_or_init(|| digit_runs(self.form().text()).collect());
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
        let text = Text::new("Vi begyndte — «HavHøst» hjalp os. HavHøst!");
        let source = Source::new(&text);
        let before = source.find("havhøst", 0);
        source.nearest("havhest").unwrap();
        assert_eq!(source.find("havhøst", 0), before);
        assert_eq!(source.find("absent", 0), None);
        assert_eq!(source.composed_scalars(before.unwrap()), 15..22);
    }

    #[test]
    fn digits_are_compared_by_runs() {
        let text = Text::new("pays 50,000 in 2016");
        let source = Source::new(&text);
        assert!(source.has_digits_of("50.000") && source.has_digits_of("no digits"));
        assert!(!source.has_digits_of("5000"));
    }
}
