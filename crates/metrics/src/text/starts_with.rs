//! Whether the response starts with the expected text.

use probare_core::{BuildError, Evidence, EvidenceKind, Field, Metric, Outcome, Sample, Score, ScoreError, metric};
use probare_text::python::LowercaseText;
use schemars::JsonSchema;
use serde::Deserialize;

use crate::bounded_evidence::truncate_for_note;

/// Options of `starts_with`.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct StartsWith {
    /// Texts of which the response starts with one; the references of the case where none is given.
    pub texts: Vec<String>,
    /// Whether upper and lower case are the same.
    pub ignore_case: bool,
    /// Whether white space before the response counts as part of it.
    pub keep_space: bool,
}

metric!(StartsWith as Pure {
    summary: "Whether the response starts with the expected text",
    range: (0.0, 1.0),
    better: Higher,
    needs: [Response],
    identity: true,
    prepare: prepare,
    since: "0.4",
    version: 1,
    page: "starts_with.md",
});

fn prepare(options: StartsWith) -> Result<StartsWith, BuildError> {
    if options.texts.iter().any(String::is_empty) {
        return Err(BuildError::Options("`texts` holds an empty text, with which every response starts".into()));
    }
    Ok(options)
}

impl Metric for StartsWith {
    fn score(&self, sample: Sample<'_>) -> Result<Outcome, ScoreError> {
        let response = sample.response()?;
        let references = sample.case.reference.as_deref().unwrap_or_default();
        let texts = if self.texts.is_empty() { references } else { &self.texts };
        // With nothing, every response starts.
        let is_something = |text: &&String| !(if self.keep_space { text } else { text.trim() }).is_empty();
        let mut texts = texts.iter().filter(is_something).peekable();
        if texts.peek().is_none() {
            let reason = "the case has no `reference`, and the option `texts` names none";
            return Ok(Outcome::not_applicable(reason));
        }
        let lowered = |text: &str| {
            if self.ignore_case { LowercaseText::new(text) } else { LowercaseText::unchanged(text) }
        };
        let whole = lowered(response);
        let start = if self.keep_space { 0 } else { whole.text().len() - whole.text().trim_start().len() };
        let mut missing = None;
        for text in texts {
            let expected = lowered(text);
            let expected = if self.keep_space { expected.text() } else { expected.text().trim_start() };
            if whole.text()[start..].starts_with(expected) {
                let span = whole.original_span(start..start + expected.len());
                let evidence = Evidence::at(EvidenceKind::Matched, Field::Response, span, response);
                return Ok(Score::from_bool(true).because([evidence]).into());
            }
            missing = missing.or(Some(text));
        }
        let missing = missing.map(|text| Evidence::missing(truncate_for_note(text)));
        Ok(Score::from_bool(false).because(missing).into())
    }
}
