//! `probare run`: the models and data sets of a configuration through its metrics, kept sample by sample.

use std::path::{Path, PathBuf};

use probare_analysis::{DerivedValue, TranslateOptions, Translation, is_promptfoo_configuration, translate};
use probare_benchmarks::registries;
use probare_core::Sha256;
use probare_engine::{
    Config, ConfigError, DEFAULT_NAME, Estimate, Evaluation, EvaluationOptions, Exit, RunOptions,
    check_discovered_guide,
};
use probare_report::escape;
use probare_report::number::count_with_noun;
use probare_store::Store;

use super::benchmark_hooks::{self, ExistingResults, GuideBenchmark, ReadyRun};
use super::export::exchange_failure;
use super::flags::{ForRun, OptionFlags};
use super::run_driver::RunDriver;
use super::store_flags::{StoreFlag, evaluation_failure};
use super::{compare, print, remark};
use crate::failure::{CommandResult, Failure};

/// Run an evaluation: models times data sets times metrics.
///
/// The configuration names data sets, models and metrics; without models the responses of the data are scored. Every
/// finished sample is written to the store (.probare/store.db) at once: after Ctrl-C, a kill or a full disk `probare resume`
/// continues. The first Ctrl-C finishes requests in flight and exits with code 3, the second exits at once.
///
/// A configuration of promptfoo that is named is translated first, into .probare/promptfoo; what cannot be run is listed, counted
/// as `not_run` and never passed. Its code is run with --allow-code alone.
#[derive(Debug, clap::Args)]
pub struct Arguments {
    /// The configuration; probare.yaml by default
    #[arg(value_name = "CONFIG")]
    config: Option<PathBuf>,

    /// Estimate requests, tokens and cost, and send nothing
    #[arg(long, env = "PROBARE_DRY_RUN")]
    dry_run: bool,

    /// Model whose vectors decide `similar` of a configuration of promptfoo: all-MiniLM-L6-v2 or provider:model
    #[arg(long, value_name = "MODEL")]
    embedding: Option<String>,

    /// Run the code of a configuration of promptfoo, with your rights: assertions in JavaScript and Python, transforms, and
    /// providers that are programs
    #[arg(long)]
    allow_code: bool,

    #[command(flatten)]
    pub store: StoreFlag,

    #[command(flatten)]
    options: OptionFlags<ForRun>,
}

/// The benchmark whose guide has configurations of this form, and the file. One that was found has to be trusted.
fn find_guide(arguments: &Arguments) -> Result<Option<(&'static dyn GuideBenchmark, &Path)>, Failure> {
    let path = arguments.config.as_deref().unwrap_or(Path::new(DEFAULT_NAME));
    if arguments.config.is_none() && probare_files::ensure_plain(path).is_err() {
        return Ok(None);
    }
    let Some(guided) = benchmark_hooks::for_configuration(path) else { return Ok(None) };
    if arguments.config.is_none() {
        check_discovered_guide(path).map_err(found_failure)?;
    }
    Ok(Some((guided, path)))
}

/// The failure of a configuration that was found: `run` names one without a flag.
fn found_failure(error: ConfigError) -> Failure {
    let hint = match &error {
        ConfigError::Untrusted { name, .. } => {
            format!("read it; then `probare trust` accepts it as it is (--yes in CI), or name it: probare run {name}")
        }
        ConfigError::OfAnother { name, .. } => {
            format!("it may name programs and addresses; if you trust it, name it: probare run ./{name}")
        }
        _ => return error.into(),
    };
    Failure::from(error).hint(hint)
}

/// Folder of translated configurations.
const TRANSLATED: &str = ".probare/promptfoo";

