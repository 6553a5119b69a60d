//! What runs over the same cases have become, one after the other: a trend for each data set, model and metric, the chance that
//! all of several answers pass, and the cases that are now good, now bad.
//!
//! Runs are taken in one at a time, and of the values no more are kept than those of the first and the last run. A step from
//! one run to the next is what a [`RunComparison`] of both says; the p values of all steps are adjusted together.

mod case_states;
mod columns;
mod csv;
mod markdown;
mod spark;
mod terminal;
mod viewer;

use std::collections::BTreeMap;

use probare_core::{Better, MetricInfo};
use probare_stats::{Interval, holm, updated_mean};
use serde::Serialize;

use self::case_states::CaseStateHistory;
pub use self::case_states::{CaseState, UnstableCase};
pub use self::viewer::{HistoryView, SeriesView, UnstableCaseView};
use crate::comparison::{ComparisonRequest, MetricDifference, RunComparison, RunScores};
use crate::summary::CaseMeans;
use crate::{DatasetVersion, MeanInterval, PassAt, Repeats, shortfall};

/// Where the random numbers of resamples start: that of `probare compare`, so that both say the same.
const SEED: u64 = 1;

/// Unstable cases of a series that are kept.
const UNSTABLE: usize = 100;

/// What runs have become.
#[derive(Debug, Clone, Serialize)]
pub struct History {
    /// The runs, the oldest first.
    pub runs: Vec<HistoryRun>,
    /// One for each data set, model and metric.
    pub series: Vec<Series>,
    /// How the steps were tested, in a sentence.
    pub rule: String,
    /// What the reader should know.
    pub notes: Vec<String>,
}

/// A run of a history.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct HistoryRun {
    /// As readers know it.
    pub name: String,
    /// When it was started, in seconds since 1970, where that is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub made: Option<u64>,
    /// Its data sets with their versions, where they are known.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub datasets: Vec<DatasetVersion>,
    /// Whether it ended once its gates were decided. Intervals and tests for a fixed number of cases do not hold for it: its means
    /// have none, and the next run is compared with the one before it.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub stopped_early: bool,
}

/// One metric over the outputs of one model for one data set.
#[derive(Debug, Clone, Serialize)]
pub struct Series {
    /// The data set.
    pub dataset: String,
    /// Whose outputs they are, where that is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// Name of the metric.
    pub metric: String,
    /// Which values are better: `higher` or `lower`.
    pub better: &'static str,
    /// One for each run that has it, the oldest first.
    pub points: Vec<Point>,
    /// The last run against the first, where they are not neighbours.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub since_first: Option<HistoryStep>,
    /// The first run that differs from the one before it more than chance explains, by its place among the runs.
    pub first_difference: Option<usize>,
    /// Cases that are now good, now bad, between runs or within one; those that change most often first.
    pub unstable: Vec<UnstableCase>,
    /// How many there are.
    pub unstable_cases: u64,
    /// The metric, as the last run has it.
    #[serde(skip)]
    pub info: MetricInfo,
}

/// What a metric came to in a run.
#[derive(Debug, Clone, Serialize)]
pub struct Point {
    /// The run, by its place among all.
    pub run: usize,
    /// The mean over cases; nothing where none was scored.
    pub mean: Option<f64>,
    /// How far it may be off.
    pub interval: Option<MeanInterval>,
    /// Cases that were scored.
    pub cases: u64,
    /// pass^k: the chance that all of `k` outputs of a case pass, where there are several and values are 0 or 1.
    #[serde(skip_serializing_if = "Vec::is_empty", serialize_with = "pass_all")]
    pub pass_all: Vec<PassAt>,
    /// Whether the metric was computed in another way (version, profile or options) than in the run before.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub another_way: bool,
    /// The difference from the run before that has it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub step: Option<HistoryStep>,
}

fn pass_all<S: serde::Serializer>(passes: &[PassAt], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_map(passes.iter().map(|passes| (format!("pass^{}", passes.k), passes.mean)))
}

/// A run against an earlier one, over the cases of both.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct HistoryStep {
    /// Cases of both.
    pub pairs: usize,
    /// Later minus earlier.
    pub difference: f64,
    pub interval: Option<Interval>,
    /// Two-sided p value.
    pub p_value: f64,
    /// The p value with regard to all other steps of the history: this one decides.
    #[serde(rename = "p_value_adjusted")]
    pub adjusted: f64,
    /// What it comes to, in a word.
    pub verdict: &'static str,
}

impl HistoryStep {
    fn from_difference(finding: &MetricDifference) -> Self {
        let contrast = &finding.contrast;
        Self {
            pairs: contrast.pairs,
            difference: contrast.mean,
            interval: contrast.interval,
            p_value: contrast.p_value,
            adjusted: contrast.p_value,
            verdict: "",
        }
    }

