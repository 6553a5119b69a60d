//! What a measure came to, kept for the aggregate of the same case.

use std::cell::OnceCell;
use std::hash::{BuildHasher, Hash};

use probare_core::{Outcome, Parts, Sample};
use rustc_hash::FxBuildHasher;

/// The value of a measure and what it rests on.
pub type Measured = (f64, Parts);

type Kept = OnceCell<Measured>;

/// Keeps the outcome of a measure under what it was asked for.
pub fn keep(sample: Sample<'_>, asked: impl Hash, outcome: &Outcome) {
    if let Some(score) = outcome.score() {
        let place = sample.reading(FxBuildHasher.hash_one(asked), Kept::default);
        // The same question has the same answer, so it does not matter who was first.
        let _ = place.set((score.value.get(), score.parts.clone()));
    }
}

/// What a measure came to that was asked for before.
pub fn kept(sample: Sample<'_>, asked: impl Hash) -> Option<Measured> {
    sample.reading(FxBuildHasher.hash_one(asked), Kept::default).get().cloned()
}
