//! Each sentence of a response laid over the context: a proof that it says the same, a proof that it says otherwise, or neither.
//!
//! `sentence_units` cuts sentences into what counts, [`path`] finds the cheapest way of a sentence through the sentences of the context that
//! share most with it, [`edits`] reads off what is new, lost, moved or joined, [`binding`] whose value is another one's there, and
//! [`contradiction`] what was put in the place of something that excludes it. Without a harmful edit a sentence is near-verbatim, with one
//! clean exchange it is contradicted, else it is left open, and some of its edits do not let its value decide. The work is in proportion to the text: each sentence is laid over eight others at most.

mod binding;
mod contradiction;
mod edits;
mod path;
mod sentence_units;

use std::cell::OnceCell;
use std::ops::Range;

use probare_english::lexicon::{LexicalRole, LexicalRoles};
use probare_english::text_analysis::{AnalysisSentence, TextAnalysis};
use probare_text::quantities;

use super::super::finding::ContextPlace;
use super::amounts::ResponseAmounts;
use super::sources::ContextIndex;
pub use contradiction::ContradictionKind;
use edits::{AlignmentEdit, SentenceAlignment};
use sentence_units::{AlignmentUnit, UnitValue, sentence_units, sorted_values, values_in_chunk};

/// What was proved of a sentence.
#[derive(Debug, Clone, PartialEq)]
pub enum SentenceVerdict {
    /// The context says it, from the first word that was met to the last.
    Supported(ContextPlace),
    /// The context says otherwise.
    Contradicted {
        /// What was exchanged.
        kind: ContradictionKind,
        /// Bytes of the response.
        span: Range<usize>,
        /// What the context has there.
        source: ContextPlace,
    },
    /// Neither.
    Open {
        /// Bytes of the words of the response that were not met or stand elsewhere.
        words: Vec<Range<usize>>,
        /// What the context has beside, where that is all.
        lost: Option<ContextPlace>,
        /// Whether an edit makes its value no reason to take it for supported: a value that the context lacks or gives to something
        /// else, or most of its words from nowhere.
        is_vetoed: bool,
    },
}

/// Sentences of the context over which one is laid.
const MOST_SENTENCES: usize = 8;

/// Cost of a word up to which a sentence is a copy.
const COPY: f64 = 0.33;

/// The same for a sentence of a single word of content.
const SHORT_COPY: f64 = 0.1;

/// The numbers and dates of both sides.
pub(super) struct ValueLists {
    response: Vec<UnitValue>,
    context: Vec<UnitValue>,
}

impl ValueLists {
    /// Those of a response and those of its context; none where the response has none.
    pub fn new(response: &str, chunks: &[&str], amounts: &ResponseAmounts<'_>) -> Self {
        if amounts.is_empty() {
            return Self { response: Vec::new(), context: Vec::new() };
        }
        // Read as the context is, so that both sides have the same shapes.
        let stated = quantities::amounts(response).into_iter().map(|amount| (0, amount));
        Self {
            response: sorted_values(stated, &[response]),
            context: sorted_values(amounts.context_amounts().iter().cloned(), chunks),
        }
    }
}

/// A context for alignments.
pub(super) struct ContextAligner<'a> {
    sources: &'a ContextIndex,
    values: &'a ValueLists,
    /// Units of each sentence, once they are asked for.
    units: Vec<OnceCell<Vec<AlignmentUnit<'a>>>>,
    /// What each sentence shares with the one that is laid over it.
    sums: Vec<f64>,
}

impl<'a> ContextAligner<'a> {
    pub fn new(sources: &'a ContextIndex, values: &'a ValueLists) -> Self {
        let units = std::iter::repeat_with(OnceCell::new).take(sources.len()).collect();
        Self { sources, values, units, sums: vec![0.0; sources.len()] }
    }

