//! [`EarlyDecision`]: what is known about the gates of a run after each case.

use std::fmt;
use std::io;

use probare_core::{Better, Case, CaseResult, MetricInfo, MetricResult, Outcome};
use probare_report::number::{count_with_noun, signed, three_decimals};
use probare_report::{Gate, Gates, Relation};
use probare_stats::sequential::{
    GateTest, GateVerdict as TestVerdict, Observation, Sampling, anytime_interval, lower_bound, paired_observation,
    paired_threshold, upper_bound,
};
use serde::Serialize;

use super::baseline::{Baseline, BaselineValue, CaseKey};
use super::error::EarlyDecisionError;

/// Fewer cases decide nothing that a complete run would not.
const FEWEST_CASES: usize = 2;

/// The chance of another verdict than that of the complete run, at most.
const ALPHA: f64 = 0.05;

/// What is known about a gate.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum DecidedVerdict {
    /// It is kept.
    Pass,
    /// It is missed.
    Fail,
    /// All cases were run, and those that failed decide it.
    Undecided,
    /// The run stopped for another gate, or before its end.
    Open,
}

/// What became of a gate of a run that may stop early; its `Display` is one line for the reader.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct GateDecision {
    /// The condition that has to hold.
    pub gate: String,
    pub metric: String,
    /// The limit, in units of the metric.
    pub threshold: f64,
    /// Whose mean: that of the complete run over these cases.
    pub target: &'static str,
    /// How evidence is counted.
    pub method: &'static str,
    /// The chance of a wrong pass, at most.
    pub alpha_pass: f64,
    /// The chance of a wrong fail, at most.
    pub alpha_fail: f64,
    /// What was decided.
    pub verdict: DecidedVerdict,
    /// Whether no further case could have changed it.
    pub certain: bool,
    /// The case after which it was decided, counted from 1 in the seeded order; the last that was looked at where it is open.
    pub at: usize,
    /// Cases of the complete run.
    pub cases: usize,
    /// Cases without a value among those that were looked at.
    pub failed: usize,
    /// Cases to which the question does not apply among them.
    pub not_applicable: usize,
    /// Mean of those that have a value.
    pub mean: Option<f64>,
    /// The bound on the side of the verdict, at the case that decided; holds at any stop.
    pub bound: Option<f64>,
    /// The interval at 95 %, which holds at any stop.
    pub interval: (f64, f64),
    /// Logarithm of the evidence that the mean is above the limit; nothing where it is certain.
    pub log_above: Option<f64>,
    /// Logarithm of the evidence that it is below.
    pub log_below: Option<f64>,
    /// The seed of the order.
    pub seed: u64,
    /// Cases that were not looked at.
    pub not_run: usize,
    /// Whether the gate asks for a small mean.
    #[serde(skip)]
    is_upper: bool,
    /// Whether the mean is one of differences from a baseline.
    #[serde(skip)]
    is_paired: bool,
}

impl fmt::Display for GateDecision {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let shown = if self.is_paired { signed } else { three_decimals };
        let (what, unit) = if self.is_paired { ("difference", "pair") } else { ("mean", "case") };
        let mean = self.mean.map_or_else(|| "none".to_owned(), shown);
        let interval = format!("[{}, {}]", shown(self.interval.0), shown(self.interval.1));
        match self.verdict {
            DecidedVerdict::Pass | DecidedVerdict::Fail => {
                let word = if self.verdict == DecidedVerdict::Pass { "pass" } else { "fail" };
                let is_least = (self.verdict == DecidedVerdict::Pass) != self.is_upper;
                let side = if is_least { "at least" } else { "at most" };
                write!(formatter, "{word}  {}   {what} so far {mean}", self.gate)?;
                match self.bound.filter(|_| !self.certain) {
                    Some(bound) => {
                        write!(formatter, ", {side} {} (95 %, holds at any stop)", shown(bound))?;
                    }
                    None => write!(formatter, "; no further case could change it")?,
                }
                write!(formatter, "   decided at {unit} {} of {}", self.at, self.cases)
            }
            DecidedVerdict::Undecided => write!(
                formatter,
                "undecided  {}   {mean} {interval}; {} it",
                self.gate,
                if self.failed == 1 {
                    "1 failed case decides".to_owned()
                } else {
                    format!("{} failed cases decide", self.failed)
                }
            ),
            DecidedVerdict::Open => {
                write!(formatter, "open  {}   {mean} {interval} after {} of {}", self.gate, self.at, self.cases)
            }
        }
    }
}

