//! A trend in one line of characters.

const STEPS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];

/// Values from left to right, from the least to the largest of them; a gap where there is none.
pub(super) fn spark(values: &[Option<f64>]) -> String {
    let known = || values.iter().flatten().copied();
    let (low, high) = (known().fold(f64::INFINITY, f64::min), known().fold(f64::NEG_INFINITY, f64::max));
    let sign = |value: f64| {
        let share = (value - low) / (high - low);
        // Where nothing changes nothing is high or low.
        let share = if share.is_finite() { share.clamp(0.0, 1.0) } else { 0.5 };
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "between 0 and 7")]
        let step = (share * 7.0).round() as usize;
        STEPS[step.min(7)]
    };
    values.iter().map(|value| value.map_or('·', sign)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_least_is_low_and_the_largest_is_high() {
        assert_eq!(spark(&[Some(0.0), Some(0.5), None, Some(1.0)]), "▁▅·█");
        assert_eq!(spark(&[Some(0.3), Some(0.3)]), "▅▅");
        assert_eq!(spark(&[Some(f64::MAX), Some(-f64::MAX)]).chars().count(), 2);
        assert_eq!(spark(&[]), "");
    }
}
