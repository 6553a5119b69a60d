//! Learns the lemmatiser by counting, for every ending of the training words, what was right most often.

use std::collections::BTreeMap;

use crate::treebank::AnnotatedSentence;
use probare_english::bytes::ByteWriter;
use probare_english::lemma::{RuleKeys, RuleKind, SuffixEdit, keys, shared_prefix, write};
use probare_english::word::{Capitals, capitals};

/// Edits and rules, ready to be written.
#[derive(Debug)]
pub(crate) struct LemmaRules {
    edits: Vec<SuffixEdit>,
    rules: Vec<(u32, u32)>,
}

impl LemmaRules {
    /// As the lemmatiser reads them.
    pub(crate) fn content(&self) -> Vec<u8> {
        let mut writer = ByteWriter::default();
        write(&mut writer, &self.edits, &self.rules);
        writer.finish()
    }
}

/// Learns both kinds of rules. What a word's keys are is decided by [`keys`], shared with the lemmatiser.
pub(crate) fn learn(sentences: &[AnnotatedSentence]) -> LemmaRules {
    let mut capitals_seen: AnswerCounts<u32> = BTreeMap::new();
    let mut edits_seen: AnswerCounts<SuffixEdit> = BTreeMap::new();
    for token in sentences.iter().flat_map(|sentence| &sentence.tokens) {
        // The first half of a word written apart carries the lemma of the whole; there is nothing to learn from it.
        if token.tag.xpos == "GW" || token.lemma == "_" {
            continue;
        }
        let lower = token.form.to_lowercase();
        let stays = shared_prefix(&token.form, &token.lemma) > shared_prefix(&lower, &token.lemma);
        if capitals(&token.form) != Capitals::None {
            let keys = keys(&token.form, token.tag, RuleKind::Capitals);
            *capitals_seen.entry(keys).or_default().entry(u32::from(stays)).or_default() += 1;
        }
        let base = if stays { &token.form } else { &lower };
        let keys = keys(&token.form, token.tag, RuleKind::Ending);
        *edits_seen.entry(keys).or_default().entry(SuffixEdit::between(base, &token.lemma)).or_default() += 1;
    }
    let mut rules = rules(&capitals_seen);
    let mut edits: Vec<SuffixEdit> = Vec::new();
    let mut numbers: BTreeMap<SuffixEdit, u32> = BTreeMap::new();
    for (key, edit) in self::rules(&edits_seen) {
        let number = *numbers.entry(edit).or_insert_with_key(|edit| {
            edits.push(edit.clone());
            u32::try_from(edits.len() - 1).expect("fewer edits than words")
        });
        rules.insert(key, number);
    }
    LemmaRules { edits, rules: rules.into_iter().collect() }
}

/// How often each answer was right for words with the same keys.
type AnswerCounts<A> = BTreeMap<RuleKeys, BTreeMap<A, u32>>;

/// For every key the answer that is right most often, kept only where it differs from that of the next shorter ending.
fn rules<A: Ord + Clone>(seen: &AnswerCounts<A>) -> BTreeMap<u32, A> {
    let mut counts: BTreeMap<u32, BTreeMap<&A, u32>> = BTreeMap::new();
    for (keys, answers) in seen {
        for key in keys.iter().flatten() {
            for (answer, count) in answers {
                *counts.entry(*key).or_default().entry(answer).or_default() += count;
            }
        }
    }
    let best: BTreeMap<u32, &A> =
        counts.iter().filter_map(|(key, answers)| Some((*key, most_frequent(answers)?))).collect();
    let mut rules = BTreeMap::new();
    for keys in seen.keys() {
        // From the shortest ending to the whole word.
        let mut inherited: Option<&A> = None;
        for key in keys.iter().rev().flatten() {
            let Some(&answer) = best.get(key) else { continue };
            if inherited != Some(answer) {
                rules.insert(*key, answer.clone());
            }
            inherited = Some(answer);
        }
    }
    rules
}

/// The answer seen most often, of equals the smallest.
fn most_frequent<'a, A>(answers: &BTreeMap<&'a A, u32>) -> Option<&'a A> {
    let mut best: Option<(&'a A, u32)> = None;
    for (&answer, &count) in answers {
        if best.is_none_or(|(_, most)| count > most) {
            best = Some((answer, count));
        }
    }
    best.map(|(answer, _)| answer)
}
