//! The Porter stemmer with NLTK's extensions, which is what `rouge_score` uses.
//!
//! Porter, *An algorithm for suffix stripping*, Program 14.3, 1980. NLTK adds a list of irregular words and changes the
//! steps 1a, 1b, 1c and 2 (`dies` becomes `die`, `enjoy` keeps its `y`).

/// Words that the steps would not treat well, and their stems.
const IRREGULAR: [(&str, &str); 16] = [
    ("canning", "canning"),
    ("cannings", "canning"),
    ("dying", "die"),
    ("exceed", "exceed"),
    ("howe", "howe"),
    ("inning", "inning"),
    ("innings", "inning"),
    ("lying", "lie"),
    ("news", "news"),
    ("outing", "outing"),
    ("outings", "outing"),
    ("proceed", "proceed"),
    ("skies", "sky"),
    ("sky", "sky"),
    ("succeed", "succeed"),
    ("tying", "tie"),
];

/// Stem of `word`, which is in lower case.
pub fn stem(word: &str) -> String {
    probare_cancellation::count_steps(1 + word.len() / 4);
    if let Ok(index) = IRREGULAR.binary_search_by_key(&word, |&(irregular, _)| irregular) {
        return IRREGULAR[index].1.to_owned();
    }
    if word.is_ascii() {
        let letters = Letters(word.as_bytes().to_vec()).stem();
        letters.into_iter().map(char::from).collect()
    } else {
        Letters(word.chars().collect()).stem().into_iter().collect()
    }
}

/// A byte of an ASCII word, or a character of any other.
trait Letter: Copy + PartialEq + From<u8> {
    fn is(self, letter: u8) -> bool {
        self == Self::from(letter)
    }

    fn is_one_of(self, letters: &[u8]) -> bool {
        letters.iter().any(|&letter| self.is(letter))
    }
}

impl Letter for u8 {}
impl Letter for char {}

/// A word on its way to the stem.
struct Letters<L>(Vec<L>);

/// A suffix and what takes its place.
type Rule = (&'static str, &'static str);

impl<L: Letter> Letters<L> {
    fn stem(mut self) -> Vec<L> {
        if self.0.len() > 2 {
            self.drop_plural();
            self.drop_past_and_progressive();
            self.turn_final_y();
            self.shorten_double_suffixes();
            self.shorten_suffixes();
            self.drop_suffixes();
            self.drop_final_e();
            self.drop_final_l();
        }
        self.0
    }

    fn ends_with(&self, suffix: &str) -> bool {
        let suffix = suffix.as_bytes();
        self.0.len() >= suffix.len()
            && self.0.iter().rev().zip(suffix.iter().rev()).all(|(letter, &byte)| letter.is(byte))
    }

    fn last_is_one_of(&self, letters: &[u8]) -> bool {
        self.0.last().is_some_and(|last| last.is_one_of(letters))
    }

    /// What stands before `suffix`, which is ASCII, if the word ends with it.
    fn before(&self, suffix: &str) -> Option<&[L]> {
        self.ends_with(suffix).then(|| &self.0[..self.0.len() - suffix.len()])
    }

    fn replace(&mut self, suffix: &str, replacement: &str) {
        self.0.truncate(self.0.len() - suffix.len());
        self.0.extend(replacement.bytes().map(L::from));
    }

    /// Applies the first rule whose suffix fits, if `holds` for what stands before it. Later rules have no turn.
    fn apply(&mut self, rules: &[Rule], holds: impl Fn(&[L]) -> bool) {
        for (suffix, replacement) in rules {
            if let Some(stem) = self.before(suffix) {
                if holds(stem) {
                    self.replace(suffix, replacement);
                }
                return;
            }
        }
    }

    /// Step 1a.
    fn drop_plural(&mut self) {
        if self.0.len() == 4 && self.ends_with("ies") {
            self.replace("ies", "ie");
        } else {
            self.apply(&[("sses", "ss"), ("ies", "i"), ("ss", "ss"), ("s", "")], |_| true);
        }
    }

    /// Step 1b.
    fn drop_past_and_progressive(&mut self) {
        if self.ends_with("ied") {
            let replacement = if self.0.len() == 4 { "ie" } else { "i" };
            self.replace("ied", replacement);
            return;
        }
        if let Some(stem) = self.before("eed") {
            if measure(stem) > 0 {
                self.replace("eed", "ee");
            }
            return;
        }
        let suffix = ["ed", "ing"].into_iter().find(|suffix| self.before(suffix).is_some_and(has_vowel));
        let Some(suffix) = suffix else { return };
        self.replace(suffix, "");
        if ["at", "bl", "iz"].iter().any(|ending| self.ends_with(ending)) {
            self.0.push(L::from(b'e'));
        } else if ends_with_double_consonant(&self.0) {
            if !self.last_is_one_of(b"lsz") {
                self.0.pop();
            }
        } else if measure(&self.0) == 1 && ends_with_short_syllable(&self.0) {
            self.0.push(L::from(b'e'));
        }
    }

    /// Step 1c.
    fn turn_final_y(&mut self) {
        self.apply(&[("y", "i")], |stem| stem.len() > 1 && consonants(stem).last() == Some(true));
    }