/// A configuration of promptfoo that the user names, as one of ours.
fn translated(arguments: &Arguments) -> Result<Option<(PathBuf, Translation)>, Failure> {
    if let Some(path) = &arguments.config
        && ["js", "cjs", "mjs", "ts", "py"].iter().any(|code| path.extension().is_some_and(|own| own == *code))
    {
        let reason = format!("`{}` is code, and a configuration is YAML or JSON", path.display());
        return Err(
            Failure::usage(reason).hint("write what it makes of promptfoo's configuration to a file of its own")
        );
    }
    let Some(source) = arguments.config.as_deref().filter(|path| is_promptfoo_configuration(path)) else {
        let reason = |flag: &str| Failure::usage(format!("{flag} is for configurations of promptfoo"));
        if arguments.allow_code {
            let hint = "a configuration of your own names code by `python` and `command` of a metric or model";
            return Err(reason("--allow-code").hint(hint));
        }
        if arguments.embedding.is_some() {
            return Err(
                reason("--embedding").hint("a configuration of your own names the model in `options` of a metric")
            );
        }
        return Ok(None);
    };
    let place = source.canonicalize().unwrap_or_else(|_| source.to_owned());
    let digest = Sha256::hex_digest(place.as_os_str().as_encoded_bytes());
    let stem = source.file_stem().unwrap_or_default().to_string_lossy();
    let config = Path::new(TRANSLATED).join(format!("{stem}-{}", &digest[..8])).join(DEFAULT_NAME);
    let options = TranslateOptions {
        judges: arguments.options.options().judges,
        allow_code: arguments.allow_code,
        embedding: arguments.embedding.clone(),
    };
    let translation = translate(source, Some(&config), &options).map_err(exchange_failure)?;
    Ok(Some((config, translation)))
}

/// What the run is.
pub fn settings(arguments: &Arguments) -> Result<RunOptions, Failure> {
    if let Some((config, _)) = translated(arguments)? {
        return Ok(arguments.options.with(&Config::load(Some(&config))?));
    }
    if let Some((guided, config)) = find_guide(arguments)?
        && let Some(opened) = guided.open(config, ExistingResults::Skip, arguments.options.options())?
    {
        return Ok(opened.running.into_settings());
    }
    // A run needs a configuration, so one that is not there is an error as if it were named.
    let found = Path::new(DEFAULT_NAME);
    let named = arguments.config.as_deref().or_else(|| (!found.exists()).then_some(found));
    Ok(arguments.options.with(&Config::load(named).map_err(found_failure)?))
}

/// Says what a configuration of promptfoo became: before the run, so that nothing is taken for checked that is not.
pub fn describe_translation(translation: &Translation) {
    let Translation { cells, tests, known, notes, not_run, .. } = translation;
    let runs = count_with_noun(*cells as u64, "run", "runs");
    remark(&format!(
        "promptfoo: {}, {runs}, {known} of them answered without asking anybody",
        count_with_noun(*tests as u64, "test", "tests")
    ));
    for note in notes {
        remark(&format!("note: {note}"));
    }
    for what in not_run {
        remark(&format!("not run: {what}"));
    }
}

/// Runs a configuration of promptfoo that was translated.
fn run_translated(arguments: &Arguments, config: &Path, translation: &Translation) -> CommandResult {
    let settings = arguments.options.with(&Config::load(Some(config))?);
    if settings.quiet != Some(true) {
        describe_translation(translation);
    }
    let is_allowed = settings.allow_not_run == Some(true);
    let (exit, number) = begin(arguments, settings)?;
    if let Some(number) = number.filter(|_| matches!(exit, Exit::Fine | Exit::Gate | Exit::Error)) {
        let store = Store::open_existing(&arguments.store.store)?;
        for DerivedValue { name, column, value } in translation.derived.values(&store, number)? {
            let value = value.map_or_else(|reason| format!("not computed: {reason}"), |value| value.to_string());
            remark(&format!("derived metric `{name}` ({column}): {value}"));
        }
    }
    if translation.loses_more && !is_allowed && !arguments.dry_run && matches!(exit, Exit::Fine | Exit::Gate) {
        remark("parts of the configuration are not run (see above); --allow-not-run accepts that");
        return Ok(Exit::Error);
    }
    Ok(exit)
}

