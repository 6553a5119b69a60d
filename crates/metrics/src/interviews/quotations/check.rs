//! [`check_citation`]: one citation against the texts it may come from.

use std::ops::Range;

use probare_text::approximate::ApproximateMatch;
use probare_text::normalise::verbatim_quote;
use probare_text::python::strip;
use serde_json::Value as Json;

use super::source::scalars;
use super::{QuotationDifference, QuotationSource, Transcripts, omissions};

/// Similarity from which a quotation counts as a near one.
const NEAR: f64 = 0.9;

/// Similarity from which the nearest stretch is worth a look though it is no near quotation.
const LIKE: f64 = 0.5;

/// Words and characters below which a quotation proves little.
const TRIVIAL_WORDS: usize = 3;
const TRIVIAL_CHARACTERS: usize = 12;

/// What became of a quotation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum QuotationStatus {
    /// Letter by letter.
    Exact,
    /// But for case, spaces, quotation marks, dashes and the punctuation around it.
    Normalised,
    /// With marked omissions.
    Elided,
    /// In another text than the cited one.
    WrongSource,
    /// Nearly so.
    Fuzzy,
    /// Nearly so, but with a number that the source does not have.
    NumberMismatch,
    /// Not there.
    NotFound,
    /// There is no quotation.
    EmptyQuote,
    /// The cited text does not exist.
    InvalidIndex,
    /// The cited text is empty.
    MissingContent,
}

impl QuotationStatus {
    /// All of them, from best to worst.
    pub const ALL: [Self; 10] = [
        Self::Exact,
        Self::Normalised,
        Self::Elided,
        Self::WrongSource,
        Self::Fuzzy,
        Self::NumberMismatch,
        Self::NotFound,
        Self::EmptyQuote,
        Self::InvalidIndex,
        Self::MissingContent,
    ];

    /// The word in files.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Exact => "exact",
            Self::Normalised => "normalised",
            Self::Elided => "elided",
            Self::WrongSource => "wrong_source",
            Self::Fuzzy => "fuzzy",
            Self::NumberMismatch => "number_mismatch",
            Self::NotFound => "not_found",
            Self::EmptyQuote => "empty_quote",
            Self::InvalidIndex => "invalid_index",
            Self::MissingContent => "missing_content",
        }
    }

    /// Whether the words stand in the cited text, typography and marked omissions aside.
    pub const fn is_found(self) -> bool {
        matches!(self, Self::Exact | Self::Normalised | Self::Elided)
    }
}

/// The place that a citation names among so many sources: an integer that is neither negative nor too large.
pub fn source_position(index: &Json, sources: usize) -> Option<usize> {
    index.as_u64().and_then(|index| usize::try_from(index).ok()).filter(|index| *index < sources)
}

/// How a citation fares.
#[derive(Debug, Clone, PartialEq)]
pub struct QuotationFinding {
    /// What became of it.
    pub status: QuotationStatus,
    /// Unicode scalar positions where it was found: in the text as given for `exact`, else in its NFC form.
    pub scalars: Option<Range<usize>>,
    /// Bytes of the text as given where it was found.
    pub span: Option<Range<usize>>,
    /// 1 - edits / length of the quotation for the nearest stretch of the cited text, to six decimals.
    pub similarity: Option<f64>,
    /// The first other source that has it.
    pub found_in: Option<usize>,
    /// The place among the sources that was cited.
    pub source: Option<usize>,
    /// Whether it is so short that it proves little.
    pub is_trivial: bool,
    /// For a near quotation, and for one that resembles something, where it comes nearest.
    pub near: Option<NearestPassage>,
    /// The transcript of the run that has it, where it is neither the cited one nor a passage of the case.
    pub other_transcript: Option<OtherTranscript>,
    /// Stretches that a quotation with omissions left out, in bytes of the text as given.
    pub omitted: Vec<Range<usize>>,
}

/// The passage of the cited text nearest to a quotation, in whole words.
#[derive(Debug, Clone, PartialEq)]
pub struct NearestPassage {
    /// Bytes of the text as given.
    pub span: Range<usize>,
    /// Unicode scalar positions in its NFC form.
    pub scalars: Range<usize>,
    /// The normalised passage against the normalised quotation.
    pub difference: QuotationDifference,
}

