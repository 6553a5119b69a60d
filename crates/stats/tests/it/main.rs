//! Statistics against published packages, and how often intervals hold the true value.

mod agreement;
mod coverage;
mod decide_early;
mod simulate;
mod statistics;
