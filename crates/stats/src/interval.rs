//! [`Interval`] and the [`ConfidenceLevel`] it is for.

use serde::Serialize;

/// A range that holds the true value in a known share of all samples.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Interval {
    /// Lower end.
    pub low: f64,
    /// Upper end.
    pub high: f64,
}

impl Interval {
    /// Whether a value lies in it, ends included.
    pub fn contains(self, value: f64) -> bool {
        self.low <= value && value <= self.high
    }

    /// The same, cut to a range that the quantity cannot leave.
    #[must_use]
    pub fn clamp(self, low: f64, high: f64) -> Self {
        Self { low: self.low.clamp(low, high), high: self.high.clamp(low, high) }
    }

    /// The part that two intervals share; where they share none, which happens with a chance below α, the point between them.
    pub(crate) fn intersection(self, other: Self) -> Self {
        let (low, high) = (self.low.max(other.low), self.high.min(other.high));
        Self { low: low.min(high), high: high.max(low) }
    }
}

/// The share of samples whose interval holds the true value, strictly between 0 and 1.
#[derive(Debug, Clone, Copy, PartialEq, PartialOrd, Serialize)]
pub struct ConfidenceLevel(f64);

impl ConfidenceLevel {
    /// 95 %.
    pub const NINETY_FIVE: Self = Self(0.95);

    /// A level strictly between 0 and 1.
    pub fn new(share: f64) -> Option<Self> {
        (share > 0.0 && share < 1.0).then_some(Self(share))
    }

    /// The share.
    pub const fn get(self) -> f64 {
        self.0
    }

    /// The share of a distribution below the upper end of a two-sided interval.
    pub(crate) fn upper_share(self) -> f64 {
        f64::midpoint(1.0, self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_level_is_a_share() {
        assert_eq!(ConfidenceLevel::new(0.9).map(ConfidenceLevel::get), Some(0.9));
        for share in [0.0, 1.0, -1.0, f64::NAN] {
            assert_eq!(ConfidenceLevel::new(share), None);
        }
    }

    #[test]
    fn an_interval_can_be_cut() {
        assert_eq!(Interval { low: -0.2, high: 1.3 }.clamp(0.0, 1.0), Interval { low: 0.0, high: 1.0 });
    }
}
