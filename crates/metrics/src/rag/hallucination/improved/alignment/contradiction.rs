//! One word put for another among words that stay: what cannot be true together with the context. Only closed sorts are looked for:
//! values, words of logic, opposites. Another open word may mean the same, and another name may be the same one.

use probare_english::lexicon::{LexicalRole, NEGATING_PREFIXES, exclude_each_other};
use probare_text::wordnet::WordNet;

use super::super::reversals::{is_placement_verb, turns_by_meaning};
use super::edits::{SentenceAlignment, SuspectEdit};
use super::path::unmatched_cost;
use super::sentence_units::{AlignmentUnit, ValueDifference};

/// What was exchanged.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ContradictionKind {
    /// Another number.
    Number,
    /// The same number of another unit.
    Unit,
    /// Another date, weekday or time.
    Date,
    /// The opposite of a word.
    Opposite,
    /// A word of logic that excludes the one of the context.
    Logic,
    /// A denial that the context does not have.
    Denied,
    /// A denial of the context that is left out.
    Affirmed,
}

impl ContradictionKind {
    /// What evidence says of it.
    pub const fn note(self) -> &'static str {
        match self {
            Self::Number => "another number",
            Self::Unit => "another unit",
            Self::Date => "another date or time",
            Self::Opposite => "the opposite of a word",
            Self::Logic => "a word that excludes the one there",
            Self::Denied => "denied here and not there",
            Self::Affirmed => "denied there and not here",
        }
    }
}

/// An exchange with its places: units of the sentence and of the context.
#[derive(Debug, Clone, Copy)]
pub(super) struct ContradictionCandidate {
    pub kind: ContradictionKind,
    pub response_unit: usize,
    pub context_unit: usize,
    /// What a word of the sentence costs without it, beyond what is allowed.
    excess: f64,
}

/// Most that the rest of a sentence may cost, a word.
const CLOSE: f64 = 0.3;

/// The same where the place is told by one neighbour, or by the words of the sentence at large.
const CLOSER: f64 = 0.2;

/// Units that have to be met, and their share.
const FEWEST_MET: usize = 4;
const LEAST_MET: f64 = 0.7;

/// Other edits beside an exchange.
const MOST_OTHERS: usize = 2;

fn is_opposite(stated: &str, had: &str) -> bool {
    let is_turned =
        |one: &str, other: &str| NEGATING_PREFIXES.iter().any(|prefix| one.strip_prefix(prefix) == Some(other));
    is_turned(stated, had) || is_turned(had, stated) || WordNet::embedded().is_antonym(stated, had)
}

/// How one unit excludes another that has its place.
fn excludes(stated: &AlignmentUnit<'_>, had: &AlignmentUnit<'_>) -> Option<ContradictionKind> {
    if let Some((stated, had)) = stated.value().zip(had.value()) {
        return stated.difference(had).map(|differs| match differs {
            ValueDifference::Number => ContradictionKind::Number,
            ValueDifference::Unit => ContradictionKind::Unit,
            ValueDifference::Date => ContradictionKind::Date,
        });
    }
    if let Some((stated, had)) = stated.logic().zip(had.logic()) {
        return exclude_each_other(LexicalRole::Logic, stated, had).then_some(ContradictionKind::Logic);
    }
    let is_word = |unit: &AlignmentUnit<'_>| unit.value().is_none() && unit.logic().is_none() && !unit.is_name();
    let places = |unit: &AlignmentUnit<'_>| is_placement_verb(unit.word);
    (is_word(stated) && is_word(had) && !places(stated) && is_opposite(stated.word, had.word))
        .then_some(ContradictionKind::Opposite)
}

