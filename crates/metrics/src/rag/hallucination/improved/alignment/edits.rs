//! What an alignment leaves over: words that are new, lost, moved or joined. Each speaks against taking the sentence for a copy.

use probare_english::lexicon::{LexicalRole, lexical_roles};
use probare_english::text_analysis::TextAnalysis;

use super::path::AlignmentPath;
use super::sentence_units::AlignmentUnit;

/// A sentence of the response over the words of the context.
pub(super) struct SentenceAlignment<'a> {
    pub analysis: &'a TextAnalysis,
    pub response_units: &'a [AlignmentUnit<'a>],
    pub context_units: &'a [&'a AlignmentUnit<'a>],
    pub path: &'a AlignmentPath,
    /// For each unit of the context whether it is met.
    pub used: &'a [bool],
}

/// What harms.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum AlignmentEdit {
    /// The context has no such word here.
    New,
    /// The context has a word more that matters.
    Lost,
    /// It stands where the context has something else.
    Moved,
    /// Two places were put together at words that do not end or begin anything.
    Joined,
    /// It stands before what it stands behind there.
    Turned,
}

/// An edit with where it is.
#[derive(Debug, Clone, Copy)]
pub(super) struct SuspectEdit {
    pub edit: AlignmentEdit,
    /// Unit of the sentence.
    pub response_unit: Option<usize>,
    /// Unit of the context.
    pub context_unit: Option<usize>,
}

/// Words of logic that may come in: they make a statement weaker, or a note a sentence.
const INSERTABLE: [&str; 4] = ["may", "if", "must", "including"];

/// Words of logic that may be left out.
const REMOVABLE: [&str; 12] =
    ["all", "many", "including", "again", "still", "already", "instead of", "even", "per", "up", "down", "off"];

/// Words of logic that belong to the word behind them: they count as lost only where that stays.
const BOUND_TO_NEXT: [&str; 8] = ["more", "less", "after", "before", "first", "last", "since", "because"];

/// Words that begin a clause of their own.
fn opens_clause(word: &str) -> bool {
    matches!(word, "and" | "but" | "while" | "whereas" | "which" | "who" | "whose" | "where" | "when" | "because")
}

/// Share of the content that has to be met for the value of a sentence to speak for it.
const LEAST_MET: f64 = 0.5;

/// Units of the context that a gap spans at most.
pub(super) const WIDEST_GAP: usize = 6;

