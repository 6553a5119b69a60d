//! One word put for another among words that stay: what cannot be true together with the context. Only closed sorts are looked for:
//! values, words of logic, opposites. Another open word may mean the same, and another name may be the same one.

use probare_text::wordnet::WordNet;

use super::super::turns::only_places;
use super::edits::{Doubt, Laid};
use super::path::price;
use super::units::{Differs, Unit};

/// What was exchanged.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Exchange {
    /// Another number.
    Number,
    /// The same number of another unit.
    Unit,
    /// Another date, weekday or time.
    Date,
    /// A value of the context that belongs to something else there.
    Binding,
    /// The opposite of a word.
    Opposite,
    /// A word of logic that excludes the one of the context.
    Logic,
    /// A word of logic that says more than the one of the context: *all* for *some*.
    Stronger,
    /// A denial that the context does not have.
    Denied,
    /// A denial of the context that is left out.
    Affirmed,
    /// Subject and object of a verb.
    Roles,
}

impl Exchange {
    /// What evidence says of it.
    pub const fn note(self) -> &'static str {
        match self {
            Self::Number => "another number",
            Self::Unit => "another unit",
            Self::Date => "another date or time",
            Self::Binding => "a value of something else",
            Self::Opposite => "the opposite of a word",
            Self::Logic => "a word that excludes the one there",
            Self::Stronger => "more than the context says",
            Self::Denied => "denied here and not there",
            Self::Affirmed => "denied there and not here",
            Self::Roles => "who does it and to whom is exchanged",
        }
    }
}

/// An exchange with its places: units of the sentence and of the context.
#[derive(Debug, Clone, Copy)]
pub(super) struct Charge {
    pub exchange: Exchange,
    pub said: usize,
    pub had: usize,
    /// What a word of the sentence costs without it, beyond what is allowed.
    excess: f64,
}

/// Words of logic that exclude each other.
const EXCLUDE: [(&str, &str); 13] = [
    ("all", "not"),
    ("before", "after"),
    ("more", "less"),
    ("until", "after"),
    ("at least", "at most"),
    ("first", "last"),
    ("unless", "if"),
    ("unless", "including"),
    ("since", "until"),
    ("some", "not"),
    ("may", "not"),
    ("up", "down"),
    ("most", "few"),
];

/// Words of logic that say more than others: said, there.
const STRONGER: [(&str, &str); 5] =
    [("all", "some"), ("all", "most"), ("must", "may"), ("will", "may"), ("all", "only")];

/// Beginnings that turn a word into its opposite.
const OPPOSING: [&str; 7] = ["un", "in", "im", "non", "dis", "ir", "il"];

/// Most that the rest of a sentence may cost, a word.
const CLOSE: f64 = 0.3;

/// The same where the place is told by one neighbour, or by the words of the sentence at large.
const CLOSER: f64 = 0.2;

/// Units that have to be met, and their share.
const FEWEST_MET: usize = 4;
const LEAST_MET: f64 = 0.7;

/// Other edits beside an exchange.
const MOST_OTHERS: usize = 2;

fn is_opposite(said: &str, had: &str) -> bool {
    let is_turned = |one: &str, other: &str| OPPOSING.iter().any(|prefix| one.strip_prefix(prefix) == Some(other));
    is_turned(said, had) || is_turned(had, said) || WordNet::embedded().is_antonym(said, had)
}

/// How one unit excludes another that has its place.
fn excludes(said: &Unit<'_>, had: &Unit<'_>) -> Option<Exchange> {
    if let Some((said, had)) = said.value().zip(had.value()) {
        return said.differs(had).map(|differs| match differs {
            Differs::Number => Exchange::Number,
            Differs::Unit => Exchange::Unit,
            Differs::Date => Exchange::Date,
        });
    }
    if let Some((said, had)) = said.logic().zip(had.logic()) {
        let is_pair = |pair: &(&str, &str)| *pair == (said, had) || *pair == (had, said);
        return if EXCLUDE.iter().any(is_pair) {
            Some(Exchange::Logic)
        } else {
            STRONGER.contains(&(said, had)).then_some(Exchange::Stronger)
        };
    }
    let is_word = |unit: &Unit<'_>| unit.value().is_none() && unit.logic().is_none() && !unit.is_name();
    let places = |unit: &Unit<'_>| only_places(unit.word);
    (is_word(said) && is_word(had) && !places(said) && is_opposite(said.word, had.word)).then_some(Exchange::Opposite)
}

