//! What is printed: a line for each quotation, with what is wrong with it, and the counts.

use std::collections::BTreeMap;
use std::io;

use probare_core::{Case, Chip, Console, Event, Panel, PanelCell, PanelTable, Sink, Stop, Tone};
use probare_metrics::interviews::quotations::{
    NearestPassage, QuotationFinding, QuotationStatus, Quotations, Transcripts,
};
use probare_report::escape::{excerpt, terminal};
use serde_json::{Value as Json, json};

use crate::printing::print;
use crate::quoted_line::{QuotedLine, tone};

/// Characters of a quotation that are printed.
const SHOWN: usize = 160;

/// A quotation with what was found.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct CheckedQuotation {
    quote: String,
    /// Kind of finding, in the words of `verbatim`.
    kind: &'static str,
    /// The file that it is said to come from, as the table says it.
    said: Option<String>,
    /// What that means for whoever quotes.
    tone: Tone,
    /// Where it stands, or comes nearest.
    place: Option<QuotedLine>,
    /// The difference to the nearest passage, and what matters in it.
    difference: Option<String>,
    remark: Option<String>,
}

impl CheckedQuotation {
    pub(super) fn new(case: &Case, quotations: &Quotations, transcripts: &Transcripts) -> Option<Self> {
        let finding = quotations.findings.first()?;
        let citation = case.citations.as_ref()?.first()?;
        let cited = quotations.transcripts.first().copied().flatten();
        let said = case.metadata.get("said").and_then(Json::as_str).map(str::to_owned);
        let mut checked = Self {
            quote: citation.quote.as_str().unwrap_or_default().to_owned(),
            kind: kind(finding, said.is_some()),
            said,
            tone: tone(finding),
            place: None,
            difference: None,
            remark: quotations
                .omitted_negations
                .first()
                .cloned()
                .flatten()
                .map(|word| format!("what is left out says `{word}`")),
        };
        let described = |near: &NearestPassage| (Some(near.difference.to_line()), near.difference.negation.clone());
        checked.place = QuotedLine::from_finding(finding, cited, &checked.quote, transcripts);
        let near = match &finding.other_transcript {
            Some(elsewhere) => elsewhere.near.as_ref(),
            None => finding.near.as_ref().filter(|_| cited.is_some()),
        };
        if let Some(near) = near {
            (checked.difference, checked.remark) = described(near);
        }
        Some(checked)
    }

    fn line(&self) -> String {
        // What is not there has at most a passage that resembles it.
        let word = if self.kind == QuotationStatus::NotFound.name() { ", nearest in" } else { " in" };
        let place = self.place.as_ref().map(|line| format!("{word} {}", terminal(&line.place()))).unwrap_or_default();
        let said = match (&self.said, self.kind, &self.place) {
            (Some(said), "wrong_source" | "near_in_another_source" | "no_such_source", _)
            | (Some(said), "not_found", None) => format!(" (said to be in {})", terminal(said)),
            _ => String::new(),
        };
        let mut text = format!("{}{place}{said}: {}\n", self.kind, terminal(&excerpt(&self.quote, SHOWN)));
        if let Some(difference) = &self.difference {
            text.push_str(&format!("    {}\n", terminal(&excerpt(difference, 600))));
        }
        if let Some(remark) = &self.remark {
            text.push_str(&format!("    {}\n", terminal(remark)));
        }
        text
    }

    fn json(&self, id: &str) -> Json {
        json!({
            "id": id,
            "quote": self.quote,
            "finding": self.kind,
            "said": self.said,
            "file": self.place.as_ref().map(|line| &line.name),
            "line": self.place.as_ref().map(|line| line.number),
            "difference": self.difference,
            "remark": self.remark,
        })
    }
}

