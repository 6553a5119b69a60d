//! Numbers and dates of a response: borne out, converted, rounded, worked out, disputed, or nowhere.
//!
//! What they mean and what bears them out is a matter of `probare_text::quantities`; here is what a response may leave unsaid.

use std::ops::Range;

use probare_text::anchors::{Anchor, AnchorKind};
use probare_text::quantities::arithmetic::{Operand, OperandOrigin, find_derivation, is_written_alike, may_count};
use probare_text::quantities::{
    Amount, AmountIndex, AmountScale, AmountSense, SupportKind, amounts, converted_value, stated_amounts,
};

use super::super::finding::{AnchorFinding, ContextPlace, SupportVerdict, anchor_finding};
use super::number_context::{factors, tells_calculation};

/// Judges the numbers and dates of a response.
pub(super) struct ResponseAmounts<'a> {
    response: &'a str,
    amounts: Vec<Amount>,
    context: ContextAmounts<'a>,
    /// For each of them where the context bears it out, and how; nothing to tell where it has the same value.
    supports: Vec<Option<(ContextPlace, Option<String>)>>,
}

/// Numbers of the response before and behind one that it may follow from.
const NEIGHBOURS: usize = 6;

/// Most numbers, and most dates, that a context may have to be at hand; with more of them nearly anything follows.
const MOST_AT_HAND: usize = 24;

/// The numbers and dates of the context, in order, each with its chunk.
#[derive(Default)]
struct ContextAmounts<'a> {
    chunks: &'a [&'a str],
    amounts: Vec<(usize, Amount)>,
}

impl<'a> ContextAmounts<'a> {
    fn from_chunks(chunks: &'a [&'a str]) -> Self {
        let in_chunk = |(chunk, text): (usize, &&str)| amounts(text).into_iter().map(move |amount| (chunk, amount));
        Self { chunks, amounts: chunks.iter().enumerate().flat_map(in_chunk).collect() }
    }

    fn source(&self, place: usize) -> ContextPlace {
        let (chunk, amount) = &self.amounts[place];
        ContextPlace { chunk: *chunk, span: amount.span.clone() }
    }

    fn text(&self, place: usize) -> &'a str {
        let (chunk, amount) = &self.amounts[place];
        amount.text(self.chunks[*chunk])
    }

    /// What stands within a place.
    fn within(&self, place: &ContextPlace) -> impl Iterator<Item = &Amount> {
        let before = |(chunk, amount): &(usize, Amount)| (*chunk, amount.span.start) < (place.chunk, place.span.start);
        let from = self.amounts.partition_point(before);
        let here = self.amounts[from..]
            .iter()
            .take_while(|(chunk, amount)| *chunk == place.chunk && amount.span.start < place.span.end);
        here.map(|(_, amount)| amount)
    }

    /// Whether a date or time of day is an end of a stretch, whose length goes without saying: "from 3 May to 24 May".
    fn is_end(&self, place: usize) -> bool {
        let is_stretch = |first: usize| {
            let Some([(chunk, first), (other, second)]) = self.amounts.get(first..first + 2) else { return false };
            let is_date = |amount: &Amount| matches!(amount.sense(), AmountSense::Date(_));
            let between = self.chunks[*chunk].get(first.span.end..second.span.start).filter(|_| chunk == other);
            is_date(first)
                && is_date(second)
                && matches!(between.map(str::trim), Some("to" | "until" | "till" | "-" | "\u{2013}" | "and"))
        };
        is_stretch(place) || place.checked_sub(1).is_some_and(is_stretch)
    }

    /// The places of different numbers, and of different dates, if there are few enough of them to work with.
    fn usable_operands(&self) -> Vec<usize> {
        let mut places: Vec<usize> = Vec::new();
        if self.amounts.len() > 4 * MOST_AT_HAND {
            return places;
        }
        for (place, (_, amount)) in self.amounts.iter().enumerate() {
            probare_cancellation::count_steps(1);
            let is_known = places.iter().any(|known| self.amounts[*known].1.sense() == amount.sense());
            if !is_known && amount.sense().kind() != "ordinal" {
                places.push(place);
            }
        }
        let is_date = |place: &usize| matches!(self.amounts[*place].1.sense(), AmountSense::Date(_));
        let (mut dates, mut numbers): (Vec<usize>, Vec<usize>) = places.into_iter().partition(is_date);
        for sort in [&mut dates, &mut numbers] {
            if sort.len() > MOST_AT_HAND {
                sort.clear();
            }
        }
        dates.extend(numbers);
        dates.sort_unstable();
        dates
    }
}

