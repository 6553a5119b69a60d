//! Gates: limits that a run has to keep.
//!
//! | gate | fails if |
//! |---|---|
//! | [`Gate::Mean`] | the mean of a metric is on the wrong side of its limit |
//! | [`Gate::Quantile`] | a quantile is: the value that a share of the scored cases does not exceed |
//! | [`Gate::Any`] | a single scored case is: `any x < 0.5` is a least value for every case |
//! | [`Gate::PassRate`] | too small a share of the scored cases is on the right side of a threshold |
//! | [`Gate::Labels`] | too many, or too few, of the scored cases have a label |
//! | [`Gate::NotWorse`] | the run is worse than its baseline by more than a margin; decided case by case while the run goes on |
//!
//! A gate on the run says nothing about single cases: only [`Gate::Any`] makes a case fail, and renderers that speak of
//! cases (`JUnit`, HTML) follow it. A case that is excused is meant to be bad: it fails no such gate, but counts as it is
//! in means, rates and labels. Where a case has several outputs, means and shares are over cases, each averaged over its
//! outputs, and so are their intervals. A label `unsure` is counted apart: shares of other labels are among what was decided.
//! [`Gate::unsure_over`] limits how often a metric abstains; without such a limit a verdict about a metric that abstained in more
//! than half of the cases carries a warning. A metric without a single scored case misses its gate, because no score is not a
//! good score.
//!
//! [`Gates::confident`] lets a gate fail only where the interval of what it looks at excludes the limit,
//! [`Gates::in_each_group`] holds every group of a run against the gates as well.

mod read;
mod verdict;

use std::fmt;

use probare_core::{MetricInfo, Outcome, UNSURE, closest};
use serde::{Deserialize, Serialize};
use serde_json::{Value as Json, json};

pub use self::read::GateError;
pub use self::verdict::{GateVerdict, listed_verdicts};

use self::verdict::GateStatistics;

use crate::Summary;
use crate::number::percent;
use crate::summary::CaseMeans;

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
    fn limits_unsure(&self) -> bool {
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
    fn text(self, limit: f64) -> String {
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

/// A gate, and where it was set, where that is known.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct GateWithOrigin {
    pub(crate) gate: Gate,
    pub(crate) origin: Option<GateOrigin>,
}

/// All gates of a run, and how strict they are.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Gates {
    list: Vec<GateWithOrigin>,
    confident: bool,
    each_group: bool,
}

impl Gates {
    /// These gates, in this order, for the run as a whole and by the numbers as they are.
    pub fn new(list: Vec<Gate>) -> Self {
        let list = list.into_iter().map(|gate| GateWithOrigin { gate, origin: None }).collect();
        Self { list, confident: false, each_group: false }
    }

    /// Where each of them was set, in their order.
    #[must_use]
    pub fn set_by(mut self, origins: impl IntoIterator<Item = Option<GateOrigin>>) -> Self {
        self.list.iter_mut().zip(origins).for_each(|(limit, origin)| limit.origin = origin);
        self
    }

    /// Whether a gate fails only if the interval at 95 % excludes the limit. What has no interval, such as a single case or
    /// a number of labels, is taken as it is.
    #[must_use]
    pub fn confident(self, confident: bool) -> Self {
        Self { confident, ..self }
    }

    /// Whether the gates on means, quantiles, rates and labels hold for each group of the run, too.
    #[must_use]
    pub fn in_each_group(self, each_group: bool) -> Self {
        Self { each_group, ..self }
    }

