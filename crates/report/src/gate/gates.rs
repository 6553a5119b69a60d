//! [`Gates`]: all limits of a run.

use probare_core::{MetricInfo, closest};
use serde_json::{Value as Json, json};

use super::limit::{Gate, GateOrigin};
use super::read::GateError;

/// A gate, and where it was set, where that is known.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct GateWithOrigin {
    pub(crate) gate: Gate,
    pub(crate) origin: Option<GateOrigin>,
}

/// All gates of a run, and how strict they are.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Gates {
    pub(super) list: Vec<GateWithOrigin>,
    pub(super) confident: bool,
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
