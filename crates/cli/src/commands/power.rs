//! `probare power`: before a run, how many cases a difference would need, and what they would cost.

use std::collections::BTreeMap;
use std::path::PathBuf;

use probare_analysis::read_case_means;
use probare_benchmarks::registries;
use probare_engine::{Config, Evaluation, EvaluationOptions, Exit};
use probare_report::comparison::CaseMean;
use probare_report::escape;
use probare_report::number::{count_with_noun, percent, rounded};
use probare_stats::{ConfidenceLevel, minimum_detectable_effect, pairs_needed, standard_deviation};
use serde_json::json;

use super::labelled_results::find_metric;
use super::store_flags::{StoreFlag, evaluation_failure};
use super::{compare, print};
use crate::failure::{CommandResult, Failure};

/// Plan a run: how many cases a difference would need, and what they would cost.
///
/// Assumes that two systems answer the same cases and that their values are compared pair by pair (a two-sided t test). The
/// number of pairs depends on the standard deviation of the differences. Two earlier runs give it; one run gives it under the
/// assumption that the other system is independent; without a run it follows from the expected rate of good answers. Systems
/// that mostly agree need fewer cases.
#[derive(Debug, clap::Args)]
#[command(after_help = AFTER_HELP)]
pub struct Arguments {
    /// One or two earlier runs of similar cases: result files, or numbers of runs in the store; append @MODEL for the outputs
    /// of one model
    #[arg(value_name = "RESULTS", num_args = 0..=2)]
    results: Vec<String>,

    /// Metric of the results; not needed if there is only one
    #[arg(short, long, value_name = "NAME", requires = "results")]
    metric: Option<String>,

    /// A difference of means that the run should find (repeatable); 0.01 to 0.2 by default
    #[arg(long = "difference", value_name = "NUMBER", value_parser = difference)]
    differences: Vec<f64>,

    /// Expected rate of good answers, if there is no earlier run
    #[arg(long, value_name = "SHARE", default_value_t = 0.5, value_parser = share, conflicts_with_all = ["results", "deviation"])]
    rate: f64,

    /// Standard deviation of the differences, if it is known
    #[arg(long, value_name = "NUMBER", value_parser = difference, conflicts_with = "results")]
    deviation: Option<f64>,

    /// Statistical power: the share of such comparisons that should find the difference
    #[arg(long, value_name = "SHARE", default_value_t = 0.8, value_parser = share)]
    power: f64,

    /// Confidence of the test
    #[arg(long, value_name = "SHARE", default_value_t = 0.95, value_parser = share)]
    confidence: f64,

    /// Number of cases available, to say the smallest difference that they can show; those of the configuration by default
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(2..=10_000_000))]
    cases: Option<u64>,

    /// Configuration of the run, to estimate the cost of a case; no model is asked
    #[arg(long, value_name = "CONFIG", conflicts_with = "cost_per_case")]
    config: Option<PathBuf>,

    /// Cost of a case in US dollars
    #[arg(long, value_name = "USD", value_parser = cost)]
    cost_per_case: Option<f64>,

    #[command(flatten)]
    store: StoreFlag,

    /// Print everything as JSON
    #[arg(long)]
    json: bool,
}

const AFTER_HELP: &str = "Examples:
  probare power --rate 0.8 --difference 0.05
  probare power baseline.jsonl candidate.jsonl --metric token_f1 --difference 0.02
  probare power --rate 0.7 --config probare.yaml";

/// Differences of the table where none is named.
const USUAL_DIFFERENCES: [f64; 5] = [0.01, 0.02, 0.05, 0.1, 0.2];

fn difference(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(number) if number.is_finite() && number > 0.0 => Ok(number),
        _ => Err("a number above 0 is expected".to_owned()),
    }
}

fn cost(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(number) if number.is_finite() && number >= 0.0 => Ok(number),
        _ => Err("a number of at least 0 is expected".to_owned()),
    }
}

fn share(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(share) if share > 0.0 && share < 1.0 => Ok(share),
        _ => Err("a number between 0 and 1 is expected".to_owned()),
    }
}

/// How far differences scatter, and how that is known.
struct Spread {
    deviation: f64,
    from: String,
}

