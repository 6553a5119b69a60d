//! The results of the suite as events, for the renderers of reports: JUnit for CI, pages, tables.

use std::io;

use probare_core::{Case as Sampled, CaseResult, Event, MetricInfo, Outcome, Output, Problem, ScoreError, Sink, Stop};
use probare_metrics::registry;
use serde_json::json;

use super::{Case, Check, Checker, Warning};

/// Sends every case with the checks it asks for to `sink`; what is noteworthy about the file goes along as problems.
pub fn emit(
    sink: &mut dyn Sink,
    source: &str,
    cases: &[Case],
    checker: &Checker,
    warnings: &[Warning],
) -> io::Result<()> {
    let checks = Check::ALL;
    let mut metrics = Vec::with_capacity(checks.len());
    for check in checks {
        let definition = registry().get(check.name()).map_err(io::Error::other)?;
        metrics.push(MetricInfo::new(check.name(), definition, checker.profile));
    }
    sink.event(&Event::Started { source, metrics: &metrics })?;
    for warning in warnings {
        let problem = Problem {
            file: source.to_owned(),
            line: None,
            column: None,
            reason: warning.to_string(),
            hint: None,
            lost: false,
        };
        sink.event(&Event::Problem(&problem))?;
    }
    for case in cases {
        let results = outcomes(case, checker);
        sink.event(&Event::Scored(&CaseResult { case: sampled(case), results }))?;
    }
    sink.event(&Event::Finished(Stop::Complete))
}

/// The case in the form that all reports share.
fn sampled(case: &Case) -> Sampled {
    let mut metadata = serde_json::Map::new();
    if let Some(expected) = &case.expected {
        metadata.insert("expected".to_owned(), json!(expected));
    }
    if let Some(notes) = &case.notes {
        metadata.insert("notes".to_owned(), json!(notes));
    }
    Sampled {
        id: case.id.clone(),
        query: Some(case.user.clone()),
        response: Some(Output::new(case.assistant.clone())),
        tags: case.tags.clone(),
        metadata,
        ..Sampled::default()
    }
}

/// One outcome for each check, in the order of [`Check::ALL`].
fn outcomes(case: &Case, checker: &Checker) -> Vec<Result<Outcome, ScoreError>> {
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

    #[test]
    fn every_case_has_an_outcome_for_every_check() {
        let line = "{\"id\": \"A-1\", \"user\": \"I'm scared.\", \"assistant\": \"You must rest.\", \
                    \"checks\": [\"agency_language\", \"topic_pivot\"]}";
        let cases = load(line, &Schema::bundled()).unwrap();
        let mut lines = Lines::default();
        let warning = Warning::Uncaught { id: "A-1".into() };
        emit(&mut lines, "x.jsonl", &cases, &Checker::default(), &[warning]).unwrap();
        assert_eq!(lines.0[0], "3 metrics");
        assert!(lines.0[1].contains("`A-1` is a negative example"));
        assert_eq!(lines.0[2], "A-1 0 - 0");
        assert_eq!(lines.0[3], "end");
    }
}
