//! [`Quotations`]: the citations of a case against its passages and the transcripts of the run.

use std::rc::Rc;

use probare_core::{Citation, Passage, Sample};

use super::check::search_transcripts;
use super::difference::is_negation;
use super::{QuotationCounts, QuotationFinding, QuotationSource, Transcripts, check_citation, source_position};

/// The citations of a case, checked.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Quotations {
    /// One finding per citation.
    pub findings: Vec<QuotationFinding>,
    /// For each citation the transcript it was held against, where it was one.
    pub transcripts: Vec<Option<usize>>,
    /// For each citation a negation that stands in what it left out.
    pub omitted_negations: Vec<Option<String>>,
}

impl Quotations {
    /// The citations of a sample, checked once for all who ask.
    pub fn for_sample(sample: Sample<'_>) -> Rc<Self> {
        sample.cached(0, || {
            let (citations, context) = (&sample.case.citations, &sample.case.context);
            let transcripts = Transcripts::from_run(sample);
            Self::new(citations.as_deref().unwrap_or_default(), context.as_deref().unwrap_or_default(), &transcripts)
        })
    }

    fn new(citations: &[Citation], context: &[Passage], transcripts: &Transcripts) -> Self {
        let passages = Passages::new(context, transcripts);
        let sources = passages.sources();
        let mut quotations = Self::default();
        for citation in citations {
            let cited = passages.target(citation);
            let (source, at) = match cited {
                CitationTarget::Passage(place) => (sources.get(place).copied(), Some(place)),
                CitationTarget::Transcript(place) => (transcripts.get(place), None),
                CitationTarget::Nothing => (None, None),
            };
            let transcript = match cited {
                CitationTarget::Passage(place) => passages.copies.get(place).copied().flatten(),
                CitationTarget::Transcript(place) => Some(place),
                CitationTarget::Nothing => None,
            };
            let mut finding = check_citation(&citation.quote, source, at, &sources);
            search_transcripts(&mut finding, &citation.quote, transcript, transcripts);
            quotations.omitted_negations.push(source.and_then(|source| left_out_negation(&finding, source)));
            quotations.findings.push(finding);
            quotations.transcripts.push(transcript);
        }
        quotations
    }

    /// How many of them stand where they are said to.
    pub fn counts(&self) -> QuotationCounts {
        QuotationCounts::from_findings(&self.findings)
    }

    /// How many count in the improved definition: their words are there, and what they left out denies nothing.
    pub fn faithful_count(&self) -> usize {
        let pairs = self.findings.iter().zip(&self.omitted_negations);
        pairs.filter(|(finding, left_out)| finding.status.is_found() && left_out.is_none()).count()
    }
}

/// What a citation names.
#[derive(Debug, Clone, Copy)]
enum CitationTarget {
    /// A passage of the case.
    Passage(usize),
    /// A transcript that is none of the passages.
    Transcript(usize),
    /// Nothing that exists.
    Nothing,
}

/// The passages of a case. One that copies a transcript is searched with the index of the transcript.
struct Passages<'a> {
    context: &'a [Passage],
    transcripts: &'a Transcripts,
    copies: Vec<Option<usize>>,
    own: Vec<QuotationSource<'a>>,
}

impl<'a> Passages<'a> {
    fn new(context: &'a [Passage], transcripts: &'a Transcripts) -> Self {
        let copies = context.iter().map(|passage| transcripts.copied_transcript(passage)).collect();
        let own = context.iter().map(|passage| QuotationSource::new(passage.text.as_str())).collect();
        Self { context, transcripts, copies, own }
    }

    fn sources(&self) -> Vec<&QuotationSource<'_>> {
        let shared = |place: Option<usize>| place.and_then(|place| self.transcripts.get(place));
        self.own.iter().zip(&self.copies).map(|(own, copy)| shared(*copy).unwrap_or(own)).collect()
    }

    /// What a citation names: a passage by its place; a transcript by its name; or, where the run has no transcripts,
    /// a passage by the name that it carries in its metadata.
    fn target(&self, citation: &Citation) -> CitationTarget {
        let passage = |place: Option<usize>| place.map_or(CitationTarget::Nothing, CitationTarget::Passage);
        let Some(name) = citation.source.as_deref().filter(|_| citation.source_index.is_null()) else {
            return passage(source_position(&citation.source_index, self.context.len()));
        };
        match self.transcripts.place(name) {
            Some(transcript) => {
                let copy = self.copies.iter().position(|copy| *copy == Some(transcript));
                copy.map_or(CitationTarget::Transcript(transcript), CitationTarget::Passage)
            }
            // With transcripts at hand a name means one of them.
            None if self.transcripts.all().next().is_some() => CitationTarget::Nothing,
            None => passage(self.context.iter().position(|passage| has_name(passage, name))),
        }
    }
}

