//! [`NonInferiorityVerdict`]: what became of a limit against the baseline.

use std::fmt;

use probare_stats::{ConfidenceLevel, StatisticalMethod, paired_share_interval};
use serde::Serialize;

use super::measure::{MetricComparison, MetricDifference};
use super::request::NonInferiorityGate;
use crate::number::{count_with_noun, rounded};

/// What became of a limit against the baseline; its `Display` is one line for the reader.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct NonInferiorityVerdict {
    /// The limit.
    pub gate: NonInferiorityGate,
    /// Whether it is kept.
    pub passed: bool,
    /// How much better the other run is; negative where it is worse.
    pub gain: Option<f64>,
    /// Lower end of the interval of that.
    pub low: Option<f64>,
    /// Upper end.
    pub high: Option<f64>,
    pub pairs: usize,
    /// About how many pairs like these would show that the run is not worse, where these are too few to show it or its opposite.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pairs_needed: Option<u64>,
}

impl NonInferiorityVerdict {
    pub(super) fn evaluate(gate: &NonInferiorityGate, metrics: &[MetricComparison]) -> Self {
        let measured = metrics.iter().find(|metric| metric.metric == gate.metric);
        let whole = measured.and_then(|metric| metric.whole.as_ref());
        let interval = whole.and_then(MetricDifference::gain_interval);
        // Without an interval nothing is sure: neither that it is worse nor that it is not.
        let passed = match interval {
            Some(interval) if gate.confident => interval.high >= -gate.margin,
            Some(interval) => interval.low > -gate.margin,
            None => false,
        };
        let is_unclear = interval.is_some_and(|interval| interval.low <= -gate.margin && interval.high >= -gate.margin);
        Self {
            gate: gate.clone(),
            passed,
            gain: whole.map(|whole| whole.gain(whole.contrast.mean)),
            low: interval.map(|interval| interval.low),
            high: interval.map(|interval| interval.high),
            pairs: whole.map_or(0, |whole| whole.contrast.pairs),
            pairs_needed: measured.filter(|_| is_unclear).and_then(|metric| pairs_needed(metric, gate)),
        }
    }
}

impl NonInferiorityVerdict {
    /// Whether the interval reaches to both sides of the margin: it is not known whether the run is worse by more than that.
    pub fn is_unclear(&self) -> bool {
        let margin = -self.gate.margin;
        match (self.low, self.high) {
            (Some(low), Some(high)) => low <= margin && high >= margin,
            _ => true,
        }
    }
}

/// Most pairs that are told: nobody has more.
const MOST_PAIRS: u64 = 10_000_000;

/// With how many pairs like these the whole interval would be above the margin; nothing where the difference itself is not.
fn pairs_needed(metric: &MetricComparison, gate: &NonInferiorityGate) -> Option<u64> {
    let whole = metric.whole.as_ref()?;
    let (gain, low) = (whole.gain(whole.contrast.mean), whole.gain_interval()?.low);
    let pairs = whole.contrast.pairs as u64;
    if gain <= -gate.margin || pairs == 0 {
        return None;
    }
    if whole.contrast.interval_by != Some(StatisticalMethod::BonettPrice) {
        // The width of an interval of means goes with the root of their number.
        let factor = (gain - low) / (gain + gate.margin);
        let needed = (pairs as f64 * factor * factor).ceil();
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "between 1 and ten million")]
        return (needed <= MOST_PAIRS as f64).then_some(needed as u64);
    }
    let is_enough = |total: u64| {
        // As many of a hundred changed as did here.
        let scaled =
            |changed: u64| (u128::from(changed) * u128::from(total) + u128::from(pairs) / 2) / u128::from(pairs);
        let [improved, worsened] =
            [metric.improved, metric.worsened].map(|changed| u64::try_from(scaled(changed)).unwrap_or(u64::MAX));
        let interval = paired_share_interval(improved, worsened, total, ConfidenceLevel::NINETY_FIVE);
        interval.is_some_and(|interval| interval.low > -gate.margin)
    };
    let mut high = pairs;
    while !is_enough(high) {
        high = high.checked_mul(2).filter(|high| *high <= MOST_PAIRS)?;
    }
    let mut low = high / 2;
    while low + 1 < high {
        let middle = low.midpoint(high);
        if is_enough(middle) { high = middle } else { low = middle }
    }
    Some(high)
}

impl fmt::Display for NonInferiorityVerdict {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let NonInferiorityGate { metric, margin, confident } = &self.gate;
        let word = if self.passed { "passed" } else { "failed" };
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
            "{word}: {metric} gains {} ({} to {}) over {}; {rule} {}",
            signed(gain),
            signed(low),
            signed(high),
            count_with_noun(self.pairs as u64, "pair", "pairs"),
            rounded(*margin)
        )?;
        // Of a limit that is kept the reader has to know that nothing was shown.
        if self.passed && self.is_unclear() {
            write!(formatter, "; so few pairs cannot tell")?;
        }
        match self.pairs_needed {
            Some(needed) => write!(formatter, "; about {needed} pairs like these would be enough to say so"),
            None => Ok(()),
        }
    }
}
