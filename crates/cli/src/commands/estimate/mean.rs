//! [`HumanMean`]: what people would say on average, with the interval that may be printed for it, or why none may.

use probare_report::number::{count_with_noun, percent, three_decimals};
use probare_stats::Interval;
use probare_stats::human_mean::{
    DataSetEstimate, DataSetEstimateError, Stratum, estimate_data_set_on_scale, estimate_population_small,
    estimate_strata, estimate_weighted, exact_strata_interval, is_normal_enough,
};
use serde_json::{Value as Json, json};

use super::draw::Draw;
use crate::failure::Failure;

/// Which mean is wanted.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, clap::ValueEnum)]
pub enum Target {
    /// The mean that people would give all cases of the results
    #[default]
    DataSet,
    /// The mean that they would give cases like these
    Population,
}

/// What an interval rests on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum IntervalKind {
    /// Every case has a label: there is nothing to estimate.
    Complete,
    /// Student's t or the normal distribution.
    Normal,
    /// Bounds that hold for every judge and every number of labels.
    Exact,
}

/// The mean that people would give, or its difference between two models.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct HumanMean {
    /// The estimate.
    pub mean: f64,
    /// Where it lies.
    pub interval: Interval,
    /// What that rests on.
    pub kind: IntervalKind,
    /// How far the judge is followed; nothing where it is followed wholly, as with chances.
    pub lambda: Option<f64>,
    /// Corrections of the judge among the labels, as a number of equal ones.
    pub corrections: Option<f64>,
    /// Labels alone that would give as short an interval.
    pub worth_labels: Option<f64>,
    /// The share of cases in which the judge may be wholly wrong and no label would have shown it, where the labels together
    /// differ from it by less than one such case.
    pub unseen_errors: Option<f64>,
    /// Labels.
    pub labels: usize,
    /// Cases.
    pub cases: usize,
    /// The judge's own mean.
    pub judge_mean: f64,
}

/// What an estimate is made of: scores and labels side by side, and how wide the scale is.
pub struct EstimateInput<'a> {
    /// The judge's score of every case.
    pub scores: &'a [f64],
    /// The labels.
    pub labels: &'a [Option<f64>],
    /// 0 to 1, or -1 to 1 for differences.
    pub scale: (f64, f64),
    /// Which mean.
    pub target: Target,
    /// One minus the confidence.
    pub alpha: f64,
}

impl EstimateInput<'_> {
    fn pairs(&self, places: &[usize]) -> (Vec<f64>, Vec<f64>) {
        places.iter().filter_map(|place| Some((self.labels[*place]?, self.scores[*place]))).unzip()
    }

    /// The estimate for cases that were drawn like this.
    pub fn estimate(&self, draw: &Draw) -> Result<HumanMean, Failure> {
        let cases = self.scores.len();
        let judge_mean = mean_of(self.scores);
        let plain = HumanMean {
            mean: 0.0,
            interval: Interval { low: 0.0, high: 0.0 },
            kind: IntervalKind::Normal,
            lambda: None,
            corrections: None,
            worth_labels: None,
            unseen_errors: None,
            labels: self.labels.iter().flatten().count(),
            cases,
            judge_mean,
        };
        if self.target == Target::Population {
            return self.population(draw, plain);
        }
        match draw {
            Draw::All => {
                let labels: Vec<f64> = self.labels.iter().flatten().copied().collect();
                let mean = mean_of(&labels);
                let interval = Interval { low: mean, high: mean };
                Ok(HumanMean { mean, interval, kind: IntervalKind::Complete, ..plain })
            }
            Draw::Sample(places) => {
                let (labels, judge) = self.pairs(places);
                let found = estimate_data_set_on_scale(self.scale, &labels, &judge, cases, judge_mean, self.alpha);
                let found = found.map_err(|error| refused(error, self.scale))?;
                let DataSetEstimate { mean, lambda, corrections, is_normal, worth_labels, .. } = found;
                Ok(HumanMean {
                    mean,
                    interval: found.interval(),
                    kind: if is_normal { IntervalKind::Normal } else { IntervalKind::Exact },
                    lambda: Some(lambda),
                    corrections: Some(corrections),
                    worth_labels,
                    unseen_errors: unseen_errors([(&labels[..], &judge[..])], lambda).filter(|_| is_normal),
                    ..plain
                })
            }
            Draw::Strata(strata) => Ok(self.strata(strata, plain)),
            Draw::Chances(drawn) => {
                let labels: Vec<(usize, f64, f64)> =
                    drawn.iter().filter_map(|(place, chance)| Some((*place, self.labels[*place]?, *chance))).collect();
                let found = estimate_weighted(self.scores, &labels, self.alpha)
                    .filter(|found| is_normal_enough(labels.len(), found.corrections))
                    .ok_or_else(too_few_corrections)?;
                Ok(HumanMean {
                    mean: found.mean,
                    interval: found.interval,
                    corrections: Some(found.corrections),
                    ..plain
                })
            }
        }
    }

    fn strata(&self, strata: &[(Vec<usize>, usize)], plain: HumanMean) -> HumanMean {
        let strata: Vec<Stratum> = strata
            .iter()
            .map(|(places, labelled)| {
                let (labels, judge) = self.pairs(&places[..*labelled]);
                let scores: Vec<f64> = places.iter().map(|place| self.scores[*place]).collect();
                Stratum { cases: places.len(), judge_mean: mean_of(&scores), labels, judge }
            })
            .collect();
        let found = estimate_strata(&strata, self.alpha);
        if let Some(found) = found.filter(|found| is_normal_enough(plain.labels, found.corrections)) {
            let pairs = strata.iter().map(|stratum| (&stratum.labels[..], &stratum.judge[..]));
            return HumanMean {
                mean: found.mean,
                interval: found.interval,
                lambda: Some(found.lambda),
                corrections: Some(found.corrections),
                unseen_errors: unseen_errors(pairs, found.lambda),
                ..plain
            };
        }
        // With a stratum of one label alone the judge is followed as it is: nothing is fitted.
        let corrected = |stratum: &Stratum| {
            let share = stratum.cases as f64 / plain.cases as f64;
            share * (mean_of(&stratum.labels) + stratum.judge_mean - mean_of(&stratum.judge))
        };
        HumanMean {
            mean: found.map_or_else(|| strata.iter().map(corrected).sum(), |found| found.mean),
            interval: exact_strata_interval(&strata, self.alpha),
            kind: IntervalKind::Exact,
            lambda: found.map(|found| found.lambda),
            corrections: found.map(|found| found.corrections),
            ..plain
        }
    }

    fn population(&self, draw: &Draw, plain: HumanMean) -> Result<HumanMean, Failure> {
        let Draw::Sample(places) = draw else {
            return Err(Failure::usage(
                "the mean of a population needs labels in the seeded order, and cases without a label",
            )
            .hint("take --target data-set, or draw with --drawn order"));
        };
        let (labels, judge) = self.pairs(places);
        let is_rest = |place: &usize| self.labels[*place].is_none();
        let rest: Vec<f64> = (0..plain.cases).filter(is_rest).map(|place| self.scores[place]).collect();
        let found = estimate_population_small(&labels, &judge, &rest, self.alpha)
            .filter(|found| is_normal_enough(labels.len(), found.corrections))
            .ok_or_else(too_few_corrections)?;
        Ok(HumanMean {
            mean: found.mean,
            interval: found.interval,
            lambda: Some(found.lambda),
            corrections: Some(found.corrections),
            ..plain
        })
    }
}

