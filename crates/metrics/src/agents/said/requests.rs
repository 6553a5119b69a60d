//! What a text asks its reader for: "What is your order number?", "Could you give me your name and your email?", "How many people?".

use std::ops::Range;

use probare_nlp::lexicon::{self, Sort};
use probare_nlp::reading::{Reading, Sentence};
use probare_text::wordnet::{Category, PartOfSpeech, WordNet};

use super::vocabulary::{is_related, slot};

/// Something that is asked for: its noun, under the first name that the lexicon has for it, and the words before it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in super::super) struct Wanted {
    /// `name`, `email`, `date`, `identifier`, or the noun itself.
    pub what: String,
    /// Of what: of "your order number" the order.
    pub of: Vec<String>,
}

impl Wanted {
    fn new(words: &[&str]) -> Option<Self> {
        let (head, before) = words.split_last()?;
        let known = |wanted: &str| words.iter().any(|word| slot(word) == Some(wanted));
        let what = if known("email") {
            "email"
        } else if known("phone") {
            "phone"
        } else if known("birth") {
            "birth"
        } else {
            slot(head).unwrap_or(head)
        };
        let of =
            before.iter().filter(|word| slot(word).is_none_or(|known| known != what)).map(|word| (*word).to_owned());
        Some(Self { what: what.to_owned(), of: of.collect() })
    }

    fn plain(what: &str) -> Self {
        Self { what: what.to_owned(), of: Vec::new() }
    }

    /// Whether two ask for the same thing.
    pub fn is_same(&self, other: &Self) -> bool {
        is_related(&self.what, &other.what)
            && (self.of.is_empty()
                || other.of.is_empty()
                || self.of.iter().any(|one| other.of.iter().any(|known| is_related(one, known))))
    }
}

/// A sentence that asks for something.
#[derive(Debug, Clone)]
pub(in super::super) struct Request {
    /// Its tokens.
    pub tokens: Range<usize>,
    pub wanted: Vec<Wanted>,
    /// Whether it asks about somebody else, or for another one than the one that was spoken of.
    pub is_other: bool,
    /// The verb that it asks with, where that is more than a wish: of "when would you like to fly" the flying.
    pub verb: Option<String>,
}

/// The requests of a text, in order.
pub(in super::super) fn requests(reading: &Reading) -> Vec<Request> {
    reading.sentences.iter().filter_map(|sentence| request(reading, sentence)).collect()
}

