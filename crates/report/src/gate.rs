//! [`Gates`]: the limits that decide whether a run is good enough.
//!
//! A gate says when it *fails*: `relevance=0.7` fails under 0.7, `hallucination>0.2` fails above 0.2. It looks at the
//! mean of a metric; renderers that speak of single cases (`JUnit`, HTML) hold every value against the same limit. A metric
//! without a single scored case misses its gate, because no score is not a good score.

use std::fmt;
use std::str::FromStr;

use probare_core::{MetricInfo, closest};
use serde::{Deserialize, Serialize};

use crate::Summary;
use crate::number::{beside, counted};

/// On which side of its limit a gate fails.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Relation {
    /// Fails under the limit.
    #[serde(rename = "<")]
    Under,
    /// Fails at the limit and under it.
    #[serde(rename = "<=")]
    AtMost,
    /// Fails over the limit.
    #[serde(rename = ">")]
    Over,
    /// Fails at the limit and over it.
    #[serde(rename = ">=")]
    AtLeast,
}

impl Relation {
    /// The sign on the command line.
    pub const fn sign(self) -> &'static str {
        match self {
            Self::Under => "<",
            Self::AtMost => "<=",
            Self::Over => ">",
            Self::AtLeast => ">=",
        }
    }

    fn holds(self, value: f64, limit: f64) -> bool {
        match self {
            Self::Under => value < limit,
            Self::AtMost => value <= limit,
            Self::Over => value > limit,
            Self::AtLeast => value >= limit,
        }
    }
}

/// One limit: the run fails if the mean of `metric` stands in `relation` to `limit`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Gate {
    /// Name of the metric in the run.
    pub metric: String,
    /// When it fails.
    pub relation: Relation,
    /// The limit.
    pub limit: f64,
}

/// A gate could not be understood.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum GateError {
    /// The text does not have the form of a gate.
    #[error("`{text}` is not a gate; expected {expected}")]
    Form {
        /// What was given.
        text: String,
        /// What it should look like.
        expected: &'static str,
    },
    /// The limit is not a number.
    #[error("`{limit}` in `{text}` is not a finite number")]
    Limit {
        /// What was given.
        text: String,
        /// The part that should be a number.
        limit: String,
    },
    /// The run has no metric of that name.
    #[error("the gate `{gate}` names `{metric}`, which is not a metric of this run{}", similar_hint(similar.as_deref()))]
    UnknownMetric {
        /// The gate.
        gate: String,
        /// The name it gives.
        metric: String,
        /// The nearest name that the run has.
        similar: Option<String>,
    },
}

fn similar_hint(similar: Option<&str>) -> String {
    similar.map(|name| format!("; a similar name is `{name}`")).unwrap_or_default()
}

impl Gate {
    /// Reads the argument of `--fail-under`: `METRIC=0.7`.
    pub fn fail_under(text: &str) -> Result<Self, GateError> {
        let form = || GateError::Form { text: text.to_owned(), expected: "METRIC=NUMBER, such as `relevance=0.7`" };
        // The last sign splits, so that a metric may have one in its name.
        let (metric, limit) = text.rsplit_once('=').ok_or_else(form)?;
        Self::new(text, metric, Relation::Under, limit).ok_or_else(form)?
    }

    /// Reads the argument of `--fail-if`: `METRIC>0.2`, with one of `<`, `<=`, `>`, `>=`.
    pub fn fail_if(text: &str) -> Result<Self, GateError> {
        let form = || GateError::Form {
            text: text.to_owned(),
            expected: "METRIC, one of < <= > >=, and NUMBER, such as `hallucination>0.2`",
        };
        let (metric, rest) = text.rsplit_once(['<', '>']).ok_or_else(form)?;
        let sign = &text[metric.len()..text.len() - rest.len()];
        let (relation, limit) = match (sign, rest.strip_prefix('=')) {
            ("<", None) => (Relation::Under, rest),
            ("<", Some(limit)) => (Relation::AtMost, limit),
            (_, None) => (Relation::Over, rest),
            (_, Some(limit)) => (Relation::AtLeast, limit),
        };
        Self::new(text, metric, relation, limit).ok_or_else(form)?
    }

