//! How much of a sentence the context lacks: its words, its pairs of words, and what the best one or two sentences leave open.

use std::ops::Range;

use probare_cancellation::count_steps;
use probare_english::lexicon::LexicalRole;
use probare_english::text_analysis::{AnalysisSentence, TextAnalysis};
use probare_text::wordnet::WordNet;
use rustc_hash::FxHashSet;

use super::alignment::SentenceVerdict;
use super::amounts::ResponseAmounts;
use super::reversals::{ResponseSentence, Reversal, ReversalKind, find_reversals};
use super::sources::{ContextIndex, StemId, is_name, word_parts};

/// The shares of a sentence that the context lacks, each between 0 and 1.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct MissingShares {
    /// Content words, by stem; a synonym in the context counts half.
    pub words: f64,
    /// Pairs of neighbouring content words that no sentence of the context holds together.
    pub pairs: f64,
    /// What the best two sentences of the context leave open, by how rare the words are.
    pub cover: f64,
    /// 1 if it has a name that the context lacks.
    pub names: f64,
    /// 1 if it has a number or date that the context lacks, or has elsewhere, with another one in its place.
    pub numbers: f64,
    /// 1 if a sentence of the context says the opposite in nearly the same words: one of the two is denied, or it has the
    /// opposite of a word.
    pub opposed: f64,
}

impl MissingShares {
    /// A fifth of words, pairs and cover, and two fifths of names, numbers and what is opposed, 1 at most. New words may say the
    /// same; another name, number or a denial cannot, so that one of these alone makes a sentence unsupported.
    pub fn value(&self) -> f64 {
        let (other_words, other_facts) =
            (self.words + self.pairs + self.cover, self.names + self.numbers + self.opposed);
        ((other_words + 2.0 * other_facts) / 5.0).min(1.0)
    }
}

/// A sentence of the response and what the context has of it.
#[derive(Debug, Clone, PartialEq)]
pub struct SentenceSupport {
    /// Its bytes of the response, without what introduces it.
    pub span: Range<usize>,
    /// What the context lacks.
    pub shares: MissingShares,
    /// Tokens that the context lacks.
    pub missing: Vec<usize>,
    /// Tokens of names, each with whether the context has it.
    pub names: Vec<(usize, bool)>,
    /// The sentence of the context that holds most of it.
    pub nearest: Option<usize>,
    /// Share of its content words, numbers aside, that the nearest sentence holds.
    pub held: f64,
    /// Clauses that say otherwise what the context says in nearly the same words.
    pub reversals: Vec<Reversal>,
    /// What was proved of it.
    pub verdict: SentenceVerdict,
    /// Its content words and numbers.
    pub content: usize,
}

impl SentenceSupport {
    /// Whether its value may not speak for it: a value or a denial is another one, or most of its words are from nowhere.
    pub fn is_vetoed(&self) -> bool {
        let is_edited = matches!(
            self.verdict,
            SentenceVerdict::Contradicted { .. } | SentenceVerdict::Open { is_vetoed: true, .. }
        );
        is_edited || self.shares.numbers > 0.0 || self.shares.opposed > 0.0
    }
}

/// Sums for each sentence of the context, used again for the next sentence.
#[derive(Debug, Default)]
pub(super) struct SupportScratch {
    sums: Vec<f64>,
    touched: Vec<usize>,
}

/// Content words after a word that make a pair with it.
const WINDOW: usize = 3;

/// A content word of the sentence.
pub(super) struct ContentToken {
    pub token: usize,
    pub stem: Option<StemId>,
    pub weight: f64,
    pub is_name: bool,
    pub is_amount: bool,
}