impl Laid<'_> {
    /// Whether enough of the sentence is met to tell what was exchanged in it; a short one has to be met but for one word.
    pub(super) fn is_near(&self) -> bool {
        let content = self.said.iter().zip(&self.path.met).filter(|(unit, _)| unit.logic().is_none());
        let (content, met) = (content.clone().count(), content.filter(|(_, at)| at.is_some()).count());
        met >= FEWEST_MET && met as f64 >= LEAST_MET * content as f64 || met + 1 == FEWEST_MET && content <= FEWEST_MET
    }

    /// The first exchange that is clean: all else is close to the context.
    pub(super) fn exchange(&self, doubts: &[Doubt], is_worked_out: impl Fn(&Unit<'_>) -> bool) -> Option<Charge> {
        let mut charges = Vec::new();
        self.replaced(&mut charges);
        self.rebound(&mut charges);
        self.affirmed(&mut charges);
        charges.into_iter().find(|charge| {
            let others = doubts.iter().filter(|doubt| doubt.had != Some(charge.had)).filter_map(|doubt| doubt.said);
            let mut others: Vec<usize> = others.filter(|said| *said != charge.said).collect();
            others.sort_unstable();
            others.dedup();
            let is_value = matches!(charge.exchange, Exchange::Number | Exchange::Date | Exchange::Binding);
            charge.excess <= 0.0 && others.len() <= MOST_OTHERS && !(is_value && is_worked_out(&self.said[charge.said]))
        })
    }

    /// An exchange, if the sentence without it costs at most so much a word.
    fn charge(&self, exchange: Exchange, said: usize, had: usize, saved: f64, limit: f64) -> Charge {
        let excess = (self.path.cost - saved) / self.said.len().max(1) as f64 - limit;
        Charge { exchange, said, had, excess }
    }

    /// One word in the place of another.
    fn replaced(&self, charges: &mut Vec<Charge>) {
        for (from, to, before, behind) in self.runs() {
            let mut run = (from..to).filter(|&index| !self.said[index].is_light());
            let (Some(index), None) = (run.next(), run.next()) else { continue };
            let unit = &self.said[index];
            let saved: f64 = self.said[from..to].iter().map(price).sum();
            let mut found = |exchange: Exchange, had: usize, limit: f64| {
                charges.push(self.charge(exchange, index, had, saved, limit));
            };
            match self.gap(before, behind).as_deref() {
                Some([]) => {
                    let ("not", Some((before, behind))) = (unit.logic().unwrap_or_default(), before.zip(behind)) else {
                        continue;
                    };
                    let turns = |unit: &Unit<'_>| matches!(unit.logic(), Some("not" | "unless" | "only"));
                    let is_turned = self
                        .had
                        .iter()
                        .zip(self.used)
                        .any(|(unit, used)| unit.sentence == self.had[before].sentence && !used && turns(unit));
                    // What the context says behind it is said, too: "count" is not "count as normal wear".
                    let is_cut = self.free(Some(behind + 1), behind).is_some_and(|left| {
                        self.had[left].clause == self.had[behind].clause && self.path.met.len() == to + 1
                    });
                    if self.had[before].clause == self.had[behind].clause && !is_turned && !is_cut {
                        found(Exchange::Denied, before, CLOSER);
                    }
                }
                Some(gap) => {
                    let excluding: Vec<(usize, Exchange)> =
                        gap.iter().filter_map(|&had| Some((had, excludes(unit, self.had[had])?))).collect();
                    let is_clause = |had: usize| behind.is_some_and(|at| self.had[had].clause == self.had[at].clause);
                    let is_clean = gap.len() == 1
                        || unit.value().is_some() && excluding.len() == 1
                        || unit.logic().is_some() && gap.iter().all(|&had| self.had[had].logic().is_some());
                    let limit = if gap.len() == 1 { CLOSE } else { CLOSER };
                    let is_tied = |had: usize| unit.logic().is_none() || is_clause(had);
                    if let Some((had, exchange)) = excluding.first().filter(|(had, _)| is_clean && is_tied(*had)) {
                        found(*exchange, *had, limit);
                    }
                }
                None => {
                    for (had, _) in self.beside(before, behind) {
                        let exchange = excludes(unit, self.had[had]);
                        if let Some(exchange @ (Exchange::Unit | Exchange::Date | Exchange::Opposite)) = exchange {
                            found(exchange, had, CLOSER);
                        }
                    }
                }
            }
            if unit.value().is_some() {
                self.only_one(index, saved, charges);
            }
        }
    }

    /// A value that is the only new one, where the clauses have one of its sort that is the only one left.
    fn only_one(&self, index: usize, saved: f64, charges: &mut Vec<Charge>) {
        let mut met = self.path.met.iter().flatten().map(|&at| self.had[at]);
        let Some(first) = met.next() else { return };
        let is_new =
            |(other, at): (usize, &Option<usize>)| at.is_none() && other != index && !self.said[other].is_light();
        if met.any(|unit| unit.sentence != first.sentence) || self.path.met.iter().enumerate().any(is_new) {
            return;
        }
        let is_left = |at: &usize| {
            let unit = self.had[*at];
            let is_clause = |met: &usize| self.had[*met].clause == unit.clause;
            !self.used[*at]
                && unit.sentence == first.sentence
                && excludes(&self.said[index], unit).is_some()
                && self.path.met.iter().flatten().any(is_clause)
        };
        let mut left = (0..self.had.len()).filter(is_left);
        if let (Some(had), None) = (left.next(), left.next())
            && let Some(exchange) = excludes(&self.said[index], self.had[had])
        {
            charges.push(self.charge(exchange, index, had, saved, CLOSER));
        }
    }

    /// A value that the context has, in the place of another one of its sort.
    fn rebound(&self, charges: &mut Vec<Charge>) {
        let pieces = self.pieces();
        for (number, &(first, _, index, count)) in pieces.iter().enumerate() {
            let unit = &self.said[index];
            let before = number.checked_sub(1).map(|number| pieces[number].1);
            let behind = pieces.get(number + 1).map(|piece| piece.0);
            let Some(before) = before.filter(|_| unit.value().is_some() && !unit.is_led_as(self.had[first])) else {
                continue;
            };
            let place = before + 1;
            let Some(had) = self.had.get(place).filter(|had| had.sentence == self.had[before].sentence) else {
                continue;
            };
            if excludes(unit, had).is_none() || place == first {
                continue;
            }
            // What the context says before the value may follow it here: "12 for adults" of "adults 12".
            let key = first.checked_sub(1);
            let follows = |index: usize| key.is_some() && self.path.met.get(index).copied().flatten() == key;
            if follows(index + count) || follows(index + count + 1) {
                continue;
            }
            let is_free = !self.used[place];
            let goes_on =
                count > 1 && is_free && self.had.get(place + 1).is_some_and(|next| self.said[index + 1].meets(next));
            // "Adults 12" where the context has "adults 15, children 12".
            let is_next = count == 1
                && first > place + 1
                && first <= before + 1 + WIDEST
                && self.had[first].sentence == self.had[before].sentence
                && is_free
                && !self.used[first - 1]
                && self.had[first - 1].value().is_none()
                && self.had[first - 1].logic().is_none()
                && self.said[index - 1].token + 3 >= unit.token;
            if count == 1 && self.is_flanked(Some(before), behind, first, count) || goes_on {
                charges.push(self.charge(Exchange::Binding, index, place, 1.5, CLOSER));
            } else if is_next {
                charges.push(self.charge(Exchange::Binding, index, place, 0.0, CLOSER));
            }
        }
    }

    /// A denial between two words that stay.
    fn affirmed(&self, charges: &mut Vec<Charge>) {
        if self.said.iter().any(|unit| unit.logic() == Some("not")) {
            return;
        }
        let met: Vec<(usize, usize)> =
            self.path.met.iter().enumerate().filter_map(|(index, at)| Some((index, (*at)?))).collect();
        for pair in met.windows(2) {
            let ((_, from), (index, at)) = (pair[0], pair[1]);
            if at == from + 2
                && self.had[at].sentence == self.had[from].sentence
                && self.had[at - 1].logic() == Some("not")
            {
                charges.push(self.charge(Exchange::Affirmed, index, at - 1, 0.0, CLOSER));
            }
        }
    }
}

/// Units of the context over which a value may have been taken.
const WIDEST: usize = 6;
