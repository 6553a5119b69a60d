//! [`Estimate`]: what a run will take, guessed from the lengths of its texts before anything is asked.

use probare_core::Usage;

/// Bytes of a token, roughly: English text in the tokenizers of today.
pub(super) const BYTES_PER_TOKEN: u64 = 4;

/// Tokens of a reply whose longest length is not set.
pub(super) const USUAL_REPLY: u64 = 256;

/// Seconds that a reply takes, roughly.
pub(super) const SECONDS_PER_REPLY: f64 = 2.0;

/// What one model will be asked.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ModelEstimate {
    /// Name of the model.
    pub model: String,
    /// What for: the names of the metrics it judges, or nothing for a model under test.
    pub judges: Vec<String>,
    /// The prompt that it is asked with, where there are several.
    pub prompt: Option<String>,
    pub calls: u64,
    /// Whether there may be fewer of them: a metric asks only where it is unsure.
    pub is_most: bool,
    /// Tokens, roughly.
    pub usage: Usage,
    /// Whether the calls go into batches: replies come within a day, and `cost_usd` is the price that holds there.
    pub in_batches: bool,
    /// US dollars, roughly; nothing where no price is known.
    pub cost_usd: Option<f64>,
    /// Seconds that the calls take, as many at once as the settings allow.
    pub seconds: f64,
}

/// What a run will take.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Estimate {
    /// Cases by data set.
    pub cases: Vec<(String, u64)>,
    /// Samples: cases times models times prompts times repeats.
    pub samples: u64,
    pub metrics: usize,
    /// By model.
    pub asked: Vec<ModelEstimate>,
}

impl Estimate {
    /// Calls in all.
    pub fn calls(&self) -> u64 {
        self.asked.iter().map(|asked| asked.calls).sum()
    }

    /// Tokens in all.
    pub fn usage(&self) -> Usage {
        self.asked.iter().fold(Usage::default(), |sum, asked| sum.plus(asked.usage))
    }

    /// US dollars in all; nothing where the price of a model is not known.
    pub fn cost_usd(&self) -> Option<f64> {
        self.asked.iter().map(|asked| asked.cost_usd).sum()
    }

    /// Whether any calls go into batches.
    pub fn has_batches(&self) -> bool {
        self.asked.iter().any(|asked| asked.in_batches)
    }

    /// Seconds, those of batches left out: models are asked side by side, but a judge waits for what it judges.
    pub fn seconds(&self) -> f64 {
        let longest = |judging: bool| {
            let each = self.asked.iter().filter(|asked| asked.judges.is_empty() != judging).map(|asked| asked.seconds);
            each.fold(0.0, f64::max)
        };
        longest(false) + longest(true)
    }
}