/// A transcript that has a quotation which is said to come from somewhere else.
#[derive(Debug, Clone, PartialEq)]
pub struct OtherTranscript {
    /// Its place among the transcripts.
    pub place: usize,
    pub name: String,
    /// Where it comes nearest; nothing where the words themselves are there.
    pub near: Option<NearestPassage>,
}

/// Checks a citation of `cited`, which stands at `place` among the sources if it is one of them; nothing where the
/// citation names no text that exists.
///
/// Only `exact` counts for the published score; levels below `elided` are for the reader: a near quotation is no
/// quotation.
pub fn check_citation(
    quote: &Json,
    cited: Option<&QuotationSource<'_>>,
    place: Option<usize>,
    sources: &[&QuotationSource<'_>],
) -> QuotationFinding {
    let mut finding = QuotationFinding {
        status: QuotationStatus::EmptyQuote,
        scalars: None,
        span: None,
        similarity: None,
        found_in: None,
        source: None,
        is_trivial: false,
        near: None,
        other_transcript: None,
        omitted: Vec::new(),
    };
    let Some(quote) = quote.as_str().map(strip).filter(|quote| !quote.is_empty()) else { return finding };
    finding.is_trivial = quote.split_whitespace().count() < TRIVIAL_WORDS || quote.chars().count() < TRIVIAL_CHARACTERS;
    let Some(source) = cited else {
        return QuotationFinding { status: QuotationStatus::InvalidIndex, ..finding };
    };
    finding.source = place;
    if source.content().is_empty() {
        return QuotationFinding { status: QuotationStatus::MissingContent, ..finding };
    }
    if let Some(span) = source.find_exact(quote) {
        finding.status = QuotationStatus::Exact;
        finding.scalars = Some(scalars(source.content(), span.clone()));
        finding.span = Some(span);
        finding.similarity = Some(1.0);
        return finding;
    }
    check_below_exact(finding, quote, source, sources)
}

/// The levels below `exact`.
fn check_below_exact(
    mut finding: QuotationFinding,
    quote: &str,
    source: &QuotationSource<'_>,
    sources: &[&QuotationSource<'_>],
) -> QuotationFinding {
    let normal = verbatim_quote(quote);
    if normal.is_empty() {
        return QuotationFinding { status: QuotationStatus::NotFound, similarity: Some(0.0), ..finding };
    }
    let placed = |mut finding: QuotationFinding, status: QuotationStatus, range: Range<usize>| {
        finding.status = status;
        finding.scalars = Some(source.composed_scalars(range.clone()));
        finding.span = Some(source.form().original_span(range));
        finding.similarity = Some(1.0);
        finding
    };
    if let Some(range) = source.find(&normal, 0) {
        return placed(finding, QuotationStatus::Normalised, range);
    }
    if let Some((range, omitted)) = omissions::find_with_omissions(source, &normal) {
        finding.omitted = omitted.into_iter().map(|range| source.form().original_span(range)).collect();
        return placed(finding, QuotationStatus::Elided, range);
    }
    let length = normal.chars().count();
    let nearest = source.nearest(&normal);
    let similarity = nearest.as_ref().map_or(0.0, |found| (1.0 - found.distance as f64 / length as f64).max(0.0));
    finding.similarity = Some((similarity * 1e6).round() / 1e6);
    let is_elsewhere = |(place, other): &(usize, &&QuotationSource<'_>)| {
        Some(*place) != finding.source && other.find(&normal, 0).is_some()
    };
    if let Some((place, _)) = sources.iter().enumerate().find(is_elsewhere) {
        return QuotationFinding { status: QuotationStatus::WrongSource, found_in: Some(place), ..finding };
    }
    finding.status = match similarity {
        far if far < NEAR => QuotationStatus::NotFound,
        _ if source.has_digits_of(&normal) => QuotationStatus::Fuzzy,
        _ => QuotationStatus::NumberMismatch,
    };
    if similarity >= NEAR || (similarity >= LIKE && !finding.is_trivial) {
        finding.near = nearest.map(|found| nearest_passage(source, &found, &normal));
    }
    finding
}

fn nearest_passage(source: &QuotationSource<'_>, found: &ApproximateMatch, normal: &str) -> NearestPassage {
    let (passage, difference) = QuotationDifference::new(source.form().text(), &found.span, normal);
    NearestPassage {
        difference,
        scalars: source.composed_scalars(passage.clone()),
        span: source.form().original_span(passage),
    }
}

/// Looks for a quotation that is not where it is said to be in all transcripts: for its words, then for words near to them.
/// The published status stays what it is.
pub(super) fn search_transcripts(
    finding: &mut QuotationFinding,
    quote: &Json,
    cited: Option<usize>,
    transcripts: &Transcripts,
) {
    let is_open = matches!(
        finding.status,
        QuotationStatus::Fuzzy
            | QuotationStatus::NumberMismatch
            | QuotationStatus::NotFound
            | QuotationStatus::InvalidIndex
            | QuotationStatus::MissingContent
    );
    let normal = quote.as_str().map(strip).map(verbatim_quote).unwrap_or_default();
    if !is_open || normal.is_empty() || finding.is_trivial {
        return;
    }
    let others = || transcripts.all().enumerate().filter(|(place, _)| Some(*place) != cited);
    let found = |place: usize, near| Some(OtherTranscript { place, name: transcripts.name(place).to_owned(), near });
    if let Some((place, _)) = others().find(|(_, source)| source.find(&normal, 0).is_some()) {
        finding.other_transcript = found(place, None);
        return;
    }
    if finding.similarity.is_some_and(|similarity| similarity >= NEAR) {
        return;
    }
    let length = normal.chars().count();
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a tenth of a length in memory")]
    let mut most = ((1.0 - NEAR) * length as f64) as usize;
    for (place, source) in others() {
        if let Some(nearest) = source.nearest_within(&normal, most) {
            finding.other_transcript = found(place, Some(nearest_passage(source, &nearest, &normal)));
            let Some(fewer) = nearest.distance.checked_sub(1) else { return };
            most = fewer;
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn status(contents: &[&str], quote: &Json, index: &Json) -> QuotationFinding {
        let sources: Vec<QuotationSource<'_>> = contents.iter().map(|content| QuotationSource::new(*content)).collect();
        let sources: Vec<&QuotationSource<'_>> = sources.iter().collect();
        let place = source_position(index, sources.len());
        check_citation(quote, place.map(|place| sources[place]), place, &sources)
    }

    #[test]
    fn offsets_count_scalars_and_spans_bytes() {
        let contents = ["Cafe\u{301} – “ça va”, dit-il"];
        let found = status(&contents, &json!("\"ça va\""), &json!(0));
        assert_eq!(found.status, QuotationStatus::Normalised);
        assert_eq!(found.scalars, Some(8..13), "in the NFC form");
        assert_eq!(&contents[0][found.span.unwrap()], "ça va");
        let exact = status(&contents, &json!("ça va"), &json!(0));
        assert_eq!((exact.status, exact.scalars), (QuotationStatus::Exact, Some(9..14)));
    }

    #[test]
    fn a_near_quotation_shows_its_window() {
        let contents = ["In winter we do not sell oysters at the harbour, she said."];
        let found = status(&contents, &json!("we do sell oysters at the harbour"), &json!(0));
        assert_eq!(found.status, QuotationStatus::NotFound, "four letters of thirty-three");
        let negation = found.near.unwrap().difference.negation.unwrap();
        assert_eq!(negation, "the source says `not`, the quotation leaves it out");
        let longer = "In winter we do sell oysters at the harbour, she said";
        let near = status(&contents, &json!(longer), &json!(0));
        assert_eq!(near.status, QuotationStatus::Fuzzy);
        let near = near.near.unwrap();
        assert!(near.difference.negation.unwrap().contains("`not`"));
        assert_eq!(&contents[0][near.span], "In winter we do not sell oysters at the harbour, she said");
    }

    #[test]
    fn what_is_no_citation_is_said_first() {
        let contents = ["abc", ""];
        for (quote, index, expected) in [
            (json!(5), json!(0), QuotationStatus::EmptyQuote),
            (json!("\u{a0} "), json!(9), QuotationStatus::EmptyQuote),
            (json!("a"), json!(1.0), QuotationStatus::InvalidIndex),
            (json!("a"), json!(-1), QuotationStatus::InvalidIndex),
            (json!("a"), json!(u64::MAX), QuotationStatus::InvalidIndex),
            (json!("a"), json!(1), QuotationStatus::MissingContent),
            (json!("..."), json!(0), QuotationStatus::NotFound),
        ] {
            assert_eq!(status(&contents, &quote, &index).status, expected, "{quote} {index}");
        }
    }
}
