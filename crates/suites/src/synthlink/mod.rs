//! SynthLink: questions that need several documents, and five measures of an answer put together from them.
//!
//! A [`Catalogue`] holds the questions; [`predictions`] reads what a system answered; [`cases`] turns both into cases,
//! which the metrics of the family `deep_search` score; each gives a [`Row`]; a [`Summary`] has the means per category and
//! overall with their intervals; [`files`] has what the published description names. [`comparison`] holds several systems
//! against each other, [`report`] has what a page shows beside the cases. [`SynthLink`] puts them together.
//!
//! The published script leaves its five functions empty; the definitions are those of the metric family `deep_search`.

pub mod cases;
pub mod catalogue;
pub mod comparison;
pub mod files;
mod judged;
pub mod predictions;
mod publisher;
pub mod report;
mod rows;
mod rules;
mod source;
mod suite;
mod summary;

pub use catalogue::{Catalogue, Question};
pub use predictions::Prediction;
pub use rows::{MEASURES, Missing, Row, Scores, Weights};
pub use suite::SynthLink;
pub use summary::{DEFAULT_SEED, Group, Summary};
