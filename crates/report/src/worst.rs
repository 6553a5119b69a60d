//! Which cases a bounded report shows: the worst ones, by one rule for all reports.
//!
//! The *shortfall* of a value is its distance from the best possible value as a share of the metric's range, so 0 is the
//! best and 1 the worst. A case ranks by its largest shortfall, then by the mean of its shortfalls, then by its place in
//! the input. So one bad answer in one respect is not hidden by good ones in others.

use std::cmp::Ordering;
use std::collections::BTreeMap;

use probare_core::{Better, CaseResult, MetricInfo};

use crate::status::score;

/// How far a value is from the best one: 0 is the best, 1 the worst.
///
/// A range without an end is bent into 0 to 1 first: what counts is the order, not the distance.
pub fn shortfall(metric: &MetricInfo, value: f64) -> f64 {
    let (low, high) = metric.range;
    let (best, worst) = match metric.better {
        Better::Higher => (high, low),
        Better::Lower => (low, high),
    };
    let width = (worst - best).abs();
    if width.is_finite() && width > 0.0 {
        ((value - best).abs() / width).clamp(0.0, 1.0)
    } else if best.is_finite() {
        let distance = (value - best).abs();
        if distance.is_finite() { distance / (1.0 + distance) } else { 1.0 }
    } else if worst.is_finite() {
        1.0 / (1.0 + (value - worst).abs())
    } else {
        let bent = 0.5 * value / (1.0 + value.abs());
        match metric.better {
            Better::Higher => 0.5 - bent,
            Better::Lower => 0.5 + bent,
        }
    }
}

/// Place of a case among all: worse comes first.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Rank {
    largest: f64,
    mean: f64,
    order: u64,
}

impl Rank {
    /// The rank of a whole case. A result that failed counts as a shortfall of 1, a question that does not apply not at
    /// all.
    pub(crate) fn for_case(metrics: &[MetricInfo], result: &CaseResult, order: u64) -> Self {
        let shortfalls = metrics.iter().zip(&result.results).filter_map(|(metric, result)| match score(result) {
            Some(score) => Some(shortfall(metric, score.value.get())),
            None => result.is_err().then_some(1.0),
        });
        Self::from_shortfalls(shortfalls, order)
    }

    /// The rank of what has these shortfalls, and of two that are alike the one with the lower `order` first.
    pub fn from_shortfalls(shortfalls: impl IntoIterator<Item = f64>, order: u64) -> Self {
        let (mut largest, mut sum, mut count) = (0.0f64, 0.0, 0u32);
        for shortfall in shortfalls {
            largest = largest.max(shortfall);
            sum += shortfall;
            count += 1;
        }
        let mean = if count == 0 { 0.0 } else { sum / f64::from(count) };
        Self { largest, mean, order }
    }

    /// Largest and mean shortfall.
    pub(crate) const fn shortfalls(self) -> (f64, f64) {
        (self.largest, self.mean)
    }

    /// The rank of one value among those of its metric.
    pub(crate) fn for_value(metric: &MetricInfo, value: f64, order: u64) -> Self {
        let shortfall = shortfall(metric, value);
        Self { largest: shortfall, mean: shortfall, order }
    }
}

impl Eq for Rank {}

impl Ord for Rank {
    fn cmp(&self, other: &Self) -> Ordering {
        (other.largest.total_cmp(&self.largest))
            .then(other.mean.total_cmp(&self.mean))
            .then(self.order.cmp(&other.order))
    }
}

impl PartialOrd for Rank {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// Keeps the worst, within a number of items and a number of bytes.
#[derive(Debug)]
pub(crate) struct Worst<T> {
    most: usize,
    most_bytes: usize,
    bytes: usize,
    items: BTreeMap<Rank, (usize, T)>,
}

impl<T> Worst<T> {
    pub(crate) const fn new(most: usize, most_bytes: usize) -> Self {
        Self { most, most_bytes, bytes: 0, items: BTreeMap::new() }
    }

    /// Takes an item if it is among the worst so far; `make` gives it and its size, and is called only then.
    pub(crate) fn offer(&mut self, rank: Rank, make: impl FnOnce() -> (usize, T)) {
        let full = self.items.len() >= self.most || self.bytes >= self.most_bytes;
        if full && self.items.last_key_value().is_none_or(|(last, _)| *last < rank) {
            return;
        }
        let (bytes, item) = make();
        self.bytes += bytes;
        self.items.insert(rank, (bytes, item));
        self.shrink(self.most);
    }

    /// Drops the best of the worst until at most `most` are left and they fit; one is always left.
    pub(crate) fn shrink(&mut self, most: usize) {
        while self.items.len() > most || (self.bytes > self.most_bytes && self.items.len() > 1) {
            let Some((_, (bytes, _))) = self.items.pop_last() else { return };
            self.bytes -= bytes;
        }
    }

    /// All of them in the order of the input.
    pub(crate) fn take_in_order(&mut self) -> Vec<T> {
        let mut ranked: Vec<(Rank, T)> =
            std::mem::take(&mut self.items).into_iter().map(|(rank, (_, item))| (rank, item)).collect();
        ranked.sort_by_key(|(rank, _)| rank.order);
        self.bytes = 0;
        ranked.into_iter().map(|(_, item)| item).collect()
    }

    pub(crate) fn len(&self) -> usize {
        self.items.len()
    }

    /// The worst first.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &T> {
        self.items.values().map(|(_, item)| item)
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::{metrics, result};

    use super::*;

    #[test]
    fn shortfall_follows_the_direction_and_the_range() {
        let mut metric = metrics()[0].clone();
        assert_eq!(shortfall(&metric, 0.25), 0.75);
        metric.better = Better::Lower;
        assert_eq!(shortfall(&metric, 0.25), 0.25);
        metric.range = (0.0, f64::INFINITY);
        assert_eq!(shortfall(&metric, 1.0), 0.5);
        assert_eq!(shortfall(&metric, f64::MAX), 1.0);
        metric.better = Better::Higher;
        assert!(shortfall(&metric, 1.0) > shortfall(&metric, 2.0));
        metric.range = (f64::NEG_INFINITY, f64::INFINITY);
        assert!(shortfall(&metric, -1.0) > shortfall(&metric, 2.0));
    }

    #[test]
    fn the_worst_stay_and_ties_go_to_the_first() {
        let metric = &metrics()[0];
        let mut worst = Worst::new(2, 1000);
        for (order, value) in [0.5, 0.9, 0.5, 0.1].into_iter().enumerate() {
            worst.offer(Rank::for_value(metric, value, order as u64), || (1, order));
        }
        assert_eq!(worst.iter().copied().collect::<Vec<_>>(), [3, 0]);
    }

    #[test]
    fn large_items_make_room_only_for_few() {
        let metric = &metrics()[0];
        let mut worst = Worst::new(100, 1000);
        for order in 0..50u32 {
            worst.offer(Rank::for_value(metric, 1.0 - f64::from(order) / 100.0, u64::from(order)), || (300, order));
        }
        assert_eq!(worst.iter().copied().collect::<Vec<_>>(), [49, 48, 47]);
    }

    #[test]
    fn a_failure_ranks_as_the_worst() {
        let metrics = metrics();
        let failing = Rank::for_case(&metrics, &result("a", 0.9), 1);
        let good = Rank::for_case(&metrics[..1], &result("b", 0.1), 0);
        assert!(failing < good);
    }
}
