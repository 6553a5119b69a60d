//! Which of the first five retrieved documents belong to a topic of the question.

use std::borrow::Cow;

use super::vocabulary::{Vocabulary, WordId, Words};

/// Places that are looked at and divided by.
pub const PLACES: usize = 5;

/// A topic, ready to be looked for in names of documents.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Topic {
    words: Vec<WordId>,
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

impl Topic {
    /// The tokens of a title, percent-decoded.
    pub fn new(title: &str, vocabulary: &mut Vocabulary) -> Self {
        Self { words: key(title, vocabulary).ids }
    }

    /// Whether the tokens stand in `key` one after the other. A topic without tokens stands nowhere.
    fn is_in(&self, key: &Words) -> bool {
        !self.words.is_empty() && key.ids.windows(self.words.len()).any(|run| run == self.words)
    }
}

/// What was found about the first five documents, in their order. Topics were read with the same vocabulary.
pub fn find_documents<S: AsRef<str>>(
    topics: &[Topic],
    documents: &[S],
    vocabulary: &mut Vocabulary,
) -> Vec<DocumentFinding> {
    let keys: Vec<Words> = documents.iter().take(PLACES).map(|document| key(document.as_ref(), vocabulary)).collect();
    (0..keys.len())
        .map(|place| {
            let key = &keys[place];
            if key.is_empty() {
                DocumentFinding::Nameless
            } else if let Some(earlier) = keys[..place].iter().position(|other| other.ids == key.ids) {
                DocumentFinding::Repeats(earlier)
            } else if let Some(topic) = topics.iter().position(|topic| topic.is_in(key)) {
                DocumentFinding::Relevant(topic)
            } else {
                DocumentFinding::Other
            }
        })
        .collect()
}

/// P@5: relevant documents among five places, filled or not.
pub fn document_precision(findings: &[DocumentFinding]) -> f64 {
    let relevant = findings.iter().filter(|finding| matches!(finding, DocumentFinding::Relevant(_))).count();
    relevant as f64 / PLACES as f64
}

/// The tokens that identify a document: those of its percent-decoded name. An underscore is no part of a token.
fn key(name: &str, vocabulary: &mut Vocabulary) -> Words {
    vocabulary.read(&percent_decoded(name))
}

/// `%20` and its like replaced by the bytes they stand for; what is no UTF-8 then becomes U+FFFD.
pub fn percent_decoded(text: &str) -> Cow<'_, str> {
    if !text.contains('%') {
        return text.into();
    }
    let bytes = text.as_bytes();
    let mut decoded = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while let Some(&byte) = bytes.get(at) {
        let digit = |offset: usize| bytes.get(at + offset).and_then(|byte| char::from(*byte).to_digit(16));
        if let (b'%', Some(high), Some(low)) = (byte, digit(1), digit(2)) {
            decoded.push(u8::try_from(high * 16 + low).expect("two hexadecimal digits are one byte"));
            at += 3;
        } else {
            decoded.push(byte);
            at += 1;
        }
    }
    String::from_utf8_lossy(&decoded).into_owned().into()
}

#[cfg(test)]
mod tests {
    use super::DocumentFinding::{Nameless, Other, Relevant, Repeats};
    use super::*;

    fn find(topics: &[&str], documents: &[&str]) -> Vec<DocumentFinding> {
        let mut vocabulary = Vocabulary::default();
        let topics: Vec<Topic> = topics.iter().map(|title| Topic::new(title, &mut vocabulary)).collect();
        find_documents(&topics, documents, &mut vocabulary)
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
        assert_eq!(document_precision(&found), 0.6);
    }

    #[test]
    fn a_repetition_keeps_its_place_and_counts_nothing() {
        let found = find(&["aral sea"], &["Aral Sea", "aral_sea", "ARAL—SEA", "%"]);
        assert_eq!(found, [Relevant(0), Repeats(0), Repeats(0), Nameless]);
        assert_eq!(document_precision(&found), 0.2);
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
