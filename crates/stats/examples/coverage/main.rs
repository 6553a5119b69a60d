//! Prints how often each interval holds the true value: the figures of the documentation.

mod figures;

use figures::{Population, paired, shares, simulated_coverage};
use probare_stats::{
    ConfidenceLevel, Interval, bca_mean, bootstrap_mean, chosen_interval, clopper_pearson, mean_interval,
    proportion_interval,
};

type NamedInterval = (&'static str, fn(&[f64], u64) -> Option<Interval>);

fn main() {
    println!("| interval of a share | n | average over p | least |\n|---|---:|---:|---:|");
    for trials in [10, 20, 50, 200] {
        for (name, interval) in [
            ("Clopper-Pearson", clopper_pearson as fn(usize, usize, ConfidenceLevel) -> Option<Interval>),
            ("Wilson", proportion_interval),
        ] {
            let found = shares(trials, 9_999, interval);
            println!("| {name} | {trials} | {:.2} % | {:.2} % |", 100.0 * found.average, 100.0 * found.least);
        }
    }
    println!("\n| difference of paired shares | pairs | average | least |\n|---|---:|---:|---:|");
    for pairs in [10, 20, 50, 100] {
        let found = paired(pairs, 40);
        println!("| Bonett-Price | {pairs} | {:.2} % | {:.2} % |", 100.0 * found.average, 100.0 * found.least);
    }
    println!("\n| interval of a mean | n | even | skewed | piled up |\n|---|---:|---:|---:|---:|");
    let intervals: [NamedInterval; 4] = [
        ("Student's t", |values, _| mean_interval(values, ConfidenceLevel::NINETY_FIVE)),
        ("percentile bootstrap", |values, seed| bootstrap_mean(values, ConfidenceLevel::NINETY_FIVE, seed)),
        ("BCa bootstrap", |values, seed| bca_mean(values, ConfidenceLevel::NINETY_FIVE, seed)),
        ("the chosen one", |values, seed| {
            chosen_interval(values, ConfidenceLevel::NINETY_FIVE, seed).map(|(interval, _)| interval)
        }),
    ];
    for count in [10, 20, 50, 200] {
        for (name, interval) in intervals {
            let found = [Population::Even, Population::Skewed, Population::Piled]
                .map(|population| format!("{:.1} %", 100.0 * simulated_coverage(count, 4_000, population, interval)));
            println!("| {name} | {count} | {} |", found.join(" | "));
        }
    }
}