    fn adjust(&mut self, adjusted: f64, better: Better) {
        self.adjusted = adjusted;
        let gain = if better == Better::Lower { -self.difference } else { self.difference };
        self.verdict = match gain {
            _ if adjusted >= 0.05 || gain == 0.0 => "no difference shown",
            _ if gain > 0.0 => "better",
            _ => "worse",
        };
    }

    /// Whether chance does not explain it.
    pub fn is_shown(&self) -> bool {
        matches!(self.verdict, "better" | "worse")
    }
}

/// The outputs of one model for one data set.
type SeriesKey = (String, Option<String>);

/// Takes runs in, the oldest first.
#[derive(Debug, Default)]
pub struct Histories {
    runs: Vec<HistoryRun>,
    series: BTreeMap<(SeriesKey, String), Series>,
    /// The first and the last run that have a part, each with its place among the runs.
    ends: BTreeMap<SeriesKey, Ends>,
    trails: BTreeMap<SeriesKey, CaseStateHistory>,
    notes: Vec<String>,
}

#[derive(Debug)]
struct Ends {
    first: (usize, RunScores),
    /// Nothing while it is the first.
    last: Option<(usize, RunScores)>,
}

impl Histories {
    /// Takes in a run: a side for each data set and model, whose rows name no model.
    pub fn add(&mut self, ran: HistoryRun, parts: BTreeMap<SeriesKey, RunScores>, notes: Vec<String>) {
        let (run, stopped_early) = (self.runs.len(), ran.stopped_early);
        self.runs.push(ran);
        self.notes.extend(notes.into_iter().filter(|note| !note.is_empty()));
        for (part, side) in parts {
            self.points(run, &part, &side, stopped_early);
            if stopped_early {
                continue;
            }
            if let Some(Ends { first, last }) = self.ends.get_mut(&part) {
                let (_, before) = last.as_ref().unwrap_or(first);
                for (metric, step) in steps(before, &side) {
                    if let Some(series) = self.series.get_mut(&(part.clone(), metric))
                        && let Some(point) = series.points.last_mut()
                    {
                        point.step = Some(step);
                    }
                }
                *last = Some((run, side));
            } else {
                self.ends.insert(part, Ends { first: (run, side), last: None });
            }
        }
    }

    fn points(&mut self, run: usize, part: &SeriesKey, side: &RunScores, stopped_early: bool) {
        let width = side.metrics.len();
        let mut means: Vec<CaseMeans> = vec![CaseMeans::new(false); width];
        let mut repeats: Vec<Repeats> = vec![Repeats::default(); width];
        let trails = self.trails.entry(part.clone()).or_default();
        trails.begin(&side.metrics);
        side.each_case(|id, occurrence, rows| {
            let case = trails.case(id, occurrence);
            for (at, info) in side.metrics.iter().enumerate() {
                let values = || rows.iter().map(|row| row[at]).filter(|value| !value.is_nan());
                let mean = values()
                    .zip(1..)
                    .fold(None, |mean, (value, count)| Some(updated_mean(mean.unwrap_or(0.0), value, count)));
                let Some(mean) = mean else { continue };
                means[at].add(mean);
                repeats[at].add_case(values());
                let good = values().filter(|value| shortfall(info, *value) < 0.5).count();
                trails.note(at, case, CaseState::from_counts(good, values().count()));
            }
        });
        for ((info, means), repeats) in side.metrics.iter().zip(means).zip(repeats) {
            let key = (part.clone(), info.name.clone());
            let series = self.series.entry(key).or_insert_with(|| Series {
                dataset: part.0.clone(),
                model: part.1.clone(),
                metric: info.name.clone(),
                better: info.better.name(),
                points: Vec::new(),
                since_first: None,
                first_difference: None,
                unstable: Vec::new(),
                unstable_cases: 0,
                info: info.clone(),
            });
            let way = |info: &MetricInfo| {
                (info.id.clone(), info.version, info.profile.unwrap_or_default(), info.options.clone())
            };
            let another_way = !series.points.is_empty() && way(&series.info) != way(info);
            series.info.clone_from(info);
            series.points.push(Point {
                run,
                mean: means.mean(),
                interval: means.interval(info.range).filter(|_| !stopped_early),
                cases: means.cases(),
                pass_all: repeats.pass_all(),
                another_way,
                step: None,
            });
        }
    }

