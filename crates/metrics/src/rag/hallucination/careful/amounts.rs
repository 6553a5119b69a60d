//! Numbers and dates of a response: borne out, converted, rounded, disputed, or nowhere.

use std::borrow::Cow;
use std::ops::Range;

use probare_text::anchors::{Anchor, AnchorKind};
use probare_text::dates::{self, Date, Fields, Meaning};
use probare_text::quantities::{self, Kind, Quantity};
use rustc_hash::FxHashMap;

use super::super::examination::{anchor_finding, missing_anchor};
use super::super::finding::{Finding, Source, Standing};
use super::super::folding::words;
use super::arithmetic::{AtHand, Figure, MOST_AT_HAND, Origin};
use super::conversion::{self, Approach, significant_digits};

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

/// The numbers and dates of the context, each with its chunk, in order.
#[derive(Default)]
struct Had {
    quantities: Vec<(usize, Quantity)>,
    dates: Vec<(usize, Date)>,
    /// Quantities by value in a common unit.
    by_value: Vec<(f64, usize)>,
    /// Dates by year; those without one under none.
    by_year: FxHashMap<Option<i32>, Vec<usize>>,
}

/// Quantities near a value that are tried: more of them say nothing.
const MOST_NEAR: usize = 256;

impl Had {
    fn of(chunks: &[&str]) -> Self {
        let mut had = Self::default();
        for (chunk, text) in chunks.iter().enumerate() {
            had.quantities.extend(quantities::find(text).into_iter().map(|quantity| (chunk, quantity)));
            had.dates.extend(dates::find(text).into_iter().map(|date| (chunk, date)));
        }
        had.sorted()
    }

    /// With its lists by value and by year.
    fn sorted(mut self) -> Self {
        let values = self.quantities.iter().enumerate().map(|(index, (_, found))| (conversion::common(found), index));
        self.by_value = values.collect();
        self.by_value.sort_by(|left, right| left.0.total_cmp(&right.0).then(left.1.cmp(&right.1)));
        for (index, (_, date)) in self.dates.iter().enumerate() {
            for year in years(date) {
                self.by_year.entry(year).or_default().push(index);
            }
        }
        self
    }

    /// The first quantity in the order of the text that is near a value in the common unit and of which `test` holds.
    fn near(&self, value: f64, test: impl Fn(&Quantity) -> bool) -> Option<Source> {
        let reach = value.abs() * 0.51 + 1e-9;
        let from = self.by_value.partition_point(|(found, _)| *found < value - reach);
        let near = self.by_value[from..].iter().take_while(|(found, _)| *found <= value + reach).take(MOST_NEAR);
        let first = near.map(|(_, index)| *index).filter(|&index| test(&self.quantities[index].1)).min()?;
        let (chunk, found) = &self.quantities[first];
        Some(Source { chunk: *chunk, span: found.span.clone() })
    }

    /// The first length of time of this number of units.
    fn length(&self, value: f64) -> Option<Source> {
        let is_it = |(_, date): &&(usize, Date)| matches!(&date.meaning, Meaning::Duration(length) if (length.value - value).abs() < 1e-9);
        self.dates.iter().find(is_it).map(|(chunk, date)| Source { chunk: *chunk, span: date.span.clone() })
    }

    /// All numbers and dates, if there are few enough to work with.
    fn figures(&self) -> Vec<(Figure, Source)> {
        if self.quantities.len() + self.dates.len() > 2 * MOST_AT_HAND {
            return Vec::new();
        }
        let source = |chunk: usize, span: &Range<usize>| Source { chunk, span: span.clone() };
        let dates =
            self.dates.iter().filter_map(|(chunk, date)| Some((Figure::of_date(date)?, source(*chunk, &date.span))));
        // A year is also a number, and so is a length of time.
        let is_date = |chunk: usize, span: &Range<usize>| {
            self.dates
                .iter()
                .any(|(other, date)| *other == chunk && date.span.start < span.end && span.start < date.span.end)
        };
        let numbers = self.quantities.iter().filter(|(chunk, found)| !is_date(*chunk, &found.span));
        let numbers = numbers.map(|(chunk, found)| (Figure::of_quantity(found), source(*chunk, &found.span)));
        let mut figures: Vec<(Figure, Source)> = Vec::new();
        for (figure, source) in dates.chain(numbers) {
            if !figures.iter().any(|(known, _)| *known == figure) {
                figures.push((figure, source));
            }
        }
        if figures.len() > MOST_AT_HAND { Vec::new() } else { figures }
    }

