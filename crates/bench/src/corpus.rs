//! Made-up cases for benchmarks: English-looking text from a seed, so that every implementation sees the same bytes.

use std::fmt::Write as _;

use probare_core::{Case, Output, Passage};

/// Common words that hold sentences together.
const FUNCTION_WORDS: [&str; 40] = [
    "the", "of", "and", "to", "in", "a", "is", "that", "for", "it", "was", "on", "are", "as", "with", "they", "at",
    "be", "this", "have", "from", "or", "by", "not", "but", "what", "all", "were", "we", "when", "your", "can",
    "there", "which", "their", "if", "will", "how", "an", "each",
];

/// Syllables from which content words are put together.
const SYLLABLES: [&str; 32] = [
    "har", "bour", "min", "ing", "ter", "ra", "sol", "ven", "mar", "ket", "pol", "li", "cy", "wa", "gon", "der", "fac",
    "tor", "nel", "vis", "cor", "dan", "pre", "sent", "lo", "cal", "riv", "er", "sta", "tion", "gar", "den",
];

/// A small generator of numbers (SplitMix64, Steele et al. 2014): fast, seeded, the same everywhere.
#[derive(Debug, Clone)]
pub struct Dice {
    state: u64,
}

impl Dice {
    /// Starts from a seed.
    pub const fn new(seed: u64) -> Self {
        Self { state: seed }
    }

    /// A number below `limit`, which must not be 0.
    pub fn below(&mut self, limit: usize) -> usize {
        self.state = self.state.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.state;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^= mixed >> 31;
        usize::try_from(mixed % limit as u64).unwrap_or(0)
    }
}

/// A text of so many words, in sentences, with numbers and names now and then.
pub fn text(dice: &mut Dice, words: usize) -> String {
    let mut text = String::with_capacity(words * 6);
    let mut in_sentence = 0;
    for at in 0..words {
        if !text.is_empty() {
            text.push(' ');
        }
        let start = text.len();
        match dice.below(20) {
            0..=8 => text.push_str(FUNCTION_WORDS[dice.below(FUNCTION_WORDS.len())]),
            9 => {
                let _ = write!(text, "{}", 1 + dice.below(2000));
            }
            _ => {
                for _ in 0..2 + dice.below(2) {
                    text.push_str(SYLLABLES[dice.below(SYLLABLES.len())]);
                }
            }
        }
        if in_sentence == 0 || dice.below(25) == 0 {
            let upper = text[start..].chars().next().map(|first| first.to_ascii_uppercase()).unwrap_or_default();
            if upper.is_ascii() {
                text.replace_range(start..=start, &upper.to_string());
            }
        }
        in_sentence += 1;
        if in_sentence > 8 + dice.below(10) || at + 1 == words {
            text.push('.');
            in_sentence = 0;
        }
    }
    text
}

/// Words in the parts of a case.
#[derive(Debug, Clone, Copy)]
pub struct Sizes {
    /// In the query.
    pub query: usize,
    /// In the response.
    pub response: usize,
    /// In the reference.
    pub reference: usize,
    /// In all passages of the context together.
    pub context: usize,
}

impl Default for Sizes {
    fn default() -> Self {
        Self { query: 20, response: 129, reference: 40, context: 400 }
    }
}

/// So many cases. A response shares some sentences with its reference and context, as real ones do.
pub fn cases(count: usize, sizes: Sizes, seed: u64) -> Vec<Case> {
    let mut dice = Dice::new(seed);
    (0..count)
        .map(|number| {
            let reference = text(&mut dice, sizes.reference);
            let shared: String = reference.split_inclusive(". ").take(1 + dice.below(2)).collect();
            let response = format!("{shared} {}", text(&mut dice, sizes.response.saturating_sub(shared.len() / 6)));
            let context = vec![
                Passage::from(format!("{shared} {}", text(&mut dice, sizes.context / 2)).as_str()),
                Passage::from(text(&mut dice, sizes.context / 2).as_str()),
            ];
            let document = |dice: &mut Dice| format!("doc-{}", dice.below(30));
            Case {
                id: format!("case-{number}"),
                query: Some(text(&mut dice, sizes.query)),
                response: Some(Output::new(response)),
                context: Some(context),
                reference: Some(vec![reference]),
                retrieved: Some((0..10).map(|_| document(&mut dice)).collect()),
                relevant: Some((0..4).map(|_| document(&mut dice)).collect()),
                ..Case::default()
            }
        })
        .collect()
}

/// The cases as JSON lines, for other programs.
pub fn lines(cases: &[Case]) -> serde_json::Result<String> {
    let mut text = String::new();
    for case in cases {
        text.push_str(&serde_json::to_string(case)?);
        text.push('\n');
    }
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_seed_gives_the_same_bytes() {
        let sizes = Sizes::default();
        assert_eq!(lines(&cases(5, sizes, 1)).unwrap(), lines(&cases(5, sizes, 1)).unwrap());
        assert_ne!(lines(&cases(5, sizes, 1)).unwrap(), lines(&cases(5, sizes, 2)).unwrap());
    }
}