impl SentenceAlignment<'_> {
    /// Whether enough of the sentence is met to tell what was exchanged in it; a short one has to be met but for one word.
    pub(super) fn is_near(&self) -> bool {
        let content = self.response_units.iter().zip(&self.path.matches).filter(|(unit, _)| unit.logic().is_none());
        let (content, met) = (content.clone().count(), content.filter(|(_, at)| at.is_some()).count());
        met >= FEWEST_MET && met as f64 >= LEAST_MET * content as f64 || met + 1 == FEWEST_MET && content <= FEWEST_MET
    }

    /// The first exchange that is clean: all else is close to the context.
    pub(super) fn find_contradiction(
        &self,
        doubts: &[SuspectEdit],
        is_worked_out: impl Fn(&AlignmentUnit<'_>) -> bool,
    ) -> Option<ContradictionCandidate> {
        let mut charges = Vec::new();
        self.find_replaced(&mut charges);
        self.find_dropped_denials(&mut charges);
        let has_logic = charges.iter().any(|charge| charge.kind == ContradictionKind::Logic);
        charges.into_iter().find(|charge| {
            let others = doubts
                .iter()
                .filter(|doubt| doubt.context_unit != Some(charge.context_unit))
                .filter_map(|doubt| doubt.response_unit);
            let mut others: Vec<usize> = others.filter(|unit| *unit != charge.response_unit).collect();
            others.sort_unstable();
            others.dedup();
            let is_value = matches!(charge.kind, ContradictionKind::Number | ContradictionKind::Date);
            let is_denial = matches!(charge.kind, ContradictionKind::Denied | ContradictionKind::Affirmed);
            let is_logic = charge.kind == ContradictionKind::Logic;
            if is_denial && (has_logic || self.denies_otherwise())
                || is_logic && self.denies_beside(charge)
                || is_value && self.is_in_sentence(charge)
            {
                return false;
            }
            charge.excess <= 0.0
                && others.len() <= MOST_OTHERS
                && !(is_value && is_worked_out(&self.response_units[charge.response_unit]))
        })
    }

    /// Whether the sentence of the context has the value too, beside the one that it seems to replace: 350 is in 325-350.
    fn is_in_sentence(&self, charge: &ContradictionCandidate) -> bool {
        let (stated, had) = (&self.response_units[charge.response_unit], self.context_units[charge.context_unit]);
        let beside = |other: &&&AlignmentUnit<'_>| other.sentence == had.sentence && other.value().is_some();
        self.context_units.iter().filter(beside).any(|other| stated.matches(other))
    }

    /// Whether a denial comes in or is left out beside an exchange of logic: "not … if" says what "unless" says.
    fn denies_beside(&self, charge: &ContradictionCandidate) -> bool {
        let comes_in = self
            .response_units
            .iter()
            .zip(&self.path.matches)
            .enumerate()
            .any(|(index, (unit, at))| index != charge.response_unit && at.is_none() && unit.denies());
        let sentence = self.context_units[charge.context_unit].sentence;
        comes_in
            || self.context_units.iter().zip(self.used).enumerate().any(|(at, (unit, used))| {
                at != charge.context_unit && !used && unit.sentence == sentence && unit.denies()
            })
    }

    /// Whether either side has a word that denies by its meaning, so that one more *not* may say the same.
    fn denies_otherwise(&self) -> bool {
        let met = |had: &&AlignmentUnit<'_>| {
            self.path.matches.iter().flatten().any(|&at| self.context_units[at].sentence == had.sentence)
        };
        let there = self.context_units.iter().copied().filter(met).map(|unit| unit.word);
        self.response_units.iter().map(|unit| unit.word).chain(there).any(turns_by_meaning)
    }

    /// An exchange, if the sentence without it costs at most so much a word.
    fn candidate(
        &self,
        exchange: ContradictionKind,
        response_unit: usize,
        had: usize,
        saved: f64,
        limit: f64,
    ) -> ContradictionCandidate {
        let excess = (self.path.cost - saved) / self.response_units.len().max(1) as f64 - limit;
        ContradictionCandidate { kind: exchange, response_unit, context_unit: had, excess }
    }

    /// One word in the place of another.
    fn find_replaced(&self, charges: &mut Vec<ContradictionCandidate>) {
        for (from, to, before, behind) in self.unmatched_runs() {
            let mut run = (from..to).filter(|&index| !self.response_units[index].is_light());
            let (Some(index), None) = (run.next(), run.next()) else { continue };
            let unit = &self.response_units[index];
            let saved: f64 = self.response_units[from..to].iter().map(unmatched_cost).sum();
            let mut found = |exchange: ContradictionKind, had: usize, limit: f64| {
                charges.push(self.candidate(exchange, index, had, saved, limit));
            };
            match self.unmatched_between(before, behind).as_deref() {
                Some([]) => {
                    let ("not", Some((before, behind))) = (unit.logic().unwrap_or_default(), before.zip(behind)) else {
                        continue;
                    };
                    let turns = |unit: &AlignmentUnit<'_>| matches!(unit.logic(), Some("not" | "unless" | "only"));
                    let is_turned = self.context_units.iter().zip(self.used).any(|(unit, used)| {
                        unit.sentence == self.context_units[before].sentence && !used && turns(unit)
                    });
                    // What the context says behind it is said, too: "count" is not "count as normal wear".
                    let is_cut = self.unused_unit(Some(behind + 1), behind).is_some_and(|left| {
                        self.context_units[left].clause == self.context_units[behind].clause
                            && self.path.matches.len() == to + 1
                    });
                    if self.context_units[before].clause == self.context_units[behind].clause && !is_turned && !is_cut {
                        found(ContradictionKind::Denied, before, CLOSER);
                    }
                }
                Some(gap) => {
                    let excluding: Vec<(usize, ContradictionKind)> =
                        gap.iter().filter_map(|&had| Some((had, excludes(unit, self.context_units[had])?))).collect();
                    let is_clause = |had: usize| {
                        behind.is_some_and(|at| self.context_units[had].clause == self.context_units[at].clause)
                    };
                    let is_clean = gap.len() == 1
                        || unit.value().is_some() && excluding.len() == 1
                        || unit.logic().is_some() && gap.iter().all(|&had| self.context_units[had].logic().is_some());
                    let limit = if gap.len() == 1 { CLOSE } else { CLOSER };
                    let is_tied = |had: usize| unit.logic().is_none() || is_clause(had);
                    if let Some((had, exchange)) = excluding.first().filter(|(had, _)| is_clean && is_tied(*had)) {
                        found(*exchange, *had, limit);
                    }
                }
                None => {
                    for (had, _) in self.adjacent_units(before, behind) {
                        let exchange = excludes(unit, self.context_units[had]);
                        if let Some(
                            exchange
                            @ (ContradictionKind::Unit | ContradictionKind::Date | ContradictionKind::Opposite),
                        ) = exchange
                        {
                            found(exchange, had, CLOSER);
                        }
                    }
                }
            }
        }
    }

    /// A denial between two words that stay.
    fn find_dropped_denials(&self, charges: &mut Vec<ContradictionCandidate>) {
        if self.response_units.iter().any(AlignmentUnit::denies) {
            return;
        }
        let met: Vec<(usize, usize)> =
            self.path.matches.iter().enumerate().filter_map(|(index, at)| Some((index, (*at)?))).collect();
        for pair in met.windows(2) {
            let ((_, from), (index, at)) = (pair[0], pair[1]);
            if at == from + 2
                && self.context_units[at].sentence == self.context_units[from].sentence
                && self.context_units[at - 1].denies()
            {
                charges.push(self.candidate(ContradictionKind::Affirmed, index, at - 1, 0.0, CLOSER));
            }
        }
    }
}