/// How a gate sees an output: as a value from 0 to 1, more being better.
#[derive(Debug, Clone, Copy)]
enum Measure {
    /// The place of the value in the range of its metric; turned round where less is better.
    Mean { low: f64, high: f64, is_upper: bool },
    /// Whether the value stands so to a limit.
    Share { relation: Relation, limit: f64 },
    /// The place of the value in the range of its metric, which is compared with that of the baseline.
    Gain { low: f64, high: f64, is_lower_better: bool },
}

impl Measure {
    fn observe(self, value: f64) -> f64 {
        match self {
            Self::Mean { low, high, is_upper } => {
                let share = (value - low) / (high - low);
                if is_upper { 1.0 - share } else { share }
            }
            Self::Share { relation, limit } => f64::from(u8::from(relation.holds(value, limit))),
            Self::Gain { low, high, .. } => (value - low) / (high - low),
        }
    }

    /// A mean of observations, in units of the metric.
    fn back(self, mean: f64) -> f64 {
        match self {
            Self::Mean { low, high, is_upper } => low + (if is_upper { 1.0 - mean } else { mean }) * (high - low),
            Self::Share { .. } => mean,
            Self::Gain { low, high, .. } => (2.0 * mean - 1.0) * (high - low),
        }
    }

    /// Observations of the run and of the baseline as one, more being better for the run.
    fn pair(self, candidate: f64, baseline: f64) -> Observation {
        match self {
            Self::Gain { is_lower_better: true, .. } => paired_observation(candidate, self.observe(baseline)),
            _ => paired_observation(self.observe(baseline), candidate),
        }
    }

    /// The ends between which values have to lie.
    const fn range(self) -> Option<(f64, f64)> {
        match self {
            Self::Mean { low, high, .. } | Self::Gain { low, high, .. } => Some((low, high)),
            Self::Share { .. } => None,
        }
    }

    const fn is_upper(self) -> bool {
        matches!(self, Self::Mean { is_upper: true, .. })
    }
}

/// A gate with everything that was observed for it.
#[derive(Debug, Clone)]
struct WatchedGate {
    condition: String,
    metric: String,
    /// Place of the metric among the results.
    column: usize,
    threshold: f64,
    measure: Measure,
    alpha_fail: f64,
    test: GateTest,
    observations: Vec<Observation>,
    /// What the baseline says of every case, in the seeded order; nothing where the gate is on the run alone.
    baseline: Option<Vec<BaselineValue>>,
    /// Of the case whose outputs are coming: their sum, how many have a value, and whether one failed.
    sum: f64,
    values: u32,
    has_failed: bool,
}

/// What the decisions of a run are made from.
#[derive(Clone, Copy)]
pub(crate) struct EarlySetup<'a> {
    pub gates: &'a Gates,
    pub metrics: &'a [MetricInfo],
    /// Cases of the complete run, and outputs of each as long as they are not read.
    pub cases: usize,
    pub outputs: u64,
    pub seed: u64,
    /// The run that it is compared with.
    pub baseline: Option<&'a Baseline>,
    /// The cases in the seeded order; none as long as they are not read.
    pub keys: &'a [CaseKey],
}

/// The gates of a run, looked at after every case of the seeded order.
#[derive(Debug, Clone)]
pub struct EarlyDecision {
    gates: Vec<WatchedGate>,
    cases: usize,
    /// Outputs of each case in the order; of all cases as many where there is nothing here.
    outputs_of: Vec<u64>,
    outputs: u64,
    /// Outputs of the case that is coming.
    pending: u64,
    seen: usize,
    seed: u64,
    /// Whether nothing further counts, since the run is short of money.
    is_suspended: bool,
}

