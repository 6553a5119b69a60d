//! What an alignment leaves over: words that are new, lost, moved or joined. Each speaks against taking the sentence for a copy.

use probare_nlp::reading::Reading;

use super::path::Path;
use super::units::Unit;

/// A sentence of the response over the words of the context.
pub(super) struct Laid<'a> {
    pub reading: &'a Reading,
    pub said: &'a [Unit<'a>],
    pub had: &'a [&'a Unit<'a>],
    pub path: &'a Path,
    /// For each unit of the context whether it is met.
    pub used: &'a [bool],
}

/// What harms.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Edit {
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
pub(super) struct Doubt {
    pub edit: Edit,
    /// Unit of the sentence.
    pub said: Option<usize>,
    /// Unit of the context.
    pub had: Option<usize>,
}

/// Words of logic that may come in: they make a statement weaker, or a note a sentence.
const MAY_COME: [&str; 4] = ["may", "if", "must", "including"];

/// Words of logic that may be left out.
const MAY_GO: [&str; 12] =
    ["all", "many", "including", "again", "still", "already", "instead of", "even", "per", "up", "down", "off"];

/// Words of logic that belong to the word behind them: they count as lost only where that stays.
const OF_NEXT: [&str; 8] = ["more", "less", "after", "before", "first", "last", "since", "because"];

/// Words that begin a clause of their own.
fn opens(word: &str) -> bool {
    matches!(word, "and" | "but" | "while" | "whereas" | "which" | "who" | "whose" | "where" | "when" | "because")
}

/// Units of the context that a gap spans at most.
pub(super) const WIDEST_GAP: usize = 6;