    /// What they have become.
    pub fn finish(mut self) -> History {
        let is_whole = |point: &&Point| !self.runs[point.run].stopped_early;
        for (part, Ends { first, last }) in &self.ends {
            // Neighbours were compared already.
            let Some(last) = last.as_ref().filter(|last| last.0 > first.0 + 1) else { continue };
            for (metric, step) in steps(&first.1, &last.1) {
                if let Some(series) = self.series.get_mut(&(part.clone(), metric))
                    && series.points.iter().filter(is_whole).count() > 2
                {
                    series.since_first = Some(step);
                }
            }
        }
        for ((part, metric), series) in &mut self.series {
            if let Some(trails) = self.trails.get(part) {
                (series.unstable_cases, series.unstable) = trails.unstable(metric, UNSTABLE);
            }
        }
        let mut series: Vec<Series> = self.series.into_values().collect();
        let tests = adjust(&mut series);
        let rule = match tests {
            0 => "one run has no step".to_owned(),
            1 => "a step is shown where its p is below 0.05".to_owned(),
            several => format!(
                "a step is shown where its adjusted p is below 0.05, which takes all {several} tests of this history into \
                 account (Holm); differences, intervals and p are those of `probare compare`"
            ),
        };
        self.notes.dedup();
        History { runs: self.runs, series, rule, notes: self.notes }
    }
}

/// What a run says against an earlier one, for each metric of both.
fn steps(before: &RunScores, after: &RunScores) -> Vec<(String, HistoryStep)> {
    let request = ComparisonRequest { seed: SEED, ..ComparisonRequest::default() };
    // Runs without a case or a metric in common have no step.
    let found =
        RunComparison::between(&[before, after], &request).map(|comparison| comparison.others).unwrap_or_default();
    let metrics = found.into_iter().flat_map(|other| other.metrics);
    metrics
        .filter_map(|measured| Some((measured.metric, HistoryStep::from_difference(measured.whole.as_ref()?))))
        .collect()
}