impl EarlyDecision {
    /// Looks at gates on metrics.
    pub(crate) fn new(setup: &EarlySetup<'_>) -> Result<Self, EarlyDecisionError> {
        let EarlySetup { gates, metrics, cases, outputs, seed, baseline, keys } = *setup;
        if cases < FEWEST_CASES {
            let found = count_with_noun(cases as u64, "case", "cases");
            return Err(EarlyDecisionError::CompleteRun(format!(
                "{found} cannot be decided early; at least {FEWEST_CASES} cases are needed"
            )));
        }
        let count = gates.iter().count();
        if count == 0 {
            return Err(EarlyDecisionError::NoGate);
        }
        if baseline.is_some() && gates.iter().all(|gate| !matches!(gate, Gate::NotWorse { .. })) {
            return Err(EarlyDecisionError::UnusedBaseline);
        }
        // Letting a bad release through needs a wrong pass of one gate; blocking a good one a wrong fail of any.
        let alpha_fail = ALPHA / count as f64;
        let gates = gates.iter().map(|gate| WatchedGate::new(gate, metrics, alpha_fail, cases, (baseline, keys)));
        Ok(Self {
            gates: gates.collect::<Result<_, _>>()?,
            cases,
            outputs_of: keys.iter().map(|key| key.outputs).collect(),
            outputs: outputs.max(1),
            pending: 0,
            seen: 0,
            seed,
            is_suspended: false,
        })
    }

    /// Takes in the next output of the order. Says whether everything is decided.
    pub fn push(&mut self, result: &CaseResult) -> io::Result<bool> {
        self.push_results(&result.case, &result.results)
    }

    /// The same of results that are known already.
    pub fn push_results(&mut self, case: &Case, results: &[MetricResult]) -> io::Result<bool> {
        if self.is_suspended || self.is_decided() {
            return Ok(self.is_decided());
        }
        for gate in &mut self.gates {
            gate.take_output(case, results.get(gate.column))?;
        }
        self.pending += 1;
        if self.pending == self.outputs_of.get(self.seen).copied().unwrap_or(self.outputs) {
            self.pending = 0;
            self.seen += 1;
            for gate in &mut self.gates {
                gate.end_case();
            }
        }
        Ok(self.is_decided())
    }

    /// Nothing further counts: what failed for want of money is no failure of its case.
    pub const fn suspend(&mut self) {
        self.is_suspended = true;
    }

    /// Whether a gate has failed, or all have passed.
    pub fn is_decided(&self) -> bool {
        self.verdicts().any(|verdict| verdict == TestVerdict::Fail)
            || self.verdicts().all(|verdict| verdict == TestVerdict::Pass)
    }

    fn verdicts(&self) -> impl Iterator<Item = TestVerdict> {
        self.gates.iter().map(|gate| gate.test.verdict())
    }

    /// Cases that were looked at.
    pub const fn seen(&self) -> usize {
        self.seen
    }

    /// Cases of the complete run.
    pub const fn cases(&self) -> usize {
        self.cases
    }

    /// The seed of the order.
    pub(crate) const fn seed(&self) -> u64 {
        self.seed
    }

    /// Samples of the complete run.
    pub(crate) fn samples(&self) -> u64 {
        if self.outputs_of.is_empty() { self.cases as u64 * self.outputs } else { self.outputs_of.iter().sum() }
    }

    /// Samples of the cases that were looked at.
    pub(crate) fn seen_samples(&self) -> u64 {
        if self.outputs_of.is_empty() {
            self.seen as u64 * self.outputs
        } else {
            self.outputs_of.iter().take(self.seen).sum()
        }
    }

    /// What the samples that are left would cost, where those so far have cost this.
    pub(crate) fn cost_of_rest(&self, usd: f64) -> f64 {
        let seen = self.seen_samples();
        usd / seen.max(1) as f64 * self.samples().saturating_sub(seen) as f64
    }

    /// Whether cases are left that were not looked at, since they are not needed.
    pub fn is_stopped_early(&self) -> bool {
        self.is_decided() && self.seen < self.cases
    }