impl SentenceAlignment<'_> {
    /// The unit of the context at an index, if it is in the sentence of another one and not met.
    pub(super) fn unused_unit(&self, index: Option<usize>, anchor: usize) -> Option<usize> {
        let index = index.filter(|&index| index < self.context_units.len())?;
        (self.context_units[index].sentence == self.context_units[anchor].sentence && !self.used[index])
            .then_some(index)
    }

    /// The units next to what was met before and behind a run: what the context has in place of it, where it ends there.
    pub(super) fn adjacent_units(
        &self,
        before: Option<usize>,
        behind: Option<usize>,
    ) -> impl Iterator<Item = (usize, usize)> {
        let after = before.and_then(|at| Some((self.unused_unit(Some(at + 1), at)?, at)));
        let ahead = behind.and_then(|at| Some((self.unused_unit(at.checked_sub(1), at)?, at)));
        [after, ahead].into_iter().flatten()
    }

    /// What the context has between two units of one sentence that stand close, and is not met.
    pub(super) fn unmatched_between(&self, before: Option<usize>, behind: Option<usize>) -> Option<Vec<usize>> {
        let (before, behind) = before.zip(behind)?;
        let is_close = self.context_units[before].sentence == self.context_units[behind].sentence
            && before < behind
            && behind <= before + WIDEST_GAP;
        is_close.then(|| (before + 1..behind).filter(|&index| !self.used[index]).collect())
    }

    /// Whether one of the words right before a unit passes a test.
    fn before(&self, unit: &AlignmentUnit<'_>, count: usize, test: impl Fn(&str) -> bool) -> bool {
        let from = unit.token.saturating_sub(count);
        (from..unit.token).any(|token| test(self.analysis.word(token)))
    }

    fn is_in_list(&self, unit: &AlignmentUnit<'_>) -> bool {
        let joins = |word: &str| matches!(word, "and" | "or");
        self.before(unit, 3, joins) || joins(self.analysis.word(unit.token + 1))
    }

    /// The runs of units that are not met: from, to, what was met before and behind.
    pub(super) fn unmatched_runs(&self) -> Vec<(usize, usize, Option<usize>, Option<usize>)> {
        let met = &self.path.matches;
        let mut runs = Vec::new();
        let mut from = 0;
        while from < met.len() {
            if met[from].is_some() {
                from += 1;
                continue;
            }
            let to = (from..met.len()).find(|&index| met[index].is_some()).unwrap_or(met.len());
            let before = from.checked_sub(1).and_then(|index| met[index]);
            runs.push((from, to, before, met.get(to).copied().flatten()));
            from = to;
        }
        runs
    }

    /// All that harms.
    pub(super) fn suspect_edits(&self) -> Vec<SuspectEdit> {
        let mut doubts = Vec::new();
        self.new_words(&mut doubts);
        self.find_moved(&mut doubts);
        self.find_lost(&mut doubts);
        self.find_cut_out(&mut doubts);
        self.find_joints(&mut doubts);
        self.misplaced(&mut doubts);
        self.voiced(&mut doubts);
        doubts
    }

    /// Whether the value of the sentence may not speak for it.
    pub(super) fn is_vetoed(&self, doubts: &[SuspectEdit]) -> bool {
        let is_value = |index: usize| self.response_units[index].value().is_some();
        let is_new = |index: usize| {
            self.path.matches[index].is_none() && (is_value(index) || self.response_units[index].denies())
        };
        let is_new_value = || (0..self.response_units.len()).any(is_new);
        let is_met = |at: usize, there: &AlignmentUnit<'_>| {
            self.used.get(at) == Some(&true) && self.context_units[at].sentence == there.sentence
        };
        let is_affirmed = |at: usize| {
            self.context_units[at].denies()
                && !self.used[at]
                && is_met(at - 1, self.context_units[at])
                && is_met(at + 1, self.context_units[at])
        };
        let is_moved =
            |doubt: &SuspectEdit| doubt.edit == AlignmentEdit::Moved && doubt.response_unit.is_some_and(is_value);
        let content = || self.response_units.iter().zip(&self.path.matches).filter(|(unit, _)| unit.logic().is_none());
        let met = content().filter(|(_, at)| at.is_some()).count();
        is_new_value()
            || (1..self.context_units.len()).any(is_affirmed)
            || doubts.iter().any(is_moved)
            || (met as f64) < LEAST_MET * content().count() as f64
    }

    fn new_words(&self, doubts: &mut Vec<SuspectEdit>) {
        for (from, to, before, behind) in self.unmatched_runs() {
            let gap = self.unmatched_between(before, behind).unwrap_or_default();
            let mut is_full = false;
            for index in from..to {
                let unit = &self.response_units[index];
                if unit.is_light() {
                    continue;
                }
                is_full = true;
                let harms = match unit.logic() {
                    Some(class) => !INSERTABLE.contains(&class),
                    None if unit.value().is_some() => true,
                    // A word that stands elsewhere may come in where nothing gives way to it: "the hotel" for "it".
                    None => {
                        unit.stem.is_none()
                            || self.is_in_list(unit)
                            || !gap.is_empty()
                                && (!unit.is_name() || gap.iter().any(|&at| self.context_units[at].is_name()))
                            || !unit.is_name() && self.before(unit, 1, |word| matches!(word, "a" | "an"))
                    }
                };
                if harms {
                    doubts.push(SuspectEdit {
                        edit: AlignmentEdit::New,
                        response_unit: Some(index),
                        context_unit: None,
                    });
                }
            }
            if is_full && gap.is_empty() {
                let replaced = self.adjacent_units(before, behind).filter(|&(at, anchor)| {
                    self.context_units[at].clause == self.context_units[anchor].clause
                        && self.context_units[at].logic().is_none()
                });
                doubts.extend(replaced.map(|(at, _)| SuspectEdit {
                    edit: AlignmentEdit::New,
                    response_unit: None,
                    context_unit: Some(at),
                }));
            }
        }
    }

    /// Runs of the sentence that are runs of the context: first and last unit there, and the first unit and the number here.
    pub(super) fn matched_runs(&self) -> Vec<(usize, usize, usize, usize)> {
        let mut pieces: Vec<(usize, usize, usize, usize)> = Vec::new();
        let mut last_said = None;
        for (index, at) in self.path.matches.iter().enumerate() {
            let Some(at) = *at else { continue };
            match pieces.last_mut() {
                Some((_, last, _, count))
                    if *last + 1 == at
                        && self.context_units[*last].sentence == self.context_units[at].sentence
                        && last_said.is_some_and(|previous| previous + 1 == index) =>
                {
                    *last = at;
                    *count += 1;
                }
                _ => pieces.push((at, at, index, 1)),
            }
            last_said = Some(index);
        }
        pieces
    }

    /// Values and names that stand where the context has another one.
    fn find_moved(&self, doubts: &mut Vec<SuspectEdit>) {
        let pieces = self.matched_runs();
        for (number, &(first, last, index, count)) in pieces.iter().enumerate() {
            let before = number.checked_sub(1).map(|number| pieces[number].1);
            let behind = pieces.get(number + 1).map(|piece| piece.0);
            let (opening, closing) = (&self.response_units[index], &self.response_units[index + count - 1]);
            let is_taken_out = before.zip(behind).is_some_and(|(before, behind)| behind == before + 1);
            let flanked = self.is_flanked(before, behind, first, count);
            let beside = [
                (before.map(|at| at + 1), before, opening),
                (behind.and_then(|at| at.checked_sub(1)), behind, closing),
            ];
            for (at, anchor, unit) in beside {
                let Some((at, anchor)) = at.zip(anchor).filter(|(at, _)| *at < self.context_units.len()) else {
                    continue;
                };
                let had = self.context_units[at];
                let is_other = had.sentence == self.context_units[anchor].sentence
                    && !(first..=last).contains(&at)
                    && !unit.matches(had)
                    && !opening.has_same_preposition(self.context_units[first]);
                let harms = unit.is_alike(had) && count <= 3
                    || flanked && !is_taken_out && count == 1 && unit.logic().is_none() && had.logic().is_none();
                if is_other && harms {
                    doubts.push(SuspectEdit {
                        edit: AlignmentEdit::Moved,
                        response_unit: Some(index),
                        context_unit: Some(at),
                    });
                }
            }
        }
        for (index, at) in self.path.matches.iter().enumerate() {
            let Some(at) = *at else { continue };
            let (unit, had) = (&self.response_units[index], self.context_units[at]);
            if unit.has_other_preposition(had) {
                doubts.push(SuspectEdit {
                    edit: AlignmentEdit::Moved,
                    response_unit: Some(index),
                    context_unit: Some(at),
                });
            }
            // A name before the word that has another name before it there.
            let next = self.path.matches.get(index + 1).copied().flatten();
            if let Some(next) = next.filter(|&next| next != at + 1 && unit.is_name()) {
                let other = next.checked_sub(1).map(|other| (other, self.context_units[other]));
                let is_role = other.filter(|(_, name)| {
                    name.is_name()
                        && name.sentence == self.context_units[next].sentence
                        && name.clause == self.context_units[next].clause
                        && !self.context_units[next].is_name()
                        && !self.response_units[..=index]
                            .iter()
                            .rev()
                            .take_while(|unit| unit.is_name())
                            .any(|unit| unit.matches(name))
                });
                doubts.extend(is_role.map(|(other, _)| SuspectEdit {
                    edit: AlignmentEdit::Moved,
                    response_unit: Some(index),
                    context_unit: Some(other),
                }));
            }
        }
    }

    /// Whether the neighbours of a piece are close in the context, and the piece is from elsewhere.
    pub(super) fn is_flanked(&self, before: Option<usize>, behind: Option<usize>, first: usize, count: usize) -> bool {
        before.zip(behind).is_some_and(|(before, behind)| {
            self.context_units[before].sentence == self.context_units[behind].sentence
                && before < behind
                && behind <= before + 1 + count
                && !(before < first && first < behind)
        })
    }

    /// Words of logic, speech and doubt that the clauses have from which the sentence is made.
    fn find_lost(&self, doubts: &mut Vec<SuspectEdit>) {
        let met: Vec<&AlignmentUnit<'_>> =
            self.path.matches.iter().flatten().map(|&at| self.context_units[at]).collect();
        for (at, unit) in self.context_units.iter().enumerate() {
            if self.used[at] || unit.logic().is_none() && !unit.is_claim {
                continue;
            }
            probare_cancellation::count_steps(1);
            let is_part = met.iter().any(|met| (met.sentence, met.part) == (unit.sentence, unit.part));
            let is_inside = met.iter().any(|met| (met.sentence, met.clause) == (unit.sentence, unit.clause));
            let is_used = |at: Option<usize>| {
                at.is_some_and(|at| {
                    self.used.get(at) == Some(&true) && self.context_units[at].sentence == unit.sentence
                })
            };
            let harms = match unit.logic() {
                Some(class) if REMOVABLE.contains(&class) => false,
                Some(class) if BOUND_TO_NEXT.contains(&class) => {
                    let next = self.context_units.get(at + 1);
                    let is_time = next.is_some_and(|next| next.value().is_some() || next.is_name());
                    is_inside && is_used(Some(at + 1)) && (is_time || !matches!(class, "after" | "before"))
                }
                Some("if" | "unless" | "until") => is_part,
                Some(_) => is_inside || is_used(at.checked_sub(1)) && is_used(Some(at + 1)),
                None => is_inside,
            };
            if harms {
                doubts.push(SuspectEdit { edit: AlignmentEdit::Lost, response_unit: None, context_unit: Some(at) });
            }
        }
    }

    /// What stands alone and depends there on a word that was left out: "rain" of "lack of rain", "landed" of "tried to land" and of
    /// "avoided landing". Values have rules of their own.
    fn find_cut_out(&self, doubts: &mut Vec<SuspectEdit>) {
        for (unit, at) in self.response_units.iter().zip(&self.path.matches) {
            let Some(at) = *at else { continue };
            let Some(head) = self.unused_unit(at.checked_sub(1), at) else { continue };
            let had = self.context_units[at];
            let is_governed = had.is_dependent && !unit.is_dependent && had.value().is_none();
            let is_gerund = had.is_gerund()
                && !unit.is_gerund()
                && is_same_clause(self.context_units[head], had)
                && !self.context_units[head].is_light();
            if is_governed || is_gerund {
                doubts.push(SuspectEdit { edit: AlignmentEdit::Lost, response_unit: None, context_unit: Some(head) });
            }
        }
    }

    /// The first unit of the run to which a unit belongs that is a run of the context, too.
    fn piece_of(&self, mut index: usize) -> usize {
        let met = &self.path.matches;
        while index > 0 && met[index - 1].is_some_and(|before| met[index] == Some(before + 1)) {
            index -= 1;
        }
        index
    }

    /// Whether a unit keeps its role wherever it stands: a word of logic, or one behind the same preposition as there; also who did
    /// something, behind *by* on one side.
    fn is_tied(&self, index: usize) -> bool {
        let Some(at) = self.path.matches[index] else { return false };
        let (unit, had) = (&self.response_units[index], self.context_units[at]);
        let ties = |word: &str| {
            const BEFORE_NOUNS: [&str; 30] = [
                "about", "above", "across", "against", "along", "among", "around", "as", "at", "behind", "below",
                "beside", "between", "by", "during", "for", "from", "in", "into", "near", "of", "on", "over",
                "through", "to", "towards", "under", "via", "with", "within",
            ];
            BEFORE_NOUNS.contains(&word)
        };
        unit.logic().is_some()
            || ties(unit.preceding_word) && unit.preceding_word == had.preceding_word
            || (unit.preceding_word == "by") != (had.preceding_word == "by")
    }

    /// Verbs that are passive on one side only, and whoever is led by *by* there: who does it to whom may be another one.
    fn voiced(&self, doubts: &mut Vec<SuspectEdit>) {
        let is_helped = |unit: &AlignmentUnit<'_>| lexical_roles(unit.preceding_word).has(LexicalRole::Copula);
        let is_agent = |unit: &AlignmentUnit<'_>| unit.preceding_word == "by" && unit.value().is_none();
        for (index, at) in self.path.matches.iter().enumerate() {
            let Some(at) = *at else { continue };
            let (unit, had) = (&self.response_units[index], self.context_units[at]);
            if is_helped(unit) != is_helped(had) || is_agent(unit) != is_agent(had) {
                doubts.push(SuspectEdit {
                    edit: AlignmentEdit::Turned,
                    response_unit: Some(index),
                    context_unit: Some(at),
                });
            }
        }
    }

    /// Places where the way through the context jumps.
    fn find_joints(&self, doubts: &mut Vec<SuspectEdit>) {
        let mut last: Option<(usize, usize)> = None;
        let mut jumped = false;
        for (index, at) in self.path.matches.iter().enumerate() {
            let Some(at) = *at else { continue };
            let Some((last_index, from)) = last.replace((index, at)) else { continue };
            let (unit, here, there) = (&self.response_units[index], self.context_units[at], self.context_units[from]);
            let doubt = |had: Option<usize>| SuspectEdit {
                edit: AlignmentEdit::Joined,
                response_unit: Some(index),
                context_unit: had,
            };
            let is_same = there.sentence == here.sentence;
            if !(is_same && from < at && at <= from + WIDEST_GAP + 1) {
                let left = self.unused_unit(at.checked_sub(1), at).filter(|&left| {
                    self.context_units[left].clause == here.clause
                        && self.context_units[left].logic().is_none()
                        && !self.context_units[left].is_light()
                });
                let edit = if is_same { AlignmentEdit::Turned } else { AlignmentEdit::Joined };
                doubts.extend(left.map(|left| SuspectEdit { edit, ..doubt(Some(left)) }));
                let same_clause = |one: Option<&&AlignmentUnit<'_>>, other: &AlignmentUnit<'_>| {
                    one.is_some_and(|one| (one.sentence, one.clause) == (other.sentence, other.clause))
                };
                let is_cut = same_clause(self.context_units.get(from + 1), there);
                let is_begun = at > 0 && same_clause(self.context_units.get(at - 1), here);
                let is_joined = self.before(unit, 3, opens_clause);
                let in_one_clause = unit.clause == self.response_units[last_index].clause;
                if !is_same
                    && (is_begun
                        || is_cut && !is_joined && (in_one_clause || index < 4)
                        || jumped && in_one_clause && !self.before(unit, 4, opens_clause))
                {
                    doubts.push(doubt(Some(at)));
                }
                jumped |= !is_same;
            }
            // What goes back takes its preposition along, or what went ahead did: "in winter" may be moved, "dog" for "man" may not.
            if is_same && at <= from && !self.is_tied(index) && !self.is_tied(self.piece_of(last_index)) {
                doubts.push(SuspectEdit { edit: AlignmentEdit::Turned, ..doubt(Some(at)) });
            }
            // "Bicycles pay" of "bicycles travel free, cars pay": the middle of one clause goes on in the middle of another.
            let goes_on = |one: Option<&&AlignmentUnit<'_>>, other: &AlignmentUnit<'_>| {
                one.is_some_and(|one| is_same_clause(one, other))
            };
            if is_same
                && there.clause != here.clause
                && goes_on(self.context_units.get(from + 1), there)
                && at.checked_sub(1).is_some_and(|left| goes_on(self.context_units.get(left), here))
            {
                doubts.push(doubt(Some(at)));
            }
            // A relative clause belongs to the noun before it.
            let is_elsewhere = is_same
                && there.clause != here.clause
                && !(there.clause + 1 == here.clause
                    && self.context_units.get(from + 1).is_some_and(|next| next.clause == here.clause));
            let opener = self.context_units[..=at].iter().rev().take_while(|unit| is_same_clause(unit, here)).last();
            if is_elsewhere
                && opener
                    .is_some_and(|unit| matches!(unit.preceding_word, "who" | "whose" | "which" | "where" | "whom"))
            {
                doubts.push(doubt(Some(at)));
            }
            if unit.logic() == Some("because") && at != from + 1 {
                doubts.push(doubt(Some(at)));
            }
        }
    }
}

/// Whether two units of the context are in one clause.
fn is_same_clause(one: &AlignmentUnit<'_>, other: &AlignmentUnit<'_>) -> bool {
    (one.sentence, one.clause) == (other.sentence, other.clause)
}
