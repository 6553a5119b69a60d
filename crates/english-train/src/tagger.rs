//! Learns the tagger.

use std::collections::BTreeMap;

use crate::TrainOptions;
use crate::perceptron::{Perceptron, frequent};
use crate::sum::{self, Sum};
use crate::treebank::AnnotatedSentence;
use probare_english::ModelFileError;
use probare_english::tagger::{AmbiguityClasses, Tag, TagId, Tagger, TaggerInput, best, start, tag_id};
use probare_english::weights::{ClassScores, FeatureScorer, LinearWeights, MOST_CLASSES};
use probare_english::word::HashedWord;
use probare_stats::Random;

/// A sentence ready for the tagger.
#[derive(Debug)]
pub(crate) struct TaggedSentence {
    pub(crate) words: Vec<HashedWord>,
    pub(crate) tags: Vec<TagId>,
}

/// All joint tags of the training part, sorted.
pub(crate) fn tag_set(sentences: &[AnnotatedSentence]) -> Vec<Tag> {
    let mut tags: Vec<Tag> =
        sentences.iter().flat_map(|sentence| sentence.tokens.iter().map(|token| token.tag)).collect();
    tags.sort_unstable();
    tags.dedup();
    tags
}

/// Hashes words and numbers tags. A tag outside the set, which only an unseen sentence can have, becomes the first.
pub(crate) fn prepare(sentences: &[AnnotatedSentence], tags: &[Tag]) -> Vec<TaggedSentence> {
    sentences
        .iter()
        .map(|sentence| TaggedSentence {
            words: sentence.tokens.iter().map(|token| HashedWord::new(&token.form)).collect(),
            tags: sentence.tokens.iter().map(|token| tag_id(tags.binary_search(&token.tag).unwrap_or(0))).collect(),
        })
        .collect()
}

/// A word seen this often has an ambiguity class, made of the tags it takes at least one time in ten.
const FREQUENT: u32 = 3;

/// Counts which tags words take, and gives every set of tags a number.
pub(crate) fn ambiguity_classes(sentences: &[&TaggedSentence]) -> Vec<(u32, u32)> {
    let mut counts: BTreeMap<u32, BTreeMap<TagId, u32>> = BTreeMap::new();
    for sentence in sentences {
        for (word, &tag) in sentence.words.iter().zip(&sentence.tags) {
            *counts.entry(AmbiguityClasses::key(word)).or_default().entry(tag).or_default() += 1;
        }
    }
    let mut classes: BTreeMap<Vec<TagId>, u32> = BTreeMap::new();
    let mut entries = Vec::new();
    for (key, tags) in counts {
        let total: u32 = tags.values().sum();
        if total < FREQUENT {
            continue;
        }
        let usual = tags.into_iter().filter(|(_, count)| count * 10 >= total).map(|(tag, _)| tag).collect();
        let number = u32::try_from(classes.len()).expect("fewer classes than words");
        entries.push((key, *classes.entry(usual).or_insert(number)));
    }
    entries
}

/// Learns from sentences in a random order, so many times.
pub(crate) fn learn(
    sentences: &[&TaggedSentence],
    tags: &[Tag],
    classes: &AmbiguityClasses,
    least: usize,
    epochs: usize,
    seed: u64,
) -> Perceptron {
    let inputs: Vec<TaggerInput<'_>> =
        sentences.iter().map(|sentence| TaggerInput::new(&sentence.words, classes)).collect();
    let mut perceptron = Perceptron::new(&frequent_features(sentences, &inputs, least));
    let mut random = Random::new(seed);
    let mut order: Vec<usize> = (0..sentences.len()).collect();
    let mut features = Vec::new();
    for epoch in 1..=epochs {
        random.shuffle(&mut order);
        let (mut right, mut all) = (0_u32, 0_u32);
        for &sentence in &order {
            let input = &inputs[sentence];
            let (mut last, mut before_last) = start();
            for (position, &gold) in sentences[sentence].tags.iter().enumerate() {
                input.features(position, last, before_last, &mut features);
                let mut scores: ClassScores = [0; MOST_CLASSES + 1];
                perceptron.add(&features, &mut scores);
                let guess = best(&scores[..tags.len()]);
                all += 1;
                if guess == usize::from(gold) {
                    right += 1;
                } else {
                    perceptron.update(&features, usize::from(gold), 1);
                    perceptron.update(&features, guess, -1);
                }
                perceptron.step();
                // The tagger sees its own guesses, as it will in use.
                (last, before_last) = (u64::from(tag_id(guess)), last);
            }
        }
        eprintln!("    tagger epoch {epoch}: {:.2} % right while learning", 100.0 * f64::from(right) / f64::from(all));
    }
    perceptron
}

/// The features that occur at least `least` times with the right tags before them.
fn frequent_features(sentences: &[&TaggedSentence], inputs: &[TaggerInput<'_>], least: usize) -> Vec<u32> {
    let mut occurrences = Vec::new();
    let mut features = Vec::new();
    for (sentence, input) in sentences.iter().zip(inputs) {
        let (mut last, mut before_last) = start();
        for (position, &tag) in sentence.tags.iter().enumerate() {
            input.features(position, last, before_last, &mut features);
            occurrences.extend_from_slice(&features);
            (last, before_last) = (u64::from(tag), last);
        }
    }
    frequent(occurrences, least)
}

/// Tags every sentence with a tagger that has not learnt from it: one tagger a fold, learnt from the rest. The parser must
/// meet the mistakes that it will meet in use.
pub(crate) fn tags_from_others(
    sentences: &[TaggedSentence],
    tags: &[Tag],
    options: &TrainOptions,
) -> Result<Vec<Vec<TagId>>, ModelFileError> {
    // The mistakes need only be of the usual kind: fewer passes than for the tagger that is kept.
    let epochs = options.tagger_epochs.min(6);
    let mut result = vec![Vec::new(); sentences.len()];
    for fold in 0..options.folds {
        let is_other = |(number, _): &(usize, &TaggedSentence)| number % options.folds != fold;
        let others: Vec<&TaggedSentence> = sentences.iter().enumerate().filter(is_other).map(|pair| pair.1).collect();
        let classes = AmbiguityClasses::from_sorted(&ambiguity_classes(&others));
        let mut sum = Sum::default();
        sum.add(&learn(&others, tags, &classes, options.tagger_least, epochs, options.seed + 200 + fold as u64));
        let scorer = LinearWeights::from_rows(&sum.rows(sum::TAGGER), tags.len())?;
        let tagger = Tagger { tags: tags.to_vec(), classes, scorer };
        for number in (fold..sentences.len()).step_by(options.folds) {
            result[number] = tagger.tag(&sentences[number].words);
        }
    }
    Ok(result)
}