/// The content words of a sentence. Numbers are looked for by `amounts`.
fn content_tokens(
    analysis: &TextAnalysis,
    sentence: &AnalysisSentence,
    sources: &ContextIndex,
    amounts: &ResponseAmounts<'_>,
) -> Vec<ContentToken> {
    let mut content: Vec<ContentToken> = Vec::new();
    for token in sentence.content_start..sentence.tokens.end {
        count_steps(1);
        let found = &analysis.tokens[token];
        if !found.is_word {
            continue;
        }
        let amount = amounts.is_supported_at(&found.origin);
        if amount.is_none() && found.roles.has(LexicalRole::Function) {
            continue;
        }
        let is_name = amount.is_none() && found.is_capital && is_name(analysis, sentence, token);
        for part in word_parts(analysis.word(token)) {
            let stem = sources.stem(part);
            // A number that the context has in other words or another unit is held, though not by its words.
            if stem.is_none() && amount == Some(true) {
                continue;
            }
            content.push(ContentToken {
                token,
                stem,
                weight: sources.weight(stem),
                is_name,
                is_amount: amount.is_some(),
            });
        }
    }
    content
}

/// Holds a sentence against the context. Numbers are looked for by `amounts`.
pub(super) fn sentence_support(
    analysis: &TextAnalysis,
    sentence: &AnalysisSentence,
    sources: &ContextIndex,
    amounts: &ResponseAmounts<'_>,
    scratch: &mut SupportScratch,
) -> SentenceSupport {
    let span = analysis.original_span(sentence.content_start, sentence.tokens.end - 1);
    let content = content_tokens(analysis, sentence, sources, amounts);
    let mut support = SentenceSupport {
        span,
        shares: MissingShares::default(),
        missing: Vec::new(),
        names: Vec::new(),
        nearest: None,
        held: 0.0,
        reversals: Vec::new(),
        verdict: SentenceVerdict::Open { words: Vec::new(), lost: None, is_vetoed: false },
        content: content.len(),
    };
    measure_missing(&content, analysis, sources, &mut support);
    support.shares.pairs = pairs(&content, sources).unwrap_or(support.shares.words);
    measure_cover(&content, sources, scratch, &mut support);
    if let Some(nearest) = support.nearest {
        support.held = held_share(&content, sources, nearest);
    }
    support.reversals = find_reversals(
        &ResponseSentence { analysis, sentence, content: &content },
        sources,
        |words| {
            let weights: Vec<(Option<StemId>, f64)> = words.iter().map(|word| (word.stem, word.weight)).collect();
            best_sentence(&weights, sources, scratch).map(|(nearest, _)| nearest)
        },
        |token, place| amounts.stands_in(&analysis.tokens[token].origin, place),
    );
    let has = |kinds: &[ReversalKind]| {
        f64::from(u8::from(support.reversals.iter().any(|turned| kinds.contains(&turned.kind))))
    };
    support.shares.opposed = has(&[ReversalKind::Denied, ReversalKind::Opposite]);
    support.shares.numbers = has(&[ReversalKind::Numbered]);
    // A sentence of few words says little: each share is that of one word more, which the context has.
    let few = content.len() as f64 / (content.len() as f64 + 1.0);
    support.shares.words *= few;
    support.shares.pairs *= few;
    support.shares.cover *= few;
    support
}

/// The words and names that the context lacks.
fn measure_missing(
    content: &[ContentToken],
    analysis: &TextAnalysis,
    sources: &ContextIndex,
    support: &mut SentenceSupport,
) {
    let mut lacking = 0.0;
    for word in content {
        count_steps(1);
        let is_held = word.stem.is_some();
        let is_known = is_held || word.is_name && sources.has_name_like(analysis.word(word.token));
        if word.is_name {
            support.names.push((word.token, is_known));
        }
        if !is_known {
            let has_synonym = !word.is_name && has_synonym(analysis.word(word.token), sources);
            lacking += if has_synonym { 0.5 } else { 1.0 };
            if support.missing.last() != Some(&word.token) && !has_synonym {
                support.missing.push(word.token);
            }
        }
    }
    support.shares.words = lacking / content.len().max(1) as f64;
    support.shares.names = f64::from(u8::from(support.names.iter().any(|(_, is_known)| !is_known)));
}

