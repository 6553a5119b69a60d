//! One pass over a text that finds its numbers and its dates.
//!
//! A place is numeric or a date, never both: dates come first, so `15 March` is one date and no number.

use std::ops::Range;

use crate::dates::date::Date;
use crate::dates::reader::{DateMatch, DateReader};
use crate::dates::year::YearSense;
use crate::quantities::parser::{self, ParseOutcome};
use crate::quantities::quantity::{Quantity, QuantityKind};
use crate::terms::{TermKind, TermSequence, WordClass};

/// What one pass over a text found.
#[derive(Debug, Clone, Default)]
pub(crate) struct AnchorScan {
    /// Numbers; lengths of time are among them only where evidence is collected.
    pub(crate) quantities: Vec<Quantity>,
    /// Dates and lengths of time.
    pub(crate) dates: Vec<Date>,
    /// Numbers with commas in the wrong places.
    pub(crate) malformed: Vec<Range<usize>>,
}

/// What a pass is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ScanPurpose {
    /// Each place is a number or a date.
    Anchors,
    /// Each place is all that it can bear out: a lone year is also a number, a length of time too.
    Evidence,
}

/// Reads the numbers and dates of an answer.
pub(crate) fn scan(text: &str) -> AnchorScan {
    scan_terms(&TermSequence::new(text), ScanPurpose::Anchors)
}

/// Reads what the numbers and dates of a source can bear out.
pub(crate) fn scan_for_evidence(text: &str) -> AnchorScan {
    scan_terms(&TermSequence::new(text), ScanPurpose::Evidence)
}

/// Reads what numbers and dates there are among the terms of a text.
pub(crate) fn scan_terms(terms: &TermSequence<'_>, purpose: ScanPurpose) -> AnchorScan {
    let reader = DateReader::new(terms);
    let mut scan = AnchorScan::default();
    // Terms before the floor belong to what was found already.
    let mut floor = 0;
    let mut at = 0;
    while at < terms.len() {
        probare_cancellation::count_steps(4);
        if !can_begin(terms, at) {
            at += 1;
            continue;
        }
        if let Some(found) = reader.read(at, floor).filter(|found| found.end > at) {
            at = found.end;
            floor = at;
            scan.push_date(terms, found, purpose);
            continue;
        }
        let end = match parser::read(terms, at, floor) {
            ParseOutcome::Found { quantity, bare, end, .. } => {
                if let Some(value) = bare {
                    let bare = Quantity { kind: QuantityKind::Cardinal, value, span: quantity.span.clone() };
                    scan.push_quantity(&reader, at, floor, bare, purpose);
                }
                // An anchor is judged by its own words, so what it borrowed matters to evidence only.
                if bare.is_none() || (purpose == ScanPurpose::Evidence && quantity.kind != QuantityKind::Cardinal) {
                    scan.push_quantity(&reader, at, floor, quantity, purpose);
                } else if purpose == ScanPurpose::Evidence && bare != Some(quantity.value) {
                    scan.quantities.push(quantity);
                }
                floor = end;
                end
            }
            ParseOutcome::Malformed { first, end } => {
                scan.malformed.push(terms.span(first, end));
                floor = end;
                end
            }
            ParseOutcome::Skip(end) => end,
            ParseOutcome::Nothing => at + 1,
        };
        at = end.max(at + 1);
    }
    scan
}

/// Whether a number or date can begin at this term.
fn can_begin(terms: &TermSequence<'_>, at: usize) -> bool {
    match terms.get(at).map(|term| term.kind) {
        Some(TermKind::Numeral(_)) => true,
        Some(TermKind::Word(class)) => !matches!(class, WordClass::Other | WordClass::And | WordClass::Point),
        _ => false,
    }
}

impl AnchorScan {
    fn push_date(&mut self, terms: &TermSequence<'_>, found: DateMatch, purpose: ScanPurpose) {
        // The year of `Q3 2021` stands alone enough to be a number; that of `March 2016` does not. To the improved definition
        // no year is one.
        if purpose == ScanPurpose::Evidence
            && !terms.is_improved()
            && let Some(year) = found.fields.year
            && found.fields.month.is_none()
        {
            let span = terms.span(found.first, found.end);
            self.quantities.push(Quantity { kind: QuantityKind::Cardinal, value: f64::from(year), span });
        }
        self.dates.push(Date::new(terms, found));
    }

    fn push_quantity(
        &mut self,
        reader: &DateReader<'_, '_>,
        at: usize,
        floor: usize,
        quantity: Quantity,
        purpose: ScanPurpose,
    ) {
        let is_evidence = purpose == ScanPurpose::Evidence;
        if matches!(quantity.kind, QuantityKind::Duration { .. }) {
            if is_evidence {
                self.quantities.push(quantity.clone());
            }
            self.dates.push(Date::duration(quantity));
            return;
        }
        let sense = if quantity.kind == QuantityKind::Cardinal { reader.lone_year(at) } else { YearSense::Never };
        let is_year = sense == YearSense::Certain || (is_evidence && sense == YearSense::Possible);
        if let Some(found) = is_year.then(|| reader.year(at, floor)).flatten() {
            self.dates.push(reader.date(found));
        }
        if is_evidence || !is_year {
            self.quantities.push(quantity);
        }
    }
}
