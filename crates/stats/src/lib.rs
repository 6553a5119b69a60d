//! How much a mean can be trusted.
//!
//! A score over sixty questions is an estimate. This crate says how far it may be off ([`chosen_interval`] picks one of
//! [`mean_interval`], [`bca_mean`], [`proportion_interval`], [`clopper_pearson`] by kind and number of the values),
//! whether two systems that answered the same questions differ ([`contrast`]), what a number of questions could show at all
//! ([`minimum_detectable_effect`]), how far raters agree ([`agreement`]), and at which ends of
//! its scale a metric can be believed ([`decision_thresholds`]). [`sequential`] decides gates that are looked at after every case, and
//! [`human_mean`] estimates what people would say from a few labels and a judge. Everything is synchronous, pure and
//! deterministic: what is random takes a seed, and the same seed gives the same bytes on every machine.
//!
//! ```
//! use probare_stats::{ConfidenceLevel, mean_interval, paired_difference};
//!
//! let scores = [0.8, 0.6, 0.9, 0.7];
//! let interval = mean_interval(&scores, ConfidenceLevel::NINETY_FIVE).expect("two values or more have an interval");
//! assert!(interval.low < 0.75 && 0.75 < interval.high);
//!
//! let other = [0.7, 0.5, 0.8, 0.6];
//! let difference = paired_difference(&scores, &other, ConfidenceLevel::NINETY_FIVE, 1).expect("four pairs");
//! assert!((difference.mean - 0.1).abs() < 1e-12);
//! assert_eq!(difference.p_value, 0.125);
//! ```

#![cfg_attr(test, allow(clippy::disallowed_methods, reason = "tests make the files and cases that they need"))]

pub mod agreement;
mod bca;
mod beta;
mod bootstrap;
mod calibration;
mod cluster;
mod decision_thresholds;
pub mod human_mean;
mod interval;
mod mcnemar;
mod mean;
mod method;
mod multiple;
mod normal;
mod paired;
mod power;
mod proportion;
mod random;
mod repeats;
pub mod sequential;
mod student;

pub use bca::{bca, bca_mean};
pub use bootstrap::{RESAMPLES, bootstrap_mean, bootstrap_means, bootstrap_statistic};
pub use calibration::{Threshold, fit_threshold};
pub use cluster::{ClusteredMean, clustered_mean, clustered_mean_of_sums};
pub use decision_thresholds::{
    CalibratedThreshold, CalibratedThresholds, CoverageStep, Guarantee, LabelOutlook, LabelledValue, NextThreshold,
    decision_thresholds, label_outlook,
};
pub use interval::{ConfidenceLevel, Interval};
pub use mcnemar::{mcnemar, paired_share_interval};
pub use mean::{interval_of_mean, mean, mean_interval, standard_deviation, updated_mean};
pub use method::{
    Contrast, FEWEST_FOR_BOOTSTRAP, FEWEST_FOR_WILSON, MOST_FOR_BOOTSTRAP, StatisticalMethod, chosen_interval,
    clustered_contrast, contrast, contrast_interval, is_yes_or_no, share_interval,
};
pub use multiple::{benjamini_hochberg, holm};
pub use normal::{normal_cumulative, normal_quantile};
pub use paired::{PairedDifference, SHUFFLES, paired_difference};
pub use power::{minimum_detectable_effect, pairs_needed};
pub use proportion::{clopper_pearson, proportion_interval};
pub use random::Random;
pub use repeats::{case_means, pass_all_k, pass_at_k};
pub use student::{student_cumulative, student_quantile};
