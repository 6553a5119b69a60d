//! [`PrefixComparison`]: runs of which one ended before its last case, on the cases that both have from the beginning of
//! the seeded order. Its intervals and gates hold wherever the runs stopped; tests for a fixed number of cases do not.

use std::collections::BTreeMap;
use std::fmt;

use probare_core::{Better, MetricInfo, order_key};
use probare_stats::Interval;
use probare_stats::sequential::{
    GateTest, GateVerdict, Observation, Sampling, anytime_interval, paired_observation, paired_threshold,
};
use serde::Serialize;

use super::phrases::{ends, signed};
use super::{CaseMean, ComparisonRequest, NonInferiorityGate, RunScores};
use crate::TerminalStyle;
use crate::escape::{excerpt, markdown, terminal};
use crate::number::{count_with_noun, three_decimals};
use crate::table::{TextColumn, TextTable};

/// The chance of a wrong verdict, at most; one minus the confidence of the intervals.
const ALPHA: f64 = 0.05;

/// By what a case is sorted in the order of a seed. `occurrence` tells cases of one id apart, counted from 0: each has a place of
/// its own, since what bears one id is often alike, and an order in which it comes together is not drawn at random.
pub fn case_order_key(seed: u64, id: &str, occurrence: u32) -> [u8; 32] {
    if occurrence == 0 { order_key(seed, id) } else { order_key(seed, &format!("{id}\0{occurrence}")) }
}

/// A run with what is known about its end.
#[derive(Debug)]
pub struct PrefixRun {
    /// What it says of its cases.
    pub scores: RunScores,
    /// Cases that it has from the beginning of the order: all of them where it did not stop.
    pub seen: usize,
}

/// Runs against a baseline, on the beginning that they share.
#[derive(Debug, Clone, Serialize)]
pub struct PrefixComparison {
    /// The run that the others are compared with.
    pub baseline: String,
    /// The seed of the order.
    pub seed: u64,
    /// Cases of a complete run.
    pub cases: usize,
    /// One for each other run.
    pub others: Vec<PrefixComparedRun>,
    /// What the reader should know.
    pub notes: Vec<String>,
}

/// A run against the baseline.
#[derive(Debug, Clone, Serialize)]
pub struct PrefixComparedRun {
    /// The run.
    pub name: String,
    /// Cases from the beginning of the order that both have.
    pub prefix: usize,
    /// What each metric says.
    pub metrics: Vec<PrefixDifference>,
    /// What became of the limits.
    pub gates: Vec<PrefixGate>,
}

/// What a metric says about two runs.
#[derive(Debug, Clone, Serialize)]
pub struct PrefixDifference {
    pub metric: String,
    /// Pairs with a value in both.
    pub pairs: usize,
    /// Cases of which one of the runs has no value: they may be anything.
    pub without_value: usize,
    /// Cases that are not the same in both, or that one of the runs does not have.
    pub unpaired: usize,
    /// Mean of the baseline over the pairs.
    pub baseline: Option<f64>,
    /// Mean of the other run.
    pub other: Option<f64>,
    /// Other minus baseline.
    pub difference: Option<f64>,
    /// Where the difference of complete runs lies, at 95 %, wherever these stopped.
    pub interval: Interval,
    /// What that comes to, in a word.
    pub verdict: &'static str,
}

/// What became of a limit against the baseline.
#[derive(Debug, Clone, Serialize)]
pub struct PrefixGate {
    /// The limit.
    pub gate: NonInferiorityGate,
    /// `pass`, `fail`, or `open` where the prefix decides neither.
    pub verdict: &'static str,
    /// Whether the comparison is good enough in this respect.
    pub passed: bool,
    /// Pairs after which it was decided.
    pub at: usize,
}

