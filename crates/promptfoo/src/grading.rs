//! How the assertions of a test are put together: weights, thresholds, sets, named scores; and `max-score` over the outputs
//! of a test.

use serde_json::{Map, Value};

use crate::assertion::{Answer, Assertion, AssertionResult, Fault, TypeSupport, type_support};
use crate::js;

/// One part of a test's grade, in order; a set is followed by its own parts.
#[derive(Debug, Clone, PartialEq)]
pub struct Part {
    /// The type, with `not-`.
    pub kind: String,
    pub metric: Option<String>,
    /// Whether it passes.
    pub pass: bool,
    pub score: f64,
    /// What a reader should know.
    pub reason: Option<String>,
    /// Where in the text of the answer it was found.
    pub found: Option<std::ops::Range<usize>>,
}

/// The grade of one output.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Grade {
    /// Whether the test passes.
    pub pass: bool,
    pub score: f64,
    /// The parts, in order.
    pub parts: Vec<Part>,
    /// Scores by metric, with the weight behind each and the number of assertions, in order of first mention.
    pub named: Vec<NamedScore>,
    /// Assertions that could not be run, each with its type and the reason. A grade with such assertions is not complete.
    pub not_run: Vec<(String, String)>,
}

/// The score of a named metric in one test.
#[derive(Debug, Clone, PartialEq)]
pub struct NamedScore {
    pub name: String,
    /// Sum of scores times weights, by the sum of weights; 0 where that is 0.
    pub score: f64,
    /// The sum of weights.
    pub weight: f64,
    /// The assertions of that name.
    pub count: usize,
}

/// Why a test has no grade.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum GradeError {
    /// One assertion throws in the original: the whole test is an error.
    Error(String),
    /// The configuration is refused when it is loaded.
    Refused(String),
}

/// Sums while a test or a set is graded.
#[derive(Default)]
struct Sums {
    score: f64,
    weight: f64,
    all_pass: bool,
    named: Vec<NamedScore>,
}

impl Sums {
    fn new() -> Self {
        Self { all_pass: true, ..Self::default() }
    }

    fn add(&mut self, pass: bool, score: f64, weight: f64, metric: Option<&str>) {
        self.score += score * weight;
        self.weight += weight;
        self.all_pass &= pass;
        if let Some(name) = metric {
            self.add_named(name, score * weight, weight, 1);
        }
    }

    fn add_named(&mut self, name: &str, score: f64, weight: f64, count: usize) {
        match self.named.iter_mut().find(|known| known.name == name) {
            Some(known) => {
                known.score += score;
                known.weight += weight;
                known.count += count;
            }
            None => self.named.push(NamedScore { name: name.to_owned(), score, weight, count }),
        }
    }

    fn mean(&self) -> f64 {
        if self.weight > 0.0 { self.score / self.weight } else { 0.0 }
    }

    /// With a threshold nothing else counts.
    fn pass(&self, threshold: Option<f64>) -> bool {
        threshold.map_or(self.all_pass, |threshold| self.mean() >= threshold)
    }

    /// Scores by name, divided by their weights.
    fn named_means(self) -> Vec<NamedScore> {
        let mean = |named: NamedScore| {
            let score = if named.weight == 0.0 { 0.0 } else { named.score / named.weight };
            NamedScore { score, ..named }
        };
        self.named.into_iter().map(mean).collect()
    }
}

/// `metric`, where it is a text.
fn metric(options: &Map<String, Value>) -> Option<&str> {
    options.get("metric").and_then(Value::as_str).filter(|name| !name.is_empty())
}

fn number(options: &Map<String, Value>, key: &str) -> Option<f64> {
    options.get(key).and_then(Value::as_f64)
}

/// Grades an answer by the assertions of a test, whose texts are rendered.
pub fn grade(assertions: &[Value], threshold: Option<f64>, answer: &Answer<'_>) -> Result<Grade, GradeError> {
    grade_with(assertions, threshold, answer, &mut |assertion| assertion.judge(answer))
}

/// The same, with somebody else who may decide an assertion.
pub fn grade_with(
    assertions: &[Value],
    threshold: Option<f64>,
    answer: &Answer<'_>,
    judge: &mut dyn FnMut(&Assertion) -> AssertionResult,
) -> Result<Grade, GradeError> {
    if answer.output.is_null() {
        let not_run = Vec::new();
        return Ok(Grade { pass: false, score: 0.0, not_run, ..Grade::default() });
    }
    if assertions.iter().all(is_across_outputs) {
        return Ok(Grade { pass: true, score: 1.0, ..Grade::default() });
    }
    let (mut sums, mut parts, mut not_run) = (Sums::new(), Vec::new(), Vec::new());
    for entry in assertions.iter().filter(|entry| !is_across_outputs(entry)) {
        let options =
            entry.as_object().ok_or_else(|| GradeError::Refused("an assertion is not an object".to_owned()))?;
        if options.get("type").and_then(Value::as_str) == Some("assert-set") {
            grade_set(options, judge, &mut sums, &mut parts, &mut not_run)?;
        } else {
            grade_one(entry, judge, &mut sums, &mut parts, &mut not_run)?;
        }
    }
    Ok(Grade { pass: sums.pass(threshold), score: sums.mean(), parts, named: sums.named_means(), not_run })
}

