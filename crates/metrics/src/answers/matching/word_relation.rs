//! Whether two words stand for the same: equal, inflected, abbreviated, spelled otherwise, of one family, synonymous.

use std::cell::OnceCell;

use probare_text::distance::levenshtein_within;
use probare_text::porter::stem;
use probare_text::wordnet::{PartOfSpeech, WordNet};

use super::lexicon::{LONGEST_ABBREVIATION, full_first_name, is_function_word, long_form};
use super::numerals::numeral_value;
use super::words::AnswerWord;

/// How one word stands for another, closest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum WordRelation {
    /// The same word but for case and accents.
    Same,
    /// The same number, written otherwise.
    Number,
    /// Another form of the same word.
    Inflected,
    /// An abbreviation and its long form.
    Abbreviated,
    /// Another spelling or a slip.
    Spelling,
    /// Another word of the family: `France`, `French`.
    Family,
    /// A synonym.
    Synonym,
}

impl WordRelation {
    /// How much it is worth: what is further from the word says less.
    pub const fn confidence(self) -> f64 {
        match self {
            Self::Same => 1.0,
            Self::Number | Self::Inflected | Self::Abbreviated => 0.95,
            Self::Family => 0.9,
            Self::Synonym => 0.85,
            Self::Spelling => 0.6,
        }
    }

    /// How the evidence calls it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Same => "the same words",
            Self::Number => "the same number",
            Self::Inflected => "another form of the word",
            Self::Abbreviated => "an abbreviation",
            Self::Spelling => "another spelling",
            Self::Family => "a word of the same family",
            Self::Synonym => "a synonym in WordNet",
        }
    }
}

/// A word of a gold answer with what comparing it needs, made once and held against every word of the answer.
#[derive(Debug)]
pub(crate) struct ReferenceWord<'a> {
    word: &'a AnswerWord,
    value: Option<u32>,
    stem: String,
    /// Its long form, where it is an abbreviation; else itself.
    long: &'a str,
    has_digit: bool,
    meaning: OnceCell<WordMeanings>,
}

/// A word of an answer with what WordNet knows about it, looked up once for all words that it is held against.
#[derive(Debug)]
pub(crate) struct LookedUpWord<'a> {
    word: &'a AnswerWord,
    /// Whether it can stand for another by what WordNet knows.
    is_eligible: bool,
    /// Its first base form as a noun.
    base: OnceCell<Option<String>>,
    /// Words derived from it.
    derived: OnceCell<Vec<String>>,
    stem: OnceCell<String>,
}

impl<'a> LookedUpWord<'a> {
    /// Nothing is looked up before it is asked for.
    pub fn new(word: &'a AnswerWord) -> Self {
        let text = word.text.as_str();
        let is_eligible = text.len() >= 3 && !has_digit(text) && !is_function_word(text);
        Self { word, is_eligible, base: OnceCell::new(), derived: OnceCell::new(), stem: OnceCell::new() }
    }

    fn base(&self) -> Option<&str> {
        let look_up = || WordNet::embedded().base_forms(&self.word.text, PartOfSpeech::Noun).into_iter().next();
        self.base.get_or_init(look_up).as_deref()
    }

    fn derived(&self) -> &[String] {
        self.derived.get_or_init(|| WordNet::embedded().derived_words(&self.word.text))
    }

    fn stem(&self) -> &str {
        self.stem.get_or_init(|| stem(&self.word.text))
    }
}

/// What WordNet knows about a word.
#[derive(Debug, Default)]
struct WordMeanings {
    /// Base forms as a noun.
    bases: Vec<String>,
    /// Words of its family.
    family: Vec<String>,
    /// Single-word synonyms, of common words only: names have aliases as a whole.
    synonyms: Vec<String>,
}

impl<'a> ReferenceWord<'a> {
    /// Prepares a word.
    pub fn new(word: &'a AnswerWord) -> Self {
        Self {
            word,
            value: numeral_value(word),
            stem: stem(&word.text),
            long: long_form(&word.text),
            has_digit: has_digit(&word.text),
            meaning: OnceCell::new(),
        }
    }