impl PrefixComparison {
    /// Compares runs of `cases` cases, taken in the order of `seed`, with the first of them.
    pub fn compare(runs: &[PrefixRun], seed: u64, cases: usize, request: &ComparisonRequest) -> Self {
        let ordered = |run: &PrefixRun| {
            let mut means = run.scores.case_means();
            means.sort_by_cached_key(|case| case_order_key(seed, &case.id, case.occurrence));
            means.truncate(run.seen);
            means
        };
        let mut notes = Vec::new();
        let mut others = Vec::new();
        let Some((baseline, rest)) = runs.split_first() else {
            return Self { baseline: String::new(), seed, cases, others, notes };
        };
        let first = ordered(baseline);
        for run in rest {
            let second = ordered(run);
            // Of two beginnings of one order the shorter one is in both.
            let prefix = first.len().min(second.len());
            let pairs = pairs(&first, &second, prefix);
            let (mut metrics, mut gates) = (Vec::new(), Vec::new());
            for (at, info) in baseline.scores.metrics.iter().enumerate() {
                if !request.metrics.is_empty() && !request.metrics.contains(&info.name) || info.is_descriptive {
                    continue;
                }
                let known = run.scores.metrics.iter().position(|metric| metric.name == info.name);
                let Some(place) = known else {
                    notes.push(format!("`{}` has no metric `{}`", run.scores.name, info.name));
                    continue;
                };
                let Some(measured) = MeasuredPairs::new(info, &pairs, (at, place)) else {
                    notes.push(format!(
                        "`{}` has no fixed range, so nothing can be said about it that holds wherever a run stopped",
                        info.name
                    ));
                    continue;
                };
                let limits = request.not_worse.iter().filter(|gate| gate.metric == info.name);
                gates.extend(limits.map(|gate| measured.gate(gate, cases, request.not_worse.len())));
                metrics.push(measured.difference(cases));
            }
            others.push(PrefixComparedRun { name: run.scores.name.clone(), prefix, metrics, gates });
        }
        Self { baseline: baseline.scores.name.clone(), seed, cases, others, notes }
    }

    /// A metric that is asked for and that the runs do not share, or that has no fixed range.
    pub fn undecidable<'a>(&self, request: &'a ComparisonRequest) -> Option<&'a str> {
        let has = |name: &str| self.others.iter().all(|other| other.metrics.iter().any(|metric| metric.metric == name));
        let limits = request.not_worse.iter().map(|gate| &gate.metric);
        limits.chain(&request.metrics).map(String::as_str).find(|name| !has(name))
    }

    /// Whether every limit is kept.
    pub fn passes(&self) -> bool {
        self.others.iter().flat_map(|other| &other.gates).all(|gate| gate.passed)
    }

    /// How the numbers are meant.
    fn rule(&self) -> String {
        format!(
            "one of the runs stopped early: compared are the cases that both have from the beginning of the order of seed {}, of {} in \
             all. Intervals hold at 95 % for the difference of complete runs, wherever these stopped; each metric has its own",
            self.seed, self.cases
        )
    }

    /// The comparison as text.
    pub fn to_terminal(&self, look: TerminalStyle) -> String {
        let mut text = String::new();
        let width = usize::from(look.width);
        for other in &self.others {
            let title = format!("{} against {}", excerpt(&other.name, 60), excerpt(&self.baseline, 60));
            text.push_str(&format!("{}\n{}\n", look.strong(&terminal(&title)), prefix_text(other)));
            text.push_str(&table(other).render(width));
            for gate in &other.gates {
                let word = look.good_or_bad(gate.passed, gate.verdict);
                text.push_str(&format!("{word}: {}\n", terminal(&gate.sentence())));
            }
            text.push('\n');
        }
        for note in &self.notes {
            text.push_str(&format!("note: {}\n", terminal(note)));
        }
        crate::wrap(&self.rule(), "", "", width, &mut text);
        text
    }

    /// The comparison for a pull request.
    pub fn to_markdown(&self) -> String {
        let mut text = String::new();
        for other in &self.others {
            text.push_str(&format!("## {} against {}\n\n", markdown(&other.name), markdown(&self.baseline)));
            text.push_str(&format!("{}\n\n", prefix_text(other)));
            text.push_str(
                "| metric | baseline | other | difference | 95 % interval, at any stop | pairs | verdict |\n",
            );
            text.push_str("|---|--:|--:|--:|--:|--:|---|\n");
            for metric in &other.metrics {
                let cells = metric.cells();
                text.push_str(&format!("| {} | {} |\n", markdown(&metric.metric), cells.join(" | ")));
            }
            for gate in &other.gates {
                text.push_str(&format!("\n**{}**: {}\n", gate.verdict, markdown(&gate.sentence())));
            }
            text.push('\n');
        }
        for note in &self.notes {
            text.push_str(&format!("- {}\n", markdown(note)));
        }
        text.push_str(&format!("\n{}.\n", self.rule()));
        text
    }
}

fn prefix_text(other: &PrefixComparedRun) -> String {
    format!("{} from the beginning of the order in both", count_with_noun(other.prefix as u64, "case", "cases"))
}

