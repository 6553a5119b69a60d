//! [`QuotedLine`]: the line in which a quotation stands, or which comes nearest to it.

use probare_core::Tone;
use probare_metrics::interviews::quotations::{QuotationFinding, QuotationSource, Transcripts};

/// A line of a transcript or a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct QuotedLine {
    /// The transcript or file.
    pub name: String,
    /// Its number, from 1.
    pub number: usize,
    pub words: String,
}

impl QuotedLine {
    /// The line of a finding about a quotation; nothing where nothing resembles it. `cited` is the place of the text that it is
    /// said to come from.
    pub fn from_finding(
        finding: &QuotationFinding,
        cited: Option<usize>,
        quote: &str,
        transcripts: &Transcripts,
    ) -> Option<Self> {
        let (place, at) = if let Some(elsewhere) = &finding.other_transcript {
            let near = elsewhere.near.as_ref().map(|near| near.span.start);
            (elsewhere.place, near.or_else(|| transcripts.start_of(elsewhere.place, quote)).unwrap_or(0))
        } else {
            let span = finding.span.as_ref().or_else(|| finding.near.as_ref().map(|near| &near.span))?;
            (cited?, span.start)
        };
        let content = transcripts.get(place).map(QuotationSource::content).unwrap_or_default();
        Some(Self::at_byte(transcripts.name(place), content, at))
    }

    /// The line of a text that holds this byte.
    pub fn at_byte(name: &str, content: &str, at: usize) -> Self {
        let (before, behind) = content.split_at_checked(at).unwrap_or((content, ""));
        let start = before.rfind('\n').map_or(0, |end| end + 1);
        let end = behind.find('\n').map_or(content.len(), |end| before.len() + end);
        let words = content.get(start..end).unwrap_or_default().trim().to_owned();
        Self { name: name.to_owned(), number: before.matches('\n').count() + 1, words }
    }

    /// Name and number, as an editor writes them.
    pub fn place(&self) -> String {
        format!("{}:{}", self.name, self.number)
    }
}

/// What a finding means for whoever quotes: right, changed or somewhere else, or not there.
pub(crate) const fn tone(finding: &QuotationFinding) -> Tone {
    use probare_metrics::interviews::quotations::QuotationStatus::{Fuzzy, WrongSource};
    match (finding.status, &finding.other_transcript) {
        (status, _) if status.is_found() => Tone::Good,
        (Fuzzy | WrongSource, _) | (_, Some(_)) => Tone::Warn,
        _ => Tone::Bad,
    }
}

#[cfg(test)]
mod tests {
    use probare_metrics::interviews::quotations::{QuotationStatus, check_citation};

    use super::*;

    #[test]
    fn the_line_is_that_of_the_first_word() {
        let text = "first\r\n  the ferry left\nat noon\n";
        let transcripts = Transcripts::new([("a.txt".to_owned(), text.to_owned())]);
        let source = transcripts.get(0).unwrap();
        let finding = check_citation(&"the ferry left\nat noon".into(), Some(source), Some(0), &[source]);
        assert_eq!(finding.status, QuotationStatus::Exact);
        let line = QuotedLine::from_finding(&finding, Some(0), "the ferry left\nat noon", &transcripts).unwrap();
        assert_eq!((line.place(), line.words.as_str()), ("a.txt:2".to_owned(), "the ferry left"));
        assert_eq!(tone(&finding), Tone::Good);
    }
}
