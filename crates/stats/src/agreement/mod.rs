//! How far raters agree beyond chance: [`cohen_kappa`] for two, [`fleiss_kappa`] for several on all items,
//! [`krippendorff_alpha`] for any number with gaps.
//!
//! 1 is full agreement, 0 what chance alone would give, below 0 worse than chance. Where every rating is the same category
//! chance explains everything and there is no number: nothing is returned. [`bootstrap_statistic`] gives any of them an interval.

mod alpha;
mod kappa;

pub use alpha::{MeasurementLevel, krippendorff_alpha};
pub use kappa::{KappaWeights, cohen_kappa, cohen_kappa_pairs, fleiss_kappa};