    /// How `other`, a word of the answer, stands for this one by its form.
    pub fn surface_relation(&self, other: &AnswerWord) -> Option<WordRelation> {
        let (mine, theirs) = (self.word.text.as_str(), other.text.as_str());
        if mine == theirs {
            return Some(WordRelation::Same);
        }
        if self.value.is_some() && self.value == numeral_value(other) {
            return Some(WordRelation::Number);
        }
        if self.has_digit || has_digit(theirs) {
            return None;
        }
        // What is longer is no abbreviation, and its own long form.
        if theirs == self.long || theirs.len() <= LONGEST_ABBREVIATION && long_form(theirs) == self.long {
            return Some(WordRelation::Abbreviated);
        }
        let shares = shared_start(mine, theirs);
        if shares >= 3 && mine.len() > 3 && theirs.len() > 3 && self.stem == stem(theirs) {
            return Some(WordRelation::Inflected);
        }
        if shares >= 1 && is_misspelled(mine, theirs) {
            return Some(WordRelation::Spelling);
        }
        None
    }

    /// How `other` stands for this word by what WordNet knows: irregular forms, families, synonyms.
    pub fn lexical_relation(&self, other: &LookedUpWord<'_>) -> Option<WordRelation> {
        let (mine, theirs) = (self.word.text.as_str(), other.word.text.as_str());
        if self.has_digit || !other.is_eligible {
            return None;
        }
        let meaning = self.meaning.get_or_init(|| WordMeanings::for_word(self.word));
        let shares = shared_start(mine, theirs);
        if shares >= 1
            && !meaning.bases.is_empty()
            && mine.len().abs_diff(theirs.len()) <= 3
            && other.base().is_some_and(|base| meaning.bases.first().is_some_and(|mine| mine == base))
        {
            return Some(WordRelation::Inflected);
        }
        let may_be_derived = shares >= 3 || (shares >= 2 && self.word.is_capitalised && other.word.is_capitalised);
        let is_derived = || other.derived().iter().any(|word| word == mine);
        if meaning.family.iter().any(|word| word == theirs) || (may_be_derived && is_derived()) {
            return Some(WordRelation::Family);
        }
        (!meaning.synonyms.is_empty() && meaning.has_synonym(other)).then_some(WordRelation::Synonym)
    }
}

impl WordMeanings {
    fn for_word(word: &AnswerWord) -> Self {
        if word.text.len() < 3 || word.starts_with_digit() {
            return Self::default();
        }
        let wordnet = WordNet::embedded();
        let is_common = !word.is_capitalised;
        let synonyms = if is_common && word.text.len() > 3 { usual_synonyms(&word.text) } else { Vec::new() };
        let bases = if is_common { wordnet.base_forms(&word.text, PartOfSpeech::Noun) } else { Vec::new() };
        Self { bases, family: wordnet.derived_words(&word.text), synonyms }
    }

    fn has_synonym(&self, other: &LookedUpWord<'_>) -> bool {
        let text = other.word.text.as_str();
        let is_form = |synonym: &str| shared_start(synonym, text) >= 3 && other.stem() == stem(synonym);
        self.synonyms.iter().any(|synonym| synonym == text || is_form(synonym))
    }
}

/// Whether two first names may be of one person whose surname is the same: initials, short forms, slips.
pub(crate) fn are_first_names_alike(left: &AnswerWord, right: &AnswerWord) -> bool {
    let (mine, theirs) = (left.text.as_str(), right.text.as_str());
    let is_initial = |short: &str, long: &str| short.len() == 1 && long.starts_with(short);
    if mine == theirs || is_initial(mine, theirs) || is_initial(theirs, mine) {
        return true;
    }
    if full_first_name(mine) == full_first_name(theirs) {
        return true;
    }
    let shares = shared_start(mine, theirs);
    let shorter = mine.len().min(theirs.len());
    if shares == 0 {
        return false;
    }
    let is_short_form = shares == shorter && shorter >= 3;
    is_short_form || (shorter >= 3 && levenshtein_within(mine, theirs, 1).is_some())
}

