//! The numbers and dates that the context has.

use std::ops::Range;

use probare_text::dates::{self, Date, Meaning};
use probare_text::quantities::Quantity;
use rustc_hash::FxHashMap;

use super::super::finding::Source;
use super::super::folding::words;
use super::arithmetic::{Figure, MOST_AT_HAND};
use super::conversion;
use super::notation::{clock, is_same_clock, minute, ordinal, with_ranges};

/// The numbers and dates of the context, each with its chunk, in order.
#[derive(Default)]
pub(super) struct Had {
    pub quantities: Vec<(usize, Quantity)>,
    pub dates: Vec<(usize, Date)>,
    /// Quantities by value in a common unit.
    by_value: Vec<(f64, usize)>,
    /// Dates by year; those without one under none.
    by_year: FxHashMap<Option<i32>, Vec<usize>>,
    /// Numbers in other shapes, each with its chunk, in order: ordinals, full hours, halves, lengths of time.
    shapes: Vec<(usize, (f64, Range<usize>))>,
    /// Their places in the list by value.
    shapes_by_value: Vec<(f64, usize)>,
}

/// Quantities near a value that are tried: more of them say nothing.
const MOST_NEAR: usize = 256;

impl Had {
    pub(super) fn of(chunks: &[&str]) -> Self {
        let mut had = Self::default();
        for (chunk, text) in chunks.iter().enumerate() {
            let quantities = with_ranges(text);
            let clocks = quantities.iter().filter_map(|quantity| {
                Some(Date { meaning: clock(quantity.text(text))?, span: quantity.span.clone() })
            });
            let mut dates: Vec<Date> = dates::find(text).into_iter().chain(clocks).collect();
            dates.sort_by_key(|date| date.span.start);
            let ordinals = words(text).into_iter().filter_map(|word| Some((ordinal(&word.lower)?, word.span)));
            let mut shapes: Vec<(f64, Range<usize>)> = ordinals.collect();
            for date in &dates {
                probare_cancellation::steps(1);
                shapes.extend(numbers_of(date).into_iter().map(|value| (value, date.span.clone())));
            }
            // "9 to 16" may be told as nine to four.
            let is_hour =
                |quantity: &&Quantity| (13.0..=24.0).contains(&quantity.value) && quantity.value.fract() == 0.0;
            let hours = quantities.iter().filter(is_hour);
            shapes.extend(hours.map(|quantity| (quantity.value - 12.0, quantity.span.clone())));
            shapes.sort_by_key(|(_, span)| span.start);
            had.quantities.extend(quantities.into_iter().map(|quantity| (chunk, quantity)));
            had.dates.extend(dates.into_iter().map(|date| (chunk, date)));
            had.shapes.extend(shapes.into_iter().map(|shape| (chunk, shape)));
        }
        had.sorted()
    }

    /// Where a plain number stands in another shape: *second* for two, *9 am* for nine, *8 minutes* for eight, *half* for ½.
    pub(super) fn shape(&self, value: f64) -> Option<Source> {
        let from = self.shapes_by_value.partition_point(|(known, _)| *known < value - 1e-9);
        let (_, index) = self.shapes_by_value.get(from).filter(|(known, _)| (known - value).abs() < 1e-9)?;
        let (chunk, (_, span)) = &self.shapes[*index];
        Some(Source { chunk: *chunk, span: span.clone() })
    }

    /// What it has in a place.
    pub(super) fn only(&self, place: &Source) -> Self {
        let quantities = within(&self.quantities, place, |found| &found.span).to_vec();
        let dates = within(&self.dates, place, |found| &found.span).to_vec();
        let shapes = within(&self.shapes, place, |(_, span)| span).to_vec();
        Self { quantities, dates, shapes, ..Self::default() }.sorted()
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
        self.shapes_by_value = self.shapes.iter().enumerate().map(|(index, (_, (value, _)))| (*value, index)).collect();
        self.shapes_by_value.sort_by(|left, right| left.0.total_cmp(&right.0).then(left.1.cmp(&right.1)));
        self
    }

    /// The first quantity in the order of the text that is near a value in the common unit and of which `test` holds.
    pub(super) fn near(&self, value: f64, test: impl Fn(&Quantity) -> bool) -> Option<Source> {
        let reach = value.abs() * 0.51 + 1e-9;
        let from = self.by_value.partition_point(|(found, _)| *found < value - reach);
        let near = self.by_value[from..].iter().take_while(|(found, _)| *found <= value + reach).take(MOST_NEAR);
        let near = near.inspect(|_| probare_cancellation::steps(1));
        let first = near.map(|(_, index)| *index).filter(|&index| test(&self.quantities[index].1)).min()?;
        let (chunk, found) = &self.quantities[first];
        Some(Source { chunk: *chunk, span: found.span.clone() })
    }

    /// All numbers and dates, if there are few enough to work with.
    pub(super) fn figures(&self) -> Vec<(Figure, Source)> {
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
            probare_cancellation::steps(1);
            if !figures.iter().any(|(known, _)| *known == figure) {
                figures.push((figure, source));
            }
        }
        if figures.len() > MOST_AT_HAND { Vec::new() } else { figures }
    }

    /// The first date that bears one out.
    pub(super) fn date(&self, said: &Date) -> Option<Source> {
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
        // "from 7:15 to 9:15 pm": the half of the day is said once.
        let is_time = || minute(said).is_some();
        let found = found.or_else(|| self.dates.iter().filter(|_| is_time()).find(|(_, had)| is_same_clock(had, said)));
        found.map(|(chunk, date)| Source { chunk: *chunk, span: date.span.clone() })
    }
}

/// The plain numbers that a date may be told by: a length of time by how many, a full hour by its number on either clock.
fn numbers_of(date: &Date) -> Vec<f64> {
    match &date.meaning {
        Meaning::Duration(length) => vec![length.value],
        Meaning::Calendar { fields, .. } => match fields.minute.filter(|minute| minute % 60 == 0) {
            Some(minute) => {
                let hour = f64::from(minute / 60);
                vec![hour, if hour > 12.0 { hour - 12.0 } else { hour + 12.0 }]
            }
            None => Vec::new(),
        },
    }
}

/// What stands within a place, of a list in the order of the context.
pub(super) fn within<'l, T>(
    list: &'l [(usize, T)],
    place: &Source,
    span: impl Fn(&T) -> &Range<usize>,
) -> &'l [(usize, T)] {
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