impl<'a> ResponseAmounts<'a> {
    /// Looks for the numbers and dates of a response in the chunks of a context.
    pub fn new(response: &'a str, chunks: &'a [&'a str]) -> Self {
        let stated = stated_amounts(response);
        // A context is read for numbers only where the response has some.
        let had = if stated.is_empty() { ContextAmounts::default() } else { ContextAmounts::from_chunks(chunks) };
        let index = AmountIndex::new(had.amounts.iter().map(|(_, amount)| amount));
        let look = |stated: &Amount| {
            probare_cancellation::count_steps(1);
            let (place, how) = index.find(stated)?;
            Some((had.source(place), note(how, &had.amounts[place].1, had.text(place), stated)))
        };
        let borne_out = stated.iter().map(look).collect();
        let mut amounts = Self { response, amounts: stated, context: had, supports: borne_out };
        amounts.derive_values();
        amounts
    }

    /// Looks for what follows from numbers of a small context and from those of the response that are borne out. Twice, since a
    /// difference may follow from two sums.
    fn derive_values(&mut self) {
        if self.supports.iter().all(Option::is_some) {
            return;
        }
        let given = self.context.usable_operands();
        for _ in 0..2 {
            let mut found = Vec::new();
            for index in (0..self.amounts.len()).filter(|index| self.supports[*index].is_none()) {
                probare_cancellation::count_steps(16);
                found.extend(self.derivations(index, &given));
            }
            for (index, source, formula) in found {
                self.supports[index] = Some((source, Some(format!("follows: {formula}"))));
            }
        }
    }

    /// What a number follows from, and what was assumed for it: that is no invention.
    fn derivations(&self, index: usize, given: &[usize]) -> Vec<(usize, ContextPlace, String)> {
        let amount = &self.amounts[index];
        let near = index.saturating_sub(NEIGHBOURS)..self.amounts.len().min(index + NEIGHBOURS + 1);
        let stated: Vec<(Operand<'_>, Option<&ContextPlace>, usize)> = near
            .filter(|other| *other != index)
            .filter_map(|other| {
                let amount = &self.amounts[other];
                let source = self.supports[other].as_ref().map(|(source, _)| source);
                let from = if source.is_some() { OperandOrigin::Answer } else { OperandOrigin::Assumed };
                let text = amount.text(self.response);
                (source.is_some() || may_count(amount)).then_some((Operand { amount, text, from }, source, other))
            })
            .collect();
        // A number of the context is said beside it also where its unit is left out: "10 on high heat and then 8".
        let reckons = tells_calculation(self.response, &amount.span);
        // What the response repeats is one number, not two.
        let is_repeated = |place: &&usize| {
            stated.iter().any(|(other, source, _)| {
                source.is_some() && other.amount.sense() == self.context.amounts[**place].1.sense()
            })
        };
        let given: Vec<usize> = given.iter().filter(|place| !is_repeated(place)).copied().collect();
        let sources: Vec<ContextPlace> = given.iter().map(|place| self.context.source(*place)).collect();
        let given = given.iter().zip(&sources).map(|(place, source)| {
            let amount = &self.context.amounts[*place].1;
            let is_beside = reckons
                || self.context.is_end(*place)
                || stated.iter().any(|(other, ..)| is_written_alike(other.amount, amount));
            let from = if is_beside { OperandOrigin::Answer } else { OperandOrigin::Source };
            (Operand { amount, text: self.context.text(*place), from }, Some(source), usize::MAX)
        });
        let all: Vec<(Operand<'_>, Option<&ContextPlace>, usize)> = given.chain(stated.iter().copied()).collect();
        let hand: Vec<Operand<'_>> = all.iter().map(|(at_hand, ..)| *at_hand).collect();
        let factors = factors(self.response, &amount.span);
        let Some(reckoned) = find_derivation(amount, amount.text(self.response), &hand, &factors) else {
            return Vec::new();
        };
        let Some(source) = reckoned.from.iter().find_map(|place| all[*place].1) else { return Vec::new() };
        let places = reckoned.from.iter().map(|place| &all[*place]);
        let assumed = places.filter(|(at_hand, ..)| at_hand.from == OperandOrigin::Assumed).map(|(_, _, other)| *other);
        assumed.chain([index]).map(|index| (index, source.clone(), reckoned.formula.clone())).collect()
    }

    /// The number or date that bytes of the response belong to.
    fn index_at(&self, span: &Range<usize>) -> Option<usize> {
        let at = self.amounts.partition_point(|amount| amount.span.end <= span.start);
        self.amounts.get(at).filter(|amount| amount.span.start < span.end).map(|_| at)
    }

    /// Whether the context bears out the number or date that bytes of the response belong to; nothing where they belong to none.
    pub fn is_supported_at(&self, span: &Range<usize>) -> Option<bool> {
        self.index_at(span).map(|at| self.supports[at].is_some())
    }

    /// Whether the response has no number and no date.
    pub fn is_empty(&self) -> bool {
        self.amounts.is_empty()
    }

    /// What the context has, in order, each with its chunk; nothing where the response has no number.
    pub fn context_amounts(&self) -> &[(usize, Amount)] {
        &self.context.amounts
    }

    /// Whether bytes of the response belong to a number or date that is converted or rounded, or follows from others.
    pub fn is_derived(&self, span: &Range<usize>) -> bool {
        self.index_at(span).is_some_and(|at| matches!(self.supports[at], Some((_, Some(_)))))
    }

    /// Whether a place in the context has the number or date that bytes of the response belong to; nothing where it has none of
    /// that sort.
    pub fn stands_in(&self, span: &Range<usize>, place: &ContextPlace) -> Option<bool> {
        let at = self.index_at(span)?;
        let amount = &self.amounts[at];
        // What is converted or worked out stands where its numbers stand.
        if self.is_derived(span) || AmountIndex::new(self.context.within(place)).find(amount).is_some() {
            return Some(true);
        }
        self.conflicting_value(amount, place).map(|_| false)
    }

    /// Another value of the same sort in the place that speaks of the same matter.
    fn conflicting_value(&self, amount: &Amount, same: &ContextPlace) -> Option<ContextPlace> {
        let rival = self.context.within(same).find(|had| amount.is_comparable(had))?;
        Some(ContextPlace { chunk: same.chunk, span: rival.span.clone() })
    }

    /// The findings of the numbers and dates in a part of the response; `same` is where the context speaks of the same matter,
    /// `is_claimed` whether the response claims what stands at some bytes.
    pub fn findings(
        &self,
        part: &Range<usize>,
        same: Option<&ContextPlace>,
        is_claimed: impl Fn(&Range<usize>) -> bool,
    ) -> Vec<AnchorFinding> {
        let from = self.amounts.partition_point(|amount| amount.span.start < part.start);
        let amounts = self.amounts.iter().zip(&self.supports).skip(from);
        let here = amounts.take_while(|(amount, _)| amount.span.start < part.end);
        let checked = here.filter(|(amount, borne_out)| {
            let is_factor = self.response[amount.span.end..].trim_start().starts_with('×');
            borne_out.is_some()
                || can_be_missing(amount, amount.text(self.response)) && !is_factor && is_claimed(&amount.span)
        });
        checked.map(|(amount, borne_out)| self.finding(amount, borne_out.clone(), same)).collect()
    }

    fn finding(
        &self,
        amount: &Amount,
        borne_out: Option<(ContextPlace, Option<String>)>,
        same: Option<&ContextPlace>,
    ) -> AnchorFinding {
        let verdict = match borne_out {
            Some((source, note)) => SupportVerdict::Supported { source, note: note.map(Into::into) },
            None => {
                if let Some(source) = same.and_then(|same| self.conflicting_value(amount, same)) {
                    SupportVerdict::Contradicted { reason: "the context has another value there".into(), source }
                } else {
                    let kind = amount.sense().kind();
                    let reason = format!("the context has no {kind} of this value, and none follows from its numbers");
                    SupportVerdict::Unsupported { reason: reason.into() }
                }
            }
        };
        let kind = match amount.sense().kind() {
            "date" | "time of day" | "duration" => AnchorKind::Date,
            _ => AnchorKind::Numeric,
        };
        anchor_finding(&Anchor { kind, span: amount.span.clone() }, amount.text(self.response), verdict)
    }
}

/// How the context bears out a number, where that is not plain.
fn note(how: SupportKind, had: &Amount, text: &str, amount: &Amount) -> Option<String> {
    let shown = converted_value(had, amount).map_or_else(|| format!("`{text}`"), |value| format!("`{text}` = {value}"));
    match how {
        SupportKind::Same => None,
        SupportKind::Converted => Some(format!("converted: {shown}")),
        SupportKind::Implied => Some(format!("by the calendar: `{text}`")),
        SupportKind::Rounded => Some(format!("rounded: {shown}")),
        SupportKind::Bounded => Some(format!("within its bound: {shown}")),
    }
}

/// Whether a number or date is there that can be missing. "The previous year" is relative to what was said before; one is said of
/// everything ("the cream one", "one or two", "in a year"), and nought is told by any denial.
fn can_be_missing(amount: &Amount, text: &str) -> bool {
    let is_article = || text.split(' ').next().is_some_and(|first| matches!(first, "a" | "an" | "A" | "An"));
    match amount.sense() {
        AmountSense::Number { scale: AmountScale::Bare | AmountScale::Count | AmountScale::Label, value, .. } => {
            *value > 1.0
        }
        AmountSense::Number { value, .. } => *value != 0.0 && !(*value == 1.0 && is_article()),
        AmountSense::Date(fields) => fields.relative.is_none(),
    }
}