/// All steps are tests of one history; gives their number.
fn adjust(series: &mut [Series]) -> usize {
    fn steps_of(series: &mut Series) -> (Better, impl Iterator<Item = &mut HistoryStep>) {
        let steps = series.points.iter_mut().filter_map(|point| point.step.as_mut()).chain(&mut series.since_first);
        (series.info.better, steps)
    }
    let all: Vec<f64> = series.iter_mut().flat_map(|one| steps_of(one).1.map(|step| step.p_value)).collect();
    let mut adjusted = holm(&all).into_iter();
    for one in series {
        let (better, steps) = steps_of(one);
        for step in steps {
            step.adjust(adjusted.next().unwrap_or(1.0), better);
        }
        let is_first = |point: &&Point| point.step.as_ref().is_some_and(HistoryStep::is_shown);
        one.first_difference = one.points.iter().find(is_first).map(|point| point.run);
    }
    all.len()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::metrics;

    /// A run of 40 cases, of which the first `good` are right.
    fn run(good: usize, repeats: u32) -> BTreeMap<SeriesKey, RunScores> {
        let mut side = RunScores::new("x", metrics()[..1].to_vec());
        for case in 0..40 {
            for repeat in 0..repeats {
                let value = f64::from(u8::from(case < good || (repeat == 1 && case == 39)));
                let row = crate::comparison::ComparedOutput {
                    prompt: None,
                    id: &format!("c{case:02}"),
                    model: None,
                    repeat,
                    case: None,
                    content: None,
                };
                side.add_values(row, [Some(value)].into_iter(), &ComparisonRequest::default());
            }
        }
        BTreeMap::from([(("cases".to_owned(), Some("m".to_owned())), side)])
    }

    fn history(goods: &[usize]) -> History {
        let mut histories = Histories::default();
        for (at, good) in goods.iter().enumerate() {
            histories.add(
                HistoryRun { name: format!("run {}", at + 1), ..HistoryRun::default() },
                run(*good, 1),
                Vec::new(),
            );
        }
        histories.finish()
    }

    #[test]
    fn the_first_difference_is_the_first_that_chance_does_not_explain() {
        let found = history(&[20, 21, 36, 36]);
        let series = &found.series[0];
        let means: Vec<f64> = series.points.iter().filter_map(|point| point.mean).collect();
        assert_eq!(means, [0.5, 0.525, 0.9, 0.9]);
        assert_eq!(series.first_difference, Some(2));
        let verdicts: Vec<&str> = series.points.iter().filter_map(|point| Some(point.step?.verdict)).collect();
        assert_eq!(verdicts, ["no difference shown", "better", "no difference shown"]);
        assert_eq!(series.since_first.unwrap().verdict, "better");
        assert!(found.rule.contains("all 4 tests"), "{}", found.rule);
        let step = series.points[2].step.unwrap();
        assert!(step.adjusted > step.p_value && step.adjusted < 0.05, "{step:?}");
    }

    #[test]
    fn a_run_that_stopped_early_has_no_interval_and_is_no_step() {
        let mut histories = Histories::default();
        for (at, good) in [20, 30, 36].into_iter().enumerate() {
            let name = format!("run {}", at + 1);
            let ran = HistoryRun { name, stopped_early: at == 1, ..HistoryRun::default() };
            histories.add(ran, run(good, 1), Vec::new());
        }
        let found = histories.finish();
        let series = &found.series[0];
        let points = &series.points;
        assert!(points[0].interval.is_some() && points[1].mean.is_some() && points[1].interval.is_none());
        assert!(points[1].step.is_none() && series.since_first.is_none());
        let step = points[2].step.unwrap();
        assert!((step.difference - 0.4).abs() < 1e-9 && step.verdict == "better", "{step:?}");
        for text in [found.to_terminal(crate::TerminalStyle::PLAIN), found.to_markdown()] {
            assert_eq!(text.matches("stopped early").count(), 1, "{text}");
        }
    }

    #[test]
    fn a_step_is_what_a_comparison_of_both_runs_says() {
        let (first, second) = (run(20, 1).into_values().next().unwrap(), run(36, 1).into_values().next().unwrap());
        let request = ComparisonRequest { seed: 1, ..ComparisonRequest::default() };
        let compared = RunComparison::compare(&[first, second], &request).unwrap();
        let whole = compared.others[0].metrics[0].whole.as_ref().unwrap();
        let step = history(&[20, 36]).series[0].points[1].step.unwrap();
        assert_eq!(
            (step.difference, step.p_value, step.interval),
            (whole.contrast.mean, whole.contrast.p_value, whole.contrast.interval)
        );
    }

    #[test]
    fn cases_that_go_to_and_fro_are_unstable() {
        let found = history(&[20, 19, 20, 19]);
        let series = &found.series[0];
        assert_eq!((series.unstable_cases, series.unstable.len()), (1, 1));
        let case = &series.unstable[0];
        assert_eq!((case.id.as_str(), case.flips), ("c19", 3));
        assert_eq!(case.states, [CaseState::Good, CaseState::Bad, CaseState::Good, CaseState::Bad].map(Some));
    }

    #[test]
    fn repeats_have_pass_all_k_and_disagree() {
        let mut histories = Histories::default();
        histories.add(HistoryRun::default(), run(30, 2), Vec::new());
        let found = histories.finish();
        let series = &found.series[0];
        let passes: Vec<(u64, f64)> = series.points[0].pass_all.iter().map(|passes| (passes.k, passes.mean)).collect();
        // 30 of 40 pass both times and one of them once.
        assert_eq!(passes, [(1, 30.5 / 40.0), (2, 30.0 / 40.0)]);
        assert_eq!(series.unstable[0].states, [Some(CaseState::Mixed)]);
        assert_eq!(found.rule, "one run has no step");
    }

    #[test]
    fn another_version_of_a_metric_is_told() {
        let mut histories = Histories::default();
        histories.add(HistoryRun::default(), run(30, 1), Vec::new());
        let mut other = run(30, 1);
        for side in other.values_mut() {
            side.metrics[0].version += 1;
        }
        histories.add(HistoryRun::default(), other, Vec::new());
        let found = histories.finish();
        let passes: Vec<bool> = found.series[0].points.iter().map(|point| point.another_way).collect();
        assert_eq!(passes, [false, true]);
        for text in [found.to_terminal(crate::TerminalStyle::PLAIN), found.to_markdown()] {
            assert!(text.contains("computed in another way"), "{text}");
        }
    }

    #[test]
    fn forms_say_the_same() {
        let found = history(&[20, 21, 36]);
        let text = found.to_terminal(crate::TerminalStyle { width: 120, colour: false });
        for words in ["cases, m", "0.525", "▁", "first difference: run 3", "c20", "bad bad good"] {
            assert!(text.contains(words), "{words} is not in\n{text}");
        }
        let markdown = found.to_markdown();
        assert!(markdown.contains("0.525") && markdown.contains("run 3"), "{markdown}");
        let csv = found.to_csv();
        assert!(csv.lines().count() == 4 && csv.contains("run 3,cases,m,"), "{csv}");
        let view = found.to_view();
        let picture = &view.series[0].svg;
        assert!(picture.starts_with("<svg") && picture.contains("0.525"), "{picture}");
    }

    #[test]
    fn names_of_others_are_no_markup() {
        let mut parts = run(3, 1);
        let side = parts.pop_first().unwrap().1;
        parts.insert(("<script>a|b\u{1b}[31m".to_owned(), Some("<b>=1".to_owned())), side);
        let mut histories = Histories::default();
        histories.add(HistoryRun { name: "=run <i>".to_owned(), ..HistoryRun::default() }, parts, Vec::new());
        let found = histories.finish();
        assert!(!found.to_terminal(crate::TerminalStyle::PLAIN).contains('\u{1b}'));
        assert!(!found.to_markdown().contains("<script>"));
        assert!(found.to_csv().lines().nth(1).unwrap().starts_with("\"'=run"), "{}", found.to_csv());
        assert!(!found.to_view().series[0].svg.contains("<script>"));
    }
}
