//! Made-up cases for benchmarks: English-looking text from a seed, so that every implementation sees the same bytes.
//!
//! [`cases`] serves most metrics; families that ask for more have cases of their own, which [`for_metric`] chooses.

pub mod agents;
pub mod care;
pub mod deep_search;
pub mod interviews;
pub mod structured;

use std::borrow::Cow;
use std::fmt::Write as _;
use std::path::Path;
use std::{fs, io};

use probare_core::{Case, MetricDef, Output, Passage};
use probare_stats::Random;

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

/// A text of so many words, in sentences, with numbers and names now and then.
pub fn text(random: &mut Random, words: usize) -> String {
    let mut text = String::with_capacity(words * 6);
    let mut in_sentence = 0;
    for at in 0..words {
        if !text.is_empty() {
            text.push(' ');
        }
        let start = text.len();
        match random.below(20) {
            0..=8 => text.push_str(FUNCTION_WORDS[random.below(FUNCTION_WORDS.len())]),
            9 => {
                let _ = write!(text, "{}", 1 + random.below(2000));
            }
            _ => {
                for _ in 0..2 + random.below(2) {
                    text.push_str(SYLLABLES[random.below(SYLLABLES.len())]);
                }
            }
        }
        if in_sentence == 0 || random.below(25) == 0 {
            let upper = text[start..].chars().next().map(|first| first.to_ascii_uppercase()).unwrap_or_default();
            if upper.is_ascii() {
                text.replace_range(start..=start, &upper.to_string());
            }
        }
        in_sentence += 1;
        if in_sentence > 8 + random.below(10) || at + 1 == words {
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
    let mut random = Random::new(seed);
    (0..count)
        .map(|number| {
            let reference = text(&mut random, sizes.reference);
            let shared: String = reference.split_inclusive(". ").take(1 + random.below(2)).collect();
            let response = format!("{shared} {}", text(&mut random, sizes.response.saturating_sub(shared.len() / 6)));
            let context = vec![
                Passage::from(format!("{shared} {}", text(&mut random, sizes.context / 2)).as_str()),
                Passage::from(text(&mut random, sizes.context / 2).as_str()),
            ];
            let document = |random: &mut Random| format!("doc-{}", random.below(30));
            Case {
                id: format!("case-{number}"),
                query: Some(text(&mut random, sizes.query)),
                response: Some(Output::new(response)),
                context: Some(context),
                reference: Some(vec![reference]),
                retrieved: Some((0..10).map(|_| document(&mut random)).collect()),
                relevant: Some((0..4).map(|_| document(&mut random)).collect()),
                ..Case::default()
            }
        })
        .collect()
}

/// The cases on which a metric is measured: the general ones, or those of its family where they would not do. So many
/// of them as there are general ones.
pub fn for_metric<'a>(definition: &MetricDef, general: &'a [Case]) -> io::Result<Cow<'a, [Case]>> {
    const SEED: u64 = 17;
    let count = general.len();
    Ok(match (definition.family, definition.id) {
        ("interviews", "verbatim") => {
            // A transcript is as long as twenty responses.
            Cow::Owned(interviews::cases(definition.id, count.div_ceil(20), SEED))
        }
        ("interviews", id) => Cow::Owned(interviews::cases(id, count, SEED)),
        ("agents", id) => Cow::Owned(agents::cases(id, count)?),
        ("care", "performative_empathy") => Cow::Owned(care::hollow_cases(count)?),
        ("care", _) => Cow::Owned(care::cases(count)?),
        ("deep_search", _) => Cow::Owned(deep_search::cases(count, SEED)?),
        (_, "experimental_reasoning") => Cow::Owned(structured::choices(count, SEED)),
        (_, "json_schema" | "json_valid") => Cow::Owned(structured::cases(count, SEED)),
        _ => Cow::Borrowed(general),
    })
}

/// Writes an input of a benchmark into its folder.
#[expect(clippy::disallowed_methods, reason = "inputs for other programs, in a temporary folder: no report of a run")]
pub fn save(file: &Path, content: impl AsRef<[u8]>) -> io::Result<()> {
    fs::write(file, content)
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
