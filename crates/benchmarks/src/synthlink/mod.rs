//! SynthLink: questions that need several documents, and five measures of an answer put together from them.
//!
//! A [`Catalogue`] holds the questions; [`predictions`] reads what a system answered; [`cases`] turns both into cases,
//! which the metrics of the family `deep_search` score; each gives a [`QuestionScores`]; a [`SynthLinkSummary`] has the means per category and
//! overall with their intervals; [`files`] has what the published description names. [`comparison`] holds several systems
//! against each other, [`report`] has what a page shows beside the cases. [`SynthLink`] puts them together.
//!
//! The published script leaves its five functions empty; the definitions are those of the metric family `deep_search`.

mod benchmark;
pub mod cases;
pub mod catalogue;
pub mod comparison;
pub mod deep_search;
pub mod files;
mod judged_measures;
mod policy;
pub mod predictions;
mod publisher;
pub mod report;
mod rows;
mod source;
mod summary;

pub use benchmark::SynthLink;
pub use catalogue::{Catalogue, CatalogueQuestion};
pub use predictions::Prediction;
pub use rows::{MEASURES, MeasureWeights, MissingPolicy, QuestionScores, SystemScores};
pub use summary::{CategoryMeans, DEFAULT_SEED, SynthLinkSummary};
