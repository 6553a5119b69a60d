//! What the embedded table was asked lately. Texts ask about the same words again and again, and an answer takes
//! microseconds to take apart, so each thread keeps some thousand of them.

use std::cell::RefCell;

use rustc_hash::FxHashMap;

use super::{PartOfSpeech, WordNet};

/// Answers that are kept to a question; when there are more, all of them go.
const KEPT: usize = 4_096;

/// Words of more bytes are no entries worth their memory.
const LONGEST: usize = 64;

/// What is asked about a word.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Question {
    BaseForms(PartOfSpeech),
    Antonyms,
    DerivedWords,
}

type Answers = FxHashMap<Box<str>, Box<[String]>>;

thread_local! {
    static ANSWERS: RefCell<FxHashMap<Question, Answers>> = RefCell::default();
}

/// The answer of `wordnet` to a question about a word, computed only if it is not known from before.
pub(super) fn answer(
    wordnet: &WordNet,
    question: Question,
    word: &str,
    compute: impl FnOnce() -> Vec<String>,
) -> Vec<String> {
    if word.len() > LONGEST || !std::ptr::eq(wordnet, WordNet::embedded()) {
        return compute();
    }
    let known = ANSWERS.with_borrow(|answers| answers.get(&question)?.get(word).map(|answer| answer.to_vec()));
    known.unwrap_or_else(|| {
        let answer = compute();
        ANSWERS.with_borrow_mut(|answers| {
            let answers = answers.entry(question).or_default();
            if answers.len() >= KEPT {
                answers.clear();
            }
            answers.insert(word.into(), answer.clone().into_boxed_slice());
        });
        answer
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_known_answer_is_the_computed_one() {
        let wordnet = WordNet::embedded();
        let copy = wordnet.clone();
        for word in ["hotter", "increased", "leaves", "geese", "Quickly", "xyzzyq", ""] {
            for _ in 0..2 {
                assert_eq!(wordnet.antonyms(word), copy.antonyms(word), "{word}");
                assert_eq!(wordnet.derived_words(word), copy.derived_words(word), "{word}");
                for part in PartOfSpeech::ALL {
                    assert_eq!(wordnet.base_forms(word, part), copy.base_forms(word, part), "{word}");
                }
            }
        }
    }

    #[test]
    fn no_more_answers_are_kept_than_stated() {
        for number in 0..=KEPT {
            WordNet::embedded().antonyms(&format!("word{number}"));
        }
        let count = ANSWERS.with_borrow(|answers| answers[&Question::Antonyms].len());
        assert!((1..=KEPT).contains(&count), "{count}");
    }
}
