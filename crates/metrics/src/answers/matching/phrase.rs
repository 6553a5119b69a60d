//! Finding a gold answer that is a phrase: by equal words, by another name, by initials, by alike words close together.

use std::ops::Range;

use probare_text::wordnet::{PartOfSpeech, WordNet};

use super::answer::{AnswerText, MOST_WORDS, MatchMethod, Occurrence};
use super::lexicon::{is_class_noun, is_function_word, is_title};
use super::names::{PersonName, is_name_suffix, is_preceded_by_given_name};
use super::numerals::numeral_value;
use super::question::{OpenQuestion, is_content};
use super::word_relation::{LookedUpWord, ReferenceWord, WordRelation};
use super::words::{AnswerWord, WordGap, answer_words};

/// Most content words of a gold that are looked for one by one.
const MOST_CONTENT: usize = 40;

/// Most words of an answer that are looked up in WordNet for each word of a gold.
const MOST_LOOKED_UP: usize = 150;

/// Most comparisons of words in the search for equal words.
const MOST_COMPARISONS: usize = 300_000;

/// A gold answer that is a phrase.
#[derive(Debug)]
pub(crate) struct ReferencePhrase {
    pub words: Vec<AnswerWord>,
    /// Places of the words that count, and how much each does.
    pub content: Vec<(usize, f64)>,
}

impl ReferencePhrase {
    /// Reads a gold answer; words that the question holds already count less.
    pub fn new(text: &str, question: &OpenQuestion) -> Self {
        let words = answer_words(text);
        let content = weights(&words, question);
        Self { words, content }
    }

    /// The words that count in full.
    pub fn full_weight_words(&self) -> impl Iterator<Item = usize> {
        self.content.iter().filter(|(_, weight)| *weight >= 1.0).map(|(at, _)| *at)
    }

    /// Whether every word that counts is capitalised or a number.
    pub fn is_proper(&self) -> bool {
        self.content.iter().all(|(at, _)| self.words[*at].is_capitalised || self.words[*at].starts_with_digit())
    }

    /// Whether the answer is the phrase, word for word.
    pub fn is_all_of(&self, answer: &AnswerText<'_>) -> bool {
        self.words.iter().map(|word| &word.text).eq(answer.words.iter().map(|word| &word.text))
    }

    /// All places where the phrase stands word for word; articles do not matter, nor does how its parts are joined.
    pub fn exact_occurrences(&self, answer: &AnswerText<'_>) -> Vec<Occurrence> {
        let mut reference_words: Vec<&AnswerWord> = self.words.iter().filter(|word| !is_article(&word.text)).collect();
        // Prepositions around the phrase are no part of what it names: `in the liver`.
        while reference_words.len() > 1 && reference_words.first().is_some_and(|word| is_edge(word)) {
            reference_words.remove(0);
        }
        if reference_words.is_empty() {
            reference_words = self.words.iter().collect();
        }
        let joined = JoinedText::from_words(reference_words.iter().copied());
        let only = if let [word] = reference_words[..] { Some(word) } else { None };
        let is_short_answer = answer.words.len() <= 2;
        let accepts = |first: &AnswerWord| only.is_none_or(|word| is_short_answer || is_plausible_match(word, first));
        runs(answer, &joined, accepts)
            .map(|words| Occurrence { words, method: MatchMethod::Exact, coverage: 1.0 })
            .collect()
    }

    /// Places where another name of the phrase stands.
    pub fn alias_occurrences(&self, answer: &AnswerText<'_>, question: &OpenQuestion) -> Vec<Occurrence> {
        let name = self.without_articles();
        if name.is_empty() || self.words.len() > 6 {
            return Vec::new();
        }
        let is_proper = self.is_proper();
        let is_name = PersonName::from_phrase(self).is_some_and(|name| name.has_first());
        let mut found = Vec::new();
        // A common word has many meanings, and the rare ones do harm.
        let meanings = if is_proper { usize::MAX } else { 2 };
        for alias in wordnet_aliases(&name, meanings) {
            let head = alias.split([' ', '-', '.']).next().unwrap_or_default().to_lowercase();
            if !answer.words.iter().any(|word| head.starts_with(word.text.as_str()) || word.text.starts_with(&head)) {
                continue;
            }
            let parts = answer_words(&alias);
            // `George` is no other name of `George VI`, and what drops words of a person's name is judged as a name.
            let loses_number = self.words.iter().any(|word| numeral_value(word).is_some())
                && !parts.iter().any(|word| numeral_value(word).is_some());
            let is_shorter = parts.iter().all(|part| self.words.iter().any(|word| word.text == part.text));
            if is_shorter && (loses_number || is_name) {
                continue;
            }
            let is_echo = parts.iter().filter(|word| is_content(word)).all(|word| question.contains_word(word));
            let joined = JoinedText::from_words(parts.iter().filter(|word| !is_article(&word.text)));
            if is_echo || joined.text.is_empty() || joined.text.bytes().all(|byte| byte.is_ascii_digit()) {
                continue;
            }
            let is_short = joined.text.len() <= 3;
            let needs_capital = is_proper || parts.iter().any(|word| word.is_capitalised);
            let accepts =
                |first: &AnswerWord| if is_short { first.is_upper } else { !needs_capital || first.is_capitalised };
            for words in runs(answer, &joined, accepts) {
                probare_cancellation::count_steps(1);
                // Another given name in front makes somebody else: `Theodore Roosevelt` for `FDR`.
                if !(is_proper && is_preceded_by_given_name(answer, words.start)) {
                    found.push(Occurrence { words, method: MatchMethod::Alias, coverage: 1.0 });
                }
            }
        }
        found
    }

