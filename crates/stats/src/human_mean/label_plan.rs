//! Which cases to label next: more of those about which the judge is in doubt, and enough of all others.

/// Labels that every stratum gets, if it has as many cases.
const MIN_LABELS_PER_STRATUM: usize = 5;

/// Strata of scores that have many values.
const SCORE_STRATA: usize = 5;

/// How many labels go where.
#[derive(Debug, Clone, PartialEq)]
pub struct LabelPlan {
    /// The stratum of each case.
    pub stratum_of: Vec<usize>,
    /// How far labels are expected to scatter in each stratum, known before any label.
    pub spread: Vec<f64>,
    /// Labels of each stratum; nothing where the budget is below five for each of them.
    pub labels: Option<Vec<usize>>,
}

/// How doubtful a score is: most at a half.
pub(super) fn judge_uncertainty(score: f64) -> f64 {
    (score * (1.0 - score)).max(0.0).sqrt()
}

/// Plans `budget` labels over cases with these scores of a judge.
pub fn plan_labels(judge: &[f64], budget: usize) -> LabelPlan {
    let stratum_of = strata(judge);
    let count = stratum_of.iter().max().map_or(0, |last| last + 1);
    let mut sizes = vec![0_usize; count];
    let mut doubts = vec![0.0; count];
    for (score, stratum) in judge.iter().zip(&stratum_of) {
        sizes[*stratum] += 1;
        doubts[*stratum] += judge_uncertainty(*score);
    }
    let overall = doubts.iter().sum::<f64>() / judge.len().max(1) as f64;
    let spread: Vec<f64> =
        doubts.iter().zip(&sizes).map(|(doubt, size)| f64::midpoint(overall, doubt / *size as f64)).collect();
    let labels = allocate(&sizes, &spread, budget);
    LabelPlan { stratum_of, spread, labels }
}

/// One stratum for each score where there are at most five, else fifths by rank.
fn strata(judge: &[f64]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..judge.len()).collect();
    order.sort_by(|left, right| judge[*left].total_cmp(&judge[*right]));
    let mut distinct: Vec<f64> = order.iter().map(|at| judge[*at]).collect();
    distinct.dedup();
    let mut stratum_of = vec![0; judge.len()];
    for (rank, at) in order.iter().enumerate() {
        stratum_of[*at] = match distinct.len() {
            0..=SCORE_STRATA => distinct.partition_point(|value| *value < judge[*at]),
            _ => rank * SCORE_STRATA / judge.len(),
        };
    }
    stratum_of
}

/// Shares `budget` labels among strata: five each, then by size times spread. Nothing where the budget is too small.
pub fn allocate(sizes: &[usize], spread: &[f64], budget: usize) -> Option<Vec<usize>> {
    let mut labels: Vec<usize> = sizes.iter().map(|size| MIN_LABELS_PER_STRATUM.min(*size)).collect();
    let mut left = budget.checked_sub(labels.iter().sum())?;
    loop {
        let open: Vec<usize> = (0..sizes.len()).filter(|at| labels[*at] < sizes[*at]).collect();
        if left == 0 || open.is_empty() {
            return Some(labels);
        }
        let mut demand: Vec<f64> = open.iter().map(|at| sizes[*at] as f64 * spread[*at]).collect();
        if demand.iter().all(|demand| *demand == 0.0) {
            demand = open.iter().map(|at| sizes[*at] as f64).collect();
        }
        let whole: f64 = demand.iter().sum();
        let share = |demand: f64| left as f64 * demand / whole;
        let before = left;
        let wanted: Vec<f64> = demand.iter().map(|demand| share(*demand)).collect();
        for (at, wanted) in open.iter().zip(&wanted) {
            let given = whole_number(*wanted).min(sizes[*at] - labels[*at]);
            labels[*at] += given;
            left -= given;
        }
        if left == before {
            let mut order: Vec<usize> = (0..open.len()).collect();
            order.sort_by(|first, second| wanted[*second].total_cmp(&wanted[*first]));
            for place in order.into_iter().take(left) {
                labels[open[place]] += 1;
                left -= 1;
            }
        }
    }
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a share of a budget, which is no larger")]
fn whole_number(share: f64) -> usize {
    share.max(0.0) as usize
}
