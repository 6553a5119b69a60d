//! [`CaseTable`]: which outputs belong to the same case, and the means of each case so far, in memory that does not grow.
//!
//! A case may have several outputs: of one model (repeats), of several models, or both. They say how steady the answers to
//! one question are, not how a system does on other questions, so they are averaged within their case before anything is
//! said about cases. Outputs of a case usually come one after the other; in a file they may stand anywhere.

use std::hash::BuildHasher;

use probare_core::CaseResult;
use probare_stats::updated_mean;
use rustc_hash::{FxBuildHasher, FxHashMap};
use serde::{Deserialize, Serialize};

/// Cases that are remembered, so that a later output finds them. Of more only the last one is, which is enough where the
/// outputs of a case come one after the other.
const REMEMBERED: usize = 1 << 18;

/// Numbers that are remembered, over all columns.
const NUMBERS: usize = 1 << 21;

/// The mean of a case in a column before an output was taken in, and after.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct MeanUpdate {
    pub(super) before: Option<f64>,
    pub(super) after: f64,
}

/// What was counted of cases.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct CaseCounts {
    cases: u64,
    /// Model and repeat of all outputs, as a hash, where they are all the same.
    seat: Option<u64>,
    is_scattered: bool,
}

/// Cases with the means of their outputs: one column for each metric, and one for each limit that counts.
#[expect(clippy::struct_excessive_bools, reason = "each is a fact about the run of its own")]
#[derive(Debug, Clone, Default)]
pub(super) struct CaseTable {
    columns: usize,
    cases: u64,
    /// The last case of an id, by the hash of the id.
    places: FxHashMap<u64, usize>,
    remembered: Vec<RememberedCase>,
    /// Mean and number of the values of each case and column.
    means: Vec<(f64, u32)>,
    /// Model and repeat of the first output of all.
    first: Option<u64>,
    /// Whether cases were forgotten for want of room.
    is_full: bool,
    is_mixed: bool,
    is_scattered: bool,
    /// Whether every output is a case of its own.
    is_over_outputs: bool,
}

#[derive(Debug, Clone, Copy)]
struct RememberedCase {
    id: u64,
    /// Model and repeat of its first output: when they come again, another case of the same id begins.
    seat: u64,
    cluster: u32,
}

impl CaseTable {
    pub(super) fn new(columns: usize) -> Self {
        Self { columns, ..Self::default() }
    }

    /// The same, with every output as a case of its own where that is asked for.
    pub(super) const fn over_outputs(mut self, is_over_outputs: bool) -> Self {
        self.is_over_outputs = is_over_outputs;
        self
    }

    /// Whether every output is a case of its own.
    pub(super) const fn is_over_outputs(&self) -> bool {
        self.is_over_outputs
    }

    /// Cases so far.
    pub(super) const fn cases(&self) -> u64 {
        self.cases
    }

    /// Whether an output may belong to a case that is no longer remembered: then nothing is known about cases.
    pub(super) const fn is_scattered(&self) -> bool {
        self.is_scattered
    }

    /// Says that nothing is known about cases.
    pub(super) const fn scatter(&mut self) {
        self.is_scattered = true;
    }

    /// What another table has to know of this one.
    pub(super) const fn counts(&self) -> CaseCounts {
        let seat = if self.is_mixed { None } else { self.first };
        CaseCounts { cases: self.cases, seat, is_scattered: self.is_scattered }
    }

    /// Takes in cases that were counted elsewhere. Where outputs differ in model or repeat, some of a case may be here and
    /// some there.
    pub(super) fn absorb(&mut self, other: &CaseCounts) {
        if other.cases == 0 {
            return;
        }
        let is_alone = self.cases == 0;
        let is_alike = other.seat.is_some() && !self.is_mixed && self.first == other.seat;
        self.is_scattered |= other.is_scattered || !(is_alone || is_alike);
        self.is_mixed |= other.seat.is_none() || !(is_alone || is_alike);
        self.first = self.first.or(other.seat).or(Some(0));
        self.cases += other.cases;
    }

    /// The place and the cluster of the case that an output belongs to.
    pub(super) fn locate_case(&mut self, result: &CaseResult, cluster: impl FnOnce() -> u32) -> (usize, u32) {
        let id = FxBuildHasher.hash_one(&result.case.id);
        let seat = FxBuildHasher.hash_one((&result.model, &result.prompt, result.repeat));
        let first = *self.first.get_or_insert(seat);
        self.is_mixed |= seat != first;
        if let Some(at) = self.places.get(&id).copied()
            && self.remembered[at].seat != seat
        {
            if !self.is_over_outputs {
                return (at, self.remembered[at].cluster);
            }
            // Outputs of one case are not independent of each other.
            self.is_scattered = true;
        }
        self.is_scattered |= self.is_full && seat != first;
        let cluster = cluster();
        (self.begin(RememberedCase { id, seat, cluster }), cluster)
    }