    /// What became of each gate.
    pub fn decisions(&self) -> Vec<GateDecision> {
        self.gates.iter().map(|gate| gate.decision(self)).collect()
    }

    /// What is left to decide: each open gate with what is known about it.
    pub(crate) fn open_text(&self) -> String {
        let open = self.gates.iter().filter(|gate| gate.test.verdict() == TestVerdict::Open);
        let lines: Vec<String> =
            open.map(|gate| gate.decision(self).to_string().replace("   ", ": ").replace("  ", " ")).collect();
        lines.join("; ")
    }

    /// How the run ended, in one sentence; nothing where it took all cases. `usd` is what was not spent.
    pub fn sentence(&self, usd: Option<f64>) -> Option<String> {
        if !self.is_stopped_early() {
            return None;
        }
        let saved = usd
            .filter(|usd| *usd > 0.0)
            .map(|usd| {
                format!(
                    "; about {} US dollars not spent",
                    if usd < 1.0 { format!("{usd:.4}") } else { format!("{usd:.2}") }
                )
            })
            .unwrap_or_default();
        Some(format!("decided after {} of {} cases{saved}", self.seen, self.cases))
    }
}

impl WatchedGate {
    fn new(
        gate: &Gate,
        metrics: &[MetricInfo],
        alpha_fail: f64,
        cases: usize,
        (baseline, keys): (Option<&Baseline>, &[CaseKey]),
    ) -> Result<Self, EarlyDecisionError> {
        let not_a_mean = || {
            let reason = format!("`{gate}` does not limit a mean over cases, so it needs the complete run");
            EarlyDecisionError::CompleteRun(reason)
        };
        let column = metrics.iter().position(|metric| metric.name == gate.metric()).ok_or_else(not_a_mean)?;
        let info = &metrics[column];
        let (low, high) = info.range;
        let has_range = low.is_finite() && high.is_finite() && low < high;
        let mut compared = None;
        let (measure, threshold, condition) = match gate {
            Gate::Mean { metric, .. } | Gate::NotWorse { metric, .. } if !has_range => {
                return Err(EarlyDecisionError::CompleteRun(format!(
                    "`{metric}` has no fixed range, so no gate on it can be decided early"
                )));
            }
            Gate::Mean { metric, relation: relation @ (Relation::Under | Relation::Over), limit } => {
                let is_upper = *relation == Relation::Over;
                let sign = if is_upper { "<=" } else { ">=" };
                (Measure::Mean { low, high, is_upper }, *limit, format!("{metric} {sign} {limit}"))
            }
            Gate::PassRate { metric, relation, limit, share } => {
                let condition = format!("share of {metric} {} {limit} >= {share}", relation.sign());
                (Measure::Share { relation: *relation, limit: *limit }, *share, condition)
            }
            Gate::NotWorse { metric, margin } => {
                let baseline = baseline.ok_or_else(|| EarlyDecisionError::NoBaseline { gate: gate.to_string() })?;
                compared = Some(baseline.values(info, keys)?);
                let condition = format!("{metric} worse than {} by at most {margin}", baseline.name);
                (Measure::Gain { low, high, is_lower_better: info.better == Better::Lower }, -margin, condition)
            }
            _ => return Err(not_a_mean()),
        };
        let tested = match measure {
            Measure::Mean { .. } => measure.observe(threshold),
            Measure::Share { .. } => threshold,
            Measure::Gain { .. } => paired_threshold(threshold / (high - low)),
        };
        if !(tested > 0.0 && tested <= 1.0) {
            return Err(EarlyDecisionError::Threshold { gate: gate.to_string(), low, high });
        }
        Ok(Self {
            condition,
            metric: info.name.clone(),
            column,
            threshold,
            measure,
            alpha_fail,
            test: GateTest::with_alphas(tested, ALPHA, alpha_fail, Sampling::DataSet { cases }),
            observations: Vec::new(),
            baseline: compared,
            sum: 0.0,
            values: 0,
            has_failed: false,
        })
    }

