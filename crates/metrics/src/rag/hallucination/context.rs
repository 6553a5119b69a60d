//! The context of a response, read once: its sentences, their words, numbers and dates, and where each word stands.

use std::cell::OnceCell;
use std::ops::Range;

use probare_text::dates::{self, Date};
use probare_text::quantities::{self, Quantity};
use probare_text::sentences::punkt;

use super::component::{ClaimComponent, LookupKey};
use super::folding;
use super::vocabulary::{ContextVocabulary, FoldId, WordId};

/// Words that turn a sentence into its opposite.
const NEGATORS: [&str; 10] = ["not", "never", "no", "without", "neither", "nor", "none", "denied", "failed", "cannot"];

/// Words with which a sentence goes on about the subject of the one before.
const CONTINUING: [&str; 4] = ["it", "he", "she", "they"];

/// A word of a sentence.
#[derive(Debug, Clone)]
pub(crate) struct PlacedWord {
    pub word: WordId,
    pub fold: FoldId,
    /// Bytes of the chunk.
    pub span: Range<usize>,
}

/// A sentence of a chunk.
#[derive(Debug)]
pub(crate) struct ContextSentence {
    pub chunk: usize,
    /// Bytes of the chunk.
    pub span: Range<usize>,
    pub words: Vec<PlacedWord>,
    /// Whether it holds a word that denies.
    pub is_negated: bool,
    /// Whether it begins with a pronoun that stands for a subject named before.
    pub continues: bool,
    amounts: OnceCell<SentenceAmounts>,
}

/// The numbers and dates of a sentence, with bytes of the chunk.
#[derive(Debug, Default)]
pub(crate) struct SentenceAmounts {
    pub quantities: Vec<Quantity>,
    pub dates: Vec<Date>,
}

/// A component as a context knows it.
#[derive(Debug, Clone)]
pub(crate) enum SearchTarget<'a> {
    /// These words, one behind the other.
    Words(Vec<FoldId>),
    /// A number or date that bears out one of these.
    Amount { quantity: Option<&'a Quantity>, date: Option<&'a Date> },
}

/// The sentences of all chunks.
#[derive(Debug)]
pub(crate) struct IndexedContext<'c> {
    pub chunks: &'c [&'c str],
    pub sentences: Vec<ContextSentence>,
    pub vocabulary: ContextVocabulary,
    /// For each folded word the sentences that hold it, in order.
    postings: Vec<Vec<usize>>,
    with_amounts: OnceCell<Vec<usize>>,
}

impl<'c> IndexedContext<'c> {
    /// Reads the chunks.
    pub fn new(chunks: &'c [&'c str]) -> Self {
        let mut vocabulary = ContextVocabulary::default();
        let mut sentences = Vec::new();
        for (chunk, text) in chunks.iter().enumerate() {
            // Sentences are cut with the capitals intact, each chunk by itself.
            for span in punkt::sentences(text) {
                probare_cancellation::count_steps(1);
                sentences.push(ContextSentence::new(chunk, text, span, &mut vocabulary));
            }
        }
        let mut postings: Vec<Vec<usize>> = vec![Vec::new(); vocabulary.fold_count()];
        for (index, sentence) in sentences.iter().enumerate() {
            probare_cancellation::count_steps(1);
            for word in &sentence.words {
                probare_cancellation::count_steps(1);
                if let Some(list) = position(word.fold).and_then(|fold| postings.get_mut(fold))
                    && list.last() != Some(&index)
                {
                    list.push(index);
                }
            }
        }
        Self { chunks, sentences, vocabulary, postings, with_amounts: OnceCell::new() }
    }

    /// What to look for in the sentences; nothing where the context lacks a word of the component, or where it is a
    /// number or date that cannot be read.
    pub fn search_target<'a>(&self, component: &'a ClaimComponent) -> Option<SearchTarget<'a>> {
        match &component.key {
            LookupKey::Words(words) if words.is_empty() => None,
            LookupKey::Words(words) => {
                words.iter().map(|word| self.vocabulary.fold(word)).collect::<Option<_>>().map(SearchTarget::Words)
            }
            LookupKey::Amount { quantity: None, date: None } => None,
            LookupKey::Amount { quantity, date } => {
                Some(SearchTarget::Amount { quantity: quantity.as_ref(), date: date.as_ref() })
            }
        }
    }

    /// The sentences that may hold what is sought, in order: for words those of the rarest word.
    pub fn candidates(&self, sought: &SearchTarget<'_>) -> Vec<usize> {
        match sought {
            SearchTarget::Words(folds) => {
                let lists = folds.iter().filter_map(|fold| self.postings.get(position(*fold)?));
                lists.min_by_key(|list| list.len()).cloned().unwrap_or_default()
            }
            SearchTarget::Amount { .. } => self.sentences_with_amounts().to_vec(),
        }
    }

    /// Where it stands in a sentence, as ranges of its words.
    pub fn occurrences(&self, sought: &SearchTarget<'_>, sentence: &ContextSentence) -> Vec<Range<usize>> {
        match sought {
            SearchTarget::Words(folds) => sentence
                .words
                .windows(folds.len())
                .enumerate()
                .filter(|(_, words)| words.iter().zip(folds).all(|(word, fold)| word.fold == *fold))
                .map(|(start, _)| start..start + folds.len())
                .collect(),
            SearchTarget::Amount { quantity, date } => {
                let amounts = self.amounts(sentence);
                let quantities = quantity.iter().flat_map(|stated| {
                    amounts.quantities.iter().filter(|had| quantities::supports(had, stated)).map(|had| &had.span)
                });
                let dates = date.iter().flat_map(|stated| {
                    amounts.dates.iter().filter(|had| dates::supports(had, stated)).map(|had| &had.span)
                });
                quantities.chain(dates).map(|span| sentence.words_in(span)).collect()
            }
        }
    }

    /// The numbers and dates of a sentence.
    pub fn amounts<'s>(&self, sentence: &'s ContextSentence) -> &'s SentenceAmounts {
        sentence.amounts.get_or_init(|| {
            let text = self.text_of(sentence);
            let shift = |span: &Range<usize>| span.start + sentence.span.start..span.end + sentence.span.start;
            let mut amounts = SentenceAmounts { quantities: quantities::find(text), dates: dates::find(text) };
            for quantity in &mut amounts.quantities {
                probare_cancellation::count_steps(1);
                quantity.span = shift(&quantity.span);
            }
            for date in &mut amounts.dates {
                probare_cancellation::count_steps(1);
                date.span = shift(&date.span);
            }
            amounts
        })
    }

    /// The sentences that hold a number or a date, in order.
    pub fn sentences_with_amounts(&self) -> &[usize] {
        self.with_amounts.get_or_init(|| {
            let has_some = |sentence: &ContextSentence| {
                let amounts = self.amounts(sentence);
                !(amounts.quantities.is_empty() && amounts.dates.is_empty())
            };
            (0..self.sentences.len()).filter(|&index| has_some(&self.sentences[index])).collect()
        })
    }

    /// The words of a sentence as they stand.
    pub fn text_of(&self, sentence: &ContextSentence) -> &'c str {
        self.chunks.get(sentence.chunk).and_then(|chunk| chunk.get(sentence.span.clone())).unwrap_or_default()
    }

    /// The sentence before this one in the same chunk.
    pub fn before(&self, index: usize) -> Option<usize> {
        let before = index.checked_sub(1)?;
        (self.sentences.get(before)?.chunk == self.sentences.get(index)?.chunk).then_some(before)
    }
}

