//! The five measures on plain texts: what the metrics of this family and the benchmark share.
//!
//! Each file holds one measure. A measure returns what it found (counts, verdicts, places), and both the value and the
//! evidence are read off that finding, so they cannot drift apart and a reader who wants numbers only pays for nothing
//! else. The definitions are those of the SynthLink scorer; its tokens are in `probare_text::tokens::synthlink`.

mod catalogue_cells;
mod claims;
mod documents;
mod iterations;
mod overlap;
mod steps;
mod vocabulary;
mod word_lists;

pub use catalogue_cells::{parse_steps, parse_topics};
pub use claims::{ClaimChecker, ClaimFinding, SourceFinding};
pub use documents::{DocumentFinding, DocumentKeys, PLACES, Topics, percent_decoded};
pub use iterations::{F1_THRESHOLD, FirstCorrect, LAST_COUNTED, first_correct};
pub use overlap::TokenOverlap;
pub use steps::{ReasoningSteps, StepFinding, step_coverage};
pub use vocabulary::{WordId, WordInterner, WordSequence};

/// The weights of the aggregate: F1, P@5, steps, claims, iterations.
pub const WEIGHTS: [f64; 5] = [0.3, 0.2, 0.3, 0.1, 0.1];

/// The weighted sum of the five values, added from left to right, as the published aggregate is.
pub fn aggregate(values: [f64; 5], weights: [f64; 5]) -> f64 {
    let products = values.iter().zip(weights).map(|(value, weight)| value * weight);
    products.reduce(|sum, product| sum + product).unwrap_or(0.0)
}
