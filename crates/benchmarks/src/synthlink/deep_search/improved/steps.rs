//! Which reasoning steps a statement of the answer speaks about.

use std::ops::Range;

use probare_english::Parser;

use super::answer::ParsedAnswer;
use super::meaning::{ContentWord, MeaningCache, all_content_words, truncate_text};
use crate::synthlink::deep_search::measures::{ReasoningSteps, WordInterner};

/// What was found about one step.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StepMatch {
    /// Content words of the step.
    pub word_count: usize,
    /// The statement that has most of them: its bytes.
    pub statement: Option<Range<usize>>,
    /// Places in that statement, with the word of the step that each stands for.
    pub found: Vec<(Range<usize>, String)>,
    /// Whether that is enough.
    pub covered: bool,
}

/// What the statements of an answer say about each step.
///
/// A step is covered when one statement, together with the next, has at least half of its content words, by lemma,
/// synonym or word family. On the published catalogue the expected summaries cover 0.65 of their own steps so, and 0.04
/// of those of other questions; lists of all words of the steps cover 0.03.
pub fn match_steps<S: AsRef<str>>(steps: &[S], answer: &ParsedAnswer<'_>) -> Vec<StepMatch> {
    let mut meanings = MeaningCache::default();
    let mut vocabulary = WordInterner::default();
    let published = ReasoningSteps::new(steps, &mut vocabulary);
    steps
        .iter()
        .enumerate()
        .map(|(at, text)| {
            let keywords: Vec<&str> = published.keywords(at).iter().map(|id| vocabulary.text(*id)).collect();
            let mut step_words = all_content_words(&Parser::english().tag(truncate_text(text.as_ref())));
            // What the published definition takes for an instruction or a stop word is no content here either.
            step_words.retain(|word| keywords.contains(&word.stem.as_str()));
            step_words.dedup_by(|second, first| second.stem == first.stem);
            best_statement(&step_words, answer, &mut meanings)
        })
        .collect()
}

fn best_statement(step_words: &[ContentWord], answer: &ParsedAnswer<'_>, meanings: &mut MeaningCache) -> StepMatch {
    let mut best = StepMatch { word_count: step_words.len(), statement: None, found: Vec::new(), covered: false };
    let statements: Vec<_> = answer.statements().collect();
    for (at, statement) in statements.iter().enumerate() {
        probare_cancellation::count_steps(1);
        let next = statements.get(at + 1).map(|next| next.words.as_slice()).unwrap_or_default();
        let near: Vec<&ContentWord> = statement.words.iter().chain(next).collect();
        let found: Vec<(Range<usize>, String)> = step_words
            .iter()
            .filter_map(|word| {
                let place = near.iter().find(|candidate| meanings.means_same(word, candidate))?;
                Some((place.span.clone(), word.stem.clone()))
            })
            .collect();
        if found.len() > best.found.len() {
            best.statement = Some(statement.span.clone());
            best.found = found;
        }
    }
    best.covered = !step_words.is_empty() && 2 * best.found.len() >= step_words.len();
    best
}

#[cfg(test)]
mod tests {
    use super::*;

    fn covered(steps: &[&str], answer: &str) -> Vec<bool> {
        match_steps(steps, &ParsedAnswer::new(answer, &[] as &[&str])).iter().map(|step| step.covered).collect()
    }

    #[test]
    fn several_words_of_a_step_in_one_statement_cover_it() {
        let steps = ["Identify the salinity barrier of the Bitter Lakes", "Trace Red Sea species that moved north"];
        let answer = "Once the salt of the Bitter Lakes had dissolved, species moved north.";
        assert_eq!(covered(&steps, answer), [true, true]);
        assert_eq!(covered(&steps, "The lakes are far from the sea."), [false, false]);
        assert_eq!(covered(&steps, "The sea is salty."), [false, false]);
    }

    #[test]
    fn a_list_of_keywords_covers_nothing() {
        let steps = ["Identify the salinity barrier of the Bitter Lakes"];
        assert_eq!(covered(&steps, "salinity, barrier, Bitter, Lakes, species, north"), [false]);
    }

    #[test]
    fn another_form_of_the_word_will_do() {
        assert_eq!(covered(&["Research the invention of printing"], "He invented printing."), [true]);
    }
}
