//! From words to trees: tags, lemmas, heads and relations of one sentence.

use crate::Span;
use crate::document::{Sentence, Token};
use crate::hash;
use crate::model::Model;
use crate::search::Search;
use crate::tagger::{Tag, TagId};
use crate::templates::{Atoms, ParserInput};
use crate::transition::State;
use crate::word::Word;

/// How much of the analysis is wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Depth {
    /// Tags and lemmas.
    Tags,
    /// Heads and relations too.
    Tree,
}

/// Analyses sentences one after the other, keeping its memory between them.
#[derive(Debug)]
pub(crate) struct Analyzer<'m> {
    model: &'m Model,
    search: Search,
    depth: Depth,
}

impl<'m> Analyzer<'m> {
    /// An analyser that uses a model.
    pub(crate) fn new(model: &'m Model, depth: Depth) -> Self {
        Self { model, search: Search::new(model.grammar, model.beam), depth }
    }

    /// Analyses one sentence, given as words with their places in the text. It must be shorter than 65,535 words.
    pub(crate) fn sentence(&mut self, words: &[(&str, Span)]) -> Sentence {
        let model = self.model;
        let hashed: Vec<Word> = words.iter().map(|(form, _)| Word::new(form)).collect();
        let tags = model.tagger.tag(&hashed);
        let tag = |id: TagId| model.tagger.tags[usize::from(id)];
        let lemmas: Vec<String> =
            words.iter().zip(&tags).map(|((form, _), id)| model.lemmatizer.lemma(form, tag(*id))).collect();
        let arcs = match self.depth {
            Depth::Tags => vec![(None, UNKNOWN); words.len()],
            Depth::Tree => {
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
            .map(|((((form, span), id), lemma), (head, relation))| Token {
                span: span.clone(),
                form: (*form).to_owned(),
                lemma,
                upos: tag(id).upos,
                xpos: tag(id).xpos,
                head,
                relation,
            })
            .collect();
        Sentence { tokens }
    }
}

/// The relation of a word that has not been parsed, as CoNLL-U writes what is not known.
pub(crate) const UNKNOWN: &str = "_";

/// A sentence as the parser sees it, from what the tagger and the lemmatiser found.
pub(crate) fn parser_input(words: &[Word], lemmas: &[String], tags: &[TagId], tag_set: &[Tag]) -> ParserInput {
    ParserInput::new(words.iter().zip(lemmas).zip(tags).map(|((word, lemma), &id)| {
        let upos = tag_set[usize::from(id)].upos;
        (Atoms::new(word.lower, hash::text(lemma), id, upos), upos)
    }))
}

/// Heads and relations of a finished state. The transition system may leave several words at the root; the first of
/// them stays there and takes the others as loosely joined clauses.
fn arcs(state: &State, labels: &[&'static str]) -> Vec<(Option<usize>, &'static str)> {
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