fn has_name(passage: &Passage, name: &str) -> bool {
    let known = ["FILE", "document_id", "_id"].iter().find_map(|key| passage.metadata.get(*key));
    known.is_some_and(|found| found.as_str() == Some(name))
}

/// A negation that stands in what a quotation left out.
fn left_out_negation(finding: &QuotationFinding, source: &QuotationSource<'_>) -> Option<String> {
    let content = source.content();
    let word = finding.omitted.iter().find_map(|range| {
        // Only what touches the quoted words changes them: an omission over whole sentences is fair.
        let omitted = content.get(range.clone())?;
        let is_short = !omitted.contains(['.', '!', '?', '\n']);
        omitted
            .split_whitespace()
            .find(|word| is_short && is_negation(word.trim_matches(|character: char| !character.is_alphanumeric())))
    });
    word.map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::QuotationStatus;
    use super::*;

    #[test]
    fn a_quotation_of_another_transcript_is_found_there_and_a_dropped_never_is_named() {
        let texts = [
            ("P01", "In winter we never sell oysters at the harbour, she said, and we mend the nets."),
            ("P02", "We keep bees behind the church, and nothing else at all."),
        ];
        let transcripts = Transcripts::new(texts.map(|(name, text)| (name.to_owned(), text.to_owned())));
        let mut passage = Passage::from(texts[1].1);
        passage.metadata.insert(super::super::TRANSCRIPT_KEY.into(), json!("P02"));
        let quotes = [
            "never sell oysters at the harbour",
            "In winter we sell oysters at the harbour, she said, and we mend the nets",
        ];
        let citations =
            quotes.map(|quote| Citation { source_index: json!(0), quote: json!(quote), ..Citation::default() });
        let found = Quotations::new(&citations, &[passage], &transcripts);
        let [exact, near] = &found.findings[..] else { panic!("two findings") };
        assert_eq!((exact.status, near.status), (QuotationStatus::NotFound, QuotationStatus::NotFound), "as published");
        let elsewhere = exact.other_transcript.as_ref().unwrap();
        assert_eq!((elsewhere.name.as_str(), elsewhere.near.is_none()), ("P01", true));
        let elsewhere = near.other_transcript.as_ref().unwrap();
        assert_eq!(elsewhere.name, "P01");
        let negation = elsewhere.near.as_ref().unwrap().difference.negation.as_deref();
        assert_eq!(negation, Some("the source says `never`, the quotation leaves it out"));
    }

    #[test]
    fn a_citation_may_name_a_transcript_or_a_passage_by_its_name() {
        let transcripts = Transcripts::new([("P01".to_owned(), "We sell oysters at the harbour.".to_owned())]);
        let mut passage = Passage::from("We mend nets in winter.");
        passage.metadata.insert("FILE".into(), json!("P09"));
        let citation = |source: &str, quote: &str| Citation {
            quote: json!(quote),
            source: Some(source.to_owned()),
            ..Citation::default()
        };
        let citations = [
            citation("P01", "sell oysters at"),
            citation("P09", "mend nets in winter"),
            citation("P33", "mend nets in winter"),
        ];
        let context = [passage];
        let found = Quotations::new(&citations, &context, &transcripts);
        let statuses: Vec<QuotationStatus> = found.findings.iter().map(|finding| finding.status).collect();
        assert_eq!(statuses, [QuotationStatus::Exact, QuotationStatus::InvalidIndex, QuotationStatus::InvalidIndex]);
        assert_eq!(found.transcripts, [Some(0), None, None]);
        let alone = Quotations::new(&citations, &context, &Transcripts::default());
        let statuses: Vec<QuotationStatus> = alone.findings.iter().map(|finding| finding.status).collect();
        assert_eq!(statuses, [QuotationStatus::InvalidIndex, QuotationStatus::Exact, QuotationStatus::InvalidIndex]);
    }
}
