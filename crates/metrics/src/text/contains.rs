//! Whether the response contains the expected text.

use std::ops::Range;

use probare_core::{BuildError, Evidence, EvidenceKind, Field, Metric, Outcome, Sample, Score, ScoreError, metric};
use probare_text::python::LowercaseText;
use schemars::JsonSchema;
use serde::Deserialize;

use crate::bounded_evidence::{BoundedEvidence, truncate_for_note};

/// Options of `contains`.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Contains {
    /// Texts to look for; the references of the case where none is given.
    pub texts: Vec<String>,
    /// How many of the texts must be there.
    pub require: Require,
    /// Whether upper and lower case are the same.
    pub ignore_case: bool,
    /// Whether a text inside a longer word does not count.
    pub whole_words: bool,
}

/// How many of the texts must be there.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Require {
    /// At least one.
    #[default]
    Any,
    /// Each of them.
    All,
}

metric!(Contains as Pure {
    summary: "Whether the response contains the expected text",
    range: (0.0, 1.0),
    better: Higher,
    needs: [Response],
    identity: true,
    whole: |parts| Some(f64::from(parts.get("found")? >= parts.get("required")?)),
    prepare: prepare,
    since: "0.1",
    version: 2,
    page: "contains.md",
});

fn prepare(options: Contains) -> Result<Contains, BuildError> {
    if options.texts.iter().any(String::is_empty) {
        return Err(BuildError::Options("`texts` holds an empty text, which every response contains".into()));
    }
    Ok(options)
}

impl Metric for Contains {
    fn score(&self, sample: Sample<'_>) -> Result<Outcome, ScoreError> {
        let response = sample.response()?;
        let references = sample.case.reference.as_deref().unwrap_or_default();
        let texts = if self.texts.is_empty() { references } else { &self.texts };
        if texts.is_empty() {
            let reason = "the case has no `reference`, and the option `texts` names none";
            return Ok(Outcome::not_applicable(reason));
        }
        // Every response contains nothing: that it does says nothing about it.
        let texts: Vec<&str> = texts.iter().map(String::as_str).filter(|text| !text.is_empty()).collect();
        if texts.is_empty() {
            return Ok(Outcome::not_applicable("the reference is empty, and every response contains nothing"));
        }
        let haystack = self.ignore_case.then(|| LowercaseText::new(response));
        let mut evidence = BoundedEvidence::for_sample(&sample);
        let mut found = 0_usize;
        for &text in &texts {
            let span = match &haystack {
                Some(lowered) => {
                    let needle = LowercaseText::new(text);
                    self.find(lowered.text(), needle.text()).map(|span| lowered.original_span(span))
                }
                None => self.find(response, text),
            };
            evidence.push(|| match &span {
                Some(span) => Evidence::at(EvidenceKind::Matched, Field::Response, span.clone(), response),
                None => Evidence::missing(truncate_for_note(text)),
            });
            found += usize::from(span.is_some());
        }
        let required = match self.require {
            Require::Any => 1,
            Require::All => texts.len(),
        };
        let score = Score::from_bool(found >= required)
            .with_part("found", found as f64)?
            .with_part("required", required as f64)?;
        Ok(score.because(evidence.finish()).into())
    }
}

impl Contains {
    /// The first occurrence that counts.
    fn find(&self, haystack: &str, needle: &str) -> Option<Range<usize>> {
        if !self.whole_words {
            return haystack.find(needle).map(|at| at..at + needle.len());
        }
        let starts_with_word = needle.chars().next().is_some_and(char::is_alphanumeric);
        let ends_with_word = needle.chars().next_back().is_some_and(char::is_alphanumeric);
        haystack.match_indices(needle).map(|(at, _)| at..at + needle.len()).find(|span| {
            let before = haystack[..span.start].chars().next_back().is_some_and(char::is_alphanumeric);
            let after = haystack[span.end..].chars().next().is_some_and(char::is_alphanumeric);
            !(starts_with_word && before || ends_with_word && after)
        })
    }
}

#[cfg(test)]
mod tests {
    use probare_core::{Case, Output};

    use super::*;

    fn score(metric: &Contains, response: &str, references: &[&str]) -> Score {
        let case = Case {
            response: Some(Output::new(response)),
            reference: Some(references.iter().map(|text| (*text).to_owned()).collect()),
            ..Case::default()
        };
        metric.score(Sample::from_case(&case)).unwrap().score().unwrap().clone()
    }

    #[test]
    fn the_span_is_that_of_the_original_where_lower_casing_changes_lengths() {
        let metric = Contains { ignore_case: true, ..Contains::default() };
        let score = score(&metric, "In İSTANBUL today", &["istanbul", "TODAY"]);
        assert_eq!(score.evidence[1].text, "today");
        assert_eq!(score.value.get(), 1.0);
    }

    #[test]
    fn without_reference_and_texts_the_question_does_not_apply() {
        let case = Case { response: Some(Output::new("Paris")), ..Case::default() };
        let outcome = Contains::default().score(Sample::from_case(&case)).unwrap();
        assert!(matches!(&outcome, Outcome::NotApplicable { reason } if reason.contains("`reference`")), "{outcome:?}");
        let named = Contains { texts: vec!["Paris".to_owned()], ..Contains::default() };
        assert_eq!(named.score(Sample::from_case(&case)).unwrap().score().unwrap().value.get(), 1.0);
    }

    #[test]
    fn a_word_inside_a_word_does_not_count_where_words_are_asked_for() {
        let metric = Contains { whole_words: true, ..Contains::default() };
        assert_eq!(score(&metric, "the party", &["art"]).value.get(), 0.0);
        assert_eq!(score(&metric, "party art", &["art"]).evidence[0].place.as_ref().unwrap().start, 6);
        assert_eq!(score(&metric, "C++ and so", &["C++"]).value.get(), 1.0);
    }
}