    /// These gates and further ones, as strict as either of them.
    #[must_use]
    pub fn join(mut self, other: Self) -> Self {
        self.list.extend(other.list);
        Self { confident: self.confident || other.confident, each_group: self.each_group || other.each_group, ..self }
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// The gates in order.
    pub fn iter(&self) -> impl Iterator<Item = &Gate> {
        self.list.iter().map(|limit| &limit.gate)
    }

    /// The gates in order, each with where it was set, as data.
    pub fn to_json(&self) -> Json {
        self.list.iter().map(|limit| json!({"gate": limit.gate, "origin": limit.origin})).collect()
    }

    /// The gates that hold for each group, too.
    pub(crate) fn group_gates(&self) -> impl Iterator<Item = &GateWithOrigin> {
        // No case of any group fails where no case of the run does.
        self.list.iter().filter(|limit| self.each_group && !matches!(limit.gate, Gate::Any { .. }))
    }

    /// The gates by which a single case with this value fails.
    pub fn failing_case<'a>(&'a self, metric: &'a str, value: f64) -> impl Iterator<Item = &'a Gate> {
        self.iter().filter(move |gate| gate.metric() == metric && gate.fails_case(value))
    }

    /// Fails when a gate names a metric that the run does not have, and where gates are to hold in groups of which there
    /// are none: better before the run than after it.
    pub fn check(&self, metrics: &[MetricInfo], has_groups: bool) -> Result<(), GateError> {
        let known = || metrics.iter().map(|metric| metric.name.as_str());
        if let Some(limit) = self.list.iter().find(|limit| known().all(|name| name != limit.gate.metric())) {
            let similar = closest(limit.gate.metric(), known());
            return Err(GateError::unknown_metric(&limit.gate, limit.origin.as_ref(), similar));
        }
        let describes =
            |gate: &&Gate| metrics.iter().any(|metric| metric.name == gate.metric() && metric.is_descriptive);
        if let Some(gate) = self.iter().find(describes) {
            return Err(GateError::descriptive(gate.metric()));
        }
        if self.each_group && !has_groups { Err(GateError::NoGroups) } else { Ok(()) }
    }

    /// Holds a run against all gates, and then its groups. The summary has to be one that counts for them, see
    /// [`Summary::new`].
    pub fn verdicts(&self, summary: &Summary) -> Vec<GateVerdict> {
        // Nobody has said how often the metric may abstain.
        let is_open = |gate: &Gate| !self.iter().any(|other| other.limits_unsure() && other.metric() == gate.metric());
        let of = |limit: &GateWithOrigin, seen: &GateStatistics<'_>| {
            let verdict = GateVerdict::evaluate(limit, seen, self.confident);
            GateVerdict { abstained: verdict.is_mostly_unsure() && is_open(&limit.gate), ..verdict }
        };
        let whole = self.list.iter().map(|limit| of(limit, &GateStatistics::of_run(&limit.gate, summary)));
        let groups = summary.groups.iter().flat_map(|groups| groups.with_names().map(move |named| (groups, named)));
        let apart = groups.flat_map(|(groups, (name, group))| {
            self.group_gates().filter_map(move |limit| {
                let seen = GateStatistics::of_group(&limit.gate, summary, groups, group)?;
                Some(GateVerdict { group: Some(name.to_owned()), ..of(limit, &seen) })
            })
        });
        whole.chain(apart).collect()
    }
}

/// What a gate counts while the run goes on.
#[derive(Debug, Clone, Default)]
pub(crate) struct GateCounts {
    /// Cases that fail a gate on single cases, that are on the wrong side of a quantile's limit, that pass at a threshold,
    /// or that have the label.
    pub(crate) cases: u64,
    /// Cases that would fail but are excused.
    pub(crate) excused: u64,
    /// The value of the case that is furthest on the wrong side.
    pub(crate) worst: Option<f64>,
    /// The share of those that count, several outputs of a case being averaged within it.
    pub(crate) shares: CaseMeans,
}

impl GateCounts {
    pub(crate) fn new(is_clustered: bool) -> Self {
        Self { shares: CaseMeans::new(is_clustered), ..Self::default() }
    }

