//! [`Gate`]: one limit that a run has to keep.

use std::fmt;

use probare_core::UNSURE;
use serde::{Deserialize, Serialize};

use crate::number::percent;

/// How a number stands to a limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Relation {
    /// Under the limit.
    #[serde(rename = "<")]
    Under,
    /// At the limit or under it.
    #[serde(rename = "<=")]
    AtMost,
    /// Over the limit.
    #[serde(rename = ">")]
    Over,
    /// At the limit or over it.
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

    /// Whether the value stands so to the limit.
    pub fn holds(self, value: f64, limit: f64) -> bool {
        match self {
            Self::Under => value < limit,
            Self::AtMost => value <= limit,
            Self::Over => value > limit,
            Self::AtLeast => value >= limit,
        }
    }
}

/// How labels are counted.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LabelUnit {
    /// As a number of cases.
    #[default]
    Count,
    /// As a share of the scored cases.
    Share,
}

/// One limit.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case", deny_unknown_fields)]
pub enum Gate {
    /// Fails if the mean of all scored cases stands in this relation to the limit.
    Mean {
        /// Name of the metric in the run.
        metric: String,
        /// When it fails.
        relation: Relation,
        limit: f64,
    },
    /// Fails if the quantile stands in this relation to the limit: the least value that at least this share of the scored
    /// cases does not exceed. Whether it does follows from counting the cases on the wrong side, so no value is kept.
    Quantile {
        /// Name of the metric in the run.
        metric: String,
        /// Which quantile, from 0 to 1.
        quantile: f64,
        /// When it fails.
        relation: Relation,
        limit: f64,
    },
    /// Fails if any scored case that is not excused has a value in this relation to the limit.
    Any {
        /// Name of the metric in the run.
        metric: String,
        /// When a case fails.
        relation: Relation,
        limit: f64,
    },
    /// Fails if less than this share of the scored cases has a value in this relation to the limit.
    PassRate {
        /// Name of the metric in the run.
        metric: String,
        /// When a case passes.
        relation: Relation,
        limit: f64,
        /// The share that has to pass, from 0 to 1.
        share: f64,
    },
    /// Fails if the number, or share, of scored cases with this label stands in this relation to the limit.
    Labels {
        /// Name of the metric in the run.
        metric: String,
        /// The label, letter by letter.
        label: String,
        /// Number or share.
        of: LabelUnit,
        /// When it fails.
        relation: Relation,
        limit: f64,
    },
    /// Fails unless the mean is worse than that of the baseline, case by case, by at most this much.
    NotWorse {
        /// Name of the metric in the run.
        metric: String,
        /// Accepted loss, in units of the metric.
        margin: f64,
    },
}

impl Gate {
    /// Fails if the metric abstains from more than this share of the scored cases.
    pub fn unsure_over(metric: &str, share: f64) -> Self {
        let (metric, label) = (metric.to_owned(), UNSURE.to_owned());
        Self::Labels { metric, label, of: LabelUnit::Share, relation: Relation::Over, limit: share }
    }

    /// Whether it limits how often a metric abstains.
    pub(super) fn limits_unsure(&self) -> bool {
        matches!(self, Self::Labels { label, .. } if label == UNSURE)
    }

    /// Name of the metric in the run.
    pub fn metric(&self) -> &str {
        match self {
            Self::Mean { metric, .. }
            | Self::Quantile { metric, .. }
            | Self::Any { metric, .. }
            | Self::PassRate { metric, .. }
            | Self::Labels { metric, .. }
            | Self::NotWorse { metric, .. } => metric,
        }
    }

    /// Whether a single case with this value fails by it. Gates on the run fail no case.
    pub fn fails_case(&self, value: f64) -> bool {
        match self {
            Self::Any { relation, limit, .. } => relation.holds(value, *limit),
            Self::Mean { .. }
            | Self::Quantile { .. }
            | Self::PassRate { .. }
            | Self::Labels { .. }
            | Self::NotWorse { .. } => false,
        }
    }
}

impl fmt::Display for Gate {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Mean { metric, relation, limit } => write!(formatter, "{metric} {} {limit}", relation.sign()),
            Self::Quantile { metric, quantile, relation, limit } => {
                write!(formatter, "{} quantile of {metric} {} {limit}", percent(*quantile), relation.sign())
            }
            Self::Any { metric, relation, limit } => write!(formatter, "any {metric} {} {limit}", relation.sign()),
            Self::PassRate { metric, relation, limit, share } => {
                write!(formatter, "{metric} {} {limit} in less than {}", relation.sign(), percent(*share))
            }
            Self::Labels { metric, label, of, relation, limit } => {
                write!(formatter, "{metric}: {label} {} {}", relation.sign(), of.text(*limit))
            }
            Self::NotWorse { metric, margin } => write!(formatter, "{metric} worse by more than {margin}"),
        }
    }
}

impl LabelUnit {
    /// A limit as a reader writes it.
    pub(super) fn text(self, limit: f64) -> String {
        match self {
            Self::Count => limit.to_string(),
            Self::Share => percent(limit),
        }
    }
}

/// Where a gate was set.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum GateOrigin {
    /// A flag of the command line.
    Flag(String),
    /// A variable of the environment.
    Variable(String),
    /// A configuration file, by its path.
    Configuration(String),
}

impl fmt::Display for GateOrigin {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Flag(name) | Self::Variable(name) | Self::Configuration(name) => formatter.write_str(name),
        }
    }
}
