//! Decisions at any stop and estimates from few labels, against reference values (`tests/golden/decide_early`).

use probare_stats::human_mean::{
    Stratum, allocate, estimate_data_set, estimate_population, estimate_strata, estimate_weighted, label_chances,
    plan_labels,
};
use probare_stats::sequential::{
    DifferenceTest, GateTest, GateVerdict, Observation, ReleaseTest, Sampling, anytime_interval, beta_binomial,
    empirical_bernstein, hedged_capital, lower_bound, mixture_log_capital, paired_observation, paired_threshold,
    upper_bound,
};
use probare_stats::{Interval, Random};
use probare_testing::{close, golden, list, number, same, text};
use serde_json::Value;

/// Of logarithms, estimates and normal intervals; relative above 1.
const NUMBERS: f64 = 1e-8;

/// Of bounds that are found by halving.
const BOUNDS: f64 = 1e-7;

fn numbers(case: &Value, field: &str) -> Result<Vec<f64>, String> {
    list(case, field)?.iter().map(|value| value.as_f64().ok_or_else(|| format!("`{field}` holds numbers"))).collect()
}

fn count(case: &Value, field: &str) -> Result<usize, String> {
    let number = case[field].as_u64().and_then(|number| usize::try_from(number).ok());
    number.ok_or_else(|| format!("`{field}` is a count"))
}

/// A number, where `"inf"` stands for infinity.
fn extended(value: &Value) -> f64 {
    value.as_f64().unwrap_or(f64::INFINITY)
}

fn logs(what: &str, expected: &Value, got: f64) -> Result<(), String> {
    let expected = extended(expected);
    if expected.is_infinite() || got.is_infinite() {
        return same(what, &expected, &got);
    }
    close(what, expected, got, NUMBERS * expected.abs().max(1.0))
}

fn interval(what: &str, expected: &Value, got: Interval, tolerance: f64) -> Result<(), String> {
    close(&format!("{what} low"), extended(&expected[0]), got.low, tolerance)?;
    close(&format!("{what} high"), extended(&expected[1]), got.high, tolerance)
}

fn values(numbers: &[f64]) -> Vec<Observation> {
    numbers.iter().copied().map(Observation::Value).collect()
}

fn sampling(case: &Value) -> Sampling {
    match case["population"].as_u64().and_then(|cases| usize::try_from(cases).ok()) {
        Some(cases) => Sampling::DataSet { cases },
        None => Sampling::Population,
    }
}

fn target(case: &Value, cases: usize) -> Sampling {
    if case["target"] == "population" { Sampling::Population } else { Sampling::DataSet { cases } }
}

fn word(verdict: GateVerdict) -> &'static str {
    match verdict {
        GateVerdict::Pass => "pass",
        GateVerdict::Fail => "fail",
        GateVerdict::Open => "undecided",
    }
}

#[test]
fn golden_mixture_capital() {
    golden("decide_early", "mixture_evalue.jsonl", |case| {
        let capital = mixture_log_capital(&values(&numbers(case, "values")?), number(case, "m")?, sampling(case));
        for (place, at) in list(case, "at")?.iter().enumerate() {
            let (above, below) = capital[usize::try_from(at.as_u64().unwrap_or(1)).unwrap_or(1) - 1];
            logs("above", &case["log_above"][place], above)?;
            logs("below", &case["log_below"][place], below)?;
        }
        Ok(())
    });
}

#[test]
fn golden_mixture_intervals() {
    golden("decide_early", "mixture_interval.jsonl", |case| {
        let (observations, alpha) = (values(&numbers(case, "values")?), number(case, "alpha")?);
        let lower = lower_bound(&observations, sampling(case), alpha);
        close("lower", number(case, "one_sided_lower")?, lower, BOUNDS)?;
        let upper = upper_bound(&observations, sampling(case), alpha);
        close("upper", number(case, "one_sided_upper")?, upper, BOUNDS)?;
        interval("interval", &case["interval"], anytime_interval(&observations, sampling(case), alpha), BOUNDS)
    });
}

#[test]
fn golden_hedged_capital() {
    golden("decide_early", "hedged_evalue.jsonl", |case| {
        let observed = numbers(case, "values")?;
        let capital = hedged_capital(&observed, number(case, "m")?, sampling(case), number(case, "alpha")?);
        for (place, at) in list(case, "at")?.iter().enumerate() {
            let after = capital[usize::try_from(at.as_u64().unwrap_or(1)).unwrap_or(1) - 1];
            logs("above", &case["log_above"][place], after.log_above)?;
            logs("below", &case["log_below"][place], after.log_below)?;
            logs("two-sided", &case["log_two_sided"][place], after.log_two_sided)?;
        }
        Ok(())
    });
}

