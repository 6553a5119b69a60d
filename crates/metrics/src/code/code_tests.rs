//! Whether the response's code passes the tests of the case, run in the sandbox.

use probare_core::{
    BackendAnswer, BuildError, Evidence, EvidenceKind, Field, Judge, JudgeAction, Outcome, Sample, Score, ScoreError,
    metric,
};
use schemars::JsonSchema;
use serde::Deserialize;

use super::running::harness::{self, TestOutcome, TestPlacement, TestRunSettings};
use super::running::solution::CodeTask;
use crate::bounded_evidence::{BoundedEvidence, truncate_for_note};

/// Seconds of a solution with its tests, unless another limit is given.
const SECONDS: u32 = 10;

/// MiB of a solution, unless another limit is given.
const MEBIBYTES: u32 = 1024;

/// Options of `code_tests`.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct CodeTests {
    /// Seconds that the code and its tests may take together. Default 10.
    pub timeout: Option<u32>,
    /// MiB that all its processes may take together. Default 1024.
    pub memory_mib: Option<u32>,
    /// Which Python runs it: `conda:NAME`, `venv:FOLDER` or `python:PATH`; `python3` of the machine if absent.
    pub environment: Option<String>,
    /// Where the tests run: `outside` (in a sandbox of their own, which the code cannot see into; plain values cross) or `inside` (in the
    /// process of the code: for tests that need its objects, files or output, and can be cheated). Default `outside`.
    pub tests: TestPlacement,
}

metric!(CodeTests as Judge {
    summary: "Whether the response's code passes the tests of the case, run in the sandbox",
    range: (0.0, 1.0),
    better: Higher,
    needs: [Response],
    whole: |parts| Some(f64::from(parts.get("passed")? >= parts.get("tests")?)),
    prepare: CodeTestJudge::new,
    since: "0.2",
    version: 3,
    page: "code_tests.md",
});

struct CodeTestJudge(TestRunSettings);

impl CodeTestJudge {
    fn new(options: CodeTests) -> Result<Self, BuildError> {
        let terms = TestRunSettings {
            environment: options.environment.unwrap_or_default(),
            seconds: options.timeout.unwrap_or(SECONDS),
            mebibytes: options.memory_mib.unwrap_or(MEBIBYTES),
            tests: options.tests,
        };
        if terms.seconds == 0 || terms.mebibytes < 16 {
            return Err(BuildError::Options("`timeout` is at least 1 second and `memory_mib` at least 16".into()));
        }
        Ok(Self(terms))
    }
}

impl Judge for CodeTestJudge {
    fn next_action(&self, sample: Sample<'_>, answers: &[BackendAnswer]) -> Result<JudgeAction, ScoreError> {
        let Some(task) = CodeTask::from_sample(sample)? else {
            let reason = "the case has none of `metadata.test`, `metadata.test_list` and `metadata.tests`";
            return Ok(JudgeAction::Done(Outcome::not_applicable(reason)));
        };
        let Some(answer) = answers.first() else {
            return Ok(JudgeAction::Run(vec![harness::build_program(&task, &self.0)]));
        };
        let ran = answer.program_result()?;
        let tested = harness::read_outcome(ran, &task, &self.0)?;
        Ok(JudgeAction::Done(outcome(sample, &task, &tested, self.0.tests)?))
    }

    fn program_environment(&self) -> Option<&str> {
        Some(&self.0.environment)
    }
}

fn outcome(
    sample: Sample<'_>,
    task: &CodeTask,
    tested: &TestOutcome,
    place: TestPlacement,
) -> Result<Outcome, ScoreError> {
    let total = task.tests.len();
    let mut evidence = BoundedEvidence::default();
    let (passed, label) = match tested {
        TestOutcome::Stopped(stopped) => (0, stopped.label()),
        TestOutcome::Broken(_) => (0, "broken"),
        TestOutcome::Tests(results) => {
            let passed = results.iter().filter(|error| error.is_none()).count();
            (passed, if passed == total { "passed" } else { "failed" })
        }
    };
    let is_fine = passed == total;
    let note = match tested {
        TestOutcome::Stopped(stopped) => stopped.message(),
        TestOutcome::Broken(error) => {
            let refused = harness::sandbox_refusal(error).map(|words| format!("; {words}")).unwrap_or_default();
            format!("it stopped before any test: {}{refused}", truncate_for_note(error))
        }
        TestOutcome::Tests(_) if task.continues => format!("after the query, it passes {passed} of {total} tests"),
        TestOutcome::Tests(_) => format!("it passes {passed} of {total} tests"),
    };
    evidence.push(|| {
        let kind = if is_fine { EvidenceKind::Matched } else { EvidenceKind::Compared };
        Evidence::at(kind, Field::Response, task.span.clone(), sample.response().unwrap_or_default()).with_note(note)
    });
    if place == TestPlacement::Inside {
        evidence.push(|| Evidence::note("the tests ran inside the process of the code, which can cheat them"));
    }
    if let TestOutcome::Tests(results) = tested {
        for (test, error) in task.tests.iter().zip(results) {
            if let Some(error) = error {
                evidence.push(|| Evidence::missing(truncate_for_note(test.trim())).with_note(truncate_for_note(error)));
                if let Some(refused) = harness::sandbox_refusal(error) {
                    evidence.push(|| Evidence::note(refused.to_owned()));
                }
            }
        }
    }
    let score = Score::from_bool(is_fine)
        .with_part("passed", passed as f64)?
        .with_part("tests", total as f64)?
        .labelled(label)
        .because(evidence.finish());
    Ok(score.into())
}