    /// Nothing where the metric or the limit is empty; an error where the limit is not a number.
    fn new(text: &str, metric: &str, relation: Relation, limit: &str) -> Option<Result<Self, GateError>> {
        let (metric, limit) = (metric.trim(), limit.trim());
        if metric.is_empty() || limit.is_empty() {
            return None;
        }
        Some(match limit.parse::<f64>() {
            Ok(number) if number.is_finite() => Ok(Self { metric: metric.to_owned(), relation, limit: number }),
            _ => Err(GateError::Limit { text: text.to_owned(), limit: limit.to_owned() }),
        })
    }

    /// Whether a value is on the wrong side of the limit.
    pub fn is_missed_by(&self, value: f64) -> bool {
        self.relation.holds(value, self.limit)
    }
}

impl fmt::Display for Gate {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{} {} {}", self.metric, self.relation.sign(), self.limit)
    }
}

/// Reads the form of `--fail-if`, which has room for every relation.
impl FromStr for Gate {
    type Err = GateError;

    fn from_str(text: &str) -> Result<Self, GateError> {
        Self::fail_if(text)
    }
}

/// All gates of a run.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Gates(Vec<Gate>);

impl Gates {
    /// These gates, in this order.
    pub const fn new(gates: Vec<Gate>) -> Self {
        Self(gates)
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The gates in order.
    pub fn iter(&self) -> impl Iterator<Item = &Gate> {
        self.0.iter()
    }

    /// The gates on a metric that a single value misses.
    pub fn missed_by<'a>(&'a self, metric: &'a str, value: f64) -> impl Iterator<Item = &'a Gate> {
        self.0.iter().filter(move |gate| gate.metric == metric && gate.is_missed_by(value))
    }

    /// Fails when a gate names a metric that the run does not have: better before the run than after it.
    pub fn check_names(&self, metrics: &[MetricInfo]) -> Result<(), GateError> {
        let known = || metrics.iter().map(|metric| metric.name.as_str());
        match self.0.iter().find(|gate| known().all(|name| name != gate.metric)) {
            None => Ok(()),
            Some(gate) => Err(GateError::UnknownMetric {
                gate: gate.to_string(),
                metric: gate.metric.clone(),
                similar: closest(&gate.metric, known()).map(str::to_owned),
            }),
        }
    }

    /// Holds the means of a run against all gates.
    pub fn verdicts(&self, summary: &Summary) -> Vec<Verdict> {
        self.0
            .iter()
            .map(|gate| {
                let metric = summary.metric(&gate.metric);
                let (scored, not_applicable, failed) =
                    metric.map_or((0, 0, 0), |metric| (metric.scored, metric.not_applicable, metric.failed));
                let mean = metric.and_then(crate::MetricSummary::mean);
                Verdict {
                    gate: gate.clone(),
                    passed: mean.is_some_and(|mean| !gate.is_missed_by(mean)),
                    known: metric.is_some(),
                    mean,
                    scored,
                    not_applicable,
                    failed,
                }
            })
            .collect()
    }
}

/// What became of one gate; its `Display` is one line for the reader.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Verdict {
    /// The gate.
    pub gate: Gate,
    /// Whether the run is good enough in this respect.
    pub passed: bool,
    /// The mean, if any case was scored.
    pub mean: Option<f64>,
    /// Cases in the mean.
    pub scored: u64,
    /// Cases to which the question did not apply.
    pub not_applicable: u64,
    /// Cases that could not be scored.
    pub failed: u64,
    #[serde(skip)]
    known: bool,
}

impl fmt::Display for Verdict {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Gate { metric, relation, limit } = &self.gate;
        let word = if self.passed { "passed" } else { "missed" };
        write!(formatter, "{word}: ")?;
        match self.mean {
            Some(mean) => write!(
                formatter,
                "mean {metric} {} over {}",
                beside(mean, *limit),
                counted(self.scored, "scored case", "scored cases")
            )?,
            None if self.known => write!(formatter, "{metric} has no scored case")?,
            None => write!(formatter, "{metric} is not a metric of this run")?,
        }
        let others: Vec<String> = [(self.not_applicable, "not applicable"), (self.failed, "failed")]
            .into_iter()
            .filter(|(count, _)| *count > 0)
            .map(|(count, what)| format!("{count} {what}"))
            .collect();
        if !others.is_empty() {
            write!(formatter, " ({})", others.join(", "))?;
        }
        write!(formatter, "; fails if {} {limit}", relation.sign())
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::{events, metrics, result};

