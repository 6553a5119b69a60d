//! Numbers and dates of a response: borne out, converted, rounded, disputed, or nowhere.

use std::borrow::Cow;
use std::ops::Range;

use probare_nlp::Document;
use probare_text::anchors::{Anchor, AnchorKind, Sources};
use probare_text::dates::{self, Date, Fields, Meaning};
use probare_text::quantities::{self, Quantity};

use super::super::context::{Context, Sentence};
use super::super::examination::{anchor_finding, missing_anchor, source_of};
use super::super::finding::{Finding, Source, Standing};
use super::super::folding::words;
use super::alignment::Alignment;
use super::conversion::{self, Approach, significant_digits};

/// Coverage from which a sentence of the context speaks of the same, so that another value there is an objection to a
/// value that stands nowhere.
const SAME_TOPIC: f64 = 0.5;

/// Coverage from which it says the same, so that another value there outweighs the same value elsewhere.
const SAME_STATEMENT: f64 = 0.99;

/// Judges the numbers and dates of a response.
pub(super) struct Amounts<'a> {
    response: &'a str,
    document: &'a Document,
    context: &'a Context<'a>,
    alignment: &'a Alignment,
    sources: Sources,
    /// All anchors, read, with their places.
    said: Vec<(Range<usize>, Said)>,
}

impl<'a> Amounts<'a> {
    /// Prepares to judge these anchors.
    pub fn new(
        response: &'a str,
        document: &'a Document,
        anchors: &[Anchor],
        context: &'a Context<'a>,
        alignment: &'a Alignment,
    ) -> Self {
        let said = anchors
            .iter()
            .map(|anchor| {
                let approach = approach(response, anchor.span.start);
                (anchor.span.clone(), Said::new(anchor.text(response), approach))
            })
            .collect();
        Self { response, document, context, alignment, sources: Sources::new(context.chunks), said }
    }

    /// The findings of all anchors.
    pub fn findings(&self, anchors: &[Anchor]) -> Vec<Finding> {
        anchors.iter().zip(&self.said).map(|(anchor, (_, said))| self.finding(anchor, said)).collect()
    }

    /// The finding of a number or date.
    fn finding(&self, anchor: &Anchor, said: &Said) -> Finding {
        let text = anchor.text(self.response);
        anchor_finding(anchor, text, self.standing(anchor, text, said))
    }

    fn standing(&self, anchor: &Anchor, text: &str, said: &Said) -> Standing {
        let objection = self.objection(anchor, said);
        let support = match said.approach {
            Approach::Exact => self.sources.support(text, anchor.kind),
            _ => None,
        };
        match (support, objection) {
            (_, Some((coverage, source))) if coverage >= SAME_STATEMENT => against(source),
            (Some(support), _) => {
                Standing::Supported { source: Source { chunk: support.chunk, span: support.span }, note: None }
            }
            (None, objection) => match self.converted(said) {
                Some(source) => {
                    Standing::Supported { source, note: Some(Cow::Borrowed("after conversion or rounding")) }
                }
                None => match objection {
                    Some((_, source)) => against(source),
                    None => Standing::Unsupported { reason: missing_anchor(text, anchor.kind).into() },
                },
            },
        }
    }

    /// The first number of the context that bears it out in another unit or roughly.
    fn converted(&self, said: &Said) -> Option<Source> {
        self.context.with_amounts().iter().find_map(|&index| {
            let sentence = &self.context.sentences[index];
            let span = said.found_in(self.context, sentence)?;
            Some(Source { chunk: sentence.chunk, span })
        })
    }

    /// The sentence of the context that speaks of the same with another value of the same sort, and how much of the
    /// response's sentence it covers. Nothing where one of the best sentences has the value.
    fn objection(&self, anchor: &Anchor, said: &Said) -> Option<(f64, Source)> {
        let counterparts = self.alignment.of(self.sentence_of(anchor)).filter(|found| found.coverage >= SAME_TOPIC)?;
        let sentences = || counterparts.sentences.iter().filter_map(|&index| self.context.sentences.get(index));
        if sentences().any(|sentence| said.found_in(self.context, sentence).is_some()) {
            return None;
        }
        let rival = counterparts
            .sentences
            .iter()
            .copied()
            .find(|&index| self.has_rival(anchor, said, &self.context.sentences[index]))?;
        Some((counterparts.coverage, source_of(self.context, rival)))
    }

    /// The sentence of the response that an anchor stands in.
    fn sentence_of(&self, anchor: &Anchor) -> usize {
        self.document.sentences.partition_point(|sentence| sentence.span().end <= anchor.span.start)
    }

    /// Whether a sentence of the context has another value of the same sort, which no other anchor of the response
    /// has taken up.
    fn has_rival(&self, anchor: &Anchor, said: &Said, sentence: &Sentence) -> bool {
        let amounts = self.context.amounts(sentence);
        let around = self.document.sentences.get(self.sentence_of(anchor)).map_or(0..0, probare_nlp::Sentence::span);
        let first = self.said.partition_point(|(place, _)| place.start < around.start);
        let beside = || self.said[first..].iter().take_while(|(place, _)| place.start < around.end);
        let is_taken = |span: &Range<usize>| {
            beside().any(|(place, other)| {
                *place != anchor.span && other.found_in(self.context, sentence).is_some_and(|found| touch(&found, span))
            })
        };
        match (anchor.kind, &said.quantity, &said.date) {
            (AnchorKind::Date, _, Some(said)) => {
                amounts.dates.iter().any(|had| is_same_sort_of_date(said, had) && !is_taken(&had.span))
            }
            (_, Some(said), _) => amounts.quantities.iter().any(|had| {
                conversion::is_same_sort(had, said)
                    && !amounts.dates.iter().any(|date| touch(&date.span, &had.span))
                    && !is_taken(&had.span)
            }),
            _ => false,
        }
    }
}

/// How exact the words before a number are.
fn approach(response: &str, start: usize) -> Approach {
    let from = response.floor_char_boundary(start.saturating_sub(40));
    let before = words(response.get(from..start).unwrap_or_default());
    let before: Vec<&str> = before.iter().map(|word| word.lower.as_str()).collect();
    Approach::of(&before)
}

/// Whether two spans have a byte in common.
fn touch(left: &Range<usize>, right: &Range<usize>) -> bool {
    left.start < right.end && right.start < left.end
}

fn against(source: Source) -> Standing {
    Standing::Contradicted { reason: Cow::Borrowed("the context has another value there"), source }
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

    /// Where a sentence bears it out.
    fn found_in(&self, context: &Context<'_>, sentence: &Sentence) -> Option<Range<usize>> {
        let amounts = context.amounts(sentence);
        let by_quantity = self.quantity.as_ref().and_then(|said| {
            let found =
                amounts.quantities.iter().find(|had| conversion::bears_out(had, said, self.approach, self.digits))?;
            Some(found.span.clone())
        });
        by_quantity.or_else(|| {
            let said = self.date.as_ref()?;
            Some(amounts.dates.iter().find(|had| dates::supports(had, said))?.span.clone())
        })
    }
}

/// Whether two dates say something of the same sort, so that one of them can be wrong.
pub(super) fn is_same_sort_of_date(said: &Date, had: &Date) -> bool {
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