    /// Begins a case. The last place is always that of the case which began last.
    fn begin(&mut self, case: RememberedCase) -> usize {
        self.cases += 1;
        let room = REMEMBERED.min(NUMBERS / self.columns.max(1)).max(1);
        if self.remembered.len() >= room {
            self.is_full = true;
            if let Some(forgotten) = self.remembered.pop()
                && self.places.get(&forgotten.id) == Some(&self.remembered.len())
            {
                self.places.remove(&forgotten.id);
            }
            self.means.truncate(self.remembered.len() * self.columns);
        }
        let at = self.remembered.len();
        self.remembered.push(case);
        self.means.resize(self.means.len() + self.columns, (0.0, 0));
        self.places.insert(case.id, at);
        at
    }

    /// Takes in a value of an output.
    pub(super) fn add_value(&mut self, at: usize, column: usize, value: f64) -> MeanUpdate {
        let (mean, count) = &mut self.means[at * self.columns + column];
        let before = (*count > 0).then_some(*mean);
        *count = count.saturating_add(1);
        *mean = updated_mean(*mean, value, *count);
        MeanUpdate { before, after: *mean }
    }

    /// Forgets all cases, which nobody asks for any more; what was counted stays.
    pub(super) fn close(&mut self) {
        (self.places, self.remembered, self.means) = Default::default();
        self.is_full = true;
    }
}

#[cfg(test)]
mod tests {
    use probare_core::Case;

    use super::*;

    fn output(id: &str, model: Option<&str>, repeat: u32) -> CaseResult {
        let case = Case { id: id.to_owned(), ..Case::default() };
        CaseResult { model: model.map(str::to_owned), repeat, ..CaseResult::new(case, Vec::new()) }
    }

    fn places(outputs: &[(&str, Option<&str>, u32)]) -> (Vec<usize>, CaseTable) {
        let mut table = CaseTable::new(1);
        let places =
            outputs.iter().map(|(id, model, repeat)| table.locate_case(&output(id, *model, *repeat), || 0).0).collect();
        (places, table)
    }

    #[test]
    fn outputs_find_their_case_wherever_they_stand() {
        let (found, table) = places(&[("a", None, 0), ("b", None, 0), ("a", None, 1), ("b", None, 1), ("a", None, 2)]);
        assert_eq!((found, table.cases(), table.is_mixed), (vec![0, 1, 0, 1, 0], 2, true));
        let (found, table) = places(&[("a", Some("m"), 0), ("a", Some("n"), 0), ("b", Some("m"), 0)]);
        assert_eq!((found, table.cases()), (vec![0, 0, 1], 2));
    }

    #[test]
    fn an_id_that_stands_there_again_is_another_case() {
        let (found, table) = places(&[("a", None, 0), ("a", None, 1), ("a", None, 0), ("a", None, 1)]);
        assert_eq!((found, table.cases()), (vec![0, 0, 1, 1], 2));
        let (found, table) = places(&[("a", None, 0), ("a", None, 0)]);
        assert_eq!((found, table.cases(), table.is_mixed), (vec![0, 1], 2, false));
    }

    #[test]
    fn outputs_that_count_for_themselves_are_cases_without_intervals() {
        let mut table = CaseTable::new(1).over_outputs(true);
        let mut place = |id, repeat| table.locate_case(&output(id, None, repeat), || 0).0;
        assert_eq!([place("a", 0), place("b", 0), place("a", 1)], [0, 1, 2]);
        assert_eq!((table.cases(), table.is_scattered()), (3, true));
    }

    #[test]
    fn memory_is_bounded_and_what_cannot_be_told_is_said() {
        let mut table = CaseTable::new(NUMBERS);
        for number in 0..3 {
            for repeat in 0..2 {
                table.locate_case(&output(&number.to_string(), None, repeat), || 0);
            }
        }
        // One case has room at a time, which is enough for outputs that come one after the other.
        assert_eq!((table.cases(), table.is_scattered()), (3, false));
        table.locate_case(&output("0", None, 2), || 0);
        assert!(table.is_scattered());
    }

    #[test]
    fn values_that_agree_have_their_own_mean() {
        let mut table = CaseTable::new(1);
        let (at, _) = table.locate_case(&output("a", None, 0), || 0);
        assert_eq!(table.add_value(at, 0, 0.1), MeanUpdate { before: None, after: 0.1 });
        for _ in 0..9 {
            assert_eq!(table.add_value(at, 0, 0.1), MeanUpdate { before: Some(0.1), after: 0.1 });
        }
        let moved = table.add_value(at, 0, 1.2);
        assert!((moved.after - 0.2).abs() < 1e-15, "{moved:?}");
    }
}
