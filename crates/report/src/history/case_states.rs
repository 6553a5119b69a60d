//! [`CaseStateHistory`]: for each case and metric, whether it was good or bad in each run.

use std::collections::HashMap;

use probare_core::MetricInfo;
use serde::Serialize;

/// How a case did by a metric in a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum CaseState {
    /// All outputs lie in the better half of the range.
    Good,
    /// All outputs lie in the worse half.
    Bad,
    /// Some do and some do not.
    Mixed,
}

impl CaseState {
    /// By how many outputs of all are good.
    pub(super) const fn from_counts(good: usize, all: usize) -> Self {
        match good {
            0 => Self::Bad,
            _ if good == all => Self::Good,
            _ => Self::Mixed,
        }
    }

    /// As readers know it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Good => "good",
            Self::Bad => "bad",
            Self::Mixed => "mixed",
        }
    }

    const fn bits(self) -> u64 {
        match self {
            Self::Good => 1,
            Self::Bad => 2,
            Self::Mixed => 3,
        }
    }

    const fn read(bits: u64) -> Option<Self> {
        match bits & 3 {
            1 => Some(Self::Good),
            2 => Some(Self::Bad),
            3 => Some(Self::Mixed),
            _ => None,
        }
    }
}

/// A case that is now good, now bad.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct UnstableCase {
    /// Id of the case.
    pub id: String,
    /// Which case of this id, counted from 0.
    #[serde(skip_serializing_if = "is_zero")]
    pub occurrence: u32,
    /// How often it changed from one run to the next, and in how many runs its outputs disagree.
    pub flips: u32,
    /// How it did in each run that has outputs of this model for this data set, the oldest first; nothing where it was not
    /// scored. At most the last [`MOST`] runs.
    pub states: Vec<Option<CaseState>>,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde hands on a reference")]
const fn is_zero(number: &u32) -> bool {
    *number == 0
}

/// Runs that a trail holds, at two bits each.
pub const MOST: usize = 32;

/// Trails of all cases of one data set and model.
#[derive(Debug, Default)]
pub(super) struct CaseStateHistory {
    runs: usize,
    cases: HashMap<String, Vec<usize>>,
    /// Ids and occurrences by number.
    named: Vec<(String, u32)>,
    metrics: Vec<String>,
    /// For each metric the trail of each case: the last run stands in the lowest bits.
    states: Vec<Vec<u64>>,
    /// Columns of the metrics of the run that is taken in.
    columns: Vec<usize>,
}

impl CaseStateHistory {
    /// Begins with the next run.
    pub fn begin(&mut self, metrics: &[MetricInfo]) {
        self.runs += 1;
        for trail in self.states.iter_mut().flatten() {
            *trail <<= 2;
        }
        self.columns.clear();
        for metric in metrics {
            let known = self.metrics.iter().position(|name| *name == metric.name);
            self.columns.push(known.unwrap_or_else(|| {
                self.metrics.push(metric.name.clone());
                self.states.push(Vec::new());
                self.metrics.len() - 1
            }));
        }
    }

    /// The number of a case.
    pub fn case(&mut self, id: &str, occurrence: u32) -> usize {
        let at = usize::try_from(occurrence).unwrap_or(usize::MAX);
        if let Some(number) = self.cases.get(id).and_then(|numbers| numbers.get(at)) {
            return *number;
        }
        let number = self.named.len();
        self.named.push((id.to_owned(), occurrence));
        // Occurrences of an id come one after the other.
        self.cases.entry(id.to_owned()).or_default().push(number);
        number
    }

    /// Notes how a case did by a metric of the run.
    pub fn note(&mut self, metric: usize, case: usize, state: CaseState) {
        let trails = &mut self.states[self.columns[metric]];
        if trails.len() <= case {
            trails.resize(case + 1, 0);
        }
        trails[case] |= state.bits();
    }

    /// How many cases changed by a metric, and those that did so most often.
    pub fn unstable(&self, metric: &str, most: usize) -> (u64, Vec<UnstableCase>) {
        let Some(column) = self.metrics.iter().position(|name| name == metric) else { return (0, Vec::new()) };
        let runs = self.runs.min(MOST);
        let states = |trail: u64| (0..runs).rev().map(move |back| CaseState::read(trail >> (2 * back)));
        let flips = |trail: u64| {
            let mut before = None;
            let mut count = 0;
            for state in states(trail).flatten() {
                count += u32::from(state == CaseState::Mixed || before.is_some_and(|before| before != state));
                before = Some(state);
            }
            count
        };
        let mut found: Vec<(u32, usize)> = (self.states[column].iter().enumerate())
            .map(|(case, trail)| (flips(*trail), case))
            .filter(|(flips, _)| *flips > 0)
            .collect();
        found.sort_by(|left, right| right.0.cmp(&left.0).then_with(|| self.named[left.1].cmp(&self.named[right.1])));
        let count = found.len() as u64;
        let to_case = |(flips, case): (u32, usize)| {
            let (id, occurrence) = self.named[case].clone();
            UnstableCase { id, occurrence, flips, states: states(self.states[column][case]).collect() }
        };
        (count, found.into_iter().take(most).map(to_case).collect())
    }
}