impl Laid<'_> {
    /// The unit of the context at an index, if it is in the sentence of another one and not met.
    pub(super) fn free(&self, index: Option<usize>, anchor: usize) -> Option<usize> {
        let index = index.filter(|&index| index < self.had.len())?;
        (self.had[index].sentence == self.had[anchor].sentence && !self.used[index]).then_some(index)
    }

    /// The units next to what was met before and behind a run: what the context has in place of it, where it ends there.
    pub(super) fn beside(&self, before: Option<usize>, behind: Option<usize>) -> impl Iterator<Item = (usize, usize)> {
        let after = before.and_then(|at| Some((self.free(Some(at + 1), at)?, at)));
        let ahead = behind.and_then(|at| Some((self.free(at.checked_sub(1), at)?, at)));
        [after, ahead].into_iter().flatten()
    }

    /// What the context has between two units of one sentence that stand close, and is not met.
    pub(super) fn gap(&self, before: Option<usize>, behind: Option<usize>) -> Option<Vec<usize>> {
        let (before, behind) = before.zip(behind)?;
        let is_close =
            self.had[before].sentence == self.had[behind].sentence && before < behind && behind <= before + WIDEST_GAP;
        is_close.then(|| (before + 1..behind).filter(|&index| !self.used[index]).collect())
    }

    /// Whether one of the words right before a unit passes a test.
    fn before(&self, unit: &Unit<'_>, count: usize, test: impl Fn(&str) -> bool) -> bool {
        let from = unit.token.saturating_sub(count);
        (from..unit.token).any(|token| test(self.reading.word(token)))
    }

    fn is_in_list(&self, unit: &Unit<'_>) -> bool {
        let joins = |word: &str| matches!(word, "and" | "or");
        self.before(unit, 3, joins) || joins(self.reading.word(unit.token + 1))
    }

    /// The runs of units that are not met: from, to, what was met before and behind.
    pub(super) fn runs(&self) -> Vec<(usize, usize, Option<usize>, Option<usize>)> {
        let met = &self.path.met;
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
    pub(super) fn doubts(&self) -> Vec<Doubt> {
        let mut doubts = Vec::new();
        self.new_words(&mut doubts);
        self.moved(&mut doubts);
        self.lost(&mut doubts);
        self.joints(&mut doubts);
        doubts
    }

    fn new_words(&self, doubts: &mut Vec<Doubt>) {
        for (from, to, before, behind) in self.runs() {
            let gap = self.gap(before, behind).unwrap_or_default();
            let mut is_full = false;
            for index in from..to {
                let unit = &self.said[index];
                if unit.is_light() {
                    continue;
                }
                is_full = true;
                let harms = match unit.logic() {
                    Some(class) => !MAY_COME.contains(&class),
                    None if unit.value().is_some() => true,
                    // A word that stands elsewhere may come in where nothing gives way to it: "the hotel" for "it".
                    None => {
                        unit.stem.is_none()
                            || self.is_in_list(unit)
                            || !gap.is_empty() && (!unit.is_name() || gap.iter().any(|&at| self.had[at].is_name()))
                            || !unit.is_name() && self.before(unit, 1, |word| matches!(word, "a" | "an"))
                    }
                };
                if harms {
                    doubts.push(Doubt { edit: Edit::New, said: Some(index), had: None });
                }
            }
            if is_full && gap.is_empty() {
                let replaced = self.beside(before, behind).filter(|&(at, anchor)| {
                    self.had[at].clause == self.had[anchor].clause && self.had[at].logic().is_none()
                });
                doubts.extend(replaced.map(|(at, _)| Doubt { edit: Edit::New, said: None, had: Some(at) }));
            }
        }
    }

    /// Runs of the sentence that are runs of the context: first and last unit there, and the first unit and the number here.
    pub(super) fn pieces(&self) -> Vec<(usize, usize, usize, usize)> {
        let mut pieces: Vec<(usize, usize, usize, usize)> = Vec::new();
        let mut last_said = None;
        for (index, at) in self.path.met.iter().enumerate() {
            let Some(at) = *at else { continue };
            match pieces.last_mut() {
                Some((_, last, _, count))
                    if *last + 1 == at
                        && self.had[*last].sentence == self.had[at].sentence
                        && last_said.is_some_and(|said| said + 1 == index) =>
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
    fn moved(&self, doubts: &mut Vec<Doubt>) {
        let pieces = self.pieces();
        for (number, &(first, last, index, count)) in pieces.iter().enumerate() {
            let before = number.checked_sub(1).map(|number| pieces[number].1);
            let behind = pieces.get(number + 1).map(|piece| piece.0);
            let (opening, closing) = (&self.said[index], &self.said[index + count - 1]);
            let is_taken_out = before.zip(behind).is_some_and(|(before, behind)| behind == before + 1);
            let flanked = self.is_flanked(before, behind, first, count);
            let beside = [
                (before.map(|at| at + 1), before, opening),
                (behind.and_then(|at| at.checked_sub(1)), behind, closing),
            ];
            for (at, anchor, unit) in beside {
                let Some((at, anchor)) = at.zip(anchor).filter(|(at, _)| *at < self.had.len()) else { continue };
                let had = self.had[at];
                let is_other = had.sentence == self.had[anchor].sentence
                    && !(first..=last).contains(&at)
                    && !unit.meets(had)
                    && !opening.is_led_as(self.had[first]);
                let harms = unit.is_alike(had) && count <= 3
                    || flanked && !is_taken_out && count == 1 && unit.logic().is_none() && had.logic().is_none();
                if is_other && harms {
                    doubts.push(Doubt { edit: Edit::Moved, said: Some(index), had: Some(at) });
                }
            }
        }
        for (index, at) in self.path.met.iter().enumerate() {
            let Some(at) = *at else { continue };
            let (unit, had) = (&self.said[index], self.had[at]);
            if unit.is_led_otherwise(had) {
                doubts.push(Doubt { edit: Edit::Moved, said: Some(index), had: Some(at) });
            }
            // A name before the word that has another name before it there.
            let next = self.path.met.get(index + 1).copied().flatten();
            if let Some(next) = next.filter(|&next| next != at + 1 && unit.is_name()) {
                let other = next.checked_sub(1).map(|other| (other, self.had[other]));
                let is_role = other.filter(|(_, name)| {
                    name.is_name()
                        && name.sentence == self.had[next].sentence
                        && name.clause == self.had[next].clause
                        && !self.had[next].is_name()
                        && !self.said[..=index]
                            .iter()
                            .rev()
                            .take_while(|unit| unit.is_name())
                            .any(|unit| unit.meets(name))
                });
                doubts.extend(is_role.map(|(other, _)| Doubt {
                    edit: Edit::Moved,
                    said: Some(index),
                    had: Some(other),
                }));
            }
        }
    }

    /// Whether the neighbours of a piece are close in the context, and the piece is from elsewhere.
    pub(super) fn is_flanked(&self, before: Option<usize>, behind: Option<usize>, first: usize, count: usize) -> bool {
        before.zip(behind).is_some_and(|(before, behind)| {
            self.had[before].sentence == self.had[behind].sentence
                && before < behind
                && behind <= before + 1 + count
                && !(before < first && first < behind)
        })
    }

    /// Words of logic, speech and doubt that the clauses have from which the sentence is made.
    fn lost(&self, doubts: &mut Vec<Doubt>) {
        let met: Vec<&Unit<'_>> = self.path.met.iter().flatten().map(|&at| self.had[at]).collect();
        for (at, unit) in self.had.iter().enumerate() {
            if self.used[at] || unit.logic().is_none() && !unit.is_claim {
                continue;
            }
            probare_cancellation::steps(1);
            let is_part = met.iter().any(|met| (met.sentence, met.part) == (unit.sentence, unit.part));
            let is_inside = met.iter().any(|met| (met.sentence, met.clause) == (unit.sentence, unit.clause));
            let is_used = |at: Option<usize>| {
                at.is_some_and(|at| self.used.get(at) == Some(&true) && self.had[at].sentence == unit.sentence)
            };
            let harms = match unit.logic() {
                Some(class) if MAY_GO.contains(&class) => false,
                Some(class) if OF_NEXT.contains(&class) => {
                    let next = self.had.get(at + 1);
                    let is_time = next.is_some_and(|next| next.value().is_some() || next.is_name());
                    is_inside && is_used(Some(at + 1)) && (is_time || !matches!(class, "after" | "before"))
                }
                Some("if" | "unless" | "until") => is_part,
                Some(_) => is_inside || is_used(at.checked_sub(1)) && is_used(Some(at + 1)),
                None => is_inside,
            };
            if harms {
                doubts.push(Doubt { edit: Edit::Lost, said: None, had: Some(at) });
            }
        }
    }

    /// The first unit of the run to which a unit belongs that is a run of the context, too.
    fn piece_of(&self, mut index: usize) -> usize {
        let met = &self.path.met;
        while index > 0 && met[index - 1].is_some_and(|before| met[index] == Some(before + 1)) {
            index -= 1;
        }
        index
    }

    /// Whether a unit keeps its role wherever it stands: a word of logic, or one behind the same preposition as there; also who did
    /// something, behind *by* on one side.
    fn is_tied(&self, index: usize) -> bool {
        let Some(at) = self.path.met[index] else { return false };
        let (unit, had) = (&self.said[index], self.had[at]);
        let ties = |word: &str| {
            const BEFORE_NOUNS: [&str; 30] = [
                "about", "above", "across", "against", "along", "among", "around", "as", "at", "behind", "below",
                "beside", "between", "by", "during", "for", "from", "in", "into", "near", "of", "on", "over",
                "through", "to", "towards", "under", "via", "with", "within",
            ];
            BEFORE_NOUNS.contains(&word)
        };
        unit.logic().is_some() || ties(unit.lead) && unit.lead == had.lead || (unit.lead == "by") != (had.lead == "by")
    }

    /// Places where the way through the context jumps.
    fn joints(&self, doubts: &mut Vec<Doubt>) {
        let mut last: Option<(usize, usize)> = None;
        let mut jumped = false;
        for (index, at) in self.path.met.iter().enumerate() {
            let Some(at) = *at else { continue };
            let Some((last_index, from)) = last.replace((index, at)) else { continue };
            let (unit, here, there) = (&self.said[index], self.had[at], self.had[from]);
            let doubt = |had: Option<usize>| Doubt { edit: Edit::Joined, said: Some(index), had };
            let is_same = there.sentence == here.sentence;
            if !(is_same && from < at && at <= from + WIDEST_GAP + 1) {
                let left = self.free(at.checked_sub(1), at).filter(|&left| {
                    self.had[left].clause == here.clause
                        && self.had[left].logic().is_none()
                        && !self.had[left].is_light()
                });
                let edit = if is_same { Edit::Turned } else { Edit::Joined };
                doubts.extend(left.map(|left| Doubt { edit, ..doubt(Some(left)) }));
                let same_clause = |one: Option<&&Unit<'_>>, other: &Unit<'_>| {
                    one.is_some_and(|one| (one.sentence, one.clause) == (other.sentence, other.clause))
                };
                let is_cut = same_clause(self.had.get(from + 1), there);
                let is_begun = at > 0 && same_clause(self.had.get(at - 1), here);
                let is_joined = self.before(unit, 3, opens);
                let in_one_clause = unit.clause == self.said[last_index].clause;
                if !is_same
                    && (is_begun
                        || is_cut && !is_joined && (in_one_clause || index < 4)
                        || jumped && in_one_clause && !self.before(unit, 4, opens))
                {
                    doubts.push(doubt(Some(at)));
                }
                jumped |= !is_same;
            }
            // What goes back takes its preposition along, or what went ahead did: "in winter" may be moved, "dog" for "man" may not.
            if is_same && at <= from && !self.is_tied(index) && !self.is_tied(self.piece_of(last_index)) {
                doubts.push(Doubt { edit: Edit::Turned, ..doubt(Some(at)) });
            }
            // "Bicycles pay" of "bicycles travel free, cars pay": the middle of one clause goes on in the middle of another.
            let goes_on = |one: Option<&&Unit<'_>>, other: &Unit<'_>| one.is_some_and(|one| same(one, other));
            if is_same
                && there.clause != here.clause
                && goes_on(self.had.get(from + 1), there)
                && at.checked_sub(1).is_some_and(|left| goes_on(self.had.get(left), here))
            {
                doubts.push(doubt(Some(at)));
            }
            // A relative clause belongs to the noun before it.
            let is_elsewhere = is_same
                && there.clause != here.clause
                && !(there.clause + 1 == here.clause
                    && self.had.get(from + 1).is_some_and(|next| next.clause == here.clause));
            let opener = self.had[..=at].iter().rev().take_while(|unit| same(unit, here)).last();
            if is_elsewhere
                && opener.is_some_and(|unit| matches!(unit.lead, "who" | "whose" | "which" | "where" | "whom"))
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
fn same(one: &Unit<'_>, other: &Unit<'_>) -> bool {
    (one.sentence, one.clause) == (other.sentence, other.clause)
}
