//! What a clause of the response turns around: the context says nearly the same words otherwise.
//!
//! Three kinds are looked for, since people agree with their hits more often than with a guess: a denial on one side only, the opposite
//! of a word, another number in the same place.

use std::ops::Range;

use probare_english::lexicon::LexicalRole;
use probare_english::text_analysis::{AnalysisSentence, Clause, TextAnalysis};
use probare_text::number_words::small_number;
use probare_text::wordnet::{PartOfSpeech, WordNet};
use rustc_hash::FxHashSet;

use super::super::finding::ContextPlace;
use super::sources::{ContextIndex, StemId};
use super::support::ContentToken;

/// How a clause differs from the one of the context that says nearly the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReversalKind {
    /// One of the two is denied.
    Denied,
    /// It has the opposite of a word there.
    Opposite,
    /// It has another number or date than the sentence there.
    Numbered,
}

impl ReversalKind {
    /// All of them, the surest first.
    pub const ALL: [Self; 3] = [Self::Denied, Self::Opposite, Self::Numbered];

    /// What evidence says of it.
    pub const fn note(self) -> &'static str {
        match self {
            Self::Denied => "the context says the opposite in the same words: one of the two is denied",
            Self::Opposite => "the context has the opposite of a word here",
            Self::Numbered => "the context has another value here",
        }
    }
}

/// A clause that is turned around.
#[derive(Debug, Clone, PartialEq)]
pub struct Reversal {
    /// How.
    pub kind: ReversalKind,
    /// The bytes of the clause in the response.
    pub span: Range<usize>,
    /// The sentence of the context.
    pub source: ContextPlace,
}

/// Content words from which on a clause is compared though the context has only half of them.
const ENOUGH: usize = 4;

/// Share of the words that the context must have in one sentence.
const SAME_WORDS: f64 = 0.5;

/// The same where a number is held against another one: who speaks of another matter has other numbers.
const SAME_MATTER: f64 = 0.65;

/// A sentence of the response with its content words.
pub(super) struct ResponseSentence<'a> {
    pub analysis: &'a TextAnalysis,
    pub sentence: &'a AnalysisSentence,
    pub content: &'a [ContentToken],
}

/// The turns of a sentence. `nearest` finds the sentence of the context that holds most of some words; `stands_in` tells
/// whether a place in the context has the number of a token, where it has one of that sort.
pub(super) fn find_reversals(
    response: &ResponseSentence<'_>,
    sources: &ContextIndex,
    mut nearest: impl FnMut(&[ContentToken]) -> Option<usize>,
    stands_in: impl Fn(usize, &ContextPlace) -> Option<bool>,
) -> Vec<Reversal> {
    let mut found = Vec::new();
    for clause in response.analysis.clauses(response.sentence) {
        let from = response.content.partition_point(|word| word.token < clause.tokens.start);
        let to = response.content.partition_point(|word| word.token < clause.tokens.end);
        let words = &response.content[from..to];
        if words.len() < 2 {
            continue;
        }
        let Some(near) = nearest(words) else { continue };
        let met = words.iter().filter(|word| word.is_in(sources, near)).count();
        let lacking = words.len() - met;
        let is_enough = words.len() >= ENOUGH && met as f64 >= SAME_WORDS * words.len() as f64;
        if lacking > 1 && !is_enough {
            continue;
        }
        let pair = Pair { response, clause, words, other: NearestClause::find(sources, near, words), sources, near };
        let place = sources.source_of(near);
        let has_other_number = || {
            let is_same = words.len() >= ENOUGH && met as f64 >= SAME_MATTER * words.len() as f64;
            let mut amounts = words.iter().filter(|word| word.is_amount);
            is_same && amounts.any(|word| stands_in(word.token, &place) == Some(false))
        };
        let kinds = ReversalKind::ALL.into_iter().filter(|kind| match kind {
            ReversalKind::Denied => (lacking == 0 || is_enough) && pair.is_denied(),
            ReversalKind::Opposite => lacking > 0 && pair.is_opposite(),
            ReversalKind::Numbered => has_other_number(),
        });
        let span = response.analysis.original_span(pair.clause.tokens.start, pair.clause.tokens.end - 1);
        found.extend(kinds.map(|kind| Reversal { kind, span: span.clone(), source: place.clone() }));
    }
    found
}

/// The clause of the context that holds most of a clause.
struct NearestClause<'a> {
    analysis: &'a TextAnalysis,
    clause: Option<Clause>,
}

impl<'a> NearestClause<'a> {
    fn find(sources: &'a ContextIndex, near: usize, words: &[ContentToken]) -> Self {
        let (analysis, sentence) = sources.sentence(near);
        let mut best: Option<(usize, Clause)> = None;
        for clause in analysis.clauses(sentence) {
            let mut stems: Vec<StemId> =
                clause.tokens.clone().filter_map(|token| sources.stem(analysis.word(token))).collect();
            stems.sort_unstable();
            let is_held = |word: &&ContentToken| word.stem.is_some_and(|stem| stems.binary_search(&stem).is_ok());
            let met = words.iter().filter(is_held).count();
            if best.as_ref().is_none_or(|(most, _)| met > *most) {
                best = Some((met, clause));
            }
        }
        Self { analysis, clause: best.map(|(_, clause)| clause) }
    }
}

