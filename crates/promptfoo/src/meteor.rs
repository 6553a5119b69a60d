//! `meteor`: matches of words, stems and synonyms, less a penalty for broken order.
//!
//! As shipped, promptfoo 0.123.1 cannot compute it: every such assertion is an error. This is its formula with the two
//! names mended that are missing, over WordNet 3.0 where the original has 3.1.

use probare_text::wordnet::{PartOfSpeech, WordNet};

use crate::assertion::{Answer, Assertion, AssertionResult, error};
use crate::js;
use crate::similarity::{DEFAULT_THRESHOLD, measured, references};

/// Pairs of words that are compared.
const MOST_PAIRS: usize = 25_000_000;

pub(crate) fn judge(assertion: &Assertion, answer: &Answer<'_>) -> AssertionResult {
    let references = references(assertion)?;
    if answer.text.is_empty() {
        return error("`meteor` needs an answer that is not empty");
    }
    let option = |name: &str, default: f64| assertion.number(name).unwrap_or(default);
    let (alpha, beta, gamma) = (option("alpha", 0.9), option("beta", 3.0), option("gamma", 0.5));
    match meteor(&answer.text, &references, alpha, beta, gamma) {
        Some(score) => Ok(measured(assertion, score, DEFAULT_THRESHOLD)),
        None => Err(crate::Fault::NotRun("the texts are too long for `meteor`".to_owned())),
    }
}

/// METEOR of a candidate with the best of its references; nothing where the texts are too long to be compared.
pub fn meteor(candidate: &str, references: &[&str], alpha: f64, beta: f64, gamma: f64) -> Option<f64> {
    let candidate = words(candidate);
    let mut best: Option<f64> = None;
    for reference in references {
        let reference = words(reference);
        if candidate.len().saturating_mul(reference.len()) > MOST_PAIRS {
            return None;
        }
        let score = score(&candidate, &reference, alpha, beta, gamma);
        best = Some(best.map_or(score, |best| best.max(score)));
    }
    best
}

/// A word, its stem and the synonyms of the stem.
struct Word {
    text: String,
    stem: String,
}

/// Words between white space, without final full stops; one may be empty, as at a leading blank.
fn words(text: &str) -> Vec<Word> {
    let mut pieces = Vec::new();
    let mut rest = text;
    while let Some(at) = rest.find(js::is_space) {
        pieces.push(&rest[..at]);
        rest = rest[at..].trim_start_matches(js::is_space);
    }
    pieces.push(rest);
    let word = |piece: &str| {
        let text = piece.trim_end_matches('.').to_lowercase();
        let stem = stem(&text);
        Word { text, stem }
    };
    pieces.into_iter().map(word).collect()
}

/// How words are matched, one way after the other.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Stage {
    Text,
    Stem,
    Synonym,
}

fn score(candidate: &[Word], reference: &[Word], alpha: f64, beta: f64, gamma: f64) -> f64 {
    let mut left: Vec<usize> = (0..candidate.len()).collect();
    let mut right: Vec<usize> = (0..reference.len()).collect();
    let mut pairs = Vec::new();
    for stage in [Stage::Text, Stage::Stem, Stage::Synonym] {
        let mut at = left.len();
        while at > 0 {
            at -= 1;
            probare_cancellation::count_steps(1 + right.len() / 8);
            let word = &candidate[left[at]];
            let synonyms = if stage == Stage::Synonym { synonyms(&word.stem) } else { Vec::new() };
            let matches = |other: &Word| match stage {
                Stage::Text => other.text == word.text,
                Stage::Stem => other.stem == word.stem,
                Stage::Synonym => other.stem == word.stem || synonyms.contains(&other.stem),
            };
            if let Some(other) = (0..right.len()).rev().find(|other| matches(&reference[right[*other]])) {
                pairs.push((left.remove(at), right.remove(other)));
            }
        }
    }
    let matched = pairs.len() as f64;
    if matched == 0.0 {
        return 0.0;
    }
    pairs.sort_unstable();
    let breaks = pairs.windows(2).filter(|pair| pair[1] != (pair[0].0 + 1, pair[0].1 + 1)).count();
    let chunks = (breaks + 1) as f64;
    let (precision, recall) = (matched / candidate.len() as f64, matched / reference.len() as f64);
    let mean = precision * recall / (alpha * precision + (1.0 - alpha) * recall);
    let penalty = gamma * (chunks / matched).powf(beta);
    (1.0 - penalty) * mean
}