#[test]
fn golden_beta_binomial() {
    golden("decide_early", "beta_binomial.jsonl", |case| {
        let prior = numbers(case, "prior")?;
        let observed = numbers(case, "values")?;
        let (log, found) = beta_binomial(&observed, (prior[0], prior[1]), number(case, "alpha")?, number(case, "p0")?);
        logs("evidence", &case["log_e"], log)?;
        interval("interval", &case["interval"], found.interval, BOUNDS)?;
        interval("running", &case["running"], found.running, BOUNDS)
    });
}

#[test]
fn golden_empirical_bernstein() {
    golden("decide_early", "empirical_bernstein.jsonl", |case| {
        let (now, running) = empirical_bernstein(&numbers(case, "values")?, number(case, "alpha")?);
        interval("interval", &case["interval"], now, NUMBERS)?;
        interval("running", &case["running"], running, NUMBERS)
    });
}

/// The observations of a case, with failures as the case wants them.
fn observations(case: &Value) -> Result<Vec<Observation>, String> {
    let is_excluded = case["failed"] == "exclude";
    let observation = |value: &Value| match (value.as_f64(), value.as_str()) {
        (Some(number), _) => Observation::Value(number),
        (None, Some(_)) if !is_excluded => Observation::Failed,
        _ => Observation::NotApplicable,
    };
    Ok(list(case, "values")?.iter().map(observation).collect())
}

#[test]
fn golden_decisions() {
    golden("decide_early", "decisions.jsonl", |case| {
        let observations = observations(case)?;
        let (threshold, alpha) = (number(case, "threshold")?, number(case, "alpha")?);
        let sampling = target(case, count(case, "cases")?);
        let mut gate = GateTest::new(threshold, alpha, sampling);
        for observation in &observations {
            gate.push(*observation);
        }
        same("verdict", text(case, "verdict")?, word(gate.verdict()))?;
        same("at", &count(case, "at")?, &gate.case_count())?;
        logs("above", &case["log_above"], gate.log_above())?;
        logs("below", &case["log_below"], gate.log_below())?;
        let prefix = &observations[..gate.case_count()];
        close("lower", number(case, "one_sided_lower")?, lower_bound(prefix, sampling, alpha), BOUNDS)?;
        close("upper", number(case, "one_sided_upper")?, upper_bound(prefix, sampling, alpha), BOUNDS)
    });
}

#[test]
fn golden_pairs() {
    golden("decide_early", "pairs.jsonl", |case| {
        let (baseline, candidate) = (numbers(case, "a")?, numbers(case, "b")?);
        let alpha = number(case, "alpha")?;
        let pairs: Vec<Observation> =
            baseline.iter().zip(&candidate).map(|(a, b)| paired_observation(*a, *b)).collect();
        let sampling = target(case, pairs.len());
        let mut gate = GateTest::new(paired_threshold(-number(case, "margin")?), alpha, sampling);
        let mut difference = DifferenceTest::new(alpha);
        for pair in &pairs {
            gate.push(*pair);
            difference.push(*pair);
        }
        same("verdict", text(case, "not_worse")?, word(gate.verdict()))?;
        same("at", &count(case, "at")?, &gate.case_count())?;
        logs("above", &case["log_above"], gate.log_above())?;
        logs("below", &case["log_below"], gate.log_below())?;
        let bounds = anytime_interval(&pairs[..gate.case_count()], sampling, alpha);
        let back = Interval { low: 2.0 * bounds.low - 1.0, high: 2.0 * bounds.high - 1.0 };
        interval("difference", &case["difference_interval"], back, 2.0 * BOUNDS)?;
        same("differ", &case["differ_at"].as_u64(), &difference.differs_after().map(|at| at as u64))?;
        logs("differ", &case["log_differ_last"], difference.log_evidence())
    });
}

