//! [`Quotations`]: the citations of a case against its passages and the transcripts of the run.

use std::rc::Rc;

use probare_core::{Citation, Passage, Sample};

use super::check::look_elsewhere;
use super::difference::is_negation;
use super::{Existence, Finding, Source, Transcripts, check, place};

/// The citations of a case, checked.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Quotations {
    /// One finding per citation.
    pub findings: Vec<Finding>,
    /// For each citation the transcript it was held against, where it was one.
    pub transcripts: Vec<Option<usize>>,
    /// For each citation a negation that stands in what it left out.
    pub left_out: Vec<Option<String>>,
}

impl Quotations {
    /// The citations of a sample, checked once for all who ask.
    pub fn of(sample: Sample<'_>) -> Rc<Self> {
        sample.reading(0, || {
            let (citations, context) = (&sample.case.citations, &sample.case.context);
            let transcripts = Transcripts::lent(sample);
            Self::new(citations.as_deref().unwrap_or_default(), context.as_deref().unwrap_or_default(), &transcripts)
        })
    }

    fn new(citations: &[Citation], context: &[Passage], transcripts: &Transcripts) -> Self {
        let passages = Passages::new(context, transcripts);
        let sources = passages.sources();
        let mut quotations = Self::default();
        for citation in citations {
            let cited = passages.cited(citation);
            let (source, at) = match cited {
                Cited::Passage(place) => (sources.get(place).copied(), Some(place)),
                Cited::Transcript(place) => (transcripts.get(place), None),
                Cited::Nothing => (None, None),
            };
            let transcript = match cited {
                Cited::Passage(place) => passages.copies.get(place).copied().flatten(),
                Cited::Transcript(place) => Some(place),
                Cited::Nothing => None,
            };
            let mut finding = check(&citation.quote, source, at, &sources);
            look_elsewhere(&mut finding, &citation.quote, transcript, transcripts);
            quotations.left_out.push(source.and_then(|source| left_out_negation(&finding, source)));
            quotations.findings.push(finding);
            quotations.transcripts.push(transcript);
        }
        quotations
    }

    /// How many of them stand where they are said to.
    pub fn existence(&self) -> Existence {
        Existence::of(&self.findings)
    }

    /// How many count in the careful reading: their words are there, and what they left out denies nothing.
    pub fn faithful(&self) -> usize {
        let pairs = self.findings.iter().zip(&self.left_out);
        pairs.filter(|(finding, left_out)| finding.status.is_found() && left_out.is_none()).count()
    }
}

/// What a citation names.
#[derive(Debug, Clone, Copy)]
enum Cited {
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
    own: Vec<Source<'a>>,
}

impl<'a> Passages<'a> {
    fn new(context: &'a [Passage], transcripts: &'a Transcripts) -> Self {
        let copies = context.iter().map(|passage| transcripts.copied(passage)).collect();
        let own = context.iter().map(|passage| Source::new(passage.text.as_str())).collect();
        Self { context, transcripts, copies, own }
    }

    fn sources(&self) -> Vec<&Source<'_>> {
        let shared = |place: Option<usize>| place.and_then(|place| self.transcripts.get(place));
        self.own.iter().zip(&self.copies).map(|(own, copy)| shared(*copy).unwrap_or(own)).collect()
    }

    /// What a citation names: a passage by its place; a transcript by its name; or, where the run has no transcripts,
    /// a passage by the name that it carries in its metadata.
    fn cited(&self, citation: &Citation) -> Cited {
        let passage = |place: Option<usize>| place.map_or(Cited::Nothing, Cited::Passage);
        let Some(name) = citation.source.as_deref().filter(|_| citation.source_index.is_null()) else {
            return passage(place(&citation.source_index, self.context.len()));
        };
        match self.transcripts.place(name) {
            Some(transcript) => {
                let copy = self.copies.iter().position(|copy| *copy == Some(transcript));
                copy.map_or(Cited::Transcript(transcript), Cited::Passage)
            }
            // With transcripts at hand a name means one of them.
            None if self.transcripts.all().next().is_some() => Cited::Nothing,
            None => passage(self.context.iter().position(|passage| carries(passage, name))),
        }
    }
}

fn carries(passage: &Passage, name: &str) -> bool {
    let known = ["FILE", "document_id", "_id"].iter().find_map(|key| passage.metadata.get(*key));
    known.is_some_and(|found| found.as_str() == Some(name))
}

/// A negation that stands in what a quotation left out.
fn left_out_negation(finding: &Finding, source: &Source<'_>) -> Option<String> {
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

    use super::super::Status;
    use super::*;

    #[test]
    fn a_quotation_of_another_transcript_is_found_there_and_a_dropped_never_is_named() {
        let texts = [
            ("P01", "In winter we never sell oysters at the harbour, she said, and we mend the nets."),
            ("P02", "We keep bees behind the church, and nothing else at all."),
        ];
        let transcripts = Transcripts::new(texts.map(|(name, text)| (name.to_owned(), text.to_owned())));
        let mut passage = Passage::from(texts[1].1);
        passage.metadata.insert(super::super::TRANSCRIPT.into(), json!("P02"));
        let quotes = [
            "never sell oysters at the harbour",
            "In winter we sell oysters at the harbour, she said, and we mend the nets",
        ];
        let citations =
            quotes.map(|quote| Citation { source_index: json!(0), quote: json!(quote), ..Citation::default() });
        let found = Quotations::new(&citations, &[passage], &transcripts);
        let [exact, near] = &found.findings[..] else { panic!("two findings") };
        assert_eq!((exact.status, near.status), (Status::NotFound, Status::NotFound), "as published");
        let elsewhere = exact.elsewhere.as_ref().unwrap();
        assert_eq!((elsewhere.name.as_str(), elsewhere.near.is_none()), ("P01", true));
        let elsewhere = near.elsewhere.as_ref().unwrap();
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
        let statuses: Vec<Status> = found.findings.iter().map(|finding| finding.status).collect();
        assert_eq!(statuses, [Status::Exact, Status::InvalidIndex, Status::InvalidIndex]);
        assert_eq!(found.transcripts, [Some(0), None, None]);
        let alone = Quotations::new(&citations, &context, &Transcripts::default());
        let statuses: Vec<Status> = alone.findings.iter().map(|finding| finding.status).collect();
        assert_eq!(statuses, [Status::InvalidIndex, Status::Exact, Status::InvalidIndex]);
    }
}
