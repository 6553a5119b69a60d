//! Agreement between raters against published packages.

use probare_stats::agreement::{KappaWeights, MeasurementLevel, cohen_kappa, fleiss_kappa, krippendorff_alpha};
use probare_stats::{ConfidenceLevel, bootstrap_statistic};
use probare_testing::{close, golden, list, number};
use serde_json::Value;

fn category(value: &Value) -> usize {
    value.as_u64().and_then(|number| usize::try_from(number).ok()).expect("a category")
}

fn pairs(case: &Value) -> Result<Vec<(usize, usize)>, String> {
    Ok(list(case, "pairs")?.iter().map(|pair| (category(&pair[0]), category(&pair[1]))).collect())
}

#[test]
fn golden_cohen_kappa() {
    golden("stats", "cohen_kappa.jsonl", |case| {
        let pairs = pairs(case)?;
        for (name, weights) in
            [("plain", KappaWeights::Equal), ("linear", KappaWeights::Linear), ("quadratic", KappaWeights::Quadratic)]
        {
            let kappa = cohen_kappa(&pairs, weights).ok_or("there is a number")?;
            close(name, number(case, name)?, kappa, number(case, "tolerance")?)?;
        }
        Ok(())
    });
}

#[test]
fn golden_intervals_of_large_samples_are_those_of_the_normal_law() {
    golden("stats", "cohen_kappa.jsonl", |case| {
        let pairs = pairs(case)?;
        if pairs.len() < 200 {
            return Ok(());
        }
        let of =
            |drawn: &[usize]| cohen_kappa(&drawn.iter().map(|at| pairs[*at]).collect::<Vec<_>>(), KappaWeights::Equal);
        let interval =
            bootstrap_statistic(pairs.len(), ConfidenceLevel::NINETY_FIVE, 1, of).ok_or("there is an interval")?;
        close("low", number(case, "low")?, interval.low, 0.015)?;
        close("high", number(case, "high")?, interval.high, 0.015)
    });
}

#[test]
fn golden_fleiss_kappa() {
    golden("stats", "fleiss_kappa.jsonl", |case| {
        let table: Vec<Vec<u64>> = serde_json::from_value(case["table"].clone()).map_err(|error| error.to_string())?;
        let kappa = fleiss_kappa(&table).ok_or("there is a number")?;
        close("kappa", number(case, "kappa")?, kappa, number(case, "tolerance")?)
    });
}

#[test]
fn golden_krippendorff_alpha() {
    golden("stats", "krippendorff_alpha.jsonl", |case| {
        let units: Vec<Vec<Option<f64>>> =
            serde_json::from_value(case["units"].clone()).map_err(|error| error.to_string())?;
        for (name, scale) in [
            ("nominal", MeasurementLevel::Nominal),
            ("ordinal", MeasurementLevel::Ordinal),
            ("interval", MeasurementLevel::Interval),
            ("ratio", MeasurementLevel::Ratio),
        ] {
            let alpha = krippendorff_alpha(&units, scale).ok_or("there is a number")?;
            close(name, number(case, name)?, alpha, number(case, "tolerance")?)?;
        }
        Ok(())
    });
}
