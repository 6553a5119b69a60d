//! Each sentence of a response laid over the context: a proof that it says the same, a proof that it says otherwise, or neither.
//!
//! [`units`] cuts sentences into what counts, [`path`] finds the cheapest way of a sentence through the sentences of the context that
//! share most with it, [`edits`] reads off what is new, lost, moved or joined, [`exchange`] what was put in the place of something
//! that excludes it, [`roles`] whether what stands elsewhere still does the same to the same. Without a harmful edit a sentence is supported, with one clean exchange it is contradicted, else it is left
//! open. The work is in proportion to the text: each sentence is laid over eight others at most.

mod edits;
mod exchange;
mod path;
mod roles;
mod units;

use std::cell::OnceCell;
use std::ops::Range;

use probare_nlp::lexicon::{Sort, Sorts};
use probare_nlp::reading::{Reading, Sentence};
use probare_text::quantities;

use super::super::finding::Source;
use super::amounts::Amounts;
use super::sources::Sources;
use edits::{Doubt, Edit, Laid};
pub use exchange::Exchange;
use roles::{Bindings, Roles};
use units::{Unit, Value, of_chunk, units, values};

/// What was proved of a sentence.
#[derive(Debug, Clone, PartialEq)]
pub enum Proof {
    /// The context says it, from the first word that was met to the last.
    Supported(Source),
    /// The context says otherwise.
    Exchanged {
        /// What was exchanged.
        exchange: Exchange,
        /// Bytes of the response.
        span: Range<usize>,
        /// What the context has there.
        source: Source,
    },
    /// Neither.
    Open {
        /// Bytes of the words of the response that were not met or stand elsewhere.
        words: Vec<Range<usize>>,
        /// What the context has beside, where that is all.
        lost: Option<Source>,
    },
}

/// Sentences of the context over which one is laid.
const MOST_SENTENCES: usize = 8;

/// Cost of a word up to which a sentence is a copy.
const COPY: f64 = 0.33;

/// The same for a sentence of a single word of content.
const SHORT_COPY: f64 = 0.1;

/// The numbers and dates of both sides.
pub(super) struct Values {
    said: Vec<Value>,
    had: Vec<Value>,
}

impl Values {
    /// Those of a response and those of its context; none where the response has none.
    pub fn new(response: &str, chunks: &[&str], amounts: &Amounts<'_>) -> Self {
        if amounts.is_empty() {
            return Self { said: Vec::new(), had: Vec::new() };
        }
        // Read as the context is, so that both sides have the same shapes.
        let said = quantities::amounts(response).into_iter().map(|amount| (0, amount));
        Self { said: values(said, &[response]), had: values(amounts.had().iter().cloned(), chunks) }
    }
}

/// A context for alignments.
pub(super) struct Page<'a> {
    sources: &'a Sources,
    values: &'a Values,
    /// Units of each sentence, once they are asked for.
    units: Vec<OnceCell<Vec<Unit<'a>>>>,
    /// What each sentence shares with the one that is laid over it.
    sums: Vec<f64>,
}

impl<'a> Page<'a> {
    pub fn new(sources: &'a Sources, values: &'a Values) -> Self {
        let units = std::iter::repeat_with(OnceCell::new).take(sources.len()).collect();
        Self { sources, values, units, sums: vec![0.0; sources.len()] }
    }

