//! [`ExactSum`]: a sum without rounding errors, in memory that does not grow.
//!
//! The parts are kept as numbers that do not overlap (J. R. Shewchuk, "Adaptive Precision Floating-Point Arithmetic",
//! 1997, grow-expansion), so the result is the true sum rounded once. It does not depend on the order of the values, which
//! is why runs that were split over machines agree with a run on one.

use serde::{Deserialize, Serialize};

/// Values are scaled by this power of two, which is exact, so that no sum of finite values overflows.
const SCALE: f64 = 1.0 / 18_446_744_073_709_551_616.0;

/// The exact sum of finite numbers, in units of [`SCALE`].
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub(super) struct ExactSum {
    /// From small to large magnitude; at most about forty.
    parts: Vec<f64>,
}

impl ExactSum {
    /// Adds a finite number.
    pub(super) fn add(&mut self, number: f64) {
        let mut carried = number * SCALE;
        let mut count = 0;
        for at in 0..self.parts.len() {
            let mut part = self.parts[at];
            if carried.abs() < part.abs() {
                std::mem::swap(&mut carried, &mut part);
            }
            let high = carried + part;
            let low = part - (high - carried);
            if low != 0.0 {
                self.parts[count] = low;
                count += 1;
            }
            carried = high;
        }
        self.parts.truncate(count);
        self.parts.push(carried);
    }

    /// Adds what another sum holds.
    pub(super) fn merge(&mut self, other: &Self) {
        for part in &other.parts {
            // The parts are scaled, a power of two that is undone exactly.
            self.add(part / SCALE);
        }
    }

    /// Adds the product of two finite numbers without rounding it, as long as it is neither beyond the largest number nor
    /// so small that its last digits have no room.
    pub(super) fn add_product(&mut self, left: f64, right: f64) {
        let product = left * right;
        let rest = left.mul_add(right, -product);
        self.add(product);
        if rest != 0.0 {
            self.add(rest);
        }
    }

    /// The sum of the squared distances of `count` numbers from `centre`, from the sum of the numbers and of their squares
    /// (this one): Σx² − 2cΣx + nc², in which nothing is rounded before the end, so that nothing cancels out.
    pub(super) fn squares_around(&self, centre: f64, sum: &Self, count: u64) -> f64 {
        let mut whole = self.clone();
        for part in &sum.parts {
            // The parts are scaled, a power of two that the product undoes.
            whole.add_product(-2.0 * centre, part / SCALE);
        }
        let times = centre * count as f64;
        whole.add_product(times, centre);
        // What the first product lost.
        whole.add_product(centre.mul_add(count as f64, -times), centre);
        (whole.rounded() / SCALE).max(0.0)
    }

    /// The sum divided by `count`.
    pub(super) fn mean(&self, count: u64) -> Option<f64> {
        (count > 0).then(|| self.rounded() / count as f64 / SCALE)
    }

    /// The parts as one number, rounded once, to even on ties.
    fn rounded(&self) -> f64 {
        // From large to small, so that only the last addition rounds.
        let mut rest = self.parts.iter().rev();
        let Some(mut sum) = rest.next().copied() else { return 0.0 };
        while let Some(part) = rest.next() {
            let before = sum;
            sum = before + part;
            let lost = part - (sum - before);
            if lost != 0.0 {
                // Half-way cases are decided by the parts below: a further part in the same direction rounds away.
                if let Some(next) = rest.next()
                    && (lost < 0.0) == (*next < 0.0)
                {
                    let doubled = lost * 2.0;
                    let moved = sum + doubled;
                    if moved - sum == doubled {
                        sum = moved;
                    }
                }
                break;
            }
        }
        sum
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn mean(numbers: &[f64]) -> Option<f64> {
        let mut sum = ExactSum::default();
        for number in numbers {
            sum.add(*number);
        }
        sum.mean(numbers.len() as u64)
    }

    #[test]
    fn sums_do_not_round_on_the_way() {
        assert_eq!(mean(&[]), None);
        assert_eq!(mean(&[0.1; 10]), Some(0.1));
        assert_eq!(mean(&[1e100, 1.0, -1e100, 1.0]), Some(0.5));
        assert_eq!(mean(&[f64::MAX, f64::MAX]), Some(f64::MAX));
    }

    proptest! {
        #[test]
        fn the_order_does_not_matter(mut numbers in proptest::collection::vec(-1e6..1e6f64, 1..50)) {
            let forward = mean(&numbers);
            numbers.reverse();
            prop_assert_eq!(forward, mean(&numbers));
            numbers.sort_by(f64::total_cmp);
            prop_assert_eq!(forward, mean(&numbers));
        }

        #[test]
        fn whole_numbers_are_summed_exactly(numbers in proptest::collection::vec(-1_000_000..1_000_000i32, 1..50)) {
            let floats: Vec<f64> = numbers.iter().map(|number| f64::from(*number)).collect();
            let sum: i64 = numbers.iter().map(|number| i64::from(*number)).sum();
            prop_assert_eq!(mean(&floats), Some(sum as f64 / numbers.len() as f64));
        }
    }
}