/// The kind of a finding in one word.
fn kind(finding: &QuotationFinding, is_said: bool) -> &'static str {
    match (finding.status, &finding.other_transcript) {
        (status, _) if status.is_found() => status.name(),
        (_, Some(elsewhere)) if elsewhere.near.is_none() => "wrong_source",
        (QuotationStatus::InvalidIndex, None) if is_said => "no_such_source",
        (QuotationStatus::InvalidIndex, None) => "not_found",
        (QuotationStatus::NumberMismatch, _) => "changed_number",
        (QuotationStatus::Fuzzy, _) => "near",
        (_, Some(_)) => "near_in_another_source",
        (status, None) => status.name(),
    }
}

/// Prints when the run ends.
#[derive(Debug)]
pub(super) struct QuotesPublisher {
    console: Console,
    checked: Vec<(String, CheckedQuotation)>,
}

impl QuotesPublisher {
    pub(super) const fn new(console: Console) -> Self {
        Self { console, checked: Vec::new() }
    }

    /// How many quotations there are of each kind, and what the kind means.
    fn counts(&self) -> BTreeMap<&'static str, (usize, Tone)> {
        let mut counts = BTreeMap::new();
        for (_, checked) in &self.checked {
            counts.entry(checked.kind).or_insert((0, checked.tone)).0 += 1;
        }
        counts
    }

    fn text(&self) -> String {
        if self.console.json {
            let list: Vec<Json> = self.checked.iter().map(|(id, checked)| checked.json(id)).collect();
            return format!("{:#}\n", Json::Array(list));
        }
        let mut text: String = self.checked.iter().map(|(_, checked)| checked.line()).collect();
        let counts: Vec<String> = self.counts().iter().map(|(kind, (count, _))| format!("{count} {kind}")).collect();
        text.push_str(&format!("{} quotations: {}\n", self.checked.len(), counts.join(", ")));
        text
    }
}

impl Sink for QuotesPublisher {
    fn event(&mut self, event: &Event<'_>) -> io::Result<()> {
        match event {
            Event::Scored(result) => {
                if let Some(checked) = result.detail.as_ref().and_then(|detail| detail.get::<CheckedQuotation>()) {
                    self.checked.push((result.case.id.clone(), checked.clone()));
                }
                Ok(())
            }
            Event::Finished(finish) if finish.stop == Stop::Complete && !self.console.quiet => print(&self.text()),
            _ => Ok(()),
        }
    }
}

impl probare_core::Publisher for QuotesPublisher {
    /// Every kind of finding with its count, and the quotations, those that are not right first.
    fn panels(&self) -> Vec<Panel> {
        let chips = self.counts().into_iter().map(|(kind, (count, tone))| Chip::new(format!("{kind} {count}"), tone));
        let mut table = PanelTable::new("", ["Quotation", "Finding", "Line", "Difference"], 4);
        let (right, wrong): (Vec<_>, Vec<_>) = self.checked.iter().partition(|(_, one)| one.tone == Tone::Good);
        table.fill(wrong.into_iter().chain(right), |(id, checked)| {
            let line = checked.place.as_ref();
            let said = checked.said.as_ref().map(|said| format!("said to be in {said}"));
            vec![
                PanelCell::case(id, excerpt(&checked.quote, SHOWN)),
                PanelCell::from(checked.kind).with_tone(checked.tone).with_note(said.unwrap_or_default()),
                PanelCell::from(line.map(QuotedLine::place).unwrap_or_default())
                    .with_note(line.map(|line| excerpt(&line.words, SHOWN)).unwrap_or_default()),
                PanelCell::from(checked.difference.as_deref().map(|words| excerpt(words, SHOWN)).unwrap_or_default())
                    .with_note(checked.remark.clone().unwrap_or_default()),
            ]
        });
        let says = vec![format!("{} quotations.", self.checked.len())];
        vec![Panel {
            title: "Findings".to_owned(),
            says,
            chips: chips.collect(),
            tables: vec![table],
            ..Panel::default()
        }]
    }
}
