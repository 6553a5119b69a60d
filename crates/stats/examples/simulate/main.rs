//! Prints how often gates that may stop a run are decided wrongly, how many cases they need, and how often intervals from a few
//! labels hold: the figures of the documentation. `cargo x simulate` runs it.

mod gates;
mod labels;

use gates::{DataSet, Kind, Method, beside_the_threshold, decide, decide_release};
use labels::{Judge, coverage, strata_coverage};

const ORDERS: usize = 2000;
const RUNS: usize = 1000;
const SEED: u64 = 20_261_119;

fn main() {
    println!("Wrong verdicts in % of {ORDERS} orders, 1,000 cases, looking after every case:\n");
    println!("| values | data set | population | peeking |\n|---|---:|---:|---:|");
    for data in beside_the_threshold(1000) {
        let found = [Method::DataSet, Method::Population, Method::Peeking]
            .map(|method| format!("{:.1}", decide(&data, method, ORDERS, SEED).wrong_percent()));
        println!("| {} | {} |", data.name, found.join(" | "));
    }
    for count in [3, 8] {
        let at = DataSet::new("", &[(1.0, 800), (0.0, 200)], 0.8);
        let below = DataSet::new("", &[(1.0, 799), (0.0, 201)], 0.8);
        let good = vec![at.clone(); count];
        let mut bad = vec![DataSet::new("", &[(1.0, 900), (0.0, 100)], 0.8); count];
        bad[0] = below;
        for (what, gates) in [("all at 0.8", good), ("one just below 0.8, the others at 0.9", bad)] {
            let found = decide_release(&gates, ORDERS, SEED);
            println!("| {count} gates, {what} | {:.1} | | |", found.wrong_percent());
        }
    }
    println!("\nShare of the cases in % until the verdict; mean over a truth above and below by the gap:\n");
    println!("| values | cases | 2 points | 5 points | 10 points | 20 points |\n|---|---:|---:|---:|---:|---:|");
    for method in [Method::DataSet, Method::Population, Method::Peeking] {
        for kind in Kind::ALL {
            for (cases, orders) in [(200, 400), (1000, 400), (5000, 100)] {
                let needed = |gap: f64| {
                    let one = |gap: f64| decide(&kind.at_gap(cases, gap), method, orders, SEED).needed_percent();
                    format!("{:.1}", f64::midpoint(one(gap), one(-gap)))
                };
                let row = [0.02, 0.05, 0.1, 0.2].map(needed).join(" | ");
                let method = match method {
                    Method::DataSet => "data set",
                    Method::Population => "population",
                    Method::Peeking => "peeking",
                };
                println!("| {}, {method} | {cases} | {row} |", kind.name());
            }
        }
    }
    println!("\nIntervals from labels, {} cases, {RUNS} draws; coverage in % / mean width:\n", labels::CASES);
    println!(
        "| judge | labels | printed | always normal | labels alone | exact in % |\n|---|---:|---:|---:|---:|---:|"
    );
    let judges = [
        Judge::Follows(0.9),
        Judge::Follows(0.6),
        Judge::Follows(0.3),
        Judge::Follows(0.0),
        Judge::Opposes(0.6),
        Judge::Constant,
        Judge::Errs(0.013),
        Judge::Errs(0.065),
    ];
    for judge in judges {
        for count in [30, 100] {
            let found = coverage(judge, count, RUNS, SEED);
            println!(
                "| {} | {count} | {:.1} / {:.3} | {:.1} | {:.1} / {:.3} | {:.0} |",
                name(judge),
                found.percent(found.printed),
                found.width / RUNS as f64,
                found.percent(found.normal),
                found.percent(found.labels_alone),
                found.width_alone / RUNS as f64,
                found.percent(found.exact),
            );
        }
    }
    println!("\nThe same with cases drawn by strata:\n");
    println!("| judge | labels | printed | always normal | exact in % |\n|---|---:|---:|---:|---:|");
    for judge in [Judge::Follows(0.9), Judge::Follows(0.6), Judge::Follows(0.0), Judge::Errs(0.065)] {
        for count in [60, 100] {
            let found = strata_coverage(judge, count, RUNS, SEED);
            println!(
                "| {} | {count} | {:.1} / {:.3} | {:.1} | {:.0} |",
                name(judge),
                found.percent(found.printed),
                found.width / RUNS as f64,
                found.percent(found.normal),
                found.percent(found.exact),
            );
        }
    }
}

fn name(judge: Judge) -> String {
    match judge {
        Judge::Follows(share) => format!("follows people in {:.0} %, guesses in the rest", 100.0 * share),
        Judge::Opposes(share) => format!("says the opposite in {:.0} %, guesses in the rest", 100.0 * share),
        Judge::Errs(share) => format!("yes or no, wrong in {:.1} %", 100.0 * share),
        Judge::Constant => "the same score for every case".to_owned(),
    }
}
