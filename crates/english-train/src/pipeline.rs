//! The order of learning: tagger, lemmatiser, tags for the parser, parser.

use std::collections::BTreeMap;

use crate::oracle::ReferenceTree;
use crate::parser::TrainingSentence;
use crate::sum::{self, Sum};
use crate::tagger::{self, TaggedSentence};
use crate::treebank::AnnotatedSentence;
use crate::{TrainError, TrainOptions, lemma, parser};
use probare_english::bytes::{ByteReader, ByteWriter};
use probare_english::lemma::Lemmatizer;
use probare_english::sentence_analysis::parser_input;
use probare_english::tagger::{AmbiguityClasses, Tag, write_classes};
use probare_english::transition::LabelId;
use probare_english::{model, weights};

/// Learns everything and hands the content of a model file to `save` after each parser that was added.
pub(crate) fn learn(
    train: &[AnnotatedSentence],
    options: &TrainOptions,
    mut save: impl FnMut(&[u8]) -> Result<(), TrainError>,
) -> Result<(), TrainError> {
    let tags = tagger::tag_set(train);
    let tagged = tagger::prepare(train, &tags);
    let mut content = ByteWriter::default();

    eprintln!("learning to tag");
    write_tagger(&mut content, &tagged, &tags, options);
    let lemma_rules = lemma::learn(train).content();
    let lemmatizer = Lemmatizer::read(&mut ByteReader::new(&lemma_rules))?;
    content.raw(&lemma_rules);

    eprintln!("tagging the training part by taggers that do not know it");
    let guesses = tagger::tags_from_others(&tagged, &tags, options)?;

    eprintln!("learning to parse");
    let labels = relation_set(train);
    let grammar = model::grammar(&labels)?;
    content.count(labels.len());
    for label in &labels {
        content.string(label);
    }
    content.count(options.beam);
    content.count(sum::PARSER.units(options.lag.into()));
    let content = content.finish();

    let parsed: Vec<TrainingSentence> = train
        .iter()
        .zip(&tagged)
        .zip(&guesses)
        .map(|((gold, tagged), guess)| {
            let words = gold.tokens.iter().zip(guess);
            let lemmas: Vec<String> =
                words.map(|(token, tag)| lemmatizer.lemma(&token.form, tags[usize::from(*tag)])).collect();
            let input = parser_input(&tagged.words, &lemmas, guess, &tags);
            TrainingSentence::new(input, &reference_tree(gold, &labels))
        })
        .collect();
    let features = parser::useful_features(&parsed, grammar, options);
    eprintln!("  {} features were part of at least {} corrections", features.len(), options.parser_least);
    let mut sum = Sum::default();
    for number in 0..options.parsers {
        eprintln!("  parser {} of {}", number + 1, options.parsers);
        sum.add(&parser::learn(&parsed, &features, grammar, options, options.seed + 300 + number as u64));
        let mut writer = ByteWriter::default();
        writer.raw(&content);
        weights::write(&mut writer, &sum.rows(sum::PARSER));
        save(&writer.finish())?;
    }
    Ok(())
}

fn write_tagger(content: &mut ByteWriter, sentences: &[TaggedSentence], tags: &[Tag], options: &TrainOptions) {
    let all: Vec<&TaggedSentence> = sentences.iter().collect();
    let entries = tagger::ambiguity_classes(&all);
    let classes = AmbiguityClasses::from_sorted(&entries);
    let mut sum = Sum::default();
    for number in 0..options.taggers {
        let seed = options.seed + 100 + number as u64;
        sum.add(&tagger::learn(&all, tags, &classes, options.tagger_least, options.tagger_epochs, seed));
    }
    content.count(tags.len());
    for tag in tags {
        content.string(tag.upos.as_str());
        content.string(tag.xpos);
    }
    write_classes(content, &entries);
    weights::write(content, &sum.rows(sum::TAGGER));
}

/// All relations, the most frequent first: the parser's label sets have 64 bits and rare labels share the last.
fn relation_set(sentences: &[AnnotatedSentence]) -> Vec<&'static str> {
    let mut counts: BTreeMap<&'static str, usize> = BTreeMap::new();
    for token in sentences.iter().flat_map(|sentence| &sentence.tokens) {
        *counts.entry(token.relation).or_default() += 1;
    }
    let mut relations: Vec<(&'static str, usize)> = counts.into_iter().collect();
    relations.sort_by_key(|relation| std::cmp::Reverse(relation.1));
    relations.into_iter().map(|relation| relation.0).collect()
}

fn reference_tree(sentence: &AnnotatedSentence, labels: &[&'static str]) -> ReferenceTree {
    let heads: Vec<Option<usize>> = sentence.tokens.iter().map(|token| token.head).collect();
    let number = |relation: &str| labels.iter().position(|label| *label == relation).unwrap_or(0);
    let numbers = sentence.tokens.iter().map(|token| LabelId::try_from(number(token.relation)).unwrap_or(0)).collect();
    ReferenceTree::new(&heads, numbers)
}
