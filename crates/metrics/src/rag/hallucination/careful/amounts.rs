//! Numbers and dates of a response: borne out, converted, rounded, disputed, or nowhere.

use std::borrow::Cow;
use std::ops::Range;

use probare_text::anchors::{Anchor, AnchorKind};
use probare_text::dates::{self, Date, Fields, Meaning};
use probare_text::quantities::{self, Quantity};
use rustc_hash::FxHashMap;

use super::super::examination::{anchor_finding, missing_anchor};
use super::super::finding::{Finding, Source, Standing};
use super::super::folding::words;
use super::conversion::{self, Approach, significant_digits};

/// Judges the numbers and dates of a response.
pub(super) struct Amounts<'a> {
    response: &'a str,
    anchors: &'a [Anchor],
    /// What the context has.
    had: Had,
    /// For each anchor where the context bears it out, and whether in the same value and unit.
    borne_out: Vec<Option<(Source, bool)>>,
}

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
        let values = had.quantities.iter().enumerate().map(|(index, (_, found))| (conversion::common(found), index));
        had.by_value = values.collect();
        had.by_value.sort_by(|left, right| left.0.total_cmp(&right.0).then(left.1.cmp(&right.1)));
        for (index, (_, date)) in had.dates.iter().enumerate() {
            for year in years(date) {
                had.by_year.entry(year).or_default().push(index);
            }
        }
        had
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
        let mut known: FxHashMap<(Approach, &str), Option<(Source, bool)>> = FxHashMap::default();
        let look = |anchor: &'a Anchor| {
            let text = anchor.text(response);
            let approach = approach(response, anchor.span.start);
            known.entry((approach, text)).or_insert_with(|| Said::new(text, approach).borne_out(&had)).clone()
        };
        let borne_out = anchors.iter().map(look).collect();
        Self { response, anchors, had, borne_out }
    }

    /// Whether the context bears out the number or date that bytes of the response belong to; nothing where they belong to none.
    pub fn at(&self, span: &Range<usize>) -> Option<bool> {
        let at = self.anchors.partition_point(|anchor| anchor.span.end <= span.start);
        let is_here = self.anchors.get(at).is_some_and(|anchor| anchor.span.start < span.end);
        is_here.then(|| self.borne_out[at].is_some())
    }

    /// The findings of the anchors in a part of the response; `same` is where the context speaks of the same matter.
    pub fn findings(&self, part: &Range<usize>, same: Option<&Source>) -> Vec<Finding> {
        let from = self.anchors.partition_point(|anchor| anchor.span.start < part.start);
        let anchors = self.anchors.iter().zip(&self.borne_out).skip(from);
        let here = anchors.take_while(|(anchor, _)| anchor.span.start < part.end);
        here.map(|(anchor, borne_out)| self.finding(anchor, borne_out.clone(), same)).collect()
    }

    fn finding(&self, anchor: &Anchor, borne_out: Option<(Source, bool)>, same: Option<&Source>) -> Finding {
        let text = anchor.text(self.response);
        let standing = match borne_out {
            Some((source, is_exact)) => {
                let note = (!is_exact).then_some(Cow::Borrowed("after conversion or rounding"));
                Standing::Supported { source, note }
            }
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

/// How exact the words before a number are.
fn approach(response: &str, start: usize) -> Approach {
    let from = response.floor_char_boundary(start.saturating_sub(40));
    let before = words(response.get(from..start).unwrap_or_default());
    let before: Vec<&str> = before.iter().map(|word| word.lower.as_str()).collect();
    Approach::of(&before)
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
    fn borne_out(&self, had: &Had) -> Option<(Source, bool)> {
        let value = self.quantity.as_ref().map(conversion::common);
        let said = self.quantity.as_ref().zip(value);
        let exact = said.and_then(|(said, value)| had.near(value, |found| quantities::supports(found, said)));
        let exact = exact.or_else(|| had.date(self.date.as_ref()?));
        if let Some(source) = exact {
            return Some((source, true));
        }
        let (said, value) = said?;
        let bears_out = |found: &Quantity| conversion::bears_out(found, said, self.approach, self.digits);
        had.near(value, bears_out).map(|source| (source, false))
    }

    /// Another value of the same sort in the place that speaks of the same matter.
    fn rival(&self, kind: AnchorKind, had: &Had, same: &Source) -> Option<Source> {
        let is_there = |chunk: usize, span: &Range<usize>| {
            chunk == same.chunk && span.start >= same.span.start && span.end <= same.span.end
        };
        let span = match (kind, &self.quantity, &self.date) {
            (AnchorKind::Date, _, Some(said)) => {
                let from = had
                    .dates
                    .partition_point(|(chunk, date)| (*chunk, date.span.start) < (same.chunk, same.span.start));
                let near = had.dates[from..].iter().take_while(|(chunk, date)| is_there(*chunk, &date.span));
                near.map(|(_, date)| date).find(|date| is_same_sort_of_date(said, date)).map(|date| date.span.clone())
            }
            (_, Some(said), _) => {
                let from = had
                    .quantities
                    .partition_point(|(chunk, found)| (*chunk, found.span.start) < (same.chunk, same.span.start));
                let near = had.quantities[from..].iter().take_while(|(chunk, found)| is_there(*chunk, &found.span));
                near.map(|(_, found)| found)
                    .find(|found| conversion::is_same_sort(found, said))
                    .map(|found| found.span.clone())
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