    /// Places where the answer has the initials of the phrase.
    pub fn initials_occurrences(&self, answer: &AnswerText<'_>) -> Vec<Occurrence> {
        let mut found = Vec::new();
        let content: Vec<&AnswerWord> =
            self.content.iter().map(|(at, _)| &self.words[*at]).filter(|word| !is_name_suffix(&word.text)).collect();
        if content.len() >= 2 && self.is_proper() {
            let forms = acronyms(&self.words, &content);
            for (at, word) in answer.words.iter().enumerate().take(MOST_WORDS) {
                probare_cancellation::count_steps(1);
                let is_written_so =
                    word.is_upper || (word.is_capitalised && word.text.bytes().any(|byte| byte.is_ascii_digit()));
                if is_written_so && word.text.len() >= 2 && forms.contains(&word.text) {
                    found.push(Occurrence { words: at..at + 1, method: MatchMethod::Initials, coverage: 1.0 });
                }
            }
        }
        found
    }

    /// The stretch of the answer that holds most of the phrase in alike words.
    pub fn similar_occurrence(&self, answer: &AnswerText<'_>) -> Option<Occurrence> {
        let total: f64 = self.content.iter().map(|(_, weight)| weight).sum();
        if self.content.is_empty() || total <= 0.0 {
            return None;
        }
        let content = &self.content[..self.content.len().min(MOST_CONTENT)];
        let patterns: Vec<ReferenceWord<'_>> =
            content.iter().map(|(at, _)| ReferenceWord::new(&self.words[*at])).collect();
        let mut hits: Vec<Hit> = Vec::new();
        for (number, (pattern, (_, weight))) in patterns.iter().zip(content).enumerate() {
            for (place, word) in answer.words.iter().enumerate().take(MOST_WORDS) {
                probare_cancellation::count_steps(1);
                if let Some(likeness) = pattern.surface_relation(word) {
                    hits.push(Hit { place, number, relation: likeness, weight: *weight });
                }
            }
        }
        let plain = self.densest(&mut hits, content.len(), total);
        if plain.as_ref().is_some_and(|mention| mention.coverage >= self.required_coverage()) {
            return plain;
        }
        // Only words without any counterpart are looked up: it takes longer.
        let others: Vec<LookedUpWord<'_>> = answer.words.iter().take(MOST_LOOKED_UP).map(LookedUpWord::new).collect();
        for (number, (pattern, (_, weight))) in patterns.iter().zip(content).enumerate() {
            if hits.iter().any(|hit| hit.number == number) {
                continue;
            }
            for (place, word) in others.iter().enumerate() {
                probare_cancellation::count_steps(1);
                if let Some(likeness) = pattern.lexical_relation(word) {
                    hits.push(Hit { place, number, relation: likeness, weight: *weight });
                }
            }
        }
        self.densest(&mut hits, content.len(), total)
    }

    /// The stretch with the greatest weight of hits, the first of equals.
    fn densest(&self, hits: &mut [Hit], count: usize, total: f64) -> Option<Occurrence> {
        hits.sort_by_key(|hit| (hit.place, hit.number));
        let reach = if count >= 4 { 30 } else { 2 * self.words.len() + 4 };
        let mut best: Option<Occurrence> = None;
        for (start, first) in hits.iter().enumerate() {
            probare_cancellation::count_steps(1);
            let window = hits[start..].iter().take_while(|hit| hit.place < first.place + reach);
            let (gain, end, way) = gain(window, count);
            let coverage = gain / total;
            if best.as_ref().is_none_or(|known| coverage > known.coverage + 1e-9) {
                best = Some(Occurrence { words: first.place..end + 1, method: MatchMethod::Words(way), coverage });
            }
        }
        best
    }

