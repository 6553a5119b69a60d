//! Several outputs for the same case: averaged within the case first, and the chance that some or all of `k` pass.

use crate::mean;

/// The mean of each case over its repeats. Cases without a value are passed over.
///
/// Repeats of a case are no further cases: they say how steady one answer is, not how a system does on other questions.
/// An interval over the means of cases takes no confidence from repeats; over all values it would.
pub fn case_means<'a>(cases: impl IntoIterator<Item = &'a [f64]>) -> Vec<f64> {
    cases.into_iter().filter_map(mean).collect()
}

/// pass@k: the chance that at least one of `k` outputs passes, of which `passed` of `outputs` did (Chen et al. 2021,
/// "Evaluating Large Language Models Trained on Code", equation 1).
///
/// Unbiased, unlike `1 - (1 - passed / outputs)^k`. Undefined, so nothing, for fewer than `k` outputs, for `k` of 0, and
/// where more passed than there are.
pub fn pass_at_k(outputs: u64, passed: u64, k: u64) -> Option<f64> {
    let failed = outputs.checked_sub(passed)?;
    Some(1.0 - all_marked_probability(outputs, failed, k)?)
}

/// pass^k: the chance that all of `k` outputs pass, of which `passed` of `outputs` did (Yao et al. 2024, "τ-bench", section
/// 3).
///
/// Undefined, so nothing, where [`pass_at_k`] is.
pub fn pass_all_k(outputs: u64, passed: u64, k: u64) -> Option<f64> {
    outputs.checked_sub(passed)?;
    all_marked_probability(outputs, passed, k)
}

/// The chance that `k` different ones of `all` are all among the `marked`: `C(marked, k) / C(all, k)`.
fn all_marked_probability(all: u64, marked: u64, k: u64) -> Option<f64> {
    if k == 0 || k > all {
        return None;
    }
    if k > marked {
        return Some(0.0);
    }
    // C(m, k) / C(n, k) is as well the product over the n - m that are not marked, which may be fewer than k.
    let unmarked = all - marked;
    if unmarked < k {
        return Some((0..unmarked).map(|taken| (all - k - taken) as f64 / (all - taken) as f64).product());
    }
    Some((0..k).map(|taken| (marked - taken) as f64 / (all - taken) as f64).product())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_outputs_have_no_pass_at_k() {
        assert_eq!(pass_at_k(4, 2, 5), None);
        assert_eq!(pass_all_k(4, 2, 5), None);
        assert_eq!(pass_at_k(4, 5, 1), None);
        assert_eq!(pass_at_k(4, 2, 0), None);
        assert_eq!(pass_all_k(0, 0, 1), None);
    }

    #[test]
    fn by_hand() {
        assert_eq!(pass_at_k(4, 1, 1), Some(0.25));
        assert_eq!(pass_at_k(4, 1, 4), Some(1.0));
        assert_eq!(pass_at_k(4, 0, 4), Some(0.0));
        // Two of four pass: of the six pairs one has both and one has none.
        assert!((pass_all_k(4, 2, 2).unwrap() - 1.0 / 6.0).abs() < 1e-15);
        assert!((pass_at_k(4, 2, 2).unwrap() - 5.0 / 6.0).abs() < 1e-15);
        assert_eq!(pass_all_k(4, 4, 3), Some(1.0));
        assert_eq!(pass_all_k(1_000_000, 999_999, 500_000), Some(0.5));
    }

    #[test]
    fn repeats_are_averaged_within_their_case() {
        let cases: [&[f64]; 3] = [&[1.0, 0.0, 0.5], &[], &[1.0]];
        assert_eq!(case_means(cases), [0.5, 1.0]);
    }
}
