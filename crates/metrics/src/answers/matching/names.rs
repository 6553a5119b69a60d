//! Names of people: surname alone, initials, dropped and added middle names, titles; and when it is somebody else.

use probare_text::wordnet::{PartOfSpeech, WordNet};

use super::answer::{AnswerText, MOST_WORDS, MatchMethod, Occurrence};
use super::lexicon::{is_class_noun, is_function_word, is_particle, is_title};
use super::numerals::numeral_value;
use super::phrase::ReferencePhrase;
use super::question::{OpenQuestion, is_content};
use super::word_relation::{ReferenceWord, WordRelation, are_first_names_alike};
use super::words::{AnswerWord, WordGap};

/// A person's name, by the words that count.
#[derive(Debug)]
pub(crate) struct PersonName<'a> {
    first: Vec<&'a AnswerWord>,
    last: &'a AnswerWord,
    /// Whether a small word such as `from_phrase` stands inside, as in titles of works.
    has_function_word: bool,
}

/// What a name in the answer says about the name that was looked for.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum NameMatch {
    /// The same person.
    Same(Occurrence),
    /// Somebody else of that surname.
    Another(Occurrence),
}

impl<'a> PersonName<'a> {
    /// The name that a phrase is: two to five capitalised words, none of them a number or a class of things.
    pub fn from_phrase(phrase: &'a ReferencePhrase) -> Option<Self> {
        let is_name = |word: &&AnswerWord| {
            word.is_capitalised
                && numeral_value(word).is_none_or(|_| word.text.len() == 1)
                && !is_class_noun(&word.text)
        };
        let words: Vec<&AnswerWord> = phrase
            .words
            .iter()
            .filter(|word| !word.is_bracketed && (word.is_capitalised || is_content(word)))
            .filter(|word| !is_particle(&word.text) && !is_name_suffix(&word.text))
            .collect();
        // `Geneva, Switzerland` is a place; only a suffix may stand behind a comma.
        let has_comma =
            phrase.words.iter().skip(1).any(|word| word.gap >= WordGap::Comma && !is_name_suffix(&word.text));
        if has_comma
            || !(1..=5).contains(&words.len())
            || !words.iter().all(is_name)
            || phrase.words.iter().any(|word| word.text == "and")
        {
            return None;
        }
        let (last, first) = words.split_last()?;
        let first: Vec<&AnswerWord> = first.iter().copied().filter(|word| !is_title(&word.text)).collect();
        let has_function_word = phrase.words.iter().skip(1).any(|word| is_function_word(&word.text));
        Some(Self { first, last, has_function_word })
    }

    /// Whether there is a first name.
    pub fn has_first(&self) -> bool {
        !self.first.is_empty()
    }

    /// Whether the words are names of a person rather than words of the language: none of them is an adjective.
    pub fn is_personal(&self) -> bool {
        let wordnet = WordNet::embedded();
        let is_plain = |word: &&AnswerWord| wordnet.synsets(&word.text, PartOfSpeech::Adjective).is_empty();
        !self.has_function_word
            && self.first.len() <= 2
            && self.first.iter().all(is_plain)
            && is_plain(&self.last)
            && self.last.text.len() > 3
    }

    /// All places where the surname stands, each with who it is.
    pub fn name_matches(&self, answer: &AnswerText<'_>, question: &OpenQuestion) -> Vec<NameMatch> {
        let surname = ReferenceWord::new(self.last);
        let mut found = Vec::new();
        for (at, word) in answer.words.iter().enumerate().take(MOST_WORDS) {
            probare_cancellation::count_steps(1);
            let likeness = surname.surface_relation(word).filter(|likeness| *likeness <= WordRelation::Spelling);
            let Some(likeness) = likeness.filter(|likeness| word.is_capitalised || *likeness == WordRelation::Same)
            else {
                continue;
            };
            if let Some(found_name) = self.match_at(answer, question, at, likeness) {
                found.push(found_name);
            }
        }
        found
    }

    /// Who the surname at `at` belongs to.
    fn match_at(
        &self,
        answer: &AnswerText<'_>,
        question: &OpenQuestion,
        at: usize,
        likeness: WordRelation,
    ) -> Option<NameMatch> {
        let start = run_start(answer, at);
        let before = &answer.words[start..at];
        let is_followed = answer.words.get(at + 1).is_some_and(|next| {
            next.gap <= WordGap::Space
                && next.is_name_like()
                && !question.contains_word(next)
                && numeral_value(next).is_none()
        });
        let alike = |mine: &&AnswerWord| before.iter().any(|theirs| are_first_names_alike(mine, theirs));
        let met = self.first.iter().filter(|mine| alike(mine)).count();
        let (words, whole) = (start..at + 1, self.first.len() + 1);
        let coverage = (met + 1) as f64 / whole as f64;
        let way = match (met == self.first.len(), likeness) {
            (true, likeness) if likeness != WordRelation::Same => MatchMethod::Words(likeness),
            _ => MatchMethod::PartOfName,
        };
        let occurrence = Occurrence { words, method: way, coverage };
        let given = before.iter().find(|word| is_given_name(word));
        // The first given name decides; middle names come and go.
        let first_agrees = match (self.first.first(), given) {
            (Some(mine), Some(theirs)) => {
                are_first_names_alike(mine, theirs)
                    || met == self.first.len()
                    || self.first.iter().any(|mine| mine.text.len() > 2 && mine.text == theirs.text)
            }
            _ => true,
        };
        if !first_agrees {
            return Some(NameMatch::Another(occurrence));
        }
        if is_followed {
            return None;
        }
        Some(NameMatch::Same(occurrence))
    }
}

/// Whether a word stands behind a name without being part of it.
pub(crate) fn is_name_suffix(word: &str) -> bool {
    matches!(word, "jr" | "sr" | "junior" | "senior" | "esq" | "phd" | "md")
}

/// The first word of the run of capitalised words and small name words that ends at `at`.
fn run_start(answer: &AnswerText<'_>, at: usize) -> usize {
    let mut start = at;
    while start > 0 && at - start < 6 && answer.words[start].gap <= WordGap::Space {
        probare_cancellation::count_steps(1);
        let before = &answer.words[start - 1];
        let is_initial = before.text.len() == 1 && before.is_upper;
        if !(before.is_name_like() || is_initial || is_particle(&before.text)) {
            break;
        }
        start -= 1;
    }
    // Small words in front of the run belong to the sentence.
    while start < at && !answer.words[start].is_capitalised {
        probare_cancellation::count_steps(1);
        start += 1;
    }
    start
}

/// Whether a given name stands right before a word.
pub(crate) fn is_preceded_by_given_name(answer: &AnswerText<'_>, at: usize) -> bool {
    let Some(before) = at.checked_sub(1).map(|before| &answer.words[before]) else { return false };
    answer.words[at].gap <= WordGap::Space && before.is_name_like() && is_given_name(before)
}

/// Whether a word in front of a surname is a given name and no title.
fn is_given_name(word: &AnswerWord) -> bool {
    word.is_capitalised && !is_title(&word.text) && !is_particle(&word.text)
}
