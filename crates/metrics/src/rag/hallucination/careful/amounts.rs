//! Numbers and dates of a response: borne out, converted, rounded, disputed, or nowhere.

use std::borrow::Cow;
use std::ops::Range;

use probare_text::anchors::{Anchor, AnchorKind};
use probare_text::dates::{self, Date, Fields, Meaning};
use probare_text::quantities::{self, Kind, Quantity};
use rustc_hash::FxHashMap;

use super::super::examination::{anchor_finding, missing_anchor};
use super::super::finding::{Finding, Source, Standing};
use super::arithmetic::{AtHand, Figure, Origin};
use super::around::{approach, factors, reckons};
use super::conversion::{self, Approach, significant_digits};
use super::had::{Had, within};
use super::notation::{clock, is_named_alike, is_range};

/// Judges the numbers and dates of a response.
pub(super) struct Amounts<'a> {
    response: &'a str,
    anchors: &'a [Anchor],
    /// What the context has.
    had: Had,
    /// For each anchor where the context bears it out, and how.
    borne_out: Vec<Option<(Source, How)>>,
}

/// How the context bears out a number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum How {
    /// In the same value and unit.
    Exactly,
    /// After conversion or rounding.
    Converted,
    /// It follows from other numbers.
    WorkedOut,
}

impl How {
    const fn note(self) -> Option<&'static str> {
        match self {
            Self::Exactly => None,
            Self::Converted => Some("after conversion or rounding"),
            Self::WorkedOut => Some("follows from other numbers"),
        }
    }
}

/// Numbers of the response before and behind one that it may follow from.
const NEIGHBOURS: usize = 6;