#[test]
fn golden_several_gates() {
    golden("decide_early", "several_gates.jsonl", |case| {
        let thresholds: Vec<f64> =
            list(case, "gates")?.iter().map(|gate| number(gate, "threshold")).collect::<Result<_, _>>()?;
        let rows: Vec<Vec<Observation>> = list(case, "values")?
            .iter()
            .map(|row| row.as_array().into_iter().flatten().filter_map(Value::as_f64).map(Observation::Value).collect())
            .collect();
        let sampling = Sampling::DataSet { cases: count(case, "cases")? };
        let mut release = ReleaseTest::new(&thresholds, number(case, "alpha")?, sampling);
        let mut stops_at = 0;
        for at in 0..rows[0].len() {
            let row: Vec<Observation> = rows.iter().map(|row| row[at]).collect();
            stops_at = at + 1;
            if release.push(&row) != GateVerdict::Open {
                break;
            }
        }
        same("release", text(case, "release")?, word(release.verdict()))?;
        same("stops at", &count(case, "stops_at")?, &stops_at)?;
        for (expected, gate) in list(case, "at_stop")?.iter().zip(release.gates()) {
            let verdict = if gate.verdict() == GateVerdict::Open { "open" } else { word(gate.verdict()) };
            same("verdict at the stop", text(expected, "verdict")?, verdict)?;
            same("at", &count(expected, "at")?, &gate.case_count())?;
        }
        Ok(())
    });
}

#[test]
fn golden_cascades() {
    golden("decide_early", "cascade.jsonl", |case| {
        let (cheap, strong) = (numbers(case, "cheap")?, numbers(case, "strong")?);
        let mean = cheap.iter().sum::<f64>() / cheap.len() as f64;
        // How far the strong judge corrects the cheap one, on a scale from 0 to 1.
        let corrections: Vec<Observation> =
            strong.iter().zip(&cheap).map(|(y, f)| paired_observation(*f, *y)).collect();
        let sampling = Sampling::DataSet { cases: cheap.len() };
        let alpha = number(case, "alpha")?;
        let mut gate = GateTest::new(paired_threshold(number(case, "threshold")? - mean), alpha, sampling);
        for correction in &corrections {
            gate.push(*correction);
        }
        same("verdict", text(case, "verdict")?, word(gate.verdict()))?;
        same("at", &count(case, "at")?, &gate.case_count())?;
        logs("above", &case["log_above"], gate.log_above())?;
        logs("below", &case["log_below"], gate.log_below())?;
        let bounds = anytime_interval(&corrections[..gate.case_count()], sampling, alpha);
        let back = Interval { low: mean + 2.0 * bounds.low - 1.0, high: mean + 2.0 * bounds.high - 1.0 };
        interval("interval", &case["interval"], back, 2.0 * BOUNDS)
    });
}

#[test]
fn golden_estimates_of_a_population() {
    golden("decide_early", "ppi_population.jsonl", |case| {
        let (labels, judge) = (numbers(case, "labels")?, numbers(case, "judge")?);
        let (rest, alpha) = (numbers(case, "judge_rest")?, number(case, "alpha")?);
        for (name, lambda) in [("tuned", None), ("plain", Some(1.0)), ("labels_only", Some(0.0))] {
            let found = estimate_population(&labels, &judge, &rest, lambda, alpha);
            close(name, number(&case[name], "lambda")?, found.lambda, NUMBERS)?;
            close(name, number(&case[name], "estimate")?, found.mean, NUMBERS)?;
            interval(name, &case[name]["interval"], found.interval, NUMBERS)?;
        }
        Ok(())
    });
}

#[test]
fn golden_estimates_of_a_data_set() {
    golden("decide_early", "labels_data_set.jsonl", |case| {
        let (labels, judge) = (numbers(case, "labels")?, numbers(case, "judge")?);
        let (cases, alpha) = (count(case, "cases")?, number(case, "alpha")?);
        let found = estimate_data_set(&labels, &judge, cases, number(case, "judge_mean")?, alpha)
            .map_err(|error| format!("{error:?}"))?;
        close("lambda", number(case, "lambda")?, found.lambda, NUMBERS)?;
        close("estimate", number(case, "estimate")?, found.mean, NUMBERS)?;
        close("corrections", number(case, "corrections")?, found.corrections, NUMBERS * found.corrections.max(1.0))?;
        interval("normal", &case["normal_interval"], found.normal, NUMBERS)?;
        interval("exact", &case["exact_interval"], found.exact, 2.0 * BOUNDS)?;
        same("printed", text(case, "printed")?, if found.is_normal { "normal" } else { "exact" })?;
        match (case["worth_labels"].as_f64(), found.worth_labels) {
            (Some(expected), Some(worth)) => close("worth", expected, worth, NUMBERS * expected.max(1.0)),
            (expected, worth) => same("worth", &expected, &worth),
        }
    });
}