/// Runs the command.
pub fn run(arguments: &Arguments) -> CommandResult {
    if let Some((config, translation)) = translated(arguments)? {
        return run_translated(arguments, &config, &translation);
    }
    let said = arguments.options.options();
    if let Some((guided, config)) = find_guide(arguments)? {
        if arguments.dry_run {
            let opened = guided.open(config, ExistingResults::Skip, said)?;
            return opened.map_or(Ok(Exit::Fine), |opened| print(&estimate_text(opened.evaluation.estimate())));
        }
        return begin_benchmark(guided, config, ExistingResults::Skip, said, &arguments.store);
    }
    begin(arguments, settings(arguments)?).map(|(exit, _)| exit)
}

/// Starts a run of a configuration of ours; its number, where one was begun.
fn begin(arguments: &Arguments, settings: RunOptions) -> Result<(Exit, Option<i64>), Failure> {
    let baseline = compare::baseline(&settings, &arguments.store)?;
    let options = EvaluationOptions { dry_run: arguments.dry_run, baseline, ..EvaluationOptions::default() };
    let evaluation = Evaluation::open(&settings, options, registries()).map_err(evaluation_failure)?;
    if arguments.dry_run {
        let mut text = estimate_text(evaluation.estimate());
        if settings.stop_when_decided == Some(true) {
            text.push_str("that is the complete run: it ends as soon as its gates are decided\n");
        }
        return print(&text).map(|exit| (exit, None));
    }
    let store = Store::open(&arguments.store.store)?;
    let number = store.begin(evaluation.plan())?;
    RunDriver::new(settings).evaluate(evaluation, &store, number).map(|exit| (exit, Some(number)))
}

/// Starts a run from a configuration in the form of a benchmark's guide.
pub fn begin_benchmark(
    guided: &dyn GuideBenchmark,
    path: &Path,
    existing: ExistingResults,
    said: RunOptions,
    store: &StoreFlag,
) -> CommandResult {
    let Some(ReadyRun { evaluation, running }) = guided.open(path, existing, said)? else { return Ok(Exit::Fine) };
    let store = Store::open(&store.store)?;
    let number = store.begin(evaluation.plan())?;
    running.evaluate(evaluation, &store, number)
}

/// What a run would take, in words.
fn estimate_text(estimate: &Estimate) -> String {
    let mut text = String::new();
    for (name, cases) in &estimate.cases {
        text.push_str(&format!("{}: {}\n", escape::terminal(name), count_with_noun(*cases, "case", "cases")));
    }
    text.push_str(&format!(
        "{} through {}\n",
        count_with_noun(estimate.samples, "sample", "samples"),
        count_with_noun(estimate.metrics as u64, "metric", "metrics")
    ));
    for asked in &estimate.asked {
        let what =
            if asked.judges.is_empty() { "answers".to_owned() } else { format!("judges {}", asked.judges.join(", ")) };
        let what = asked.prompt.as_ref().map_or_else(|| what.clone(), |prompt| format!("{what} to prompt {prompt}"));
        text.push_str(&format!(
            "  {} {}: {}{}, about {} tokens in and {} out, {}{}\n",
            escape::terminal(&asked.model),
            escape::terminal(&what),
            if asked.is_most { "at most " } else { "" },
            count_with_noun(asked.calls, "call", "calls"),
            asked.usage.input_tokens,
            asked.usage.output_tokens,
            dollars(asked.cost_usd),
            if asked.in_batches { " in a batch" } else { "" },
        ));
    }
    if estimate.asked.is_empty() {
        text.push_str("no model is asked\n");
        return text;
    }
    let usage = estimate.usage();
    text.push_str(&format!(
        "in all {}, about {} tokens, {}, {}; what is recorded already is neither asked nor paid again\n",
        count_with_noun(estimate.calls(), "call", "calls"),
        usage.input_tokens + usage.output_tokens,
        dollars(estimate.cost_usd()),
        if estimate.has_batches() {
            "replies within a day".to_owned()
        } else {
            format!("{} of waiting", waiting(estimate.seconds()))
        },
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
        0..=119 => format!("about {}", count_with_noun(seconds, "second", "seconds")),
        120..=7199 => format!("about {} minutes", seconds / 60),
        _ => format!("about {} hours", seconds / 3600),
    }
}
