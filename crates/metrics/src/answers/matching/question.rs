//! What a question asks for, as far as the words of the question tell.

use probare_english::lexicon::Opposites;
use probare_text::porter::stem;

use super::lexicon::{is_function_word, is_number, is_size, is_time, is_title, opens_yes_no_question};
use super::words::{AnswerWord, answer_words};

/// Most content words of a question that answers are compared with.
const MOST_CONTENT: usize = 60;

/// The sort of answer that is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum QuestionKind {
    /// A person, or a group of them.
    Person,
    /// A point in time.
    Time {
        /// Whether the day itself is asked for.
        day: bool,
    },
    /// A number.
    Number,
    /// Yes or no.
    YesOrNo,
    /// Anything else.
    Other,
}

/// A question and the words it is made of.
#[derive(Debug)]
pub(crate) struct OpenQuestion {
    pub text: String,
    pub words: Vec<AnswerWord>,
    /// What it asks for.
    pub kind: QuestionKind,
    /// Its words of content, each with its stem, each once.
    content: Vec<(String, String)>,
    /// What says the opposite of its words.
    pub opposites: Opposites,
}

impl OpenQuestion {
    /// Reads a question; an empty text asks for anything.
    pub fn new(text: &str) -> Self {
        let words = answer_words(text);
        let kind = question_kind(&words);
        let mut content: Vec<(String, String)> = Vec::new();
        for word in words.iter().filter(|word| is_content(word)).take(MOST_CONTENT) {
            probare_cancellation::count_steps(1);
            let known = stem(&word.text);
            if !content.iter().any(|(_, stem)| *stem == known) {
                content.push((word.text.clone(), known));
            }
        }
        let first: Vec<&str> = words.iter().take(MOST_CONTENT).map(|word| word.text.as_str()).collect();
        let opposites = Opposites::from_words(&first);
        Self { text: text.to_owned(), words, kind, content, opposites }
    }

    /// Whether the question holds this content word, in any form.
    pub fn contains_word(&self, word: &AnswerWord) -> bool {
        self.content_index(&word.text).is_some()
    }

    /// Which of its content words a word is, in any form.
    fn content_index(&self, word: &str) -> Option<usize> {
        let mut wanted_stem = None;
        self.content.iter().position(|(known, known_stem)| {
            // Words of one stem begin alike; most pairs do not, and need no stems.
            let shares = known.bytes().zip(word.bytes()).take_while(|(mine, theirs)| mine == theirs).count();
            known == word || (shares >= 2 && wanted_stem.get_or_insert_with(|| stem(word)) == known_stem)
        })
    }

    /// The share of its content words that are among these; 1 where it has none.
    pub fn coverage<'w>(&self, words: impl Iterator<Item = &'w str>) -> f64 {
        let mut covered = vec![false; self.content.len()];
        for word in words {
            if let Some(at) = self.content_index(word) {
                covered[at] = true;
            }
        }
        let count = covered.iter().filter(|covered| **covered).count();
        if covered.is_empty() { 1.0 } else { count as f64 / covered.len() as f64 }
    }

    /// Whether any of these folded words stands in it.
    pub fn has_any(&self, forms: &[&str]) -> bool {
        self.words.iter().any(|word| forms.contains(&word.text.as_str()))
    }

    /// Whether these two words stand side by side in it.
    pub fn contains_pair(&self, first: &str, second: &str) -> bool {
        self.words.windows(2).any(|pair| pair[0].text == first && pair[1].text == second)
    }
}

/// Whether a word has content of its own. `US` and `IT` in capitals have.
pub(crate) fn is_content(word: &AnswerWord) -> bool {
    !is_function_word(&word.text) || (word.is_upper && word.text.len() == 2)
}

fn question_kind(words: &[AnswerWord]) -> QuestionKind {
    let text = |at: usize| words.get(at).map_or("", |word| word.text.as_str());
    if opens_yes_no_question(text(0)) && !(0..words.len()).any(|at| text(at) == "or") {
        return QuestionKind::YesOrNo;
    }
    for at in 0..words.len() {
        probare_cancellation::count_steps(1);
        match text(at) {
            "who" | "whom" | "whose" => return QuestionKind::Person,
            "when" => return QuestionKind::Time { day: false },
            "how" if is_size(text(at + 1)) => return QuestionKind::Number,
            "what" | "which" => {
                let asks_person = words.iter().skip(at + 1).any(|word| word.text == "who")
                    || words.iter().skip(at + 1).take(6).any(|word| is_title(&word.text));
                for word in words.iter().skip(at + 1).take(4) {
                    match word.text.as_str() {
                        "date" | "day" => return QuestionKind::Time { day: true },
                        time if is_time(time) => return QuestionKind::Time { day: false },
                        number if is_number(number) => return QuestionKind::Number,
                        _ => {}
                    }
                }
                return if asks_person { QuestionKind::Person } else { QuestionKind::Other };
            }
            _ => {}
        }
    }
    QuestionKind::Other
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_words_tell_what_is_asked() {
        for (text, expected) in [
            ("who got the first nobel prize in physics", QuestionKind::Person),
            ("when did the Titanic sink?", QuestionKind::Time { day: false }),
            ("On what date did the Wall fall?", QuestionKind::Time { day: true }),
            ("in which year was it", QuestionKind::Time { day: false }),
            ("How many moons does Mars have?", QuestionKind::Number),
            ("Is Pluto a planet?", QuestionKind::YesOrNo),
            ("is it a bat or a bird", QuestionKind::Other),
            ("What is the capital of Poland?", QuestionKind::Other),
            ("", QuestionKind::Other),
        ] {
            assert_eq!(OpenQuestion::new(text).kind, expected, "{text}");
        }
    }
}
