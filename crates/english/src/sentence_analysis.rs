//! From words to trees: tags, lemmas, heads and relations of one sentence.

use crate::Span;
use crate::document::{ParsedSentence, ParsedToken};
use crate::hash;
use crate::labels::Upos;
use crate::model::ParserModel;
use crate::search::BeamSearch;
use crate::tagger::{Tag, TagId};
use crate::templates::{Atoms, ParserInput};
use crate::transition::ParserState;
use crate::word::HashedWord;

/// Whether words that the weights are known to take for something else are mended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TagCorrection {
    /// They are.
    Enabled,
    /// The weights alone decide.
    Disabled,
}

/// How much of the analysis is wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AnalysisDepth {
    /// Tags and lemmas.
    Tags,
    /// Heads and relations too.
    Tree,
}

/// Analyses sentences one after the other, keeping its memory between them.
#[derive(Debug)]
pub struct Analyzer<'m> {
    model: &'m ParserModel,
    search: BeamSearch,
    depth: AnalysisDepth,
    mending: TagCorrection,
}

impl<'m> Analyzer<'m> {
    /// An analyser that uses a model.
    pub fn new(model: &'m ParserModel, depth: AnalysisDepth, mending: TagCorrection) -> Self {
        Self { model, search: BeamSearch::new(model.grammar, model.beam), depth, mending }
    }

    /// Analyses one sentence, given as words with their places in the text. It must be shorter than 65,535 words.
    pub fn analyze(&mut self, words: &[(&str, Span)]) -> ParsedSentence {
        let model = self.model;
        let hashed: Vec<HashedWord> = words.iter().map(|(form, _)| HashedWord::new(form)).collect();
        let mut tags = model.tagger.tag(&hashed);
        if self.mending == TagCorrection::Enabled {
            correct_price_verbs(words, &mut tags, &model.tagger.tags);
        }
        let tag = |id: TagId| model.tagger.tags[usize::from(id)];
        let lemmas: Vec<String> =
            words.iter().zip(&tags).map(|((form, _), id)| model.lemmatizer.lemma(form, tag(*id))).collect();
        let arcs = match self.depth {
            AnalysisDepth::Tags => vec![(None, UNKNOWN); words.len()],
            AnalysisDepth::Tree => {
                let input = parser_input(&hashed, &lemmas, &tags, &model.tagger.tags);
                self.search.run(&input, &model.parser);
                arcs(self.search.best(), &model.labels)
            }
        };
        let tokens = words
            .iter()
            .zip(tags)
            .zip(lemmas)
            .zip(arcs)
            .map(|((((form, span), id), lemma), (head, relation))| ParsedToken {
                span: span.clone(),
                form: (*form).to_owned(),
                lemma,
                upos: tag(id).upos,
                xpos: tag(id).xpos,
                head,
                relation,
            })
            .collect();
        ParsedSentence { tokens }
    }
}

/// "Adult tickets cost £20", "The bridge cost $48 million": between a noun and an amount *cost* is a verb. The treebank has
/// the noun for the most part, and the model takes it for one.
fn correct_price_verbs(words: &[(&str, Span)], tags: &mut [TagId], tag_set: &[Tag]) {
    let id = |xpos: &str| {
        let found = tag_set.iter().position(|tag| tag.upos == Upos::Verb && tag.xpos == xpos);
        found.and_then(|found| TagId::try_from(found).ok())
    };
    let (Some(present), Some(past)) = (id("VBP"), id("VBD")) else { return };
    for at in 1..words.len().saturating_sub(1) {
        let tag = |at: usize| tag_set[usize::from(tags[at])];
        let is_noun = words[at].0.eq_ignore_ascii_case("cost") && tag(at).upos == Upos::Noun;
        if is_noun && opens_amount(words[at + 1].0) {
            match tag(at - 1).xpos {
                "NNS" | "NNPS" => tags[at] = present,
                "NN" | "NNP" => tags[at] = past,
                _ => {}
            }
        }
    }
}

/// Whether an amount may begin with this word: a sign of currency, a numeral, or a word that says how exact it is.
fn opens_amount(word: &str) -> bool {
    let is_sign = |first: char| first.is_ascii_digit() || matches!(first, '$' | '£' | '€' | '¥');
    let words =
        ["about", "around", "between", "from", "only", "over", "roughly", "up", "nearly", "almost", "less", "more"];
    word.starts_with(is_sign) || matches!(word, "USD" | "EUR" | "GBP") || words.contains(&word)
}

/// The relation of a word that has not been parsed, as CoNLL-U writes what is not known.
pub const UNKNOWN: &str = "_";

/// A sentence as the parser sees it, from what the tagger and the lemmatiser found.
pub fn parser_input(words: &[HashedWord], lemmas: &[String], tags: &[TagId], tag_set: &[Tag]) -> ParserInput {
    ParserInput::new(words.iter().zip(lemmas).zip(tags).map(|((word, lemma), &id)| {
        let upos = tag_set[usize::from(id)].upos;
        (Atoms::new(word.lower, hash::text(lemma), id, upos), upos)
    }))
}

/// Heads and relations of a finished state. The transition system may leave several words at the root; the first of
/// them stays there and takes the others as loosely joined clauses.
fn arcs(state: &ParserState, labels: &[&'static str]) -> Vec<(Option<usize>, &'static str)> {
    let root = state.root();
    let words = &state.nodes[..usize::from(root)];
    let first = words.iter().position(|node| node.head >= root);
    words
        .iter()
        .enumerate()
        .map(|(position, node)| {
            if node.head < root {
                (Some(usize::from(node.head)), labels.get(usize::from(node.label)).copied().unwrap_or("dep"))
            } else if first == Some(position) {
                (None, "root")
            } else {
                (first, "parataxis")
            }
        })
        .collect()
}