/// Single-word synonyms in the most usual meanings; the rare ones do harm.
fn usual_synonyms(word: &str) -> Vec<String> {
    const MEANINGS: usize = 3;
    let wordnet = WordNet::embedded();
    let mut synonyms: Vec<String> = Vec::new();
    for part in PartOfSpeech::ALL {
        for synset in wordnet.synsets(word, part).into_iter().take(MEANINGS) {
            let names = wordnet.words(synset).into_iter().map(|name| name.to_lowercase());
            synonyms.extend(names.filter(|name| name.len() > 3 && !name.contains(' ') && name != word));
        }
    }
    synonyms
}

fn has_digit(word: &str) -> bool {
    word.bytes().any(|byte| byte.is_ascii_digit())
}

/// How many bytes two words have in common from the start.
fn shared_start(left: &str, right: &str) -> usize {
    left.bytes().zip(right.bytes()).take_while(|(mine, theirs)| mine == theirs).count()
}

/// Whether one word is the other with a slip or in another spelling: one letter from five, two from eight.
fn is_misspelled(left: &str, right: &str) -> bool {
    let shorter = left.chars().count().min(right.chars().count());
    let limit = match shorter {
        0..5 => return false,
        5..8 => 1,
        _ => 2,
    };
    left.len().abs_diff(right.len()) <= 2 * limit
        && levenshtein_within(left, right, limit).is_some()
        && !are_different_words(left, right)
}

/// Whether both are words of their own: `Austria` is no slip for `Australia`.
fn are_different_words(left: &str, right: &str) -> bool {
    let wordnet = WordNet::embedded();
    !wordnet.parts_of_speech(left).is_empty()
        && !wordnet.parts_of_speech(right).is_empty()
        && !PartOfSpeech::ALL.into_iter().any(|part| {
            let theirs = wordnet.synsets(right, part);
            wordnet.synsets(left, part).iter().any(|synset| theirs.contains(synset))
        })
}

#[cfg(test)]
mod tests {
    use super::super::words::answer_words;
    use super::*;

    fn likeness(gold: &str, answer: &str) -> Option<WordRelation> {
        let (gold, answer) = (answer_words(gold), answer_words(answer));
        let pattern = ReferenceWord::new(&gold[0]);
        pattern.surface_relation(&answer[0]).or_else(|| pattern.lexical_relation(&LookedUpWord::new(&answer[0])))
    }

    #[test]
    fn words_are_alike_in_many_ways() {
        for (gold, answer, expected) in [
            ("Paris", "PARIS", Some(WordRelation::Same)),
            ("VI", "sixth", Some(WordRelation::Number)),
            ("giraffe", "Giraffes", Some(WordRelation::Inflected)),
            ("Mount", "Mt.", Some(WordRelation::Abbreviated)),
            ("Nietzsche", "Nietsche", Some(WordRelation::Spelling)),
            ("colour", "color", Some(WordRelation::Spelling)),
            ("France", "French", Some(WordRelation::Family)),
            ("writer", "author", Some(WordRelation::Synonym)),
            ("mice", "mouse", Some(WordRelation::Inflected)),
            ("oxen", "oxes", None),
            ("Taylor", "Tyler", None),
            ("Austria", "Australia", None),
            ("Theseus", "Perseus", None),
            ("1989", "1988", None),
            ("Iran", "Iraq", None),
            ("ornithology", "Ornamentology", None),
        ] {
            assert_eq!(likeness(gold, answer), expected, "{gold}, {answer}");
        }
    }

    #[test]
    fn first_names_have_short_forms_and_initials() {
        for (left, right, expected) in [
            ("John", "J.", true),
            ("William", "Bill", true),
            ("Rafael", "Rafa", true),
            ("Steven", "Stephen", true),
            ("Leo", "Lev", true),
            ("Niels", "Harald", false),
            ("William", "Steve", false),
            ("Alexander", "Ian", false),
            ("Jane", "John", false),
        ] {
            let (left, right) = (answer_words(left), answer_words(right));
            assert_eq!(are_first_names_alike(&left[0], &right[0]), expected, "{left:?}, {right:?}");
        }
    }
}
