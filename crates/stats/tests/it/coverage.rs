//! How often an interval holds the true value: counted over all outcomes where they can be, simulated else.
//!
//! `cargo run --release -p probare-stats --example coverage` prints the figures of the documentation.

#[path = "../../examples/coverage/figures.rs"]
mod figures;

use figures::{Population, paired, shares, simulated_coverage};
use probare_stats::{ConfidenceLevel, bca_mean, clopper_pearson, mean_interval, proportion_interval};

#[test]
fn clopper_and_pearsons_interval_keeps_its_level_for_every_share() {
    for trials in [1, 2, 5, 10, 20, 50, 200] {
        let found = shares(trials, 2_000, clopper_pearson);
        assert!(found.least >= 0.95 - 1e-9, "{trials}: {found:?}");
    }
}

#[test]
fn wilsons_interval_keeps_its_level_on_average() {
    for trials in [20, 50, 200] {
        let found = shares(trials, 2_000, proportion_interval);
        assert!((0.94..0.965).contains(&found.average), "{trials}: {found:?}");
    }
}

#[test]
fn the_interval_of_paired_shares_keeps_its_level_on_average() {
    for pairs in [10, 20, 50] {
        let found = paired(pairs, 20);
        assert!((0.94..0.985).contains(&found.average) && found.least > 0.90, "{pairs}: {found:?}");
    }
}

#[test]
fn students_interval_keeps_its_level_where_values_are_spread_evenly() {
    let found = simulated_coverage(20, 4_000, Population::Even, |values, _| {
        mean_interval(values, ConfidenceLevel::NINETY_FIVE)
    });
    assert!((0.94..0.96).contains(&found), "{found}");
}

#[test]
fn the_corrected_bootstrap_comes_near_its_level_where_values_are_piled_up_or_skewed() {
    for (population, least) in [(Population::Piled, 0.92), (Population::Skewed, 0.90)] {
        let found = simulated_coverage(50, 200, population, |values, seed| {
            bca_mean(values, ConfidenceLevel::NINETY_FIVE, seed)
        });
        assert!((least..0.98).contains(&found), "{population:?}: {found}");
    }
}
