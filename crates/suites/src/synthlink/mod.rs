//! SynthLink: questions that need several documents, and five measures of an answer put together from them.
//!
//! A [`Catalogue`] holds the questions; [`predictions::read`] reads what a system answered; a [`Scorer`] gives one
//! [`Row`] per question; a [`Summary`] has the means per category and overall with their intervals; [`files`] writes
//! what the published description names. [`comparison`] holds several systems against each other, [`careful`] reads the
//! same predictions more strictly, and [`report`] shows them with their evidence. [`cases`] turns questions and
//! predictions into cases, so that every metric can be run on them.
//!
//! The published script leaves its five functions empty; the definitions are those of the metric family `deep_search`.

pub mod careful;
pub mod cases;
pub mod catalogue;
pub mod comparison;
pub mod files;
pub mod predictions;
pub mod report;
mod scorer;
mod summary;

pub use catalogue::{Catalogue, Question};
pub use predictions::Prediction;
pub use scorer::{MEASURES, Missing, Row, Scorer, Scores, Weights};
pub use summary::{DEFAULT_SEED, Group, Summary};