    /// Takes in a scored output, and says whether it counts, where a share is asked for and the output can have it. What a
    /// metric is unsure about has no other label: it is neither for nor against a gate on labels.
    pub(crate) fn add(&mut self, gate: &Gate, outcome: &Outcome, is_excused: bool) -> Option<bool> {
        let value = outcome.score().map(|score| score.value.get());
        let counts = match gate {
            Gate::Mean { .. } | Gate::NotWorse { .. } => return None,
            Gate::Any { relation, limit, .. } => {
                let value = value?;
                if !relation.holds(value, *limit) {
                    return None;
                }
                if is_excused {
                    self.excused += 1;
                    return None;
                }
                let is_under = matches!(relation, Relation::Under | Relation::AtMost);
                let further = |worst: f64| if is_under { worst.min(value) } else { worst.max(value) };
                self.worst = Some(self.worst.map_or(value, further));
                self.cases += 1;
                return None;
            }
            Gate::Quantile { relation, limit, .. } | Gate::PassRate { relation, limit, .. } => {
                relation.holds(value?, *limit)
            }
            Gate::Labels { .. } if matches!(outcome, Outcome::NotApplicable { .. }) => return None,
            Gate::Labels { label, .. } if outcome.label() == Some(UNSURE) && label != UNSURE => return None,
            Gate::Labels { label, .. } => outcome.label() == Some(label),
        };
        self.cases += u64::from(counts);
        Some(counts)
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::metrics;

    use super::*;

    #[test]
    fn only_gates_on_single_cases_fail_a_case() {
        let all = ["relevance<0.6", "relevance<0.6", "relevance>=0.6:0.5", "relevance:FAIL>0"];
        let gates = Gates::new(vec![
            Gate::fail_if(all[0]).unwrap(),
            Gate::fail_if_any(all[1]).unwrap(),
            Gate::fail_pass_rate(all[2]).unwrap(),
            Gate::fail_labels(all[3]).unwrap(),
        ]);
        assert_eq!(gates.failing_case("relevance", 0.5).count(), 1);
        assert_eq!(gates.failing_case("relevance", 0.6).count(), 0);
        assert_eq!(gates.failing_case("other", 0.5).count(), 0);
        assert_eq!(gates.check(&metrics(), false), Ok(()));
    }

    #[test]
    fn every_gate_is_read_back_from_json() {
        let gates = vec![
            Gate::fail_under("relevance=0.7").unwrap(),
            Gate::fail_quantile("relevance@10%<0.3").unwrap(),
            Gate::fail_if_any("relevance<=0.1").unwrap(),
            Gate::fail_pass_rate("relevance>=0.5:90%").unwrap(),
            Gate::fail_labels("verdict:FAIL>0").unwrap(),
            Gate::fail_labels("verdict:FAIL>=10%").unwrap(),
        ];
        let json = serde_json::to_string(&gates).unwrap();
        insta::assert_snapshot!(json, @r#"[{"kind":"mean","metric":"relevance","relation":"<","limit":0.7},{"kind":"quantile","metric":"relevance","quantile":0.1,"relation":"<","limit":0.3},{"kind":"any","metric":"relevance","relation":"<=","limit":0.1},{"kind":"pass_rate","metric":"relevance","relation":">=","limit":0.5,"share":0.9},{"kind":"labels","metric":"verdict","label":"FAIL","of":"count","relation":">","limit":0.0},{"kind":"labels","metric":"verdict","label":"FAIL","of":"share","relation":">=","limit":0.1}]"#);
        assert_eq!(serde_json::from_str::<Vec<Gate>>(&json).unwrap(), gates);
        let words: Vec<String> = gates.iter().map(ToString::to_string).collect();
        insta::assert_snapshot!(words.join("\n"), @r#"
        relevance < 0.7
        10 % quantile of relevance < 0.3
        any relevance <= 0.1
        relevance >= 0.5 in less than 90 %
        verdict: FAIL > 0
        verdict: FAIL >= 10 %
        "#);
    }
}