/// A clause of the response and the one of the context that comes nearest.
struct Pair<'a> {
    response: &'a ResponseSentence<'a>,
    clause: Clause,
    words: &'a [ContentToken],
    other: NearestClause<'a>,
    sources: &'a ContextIndex,
    near: usize,
}

impl Pair<'_> {
    /// Whether a word of both is denied in one of the two. A denial that only stands in another clause, or belongs to a word that
    /// the other one does not have, is no difference: who says the same in other words may need it.
    fn is_denied(&self) -> bool {
        let Some(other) = &self.other.clause else { return false };
        if sets_limit(self.response.analysis, &self.clause) || sets_limit(self.other.analysis, other) {
            return false;
        }
        // "Why won't it start?" says nothing, and "unable to" is as good as *not*.
        let turns = |analysis: &TextAnalysis, clause: &Clause| {
            clause.tokens.clone().any(|at| turns_by_meaning(analysis.word(at)))
        };
        let is_asked = self.sources.sentence(self.near).1.is_question();
        if is_asked || turns(self.response.analysis, &self.clause) || turns(self.other.analysis, other) {
            return false;
        }
        let stems = |analysis: &TextAnalysis, tokens: Vec<usize>| -> FxHashSet<StemId> {
            tokens.into_iter().filter_map(|token| self.sources.stem(analysis.word(token))).collect()
        };
        let denied = |analysis: &TextAnalysis, tokens: &Range<usize>| {
            stems(analysis, analysis.denied_words(tokens.clone()).into_iter().flatten().collect())
        };
        // "Does not contain eggs" and "contains no eggs" deny the same: what follows a denial in its clause is denied with it.
        let reached = |analysis: &TextAnalysis, tokens: &Range<usize>| {
            let first = analysis.denied_words(tokens.clone()).into_iter().flatten().min().unwrap_or(tokens.end);
            stems(analysis, (first..tokens.end).collect())
        };
        let reached_there = reached(self.other.analysis, &other.tokens);
        let is_same = !reached(self.response.analysis, &self.clause.tokens).is_disjoint(&reached_there);
        let spoken_stems = stems(self.response.analysis, self.clause.tokens.clone().collect());
        let had = stems(self.other.analysis, other.tokens.clone().collect());
        let denied_here = denied(self.response.analysis, &self.clause.tokens);
        let denied_there = denied(self.other.analysis, &other.tokens);
        !is_same
            && (denied_here.iter().any(|stem| had.contains(stem) && !denied_there.contains(stem))
                || denied_there.iter().any(|stem| spoken_stems.contains(stem) && !denied_here.contains(stem)))
    }

    /// Whether the sentence there has the opposite of a word that it lacks, nothing is denied, and the opposite is not said too: "most shut, two
    /// stay open".
    fn is_opposite(&self) -> bool {
        let analysis = self.response.analysis;
        let (there, sentence) = self.sources.sentence(self.near);
        let is_negated = |analysis: &TextAnalysis, mut tokens: Range<usize>| {
            tokens.any(|token| analysis.denial_length(token).is_some())
        };
        if is_negated(analysis, self.clause.tokens.clone()) || is_negated(there, sentence.tokens.clone()) {
            return false;
        }
        let is_said = |stem: StemId| self.response.content.iter().any(|word| word.stem == Some(stem));
        let lacking = self.words.iter().filter(|word| !word.is_in(self.sources, self.near));
        let is_plain = |word: &&ContentToken| {
            let text = analysis.word(word.token);
            !word.is_name && !word.is_amount && !is_placement_verb(text) && small_number(text).is_none()
        };
        lacking.filter(is_plain).any(|word| {
            let opposites = WordNet::embedded().antonyms(analysis.word(word.token));
            let mut stems = opposites.iter().filter_map(|opposite| self.sources.stem(opposite));
            stems.any(|stem| self.sources.is_in(stem, self.near) && !is_said(stem))
        })
    }
}

/// Whether a clause sets a limit or a choice, which can be told with a denial or without.
fn sets_limit(analysis: &TextAnalysis, clause: &Clause) -> bool {
    clause.tokens.clone().any(|token| analysis.has_role(token, LexicalRole::Limit))
}

/// Whether a word denies by its meaning, so that a clause with it and one with *not* may say the same: "unable to", "avoid becoming".
pub(super) fn turns_by_meaning(word: &str) -> bool {
    const BEGINNINGS: [&str; 8] = ["avoid", "prevent", "refus", "reject", "fail", "lack", "den", "unabl"];
    matches!(word, "without" | "neither" | "nor" | "absent" | "impossible" | "inability")
        || BEGINNINGS.iter().any(|beginning| word.starts_with(beginning))
            && !matches!(word, "den" | "dense" | "density" | "dental")
}

/// Whether a verb only places or moves something, so that its opposite may say the same: "sits on a rock", "stands on a rock".
pub(super) fn is_placement_verb(word: &str) -> bool {
    const LIGHT: [&str; 14] =
        ["go", "come", "give", "take", "sit", "stand", "bring", "send", "leave", "stay", "get", "put", "lie", "keep"];
    let forms = WordNet::embedded().base_forms(word, PartOfSpeech::Verb);
    forms.iter().any(|form| LIGHT.contains(&form.as_str()))
}
