//! [`LabelDraw`]: in which order people label the cases that a judge scored, so that the labels say what people would say of all.
//! `probare estimate --next` and the viewer draw the same cases.

use probare_core::seeded_order;
use probare_stats::human_mean::{FEWEST_LABELS, plan_labels};

/// Cases that a judge scored.
#[derive(Debug, Clone, Copy)]
pub struct LabelDraw<'a> {
    /// Their ids. Ties of scores go by the order in which they stand here.
    pub ids: &'a [String],
    /// The judge's score of each from 0 to 1, more being better.
    pub scores: &'a [f64],
    /// From what the order is drawn.
    pub seed: u64,
}

/// A case to label.
#[derive(Debug, Clone, PartialEq)]
pub struct NextCase {
    /// Its place among the ids.
    pub place: usize,
    /// With which probability it is labelled.
    pub probability: f64,
}

/// So few labels cannot be spread over the strata.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TooFewLabels {
    /// Strata of the judge's scores.
    pub strata: usize,
    /// Labels that they need.
    pub least: usize,
}

impl LabelDraw<'_> {
    /// All cases in the seeded order.
    pub fn order(&self) -> Vec<usize> {
        seeded_order(self.seed, self.ids.iter().map(String::as_str))
    }

    /// The cases of each stratum of the scores, in the seeded order.
    pub fn strata(&self) -> Vec<Vec<usize>> {
        let stratum_of = plan_labels(self.scores, 0).stratum_of;
        let count = stratum_of.iter().max().map_or(0, |last| last + 1);
        let mut strata = vec![Vec::new(); count];
        for place in self.order() {
            strata[stratum_of[place]].push(place);
        }
        strata
    }

    /// The cases without a label that come next, where `labels` of them are to have one in all: more of those about which the
    /// judge is in doubt, and at least five of each stratum.
    pub fn next_of_strata(
        &self,
        is_labelled: impl Fn(usize) -> bool,
        labels: usize,
    ) -> Result<Vec<NextCase>, TooFewLabels> {
        let strata = self.strata();
        let Some(planned) = plan_labels(self.scores, labels).labels else {
            return Err(TooFewLabels { strata: strata.len(), least: self.fewest_labels() });
        };
        let mut next = Vec::new();
        for (places, planned) in strata.iter().zip(planned) {
            let labelled = places.iter().filter(|place| is_labelled(**place)).count();
            let probability = planned.max(labelled) as f64 / places.len() as f64;
            let open = places[..planned].iter().copied().filter(|place| !is_labelled(*place));
            next.extend(open.map(|place| NextCase { place, probability }));
        }
        // In the order of all cases: whoever stops early has drawn each stratum from its beginning.
        let mut rank = vec![0; self.ids.len()];
        for (at, place) in self.order().into_iter().enumerate() {
            rank[place] = at;
        }
        next.sort_by_key(|case| rank[case.place]);
        Ok(next)
    }

    /// Five labels of each stratum, or all of its cases.
    pub fn fewest_labels(&self) -> usize {
        self.strata().iter().map(|places| places.len().min(FEWEST_LABELS)).sum()
    }

    /// The cases without a label in the order in which they are labelled one after the other: as many of the plan of
    /// `round` labels as are left, then those of the plan of twice as many, and so on.
    pub fn sequence(&self, is_labelled: impl Fn(usize) -> bool, round: usize) -> Vec<usize> {
        let mut taken: Vec<bool> = (0..self.ids.len()).map(is_labelled).collect();
        let mut sequence = Vec::new();
        let mut labels = round.max(self.fewest_labels());
        while taken.contains(&false) {
            for case in self.next_of_strata(|place| taken[place], labels).unwrap_or_default() {
                taken[case.place] = true;
                sequence.push(case.place);
            }
            labels = labels.saturating_mul(2);
        }
        sequence
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_one_after_the_other_draw_each_stratum_from_its_beginning() {
        let ids: Vec<String> = (0..200).map(|at| format!("c{at}")).collect();
        let scores: Vec<f64> = (0..200).map(|at| f64::from(at) / 199.0).collect();
        let draw = LabelDraw { ids: &ids, scores: &scores, seed: 7 };
        let sequence = draw.sequence(|_| false, 40);
        let mut all = sequence.clone();
        all.sort_unstable();
        assert_eq!(all, (0..200).collect::<Vec<_>>(), "every case comes once");
        let planned: Vec<usize> =
            draw.next_of_strata(|_| false, 40).unwrap().into_iter().map(|case| case.place).collect();
        assert_eq!(sequence[..40], planned, "the first forty are those that a plan of forty names");
        for stop in [1, 13, 40, 77, 150] {
            let labelled = &sequence[..stop];
            for stratum in draw.strata() {
                let count = stratum.iter().filter(|place| labelled.contains(place)).count();
                assert!(stratum[..count].iter().all(|place| labelled.contains(place)), "after {stop}");
            }
        }
        // Whoever goes on has the rest of the same sequence.
        let rest = draw.sequence(|place| sequence[..25].contains(&place), 40);
        assert_eq!(rest[..15], sequence[25..40]);
    }
}
