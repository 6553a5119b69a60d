//! What a question asks for, as far as the words of the question tell.

use std::cell::OnceCell;

use probare_nlp::lexicon::Opposites;
use probare_nlp::reading::denial;
use probare_text::porter::stem;
use probare_text::wordnet::{PartOfSpeech, WordNet};

use super::lexicon::{is_function_word, is_title};
use super::words::{AnswerWord, Gap, words};

/// The sort of answer that is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Asked {
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
pub(crate) struct Question {
    /// The text.
    pub text: String,
    /// Its words.
    pub words: Vec<AnswerWord>,
    /// What it asks for.
    pub asked: Asked,
    opposites: OnceCell<Opposites>,
}

impl Question {
    /// Reads a question; an empty text asks for anything.
    pub fn new(text: &str) -> Self {
        let words = words(text);
        let asked = asked(&words);
        Self { text: text.to_owned(), words, asked, opposites: OnceCell::new() }
    }

    /// What says the opposite of its words.
    pub fn opposites(&self) -> &Opposites {
        self.opposites.get_or_init(|| {
            let words: Vec<&str> = self.words.iter().map(|word| word.text.as_str()).collect();
            Opposites::of(&words)
        })
    }

    /// Whether it asks for what is so now: `Who is …`, `Who runs …`, not `Who was the first …`.
    pub fn is_about_the_present(&self) -> bool {
        let is_past = self.has_any(&["was", "were", "did", "had", "until", "till", "first", "ever"])
            || self.holds_pair("used", "to")
            || self.has_any(&["former", "formerly", "ex", "old", "original", "originally", "previous", "earlier"]);
        let verb = |word: &AnswerWord| {
            word.text.ends_with('s') && !WordNet::embedded().base_forms(&word.text, PartOfSpeech::Verb).is_empty()
        };
        let who = self.words.iter().position(|word| word.text == "who");
        let is_present = self.has_any(&["is", "are", "does", "do", "has", "have"])
            || who.and_then(|who| self.words.get(who + 1)).is_some_and(verb);
        is_present && !is_past
    }

    /// Whether the question holds this content word, in any form.
    pub fn holds(&self, word: &AnswerWord) -> bool {
        let wanted = word.text.as_str();
        let mut wanted_stem = None;
        self.words.iter().filter(|known| is_content(known)).any(|known| {
            let known = known.text.as_str();
            // Words of one stem begin alike; most pairs do not, and need no stems.
            let shares = known.bytes().zip(wanted.bytes()).take_while(|(mine, theirs)| mine == theirs).count();
            known == wanted || (shares >= 2 && *wanted_stem.get_or_insert_with(|| stem(wanted)) == stem(known))
        })
    }

    /// Whether any of these folded words stands in it.
    pub fn has_any(&self, wanted: &[&str]) -> bool {
        self.words.iter().any(|word| wanted.contains(&word.text.as_str()))
    }

    /// Whether it asks for what is not so.
    pub fn is_negative(&self) -> bool {
        let word = |at: usize| self.words.get(at).map_or("", |word| word.text.as_str());
        (0..self.words.len()).any(|at| denial(|ahead| word(at + ahead)).is_some())
    }

    /// Whether these two words stand side by side in it.
    pub fn holds_pair(&self, first: &str, second: &str) -> bool {
        self.words.windows(2).any(|pair| pair[0].text == first && pair[1].text == second)
    }

    /// The noun whose number is asked for, as a stem: `symphoni` in "how many symphonies did he write".
    pub fn counted(&self) -> Option<String> {
        let many = self.words.windows(2).position(|pair| pair[0].text == "how" && pair[1].text == "many")?;
        let after = self.words.iter().skip(many + 2);
        let noun = after.take_while(|word| is_content(word) && word.gap <= Gap::Space).take(3).last()?;
        Some(stem(&noun.text))
    }

    /// Whether more than one thing is asked for.
    pub fn asks_for_several(&self) -> bool {
        const SEVERAL: [&str; 16] = [
            "two",
            "three",
            "four",
            "five",
            "six",
            "seven",
            "names",
            "members",
            "countries",
            "states",
            "are",
            "were",
            "name",
            "list",
            "types",
            "both",
        ];
        self.has_any(&SEVERAL)
    }

    /// The verb of [`subject_verb`](Self::subject_verb) in all its forms.
    pub fn subject_verb_forms(&self) -> Option<Verb> {
        let who = self.words.iter().position(|word| word.text == "who")?;
        let verb = self.words.get(who + 1).filter(|word| is_content(word))?;
        let bases = WordNet::embedded().base_forms(&verb.text, PartOfSpeech::Verb);
        let first = *verb.text.as_bytes().first()?;
        (!bases.is_empty()).then(|| Verb { stem: stem(&verb.text), first, bases })
    }