fn table(other: &PrefixComparedRun) -> TextTable {
    let mut columns = [
        TextColumn::left("metric"),
        TextColumn::right("baseline").goes(2),
        TextColumn::right("other").goes(2),
        TextColumn::right("difference"),
        TextColumn::right("95 % interval"),
        TextColumn::right("pairs").goes(1),
        TextColumn::left("verdict"),
    ];
    for metric in &other.metrics {
        columns[0].push(terminal(&metric.metric));
        for (column, cell) in columns[1..].iter_mut().zip(metric.cells()) {
            column.push(cell);
        }
    }
    TextTable::new(columns.into())
}

impl PrefixDifference {
    /// Everything but the name, as it is read.
    fn cells(&self) -> [String; 6] {
        let cell = |value: Option<f64>, shown: fn(f64) -> String| value.map_or_else(|| "–".to_owned(), shown);
        [
            cell(self.baseline, three_decimals),
            cell(self.other, three_decimals),
            cell(self.difference, signed),
            ends(Some(self.interval)),
            self.pairs.to_string(),
            self.verdict.to_owned(),
        ]
    }
}

impl PrefixGate {
    fn sentence(&self) -> String {
        let NonInferiorityGate { metric, margin, .. } = &self.gate;
        let limit = format!("{metric} worse by at most {margin}");
        match self.verdict {
            "open" => format!("{limit} is not decided after {}", count_with_noun(self.at as u64, "pair", "pairs")),
            _ => format!("{limit}, decided at pair {}", self.at),
        }
    }
}

impl fmt::Display for PrefixGate {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}: {}", self.verdict, self.sentence())
    }
}

/// A case of the beginning, as both runs have it; nothing where they do not.
type PairedCase<'a> = Option<(&'a CaseMean, &'a CaseMean)>;

/// The cases of the shorter beginning with their counterparts.
fn pairs<'a>(first: &'a [CaseMean], second: &'a [CaseMean], prefix: usize) -> Vec<PairedCase<'a>> {
    let is_first = first.len() <= second.len();
    let (shorter, longer) = if is_first { (first, second) } else { (second, first) };
    let known: BTreeMap<(&str, u32), &CaseMean> =
        longer.iter().map(|case| ((case.id.as_str(), case.occurrence), case)).collect();
    let pair = |case: &'a CaseMean| {
        let other = *known.get(&(case.id.as_str(), case.occurrence))?;
        let is_same = case.content.zip(other.content).is_none_or(|(one, another)| one == another);
        is_same.then_some(if is_first { (case, other) } else { (other, case) })
    };
    shorter.iter().take(prefix).map(pair).collect()
}

/// Values of a metric in the beginning of both runs.
struct MeasuredPairs<'a> {
    info: &'a MetricInfo,
    values: Vec<(f64, f64)>,
    observations: Vec<Observation>,
}

