//! How much a mean can be trusted.
//!
//! A score over sixty questions is an estimate. This crate says how far it may be off ([`mean_interval`],
//! [`proportion_interval`], [`bootstrap_mean`]) and whether two systems that answered the same questions differ
//! ([`paired_difference`]), and how far raters agree ([`agreement`]). Everything is synchronous, pure and deterministic: what is random takes a seed, and the same
//! seed gives the same bytes on every machine.
//!
//! ```
//! use probare_stats::{Level, mean_interval, paired_difference};
//!
//! let scores = [0.8, 0.6, 0.9, 0.7];
//! let interval = mean_interval(&scores, Level::NINETY_FIVE).expect("two values or more have an interval");
//! assert!(interval.low < 0.75 && 0.75 < interval.high);
//!
//! let other = [0.7, 0.5, 0.8, 0.6];
//! let difference = paired_difference(&scores, &other, Level::NINETY_FIVE, 1).expect("four pairs");
//! assert!((difference.mean - 0.1).abs() < 1e-12);
//! assert_eq!(difference.p_value, 0.125);
//! ```

#![cfg_attr(test, allow(clippy::disallowed_methods, reason = "tests make the files and cases that they need"))]

pub mod agreement;
mod beta;
mod bootstrap;
mod calibration;
mod interval;
mod mean;
mod normal;
mod paired;
mod proportion;
mod random;
mod student;

pub use bootstrap::{RESAMPLES, bootstrap_mean, bootstrap_means, resampled};
pub use calibration::{Threshold, threshold};
pub use interval::{Interval, Level};
pub use mean::{interval_of_mean, mean, mean_interval, standard_deviation};
pub use normal::normal_quantile;
pub use paired::{PairedDifference, SHUFFLES, paired_difference};
pub use proportion::proportion_interval;
pub use random::Random;
pub use student::{student_cumulative, student_quantile};