impl<'a> Amounts<'a> {
    /// Looks for these anchors.
    pub fn new(response: &'a str, chunks: &[&str], anchors: &'a [Anchor]) -> Self {
        // A context is read for numbers only where the response has some.
        let had = if anchors.is_empty() { Had::default() } else { Had::of(chunks) };
        // The same number again, as in a table, has the same answer.
        let mut known: FxHashMap<(Approach, &str), Option<(Source, How)>> = FxHashMap::default();
        let look = |anchor: &'a Anchor| {
            let text = anchor.text(response);
            let approach = approach(response, anchor.span.start);
            known.entry((approach, text)).or_insert_with(|| Said::new(text, approach).borne_out(&had)).clone()
        };
        let mut borne_out: Vec<Option<(Source, How)>> = anchors.iter().map(look).collect();
        // "64 to 70 °F": both numbers of a range have the unit of the second.
        for index in 0..anchors.len().saturating_sub(1) {
            probare_cancellation::steps(1);
            if borne_out[index].is_none()
                && let Some(said) = Said::in_range(response, &anchors[index], &anchors[index + 1])
            {
                borne_out[index] = said.borne_out(&had);
            }
        }
        let mut amounts = Self { response, anchors, had, borne_out };
        amounts.work_out();
        amounts
    }

    /// Looks for what follows from numbers of a small context and from those of the response that are borne out. Twice, since a
    /// difference may follow from two sums.
    fn work_out(&mut self) {
        if self.borne_out.iter().all(Option::is_some) {
            return;
        }
        let had = self.had.figures();
        let figures: Vec<Option<Figure>> =
            self.anchors.iter().map(|anchor| figure(anchor.text(self.response))).collect();
        for _ in 0..2 {
            let mut found = Vec::new();
            for (index, figure) in figures.iter().enumerate().filter(|(index, _)| self.borne_out[*index].is_none()) {
                probare_cancellation::steps(16);
                let Some(figure) = figure else { continue };
                let anchor = &self.anchors[index];
                let near = index.saturating_sub(NEIGHBOURS)..self.anchors.len().min(index + NEIGHBOURS + 1);
                let said = near.filter(|other| *other != index).filter_map(|other| {
                    let figure = figures[other]?;
                    match &self.borne_out[other] {
                        Some((source, _)) => Some((AtHand { figure, from: Origin::Response }, Some(source), other)),
                        None if figure.may_count() => Some((AtHand { figure, from: Origin::Assumed }, None, other)),
                        None => None,
                    }
                });
                let said: Vec<(AtHand, Option<&Source>, usize)> = said.collect();
                // A number of the context is said beside it also where its unit is left out: "10 on high heat and then 8".
                let reckons = reckons(self.response, &anchor.span);
                let given = had.iter().map(|(figure, source)| {
                    let is_beside = reckons || said.iter().any(|(other, ..)| other.figure.is_written_as(figure));
                    let from = if is_beside { Origin::Response } else { Origin::Context };
                    (AtHand { figure: *figure, from }, Some(source), usize::MAX)
                });
                let all: Vec<(AtHand, Option<&Source>, usize)> = given.chain(said.iter().copied()).collect();
                let hand: Vec<AtHand> = all.iter().map(|(at_hand, ..)| *at_hand).collect();
                let is_rounded = approach(self.response, anchor.span.start) != Approach::Exact;
                let digits = significant_digits(anchor.text(self.response));
                let factors = factors(self.response, &anchor.span);
                let Some(places) = figure.follows(&hand, &factors, digits, is_rounded) else { continue };
                let Some(source) = places.iter().find_map(|place| all[*place].1.cloned()) else { continue };
                // What was assumed in order to count is no invention.
                let assumed =
                    places.iter().map(|place| &all[*place]).find(|(at_hand, ..)| at_hand.from == Origin::Assumed);
                found.extend(assumed.map(|(_, _, other)| (*other, source.clone())));
                found.push((index, source));
            }
            for (index, source) in found {
                self.borne_out[index] = Some((source, How::WorkedOut));
            }
        }
    }

    /// Whether the context bears out the number or date that bytes of the response belong to; nothing where they belong to none.
    pub fn at(&self, span: &Range<usize>) -> Option<bool> {
        let at = self.anchors.partition_point(|anchor| anchor.span.end <= span.start);
        let is_here = self.anchors.get(at).is_some_and(|anchor| anchor.span.start < span.end);
        is_here.then(|| self.borne_out[at].is_some())
    }

    /// What the context has.
    pub fn had(&self) -> &Had {
        &self.had
    }

    /// Whether bytes of the response belong to a number or date that follows from others.
    pub fn is_worked_out(&self, span: &Range<usize>) -> bool {
        let at = self.anchors.partition_point(|anchor| anchor.span.end <= span.start);
        let is_here = self.anchors.get(at).is_some_and(|anchor| anchor.span.start < span.end);
        is_here && matches!(self.borne_out[at], Some((_, How::WorkedOut)))
    }

    /// Whether a place in the context has the number or date that bytes of the response belong to; nothing where it has none of
    /// that sort.
    pub fn stands_in(&self, span: &Range<usize>, place: &Source) -> Option<bool> {
        let at = self.anchors.partition_point(|anchor| anchor.span.end <= span.start);
        let anchor = self.anchors.get(at).filter(|anchor| anchor.span.start < span.end)?;
        if matches!(self.borne_out[at], Some((_, How::WorkedOut | How::Converted))) {
            return Some(true);
        }
        let text = anchor.text(self.response);
        let said = Said::new(text, approach(self.response, anchor.span.start));
        let here = self.had.only(place);
        if said.borne_out(&here).is_some() {
            return Some(true);
        }
        said.rival(anchor.kind, &self.had, place).map(|_| false)
    }

    /// The findings of the anchors in a part of the response; `same` is where the context speaks of the same matter, `is_claimed`
    /// whether a place of the response claims what it says.
    pub fn findings(
        &self,
        part: &Range<usize>,
        same: Option<&Source>,
        is_claimed: impl Fn(&Range<usize>) -> bool,
    ) -> Vec<Finding> {
        let from = self.anchors.partition_point(|anchor| anchor.span.start < part.start);
        let anchors = self.anchors.iter().zip(&self.borne_out).skip(from);
        let here = anchors.take_while(|(anchor, _)| anchor.span.start < part.end);
        // What cannot be read ("an hour", "a fortnight") says nothing that could be missing.
        let readable = here.filter(|(anchor, borne_out)| {
            let is_factor = self.response[anchor.span.end..].trim_start().starts_with('×');
            borne_out.is_some() || can_be_read(anchor.text(self.response)) && !is_factor && is_claimed(&anchor.span)
        });
        readable.map(|(anchor, borne_out)| self.finding(anchor, borne_out.clone(), same)).collect()
    }

    fn finding(&self, anchor: &Anchor, borne_out: Option<(Source, How)>, same: Option<&Source>) -> Finding {
        let text = anchor.text(self.response);
        let standing = match borne_out {
            Some((source, how)) => Standing::Supported { source, note: how.note().map(Cow::Borrowed) },
            None => match same.and_then(|same| Said::new(text, Approach::Exact).rival(anchor.kind, &self.had, same)) {
                Some(source) => {
                    Standing::Contradicted { reason: Cow::Borrowed("the context has another value there"), source }
                }
                None => Standing::Unsupported { reason: missing_anchor(text, anchor.kind).into() },
            },
        };
        anchor_finding(anchor, text, standing)
    }
}

/// Whether a number or date is there that can be missing. "The previous year" is relative to what was said before; one is said of
/// everything: "the cream one", "one or two".
fn can_be_read(text: &str) -> bool {
    if quantities::parse(text).is_some_and(|quantity| quantity.kind == Kind::Cardinal && quantity.value <= 1.0) {
        return false;
    }
    let date = dates::parse(text);
    let is_relative =
        |date: &Date| matches!(&date.meaning, Meaning::Calendar { fields, .. } if fields.relative.is_some());
    quantities::parse(text).is_some() || date.as_ref().is_some_and(|date| !is_relative(date))
}

/// A number or date to work with.
fn figure(text: &str) -> Option<Figure> {
    let date = dates::parse(text).as_ref().and_then(Figure::of_date);
    date.or_else(|| quantities::parse(text).as_ref().map(Figure::of_quantity))
}