    fn take_output(&mut self, case: &Case, result: Option<&MetricResult>) -> io::Result<()> {
        match result {
            Some(Ok(Outcome::Scored(score))) => {
                let value = score.value.get();
                if let Some((low, high)) = self.measure.range()
                    && !(low..=high).contains(&value)
                {
                    return Err(io::Error::other(format!(
                        "case `{}` has {value} of `{}`, which lies from {low} to {high}",
                        case.id, self.metric
                    )));
                }
                self.sum += self.measure.observe(value);
                self.values += 1;
            }
            Some(Ok(_)) => {}
            Some(Err(_)) | None => self.has_failed = true,
        }
        Ok(())
    }

    fn end_case(&mut self) {
        let observation = if self.has_failed {
            Observation::Failed
        } else if self.values == 0 {
            Observation::NotApplicable
        } else {
            Observation::Value(self.sum / f64::from(self.values))
        };
        let observation = match (&self.baseline, observation) {
            (None, observation) => observation,
            (Some(baseline), observation) => match (baseline.get(self.observations.len()), observation) {
                (None | Some(BaselineValue::Unpaired), _) => Observation::NotApplicable,
                (Some(BaselineValue::Value(value)), Observation::Value(own)) => self.measure.pair(own, *value),
                // What the baseline would have had is not known, so the verdict holds whatever it is.
                (Some(BaselineValue::Missing), Observation::Value(_)) => Observation::Failed,
                (Some(_), without) => without,
            },
        };
        (self.sum, self.values, self.has_failed) = (0.0, 0, false);
        self.observations.push(observation);
        self.test.push(observation);
    }

    fn decision(&self, run: &EarlyDecision) -> GateDecision {
        let sampling = Sampling::DataSet { cases: run.cases };
        let is_complete = run.seen == run.cases;
        let verdict = match self.test.verdict() {
            TestVerdict::Pass => DecidedVerdict::Pass,
            TestVerdict::Fail => DecidedVerdict::Fail,
            TestVerdict::Open if is_complete => DecidedVerdict::Undecided,
            TestVerdict::Open => DecidedVerdict::Open,
        };
        let values: Vec<f64> = self.observations.iter().filter_map(|observation| value(*observation)).collect();
        let mean = (!values.is_empty()).then(|| values.iter().sum::<f64>() / values.len() as f64);
        let looked_at = &self.observations[..self.test.case_count()];
        let bound = match verdict {
            DecidedVerdict::Pass => Some(lower_bound(looked_at, sampling, ALPHA)),
            DecidedVerdict::Fail => Some(upper_bound(looked_at, sampling, self.alpha_fail)),
            DecidedVerdict::Undecided | DecidedVerdict::Open => None,
        };
        let interval = anytime_interval(&self.observations, sampling, ALPHA);
        let ends = [interval.low, interval.high].map(|end| self.measure.back(end));
        let count = |wanted: Observation| self.observations.iter().filter(|found| **found == wanted).count();
        let finite = |log: f64| log.is_finite().then_some(log);
        GateDecision {
            gate: self.condition.clone(),
            metric: self.metric.clone(),
            threshold: self.threshold,
            target: "data_set",
            method: "mixture",
            alpha_pass: ALPHA,
            alpha_fail: self.alpha_fail,
            verdict,
            certain: self.test.is_certain(),
            at: self.test.case_count(),
            cases: run.cases,
            failed: count(Observation::Failed),
            not_applicable: count(Observation::NotApplicable),
            mean: mean.map(|mean| self.measure.back(mean)),
            bound: bound.map(|bound| self.measure.back(bound)),
            interval: (ends[0].min(ends[1]), ends[0].max(ends[1])),
            log_above: finite(self.test.log_above()),
            log_below: finite(self.test.log_below()),
            seed: run.seed,
            not_run: run.cases - run.seen,
            is_upper: self.measure.is_upper(),
            is_paired: self.baseline.is_some(),
        }
    }
}

const fn value(observation: Observation) -> Option<f64> {
    match observation {
        Observation::Value(value) => Some(value),
        Observation::NotApplicable | Observation::Failed => None,
    }
}
