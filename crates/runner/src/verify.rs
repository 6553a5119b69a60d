//! [`verify`]: computes every score of a results file again and checks every span of its evidence.

use std::io::BufRead;

use probare_cases::{OpenError, Rows};
use probare_core::{Case, Evidence, MetricRequest, NoRules, Nobody, Place, Readings};
use serde_json::Value as Json;

use crate::{Plan, PlanError};

/// A results file could not be verified at all.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum VerifyError {
    /// The cases cannot be read.
    #[error(transparent)]
    Cases(#[from] OpenError),
    /// The results cannot be read.
    #[error("cannot read the results at line {line}: {reason}")]
    Results {
        /// Line, counted from 1.
        line: u64,
        /// What is wrong.
        reason: String,
    },
    /// A name in the results is no metric.
    #[error(transparent)]
    Plan(#[from] PlanError),
}

/// One place where the file and the recomputation differ.
#[derive(Debug, Clone, PartialEq)]
pub struct Disagreement {
    /// The case.
    pub id: String,
    /// The metric, if it is about one.
    pub metric: Option<String>,
    /// What differs.
    pub reason: String,
}

/// What a verification came to.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Verdict {
    /// Result lines held against their case.
    pub cases: u64,
    /// Scores computed again.
    pub scores: u64,
    /// Spans held against the text they point into.
    pub spans: u64,
    /// How many places differ.
    pub different: u64,
    /// The first of them.
    pub disagreements: Vec<Disagreement>,
}

/// This many disagreements are kept; all are counted.
const KEPT: usize = 100;

/// The metrics that a line of results names, as requests: a name carries its options.
pub fn recorded_metrics(line: &str) -> Result<Vec<MetricRequest>, VerifyError> {
    let line = parse(line, 1)?;
    let scores = line.get("scores").and_then(Json::as_object).ok_or_else(|| not_a_result(1))?;
    scores.keys().map(|name| name.parse().map_err(|error| VerifyError::Plan(PlanError::Request(error)))).collect()
}

fn parse(line: &str, number: u64) -> Result<Json, VerifyError> {
    serde_json::from_str(line).map_err(|error| VerifyError::Results { line: number, reason: error.to_string() })
}

fn not_a_result(line: u64) -> VerifyError {
    VerifyError::Results { line, reason: "it is no result line with `id` and `scores`".to_owned() }
}

/// Holds the lines of a results file against their cases, one after the other.
pub fn verify(results: impl BufRead, cases: Rows, plan: &Plan) -> Result<Verdict, VerifyError> {
    let mut verdict = Verdict::default();
    let mut cases = cases.flat_map(|batch| match batch {
        Ok(batch) => batch.cases().into_iter().filter_map(Result::ok).map(Ok).collect::<Vec<_>>(),
        Err(error) => vec![Err(error)],
    });
    for (number, line) in (1..).zip(results.lines()) {
        let line = line.map_err(|error| VerifyError::Results { line: number, reason: error.to_string() })?;
        if line.trim().is_empty() {
            continue;
        }
        let recorded = parse(&line, number)?;
        let id = recorded.get("id").and_then(Json::as_str).ok_or_else(|| not_a_result(number))?.to_owned();
        let Some(case) = cases.next().transpose()? else {
            verdict.differs(id, None, "the cases end before the results".to_owned());
            break;
        };
        if case.id != id {
            verdict.differs(id, None, format!("the case at this place is `{}`", case.id));
            break;
        }
        verdict.cases += 1;
        verdict.hold(&recorded, case, plan, number)?;
    }
    if verdict.different == 0
        && let Some(case) = cases.next().transpose()?
    {
        verdict.differs(case.id, None, "the case has no result".to_owned());
    }
    Ok(verdict)
}

impl Verdict {
    /// Whether everything agrees.
    pub fn agrees(&self) -> bool {
        self.different == 0
    }

    fn differs(&mut self, id: String, metric: Option<&str>, reason: String) {
        self.different += 1;
        if self.disagreements.len() < KEPT {
            self.disagreements.push(Disagreement { id, metric: metric.map(str::to_owned), reason });
        }
    }

    fn hold(&mut self, recorded: &Json, case: Case, plan: &Plan, line: u64) -> Result<(), VerifyError> {
        let scores = recorded.get("scores").and_then(Json::as_object).ok_or_else(|| not_a_result(line))?;
        let result = plan.score(case, &mut Readings::default(), &NoRules, &Nobody);
        let again = serde_json::to_value(result.line(plan.infos()))
            .map_err(|error| VerifyError::Results { line, reason: error.to_string() })?;
        for (name, score) in scores {
            self.scores += 1;
            match again["scores"].get(name) {
                None => {
                    self.differs(result.case.id.clone(), Some(name), "the metric was not computed again".to_owned());
                }
                Some(now) if now == score => {}
                Some(now) => self.differs(result.case.id.clone(), Some(name), difference(score, now)),
            }
            for evidence in score.get("evidence").and_then(Json::as_array).into_iter().flatten() {
                self.check_spans(&result.case, name, evidence);
            }
        }
        Ok(())
    }

    fn check_spans(&mut self, case: &Case, metric: &str, evidence: &Json) {
        let Ok(evidence) = serde_json::from_value::<Evidence>(evidence.clone()) else {
            return self.differs(case.id.clone(), Some(metric), format!("this is no evidence: {evidence}"));
        };
        if let Some(place) = &evidence.place {
            self.spans += 1;
            match slice(case, place) {
                Some(text) if evidence.quotes(text) => {}
                Some(text) => self.differs(
                    case.id.clone(),
                    Some(metric),
                    format!("the evidence says {:?}, but at its place stands {text:?}", evidence.text),
                ),
                None => {
                    self.differs(
                        case.id.clone(),
                        Some(metric),
                        format!("a span points outside of the text: {place:?}"),
                    );
                }
            }
        }
        if let Some(place) = &evidence.support {
            self.spans += 1;
            if slice(case, place).is_none() {
                self.differs(case.id.clone(), Some(metric), format!("a span points outside of the text: {place:?}"));
            }
        }
    }
}

fn slice<'a>(case: &'a Case, place: &Place) -> Option<&'a str> {
    case.words_at(place)
}

/// The first thing in which two scores differ, in a few words.
fn difference(recorded: &Json, now: &Json) -> String {
    for key in ["value", "label", "not_applicable", "error", "parts"] {
        if recorded.get(key) != now.get(key) {
            let show = |value: Option<&Json>| value.map_or_else(|| "nothing".to_owned(), Json::to_string);
            return format!("`{key}` is {} in the file and {} now", show(recorded.get(key)), show(now.get(key)));
        }
    }
    "the evidence differs".to_owned()
}