    /// The first date that bears one out.
    fn date(&self, said: &Date) -> Option<Source> {
        let bears_out = |(_, had): &&(usize, Date)| dates::supports(had, said);
        // A date of some year is borne out by one of that year alone; one without a year by any.
        let found = if years(said).iter().all(Option::is_some) {
            let mut places: Vec<usize> = Vec::new();
            years(said).iter().filter_map(|year| self.by_year.get(year)).for_each(|found| places.extend(found));
            places.sort_unstable();
            places.into_iter().map(|index| &self.dates[index]).find(bears_out)
        } else {
            self.dates.iter().find(bears_out)
        };
        found.map(|(chunk, date)| Source { chunk: *chunk, span: date.span.clone() })
    }
}

/// What stands within a place, of a list in the order of the context.
fn within<'l, T>(list: &'l [(usize, T)], place: &Source, span: impl Fn(&T) -> &Range<usize>) -> &'l [(usize, T)] {
    let from = list.partition_point(|(chunk, found)| (*chunk, span(found).start) < (place.chunk, place.span.start));
    let to = list.partition_point(|(chunk, found)| (*chunk, span(found).end) <= (place.chunk, place.span.end));
    list.get(from..to).unwrap_or_default()
}

/// The years that a date may mean.
fn years(date: &Date) -> Vec<Option<i32>> {
    match &date.meaning {
        Meaning::Calendar { fields, other } => std::iter::once(fields).chain(other).map(|fields| fields.year).collect(),
        Meaning::Duration(_) => vec![None],
    }
}

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
        let borne_out = anchors.iter().map(look).collect();
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
                let given = had.iter().map(|(figure, source)| {
                    (AtHand { figure: *figure, from: Origin::Context }, Some(source), usize::MAX)
                });
                let all: Vec<(AtHand, Option<&Source>, usize)> = given.chain(said).collect();
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

    /// Whether a place in the context has the number or date that bytes of the response belong to; nothing where it has none of
    /// that sort.
    pub fn stands_in(&self, span: &Range<usize>, place: &Source) -> Option<bool> {
        let at = self.anchors.partition_point(|anchor| anchor.span.end <= span.start);
        let anchor = self.anchors.get(at).filter(|anchor| anchor.span.start < span.end)?;
        let text = anchor.text(self.response);
        let said = Said::new(text, approach(self.response, anchor.span.start));
        let here = Had {
            quantities: within(&self.had.quantities, place, |found| &found.span).to_vec(),
            dates: within(&self.had.dates, place, |found| &found.span).to_vec(),
            ..Had::default()
        }
        .sorted();
        if said.borne_out(&here).is_some() {
            return Some(true);
        }
        said.rival(anchor.kind, &self.had, place).map(|_| false)
    }

    /// The findings of the anchors in a part of the response; `same` is where the context speaks of the same matter.
    pub fn findings(&self, part: &Range<usize>, same: Option<&Source>) -> Vec<Finding> {
        let from = self.anchors.partition_point(|anchor| anchor.span.start < part.start);
        let anchors = self.anchors.iter().zip(&self.borne_out).skip(from);
        let here = anchors.take_while(|(anchor, _)| anchor.span.start < part.end);
        // What cannot be read ("an hour", "a fortnight") says nothing that could be missing.
        let readable =
            here.filter(|(anchor, borne_out)| borne_out.is_some() || can_be_read(anchor.text(self.response)));
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

fn can_be_read(text: &str) -> bool {
    quantities::parse(text).is_some() || dates::parse(text).is_some()
}

/// How exact the words before a number are.
fn approach(response: &str, start: usize) -> Approach {
    let from = response.floor_char_boundary(start.saturating_sub(40));
    let before = words(response.get(from..start).unwrap_or_default());
    let before: Vec<&str> = before.iter().map(|word| word.lower.as_str()).collect();
    Approach::of(&before)
}

/// Bytes around a number in which its reckoning is told.
const AROUND: usize = 80;

/// By how much the words around a number tell to multiply or divide: by the month and by the year, double and half.
fn factors(response: &str, span: &Range<usize>) -> Vec<f64> {
    let from = response.floor_char_boundary(span.start.saturating_sub(AROUND));
    let to = response.floor_char_boundary(response.len().min(span.end + AROUND));
    let around = words(response.get(from..to).unwrap_or_default());
    let has = |test: fn(&str) -> bool| around.iter().any(|word| test(&word.lower));
    let by_month = has(|word| matches!(word, "month" | "monthly" | "year" | "yearly" | "annual" | "annually"));
    let by_half = has(|word| matches!(word, "double" | "doubled" | "twice" | "half" | "halve" | "halved"));
    [(by_month, 12.0), (by_half, 2.0)].into_iter().filter_map(|(is_told, factor)| is_told.then_some(factor)).collect()
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
        Self { quantity: quantities::parse(text), date: dates::parse(text), approach, digits: significant_digits(text) }
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
        // "ten minutes on high heat and then 8": the unit was said before.
        if said.kind == Kind::Cardinal
            && let Some(source) = had.length(said.value)
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
