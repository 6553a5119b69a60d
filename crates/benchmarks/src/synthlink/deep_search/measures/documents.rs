//! Which of the first five retrieved documents belong to a topic of the question.

use std::borrow::Cow;

use percent_encoding::percent_decode_str;

use super::vocabulary::{WordId, WordInterner};
use super::word_lists::WordLists;

/// Places that are looked at and divided by.
pub const PLACES: usize = 5;

/// The topics of a question, ready to be looked for in names of documents.
#[derive(Debug, Clone, Default)]
pub struct Topics {
    /// The tokens of each title, percent-decoded.
    titles: WordLists,
}

/// Room for the keys of documents, which is used again for the next documents.
///
/// The key of a document, which tells it from others, is the tokens of its percent-decoded name. An underscore is no part
/// of a token.
#[derive(Debug, Default)]
pub struct DocumentKeys {
    keys: WordLists,
}

/// What was found about one document.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DocumentFinding {
    /// Its name holds the topic of this index.
    Relevant(usize),
    /// Its name holds no topic.
    Other,
    /// Its name has the same tokens as the document at this earlier place.
    Repeats(usize),
    /// Its name has no tokens.
    Nameless,
}

impl Topics {
    /// Reads titles.
    pub fn new<S: AsRef<str>>(titles: &[S], vocabulary: &mut WordInterner) -> Self {
        let mut topics = Self::default();
        topics.read(titles, vocabulary);
        topics
    }

    /// Reads other titles in place of those before.
    pub fn read<S: AsRef<str>>(&mut self, titles: &[S], vocabulary: &mut WordInterner) {
        read_names(titles, &mut self.titles, vocabulary);
    }

    /// What is found about the first five documents, in their order. Topics were read with the same vocabulary.
    pub fn find<'s, S: AsRef<str>>(
        &'s self,
        documents: &[S],
        DocumentKeys { keys }: &'s mut DocumentKeys,
        vocabulary: &mut WordInterner,
    ) -> impl ExactSizeIterator<Item = DocumentFinding> + use<'s, S> {
        read_names(&documents[..documents.len().min(PLACES)], keys, vocabulary);
        let (titles, keys) = (&self.titles, &*keys);
        (0..keys.len()).map(|place| {
            let key = keys.get(place);
            if key.is_empty() {
                DocumentFinding::Nameless
            } else if let Some(earlier) = (0..place).find(|earlier| keys.get(*earlier) == key) {
                DocumentFinding::Repeats(earlier)
            } else if let Some(topic) = titles.iter().position(|title| is_in(title, key)) {
                DocumentFinding::Relevant(topic)
            } else {
                DocumentFinding::Other
            }
        })
    }
}

/// Reads names of articles, or addresses.
fn read_names<S: AsRef<str>>(names: &[S], lists: &mut WordLists, vocabulary: &mut WordInterner) {
    lists.read(names.iter().map(|name| percent_decoded(name.as_ref())), vocabulary);
}

/// Whether the tokens of a title stand in `key` one after the other. A title without tokens stands nowhere.
fn is_in(title: &[WordId], key: &[WordId]) -> bool {
    let Some((first, others)) = title.split_first() else { return false };
    let mut starts = key.iter().enumerate().filter(|(_, word)| *word == first);
    starts.any(|(place, _)| key[place + 1..].starts_with(others))
}

/// `%20` and its like replaced by the bytes they stand for; what is not UTF-8 then becomes U+FFFD.
pub fn percent_decoded(text: &str) -> Cow<'_, str> {
    percent_decode_str(text).decode_utf8_lossy()
}

#[cfg(test)]
mod tests {
    use super::DocumentFinding::{Nameless, Other, Relevant, Repeats};
    use super::*;

    /// P@5: relevant documents among five places, filled or not.
    fn document_precision(findings: impl IntoIterator<Item = DocumentFinding>) -> f64 {
        let is_relevant = |finding: &DocumentFinding| matches!(finding, Relevant(_));
        findings.into_iter().filter(is_relevant).count() as f64 / PLACES as f64
    }

    fn find(topics: &[&str], documents: &[&str]) -> Vec<DocumentFinding> {
        let mut vocabulary = WordInterner::default();
        let topics = Topics::new(topics, &mut vocabulary);
        topics.find(documents, &mut DocumentKeys::default(), &mut vocabulary).collect()
    }

    #[test]
    fn a_topic_is_a_run_of_tokens_in_an_address_or_a_title() {
        let documents = [
            "https://en.wikipedia.org/wiki/Silk_Road",
            "Road of silk",
            "The%20Silk%20Road",
            "Silk Road",
            "",
            "Silk Road!",
        ];
        let found = find(&["Trade", "Silk Road"], &documents);
        assert_eq!(found, [Relevant(1), Other, Relevant(1), Relevant(1), Nameless]);
        assert_eq!(document_precision(found), 0.6);
    }

    #[test]
    fn a_repetition_keeps_its_place_and_counts_nothing() {
        let found = find(&["aral sea"], &["Aral Sea", "aral_sea", "ARAL—SEA", "%"]);
        assert_eq!(found, [Relevant(0), Repeats(0), Repeats(0), Nameless]);
        assert_eq!(document_precision(found), 0.2);
    }

    #[test]
    fn an_empty_topic_is_found_nowhere() {
        assert_eq!(find(&["", "—"], &["anything"]), [Other]);
        assert_eq!(find(&[], &[]), []);
    }

    #[test]
    fn broken_escapes_are_kept() {
        assert_eq!(percent_decoded("100%"), "100%");
        assert_eq!(percent_decoded("%zz%4"), "%zz%4");
        assert_eq!(percent_decoded("caf%C3%A9 %E4"), "café \u{fffd}");
    }
}
