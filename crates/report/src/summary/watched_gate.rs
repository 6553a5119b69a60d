//! Counts the outputs of a run for its means and for its gates.

use probare_core::{CaseResult, MetricInfo};

use super::case_means::CaseMeans;
use super::case_table::CaseTable;
use crate::Gate;
use crate::gate::GateCounts;
use crate::status::score;

/// A gate, and where its metric stands in the run.
#[derive(Debug, Clone)]
pub(super) struct WatchedGate {
    pub(super) gate: Gate,
    metric: Option<usize>,
}

impl WatchedGate {
    pub(super) fn new(gate: &Gate, metrics: &[MetricInfo]) -> Self {
        let metric = metrics.iter().position(|metric| metric.name == gate.metric());
        Self { gate: gate.clone(), metric }
    }
}

/// Takes an output into the means of its case, and into what gates count. Gives the cluster of the case.
pub(super) fn take_in<'a>(
    table: &mut CaseTable,
    result: &CaseResult,
    cluster: impl FnOnce() -> u32,
    means: impl Iterator<Item = &'a mut CaseMeans>,
    gates: impl Iterator<Item = (&'a WatchedGate, &'a mut GateCounts)>,
) -> u32 {
    let (at, cluster) = table.locate_case(result, cluster);
    let mut columns = 0;
    for (column, means) in means.enumerate() {
        columns = column + 1;
        if let Some(score) = result.results.get(column).and_then(score) {
            means.update(table.add_value(at, column, score.value.get()), cluster);
        }
    }
    for (number, (WatchedGate { gate, metric }, tally)) in gates.enumerate() {
        let found = metric.and_then(|at| result.results.get(at)).and_then(|found| found.as_ref().ok());
        let holds = found.and_then(|outcome| tally.add(gate, outcome, result.excused.is_some()));
        if let Some(holds) = holds {
            tally.shares.update(table.add_value(at, columns + number, f64::from(holds)), cluster);
        }
    }
    cluster
}