/// Synonyms of one word among all meanings of a word.
fn synonyms(word: &str) -> Vec<String> {
    let wordnet = WordNet::embedded();
    let senses = PartOfSpeech::ALL.into_iter().flat_map(|part| wordnet.senses(word, part));
    let words = senses.flat_map(|sense| wordnet.words(sense.synset));
    words.filter(|word| !word.contains(' ')).collect()
}

fn is_vowel(letter: char) -> bool {
    matches!(letter, 'a' | 'e' | 'i' | 'o' | 'u')
}

/// Consonants and vowels of a word in groups, as `natural` writes them: a vowel `y` and the vowels behind it are two groups.
fn groups(word: &[char]) -> Vec<bool> {
    let (mut out, mut at) = (Vec::new(), 0);
    let consonant = |out: &mut Vec<bool>| {
        if out.last() != Some(&false) {
            out.push(false);
        }
    };
    while at < word.len() {
        if is_vowel(word[at]) {
            out.push(true);
            while word.get(at).is_some_and(|letter| is_vowel(*letter)) {
                at += 1;
            }
            continue;
        }
        consonant(&mut out);
        let run = word[at..].iter().take_while(|letter| !is_vowel(**letter) && **letter != 'y').count();
        if run == 0 {
            // A `y` behind no consonant is one.
            at += 1;
            continue;
        }
        at += run;
        if word.get(at) == Some(&'y') {
            out.push(true);
            at += 1;
        }
    }
    out
}

/// Twice the measure of a word.
fn measure(word: &[char]) -> usize {
    let groups = groups(word);
    let first = usize::from(groups.first() == Some(&false));
    let last = usize::from(groups.len() > first && groups.last() == Some(&true));
    groups.len() - first - last
}

/// Whether the last letters, without `skipped` at the end, are consonant, vowel, consonant.
fn ends_consonant_vowel_consonant(word: &[char], skipped: usize) -> bool {
    let mut vowels = Vec::with_capacity(word.len());
    let mut at = 0;
    while at < word.len() {
        if word.get(at + 1) == Some(&'y') && !is_vowel(word[at]) && word[at] != 'y' {
            vowels.extend([false, true]);
            at += 2;
        } else {
            vowels.push(is_vowel(word[at]));
            at += 1;
        }
    }
    vowels.len().checked_sub(skipped).is_some_and(|end| vowels[..end].ends_with(&[false, true, false]))
}

/// A word on its way to the stem.
struct Stemmer(Vec<char>);

impl Stemmer {
    fn ends_with(&self, ending: &str) -> bool {
        let ending: Vec<char> = ending.chars().collect();
        self.0.ends_with(&ending)
    }

    fn without(&self, letters: usize) -> &[char] {
        &self.0[..self.0.len().saturating_sub(letters)]
    }

    fn replace(&mut self, letters: usize, by: &str) {
        self.0.truncate(self.0.len().saturating_sub(letters));
        self.0.extend(by.chars());
    }

    fn ends_double(&self) -> bool {
        let length = self.0.len();
        length >= 2
            && self.0[length - 1] == self.0[length - 2]
            && !matches!(self.0[length - 1], 'a' | 'e' | 'i' | 'o' | 'u')
    }

    /// Replaces the endings whose stem has a measure above zero, one after the other.
    fn replace_endings(&mut self, endings: &[(&str, &str)]) {
        let given = Self(self.0.clone());
        for (ending, by) in endings {
            if given.ends_with(ending) && measure(given.without(ending.len())) > 0 && self.ends_with(ending) {
                self.replace(ending.len(), by);
            }
        }
    }
}

const SECOND: [(&str, &str); 22] = [
    ("ational", "ate"),
    ("tional", "tion"),
    ("enci", "ence"),
    ("anci", "ance"),
    ("izer", "ize"),
    ("abli", "able"),
    ("bli", "ble"),
    ("alli", "al"),
    ("entli", "ent"),
    ("eli", "e"),
    ("ousli", "ous"),
    ("ization", "ize"),
    ("ation", "ate"),
    ("ator", "ate"),
    ("alism", "al"),
    ("iveness", "ive"),
    ("fulness", "ful"),
    ("ousness", "ous"),
    ("aliti", "al"),
    ("iviti", "ive"),
    ("biliti", "ble"),
    ("logi", "log"),
];

