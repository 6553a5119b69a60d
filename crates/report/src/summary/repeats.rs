//! [`Repeats`]: several outputs of one model for one case, counted: how many there are and how many pass. pass@k follows.

use std::collections::BTreeMap;

use probare_stats::{pass_all_k, pass_at_k};
use serde::{Serialize, Serializer};

/// Numbers of outputs that pass@k is told for, where every case has so many.
const TOLD: [u64; 8] = [1, 2, 3, 5, 10, 20, 50, 100];

/// Outputs per case, for a metric whose values are all 0 or 1. Results come case by case, so one case is open at a time. Rows
/// with the same id, model and repeat are different cases, as they are in means and intervals.
#[derive(Debug, Clone, Default)]
pub struct Repeats {
    /// Cases by number of outputs and number of those that pass.
    cases: BTreeMap<(u64, u64), u64>,
    open: Option<OpenCase>,
    /// Whether a value is neither 0 nor 1.
    is_graded: bool,
}

#[derive(Debug, Clone)]
struct OpenCase {
    id: String,
    /// Whose outputs they are.
    source: Option<String>,
    /// The repeat of its first output: when it comes again, another case of the same id begins.
    repeat: u32,
    outputs: u64,
    passed: u64,
}

/// The chance that at least one, or all, of `k` outputs pass, averaged over cases.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PassAt {
    /// Number of outputs.
    pub k: u64,
    pub mean: f64,
}

impl Repeats {
    /// Takes in a value of an output.
    pub(super) fn add(&mut self, id: &str, source: Option<&str>, repeat: u32, value: f64) {
        if self.is_graded {
            return;
        }
        if value != 0.0 && value != 1.0 {
            *self = Self { is_graded: true, ..Self::default() };
            return;
        }
        let is_same = |open: &OpenCase| open.id == id && open.source.as_deref() == source && open.repeat != repeat;
        if !self.open.as_ref().is_some_and(is_same) {
            self.close();
            let source = source.map(str::to_owned);
            self.open = Some(OpenCase { id: id.to_owned(), source, repeat, outputs: 0, passed: 0 });
        }
        if let Some(open) = &mut self.open {
            open.outputs += 1;
            open.passed += u64::from(value == 1.0);
        }
    }

    /// Takes in the values of all outputs of a further case.
    pub(crate) fn add_case(&mut self, values: impl Iterator<Item = f64>) {
        self.close();
        let (mut outputs, mut passed) = (0, 0);
        for value in values {
            self.is_graded |= value != 0.0 && value != 1.0;
            outputs += 1;
            passed += u64::from(value == 1.0);
        }
        if self.is_graded {
            self.cases.clear();
        } else {
            *self.cases.entry((outputs, passed)).or_default() += 1;
        }
    }

    fn close(&mut self) {
        if let Some(open) = self.open.take() {
            *self.cases.entry((open.outputs, open.passed)).or_default() += 1;
        }
    }

    /// pass@k for every k that is told and that all cases have outputs for; nothing where no case has several.
    pub fn pass_at(&self) -> Vec<PassAt> {
        self.pass_rates(pass_at_k)
    }

    /// pass^k, the chance that all pass, for the same k.
    pub fn pass_all(&self) -> Vec<PassAt> {
        self.pass_rates(pass_all_k)
    }

    fn pass_rates(&self, chance: fn(u64, u64, u64) -> Option<f64>) -> Vec<PassAt> {
        let mut whole = self.clone();
        whole.close();
        let fewest = whole.cases.keys().map(|(outputs, _)| *outputs).min().unwrap_or(0);
        if fewest < 2 {
            return Vec::new();
        }
        let mut sizes: Vec<u64> = TOLD.into_iter().filter(|k| *k <= fewest).chain([fewest]).collect();
        sizes.dedup();
        let count: u64 = whole.cases.values().sum();
        let mean = |k: u64| {
            let sum: f64 = whole
                .cases
                .iter()
                .filter_map(|((outputs, passed), cases)| Some(chance(*outputs, *passed, k)? * *cases as f64))
                .sum();
            sum / count as f64
        };
        sizes.into_iter().map(|k| PassAt { k, mean: mean(k) }).collect()
    }

    /// pass@k and pass^k in words. For one output they are the same.
    pub fn words(&self) -> String {
        let (any, all) = (self.pass_at(), self.pass_all());
        let any = any.iter().map(|pass| format!("pass@{} {:.4}", pass.k, pass.mean));
        let all = all.iter().filter(|pass| pass.k > 1).map(|pass| format!("pass^{} {:.4}", pass.k, pass.mean));
        any.chain(all).collect::<Vec<_>>().join(", ")
    }

    /// pass^k for more than one output, by its name in files.
    pub(super) fn pass_all_by_name(&self) -> BTreeMap<String, f64> {
        let several = self.pass_all().into_iter().filter(|pass| pass.k > 1);
        several.map(|pass| (format!("pass^{}", pass.k), pass.mean)).collect()
    }

    /// Whether there is nothing to tell.
    pub fn is_empty(&self) -> bool {
        self.pass_at().is_empty()
    }
}

impl Serialize for Repeats {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.pass_at().into_iter().map(|pass| (format!("pass@{}", pass.k), pass.mean)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn outputs_of_a_case_are_counted_together() {
        let mut repeats = Repeats::default();
        for (id, values) in [("a", [1.0, 0.0, 0.0, 0.0]), ("b", [0.0; 4]), ("c", [1.0; 4])] {
            for (repeat, value) in (0..).zip(values) {
                repeats.add(id, Some("m"), repeat, value);
            }
        }
        let pass: Vec<(u64, f64)> = repeats.pass_at().into_iter().map(|pass| (pass.k, pass.mean)).collect();
        let expected = [(1, 1.25 / 3.0), (2, 1.5 / 3.0), (3, 1.75 / 3.0), (4, 2.0 / 3.0)];
        assert_eq!(pass.len(), expected.len());
        for ((k, mean), (expected_k, value)) in pass.iter().zip(expected) {
            assert_eq!(*k, expected_k);
            assert!((mean - value).abs() < 1e-12, "pass@{k} is {mean}, not {value}");
        }
    }

    #[test]
    fn single_outputs_and_graded_values_have_no_pass_at_k() {
        let mut single = Repeats::default();
        single.add("a", None, 0, 1.0);
        single.add("b", None, 0, 0.0);
        assert!(single.is_empty());
        let mut graded = Repeats::default();
        graded.add("a", None, 0, 1.0);
        graded.add("a", None, 1, 0.5);
        graded.add("a", None, 2, 1.0);
        assert!(graded.is_empty());
    }

    /// Review 0.3, V8: they were three cases in the interval and three outputs of one case in pass@k.
    #[test]
    fn rows_with_one_id_and_no_repeat_are_different_cases() {
        let mut repeats = Repeats::default();
        for value in [1.0, 0.0, 1.0] {
            repeats.add("a", None, 0, value);
        }
        assert!(repeats.is_empty());
    }
}
