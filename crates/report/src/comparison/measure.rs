//! What a metric says about two runs: the difference with its interval, slices, and the cases that changed.

use std::collections::BTreeMap;

use probare_core::{Better, MetricInfo};
use probare_stats::{
    Contrast, Interval, Level, Means, chosen_interval, contrast, mean, minimum_detectable_effect, standard_deviation,
};
use serde::Serialize;

use super::side::Pair;
use super::{Asked, Identity, POWER, Side};
use crate::{MOST_GROUPS, shortfall};

/// One metric in two runs.
#[derive(Debug, Clone, Serialize)]
pub struct Measured {
    /// Name of the metric.
    pub metric: String,
    /// Which values are better: `higher` or `lower`.
    pub better: &'static str,
    /// Over all cases that both runs scored; nothing where there is none.
    pub whole: Option<Finding>,
    /// Cases that only the baseline scored.
    pub only_baseline_scored: u64,
    /// Cases that only the other run scored.
    pub only_other_scored: u64,
    /// Cases that got better.
    pub improved: u64,
    /// Cases that got worse.
    pub worsened: u64,
    /// Cases that crossed the middle of the range upwards in quality.
    pub flipped_to_good: u64,
    /// Cases that crossed it downwards.
    pub flipped_to_bad: u64,
    /// The same for each slice.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub slices: Vec<Slice>,
    /// The largest changes, those that cross the middle first, what got worse before what got better.
    pub changes: Vec<Change>,
    /// Values of both runs, for a picture.
    #[serde(skip)]
    pub points: Vec<(f64, f64)>,
    /// The metric.
    #[serde(skip)]
    pub info: MetricInfo,
}

/// The cases of one group.
#[derive(Debug, Clone, Serialize)]
pub struct Slice {
    /// Name of the group.
    pub slice: String,
    /// What was found in it.
    #[serde(flatten)]
    pub finding: Finding,
}

/// A difference and how sure it is.
#[derive(Debug, Clone, Serialize)]
pub struct Finding {
    /// Mean of the baseline over the pairs.
    pub baseline: f64,
    /// Its interval.
    pub baseline_interval: Option<Interval>,
    /// Mean of the other run.
    pub other: f64,
    /// Its interval.
    pub other_interval: Option<Interval>,
    /// Other minus baseline.
    #[serde(flatten)]
    pub contrast: Contrast,
    /// The p value with regard to all other tests of the comparison.
    #[serde(rename = "p_value_adjusted")]
    pub adjusted: f64,
    /// The least difference that this many pairs would show in four of five tries.
    pub detectable: Option<f64>,
    /// Whether larger differences are better.
    #[serde(skip)]
    pub better: Option<Better>,
}

impl Finding {
    /// What it comes to at 95 %, in a word.
    pub fn verdict(&self) -> &'static str {
        let gain = self.gain(self.contrast.mean);
        if self.adjusted >= 0.05 || gain == 0.0 {
            "no difference shown"
        } else if gain > 0.0 {
            "better"
        } else {
            "worse"
        }
    }

    /// A difference so that more is better.
    pub(super) fn gain(&self, difference: f64) -> f64 {
        if self.better == Some(Better::Lower) { -difference } else { difference }
    }

    /// The interval so that more is better.
    pub(super) fn gain_interval(&self) -> Option<Interval> {
        let Interval { low, high } = self.contrast.interval?;
        let (low, high) = (self.gain(low), self.gain(high));
        Some(Interval { low: low.min(high), high: low.max(high) })
    }
}

/// A case that both runs scored differently.
#[derive(Debug, Clone, Serialize)]
pub struct Change {
    /// The case.
    pub case: Identity,
    /// Its value in the baseline.
    pub baseline: f64,
    /// Its value in the other run.
    pub other: f64,
    /// Whether it crossed the middle of the range.
    pub flipped: bool,
    /// Whether it got better.
    pub improved: bool,
}

/// Changes that are kept of a metric.
const CHANGES: usize = 200;

/// Points of a picture.
const POINTS: usize = 4_000;