const THIRD: [(&str, &str); 7] =
    [("icate", "ic"), ("ative", ""), ("alize", "al"), ("iciti", "ic"), ("ical", "ic"), ("ful", ""), ("ness", "")];

/// Endings of the fourth step; the first that leaves a letter counts, longest first.
const FOURTH: [&str; 19] = [
    "ement", "able", "ance", "ence", "ible", "ment", "ant", "ate", "ent", "ion", "ism", "iti", "ive", "ize", "ous",
    "al", "er", "ic", "ou",
];

/// The stem of a lower-cased word by Porter's rules of 1980, with the differences of the npm package `natural`.
fn stem(word: &str) -> String {
    let mut stemmer = Stemmer(word.chars().collect());
    if stemmer.0.len() < 3 {
        return word.to_owned();
    }
    first_step(&mut stemmer);
    stemmer.replace_endings(&SECOND);
    stemmer.replace_endings(&THIRD);
    for ending in FOURTH {
        let stem = stemmer.without(ending.len());
        if !stemmer.ends_with(ending) || stem.is_empty() {
            continue;
        }
        // `ion` goes behind `s` and `t` alone, and the letter stays.
        let fits = ending != "ion" || stem.len() > 1 && matches!(stem.last(), Some('s' | 't'));
        if fits && measure(stem) > 2 {
            stemmer.replace(ending.len(), "");
        }
        break;
    }
    let without_e = if stemmer.ends_with("e") { stemmer.without(1) } else { &stemmer.0 };
    let before_last = stemmer.0.len().checked_sub(2).map(|at| stemmer.0[at]);
    let is_short = ends_consonant_vowel_consonant(&stemmer.0, 1) && !matches!(before_last, Some('w' | 'x' | 'y'));
    let size = measure(without_e);
    if stemmer.ends_with("e") && (size > 2 || size == 2 && !is_short) {
        stemmer.replace(1, "");
    }
    if measure(&stemmer.0) > 2 && stemmer.ends_with("ll") {
        stemmer.replace(1, "");
    }
    stemmer.0.into_iter().collect()
}

fn first_step(word: &mut Stemmer) {
    if word.ends_with("sses") || word.ends_with("ies") {
        word.replace(2, "");
    } else if word.ends_with("s") && !word.ends_with("ss") {
        word.replace(1, "");
    }
    if word.ends_with("eed") {
        if measure(word.without(3)) > 0 {
            word.replace(1, "");
        }
    } else {
        let ending = if word.ends_with("ed") { 2 } else { 3 };
        let has_ending = word.ends_with("ed") || word.ends_with("ing");
        if has_ending && groups(word.without(ending)).contains(&true) {
            word.replace(ending, "");
            if word.ends_with("at") || word.ends_with("bl") || word.ends_with("iz") {
                word.replace(0, "e");
            } else if word.ends_double() && !matches!(word.0.last(), Some('l' | 's' | 'z')) {
                word.replace(1, "");
            } else if measure(&word.0) == 2
                && ends_consonant_vowel_consonant(&word.0, 0)
                && !matches!(word.0.last(), Some('w' | 'x' | 'y'))
            {
                word.replace(0, "e");
            }
        }
    }
    if word.ends_with("y") {
        let groups = groups(&word.0);
        if groups[..groups.len() - 1].contains(&true) {
            word.replace(1, "i");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stems_are_those_of_the_package() {
        for (word, expected) in [
            ("caresses", "caress"),
            ("ponies", "poni"),
            ("cats", "cat"),
            ("hopping", "hop"),
            ("hoping", "hope"),
            ("relational", "relat"),
            ("happy", "happi"),
            ("sky", "sky"),
            ("large", "larg"),
            ("cryonic", "cryon"),
            ("controll", "control"),
            ("is", "is"),
        ] {
            assert_eq!(stem(word), expected, "{word}");
        }
    }

    #[test]
    fn the_same_words_lose_the_penalty_alone() {
        let score = meteor("the cat sat", &["the cat sat"], 0.9, 3.0, 0.5).unwrap();
        assert!((score - (1.0 - 0.5 / 27.0)).abs() < 1e-12);
    }
}
