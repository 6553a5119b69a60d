//! [`Histogram`]: at most twenty bins, whatever the values and however many.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Most bins a histogram has.
pub const BINS: usize = 20;

/// How often values fell where.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Histogram {
    /// Lower edge of the first bin.
    pub from: f64,
    /// Upper edge of the last bin, which includes it.
    pub to: f64,
    /// One count per bin, from low to high.
    pub counts: Vec<u64>,
}

/// A histogram that is being filled. The result does not depend on the order of the values.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum HistogramBuilder {
    /// The range is known: twenty equal bins; values outside it count in the first or the last bin.
    Fixed { from: f64, to: f64, counts: Vec<u64> },
    /// The range has no end: bins are as wide as a power of two, the least with which all values fit into twenty.
    Growing { exponent: i32, counts: BTreeMap<i64, u64> },
}

/// Width of the finest bins of a range without end: 2^-10.
const FINEST: i32 = -10;

impl HistogramBuilder {
    pub(super) fn new((from, to): (f64, f64)) -> Self {
        if from.is_finite() && to.is_finite() && from < to && (to - from).is_finite() {
            Self::Fixed { from, to, counts: vec![0; BINS] }
        } else {
            Self::Growing { exponent: FINEST, counts: BTreeMap::new() }
        }
    }

    /// Counts a finite value.
    pub(super) fn add(&mut self, value: f64) {
        match self {
            Self::Fixed { from, to, counts } => {
                let share = ((value - *from) / (*to - *from)).clamp(0.0, 1.0);
                #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "between 0 and 20")]
                let bin = ((share * BINS as f64) as usize).min(BINS - 1);
                counts[bin] += 1;
            }
            Self::Growing { exponent, counts } => {
                // Whole numbers up to 2^52 are exact, so the bins are as well.
                while (value / 2f64.powi(*exponent)).abs() > 4_503_599_627_370_496.0 {
                    widen(exponent, counts);
                }
                #[expect(clippy::cast_possible_truncation, reason = "bounded by 2^52 just above")]
                let bin = (value / 2f64.powi(*exponent)).floor() as i64;
                *counts.entry(bin).or_default() += 1;
                fit(exponent, counts);
            }
        }
    }

    /// Takes in what another has counted; nothing where it was made for another range.
    pub(super) fn merge(&mut self, other: &Self) {
        match (self, other) {
            (Self::Fixed { counts, .. }, Self::Fixed { counts: others, .. }) => {
                for (count, other) in counts.iter_mut().zip(others) {
                    *count += other;
                }
            }
            (Self::Growing { exponent, counts }, Self::Growing { exponent: other_exponent, counts: others }) => {
                let (mut wide, mut others) = (*other_exponent, others.clone());
                while wide < *exponent {
                    widen(&mut wide, &mut others);
                }
                while *exponent < wide {
                    widen(exponent, counts);
                }
                for (bin, count) in others {
                    *counts.entry(bin).or_default() += count;
                }
                fit(exponent, counts);
            }
            _ => {}
        }
    }

    /// What was counted; nothing where no value came.
    pub(super) fn histogram(&self) -> Option<Histogram> {
        match self {
            Self::Fixed { from, to, counts } => counts.iter().any(|count| *count > 0).then(|| Histogram {
                from: *from,
                to: *to,
                counts: counts.clone(),
            }),
            Self::Growing { exponent, counts } => {
                let (first, _) = counts.first_key_value()?;
                let (last, _) = counts.last_key_value()?;
                let width = 2f64.powi(*exponent);
                Some(Histogram {
                    from: *first as f64 * width,
                    to: (*last as f64 + 1.0) * width,
                    counts: (*first..=*last).map(|bin| counts.get(&bin).copied().unwrap_or(0)).collect(),
                })
            }
        }
    }
}

/// Joins bins until there are few enough.
fn fit(exponent: &mut i32, counts: &mut BTreeMap<i64, u64>) {
    while let (Some((first, _)), Some((last, _))) = (counts.first_key_value(), counts.last_key_value())
        && last.abs_diff(*first) >= BINS as u64
    {
        widen(exponent, counts);
    }
}

/// Joins neighbouring bins.
fn widen(exponent: &mut i32, counts: &mut BTreeMap<i64, u64>) {
    *exponent += 1;
    let mut wider = BTreeMap::new();
    for (bin, count) in std::mem::take(counts) {
        *wider.entry(bin.div_euclid(2)).or_default() += count;
    }
    *counts = wider;
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn filled(range: (f64, f64), values: &[f64]) -> Option<Histogram> {
        let mut filling = HistogramBuilder::new(range);
        for value in values {
            filling.add(*value);
        }
        filling.histogram()
    }

    #[test]
    fn edges_belong_to_the_bin_above_and_the_last_edge_to_the_last_bin() {
        let histogram = filled((0.0, 1.0), &[0.0, 0.05, 0.5, 1.0, 1.0, 7.0, -3.0]).unwrap();
        assert_eq!(histogram.counts, [2, 1, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 3]);
    }

    #[test]
    fn a_range_without_end_gets_bins_that_fit() {
        let histogram = filled((0.0, f64::INFINITY), &[0.0, 3.0, 100.0]).unwrap();
        assert_eq!((histogram.from, histogram.to), (0.0, 104.0));
        assert_eq!(histogram.counts.iter().sum::<u64>(), 3);
        assert_eq!(filled((0.0, f64::INFINITY), &[]), None);
        assert_eq!(filled((0.0, 1.0), &[]), None);
    }

    proptest! {
        #[test]
        fn nothing_is_lost_and_the_order_does_not_matter(mut values in proptest::collection::vec(proptest::num::f64::NORMAL, 1..40)) {
            let forward = filled((f64::NEG_INFINITY, f64::INFINITY), &values).unwrap();
            prop_assert_eq!(forward.counts.iter().sum::<u64>(), values.len() as u64);
            prop_assert!(forward.counts.len() <= BINS);
            values.reverse();
            prop_assert_eq!(Some(forward), filled((f64::NEG_INFINITY, f64::INFINITY), &values));
        }
    }
}