/// Whether an assertion is decided over all outputs of a test.
fn is_across_outputs(entry: &Value) -> bool {
    let kind = entry.get("type").and_then(Value::as_str).unwrap_or_default();
    type_support(kind) == TypeSupport::AcrossOutputs
}

type Judge<'a> = dyn FnMut(&Assertion) -> AssertionResult + 'a;

fn grade_one(
    entry: &Value,
    judge: &mut Judge<'_>,
    sums: &mut Sums,
    parts: &mut Vec<Part>,
    not_run: &mut Vec<(String, String)>,
) -> Result<(), GradeError> {
    let assertion = Assertion::from_json(entry).map_err(GradeError::Refused)?;
    let name = metric(&assertion.options);
    match judge(&assertion) {
        Ok(verdict) => {
            sums.add(verdict.pass, verdict.score, assertion.weight(), name);
            parts.push(Part {
                kind: assertion.name(),
                metric: name.map(str::to_owned),
                pass: verdict.pass,
                score: verdict.score,
                reason: verdict.reason,
                found: verdict.found,
            });
            Ok(())
        }
        Err(Fault::NotRun(reason)) => {
            not_run.push((assertion.name(), reason));
            Ok(())
        }
        Err(Fault::Error(reason)) => Err(GradeError::Error(reason)),
    }
}

fn grade_set(
    options: &Map<String, Value>,
    judge: &mut Judge<'_>,
    sums: &mut Sums,
    parts: &mut Vec<Part>,
    not_run: &mut Vec<(String, String)>,
) -> Result<(), GradeError> {
    let entries = options.get("assert").and_then(Value::as_array);
    let entries = entries.ok_or_else(|| GradeError::Refused("`assert-set` has no list `assert`".to_owned()))?;
    if entries.iter().any(|entry| entry.get("type").and_then(Value::as_str) == Some("assert-set")) {
        return Err(GradeError::Refused("a set within a set".to_owned()));
    }
    let (mut inner, mut inner_parts) = (Sums::new(), Vec::new());
    for entry in entries {
        grade_one(entry, judge, &mut inner, &mut inner_parts, not_run)?;
    }
    let weight = number(options, "weight").unwrap_or(1.0);
    let name = metric(options);
    let (pass, score) = (inner.pass(number(options, "threshold")), inner.mean());
    sums.add(pass, score, weight, name);
    for named in inner.named.iter().filter(|named| Some(named.name.as_str()) != name) {
        sums.add_named(&named.name, named.score * weight, named.weight * weight, named.count);
    }
    let (kind, metric) = ("assert-set".to_owned(), name.map(str::to_owned));
    parts.push(Part { kind, metric, pass, score, reason: None, found: None });
    parts.extend(inner_parts);
    Ok(())
}

/// What `max-score` makes of the grades of all outputs of a test: the best one keeps pass and score, the others fail with
/// score 0. The reason where the original ends the whole run.
pub fn max_score(value: Option<&Value>, grades: &mut [Grade]) -> Result<(), String> {
    if grades.len() < 2 {
        return Err("`max-score` needs two outputs of a test at least".to_owned());
    }
    if grades.iter().any(|grade| grade.parts.is_empty()) {
        return Err("`max-score` needs another assertion beside it".to_owned());
    }
    let option = |key: &str| value.and_then(|value| value.get(key));
    let is_sum = option("method").and_then(Value::as_str) == Some("sum");
    let weights = option("weights");
    let weight = |kind: &str| weights.and_then(|weights| weights.get(kind)).map_or(1.0, js::to_number);
    let scores: Vec<f64> = grades
        .iter()
        .map(|grade| {
            let sum: f64 = grade.parts.iter().map(|part| part.score * weight(&part.kind)).sum();
            let total: f64 = grade.parts.iter().map(|part| weight(&part.kind)).sum();
            if is_sum {
                sum
            } else if total > 0.0 {
                sum / total
            } else {
                0.0
            }
        })
        .collect();
    let best = scores.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let winner = scores.iter().position(|score| *score == best);
    let reaches = option("threshold").and_then(Value::as_f64).is_none_or(|threshold| best >= threshold);
    for (index, grade) in grades.iter_mut().enumerate() {
        if Some(index) != winner || !reaches {
            (grade.pass, grade.score) = (false, 0.0);
        }
    }
    Ok(())
}
