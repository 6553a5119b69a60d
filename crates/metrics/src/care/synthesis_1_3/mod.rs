//! Synthesis 1.3: five checkers and a posture that sums them up, as npm `@mcptoolshop/synthesis` 1.3.2 publishes them.
//!
//! Every text is folded first: curly apostrophes and the back-tick become straight ones. Hits, openings and numbers are those of
//! the folded text; [`FoldedText::original_span`] leads back to the text as it was given.

mod agency;
mod empathy;
mod exchange;
mod lists;
mod outcome;
mod posture;
mod uptake;
mod words;

pub use agency::{AgencyCheck, PivotCheck, ReassuranceCheck};
pub use empathy::{Concreteness, ConcretenessError, EmpathyCheck, EmpathyNumbers};
pub use exchange::{FoldedText, PhraseHit, SupportExchange};
pub use posture::{Posture, PostureState};
pub use uptake::{UptakeCheck, UptakeState, UptakeWitnesses};

pub(super) use outcome::{agency_outcome, empathy_outcome, pivot_outcome, reassurance_outcome, uptake_outcome};

/// To two decimals, halves up also below zero, as reports show it.
pub fn round(number: f64) -> f64 {
    let rounded = (100.0 * number + 0.5).floor() / 100.0;
    // What is rounded to minus zero is zero.
    if rounded == 0.0 { 0.0 } else { rounded }
}
