//! What a metric says about two runs: the difference with its interval, slices, and the cases that changed.

use std::collections::{BTreeMap, HashMap};
use std::sync::atomic::{AtomicUsize, Ordering};

use probare_cancellation::{count_steps, on_other_thread};
use probare_core::{Better, MetricInfo};
use probare_stats::{
    ConfidenceLevel, Contrast, Interval, chosen_interval, clustered_contrast, clustered_mean, contrast,
    contrast_interval, mean, minimum_detectable_effect, standard_deviation, updated_mean,
};
use serde::Serialize;

use super::side::{Pair, Pairs};
use super::{CaseIdentity, ComparisonRequest, POWER, RunScores};
use crate::{GroupBy, MOST_GROUPS, shortfall};

/// One metric in two runs.
#[derive(Debug, Clone, Serialize)]
pub struct MetricComparison {
    /// Name of the metric.
    pub metric: String,
    /// Which values are better: `higher` or `lower`.
    pub better: &'static str,
    /// Over all cases that both runs scored; nothing where there is none.
    pub whole: Option<MetricDifference>,
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
    /// The same for each model, where the runs have several; over all of them, the models of a case are averaged first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub models: Vec<Slice>,
    /// The same for each slice.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub slices: Vec<Slice>,
    /// The largest changes, those that cross the middle first, what got worse before what got better.
    pub changes: Vec<CaseChange>,
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
    pub finding: MetricDifference,
}

/// A difference and how sure it is.
#[derive(Debug, Clone, Serialize)]
pub struct MetricDifference {
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
    /// The p value with regard to all other tests of the comparison: this one decides.
    #[serde(rename = "p_value_adjusted")]
    pub adjusted: f64,
    /// The interval with regard to all other tests: where it comes from the same method as the p value, it excludes 0
    /// exactly where the adjusted p value is below 0.05.
    pub interval_adjusted: Option<Interval>,
    /// The minimum detectable effect (80 % power) with this many pairs.
    pub detectable: Option<f64>,
    /// Whether larger differences are better.
    #[serde(skip)]
    pub better: Option<Better>,
    /// What it was computed from, until it is adjusted.
    #[serde(skip)]
    values: PairedValues,
}

/// Values of both runs of the same cases, in the same order.
#[derive(Debug, Clone, Default)]
struct PairedValues {
    first: Vec<f64>,
    second: Vec<f64>,
    /// The cluster of each case, where cases hang together.
    clusters: Option<Vec<String>>,
}

impl PairedValues {
    fn push(&mut self, pair: &Pair<'_>, (left, right): (f64, f64)) {
        self.first.push(left);
        self.second.push(right);
        if let Some(clusters) = &mut self.clusters {
            // A case without a cluster stands alone; no name of a column holds this sign.
            let name = pair.cluster().map_or_else(|| format!("\u{0}{}", clusters.len()), str::to_owned);
            clusters.push(name);
        }
    }

    /// Second minus first.
    fn contrast(&self, level: ConfidenceLevel, seed: u64) -> Option<Contrast> {
        match &self.clusters {
            None => contrast(&self.second, &self.first, level, seed),
            Some(clusters) => clustered_contrast(&self.second, &self.first, clusters, level, seed),
        }
    }

    /// The interval of that alone.
    fn contrast_interval(&self, level: ConfidenceLevel, seed: u64) -> Option<Interval> {
        match &self.clusters {
            None => contrast_interval(&self.second, &self.first, level, seed).map(|(interval, _)| interval),
            Some(_) => self.contrast(level, seed)?.interval,
        }
    }

    /// The interval of the mean of one run.
    fn interval(&self, values: &[f64], level: ConfidenceLevel, seed: u64) -> Option<Interval> {
        match &self.clusters {
            None => chosen_interval(values, level, seed).map(|(interval, _)| interval),
            Some(clusters) => {
                let rows: Vec<(&String, f64)> = clusters.iter().zip(values.iter().copied()).collect();
                clustered_mean(&rows, level).map(|found| found.interval)
            }
        }
    }

    /// The least difference that so many cases, or clusters, would show.
    fn detectable(&self, level: ConfidenceLevel) -> Option<f64> {
        let differences = || self.first.iter().zip(&self.second).map(|(first, second)| second - first);
        let (count, deviation) = match &self.clusters {
            None => (self.first.len(), standard_deviation(&differences().collect::<Vec<f64>>())?),
            Some(clusters) => {
                let rows: Vec<(&String, f64)> = clusters.iter().zip(differences()).collect();
                let found = clustered_mean(&rows, level)?;
                (found.clusters, found.error * (found.clusters as f64).sqrt())
            }
        };
        // Where nothing varies nothing can be said about what would be found.
        minimum_detectable_effect(count, deviation, level, POWER).filter(|effect| *effect > 0.0)
    }
}

impl MetricDifference {
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