    /// How much of the phrase must be there: all of a short one, most of a long one.
    pub fn required_coverage(&self) -> f64 {
        match self.full_weight_words().count() {
            0..=2 => 0.68,
            3 if self.is_proper() => 0.68,
            3 => 0.6,
            _ => 0.55,
        }
    }

    /// The text without articles, as WordNet spells it.
    fn without_articles(&self) -> String {
        let words: Vec<&str> =
            self.words.iter().map(|word| word.text.as_str()).filter(|word| !is_article(word)).collect();
        words.join(" ")
    }
}

/// A word of the answer that is alike a content word of the gold.
struct Hit {
    place: usize,
    number: usize,
    relation: WordRelation,
    weight: f64,
}

/// What a window of hits is worth: each content word once, by its best hit; the last place, and the least likeness.
fn gain<'h>(window: impl Iterator<Item = &'h Hit>, count: usize) -> (f64, usize, WordRelation) {
    let mut best: Vec<Option<&Hit>> = vec![None; count];
    for hit in window {
        probare_cancellation::count_steps(1);
        if best[hit.number].is_none_or(|known| hit.weight > known.weight) {
            best[hit.number] = Some(hit);
        }
    }
    let used = || best.iter().flatten();
    let end = used().map(|hit| hit.place).max().unwrap_or(0);
    (used().map(|hit| hit.weight).sum(), end, used().map(|hit| hit.relation).max().unwrap_or(WordRelation::Same))
}

pub(crate) fn is_article(word: &str) -> bool {
    matches!(word, "a" | "an" | "the")
}

fn is_edge(word: &AnswerWord) -> bool {
    matches!(
        word.text.as_str(),
        "in" | "at" | "on" | "by" | "to" | "from" | "for" | "of" | "about" | "around" | "approximately" | "circa"
    )
}

/// Whether a word of the answer, equal to a gold of a single word, can be that word and not a small word of the language.
fn is_plausible_match(reference: &AnswerWord, given: &AnswerWord) -> bool {
    let is_letter = reference.text.len() == 1 && !reference.starts_with_digit();
    if reference.is_upper && (is_letter || is_function_word(&reference.text)) {
        return given.is_upper
            && (reference.text.len() > 1
                || given.gap != WordGap::Sentence
                || !matches!(reference.text.as_str(), "a" | "i"));
    }
    match reference.text.as_str() {
        // Names that are other words in small letters, also at the start of a sentence.
        "may" | "will" | "march" | "turkey" | "china" | "nice" | "polish" | "bill" | "mark" => {
            !reference.is_capitalised || given.is_capitalised
        }
        word if reference.is_capitalised && is_function_word(word) => {
            given.is_capitalised && given.gap != WordGap::Sentence
        }
        _ => true,
    }
}

/// The words of a phrase, written without spaces.
struct JoinedText {
    text: String,
    /// Where one word ends and the next begins: elsewhere a space of the answer makes other words of it, as in "I ran" for Iran.
    joints: Vec<usize>,
}

impl JoinedText {
    fn from_words<'w>(words: impl Iterator<Item = &'w AnswerWord>) -> Self {
        let mut joined = Self { text: String::new(), joints: Vec::new() };
        for word in words {
            joined.text.push_str(&word.text);
            joined.joints.push(joined.text.len());
        }
        joined
    }

    /// Whether the answer may have a space before one of its words where so much of the text has been read: the phrase has a joint
    /// there, a digit stands there ("M 25", "1 440"), or both parts are written as names ("Blue Bird").
    fn may_split(&self, read: usize, before: &AnswerWord, word: &AnswerWord) -> bool {
        let is_digit =
            |at: Option<usize>| at.and_then(|at| self.text.as_bytes().get(at)).is_some_and(u8::is_ascii_digit);
        let is_name = |word: &AnswerWord| word.is_capitalised && word.text.len() > 2;
        word.gap < WordGap::Space
            || self.joints.binary_search(&read).is_ok()
            || is_digit(read.checked_sub(1))
            || is_digit(Some(read))
            || is_name(before) && is_name(word) && word.gap == WordGap::Space
    }
}