/// All metrics that both runs have and that were asked for.
pub(super) fn metrics(
    baseline: &Side,
    other: &Side,
    pairs: &[Pair<'_>],
    asked: &Asked,
    notes: &mut Vec<String>,
) -> Vec<Measured> {
    let is_wanted = |name: &str| asked.metrics.is_empty() || asked.metrics.iter().any(|wanted| wanted == name);
    let mut found = Vec::new();
    for (at, info) in baseline.metrics.iter().enumerate().filter(|(_, info)| is_wanted(&info.name)) {
        let Some(place) = other.metrics.iter().position(|metric| metric.name == info.name) else {
            notes.push(format!("`{}` has no metric `{}`", other.name, info.name));
            continue;
        };
        let same = &other.metrics[place];
        if (&same.id, same.version, same.profile, &same.options)
            != (&info.id, info.version, info.profile, &info.options)
        {
            notes.push(format!(
                "`{}` was computed in another way (version, profile or options) in `{}` than in `{}`",
                info.name, other.name, baseline.name
            ));
        }
        found.push(measured(info, (at, place), pairs, asked));
    }
    for metric in other.metrics.iter().filter(|metric| is_wanted(&metric.name)) {
        if baseline.metrics.iter().all(|known| known.name != metric.name) {
            notes.push(format!("`{}` has no metric `{}`", baseline.name, metric.name));
        }
    }
    found
}

fn measured(info: &MetricInfo, (at, place): (usize, usize), pairs: &[Pair<'_>], asked: &Asked) -> Measured {
    let mut measured = Measured {
        metric: info.name.clone(),
        better: info.better.name(),
        whole: None,
        only_baseline_scored: 0,
        only_other_scored: 0,
        improved: 0,
        worsened: 0,
        flipped_to_good: 0,
        flipped_to_bad: 0,
        slices: Vec::new(),
        changes: Vec::new(),
        points: Vec::new(),
        info: info.clone(),
    };
    let (mut first, mut second) = (Vec::new(), Vec::new());
    let mut slices: BTreeMap<&str, (Vec<f64>, Vec<f64>)> = BTreeMap::new();
    for pair in pairs {
        let (left, right) = match (pair.first.value(at), pair.second.value(place)) {
            (Some(left), Some(right)) => (left, right),
            (Some(_), None) => {
                measured.only_baseline_scored += 1;
                continue;
            }
            (None, Some(_)) => {
                measured.only_other_scored += 1;
                continue;
            }
            (None, None) => continue,
        };
        first.push(left);
        second.push(right);
        let groups = if pair.first.groups.is_empty() { &pair.second.groups } else { &pair.first.groups };
        for group in groups {
            if slices.contains_key(group.as_str()) || slices.len() < MOST_GROUPS {
                let (lefts, rights) = slices.entry(group).or_default();
                lefts.push(left);
                rights.push(right);
            }
        }
        measured.take(info, pair.identity, left, right);
    }
    measured.points = first.iter().copied().zip(second.iter().copied()).take(POINTS).collect();
    measured.whole = finding(info, &first, &second, asked.seed);
    measured.slices = slices
        .into_iter()
        .filter_map(|(name, (first, second))| {
            Some(Slice { slice: name.to_owned(), finding: finding(info, &first, &second, asked.seed)? })
        })
        .collect();
    let size = |change: &Change| (change.other - change.baseline).abs();
    measured.changes.sort_by(|left, right| {
        (right.flipped.cmp(&left.flipped))
            .then(left.improved.cmp(&right.improved))
            .then(size(right).total_cmp(&size(left)))
            .then(left.case.cmp(&right.case))
    });
    measured.changes.truncate(CHANGES);
    measured
}

impl Measured {
    fn take(&mut self, info: &MetricInfo, case: &Identity, left: f64, right: f64) {
        if left == right {
            return;
        }
        let improved = if info.better == Better::Higher { right > left } else { right < left };
        let is_good = |value: f64| shortfall(info, value) < 0.5;
        let flipped = is_good(left) != is_good(right);
        match (improved, flipped) {
            (true, true) => self.flipped_to_good += 1,
            (false, true) => self.flipped_to_bad += 1,
            _ => {}
        }
        if improved {
            self.improved += 1;
        } else {
            self.worsened += 1;
        }
        self.changes.push(Change { case: case.clone(), baseline: left, other: right, flipped, improved });
    }
}

fn finding(info: &MetricInfo, first: &[f64], second: &[f64], seed: u64) -> Option<Finding> {
    let level = Level::NINETY_FIVE;
    let contrast = contrast(second, first, level, seed)?;
    let (low, high) = info.range;
    let interval = |values: &[f64]| {
        let (interval, _): (Interval, Means) = chosen_interval(values, level, seed)?;
        Some(if low <= high { interval.within(low, high) } else { interval })
    };
    let differences: Vec<f64> = first.iter().zip(second).map(|(first, second)| second - first).collect();
    let detectable = standard_deviation(&differences)
        .and_then(|deviation| minimum_detectable_effect(differences.len(), deviation, level, POWER));
    Some(Finding {
        baseline: mean(first)?,
        baseline_interval: interval(first),
        other: mean(second)?,
        other_interval: interval(second),
        adjusted: contrast.p_value,
        contrast,
        // Where nothing varies nothing can be said about what would be found.
        detectable: detectable.filter(|effect| *effect > 0.0),
        better: Some(info.better),
    })
}