fn request(reading: &Reading, sentence: &Sentence) -> Option<Request> {
    let mut wanted: Vec<Wanted> = Vec::new();
    let words: Vec<&str> = sentence.tokens.clone().map(|token| reading.word(token)).collect();
    let word = |at: usize| words.get(at).copied().unwrap_or_default();
    let is_question = sentence.is_question();
    let mut is_of_other = false;
    let mut first = None;
    for at in 0..words.len() {
        probare_cancellation::steps(1);
        let before = wanted.len();
        match word(at) {
            "what" | "which" | "what's" if is_question => {
                let mut from = at + 1;
                while matches!(word(from), "is" | "are" | "was" | "would" | "be" | "will" | "were") {
                    from += 1;
                }
                // "What is the most that you would spend?" asks for something else than a thing of a name.
                phrase(&words, from, &mut wanted, &mut is_of_other);
            }
            "how" if is_question => match word(at + 1) {
                "many" => phrase(&words, at + 2, &mut wanted, &mut is_of_other),
                "much" => {
                    let spends = words.iter().any(|word| matches!(*word, "spend" | "pay" | "budget" | "afford"));
                    if spends {
                        wanted.push(Wanted::plain("amount"));
                    } else {
                        phrase(&words, at + 2, &mut wanted, &mut is_of_other);
                    }
                }
                "old" | "tall" | "heavy" => {
                    let what = match word(at + 1) {
                        "old" => "age",
                        "tall" => "height",
                        _ => "weight",
                    };
                    wanted.push(Wanted::plain(slot(what).unwrap_or(what)));
                    is_of_other |= !matches!(word(at + 3), "you");
                }
                _ => {}
            },
            "when" if is_question && at < 3 => wanted.push(Wanted::plain("date")),
            "where" if is_question && at < 3 => wanted.push(Wanted::plain(slot("place").unwrap_or("place"))),
            "any" if is_question && word(at.wrapping_sub(1)) == "have" && word(at.wrapping_sub(2)) == "you" => {
                phrase(&words, at + 1, &mut wanted, &mut is_of_other);
            }
            "have" | "get" | "know" if is_question && matches!(word(at.wrapping_sub(1)), "i" | "we") => {
                phrase(&words, at + 1, &mut wanted, &mut is_of_other);
            }
            "need"
                if is_owned(word(at + 1))
                    && matches!(
                        word(at.wrapping_sub(1)),
                        "i" | "we" | "i'll" | "we'll" | "will" | "also" | "still" | "would"
                    ) =>
            {
                phrase(&words, at + 1, &mut wanted, &mut is_of_other);
            }
            "know"
                if is_owned(word(at + 1)) && word(at.wrapping_sub(1)) == "me" && word(at.wrapping_sub(2)) == "let" =>
            {
                phrase(&words, at + 1, &mut wanted, &mut is_of_other);
            }
            _ if reading.is_sort(sentence.tokens.start + at, Sort::Giving) && is_begged(&words, at) => {
                let from = at + 1 + usize::from(matches!(word(at + 1), "me" | "us"));
                if is_owned(word(from)) {
                    phrase(&words, from, &mut wanted, &mut is_of_other);
                }
            }
            _ => {}
        }
        if wanted.len() > before {
            first.get_or_insert(at);
        }
    }
    let first = first?;
    let is_another = (0..words.len()).any(|at| reading.is_sort(sentence.tokens.start + at, Sort::Another))
        || words.windows(2).any(|pair| matches!(pair, ["other", "than"] | ["as", "well"]));
    let of_others = words.iter().any(|word| matches!(*word, "his" | "her" | "their" | "its" | "he" | "she" | "they"))
        || words.iter().enumerate().any(|(at, word)| word.ends_with("'s") && at > 0 && is_possessive(word));
    // "When would you like to fly" asks for the day of what is being spoken of.
    let is_wish = words.iter().any(|word| matches!(*word, "like" | "want" | "prefer" | "wish"));
    let telling = (first..words.len()).map(word).find(|word| is_telling_verb(word));
    let verb = telling.filter(|_| !is_wish).map(str::to_owned);
    let tokens = sentence.tokens.clone();
    Some(Request { tokens, wanted, is_other: is_of_other || is_another || of_others, verb })
}

fn is_owned(word: &str) -> bool {
    matches!(word, "your" | "the" | "a" | "an" | "some" | "both")
}

fn is_possessive(word: &str) -> bool {
    !matches!(
        word,
        "what's" | "it's" | "that's" | "let's" | "here's" | "there's" | "who's" | "where's" | "when's" | "how's"
    )
}

/// Whether a verb of giving is addressed to the reader: "please send", "could you tell me".
fn is_begged(words: &[&str], at: usize) -> bool {
    let back = |steps: usize| at.checked_sub(steps).map_or("", |at| words[at]);
    back(1) == "please"
        || matches!(back(1), "you" | "kindly") && matches!(back(2), "could" | "can" | "would" | "will" | "may" | "")
        || back(1) == "please" && back(2) == "you"
        || back(1) == "to" && matches!(back(2), "you" | "like" | "need")
        || at == 0
}

/// A verb that tells what is asked about, rather than that something is wished.
fn is_telling_verb(word: &str) -> bool {
    const WISHES: [&str; 22] = [
        "like", "want", "need", "prefer", "wish", "have", "be", "do", "is", "are", "would", "should", "will", "can",
        "could", "please", "may", "know", "get", "let", "many", "much",
    ];
    let wordnet = WordNet::embedded();
    let has = |part| !wordnet.base_forms(word, part).is_empty();
    !WISHES.contains(&word)
        && !lexicon::sorts(word).has(Sort::Function)
        && slot(word).is_none()
        && has(PartOfSpeech::Verb)
        && (!has(PartOfSpeech::Noun)
            || matches!(word, "fly" | "travel" | "stay" | "live" | "arrive" | "leave" | "drive"))
}

