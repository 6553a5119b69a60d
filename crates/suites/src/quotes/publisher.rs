//! What is printed: a line for each quotation, with what is wrong with it, and the counts.

use std::collections::BTreeMap;
use std::io;

use probare_core::{Case, Console, Event, Sink, Stop};
use probare_metrics::interviews::quotations::{Finding, Near, Quotations, Status, Transcripts};
use probare_report::escape::{excerpt, terminal};
use serde_json::{Value as Json, json};

use crate::printing::print;

/// Characters of a quotation that are printed.
const SHOWN: usize = 160;

/// A quotation with what was found.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Checked {
    quote: String,
    /// Kind of finding, in the words of `verbatim`.
    kind: &'static str,
    /// The file that it is said to come from, as the table says it.
    said: Option<String>,
    /// Where it stands, or comes nearest: file and line.
    place: Option<(String, usize)>,
    /// The difference to the nearest passage, and what matters in it.
    difference: Option<String>,
    remark: Option<String>,
}

impl Checked {
    pub(super) fn new(case: &Case, quotations: &Quotations, transcripts: &Transcripts) -> Option<Self> {
        let finding = quotations.findings.first()?;
        let citation = case.citations.as_ref()?.first()?;
        let cited = quotations.transcripts.first().copied().flatten();
        let line = |place: usize, at: usize| {
            let content = transcripts
                .get(place)
                .map(probare_metrics::interviews::quotations::Source::content)
                .unwrap_or_default();
            let line = content.get(..at).map_or(1, |before| before.matches('\n').count() + 1);
            (transcripts.name(place).to_owned(), line)
        };
        let said = case.metadata.get("said").and_then(Json::as_str).map(str::to_owned);
        let mut checked = Self {
            quote: citation.quote.as_str().unwrap_or_default().to_owned(),
            kind: kind(finding, said.is_some()),
            said,
            place: None,
            difference: None,
            remark: quotations
                .left_out
                .first()
                .cloned()
                .flatten()
                .map(|word| format!("what is left out says `{word}`")),
        };
        let told = |near: &Near| (Some(near.difference.line()), near.difference.negation.clone());
        if let Some(elsewhere) = &finding.elsewhere {
            let at = elsewhere.near.as_ref().map_or_else(
                || transcripts.start_of(elsewhere.place, &checked.quote).unwrap_or(0),
                |near| near.span.start,
            );
            checked.place = Some(line(elsewhere.place, at));
            if let Some(near) = &elsewhere.near {
                (checked.difference, checked.remark) = told(near);
            }
        } else if let Some(place) = cited {
            let span = finding.span.clone().or_else(|| finding.near.as_ref().map(|near| near.span.clone()));
            checked.place = span.map(|span| line(place, span.start));
            if let Some(near) = &finding.near {
                (checked.difference, checked.remark) = told(near);
            }
        }
        Some(checked)
    }

    fn line(&self) -> String {
        // What is not there has at most a passage that resembles it.
        let word = if self.kind == Status::NotFound.name() { ", nearest in" } else { " in" };
        let place =
            self.place.as_ref().map(|(file, line)| format!("{word} {}:{line}", terminal(file))).unwrap_or_default();
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
            "file": self.place.as_ref().map(|(file, _)| file),
            "line": self.place.as_ref().map(|(_, line)| line),
            "difference": self.difference,
            "remark": self.remark,
        })
    }
}

/// The kind of a finding in one word.
fn kind(finding: &Finding, is_said: bool) -> &'static str {
    match (finding.status, &finding.elsewhere) {
        (status, _) if status.is_found() => status.name(),
        (_, Some(elsewhere)) if elsewhere.near.is_none() => "wrong_source",
        (Status::InvalidIndex, None) if is_said => "no_such_source",
        (Status::InvalidIndex, None) => "not_found",
        (Status::NumberMismatch, _) => "changed_number",
        (Status::Fuzzy, _) => "near",
        (_, Some(_)) => "near_in_another_source",
        (status, None) => status.name(),
    }
}

/// Prints when the run ends.
#[derive(Debug)]
pub(super) struct Publisher {
    console: Console,
    checked: Vec<(String, Checked)>,
}

impl Publisher {
    pub(super) const fn new(console: Console) -> Self {
        Self { console, checked: Vec::new() }
    }

    fn text(&self) -> String {
        if self.console.json {
            let list: Vec<Json> = self.checked.iter().map(|(id, checked)| checked.json(id)).collect();
            return format!("{:#}\n", Json::Array(list));
        }
        let mut text: String = self.checked.iter().map(|(_, checked)| checked.line()).collect();
        let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
        for (_, checked) in &self.checked {
            *counts.entry(checked.kind).or_default() += 1;
        }
        let counts: Vec<String> = counts.iter().map(|(kind, count)| format!("{count} {kind}")).collect();
        text.push_str(&format!("{} quotations: {}\n", self.checked.len(), counts.join(", ")));
        text
    }
}

impl Sink for Publisher {
    fn event(&mut self, event: &Event<'_>) -> io::Result<()> {
        match event {
            Event::Scored(result) => {
                if let Some(checked) = result.detail.as_ref().and_then(|detail| detail.get::<Checked>()) {
                    self.checked.push((result.case.id.clone(), checked.clone()));
                }
                Ok(())
            }
            Event::Finished(finish) if finish.stop == Stop::Complete && !self.console.quiet => print(&self.text()),
            _ => Ok(()),
        }
    }
}

impl probare_core::Publisher for Publisher {}