    /// The verb whose subject is asked for: `killed` in "who killed Hector", `bought` in "which airline bought Northjet".
    pub fn agent_verb(&self) -> Option<&str> {
        let who = self.words.iter().position(|word| matches!(word.text.as_str(), "who" | "which" | "what"))?;
        let is_noun_first = self.words[who].text != "who";
        let mut behind = self.words.iter().skip(who + 1 + usize::from(is_noun_first));
        if !is_noun_first {
            return behind.next().filter(|word| is_content(word)).map(|word| word.text.as_str());
        }
        let behind = behind.take(3).take_while(|word| is_content(word));
        let is_verb = |word: &&AnswerWord| {
            let bases = WordNet::embedded().base_forms(&word.text, PartOfSpeech::Verb);
            !word.is_capitalised && bases.first().is_some_and(|base| *base != word.text)
        };
        behind.into_iter().find(is_verb).map(|word| word.text.as_str())
    }

    /// The verb right behind the question word, as a stem, where the subject is asked for: `wrote` in "who wrote it".
    pub fn subject_verb(&self) -> Option<String> {
        let who = self.words.iter().position(|word| matches!(word.text.as_str(), "who" | "which" | "what"))?;
        let verb = self.words.get(who + 1).filter(|word| self.words[who].text == "who" && is_content(word))?;
        Some(stem(&verb.text))
    }
}

/// A verb in all its forms.
#[derive(Debug)]
pub(crate) struct Verb {
    stem: String,
    first: u8,
    bases: Vec<String>,
}

impl Verb {
    /// Whether a folded word is a form of the verb: `written` of `wrote`.
    pub fn is_form(&self, word: &str) -> bool {
        word.as_bytes().first() == Some(&self.first)
            && (stem(word) == self.stem
                || WordNet::embedded()
                    .base_forms(word, PartOfSpeech::Verb)
                    .first()
                    .is_some_and(|base| self.bases.first() == Some(base)))
    }
}

/// Whether a word has content of its own. `US` and `IT` in capitals have.
pub(crate) fn is_content(word: &AnswerWord) -> bool {
    !is_function_word(&word.text) || (word.is_upper && word.text.len() == 2)
}

fn asked(words: &[AnswerWord]) -> Asked {
    const VERBS: [&str; 22] = [
        "is", "are", "was", "were", "do", "does", "did", "can", "could", "has", "have", "had", "will", "would",
        "should", "isnt", "arent", "wasnt", "doesnt", "didnt", "may", "must",
    ];
    const TIMES: [&str; 6] = ["year", "years", "decade", "century", "month", "time"];
    const SIZES: [&str; 18] = [
        "many", "much", "long", "tall", "far", "old", "deep", "high", "big", "large", "fast", "heavy", "often", "wide",
        "hot", "cold", "thick", "number",
    ];
    const NUMBERS: [&str; 12] = [
        "percent",
        "percentage",
        "population",
        "number",
        "distance",
        "length",
        "height",
        "temperature",
        "share",
        "speed",
        "rate",
        "cost",
    ];
    let text = |at: usize| words.get(at).map_or("", |word| word.text.as_str());
    if VERBS.contains(&text(0)) && !(0..words.len()).any(|at| text(at) == "or") {
        return Asked::YesOrNo;
    }
    for at in 0..words.len() {
        probare_cancellation::steps(1);
        match text(at) {
            "who" | "whom" | "whose" => return Asked::Person,
            "when" => return Asked::Time { day: false },
            "how" if SIZES.contains(&text(at + 1)) => return Asked::Number,
            "what" | "which" => {
                let asks_person = words.iter().skip(at + 1).any(|word| word.text == "who")
                    || words.iter().skip(at + 1).take(6).any(|word| is_title(&word.text));
                for word in words.iter().skip(at + 1).take(4) {
                    match word.text.as_str() {
                        "date" | "day" => return Asked::Time { day: true },
                        time if TIMES.contains(&time) => return Asked::Time { day: false },
                        number if NUMBERS.contains(&number) => return Asked::Number,
                        _ => {}
                    }
                }
                return if asks_person { Asked::Person } else { Asked::Other };
            }
            _ => {}
        }
    }
    Asked::Other
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_words_tell_what_is_asked() {
        for (text, expected) in [
            ("who got the first nobel prize in physics", Asked::Person),
            ("when did the Titanic sink?", Asked::Time { day: false }),
            ("On what date did the Wall fall?", Asked::Time { day: true }),
            ("in which year was it", Asked::Time { day: false }),
            ("How many moons does Mars have?", Asked::Number),
            ("Is Pluto a planet?", Asked::YesOrNo),
            ("is it a bat or a bird", Asked::Other),
            ("What is the capital of Poland?", Asked::Other),
            ("", Asked::Other),
        ] {
            assert_eq!(Question::new(text).asked, expected, "{text}");
        }
    }

    #[test]
    fn the_counted_noun_and_the_verb_are_found() {
        assert_eq!(Question::new("How many symphonies did he write?").counted().as_deref(), Some("symphoni"));
        assert_eq!(Question::new("How many are there?").counted(), None);
        assert_eq!(Question::new("Who killed Hector?").subject_verb().as_deref(), Some("kill"));
        assert_eq!(Question::new("Who did Brutus kill?").subject_verb(), None);
    }
}
