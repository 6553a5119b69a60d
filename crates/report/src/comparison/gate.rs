//! [`NotWorse`]: a limit against the baseline.

use std::fmt;

use serde::Serialize;

use super::Measured;
use crate::number::rounded;

/// The other run must not be worse than the baseline by more than a margin.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct NotWorse {
    /// Name of the metric.
    pub metric: String,
    /// How much worse is still accepted, in units of the metric.
    pub margin: f64,
    /// Whether only a run that is surely worse fails. Otherwise the run has to be surely not worse.
    pub confident: bool,
}

/// What became of a limit against the baseline; its `Display` is one line for the reader.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Standing {
    /// The limit.
    pub gate: NotWorse,
    /// Whether it is kept.
    pub passed: bool,
    /// How much better the other run is; negative where it is worse.
    pub gain: Option<f64>,
    /// Lower end of the interval of that.
    pub low: Option<f64>,
    /// Upper end.
    pub high: Option<f64>,
    /// Pairs.
    pub pairs: usize,
}

impl Standing {
    pub(super) fn of(gate: &NotWorse, metrics: &[Measured]) -> Self {
        let whole = metrics.iter().find(|metric| metric.metric == gate.metric).and_then(|metric| metric.whole.as_ref());
        let interval = whole.and_then(super::Finding::gain_interval);
        // Without an interval nothing is sure: neither that it is worse nor that it is not.
        let passed = match interval {
            Some(interval) if gate.confident => interval.high >= -gate.margin,
            Some(interval) => interval.low > -gate.margin,
            None => false,
        };
        Self {
            gate: gate.clone(),
            passed,
            gain: whole.map(|whole| whole.gain(whole.contrast.mean)),
            low: interval.map(|interval| interval.low),
            high: interval.map(|interval| interval.high),
            pairs: whole.map_or(0, |whole| whole.contrast.pairs),
        }
    }
}

impl fmt::Display for Standing {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let NotWorse { metric, margin, confident } = &self.gate;
        let word = if self.passed { "passed" } else { "missed" };
        let (Some(gain), Some(low), Some(high)) = (self.gain, self.low, self.high) else {
            return write!(formatter, "{word}: {metric} has too few pairs to say whether it is worse");
        };
        let rule = if *confident {
            "fails if surely worse by more than"
        } else {
            "fails unless surely not worse by more than"
        };
        let signed = |number: f64| format!("{}{}", if number > 0.0 { "+" } else { "" }, rounded(number));
        write!(
            formatter,
            "{word}: {metric} gains {} ({} to {}) over {} pairs; {rule} {}",
            signed(gain),
            signed(low),
            signed(high),
            self.pairs,
            rounded(*margin)
        )
    }
}