    use super::*;

    #[test]
    fn gates_are_read_in_both_forms() {
        let gate = |metric: &str, relation, limit| Gate { metric: metric.into(), relation, limit };
        assert_eq!(Gate::fail_under("relevance=0.7"), Ok(gate("relevance", Relation::Under, 0.7)));
        assert_eq!(Gate::fail_under(" a=b = 1 "), Ok(gate("a=b", Relation::Under, 1.0)));
        assert_eq!(Gate::fail_if("hallucination>0.2"), Ok(gate("hallucination", Relation::Over, 0.2)));
        assert_eq!(Gate::fail_if("x >= -1e3"), Ok(gate("x", Relation::AtLeast, -1000.0)));
        assert_eq!(Gate::fail_if("x<1"), Ok(gate("x", Relation::Under, 1.0)));
        assert_eq!("x<=1".parse(), Ok(gate("x", Relation::AtMost, 1.0)));
    }

    #[test]
    fn what_is_no_gate_is_explained() {
        let message = |result: Result<Gate, GateError>| result.unwrap_err().to_string();
        insta::assert_snapshot!(message(Gate::fail_under("relevance")), @"`relevance` is not a gate; expected METRIC=NUMBER, such as `relevance=0.7`");
        insta::assert_snapshot!(message(Gate::fail_under("=0.5")), @"`=0.5` is not a gate; expected METRIC=NUMBER, such as `relevance=0.7`");
        insta::assert_snapshot!(message(Gate::fail_under("relevance=high")), @"`high` in `relevance=high` is not a finite number");
        insta::assert_snapshot!(message(Gate::fail_if("relevance=0.5")), @"`relevance=0.5` is not a gate; expected METRIC, one of < <= > >=, and NUMBER, such as `hallucination>0.2`");
        insta::assert_snapshot!(message(Gate::fail_if("x>NaN")), @"`NaN` in `x>NaN` is not a finite number");
        let gates = Gates::new(vec![Gate::fail_under("relevence=0.5").unwrap()]);
        insta::assert_snapshot!(gates.check_names(&metrics()).unwrap_err(), @"the gate `relevence < 0.5` names `relevence`, which is not a metric of this run; a similar name is `relevance`");
        let gates = Gates::new(vec![Gate::fail_under("relevance=0.5").unwrap()]);
        assert_eq!(gates.check_names(&metrics()), Ok(()));
    }

    #[test]
    fn a_metric_without_a_score_misses_its_gate() {
        let mut summary = Summary::default();
        events(&mut summary, &metrics(), &[result("a", 0.5), result("b", 0.7)]);
        let gates = Gates::new(vec![
            Gate::fail_under("relevance=0.6").unwrap(),
            Gate::fail_under("relevance=0.600001").unwrap(),
            Gate::fail_if("topic_pivot>0.2").unwrap(),
            Gate::fail_if("hallucination>0.2").unwrap(),
            Gate::fail_if("other>0.2").unwrap(),
        ]);
        let verdicts = gates.verdicts(&summary);
        assert_eq!(
            verdicts.iter().map(|verdict| verdict.passed).collect::<Vec<_>>(),
            [true, false, false, false, false]
        );
        let lines: Vec<String> = verdicts.iter().map(ToString::to_string).collect();
        insta::assert_snapshot!(lines.join("\n"), @r#"
        passed: mean relevance 0.6 over 2 scored cases; fails if < 0.6
        missed: mean relevance 0.6 over 2 scored cases; fails if < 0.600001
        missed: topic_pivot has no scored case (2 not applicable); fails if > 0.2
        missed: hallucination has no scored case (2 failed); fails if > 0.2
        missed: other is not a metric of this run; fails if > 0.2
        "#);
    }

    #[test]
    fn a_single_value_is_held_against_the_same_limit() {
        let gates = Gates::new(vec![Gate::fail_under("relevance=0.6").unwrap()]);
        assert_eq!(gates.missed_by("relevance", 0.5).count(), 1);
        assert_eq!(gates.missed_by("relevance", 0.6).count(), 0);
        assert_eq!(gates.missed_by("other", 0.5).count(), 0);
    }
}