    /// Step 2.
    fn shorten_double_suffixes(&mut self) {
        while self.before("alli").is_some_and(|stem| measure(stem) > 0) {
            self.replace("alli", "al");
        }
        // `logi` counts its own `l` as part of the stem.
        if self.ends_with("logi") {
            if measure(&self.0[..self.0.len() - 3]) > 0 {
                self.replace("logi", "log");
            }
            return;
        }
        self.apply(
            &[
                ("ational", "ate"),
                ("tional", "tion"),
                ("enci", "ence"),
                ("anci", "ance"),
                ("izer", "ize"),
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
                ("fulli", "ful"),
            ],
            |stem| measure(stem) > 0,
        );
    }

    /// Step 3.
    fn shorten_suffixes(&mut self) {
        self.apply(
            &[
                ("icate", "ic"),
                ("ative", ""),
                ("alize", "al"),
                ("iciti", "ic"),
                ("ical", "ic"),
                ("ful", ""),
                ("ness", ""),
            ],
            |stem| measure(stem) > 0,
        );
    }

    /// Step 4.
    fn drop_suffixes(&mut self) {
        // `ion` has a condition of its own; no other suffix of this step ends in it.
        if let Some(stem) = self.before("ion") {
            if measure(stem) > 1 && stem.last().is_some_and(|last| last.is_one_of(b"st")) {
                self.replace("ion", "");
            }
            return;
        }
        self.apply(
            &[
                ("al", ""),
                ("ance", ""),
                ("ence", ""),
                ("er", ""),
                ("ic", ""),
                ("able", ""),
                ("ible", ""),
                ("ant", ""),
                ("ement", ""),
                ("ment", ""),
                ("ent", ""),
                ("ou", ""),
                ("ism", ""),
                ("ate", ""),
                ("iti", ""),
                ("ous", ""),
                ("ive", ""),
                ("ize", ""),
            ],
            |stem| measure(stem) > 1,
        );
    }

    /// Step 5a.
    fn drop_final_e(&mut self) {
        self.apply(&[("e", "")], |stem| {
            let measure = measure(stem);
            measure > 1 || (measure == 1 && !ends_with_short_syllable(stem))
        });
    }

    /// Step 5b.
    fn drop_final_l(&mut self) {
        if self.ends_with("ll") && measure(&self.0[..self.0.len() - 1]) > 1 {
            self.0.pop();
        }
    }
}

/// For each letter whether it is a consonant. A `y` is one unless it follows one.
fn consonants<L: Letter>(letters: &[L]) -> impl Iterator<Item = bool> + '_ {
    let mut after_consonant = false;
    letters.iter().map(move |letter| {
        after_consonant = if letter.is(b'y') { !after_consonant } else { !letter.is_one_of(b"aeiou") };
        after_consonant
    })
}

/// How often a consonant follows a vowel: the measure m of the paper.
fn measure<L: Letter>(letters: &[L]) -> usize {
    let mut after_vowel = false;
    let mut count = 0;
    for consonant in consonants(letters) {
        count += usize::from(consonant && after_vowel);
        after_vowel = !consonant;
    }
    count
}

fn has_vowel<L: Letter>(letters: &[L]) -> bool {
    consonants(letters).any(|consonant| !consonant)
}

fn ends_with_double_consonant<L: Letter>(letters: &[L]) -> bool {
    matches!(letters, [.., before, last] if before == last) && consonants(letters).last() == Some(true)
}

/// Consonant, vowel, consonant other than w, x, y at the end; or a word of just a vowel and a consonant.
fn ends_with_short_syllable<L: Letter>(letters: &[L]) -> bool {
    let (mut third, mut second, mut first) = (None, None, None);
    for consonant in consonants(letters) {
        (third, second, first) = (second, first, Some(consonant));
    }
    match (third, second, first) {
        (Some(true), Some(false), Some(true)) => letters.last().is_some_and(|last| !last.is_one_of(b"wxy")),
        (None, Some(false), Some(true)) => true,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn examples_of_the_paper() {
        for (word, expected) in [
            ("caresses", "caress"),
            ("ponies", "poni"),
            ("cats", "cat"),
            ("feed", "feed"),
            ("agreed", "agre"),
            ("plastered", "plaster"),
            ("motoring", "motor"),
            ("sing", "sing"),
            ("conflated", "conflat"),
            ("hopping", "hop"),
            ("falling", "fall"),
            ("filing", "file"),
            ("happy", "happi"),
            ("relational", "relat"),
            ("vietnamization", "vietnam"),
            ("electrical", "electr"),
            ("adoption", "adopt"),
            ("controlling", "control"),
            ("rate", "rate"),
        ] {
            assert_eq!(stem(word), expected, "{word}");
        }
    }

    #[test]
    fn extensions_of_nltk() {
        for (word, expected) in [
            ("dying", "die"),
            ("dies", "die"),
            ("died", "die"),
            ("enjoy", "enjoy"),
            ("geology", "geolog"),
            ("at", "at"),
        ] {
            assert_eq!(stem(word), expected, "{word}");
        }
    }

    #[test]
    fn irregular_words_are_sorted_for_the_search() {
        assert!(IRREGULAR.is_sorted());
    }

    proptest! {
        #[test]
        fn a_stem_is_never_longer_by_more_than_a_letter(word in "\\PC{0,16}") {
            prop_assert!(stem(&word).chars().count() <= word.chars().count() + 1);
        }
    }
}