/// Share of the content words, numbers aside, that a sentence of the context holds.
fn held_share(content: &[ContentToken], sources: &ContextIndex, nearest: usize) -> f64 {
    let words = content.iter().filter(|word| !word.is_amount);
    let met = words.clone().filter(|word| word.is_in(sources, nearest)).count();
    met as f64 / words.count().max(1) as f64
}

impl ContentToken {
    pub(super) fn is_in(&self, sources: &ContextIndex, sentence: usize) -> bool {
        self.stem.is_some_and(|stem| sources.is_in(stem, sentence))
    }
}

/// Whether the context has a word that shares a meaning with this one.
fn has_synonym(word: &str, sources: &ContextIndex) -> bool {
    WordNet::embedded().synonyms(word).iter().any(|other| sources.stem(other).is_some())
}

/// Share of the pairs that no sentence of the context holds.
fn pairs(content: &[ContentToken], sources: &ContextIndex) -> Option<f64> {
    let (mut all, mut lacking) = (0_u32, 0_u32);
    for (at, left) in content.iter().enumerate() {
        for right in content.iter().skip(at + 1).take(WINDOW) {
            all += 1;
            let is_held = match (left.stem, right.stem) {
                (Some(left), Some(right)) => stand_together(left, right, sources),
                _ => false,
            };
            lacking += u32::from(!is_held);
        }
    }
    (all > 0).then(|| f64::from(lacking) / f64::from(all))
}

fn stand_together(left: StemId, right: StemId, sources: &ContextIndex) -> bool {
    if sources.is_everywhere(left) || sources.is_everywhere(right) {
        return true;
    }
    let (mut left, mut right) = (sources.places(left).iter().peekable(), sources.places(right).iter().peekable());
    while let (Some(one), Some(other)) = (left.peek(), right.peek()) {
        match one.cmp(other) {
            std::cmp::Ordering::Less => left.next(),
            std::cmp::Ordering::Greater => right.next(),
            std::cmp::Ordering::Equal => return true,
        };
    }
    false
}

/// What the best sentence, and the best two together, hold of a sentence.
fn measure_cover(
    content: &[ContentToken],
    sources: &ContextIndex,
    scratch: &mut SupportScratch,
    support: &mut SentenceSupport,
) {
    let mut distinct: Vec<(Option<StemId>, f64)> = Vec::with_capacity(content.len());
    let mut seen: FxHashSet<StemId> = FxHashSet::default();
    for word in content {
        if word.stem.is_none_or(|stem| seen.insert(stem)) {
            distinct.push((word.stem, word.weight));
        }
    }
    let whole: f64 = distinct.iter().map(|(_, weight)| weight).sum();
    if whole <= 0.0 {
        return;
    }
    let first = best_sentence(&distinct, sources, scratch);
    let Some((nearest, held)) = first else {
        support.shares.cover = 1.0;
        return;
    };
    distinct.retain(|(stem, _)| !stem.is_some_and(|stem| sources.is_in(stem, nearest)));
    let second = best_sentence(&distinct, sources, scratch).map_or(0.0, |(_, held)| held);
    support.nearest = Some(nearest);
    support.shares.cover = (1.0 - (held + second) / whole).clamp(0.0, 1.0);
}

/// The sentence that holds most by weight, the first of equals, and how much it holds.
fn best_sentence(
    words: &[(Option<StemId>, f64)],
    sources: &ContextIndex,
    scratch: &mut SupportScratch,
) -> Option<(usize, f64)> {
    scratch.sums.resize(sources.len(), 0.0);
    for (stem, weight) in words {
        count_steps(1);
        for &place in stem.map_or(&[][..], |stem| sources.places(stem)) {
            if scratch.sums[place] == 0.0 {
                scratch.touched.push(place);
            }
            scratch.sums[place] += weight;
        }
    }
    let mut best: Option<(usize, f64)> = None;
    for &place in &scratch.touched {
        let sum = scratch.sums[place];
        if best.is_none_or(|(first, most)| sum > most || sum == most && place < first) {
            best = Some((place, sum));
        }
        scratch.sums[place] = 0.0;
    }
    scratch.touched.clear();
    best
}
