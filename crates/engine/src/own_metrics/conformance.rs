//! [`check_conformance`]: tries whether a worker keeps to the protocol, message by message, for whoever writes one.

use std::time::Duration;

use probare_core::{Case, MetricRequest, Output, Sample};

use super::pool::hide_secrets;
use super::protocol::{AnswerFault, Ready, hello, read_result, score_line};
use super::worker::{WorkerFault, WorkerProcess};
use super::{OwnMetricError, launch, own_options};

/// How long one answer may take.
const LIMIT: Duration = Duration::from_secs(30);
/// Lines of standard error that are shown: the last ones.
const SHOWN_LINES: usize = 10;

/// The first thing that is tried.
const READY: &str = "it answers `hello` with `ready`";

/// One thing that was tried.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConformanceCheck {
    /// What was tried.
    pub what: &'static str,
    /// What came of it, where it passed.
    pub outcome: String,
    /// What is wrong, where it did not.
    pub fault: Option<String>,
}

/// Starts the code of a metric and tries it: the handshake, cases with little and with much text, one after the other, twice the
/// same, another metric process beside it, and the end. The first fault ends it, since nothing after it can be trusted.
pub fn check_conformance(request: &MetricRequest) -> Result<Vec<ConformanceCheck>, OwnMetricError> {
    let failed = |reason: String, hint: &str| OwnMetricError::Start {
        name: request.name.clone(),
        reason,
        hint: hint.to_owned(),
    };
    let Some(code) = &request.code else {
        return Err(failed(
            "it names no code of your own".to_owned(),
            "name a Python metric, FILE.py:NAME, or a program: -- PROGRAM …",
        ));
    };
    let launch = launch(&code.source).map_err(|(reason, hint)| failed(reason, hint))?;
    let hello = hello(&own_options(&request.options));
    let (mut worker, ready) = match launch.start(&hello) {
        Ok(started) => started,
        Err(reason) => return Ok(vec![ConformanceCheck::new(READY, Err(reason))]),
    };
    let mut checks = vec![ConformanceCheck::new(READY, Ok(summary(&ready)))];
    let mut first = None;
    for (at, (what, case)) in cases().into_iter().enumerate() {
        let told = match (at, score(&mut worker, 1000 + at as u64, &case, &ready)) {
            (0, Ok(outcome)) => {
                first = Some(outcome.clone());
                Ok(outcome)
            }
            (1, Ok(outcome)) if first.as_ref() != Some(&outcome) => Err(format!(
                "the same case gave another result: {outcome}, before {}",
                first.clone().unwrap_or_default()
            )),
            (_, told) => told,
        };
        let is_fault = told.is_err();
        checks.push(ConformanceCheck::new(what, told));
        if is_fault {
            return Ok(checks);
        }
    }
    let complaint = worker.complaint();
    let again = launch.start(&hello).and_then(|(_, other)| {
        if other == ready {
            Ok("it says the same".to_owned())
        } else {
            Err("it says something else about itself".to_owned())
        }
    });
    checks.push(ConformanceCheck::new("a second process can run beside it", again));
    let ended = if worker.ends_by_itself() {
        Ok("it ended".to_owned())
    } else {
        Err("it still runs; a worker ends when its standard input does".to_owned())
    };
    checks.push(ConformanceCheck::new("it ends when its input is closed", ended));
    if !complaint.is_empty() {
        let lines: Vec<&str> = complaint.lines().rev().take(SHOWN_LINES).collect();
        let lines: Vec<&str> = lines.into_iter().rev().collect();
        let told = hide_secrets(&lines.join("; "));
        checks.push(ConformanceCheck::new("what it writes to standard error is shown here", Ok(told)));
    }
    Ok(checks)
}

impl ConformanceCheck {
    fn new(what: &'static str, told: Result<String, String>) -> Self {
        let (outcome, fault) = told.map_or_else(|fault| (String::new(), Some(fault)), |outcome| (outcome, None));
        Self { what, outcome, fault }
    }
}

/// The result of a case, as JSON, or what the worker does wrong.
fn score(worker: &mut WorkerProcess, number: u64, case: &Case, ready: &Ready) -> Result<String, String> {
    let line = score_line(number, Sample::from_case(case)).map_err(|error| error.to_string())?;
    let answer = worker.exchange(line.as_bytes(), LIMIT).map_err(|fault| match fault {
        WorkerFault::Start(reason) | WorkerFault::Ended(reason) => reason,
        WorkerFault::TimedOut => format!("no answer within {} s", LIMIT.as_secs()),
        WorkerFault::TooLong => "the line is longer than any answer".to_owned(),
        WorkerFault::Cancelled => "interrupted".to_owned(),
    })?;
    match read_result(&answer, number, ready, Sample::from_case(case)) {
        Ok(outcome) => Ok(serde_json::to_string(&outcome).unwrap_or_default()),
        Err(AnswerFault::Result(error)) if is_of_author(&answer) => Ok(format!("error: {error}")),
        Err(AnswerFault::Result(error)) => Err(error.to_string()),
        Err(AnswerFault::Noise(reason)) => Err(reason),
    }
}

/// Whether the code itself says that something went wrong, which keeps to the protocol.
fn is_of_author(answer: &[u8]) -> bool {
    serde_json::from_slice::<serde_json::Value>(answer).is_ok_and(|answer| answer.get("error").is_some())
}

fn summary(ready: &Ready) -> String {
    let (low, high) = ready.range();
    let Ready { name, version, better, .. } = ready;
    format!("`{name}` version {version}, values from {low} to {high}, {} is better", better.name())
}

fn cases() -> Vec<(&'static str, Case)> {
    let case = |id: &str, response: &str| Case {
        id: id.to_owned(),
        query: Some("What is the capital of Australia?".to_owned()),
        response: Some(Output::new(response)),
        reference: Some(vec!["Canberra".to_owned()]),
        context: Some(vec!["Canberra is the capital of Australia.".into()]),
        ..Case::default()
    };
    vec![
        ("it scores a case", case("plain", "It is Canberra.")),
        ("the same case gives the same result", case("plain", "It is Canberra.")),
        ("it takes an empty response", case("empty", "")),
        ("it takes characters of every width", case("wide", "Größe: 東京 😀 \u{0}\t\"quoted\" \\ end")),
        ("it takes a response of 1 MB", case("long", &"Canberra is a city. ".repeat(50_000))),
    ]
}