/// Ranges of words that, written without spaces, are `joined`. Articles and small name words in between are skipped.
fn runs<'w>(
    answer: &'w AnswerText<'_>,
    joined: &'w JoinedText,
    accepts: impl Fn(&AnswerWord) -> bool + 'w,
) -> impl Iterator<Item = Range<usize>> + 'w {
    // Texts that repeat themselves match almost everywhere; no reader needs all of it.
    let mut budget = MOST_COMPARISONS;
    (0..answer.words.len()).filter_map(move |start| {
        if joined.text.is_empty() || budget == 0 || !accepts(&answer.words[start]) {
            return None;
        }
        let mut rest = joined.text.as_str();
        for (at, word) in answer.words.iter().enumerate().skip(start) {
            probare_cancellation::count_steps(1);
            budget = budget.saturating_sub(1);
            let read = joined.text.len() - rest.len();
            if read > 0 && !joined.may_split(read, &answer.words[at - 1], word) {
                return None;
            }
            match rest.strip_prefix(word.text.as_str()) {
                Some("") => return Some(start..at + 1),
                Some(left) => rest = left,
                None if at > start && (is_article(&word.text) || is_particle_of_name(word)) => {}
                None => return None,
            }
        }
        None
    })
}

/// How much each content word counts.
fn weights(words: &[AnswerWord], question: &OpenQuestion) -> Vec<(usize, f64)> {
    let mut content: Vec<(usize, f64)> =
        words.iter().enumerate().filter(|(_, word)| is_content(word)).map(|(at, _)| (at, 1.0)).collect();
    if content.is_empty() {
        return (0..words.len()).map(|at| (at, 1.0)).collect();
    }
    let is_proper = content.iter().all(|(at, _)| words[*at].is_capitalised);
    let comma = words.iter().skip(1).position(|word| word.gap == WordGap::Comma).map(|at| at + 1).filter(|_| is_proper);
    for (at, weight) in &mut content {
        let word = &words[*at];
        let is_number = numeral_value(word).is_some();
        let light = [
            (word.is_bracketed, 0.2),
            (comma.is_some_and(|comma| *at >= comma), 0.3),
            (is_class_noun(&word.text) && !is_number, 0.4),
            (is_title(&word.text) && is_proper, 0.2),
            (is_particle_of_name(word), 0.2),
        ];
        for (applies, factor) in light {
            if applies {
                *weight = weight.min(factor);
            }
        }
    }
    // What the question says already need not be said again, unless nothing else is left.
    let is_new = |(at, weight): &(usize, f64)| *weight >= 1.0 && !question.contains_word(&words[*at]);
    if content.iter().any(is_new) {
        for (at, weight) in &mut content {
            if question.contains_word(&words[*at]) {
                *weight = weight.min(0.3);
            }
        }
    }
    if content.iter().all(|(_, weight)| *weight < 1.0) {
        let most = content.iter().map(|(_, weight)| *weight).fold(0.0, f64::max);
        for (_, weight) in &mut content {
            if *weight >= most {
                *weight = 1.0;
            }
        }
    }
    content
}

/// Whether a word is one of the small words inside names that are no function words of English.
fn is_particle_of_name(word: &AnswerWord) -> bool {
    super::lexicon::is_particle(&word.text) && !word.is_capitalised
}

/// Names that share a usual meaning of the noun `name` in WordNet, with their capitals, without the name itself.
fn wordnet_aliases(name: &str, meanings: usize) -> Vec<String> {
    let wordnet = WordNet::embedded();
    let mut names: Vec<String> = Vec::new();
    for synset in wordnet.synsets(name, PartOfSpeech::Noun).into_iter().take(meanings) {
        for word in wordnet.words(synset) {
            if !word.eq_ignore_ascii_case(name) && !names.contains(&word) {
                names.push(word);
            }
        }
    }
    names
}

/// The ways to write a phrase by its initials, in small letters: of all words, of its content words, with numbers.
fn acronyms(words: &[AnswerWord], content: &[&AnswerWord]) -> Vec<String> {
    let first = |word: &AnswerWord| word.text.chars().next();
    let mut forms = vec![words.iter().filter_map(first).collect::<String>()];
    forms.push(content.iter().filter_map(|word| first(word)).collect());
    // `World War II` is `WWII` as well as `WW2`.
    let numbered = content.iter().any(|word| numeral_value(word).is_some());
    if numbered {
        let mut roman = String::new();
        let mut digits = String::new();
        for word in content {
            if let Some(number) = numeral_value(word) {
                roman.push_str(&word.text);
                digits.push_str(&number.to_string());
            } else {
                roman.extend(first(word));
                digits.extend(first(word));
            }
        }
        forms.push(roman);
        forms.push(digits);
    }
    forms
}
