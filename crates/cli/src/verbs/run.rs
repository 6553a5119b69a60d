//! `probare run`: the models and data sets of a configuration through its metrics, kept sample by sample.

use std::path::{Path, PathBuf};

use probare_report::escape;
use probare_report::number::counted;
use probare_runner::{Config, DEFAULT_NAME, Estimate, Evaluation, EvaluationOptions, Exit, Layer, Settings, Store};

use super::benchmarks::{self, Guided, Opened};
use super::flags::{Layered, ProfileFlag, RunFlags, StrictFlag, of_config};
use super::print;
use super::running::Running;
use super::stored::{StoreFlag, failure};
use crate::failure::{Done, Failure};

/// Run an evaluation: models times data sets times metrics.
///
/// The configuration names data sets, models and metrics; without models the responses of the data are scored. Every
/// finished sample is in the store (.probare/store.db) at once: after Ctrl-C, a kill or a full disk `probare resume` goes on
/// where it was. The first Ctrl-C finishes what is under way and ends with exit code 3, the second ends at once.
#[derive(Debug, clap::Args)]
pub struct Arguments {
    /// The configuration; probare.yaml by default
    #[arg(value_name = "CONFIG", default_value = DEFAULT_NAME)]
    config: PathBuf,

    /// Say what the run would take, and ask nobody
    #[arg(long, env = "PROBARE_DRY_RUN")]
    dry_run: bool,

    #[command(flatten)]
    profile: Layered<ProfileFlag>,

    #[command(flatten)]
    strict: Layered<StrictFlag>,

    #[command(flatten)]
    pub store: StoreFlag,

    #[command(flatten)]
    running: Layered<RunFlags>,
}

/// What the run is.
pub fn settings(arguments: &Arguments) -> Result<Settings, Failure> {
    let Arguments { config, dry_run: _, profile, strict, store: _, running } = arguments;
    let said = [running.layer(), profile.layer(), strict.layer()];
    if let Some(guided) = benchmarks::of_configuration(config)
        && let Some(opened) = guided.open(config, false, said.to_vec())?
    {
        return Ok(opened.running.into_settings());
    }
    let file = of_config(&Config::load(Some(config))?);
    Ok(Settings::merge(said.into_iter().chain([file]))?)
}

/// Runs the verb.
pub fn run(arguments: &Arguments) -> Done {
    let said = vec![arguments.running.layer(), arguments.profile.layer(), arguments.strict.layer()];
    if let Some(guided) = benchmarks::of_configuration(&arguments.config) {
        if arguments.dry_run {
            let opened = guided.open(&arguments.config, false, said)?;
            return opened.map_or(Ok(Exit::Fine), |opened| print(&shown(opened.evaluation.estimate())));
        }
        return begin(guided, &arguments.config, false, said, &arguments.store);
    }
    let settings = settings(arguments)?;
    let options = EvaluationOptions { only_looks: arguments.dry_run, ..EvaluationOptions::default() };
    let evaluation = Evaluation::open(&settings, options).map_err(failure)?;
    if arguments.dry_run {
        return print(&shown(evaluation.estimate()));
    }
    let store = Store::open(&arguments.store.store)?;
    let number = store.begin(evaluation.plan())?;
    Running::new(settings).evaluate(evaluation, &store, number)
}

/// Starts a run from a configuration in the form of a benchmark's guide.
pub fn begin(guided: &dyn Guided, path: &Path, overwrite: bool, said: Vec<Layer>, store: &StoreFlag) -> Done {
    let Some(Opened { evaluation, running }) = guided.open(path, overwrite, said)? else { return Ok(Exit::Fine) };
    let store = Store::open(&store.store)?;
    let number = store.begin(evaluation.plan())?;
    running.evaluate(evaluation, &store, number)
}

/// What a run would take, in words.
fn shown(estimate: &Estimate) -> String {
    let mut text = String::new();
    for (name, cases) in &estimate.cases {
        text.push_str(&format!("{}: {}\n", escape::terminal(name), counted(*cases, "case", "cases")));
    }
    text.push_str(&format!(
        "{} through {}\n",
        counted(estimate.samples, "sample", "samples"),
        counted(estimate.metrics as u64, "metric", "metrics")
    ));
    for asked in &estimate.asked {
        let what =
            if asked.judges.is_empty() { "answers".to_owned() } else { format!("judges {}", asked.judges.join(", ")) };
        text.push_str(&format!(
            "  {} {}: {}{}, about {} tokens in and {} out, {}\n",
            escape::terminal(&asked.model),
            escape::terminal(&what),
            if asked.is_most { "at most " } else { "" },
            counted(asked.calls, "call", "calls"),
            asked.usage.input_tokens,
            asked.usage.output_tokens,
            dollars(asked.cost_usd)
        ));
    }
    if estimate.asked.is_empty() {
        text.push_str("no model is asked\n");
        return text;
    }
    let usage = estimate.usage();
    text.push_str(&format!(
        "in all {}, about {} tokens, {}, {} of waiting; what is recorded already is neither asked nor paid again\n",
        counted(estimate.calls(), "call", "calls"),
        usage.input_tokens + usage.output_tokens,
        dollars(estimate.cost_usd()),
        waiting(estimate.seconds()),
    ));
    text
}

fn dollars(cost: Option<f64>) -> String {
    match cost {
        Some(cost) => format!("{cost:.4} US dollars"),
        None => "price unknown".to_owned(),
    }
}

fn waiting(seconds: f64) -> String {
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a rough number of whole seconds")]
    let seconds = seconds.ceil() as u64;
    match seconds {
        0..=119 => format!("about {}", counted(seconds, "second", "seconds")),
        120..=7199 => format!("about {} minutes", seconds / 60),
        _ => format!("about {} hours", seconds / 3600),
    }
}