    /// Takes the other tests into account.
    pub(super) fn adjust(&mut self, adjusted: f64, seed: u64) {
        let values = std::mem::take(&mut self.values);
        self.adjusted = adjusted;
        let p = self.contrast.p_value;
        // At this level the interval excludes 0 where p is below 0.05 times p over adjusted p.
        let share = if p > 0.0 && adjusted > p { 0.05 * p / adjusted } else { 0.05 };
        self.interval_adjusted = match ConfidenceLevel::new(1.0 - share) {
            Some(level) if share < 0.05 => values.contrast_interval(level, seed),
            _ => self.contrast.interval,
        };
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
pub struct CaseChange {
    pub case: CaseIdentity,
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
    baseline: &RunScores,
    other: &RunScores,
    pairs: &Pairs<'_>,
    request: &ComparisonRequest,
    notes: &mut Vec<String>,
) -> Vec<MetricComparison> {
    let is_wanted =
        |name: &str| request.metrics.is_empty() || request.metrics.iter().any(|requested| requested == name);
    let mut shared = Vec::new();
    for (at, info) in baseline.metrics.iter().enumerate().filter(|(_, info)| is_wanted(&info.name)) {
        if info.is_descriptive {
            notes.push(format!("`{}` describes texts and judges nothing, so it is not compared", info.name));
            continue;
        }
        let Some(place) = other.metrics.iter().position(|metric| metric.name == info.name) else {
            notes.push(format!("`{}` has no metric `{}`", other.name, info.name));
            continue;
        };
        let same = &other.metrics[place];
        if (&same.id, same.version, same.profile.unwrap_or_default(), &same.options)
            != (&info.id, info.version, info.profile.unwrap_or_default(), &info.options)
        {
            notes.push(format!(
                "`{}` was computed in another way (version, profile or options) in `{}` than in `{}`",
                info.name, other.name, baseline.name
            ));
        }
        shared.push((info, (at, place)));
    }
    for metric in other.metrics.iter().filter(|metric| is_wanted(&metric.name)) {
        if baseline.metrics.iter().all(|known| known.name != metric.name) {
            notes.push(format!("`{}` has no metric `{}`", baseline.name, metric.name));
        }
    }
    each(&shared, pairs.len() > FEW, |(info, places)| compare_metric(info, *places, pairs, request))
}

/// Pairs below which a further thread would take longer than it helps.
const FEW: usize = 200;

/// Does the same for each of several things, on all processors if `together`; what was made comes in their order.
fn each<T: Sync, M: Send>(things: &[T], together: bool, work: impl Fn(&T) -> M + Sync) -> Vec<M> {
    let threads = std::thread::available_parallelism().map_or(1, usize::from).min(things.len());
    if !together || threads < 2 {
        return things.iter().map(work).collect();
    }
    let next = AtomicUsize::new(0);
    let share = || {
        let mut made = Vec::new();
        while let Some((at, thing)) =
            Some(next.fetch_add(1, Ordering::Relaxed)).and_then(|at| Some((at, things.get(at)?)))
        {
            made.push((at, work(thing)));
        }
        made
    };
    let mut made: Vec<(usize, M)> = std::thread::scope(|scope| {
        let shares: Vec<_> = (0..threads).map(|_| scope.spawn(on_other_thread(share))).collect();
        let taken = shares.into_iter().map(|share| match share.join() {
            Ok(made) => made.join(),
            Err(panic) => std::panic::resume_unwind(panic),
        });
        taken.flatten().collect()
    });
    made.sort_by_key(|(at, _)| *at);
    made.into_iter().map(|(_, made)| made).collect()
}

fn compare_metric(
    info: &MetricInfo,
    (at, place): (usize, usize),
    pairs: &Pairs<'_>,
    request: &ComparisonRequest,
) -> MetricComparison {
    let mut measured = MetricComparison::empty(info);
    let none = || PairedValues { clusters: request.cluster.as_ref().map(|_| Vec::new()), ..PairedValues::default() };
    // The first pair of each case, and the values of all of its pairs. One where there is one model.
    let mut cases: Vec<(usize, Mean, Mean)> = Vec::with_capacity(if pairs.have_models() { 0 } else { pairs.len() });
    let mut case_places: HashMap<(&str, u32), usize> = HashMap::new();
    let mut models: BTreeMap<&str, PairedValues> = BTreeMap::new();
    let mut changes: Vec<ChangedPair> = Vec::new();
    for (number, pair) in pairs.iter().enumerate() {
        count_steps(1);
        let (left, right) = match pair.values((at, place)) {
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
        let (id, model, occurrence) = pairs.key(number);
        if let Some(model) = model {
            models.entry(model).or_insert_with(none).push(&pair, (left, right));
        }
        let next = cases.len();
        let place = if pairs.have_models() { *case_places.entry((id, occurrence)).or_insert(next) } else { next };
        if place == next {
            cases.push((number, Mean::default(), Mean::default()));
        }
        let (_, first, second) = &mut cases[place];
        first.add(left);
        second.add(right);
        changes.extend(measured.count_change(info, number, left, right));
    }
    let is_by_source = request.by.as_ref().is_some_and(GroupBy::is_by_source);
    let (mut whole, mut slices) = (none(), BTreeMap::<&str, PairedValues>::new());
    for (number, first, second) in cases {
        let (pair, values) = (pairs.get(number), (first.mean, second.mean));
        whole.push(&pair, values);
        // Models have a table of their own.
        for group in pair.groups().iter().filter(|_| models.is_empty() || !is_by_source) {
            if slices.contains_key(group.as_str()) || slices.len() < MOST_GROUPS {
                slices.entry(group).or_insert_with(none).push(&pair, values);
            }
        }
    }
    measured.points = whole.first.iter().copied().zip(whole.second.iter().copied()).take(POINTS).collect();
    measured.whole = finding(info, whole, request.seed);
    measured.models = find_slices(info, models, request.seed);
    measured.slices = find_slices(info, slices, request.seed);
    measured.changes = largest_changes(changes, pairs);
    measured
}

/// What was found in each group.
fn find_slices(info: &MetricInfo, groups: BTreeMap<&str, PairedValues>, seed: u64) -> Vec<Slice> {
    let slices = groups
        .into_iter()
        .filter_map(|(name, values)| Some(Slice { slice: name.to_owned(), finding: finding(info, values, seed)? }));
    slices.collect()
}

/// The changes that are kept, largest first. Pairs stand in the order of their cases.
fn largest_changes(mut changes: Vec<ChangedPair>, pairs: &Pairs<'_>) -> Vec<CaseChange> {
    if changes.len() > CHANGES {
        changes.select_nth_unstable_by(CHANGES, ChangedPair::compare_sizes);
        changes.truncate(CHANGES);
    }
    changes.sort_by(ChangedPair::compare_sizes);
    let changes = changes.into_iter().map(|ChangedPair { pair, baseline, other, flipped, improved }| CaseChange {
        case: pairs.get(pair).identity(),
        baseline,
        other,
        flipped,
        improved,
    });
    changes.collect()
}

/// The mean of some numbers; of one it is that, to the last bit.
#[derive(Clone, Copy, Default)]
struct Mean {
    mean: f64,
    count: u32,
}

impl Mean {
    fn add(&mut self, value: f64) {
        self.count += 1;
        self.mean = if self.count == 1 { value } else { updated_mean(self.mean, value, self.count) };
    }
}

/// A pair with different values.
#[derive(Clone, Copy)]
struct ChangedPair {
    pair: usize,
    baseline: f64,
    other: f64,
    flipped: bool,
    improved: bool,
}

impl ChangedPair {
    /// The larger first: what crosses the middle, then what got worse, then by the difference.
    fn compare_sizes(left: &Self, right: &Self) -> std::cmp::Ordering {
        let size = |moved: &Self| (moved.other - moved.baseline).abs();
        (right.flipped.cmp(&left.flipped))
            .then(left.improved.cmp(&right.improved))
            .then(size(right).total_cmp(&size(left)))
            .then(left.pair.cmp(&right.pair))
    }
}

impl MetricComparison {
    /// Of no cases.
    fn empty(info: &MetricInfo) -> Self {
        Self {
            metric: info.name.clone(),
            better: info.better.name(),
            whole: None,
            only_baseline_scored: 0,
            only_other_scored: 0,
            improved: 0,
            worsened: 0,
            flipped_to_good: 0,
            flipped_to_bad: 0,
            models: Vec::new(),
            slices: Vec::new(),
            changes: Vec::new(),
            points: Vec::new(),
            info: info.clone(),
        }
    }

    /// Counts a pair; gives it where its values differ.
    fn count_change(&mut self, info: &MetricInfo, pair: usize, left: f64, right: f64) -> Option<ChangedPair> {
        if left == right {
            return None;
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
        Some(ChangedPair { pair, baseline: left, other: right, flipped, improved })
    }
}

fn finding(info: &MetricInfo, values: PairedValues, seed: u64) -> Option<MetricDifference> {
    let level = ConfidenceLevel::NINETY_FIVE;
    let contrast = values.contrast(level, seed)?;
    let (low, high) = info.range;
    let interval = |of: &[f64]| {
        let interval = values.interval(of, level, seed)?;
        Some(if low <= high { interval.clamp(low, high) } else { interval })
    };
    Some(MetricDifference {
        baseline: mean(&values.first)?,
        baseline_interval: interval(&values.first),
        other: mean(&values.second)?,
        other_interval: interval(&values.second),
        adjusted: contrast.p_value,
        interval_adjusted: contrast.interval,
        contrast,
        detectable: values.detectable(level),
        better: Some(info.better),
        values,
    })
}