/// A number or date as the response gives it.
struct Said {
    quantity: Option<Quantity>,
    date: Option<Date>,
    approach: Approach,
    digits: i32,
}

impl Said {
    fn new(text: &str, approach: Approach) -> Self {
        // "5.30" is a number and a time.
        let time = clock(text).map(|meaning| Date { meaning, span: 0..text.len() });
        let date = dates::parse(text).or(time);
        Self { quantity: quantities::parse(text), date, approach, digits: significant_digits(text) }
    }

    /// The first number of a range, with the unit of the second.
    fn in_range(response: &str, first: &Anchor, second: &Anchor) -> Option<Self> {
        let between = response.get(first.span.end..second.span.start)?;
        let (number, with_unit) = (quantities::parse(first.text(response))?, quantities::parse(second.text(response))?);
        let is_range = is_range(between) && number.kind == Kind::Cardinal;
        let approach = approach(response, first.span.start);
        let digits = significant_digits(first.text(response));
        let quantity = Some(Quantity { kind: with_unit.kind, ..number });
        is_range.then_some(Self { quantity, date: None, approach, digits })
    }

    /// Where the context bears it out, and whether in the same value and unit.
    fn borne_out(&self, had: &Had) -> Option<(Source, How)> {
        let value = self.quantity.as_ref().map(conversion::common);
        let said = self.quantity.as_ref().zip(value);
        let exact = said.and_then(|(said, value)| had.near(value, |found| quantities::supports(found, said)));
        let exact = exact.or_else(|| had.date(self.date.as_ref()?));
        if let Some(source) = exact {
            return Some((source, How::Exactly));
        }
        let (said, value) = said?;
        // "ten minutes on high heat and then 8", "until 9", "day two": the rest was said before, or goes without saying.
        if said.kind == Kind::Cardinal
            && let Some(source) = had.shape(said.value)
        {
            return Some((source, How::Exactly));
        }
        // "10 %" for a tenth.
        if said.kind == Kind::Percent && said.value > 0.0 {
            let parts = if said.value == 50.0 { 0.5 } else { 100.0 / said.value };
            if let Some(source) = had.shape(parts).filter(|_| parts != 1.0) {
                return Some((source, How::Converted));
            }
        }
        // "CHF 40" for 40 francs: a name of several currencies.
        if let Kind::Money { currency } = said.kind
            && let Some(source) = had.near(value, |found| is_named_alike(currency, found, said.value))
        {
            return Some((source, How::Exactly));
        }
        // "the 19-year-old" of "Orr, 19": the unit goes without saying there.
        if matches!(said.kind, Kind::Duration { .. } | Kind::Measure { .. })
            && let Some(source) =
                had.near(said.value, |found| found.kind == Kind::Cardinal && (found.value - said.value).abs() < 1e-9)
        {
            return Some((source, How::Exactly));
        }
        let bears_out = |found: &Quantity| conversion::bears_out(found, said, self.approach, self.digits);
        had.near(value, bears_out).map(|source| (source, How::Converted))
    }

    /// Another value of the same sort in the place that speaks of the same matter.
    fn rival(&self, kind: AnchorKind, had: &Had, same: &Source) -> Option<Source> {
        let span = match (kind, &self.quantity, &self.date) {
            (AnchorKind::Date, _, Some(said)) => {
                let mut near = within(&had.dates, same, |date| &date.span).iter().map(|(_, date)| date);
                near.find(|date| is_same_sort_of_date(said, date)).map(|date| date.span.clone())
            }
            (_, Some(said), _) => {
                let mut near = within(&had.quantities, same, |found| &found.span).iter().map(|(_, found)| found);
                near.find(|found| conversion::is_same_sort(found, said)).map(|found| found.span.clone())
            }
            _ => None,
        };
        span.map(|span| Source { chunk: same.chunk, span })
    }
}

/// Whether two dates say something of the same sort, so that one of them can be wrong.
fn is_same_sort_of_date(said: &Date, had: &Date) -> bool {
    match (&said.meaning, &had.meaning) {
        (Meaning::Duration(said), Meaning::Duration(had)) => conversion::is_same_sort(had, said),
        (Meaning::Calendar { fields: said, .. }, Meaning::Calendar { fields: had, .. }) => shares_field(said, had),
        _ => false,
    }
}

/// Whether both name a field; the source may say more.
fn shares_field(said: &Fields, had: &Fields) -> bool {
    (said.year.is_some() && had.year.is_some())
        || (said.month.is_some() && had.month.is_some())
        || (said.weekday.is_some() && had.weekday.is_some())
        || (said.minute.is_some() && had.minute.is_some())
        || (said.quarter.is_some() && had.quarter.is_some())
        || (said.decade.is_some() && (had.decade.is_some() || had.year.is_some()))
        || (said.century.is_some() && (had.century.is_some() || had.year.is_some()))
}
