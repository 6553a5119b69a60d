//! Share of the words of a response that the context has too.

use probare_text::sets::SetOverlap;
use probare_text::tokens::nltk;

/// Share of the distinct words and marks of the response that occur in the chunks, which are joined by one space;
/// nothing for a response without words. Stop words and marks count.
pub(crate) fn overlap(response: &str, chunks: &[&str]) -> Option<f64> {
    let (response_words, given) = (nltk::lower_words(response), nltk::lower_words(&chunks.join(" ")));
    let sets = SetOverlap::new(response_words.texts(), given.texts());
    (sets.left > 0).then(|| sets.shared as f64 / sets.left as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_response_without_words_has_no_overlap() {
        assert_eq!(overlap(" ", &["a"]), None);
        assert_eq!(overlap("A b a.", &["a", ""]), Some(1.0 / 3.0));
    }
}
