//! Learns the parser: structured perceptron over whole derivations with beam search.
//!
//! Where the best hypothesis of the beam is furthest ahead of the right derivation, both are cut and the weights are
//! moved from one to the other (maximum violation, Huang, Fayong and Guo 2012).

use crate::TrainOptions;
use crate::oracle::ReferenceTree;
use crate::perceptron::{Perceptron, frequent};
use probare_english::search::{BeamLimits, BeamSearch, Grammar};
use probare_english::templates::ParserInput;
use probare_english::transition::{Move, ParserState};
use probare_english::weights::{ClassScores, FeatureScorer, MOST_CLASSES};
use probare_stats::Random;

/// A sentence ready for the parser.
#[derive(Debug)]
pub(crate) struct TrainingSentence {
    pub(crate) input: ParserInput,
    pub(crate) derivation: Vec<Move>,
}

impl TrainingSentence {
    /// Finds the derivation of a tree.
    pub(crate) fn new(input: ParserInput, tree: &ReferenceTree) -> Self {
        Self { input, derivation: tree.derivation() }
    }
}

/// The features that matter: those that take part in at least `least` corrections while a first model, which has only
/// the features that occur twice on the way to the right trees, goes through the sentences once. Unlike counts on the
/// right trees alone, this finds the features that tell a wrong tree.
pub(crate) fn useful_features(sentences: &[TrainingSentence], grammar: Grammar, options: &TrainOptions) -> Vec<u32> {
    let mut occurrences = Vec::new();
    let mut state = ParserState::default();
    let mut features = Vec::new();
    for sentence in sentences {
        state.reset(sentence.input.len());
        for &step in &sentence.derivation {
            sentence.input.features(&state, &mut features);
            occurrences.extend_from_slice(&features);
            state.apply(step);
        }
    }
    let mut perceptron = Perceptron::new(&frequent(occurrences, 2));
    let mut learner = Learner::new(grammar, options);
    let mut random = Random::new(options.seed + 250);
    let mut corrected = Vec::new();
    learner.epoch(sentences, &mut random, &mut perceptron, |features| corrected.extend_from_slice(features));
    frequent(corrected, options.parser_least)
}

/// Learns from sentences in a random order, so many times as the options say.
pub(crate) fn learn(
    sentences: &[TrainingSentence],
    features: &[u32],
    grammar: Grammar,
    options: &TrainOptions,
    seed: u64,
) -> Perceptron {
    let mut perceptron = Perceptron::new(features);
    let mut random = Random::new(seed);
    let mut learner = Learner::new(grammar, options);
    for epoch in 1..=options.parser_epochs {
        let right = learner.epoch(sentences, &mut random, &mut perceptron, |_| ());
        let share = 100.0 * f64::from(right) / sentences.len() as f64;
        eprintln!("    parser epoch {epoch}: {share:.2} % of the sentences right while learning");
    }
    perceptron
}

struct Learner {
    grammar: Grammar,
    search: BeamSearch,
    state: ParserState,
    features: Vec<u32>,
}

impl Learner {
    fn new(grammar: Grammar, options: &TrainOptions) -> Self {
        let beam = BeamLimits { width: options.beam, lag: options.lag.into() };
        Self { grammar, search: BeamSearch::new(grammar, beam), state: ParserState::default(), features: Vec::new() }
    }

    /// Goes once through the sentences in a random order and returns how many were right. `corrected` hears of the
    /// features of every corrected state.
    fn epoch(
        &mut self,
        sentences: &[TrainingSentence],
        random: &mut Random,
        perceptron: &mut Perceptron,
        mut corrected: impl FnMut(&[u32]),
    ) -> u32 {
        let mut order: Vec<usize> = (0..sentences.len()).collect();
        random.shuffle(&mut order);
        let mut right = 0;
        for number in order {
            right += u32::from(!self.learn_from(&sentences[number], perceptron, &mut corrected));
            perceptron.step();
        }
        right
    }

    /// Parses a sentence and corrects the weights; says whether there was something to correct.
    fn learn_from(
        &mut self,
        sentence: &TrainingSentence,
        perceptron: &mut Perceptron,
        corrected: &mut impl FnMut(&[u32]),
    ) -> bool {
        let input = &sentence.input;
        self.search.start(input.len());
        self.state.reset(input.len());
        let mut right_score = 0;
        let mut worst: Option<(i32, Vec<Move>)> = None;
        let steps = sentence.derivation.len();
        for (made, &step) in sentence.derivation.iter().enumerate() {
            input.features(&self.state, &mut self.features);
            let mut scores: ClassScores = [0; MOST_CLASSES + 1];
            perceptron.add(&self.features, &mut scores);
            right_score += scores[self.grammar.moves.class(step) & MOST_CLASSES];
            self.state.apply(step);
            self.search.advance(input, perceptron);
            let violation = self.search.best_score() - right_score;
            // At the last step even a tie must be corrected, or nothing would ever be learnt from all-zero weights.
            let is_last = made + 1 == steps;
            if violation > worst.as_ref().map_or(0, |worst| worst.0) || (is_last && violation == 0 && worst.is_none()) {
                let moves = self.search.best_moves();
                if moves != sentence.derivation[..moves.len()] {
                    worst = Some((violation, moves));
                }
            }
        }
        let Some((_, wrong)) = worst else { return false };
        let shared = wrong.iter().zip(&sentence.derivation).take_while(|(left, right)| left == right).count();
        for (moves, change) in [(&sentence.derivation[..wrong.len()], 1), (&wrong[..], -1)] {
            self.state.reset(input.len());
            for (made, &step) in moves.iter().enumerate() {
                if made >= shared {
                    input.features(&self.state, &mut self.features);
                    perceptron.update(&self.features, self.grammar.moves.class(step), change);
                    corrected(&self.features);
                }
                self.state.apply(step);
            }
        }
        true
    }
}