/// What a case costs, and how that is known.
#[derive(Default)]
struct CaseCost {
    usd: Option<f64>,
    /// Cases of the configuration.
    cases: Option<u64>,
    from: Option<String>,
}

/// Runs the command.
pub fn run(arguments: &Arguments) -> CommandResult {
    let level = ConfidenceLevel::new(arguments.confidence)
        .ok_or_else(|| Failure::usage("--confidence is a number between 0 and 1"))?;
    if arguments.power <= 1.0 - arguments.confidence {
        return Err(Failure::usage("--power has to be larger than the risk of a false alarm").hint(
            "a test with 95 % confidence reports a difference that does not exist in 5 % of all cases; 0.8 is usual",
        ));
    }
    let spread = spread(arguments)?;
    if spread.deviation <= 0.0 {
        return Err(Failure::new(format!("no value differs from another: {}", spread.from)).hint(
            "that says nothing about how far other cases scatter: take other results, or say --rate or --deviation",
        ));
    }
    let cost = case_cost(arguments)?;
    let differences = if arguments.differences.is_empty() { &USUAL_DIFFERENCES[..] } else { &arguments.differences };
    let needed: Vec<(f64, Option<usize>)> = differences
        .iter()
        .map(|difference| (*difference, pairs_needed(*difference, spread.deviation, level, arguments.power)))
        .collect();
    let cases = arguments.cases.or(cost.cases);
    let least = cases
        .and_then(|cases| usize::try_from(cases).ok())
        .and_then(|cases| Some((cases, minimum_detectable_effect(cases, spread.deviation, level, arguments.power)?)));
    print(&if arguments.json {
        json_text(arguments, &spread, &cost, &needed, least)
    } else {
        text(arguments, &spread, &cost, &needed, least)
    })?;
    Ok(Exit::Fine)
}

/// A value for each case, by its id and which case of this id it is.
type ValuesByCase = BTreeMap<(String, u32), f64>;

fn spread(arguments: &Arguments) -> Result<Spread, Failure> {
    if let Some(deviation) = arguments.deviation {
        return Ok(Spread { deviation, from: "as given".to_owned() });
    }
    let read = |name: &String| -> Result<(String, ValuesByCase), Failure> {
        let results = compare::open_results(name, &arguments.store)?;
        let (metrics, cases) = read_case_means(&results)?;
        let (at, info) = find_metric(arguments.metric.as_deref(), &metrics)?;
        let value = |case: CaseMean| Some(((case.id, case.occurrence), case.values.get(at).copied().flatten()?));
        Ok((info.name.clone(), cases.into_iter().filter_map(value).collect()))
    };
    match arguments.results.as_slice() {
        [] => {
            let rate = arguments.rate;
            Ok(Spread {
                deviation: (2.0 * rate * (1.0 - rate)).sqrt(),
                from: format!("two independent systems, each right in {} of the cases", percent(rate)),
            })
        }
        [one] => {
            let (metric, values) = read(one)?;
            let values: Vec<f64> = values.into_values().collect();
            let deviation = standard_deviation(&values).ok_or_else(|| too_few(one, values.len()))?;
            Ok(Spread {
                deviation: deviation * 2.0_f64.sqrt(),
                from: format!(
                    "{} of `{metric}` in {one}, as if the other system were independent of it",
                    count_with_noun(values.len() as u64, "value", "values")
                ),
            })
        }
        names => {
            let (first, second) = (&names[0], &names[names.len() - 1]);
            let ((metric, baseline), (other, candidate)) = (read(first)?, read(second)?);
            if metric != other {
                return Err(Failure::usage(format!("{first} has `{metric}`, and {second} has `{other}`"))
                    .hint("name a metric that both have with --metric"));
            }
            let differences: Vec<f64> =
                candidate.iter().filter_map(|(id, value)| Some(value - baseline.get(id)?)).collect();
            let deviation = standard_deviation(&differences)
                .ok_or_else(|| too_few(&format!("{first} and {second} together"), differences.len()))?;
            Ok(Spread {
                deviation,
                from: format!(
                    "{} of `{metric}` in {first} and {second}",
                    count_with_noun(differences.len() as u64, "pair", "pairs")
                ),
            })
        }
    }
}