impl ContextSentence {
    fn new(chunk: usize, text: &str, span: Range<usize>, vocabulary: &mut ContextVocabulary) -> Self {
        let mut is_negated = false;
        let mut words = Vec::with_capacity(span.len() / 6);
        folding::for_each_word(&text[span.clone()], |lower, place| {
            is_negated |= is_negator(&lower);
            let (word, fold) = vocabulary.add(lower);
            words.push(PlacedWord { word, fold, span: place.start + span.start..place.end + span.start });
        });
        let continues = words.first().is_some_and(|first| CONTINUING.contains(&vocabulary.lower(first.word)));
        Self { chunk, span, words, is_negated, continues, amounts: OnceCell::new() }
    }

    /// The words that a span of the chunk touches.
    fn words_in(&self, span: &Range<usize>) -> Range<usize> {
        let start = self.words.partition_point(|word| word.span.end <= span.start);
        let end = self.words.partition_point(|word| word.span.start < span.end);
        start..end.max(start)
    }
}

/// Whether a lower-cased word denies.
pub(crate) fn is_negator(lower: &str) -> bool {
    NEGATORS.contains(&lower) || lower.ends_with("n't")
}

fn position(fold: FoldId) -> Option<usize> {
    usize::try_from(fold).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sentences_are_cut_with_their_capitals() {
        let chunks = ["Denmark lost in 1992. Denmark won later. It didn't stop."];
        let context = IndexedContext::new(&chunks);
        assert_eq!(context.sentences.len(), 3);
        assert!(context.sentences[2].continues && context.sentences[2].is_negated && !context.sentences[0].is_negated);
        assert_eq!(context.before(1), Some(0));
        assert_eq!(context.before(0), None);
    }

    #[test]
    fn components_are_found_by_words_or_by_value() {
        let chunks = ["x", "The workers paid 75 dollars to Marie Curie in May 2016."];
        let context = IndexedContext::new(&chunks);
        let places = |text: &str| -> Vec<(usize, usize)> {
            let component = ClaimComponent::from_text(text);
            let Some(sought) = context.search_target(&component) else { return Vec::new() };
            let sentences = context.candidates(&sought).into_iter().map(|index| &context.sentences[index]);
            let ranges = sentences.flat_map(|sentence| context.occurrences(&sought, sentence));
            ranges.map(|range| (range.start, range.end)).collect()
        };
        assert_eq!(places("worker"), [(1, 2)]);
        assert_eq!(places("Marie Curie"), [(6, 8)]);
        assert_eq!(places("Curie Marie"), []);
        assert_eq!(places("$75"), [(3, 5)]);
        assert_eq!(places("2016"), [(9, 11)]);
        assert_eq!(places("7"), []);
    }
}