fn mean_of(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

/// What labels can hide that follow the judge closely. An error that none of n labels shows may be in 3 of n cases all the same (at
/// 95 %), and the spread that an interval rests on knows nothing of it.
fn unseen_errors<'a>(groups: impl IntoIterator<Item = (&'a [f64], &'a [f64])>, lambda: f64) -> Option<f64> {
    let (mut squares, mut count) = (0.0, 0);
    for (labels, judge) in groups {
        let center = mean_of(labels) - lambda * mean_of(judge);
        squares +=
            labels.iter().zip(judge).map(|(label, score)| (label - lambda * score - center).powi(2)).sum::<f64>();
        count += labels.len();
    }
    (squares < 1.0).then(|| 3.0 / count as f64)
}

fn too_few_corrections() -> Failure {
    Failure::new("too few corrections for an interval; label more cases").hint(
        "30 labels are the least here, and 8 that differ from the judge; --target data-set with --drawn order or strata \
         has an interval for any number",
    )
}

fn refused(error: DataSetEstimateError, (least, greatest): (f64, f64)) -> Failure {
    Failure::new(match error {
        DataSetEstimateError::TooFewLabels => "5 labels are the least; draw more with --next".to_owned(),
        DataSetEstimateError::UnequalLengths => "labels and scores are of different cases".to_owned(),
        DataSetEstimateError::OutOfRange => format!("a label or a score lies outside of {least} to {greatest}"),
    })
}

impl HumanMean {
    /// One line for a reader, without the name of what it is about.
    pub fn text(&self) -> String {
        let interval = format!(
            "{} [{}, {}]",
            three_decimals(self.mean),
            three_decimals(self.interval.low),
            three_decimals(self.interval.high)
        );
        let labels = count_with_noun(self.labels as u64, "label", "labels");
        if self.kind == IntervalKind::Complete {
            return format!("{}   every case has a label", three_decimals(self.mean));
        }
        let mut text = format!("{interval}   {labels}");
        if self.kind == IntervalKind::Exact {
            text.push_str(": exact interval, because ");
            text.push_str(&match self.corrections {
                Some(corrections) if self.labels >= 30 => {
                    format!("only about {} of them correct the judge", three_decimals(corrections))
                }
                Some(_) => "30 are the least for a shorter one".to_owned(),
                None => "a stratum has a single label".to_owned(),
            });
        } else {
            text.push_str(&format!(", {}", count_with_noun(self.cases as u64, "judgement", "judgements")));
        }
        if let Some(worth) = self.worth_labels {
            if worth < self.labels as f64 {
                text.push_str("; the judge does not help");
            } else {
                text.push_str(&format!("; as good as {worth:.0} labels alone"));
            }
        }
        text.push_str(&format!("; judge's own mean {}", three_decimals(self.judge_mean)));
        if let Some(lambda) = self.lambda {
            text.push_str(&format!(", lambda {lambda:.2}"));
        }
        if let Some(share) = self.unseen_errors {
            text.push_str(&format!(
                "; no label says that the judge is wrong: errors in up to {} of the cases may be unseen and are not in the interval",
                percent(share)
            ));
        }
        text
    }

    /// Everything, for programs.
    pub fn json(&self) -> Json {
        let kind = match self.kind {
            IntervalKind::Complete => "complete",
            IntervalKind::Normal => "normal",
            IntervalKind::Exact => "exact",
        };
        json!({
            "mean": self.mean,
            "interval": {"low": self.interval.low, "high": self.interval.high, "kind": kind},
            "labels": self.labels,
            "cases": self.cases,
            "judge_mean": self.judge_mean,
            "lambda": self.lambda,
            "corrections": self.corrections,
            "worth_labels": self.worth_labels,
            "unseen_errors": self.unseen_errors,
            "labels_saved": self.worth_labels.map(|worth| worth - self.labels as f64),
        })
    }
}
