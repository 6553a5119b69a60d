//! What the tagger and the lemmatiser look at in a single word: hashes of its form, its ends and its shape.

use crate::hash;

/// How a word is capitalised.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Capitals {
    /// No capital at the beginning.
    None,
    /// A capital and then at least one small letter, or a single capital.
    First,
    /// Two or more letters, all of them capitals.
    All,
}

/// The hashed view of one word.
#[derive(Debug, Clone)]
pub struct HashedWord {
    /// The form as written.
    pub form: u64,
    /// In small letters, every digit as zero: "2016" and "1998" are the same word to the models.
    pub lower: u64,
    /// The first one to four characters, in small letters.
    pub prefixes: [u64; 4],
    /// The last one to five characters, in small letters.
    pub suffixes: [u64; 5],
    /// Capital, small letter, digit or the character itself, with runs cut to two.
    pub shape: u64,
    /// How it is capitalised.
    pub capitals: Capitals,
}

impl HashedWord {
    /// Looks at a word. An empty one is allowed and equals no other.
    pub fn new(form: &str) -> Self {
        let mut lower = hash::START;
        let mut prefixes = [0; 4];
        for (position, character) in form.chars().flat_map(char::to_lowercase).enumerate() {
            lower = hash::character(lower, digits_as_zero(character));
            if let Some(prefix) = prefixes.get_mut(position) {
                *prefix = lower;
            }
        }
        let mut suffixes = [0; 5];
        let mut ending = hash::START;
        for (suffix, character) in suffixes.iter_mut().zip(form.chars().rev()) {
            ending =
                character.to_lowercase().fold(ending, |state, small| hash::character(state, digits_as_zero(small)));
            *suffix = ending;
        }
        Self { form: hash::text(form), lower, prefixes, suffixes, shape: shape(form), capitals: capitals(form) }
    }
}

fn digits_as_zero(character: char) -> char {
    if character.is_ascii_digit() { '0' } else { character }
}

fn shape(form: &str) -> u64 {
    let mut state = hash::START;
    let mut previous = ' ';
    let mut run = 0;
    for character in form.chars() {
        let kind = if character.is_uppercase() {
            'X'
        } else if character.is_lowercase() {
            'x'
        } else if character.is_numeric() {
            'd'
        } else {
            character
        };
        run = if kind == previous { run + 1 } else { 1 };
        previous = kind;
        if run <= 2 {
            state = hash::character(state, kind);
        }
    }
    state
}

/// How a word is capitalised; see [`Capitals`].
pub fn capitals(form: &str) -> Capitals {
    if !form.chars().next().is_some_and(char::is_uppercase) {
        Capitals::None
    } else if form.chars().nth(1).is_some() && !form.chars().any(char::is_lowercase) {
        Capitals::All
    } else {
        Capitals::First
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digits_and_capitals_do_not_change_the_word() {
        assert_eq!(HashedWord::new("Q3").lower, HashedWord::new("q1").lower);
        assert_ne!(HashedWord::new("Q3").form, HashedWord::new("q1").form);
    }

    #[test]
    fn endings_are_shared() {
        let (left, right) = (HashedWord::new("walking"), HashedWord::new("TALKING"));
        assert_eq!(left.suffixes, right.suffixes);
        assert_ne!(left.prefixes[0], right.prefixes[0]);
    }

    #[test]
    fn capitals_are_told_apart() {
        assert_eq!(capitals("Paris"), Capitals::First);
        assert_eq!(capitals("I"), Capitals::First);
        assert_eq!(capitals("NATO"), Capitals::All);
        assert_eq!(capitals("iPhone"), Capitals::None);
        assert_eq!(capitals(""), Capitals::None);
    }
}