#[test]
fn golden_estimates_from_strata() {
    golden("decide_early", "labels_stratified.jsonl", |case| {
        let stratum = |stratum: &Value| -> Result<Stratum, String> {
            Ok(Stratum {
                cases: count(stratum, "cases")?,
                judge_mean: number(stratum, "judge_mean")?,
                labels: numbers(stratum, "labels")?,
                judge: numbers(stratum, "judge")?,
            })
        };
        let strata: Vec<Stratum> = list(case, "strata")?.iter().map(stratum).collect::<Result<_, _>>()?;
        let found = estimate_strata(&strata, number(case, "alpha")?).ok_or("an estimate")?;
        close("lambda", number(case, "lambda")?, found.lambda, NUMBERS)?;
        close("estimate", number(case, "estimate")?, found.mean, NUMBERS)?;
        close("df", number(case, "df")?, found.freedom, NUMBERS * found.freedom.max(1.0))?;
        interval("interval", &case["interval"], found.interval, NUMBERS)
    });
}

#[test]
fn golden_estimates_with_chances() {
    golden("decide_early", "labels_weighted.jsonl", |case| {
        let judge = numbers(case, "judge")?;
        let chances = label_chances(&judge, count(case, "budget")?);
        for (expected, chance) in numbers(case, "chance")?.iter().zip(&chances) {
            close("chance", *expected, *chance, NUMBERS)?;
        }
        let places = list(case, "drawn")?.iter().filter_map(Value::as_u64).filter_map(|at| usize::try_from(at).ok());
        let drawn: Vec<(usize, f64, f64)> =
            places.zip(numbers(case, "labels")?).map(|(at, label)| (at, label, chances[at])).collect();
        let found = estimate_weighted(&judge, &drawn, 0.05).ok_or("an estimate")?;
        close("estimate", number(case, "estimate")?, found.mean, NUMBERS)?;
        close("variance", number(case, "variance")?, found.variance, NUMBERS)?;
        interval("interval", &case["interval95"], found.interval, NUMBERS)
    });
}

fn counts(value: &Value) -> Option<Vec<usize>> {
    value
        .as_array()
        .map(|list| list.iter().filter_map(Value::as_u64).filter_map(|at| usize::try_from(at).ok()).collect())
}

#[test]
fn golden_allocation_of_labels() {
    golden("decide_early", "allocation.jsonl", |case| {
        let sizes = counts(&case["sizes"]).unwrap_or_default();
        let labels = allocate(&sizes, &numbers(case, "spread")?, count(case, "budget")?);
        same("labels", &counts(&case["labels"]), &labels)
    });
}

#[test]
fn golden_choice_of_labels() {
    golden("decide_early", "label_choice.jsonl", |case| {
        let plan = plan_labels(&numbers(case, "judge")?, count(case, "budget")?);
        same("strata", &counts(&case["stratum_of"]), &Some(plan.stratum_of))?;
        same("labels", &counts(&case["labels"]), &plan.labels)?;
        for (expected, spread) in numbers(case, "spread")?.iter().zip(&plan.spread) {
            close("spread", *expected, *spread, NUMBERS)?;
        }
        Ok(())
    });
}

/// Wrong verdicts among `runs` random orders of a data set whose mean is just below, or at, the threshold.
fn wrong_verdicts(successes: usize, cases: usize, threshold: f64, runs: u64) -> usize {
    let truth = successes as f64 / cases as f64 >= threshold - 1e-9;
    let is_wrong = |seed: u64| {
        let mut random = Random::new(seed);
        let mut order: Vec<f64> = (0..cases).map(|at| f64::from(u8::from(at < successes))).collect();
        for last in (1..cases).rev() {
            order.swap(last, random.below(last + 1));
        }
        let mut gate = GateTest::new(threshold, 0.05, Sampling::DataSet { cases });
        for value in &order {
            gate.push(Observation::Value(*value));
        }
        gate.verdict() != if truth { GateVerdict::Pass } else { GateVerdict::Fail }
    };
    (0..runs).filter(|seed| is_wrong(*seed)).count()
}

#[test]
fn a_gate_at_its_threshold_is_seldom_decided_wrongly() {
    // 5 of 100 are allowed; 500 orders of 300 cases, at the threshold and one case below it.
    for successes in [240, 239] {
        let wrong = wrong_verdicts(successes, 300, 0.8, 500);
        assert!(wrong <= 25, "{wrong} of 500 orders with {successes} of 300 successes");
        assert!(wrong > 0, "the test can see a wrong verdict");
    }
}
