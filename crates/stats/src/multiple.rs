//! Several tests at once: p values that take the others into account.

/// p values after Holm (1979): the chance that any of the tests speaks up for nothing stays below the level at which the
/// adjusted values are read. In the order of the given ones.
pub fn holm(p_values: &[f64]) -> Vec<f64> {
    let count = p_values.len();
    let mut adjusted = vec![0.0; count];
    let mut least = 0.0_f64;
    for (place, at) in ascending(p_values).into_iter().enumerate() {
        least = least.max(((count - place) as f64 * p_values[at]).min(1.0));
        adjusted[at] = least;
    }
    adjusted
}

/// p values after Benjamini and Hochberg (1995): of the tests that speak up, the expected share that does so for nothing
/// stays below the level at which the adjusted values are read. In the order of the given ones.
pub fn benjamini_hochberg(p_values: &[f64]) -> Vec<f64> {
    let count = p_values.len();
    let mut adjusted = vec![0.0; count];
    let mut most = 1.0_f64;
    for (place, at) in ascending(p_values).into_iter().enumerate().rev() {
        most = most.min(count as f64 / (place + 1) as f64 * p_values[at]);
        adjusted[at] = most;
    }
    adjusted
}

fn ascending(p_values: &[f64]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..p_values.len()).collect();
    order.sort_by(|left, right| p_values[*left].total_cmp(&p_values[*right]));
    order
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn by_hand() {
        assert_eq!(holm(&[0.25, 0.0625, 0.125]), [0.25, 0.1875, 0.25]);
        assert_eq!(benjamini_hochberg(&[0.25, 0.0625, 0.125]), [0.25, 0.1875, 0.1875]);
        assert_eq!(holm(&[0.5, 0.75]), [1.0, 1.0]);
        assert_eq!((holm(&[]), benjamini_hochberg(&[0.5])), (vec![], vec![0.5]));
    }
}
