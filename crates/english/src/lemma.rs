//! Lemmatiser: the ending of a word and its tag select an edit (cut so many characters, append these), and, for a word
//! with a capital, whether the capital stays ("Chileans") or goes ("Walked").
//!
//! The longest known ending decides, the whole word counting as the longest of all; that is how exceptions ("went",
//! "better") and regular endings live in one table.

use crate::ModelFileError;
use crate::bytes::ByteReader;
use crate::bytes::ByteWriter;
use crate::hash;
use crate::index::{self, KeyIndex};
use crate::tagger::Tag;
use crate::word::{Capitals, capitals};

/// Longest ending, in characters, that is not the whole word.
pub const LONGEST_ENDING: usize = 6;

/// What is done at the end of a word.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct SuffixEdit {
    /// So many characters are cut off the end.
    pub cut: usize,
    /// This is appended.
    pub append: String,
}

impl SuffixEdit {
    /// The shortest edit between two strings.
    pub fn between(from: &str, to: &str) -> Self {
        let shared = shared_prefix(from, to);
        Self { cut: from.chars().count() - shared, append: to.chars().skip(shared).collect() }
    }

    /// Applies the edit; `None` when the word is shorter than what would be cut.
    pub fn apply(&self, mut word: String) -> Option<String> {
        for _ in 0..self.cut {
            word.pop()?;
        }
        word.push_str(&self.append);
        Some(word)
    }
}

/// How many characters two strings have in common at their beginning.
pub fn shared_prefix(left: &str, right: &str) -> usize {
    left.chars().zip(right.chars()).take_while(|(left, right)| left == right).count()
}

/// Which of the two questions a key is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RuleKind {
    /// Does the capital stay? Depends on how much of the word is in capitals.
    Capitals,
    /// How does the end change?
    Ending,
}

/// The keys of a word, the most specific first: the whole word, then endings of six down to no characters.
pub type RuleKeys = [Option<u32>; LONGEST_ENDING + 2];

/// The keys under which the answer to a question about a word may be found.
pub fn keys(form: &str, tag: Tag, question: RuleKind) -> RuleKeys {
    let capitals = match (question, capitals(form)) {
        (RuleKind::Ending, _) => 0,
        (RuleKind::Capitals, Capitals::None) => 1,
        (RuleKind::Capitals, Capitals::First) => 2,
        (RuleKind::Capitals, Capitals::All) => 3,
    };
    let tag = hash::mix(hash::mix(hash::text(tag.upos.as_str()), hash::text(tag.xpos)), capitals);
    let mut keys = [None; LONGEST_ENDING + 2];
    let mut state = tag;
    let mut characters = form.chars().rev().flat_map(char::to_lowercase);
    for length in 0..=LONGEST_ENDING {
        if length > 0 {
            let Some(character) = characters.next() else { break };
            state = hash::character(state, character);
        }
        keys[LONGEST_ENDING + 1 - length] = Some(hash::key(hash::mix(state, length as u64)));
    }
    // The whole word as written: "i" and "I" are not lemmatised alike.
    keys[0] = Some(hash::key(hash::mix(hash::mix(tag, hash::text(form)), u64::MAX)));
    keys
}

/// The lemmatiser.
#[derive(Debug, Clone, Default)]
pub struct Lemmatizer {
    edits: Vec<SuffixEdit>,
    /// Answers to both questions: 0 or 1 for capitals, the number of an edit for endings.
    rules: KeyIndex,
}

impl Lemmatizer {
    /// The lemma of a form with this tag.
    pub fn lemma(&self, form: &str, tag: Tag) -> String {
        let answers = |question| keys(form, tag, question).into_iter().flatten().filter_map(|key| self.rules.get(key));
        let stays = capitals(form) == Capitals::None || answers(RuleKind::Capitals).next() == Some(1);
        let base = || if stays { form.to_owned() } else { form.to_lowercase() };
        answers(RuleKind::Ending)
            .filter_map(|number| self.edits.get(number as usize))
            .find_map(|edit| edit.apply(base()))
            .filter(|lemma| !lemma.is_empty())
            .unwrap_or_else(base)
    }

    /// Reads what [`write`] wrote.
    pub fn read(reader: &mut ByteReader<'_>) -> Result<Self, ModelFileError> {
        let count = reader.count()?;
        let mut edits = Vec::with_capacity(count);
        for _ in 0..count {
            let cut = usize::try_from(reader.number()?).map_err(|_| ModelFileError::NumberTooLarge)?;
            edits.push(SuffixEdit { cut, append: reader.string()?.to_owned() });
        }
        let keys = index::read_keys(reader)?;
        let mut values = Vec::with_capacity(keys.len());
        for _ in &keys {
            values.push(reader.small()?.min(u32::MAX - 1));
        }
        Ok(Self { edits, rules: KeyIndex::from_sorted(keys.len(), keys.into_iter().zip(values)) })
    }
}

/// Writes edits and, in ascending order of their keys, the rules: the answers to both questions.
pub fn write(writer: &mut ByteWriter, edits: &[SuffixEdit], rules: &[(u32, u32)]) {
    writer.count(edits.len());
    for edit in edits {
        writer.count(edit.cut);
        writer.string(&edit.append);
    }
    index::write_keys(writer, rules.iter().map(|rule| rule.0));
    for rule in rules {
        writer.number(u64::from(rule.1));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::labels::Upos;

    const PAST: Tag = Tag { upos: Upos::Verb, xpos: "VBD" };

    #[test]
    fn an_edit_leads_from_form_to_lemma() {
        for (form, lemma) in [("walked", "walk"), ("went", "go"), ("Chileans", "Chilean"), ("'s", "be")] {
            assert_eq!(SuffixEdit::between(form, lemma).apply(form.to_owned()).as_deref(), Some(lemma));
        }
        assert_eq!(SuffixEdit { cut: 3, append: String::new() }.apply("ab".to_owned()), None);
    }

    #[test]
    fn the_longest_known_ending_decides() {
        let edits = [
            SuffixEdit::between("walked", "walk"),
            SuffixEdit::between("used", "use"),
            SuffixEdit::between("went", "go"),
        ];
        let rule = |ending: &str, place: usize, edit| (keys(ending, PAST, RuleKind::Ending)[place].unwrap(), edit);
        // Places count from the whole word down: 5 is an ending of two, 4 of three.
        let mut rules = [rule("ed", 5, 0), rule("sed", 4, 1), rule("went", 0, 2)];
        rules.sort_unstable();
        let mut writer = ByteWriter::default();
        write(&mut writer, &edits, &rules);
        let bytes = writer.finish();
        let lemmatizer = Lemmatizer::read(&mut ByteReader::new(&bytes)).unwrap();
        assert_eq!(lemmatizer.lemma("Talked", PAST), "talk");
        assert_eq!(lemmatizer.lemma("closed", PAST), "close");
        assert_eq!(lemmatizer.lemma("went", PAST), "go");
        assert_eq!(lemmatizer.lemma("Brought", PAST), "brought");
    }
}