    /// What can be proved of a sentence of the response.
    pub fn proof(&mut self, reading: &'a Reading, sentence: &Sentence, amounts: &Amounts<'_>) -> Proof {
        // "No, they do not sell it" says no once.
        let answers = reading.is_any(sentence.opening, Sorts::of(&[Sort::Yes, Sort::No]));
        let from = sentence.opening + if answers && reading.word(sentence.opening + 1) == "," { 2 } else { 0 };
        let said = units(reading, sentence, from, 0, &self.values.said, self.sources);
        let near = self.nearest(&said);
        let had: Vec<&Unit<'a>> = near.iter().flat_map(|&number| self.units_of(number)).collect();
        let path = path::cheapest(&said, &had);
        let mut used = vec![false; had.len()];
        path.met.iter().flatten().for_each(|&at| used[at] = true);
        let laid = Laid { reading, said: &said, had: &had, path: &path, used: &used };
        let content = said.iter().filter(|unit| unit.logic().is_none()).count();
        let cost = path.cost / said.len().max(1) as f64;
        let mut is_copy = cost < COPY && content >= 2 || cost < SHORT_COPY && said.len() >= 3;
        let is_near = laid.is_near();
        let mut doubts = if is_copy || is_near { laid.doubts() } else { Vec::new() };
        let worked_out = |unit: &Unit<'_>| amounts.is_worked_out(&unit.span);
        if let Some(charge) = is_near.then(|| laid.exchange(&doubts, worked_out)).flatten() {
            let source = self.place(had[charge.had], had[charge.had]);
            return Proof::Exchanged { exchange: charge.exchange, span: said[charge.said].span.clone(), source };
        }
        if (is_copy || is_near) && laid.asks_for_roles(&doubts) {
            match self.roles(&laid, reading, sentence, &doubts) {
                Roles::Kept => {
                    // What only stands elsewhere costs nothing.
                    let turned = doubts.iter().filter(|doubt| doubt.edit == Edit::Turned).count();
                    is_copy |= (path.cost - turned as f64 * path::BACK) / (said.len().max(1) as f64) < COPY;
                    doubts.clear();
                }
                Roles::Exchanged(said_at, had_at) => {
                    let (span, had) = (said[said_at].span.clone(), had[had_at]);
                    return Proof::Exchanged { exchange: Exchange::Roles, span, source: self.place(had, had) };
                }
                Roles::Turned(index) => doubts.push(Doubt { edit: Edit::Moved, said: Some(index), had: None }),
                Roles::Unknown => {}
            }
        }
        let met = || path.met.iter().flatten().copied();
        if let (true, true, Some(first)) = (doubts.is_empty(), is_copy, met().next()) {
            // Where several sentences were put together, the one that the first word stands in is shown.
            let in_first = || met().filter(|&at| had[at].sentence == had[first].sentence);
            let (from, to) = (in_first().min().unwrap_or(first), in_first().max().unwrap_or(first));
            return Proof::Supported(self.place(had[from], had[to]));
        }
        let new = (0..said.len()).filter(|&index| path.met[index].is_none());
        let mut words: Vec<usize> = new.chain(doubts.iter().filter_map(|doubt| doubt.said)).collect();
        words.sort_unstable();
        words.dedup();
        let lost = doubts.iter().find(|doubt| doubt.edit == Edit::Lost).and_then(|doubt| doubt.had);
        let lost = lost.map(|at| self.place(had[at], had[at]));
        Proof::Open { words: words.into_iter().map(|index| said[index].span.clone()).collect(), lost }
    }

    /// What the trees of a sentence and of those that it meets say about roles.
    fn roles(&self, laid: &Laid<'_>, reading: &Reading, sentence: &Sentence, doubts: &[Doubt]) -> Roles {
        let is_long = |sentence: &Sentence| sentence.tokens.len() > roles::LONGEST;
        let mut had = Bindings::default();
        let mut number = None;
        for (at, unit) in laid.had.iter().enumerate().filter(|(at, _)| laid.used[*at]) {
            if number.replace(unit.sentence) == Some(unit.sentence) {
                continue;
            }
            let first = laid.had[..at].iter().rposition(|other| other.sentence != unit.sentence).map_or(0, |at| at + 1);
            let (reading, there) = self.sources.sentence(unit.sentence);
            if is_long(sentence) || is_long(there) {
                return Roles::Unknown;
            }
            had.extend(Bindings::of(reading, there, self.units_of(unit.sentence), first));
        }
        laid.roles(&Bindings::of(reading, sentence, laid.said, 0), &had, doubts)
    }

    /// The sentences of the context that share most with some units, in order.
    fn nearest(&mut self, said: &[Unit<'_>]) -> Vec<usize> {
        let mut touched: Vec<usize> = Vec::new();
        for unit in said {
            let Some(stem) = unit.stem else { continue };
            // A little for each word, so that a word of every sentence counts, too.
            let weight = self.sources.weight(Some(stem)) + 0.01;
            for &place in self.sources.places(stem) {
                probare_cancellation::steps(1);
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

    fn units_of(&self, number: usize) -> &[Unit<'a>] {
        self.units[number].get_or_init(|| {
            let (reading, sentence) = self.sources.sentence(number);
            let values = of_chunk(&self.values.had, self.sources.place(number).chunk);
            units(reading, sentence, sentence.tokens.start, number, values, self.sources)
        })
    }

    /// The bytes of the context from one unit to another of its sentence.
    fn place(&self, first: &Unit<'_>, last: &Unit<'_>) -> Source {
        let chunk = self.sources.place(first.sentence).chunk;
        Source { chunk, span: first.span.start..last.span.end.max(first.span.end) }
    }
}