fn too_few(name: &str, found: usize) -> Failure {
    Failure::new(format!(
        "{name}: {} cannot show how far values scatter",
        count_with_noun(found as u64, "case", "cases")
    ))
    .hint("take results of at least 2 cases, or say --rate or --deviation")
}

/// What a case costs: as given, or as a configuration would have it.
fn case_cost(arguments: &Arguments) -> Result<CaseCost, Failure> {
    let Some(path) = &arguments.config else {
        return Ok(CaseCost { usd: arguments.cost_per_case, ..CaseCost::default() });
    };
    let settings = Config::load(Some(path))?.file_options();
    let options = EvaluationOptions { dry_run: true, ..EvaluationOptions::default() };
    let evaluation = Evaluation::open(&settings, options, registries()).map_err(evaluation_failure)?;
    let estimate = evaluation.estimate();
    let cases: u64 = estimate.cases.iter().map(|(_, cases)| cases).sum();
    let usd = estimate.cost_usd().filter(|_| cases > 0).map(|usd| usd / cases as f64);
    let from = if estimate.asked.is_empty() {
        "no model is asked".to_owned()
    } else {
        let models: Vec<&str> = estimate.asked.iter().map(|asked| asked.model.as_str()).collect();
        match usd {
            Some(_) => format!("estimated for {}", models.join(", ")),
            None => format!("the price of {} is not known", models.join(", ")),
        }
    };
    Ok(CaseCost { usd, cases: Some(cases), from: Some(from) })
}

fn text(
    arguments: &Arguments,
    spread: &Spread,
    cost: &CaseCost,
    needed: &[(f64, Option<usize>)],
    least: Option<(usize, f64)>,
) -> String {
    let mut text = format!(
        "standard deviation of the differences: {} ({})\n",
        rounded(spread.deviation),
        escape::terminal(&spread.from)
    );
    if let Some(usd) = cost.usd {
        text.push_str(&format!("a case costs {} US dollars", rounded(usd)));
        text.push_str(&cost.from.as_ref().map_or_else(String::new, |from| format!(" ({})", escape::terminal(from))));
        text.push('\n');
    } else if let Some(from) = &cost.from {
        text.push_str(&format!("cost unknown: {}\n", escape::terminal(from)));
    }
    text.push_str(&format!(
        "\nto find a difference with {} power and {} confidence:\n",
        percent(arguments.power),
        percent(arguments.confidence)
    ));
    let header = if cost.usd.is_some() { "difference       cases   US dollars" } else { "difference       cases" };
    text.push_str(&format!("  {header}\n"));
    for (difference, pairs) in needed {
        let cases = pairs.map_or_else(|| "> 10000000".to_owned(), |pairs| pairs.to_string());
        text.push_str(&format!("  {:>10}  {cases:>10}", rounded(*difference)));
        if let (Some(usd), Some(pairs)) = (cost.usd, pairs) {
            text.push_str(&format!("  {:>11.4}", usd * *pairs as f64));
        }
        text.push('\n');
    }
    if let Some((cases, least)) = least {
        text.push_str(&format!(
            "\n{} can show a difference of {} or more\n",
            count_with_noun(cases as u64, "case", "cases"),
            rounded(least)
        ));
    }
    text
}

fn json_text(
    arguments: &Arguments,
    spread: &Spread,
    cost: &CaseCost,
    needed: &[(f64, Option<usize>)],
    least: Option<(usize, f64)>,
) -> String {
    let rows: Vec<_> = needed
        .iter()
        .map(|(difference, pairs)| {
            let usd = cost.usd.zip(*pairs).map(|(usd, pairs)| usd * pairs as f64);
            json!({"difference": difference, "cases": pairs, "cost_usd": usd})
        })
        .collect();
    let document = json!({
        "power": arguments.power,
        "confidence": arguments.confidence,
        "deviation": spread.deviation,
        "deviation_from": spread.from,
        "cost_per_case_usd": cost.usd,
        "needed": rows,
        "minimum_detectable_effect": least.map(|(cases, effect)| json!({"cases": cases, "difference": effect})),
    });
    format!("{document:#}\n")
}