/// Reads the nouns from a place on: "your name and your email address".
fn phrase(words: &[&str], from: usize, wanted: &mut Vec<Wanted>, is_of_other: &mut bool) {
    let mut at = from;
    loop {
        while words.get(at).is_some_and(|word| {
            is_owned(word)
                || matches!(
                    *word,
                    "my" | "our" | "exact" | "full" | "current" | "correct" | "preferred" | "of" | "kind" | "sort"
                )
        }) {
            at += 1;
        }
        let start = at;
        while words.get(at).is_some_and(|word| is_noun_like(word)) {
            at += 1;
        }
        let mut nouns: Vec<&str> = words[start..at].to_vec();
        // "How old is your wife" and "your wife's name" ask about somebody else.
        *is_of_other |= nouns.iter().any(|noun| is_person(noun));
        // "The number of your order", "version of the app".
        if words.get(at) == Some(&"of") {
            let mut further = at + 1;
            while words.get(further).is_some_and(|word| is_owned(word) || *word == "my") {
                further += 1;
            }
            let end = (further..words.len()).find(|end| !is_noun_like(words[*end])).unwrap_or(words.len());
            let head = nouns.pop();
            nouns.extend(&words[further..end]);
            nouns.extend(head);
            at = end.max(at);
        }
        wanted.extend(Wanted::new(&nouns));
        let joins = match words.get(at) {
            Some(&",") if words.get(at + 1) == Some(&"and") => 2,
            Some(&("and" | ",")) => 1,
            _ => 0,
        };
        let is_next =
            words.get(at + joins).is_some_and(|word| is_owned(word) || is_noun_like(word) && slot(word).is_some());
        if nouns.is_empty() || joins == 0 || !is_next || at >= words.len() {
            return;
        }
        at += joins;
    }
}

/// Whether a word may be part of the name of a thing: no word of grammar, no verb alone.
fn is_noun_like(word: &str) -> bool {
    if !word.starts_with(char::is_alphabetic) || slot(word).is_some() && !matches!(word, "when" | "where" | "no") {
        return word.starts_with(char::is_alphabetic);
    }
    let wordnet = WordNet::embedded();
    let has = |part| !wordnet.base_forms(word, part).is_empty();
    let is_known = !wordnet.parts_of_speech(word).is_empty();
    !lexicon::sorts(word).has(Sort::Function)
        && !matches!(word, "please" | "exactly" | "like" | "using" | "going" | "once")
        && (!is_known || has(PartOfSpeech::Noun) || has(PartOfSpeech::Adjective) && !has(PartOfSpeech::Adverb))
}

/// Whether a noun names somebody: a wife, a sister, a doctor.
fn is_person(noun: &str) -> bool {
    let wordnet = WordNet::embedded();
    let senses = wordnet.synsets(noun, PartOfSpeech::Noun);
    slot(noun).is_none()
        && senses.first().is_some_and(|sense| wordnet.category(*sense) == Category::from_name("noun.person"))
        && !matches!(noun, "customer" | "user" | "member" | "passenger" | "patient" | "client" | "employee" | "guest")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked(text: &str) -> Vec<(String, Vec<String>, bool)> {
        requests(&Reading::of(text))
            .into_iter()
            .flat_map(|request| {
                request.wanted.into_iter().map(move |wanted| (wanted.what, wanted.of, request.is_other))
            })
            .collect()
    }

    fn one(what: &str, of: &[&str]) -> Vec<(String, Vec<String>, bool)> {
        vec![(what.to_owned(), of.iter().map(|word| (*word).to_owned()).collect(), false)]
    }

    #[test]
    fn requests_name_what_they_want() {
        assert_eq!(asked("Sure. Could you give me your order number?"), one("identifier", &["order"]));
        assert_eq!(asked("What is your customer ID?"), one("identifier", &["customer"]));
        assert_eq!(asked("May I have your name, please?"), one("name", &[]));
        assert_eq!(asked("How old are you?"), one("age", &[]));
        assert_eq!(asked("For how many people should the table be?"), one("people", &[]));
        assert_eq!(asked("Which gate does your flight leave from?"), one("gate", &[]));
        assert_eq!(asked("How much would you like to spend?"), one("amount", &[]));
        assert_eq!(asked("Which version of the app are you using?"), one("version", &["app"]));
        assert_eq!(asked("Please send me your email address.")[0].0, "email");
        assert_eq!(asked("Do you have any allergies?")[0].0, "allergies");
        assert_eq!(asked("Could you tell me your name and your phone number?").len(), 2);
    }

    #[test]
    fn other_owners_and_other_things_are_told_apart() {
        for text in [
            "How old is your sister?",
            "When would you like to fly back?",
            "Could I have another phone number?",
            "Do you have any allergies besides penicillin?",
            "What is its exact name?",
        ] {
            assert!(asked(text).iter().all(|(_, _, is_other)| *is_other), "{text}");
        }
        assert!(asked("I sent you the file.").is_empty() && asked("That is what I need.").is_empty());
    }
}
