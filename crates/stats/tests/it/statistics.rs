//! Intervals, tests and coefficients against published packages.

use probare_stats::{
    ConfidenceLevel, Interval, bca, benjamini_hochberg, clopper_pearson, clustered_contrast, clustered_mean, holm,
    mcnemar, mean, mean_interval, minimum_detectable_effect, paired_difference, pass_all_k, pass_at_k,
    proportion_interval,
};
use probare_testing::{close, golden, list, number};
use serde_json::Value;

fn whole(case: &Value, field: &str) -> Result<u64, String> {
    case[field].as_u64().ok_or_else(|| format!("`{field}` is no whole number"))
}

fn size(case: &Value, field: &str) -> Result<usize, String> {
    usize::try_from(whole(case, field)?).map_err(|error| error.to_string())
}

fn values(case: &Value, field: &str) -> Result<Vec<f64>, String> {
    list(case, field)?.iter().map(|value| value.as_f64().ok_or_else(|| format!("{value} is not a number"))).collect()
}

fn level(case: &Value) -> Result<ConfidenceLevel, String> {
    ConfidenceLevel::new(number(case, "level")?).ok_or_else(|| "no level".to_owned())
}

fn ends(name: &str, expected: (f64, f64), found: Option<Interval>, tolerance: f64) -> Result<(), String> {
    let found = found.ok_or("there is an interval")?;
    close(&format!("{name}, low"), expected.0, found.low, tolerance)?;
    close(&format!("{name}, high"), expected.1, found.high, tolerance)
}

#[test]
fn golden_intervals_of_shares() {
    golden("stats", "proportions.jsonl", |case| {
        let (successes, trials, level) = (size(case, "successes")?, size(case, "trials")?, level(case)?);
        let tolerance = number(case, "tolerance")?;
        for (name, found) in [
            ("clopper_pearson", clopper_pearson(successes, trials, level)),
            ("wilson", proportion_interval(successes, trials, level)),
        ] {
            let expected = values(case, name)?;
            ends(name, (expected[0], expected[1]), found, tolerance)?;
        }
        Ok(())
    });
}

#[test]
fn golden_intervals_of_means() {
    golden("stats", "means.jsonl", |case| {
        let found = mean_interval(&values(case, "values")?, level(case)?);
        ends("t", (number(case, "low")?, number(case, "high")?), found, number(case, "tolerance")?)
    });
}

#[test]
fn golden_corrected_bootstrap() {
    golden("stats", "bca.jsonl", |case| {
        let items = values(case, "values")?;
        let left_out: Vec<f64> = (0..items.len())
            .filter_map(|left| {
                let others = items.iter().enumerate().filter(|(at, _)| *at != left).map(|(_, value)| *value);
                mean(&others.collect::<Vec<f64>>())
            })
            .collect();
        let observed = mean(&items).ok_or("no values")?;
        let found = bca(observed, values(case, "resampled")?, &left_out, level(case)?);
        ends("bca", (number(case, "low")?, number(case, "high")?), found, number(case, "tolerance")?)
    });
}

#[test]
fn golden_contrasts_in_clusters() {
    golden("stats", "contrasts_in_clusters.jsonl", |case| {
        let names: Vec<u64> = list(case, "clusters")?.iter().map(|name| name.as_u64().unwrap_or_default()).collect();
        let (first, second) = (values(case, "first")?, values(case, "second")?);
        let found = clustered_contrast(&first, &second, &names, ConfidenceLevel::NINETY_FIVE, 1).ok_or("they pair")?;
        let tolerance = number(case, "tolerance")?;
        close("mean", number(case, "mean")?, found.mean, tolerance)?;
        close("p", number(case, "p_value")?, found.p_value, tolerance)?;
        ends("clustered", (number(case, "low")?, number(case, "high")?), found.interval, tolerance)
    });
}

#[test]
fn golden_clusters() {
    golden("stats", "clusters.jsonl", |case| {
        let names = list(case, "clusters")?.iter().map(|name| name.as_u64().unwrap_or_default());
        let rows: Vec<(u64, f64)> = names.zip(values(case, "values")?).collect();
        let found = clustered_mean(&rows, ConfidenceLevel::NINETY_FIVE).ok_or("there is an error")?;
        let tolerance = number(case, "tolerance")?;
        close("mean", number(case, "mean")?, found.mean, tolerance)?;
        close("error", number(case, "error")?, found.error, tolerance)?;
        ends("clustered", (number(case, "low")?, number(case, "high")?), Some(found.interval), tolerance)
    });
}

#[test]
fn golden_passes_among_k() {
    golden("stats", "passes.jsonl", |case| {
        let (outputs, passed, k) = (whole(case, "outputs")?, whole(case, "passed")?, whole(case, "k")?);
        let tolerance = number(case, "tolerance")?;
        close("any", number(case, "any")?, pass_at_k(outputs, passed, k).ok_or("defined")?, tolerance)?;
        close("all", number(case, "all")?, pass_all_k(outputs, passed, k).ok_or("defined")?, tolerance)
    });
}

#[test]
fn golden_mcnemar() {
    golden("stats", "mcnemar.jsonl", |case| {
        let found = mcnemar(whole(case, "only_first")?, whole(case, "only_second")?);
        close("p_value", number(case, "p_value")?, found, number(case, "tolerance")?)
    });
}

#[test]
fn golden_sign_flips() {
    golden("stats", "sign_flips.jsonl", |case| {
        let (first, second) = (values(case, "first")?, values(case, "second")?);
        let found = paired_difference(&first, &second, ConfidenceLevel::NINETY_FIVE, 1).ok_or("pairs")?;
        let tolerance = number(case, "tolerance")?;
        close("mean", number(case, "mean")?, found.mean, tolerance)?;
        ends("t", (number(case, "low")?, number(case, "high")?), found.interval, tolerance)?;
        close("p_value", number(case, "p_value")?, found.p_value, tolerance)
    });
}

#[test]
fn golden_several_tests() {
    golden("stats", "several_tests.jsonl", |case| {
        let given = values(case, "p_values")?;
        for (name, found) in [("holm", holm(&given)), ("benjamini_hochberg", benjamini_hochberg(&given))] {
            let expected = values(case, name)?;
            assert_eq!(expected.len(), found.len());
            for (expected, found) in expected.into_iter().zip(found) {
                close(name, expected, found, number(case, "tolerance")?)?;
            }
        }
        Ok(())
    });
}

#[test]
fn golden_detectable_effects() {
    golden("stats", "effects.jsonl", |case| {
        let (pairs, deviation) = (size(case, "pairs")?, number(case, "deviation")?);
        let found = minimum_detectable_effect(pairs, deviation, level(case)?, number(case, "power")?);
        close("effect", number(case, "effect")?, found.ok_or("there is an effect")?, number(case, "tolerance")?)
    });
}
