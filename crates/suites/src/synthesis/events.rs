//! The results of the suite as events, for the renderers of reports: JUnit for CI, pages, tables.

use std::io;

use probare_core::{
    Case as Sampled, CaseResult, Event, Finish, MetricInfo, Outcome, Output, Problem, ScoreError, Sink, Stop,
};
use probare_metrics::registry;
use serde_json::json;

use super::{Case, Check, Checker, Warning};

/// What becomes of a failure that is expected.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ExpectedFailures {
    /// It is shown as what it is.
    Shown,
    /// It is set aside as not applicable, for test results in which every failure breaks the build.
    SetAside,
}

/// A checked file on its way to the renderers.
#[derive(Debug)]
pub struct Events<'a> {
    /// Where the cases come from.
    pub source: &'a str,
    /// The cases.
    pub cases: &'a [Case<'a>],
    /// How they are checked.
    pub checker: &'a Checker,
    /// What is noteworthy about the file; goes along as problems.
    pub warnings: &'a [Warning],
    /// What becomes of the failures of cases that are meant to fail.
    pub expected_failures: ExpectedFailures,
}

impl Events<'_> {
    /// Sends every case with the checks it asks for.
    pub fn send(&self, sink: &mut dyn Sink) -> io::Result<()> {
        let mut metrics = Vec::with_capacity(Check::ALL.len());
        for check in Check::ALL {
            let definition = registry().get(check.name()).map_err(io::Error::other)?;
            metrics.push(MetricInfo::new(check.name(), definition, self.checker.profile));
        }
        sink.event(&Event::Started { source: self.source, metrics: &metrics })?;
        for warning in self.warnings {
            let problem = Problem {
                file: self.source.to_owned(),
                line: None,
                column: None,
                reason: warning.to_string(),
                hint: None,
                lost: false,
            };
            sink.event(&Event::Problem(&problem))?;
        }
        for case in self.cases {
            let mut results = outcomes(case, self.checker);
            if self.expected_failures == ExpectedFailures::SetAside && case.is_negative_example() {
                for result in results.iter_mut().filter(|result| is_violation(result)) {
                    *result = Ok(Outcome::not_applicable("the case is meant to fail, and it does"));
                }
            }
            sink.event(&Event::Scored(&CaseResult::new(sampled(case), results)))?;
        }
        sink.event(&Event::Finished(&Finish::by(Stop::Complete)))
    }
}

fn is_violation(result: &Result<Outcome, ScoreError>) -> bool {
    matches!(result, Ok(Outcome::Scored(score)) if score.value.get() == 0.0)
}

/// The case in the form that all reports share.
fn sampled(case: &Case<'_>) -> Sampled {
    let mut metadata = serde_json::Map::new();
    if let Some(expected) = &case.expected {
        metadata.insert("expected".to_owned(), json!(expected));
    }
    if let Some(notes) = &case.notes {
        metadata.insert("notes".to_owned(), json!(notes));
    }
    Sampled {
        id: case.id.to_string(),
        query: Some(case.user.to_string()),
        response: Some(Output::new(case.assistant.to_string())),
        tags: case.tags.clone(),
        metadata,
        ..Sampled::default()
    }
}

/// One outcome for each check, in the order of [`Check::ALL`].
fn outcomes(case: &Case<'_>, checker: &Checker) -> Vec<Result<Outcome, ScoreError>> {
    let verdicts = checker.verdicts(case);
    Check::ALL
        .into_iter()
        .map(|check| {
            if !case.checks.contains(&check) {
                return Ok(Outcome::not_applicable("the case does not ask for this check"));
            }
            match check {
                Check::AgencyLanguage => verdicts.agency.outcome(&case.assistant),
                Check::UnverifiableReassurance => verdicts.reassurance.outcome(&case.assistant),
                Check::TopicPivot => verdicts.pivot.outcome(&case.user, &case.assistant),
            }
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::synthesis::{Schema, load};

    #[derive(Default)]
    struct Lines(Vec<String>);

    impl Sink for Lines {
        fn event(&mut self, event: &Event<'_>) -> io::Result<()> {
            self.0.push(match event {
                Event::Started { metrics, .. } => format!("{} metrics", metrics.len()),
                Event::Scored(result) => {
                    let values = result.results.iter().map(|result| match result {
                        Ok(Outcome::Scored(score)) => score.value.get().to_string(),
                        Ok(Outcome::NotApplicable { .. }) => "-".to_owned(),
                        Err(error) => error.to_string(),
                    });
                    format!("{} {}", result.case.id, values.collect::<Vec<_>>().join(" "))
                }
                Event::Problem(problem) => problem.reason.clone(),
                _ => "end".to_owned(),
            });
            Ok(())
        }
    }

    fn sent(line: &str, warnings: &[Warning], expected_failures: ExpectedFailures) -> Vec<String> {
        let cases = load(line, &Schema::bundled()).unwrap();
        let mut lines = Lines::default();
        let checker = Checker::default();
        let events = Events { source: "x.jsonl", cases: &cases, checker: &checker, warnings, expected_failures };
        events.send(&mut lines).unwrap();
        lines.0
    }

    #[test]
    fn every_case_has_an_outcome_for_every_check() {
        let line = "{\"id\": \"A-1\", \"user\": \"I'm scared.\", \"assistant\": \"You must rest.\", \
                    \"checks\": [\"agency_language\", \"topic_pivot\"]}";
        let warning = Warning::Uncaught { id: "A-1".into() };
        let lines = sent(line, &[warning], ExpectedFailures::Shown);
        assert_eq!(lines[0], "3 metrics");
        assert!(lines[1].contains("`A-1` is a negative example"));
        assert_eq!(lines[2], "A-1 0 - 0");
        assert_eq!(lines[3], "end");
    }

    #[test]
    fn an_expected_failure_can_be_set_aside() {
        let line = "{\"id\": \"A-1\", \"user\": \"Hm.\", \"assistant\": \"You must rest.\", \
                    \"checks\": [\"agency_language\", \"unverifiable_reassurance\"], \"tags\": [\"negative_example\"]}";
        assert_eq!(sent(line, &[], ExpectedFailures::Shown)[1], "A-1 0 1 -");
        assert_eq!(sent(line, &[], ExpectedFailures::SetAside)[1], "A-1 - 1 -");
    }
}