    /// What can be proved of a sentence of the response.
    pub fn align_sentence(
        &mut self,
        analysis: &'a TextAnalysis,
        sentence: &AnalysisSentence,
        amounts: &ResponseAmounts<'_>,
    ) -> SentenceVerdict {
        // "No, they do not sell it" says no once.
        let answers = analysis
            .has_any_role(sentence.content_start, LexicalRoles::from_roles(&[LexicalRole::Yes, LexicalRole::No]));
        let from =
            sentence.content_start + if answers && analysis.word(sentence.content_start + 1) == "," { 2 } else { 0 };
        let units = sentence_units(analysis, sentence, from, 0, &self.values.response, self.sources);
        let near = self.nearest(&units);
        let had: Vec<&AlignmentUnit<'a>> = near.iter().flat_map(|&number| self.units_of(number)).collect();
        let path = path::cheapest_path(&units, &had);
        let mut used = vec![false; had.len()];
        path.matches.iter().flatten().for_each(|&at| used[at] = true);
        let laid =
            SentenceAlignment { analysis, response_units: &units, context_units: &had, path: &path, used: &used };
        let content = units.iter().filter(|unit| unit.logic().is_none()).count();
        let cost = path.cost / units.len().max(1) as f64;
        let is_copy = cost < COPY && content >= 2 || cost < SHORT_COPY && units.len() >= 3;
        let is_near = laid.is_near();
        let doubts = laid.suspect_edits();
        let worked_out = |unit: &AlignmentUnit<'_>| amounts.is_derived(&unit.span);
        if let Some(charge) = is_near.then(|| laid.find_contradiction(&doubts, worked_out)).flatten() {
            let source = self.source_between(had[charge.context_unit], had[charge.context_unit]);
            return SentenceVerdict::Contradicted {
                kind: charge.kind,
                span: units[charge.response_unit].span.clone(),
                source,
            };
        }
        let met = || path.matches.iter().flatten().copied();
        if let (true, true, Some(first)) = (doubts.is_empty(), is_copy, met().next()) {
            // Where several sentences were put together, the one that the first word stands in is shown.
            let in_first = || met().filter(|&at| had[at].sentence == had[first].sentence);
            let (from, to) = (in_first().min().unwrap_or(first), in_first().max().unwrap_or(first));
            return SentenceVerdict::Supported(self.source_between(had[from], had[to]));
        }
        let new = (0..units.len()).filter(|&index| path.matches[index].is_none());
        let mut words: Vec<usize> = new.chain(doubts.iter().filter_map(|doubt| doubt.response_unit)).collect();
        words.sort_unstable();
        words.dedup();
        let lost = doubts.iter().find(|doubt| doubt.edit == AlignmentEdit::Lost).and_then(|doubt| doubt.context_unit);
        let lost = lost.map(|at| self.source_between(had[at], had[at]));
        let is_vetoed = laid.is_vetoed(&doubts);
        SentenceVerdict::Open {
            words: words.into_iter().map(|index| units[index].span.clone()).collect(),
            lost,
            is_vetoed,
        }
    }

    /// The sentences of the context that share most with some units, in order.
    fn nearest(&mut self, units: &[AlignmentUnit<'_>]) -> Vec<usize> {
        let mut touched: Vec<usize> = Vec::new();
        for unit in units {
            let Some(stem) = unit.stem else { continue };
            // A little for each word, so that a word of every sentence counts, too.
            let weight = self.sources.weight(Some(stem)) + 0.01;
            for &place in self.sources.places(stem) {
                probare_cancellation::count_steps(1);
                if self.sums[place] == 0.0 {
                    touched.push(place);
                }
                self.sums[place] += weight;
            }
        }
        touched.sort_by(|&left, &right| self.sums[right].total_cmp(&self.sums[left]).then(left.cmp(&right)));
        for &place in &touched {
            self.sums[place] = 0.0;
        }
        touched.truncate(MOST_SENTENCES);
        touched.sort_unstable();
        touched
    }

    fn units_of(&self, number: usize) -> &[AlignmentUnit<'a>] {
        self.units[number].get_or_init(|| {
            let (analysis, sentence) = self.sources.sentence(number);
            let values = values_in_chunk(&self.values.context, self.sources.source_of(number).chunk);
            sentence_units(analysis, sentence, sentence.tokens.start, number, values, self.sources)
        })
    }

    /// The bytes of the context from one unit to another of its sentence.
    fn source_between(&self, first: &AlignmentUnit<'_>, last: &AlignmentUnit<'_>) -> ContextPlace {
        let chunk = self.sources.source_of(first.sentence).chunk;
        ContextPlace { chunk, span: first.span.start..last.span.end.max(first.span.end) }
    }
}