impl<'a> MeasuredPairs<'a> {
    fn new(info: &'a MetricInfo, pairs: &[PairedCase<'_>], (at, place): (usize, usize)) -> Option<Self> {
        let (low, high) = info.range;
        if !low.is_finite() || !high.is_finite() || low >= high {
            return None;
        }
        let share = |value: f64| ((value - low) / (high - low)).clamp(0.0, 1.0);
        let (mut values, mut observations) = (Vec::new(), Vec::new());
        for pair in pairs {
            let both = pair.map(|(first, second)| (first.values[at], second.values[place]));
            observations.push(match both {
                // Where neither has a value the question does not apply, or both failed; one alone may be anything.
                None | Some((None, None)) => Observation::NotApplicable,
                Some((Some(first), Some(second))) => {
                    values.push((first, second));
                    match info.better {
                        Better::Higher => paired_observation(share(first), share(second)),
                        Better::Lower => paired_observation(share(second), share(first)),
                    }
                }
                Some(_) => Observation::Failed,
            });
        }
        Some(Self { info, values, observations })
    }

    fn width(&self) -> f64 {
        self.info.range.1 - self.info.range.0
    }

    fn difference(&self, cases: usize) -> PrefixDifference {
        let mean = |values: &dyn Fn(&(f64, f64)) -> f64| {
            (!self.values.is_empty()).then(|| self.values.iter().map(values).sum::<f64>() / self.values.len() as f64)
        };
        let (baseline, other) = (mean(&|pair| pair.0), mean(&|pair| pair.1));
        let found = anytime_interval(&self.observations, Sampling::DataSet { cases }, ALPHA);
        // More is better for the observations.
        let gains = [found.low, found.high].map(|end| (2.0 * end - 1.0) * self.width());
        let verdict = match gains {
            [low, _] if low > 0.0 => "better",
            [_, high] if high < 0.0 => "worse",
            _ => "no difference shown",
        };
        let [low, high] = if self.info.better == Better::Lower { [-gains[1], -gains[0]] } else { gains };
        let count = |kind: Observation| self.observations.iter().filter(|found| **found == kind).count();
        PrefixDifference {
            metric: self.info.name.clone(),
            pairs: self.values.len(),
            without_value: count(Observation::Failed),
            unpaired: count(Observation::NotApplicable),
            baseline,
            other,
            difference: other.zip(baseline).map(|(other, baseline)| other - baseline),
            interval: Interval { low, high },
            verdict,
        }
    }

    fn gate(&self, gate: &NonInferiorityGate, cases: usize, gates: usize) -> PrefixGate {
        let threshold = paired_threshold(-gate.margin / self.width());
        let alpha_fail = ALPHA / gates.max(1) as f64;
        let mut test = GateTest::with_alphas(threshold, ALPHA, alpha_fail, Sampling::DataSet { cases });
        for observation in &self.observations {
            test.push(*observation);
        }
        let verdict = test.verdict();
        PrefixGate {
            gate: gate.clone(),
            verdict: match verdict {
                GateVerdict::Pass => "pass",
                GateVerdict::Fail => "fail",
                GateVerdict::Open => "open",
            },
            passed: verdict == GateVerdict::Pass || gate.confident && verdict == GateVerdict::Open,
            at: test.case_count(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::metrics;
    use probare_core::{MetricResult, Outcome, Score};

    fn run(name: &str, cases: u32, seen: usize, good: impl Fn(u32) -> bool) -> PrefixRun {
        let mut scores = RunScores::new(name, metrics()[..1].to_vec());
        let mut ids: Vec<u32> = (0..cases).collect();
        ids.sort_by_cached_key(|at| order_key(7, &at.to_string()));
        for at in ids.into_iter().take(seen) {
            let value = Score::from_number(f64::from(u8::from(good(at)))).unwrap();
            let named: Option<MetricResult> = Some(Ok(Outcome::Scored(value)));
            scores.add((&at.to_string(), None, 0), &[named], None, &ComparisonRequest::default());
        }
        PrefixRun { scores, seen }
    }

    fn request(margin: f64, confident: bool) -> ComparisonRequest {
        let gate = NonInferiorityGate { metric: metrics()[0].name.clone(), margin, confident };
        ComparisonRequest { not_worse: vec![gate], ..ComparisonRequest::default() }
    }

    #[test]
    fn the_shorter_beginning_is_compared_and_the_difference_of_complete_runs_is_in_the_interval() {
        let (first, second) = (run("a", 400, 400, |at| at % 3 > 0), run("b", 400, 150, |at| at % 6 > 0));
        let found = PrefixComparison::compare(&[first, second], 7, 400, &request(0.05, false));
        let other = &found.others[0];
        let metric = &other.metrics[0];
        assert_eq!((other.prefix, metric.pairs, metric.unpaired), (150, 150, 0));
        let truth = (0..400).filter(|at| at % 6 > 0).count() as f64 / 400.0
            - (0..400).filter(|at| at % 3 > 0).count() as f64 / 400.0;
        assert!(metric.interval.low <= truth && truth <= metric.interval.high, "{metric:?}");
        assert!(metric.interval.low > 0.0 && metric.verdict == "better" && found.passes(), "{metric:?}");
        assert_eq!(other.gates[0].verdict, "pass");
        for text in [found.to_terminal(TerminalStyle { width: 160, colour: false }), found.to_markdown()] {
            assert!(text.contains("better") && text.contains("stopped early") && !text.contains("p value"), "{text}");
        }
    }

    #[test]
    fn a_short_beginning_decides_nothing() {
        let make = |confident| {
            let runs = [run("a", 400, 12, |at| at % 2 == 0), run("b", 400, 400, |at| at % 2 == 1)];
            PrefixComparison::compare(&runs, 7, 400, &request(0.05, confident))
        };
        let found = make(false);
        assert_eq!((found.others[0].gates[0].verdict, found.others[0].prefix), ("open", 12));
        assert!(!found.passes() && make(true).passes(), "an open limit passes only with --significant");
        assert_eq!(found.others[0].metrics[0].verdict, "no difference shown");
    }
}
