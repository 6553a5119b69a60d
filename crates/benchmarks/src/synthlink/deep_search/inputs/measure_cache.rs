//! What a measure came to, kept for the aggregate of the same case.

use std::cell::OnceCell;
use std::hash::{BuildHasher, Hash};

use probare_core::{Outcome, Sample, ScoreParts};
use rustc_hash::FxBuildHasher;

/// The value of a measure and what it rests on.
pub type MeasureValue = (f64, ScoreParts);

type MeasureCell = OnceCell<MeasureValue>;

/// Keeps the outcome of a measure under what it was asked for.
pub fn store_measure(sample: Sample<'_>, key: impl Hash, outcome: &Outcome) {
    if let Some(score) = outcome.score() {
        let place = sample.cached(FxBuildHasher.hash_one(key), MeasureCell::default);
        // The same question has the same answer, so it does not matter who was first.
        let _ = place.set((score.value.get(), score.parts.clone()));
    }
}

/// What a measure came to that was asked for before.
pub fn stored_measure(sample: Sample<'_>, key: impl Hash) -> Option<MeasureValue> {
    sample.cached(FxBuildHasher.hash_one(key), MeasureCell::default).get().cloned()
}
