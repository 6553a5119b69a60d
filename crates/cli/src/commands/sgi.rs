//! `probare sgi`: SGI-Bench with models, beside `sgi score`, which is made from the benchmark.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;

use clap::{Arg, ArgMatches};
use probare_benchmarks::registries;
use probare_benchmarks::sgi::Subtask;
use probare_benchmarks::sgi::guide::{Guide, GuideError, PreparedSgiRun, SgiOptions, by_environment, prepare};
use probare_benchmarks::sgi::records::unreadable_replies;
use probare_core::{Backend as _, BuildError, Score, closest};
use probare_engine::{Evaluation, EvaluationOptions, RunOptions};
use probare_report::escape;
use probare_report::number::count_with_noun;
use probare_sandbox::{Sandbox, SandboxLimits, environment};
use serde_json::{Map, Value as Json};

use super::benchmark_hooks::{ExistingResults, GuideBenchmark, Judges, Preparation, ReadyRun};
use super::flags::{ForBenchmark, OptionFlags};
use super::run::begin_benchmark;
use super::run_driver::RunDriver;
use super::store_flags::{StoreFlag, evaluation_failure};
use super::{print, remark};
use crate::failure::{CommandResult, Failure};

/// SGI-Bench: deep research, ideas, dry and wet experiments
#[derive(Debug, clap::Args)]
pub struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, clap::Subcommand)]
enum Command {
    Run(Box<RunArguments>),
    Env(EnvArguments),
}

/// Manage environments for dry experiments
#[derive(Debug, clap::Args)]
struct EnvArguments {
    #[command(subcommand)]
    command: EnvCommand,
}

#[derive(Debug, clap::Subcommand)]
enum EnvCommand {
    /// Create a virtual environment with uv and install a requirements file
    Create {
        /// The folder to make
        folder: PathBuf,
        /// Requirements file, as pip reads it
        #[arg(long, value_name = "FILE")]
        requirements: Option<PathBuf>,
        /// Version of Python; the benchmark's reference environment has 3.10
        #[arg(long, value_name = "VERSION")]
        python: Option<String>,
    },
    /// Show what an environment contains
    Show {
        /// conda:NAME, venv:FOLDER, python:PATH or system; `SGI_CONDA_ENV` by default, else conda:dryexp
        environment: Option<String>,
    },
}

/// Ask models for all subtasks of a configuration, score what they answer, and keep it
///
/// The configuration is the YAML of the benchmark's guide, unchanged. Graders come from its variables (`GRADER_BASE_URL`,
/// `GRADER_API_KEY`, `SGI_DR_GRADER_MODEL`, `SGI_DE_GRADER_MODEL`, `SGI_JUDGE_MODEL_1` …) or from `graders:` in the file. A
/// subtask that lacks something is skipped and reported; the others run. Finished samples are in the store, for `probare
/// resume` and `probare compare`.
#[derive(Debug, clap::Args)]
struct RunArguments {
    /// The configuration
    #[arg(value_name = "CONFIG.yaml")]
    config: PathBuf,

    /// Also run subtasks that have results, and ask models and graders again
    #[arg(long, env = "PROBARE_OVERWRITE")]
    overwrite: bool,

    /// No question before the run; there is none, the guide's commands work as they are
    #[arg(short = 'y', long, hide = true)]
    yes: bool,

    #[command(flatten)]
    store: StoreFlag,

    #[command(flatten)]
    options: OptionFlags<ForBenchmark>,
}

/// Runs the command.
pub fn run(arguments: &Arguments) -> CommandResult {
    match &arguments.command {
        Command::Run(arguments) => start(arguments),
        Command::Env(arguments) => env(&arguments.command),
    }
}

fn env(command: &EnvCommand) -> CommandResult {
    let failed = |error: environment::EnvironmentError| Failure::from_error(&error);
    match command {
        EnvCommand::Create { folder, requirements, python } => {
            let made = environment::create(folder, requirements.as_deref(), python.as_deref()).map_err(failed)?;
            print(&format!(
                "{}: Python {}\nuse it with `environment: venv:{}` under `run`, or --environment venv:{}\n",
                escape::terminal(&made.python.display().to_string()),
                escape::terminal(&made.version),
                escape::terminal(&made.folder.display().to_string()),
                escape::terminal(&made.folder.display().to_string()),
            ))
        }
        EnvCommand::Show { environment } => {
            let usual = || format!("conda:{}", variable("SGI_CONDA_ENV").unwrap_or_else(|| "dryexp".to_owned()));
            let named = environment.clone().unwrap_or_else(usual);
            let named = if named == "system" { String::new() } else { named };
            let found = environment::describe(&named).map_err(failed)?;
            print(&format!(
                "{}: Python {}, {} packages\n",
                escape::terminal(&found.python.display().to_string()),
                escape::terminal(&found.version),
                found.packages
            ))
        }
    }
}

fn start(arguments: &RunArguments) -> CommandResult {
    begin_benchmark(&SgiGuide, &arguments.config, existing(arguments), arguments.options.options(), &arguments.store)
}

const fn existing(arguments: &RunArguments) -> ExistingResults {
    if arguments.overwrite { ExistingResults::Overwrite } else { ExistingResults::Skip }
}

/// What a run would be made of; nothing for a command that scores nothing.
pub fn settings(arguments: &Arguments) -> Result<Option<RunOptions>, Failure> {
    let Command::Run(arguments) = &arguments.command else { return Ok(None) };
    let opened = open(&arguments.config, existing(arguments), arguments.options.options())?;
    Ok(opened.map(|opened| opened.running.into_settings()))
}

/// SGI-Bench with models, from the YAML of its guide.
pub struct SgiGuide;

impl GuideBenchmark for SgiGuide {
    fn benchmark(&self) -> &'static str {
        "sgi"
    }

    fn is_guide(&self, text: &str) -> bool {
        Guide::is_sgi_config(text)
    }

    fn has_unreadable_reply(&self, score: &Score) -> bool {
        unreadable_replies(score) > 0
    }

    fn describe(&self, path: &Path) -> Result<String, Failure> {
        let guide = Guide::load(path)?;
        for dataset in &guide.datasets {
            subtask_of(&dataset.dataset_id)?;
        }
        let models = count_with_noun(guide.models.len() as u64, "model", "models");
        let subtasks = count_with_noun(guide.datasets.len() as u64, "subtask", "subtasks");
        Ok(format!("configuration of SGI-Bench, {models}, {subtasks}; `probare sgi run` runs it"))
    }

    fn open(&self, path: &Path, existing: ExistingResults, said: RunOptions) -> Result<Option<ReadyRun>, Failure> {
        open(path, existing, said)
    }
}

/// The subtask that a data set is.
fn subtask_of(id: &str) -> Result<Subtask, Failure> {
    Subtask::ALL.into_iter().find(|subtask| subtask.dataset_id() == id).ok_or_else(|| {
        let known = Subtask::ALL.map(Subtask::dataset_id);
        let failure = Failure::usage(format!("unknown `dataset_id` `{id}`"));
        match closest(id, known) {
            Some(similar) => failure.hint(format!("a similar one exists: `{similar}`")),
            None => failure.hint(format!("known are {}", known.join(", "))),
        }
    })
}

/// Graders of outputs that were made elsewhere.
pub struct SgiGrading;

impl Preparation for SgiGrading {
    fn benchmark(&self) -> &'static str {
        "sgi"
    }

    fn flags(&self) -> Vec<Arg> {
        Vec::new()
    }

    fn takes(&self, _: &str) -> bool {
        false
    }

    /// Where no judge is named on the command line the guide's variables name the graders, and where these do not, the
    /// configuration does.
    fn prepare(
        &self,
        _: &ArgMatches,
        options: &mut Map<String, Json>,
        settings: &RunOptions,
    ) -> Result<Option<Judges>, Failure> {
        let subtask = options.get("subtask").and_then(Json::as_str).and_then(Subtask::from_word);
        // The variable of the guide names a conda environment, as `--environment conda:NAME` does.
        if subtask == Some(Subtask::DryExperiment)
            && !options.contains_key("environment")
            && let Some(name) = variable("SGI_CONDA_ENV")
        {
            options.insert("environment".to_owned(), format!("conda:{name}").into());
        }
        // Protocols and choices need nobody; whoever judges reasoning is named with --judge.
        let asks = |subtask: &Subtask| !matches!(subtask, Subtask::WetExperiment | Subtask::ExperimentalReasoning);
        let Some(subtask) = subtask.filter(asks) else { return Ok(None) };
        // Judges of a configuration are the last word, those of the command line the first.
        let is_said = !settings.judges.is_empty() && !settings.origin("judges").is_file();
        let missing = if is_said {
            String::new()
        } else {
            match by_environment(subtask, &variable) {
                Ok(models) => {
                    let names = models.iter().map(|model| model.name.clone()).collect();
                    return Ok(Some(Judges { models, names }));
                }
                Err(missing) => missing,
            }
        };
        if settings.judges.is_empty() {
            return Err(Failure::usage(format!(
                "nobody is named who grades {}: {missing}",
                subtask.title().to_lowercase()
            ))
            .hint("set them, or name a model: --judge openai:o4-mini, or `judges: [NAME]` in probare.yaml"));
        }
        Ok(None)
    }
}

/// Opens a configuration; nothing where all its results are there.
fn open(path: &Path, existing: ExistingResults, flags: RunOptions) -> Result<Option<ReadyRun>, Failure> {
    let guide = Guide::load(path)?;
    let wishes = SgiOptions {
        overwrite: existing != ExistingResults::Skip,
        profile: flags.profile,
        limit: flags.limit,
        stamp: probare_report::Utc::from_system_time(SystemTime::now()).stamp(),
        console: RunDriver::new(flags.clone()).console(),
    };
    let PreparedSgiRun { config, benchmark, refused, skipped, limit } =
        prepare(&guide, path, &wishes, &variable, &|subtask, options| {
            check_prerequisites(subtask, options, &guide, &flags)
        })?;
    for (subtask, reason) in &refused {
        remark(&format!("skipped: {}: {reason}", subtask.dataset_id()));
    }
    for subtask in &skipped {
        remark(&format!("{} has results of these data; --overwrite runs it again", subtask.dataset_id()));
    }
    if benchmark.datasets.is_empty() {
        return Ok(None);
    }
    if guide.cache.is_some() || guide.grader_cache.is_some() {
        remark("`cache` and `grader_cache` are not needed: every reply is in the response cache and is not paid twice");
    }
    if guide.models.iter().any(|model| !model.extract_fields.is_empty()) {
        remark(
            "`extract_fields` is left aside: of a reply its text, its tokens and its price are kept, and no other field",
        );
    }
    // The limit is settled: that of the flags, or that of a demo.
    let limit = RunOptions { limit, ..RunOptions::default() }.set_by_caller();
    let flags = flags.retain(|name| name != "limit");
    let settings = flags.combine(limit).combine(config.options(&path.display().to_string()));
    let refresh = match existing {
        ExistingResults::Skip => guide.run.overwrite,
        ExistingResults::Keep => false,
        ExistingResults::Overwrite => true,
    };
    let options = EvaluationOptions { refresh, ..EvaluationOptions::default() };
    let evaluation =
        Evaluation::open_benchmark(&settings, options, registries(), benchmark).map_err(evaluation_failure)?;
    Ok(Some(ReadyRun { evaluation, running: RunDriver::new(settings).with_own_summary(true) }))
}

/// An environment variable that holds something.
fn variable(name: &str) -> Option<String> {
    std::env::var(name).ok().filter(|value| !value.is_empty())
}

/// Whether what a subtask needs is there.
fn check_prerequisites(
    subtask: Subtask,
    options: &Map<String, Json>,
    guide: &Guide,
    settings: &RunOptions,
) -> Result<(), String> {
    let text = |name: &str| options.get(name).and_then(Json::as_str);
    match subtask {
        Subtask::DeepResearch | Subtask::DeepResearchGold | Subtask::WetExperiment | Subtask::ExperimentalReasoning => {
            Ok(())
        }
        Subtask::IdeaGeneration => {
            let missing = |error: BuildError| match error {
                BuildError::Missing { what, remedy } => format!("{what} is missing; {remedy}"),
                other => other.to_string(),
            };
            let mut asking = settings.model_access();
            asking.models.extend(guide.graders.models.iter().chain(&guide.models).cloned());
            let asked = asking.open(&mut [], probare_benchmarks::registry()).map_err(|error| error.to_string())?;
            asked.can_embed(text("model").unwrap_or("all-MiniLM-L6-v2")).map_err(missing)
        }
        // What is recorded needs no sandbox.
        Subtask::DryExperiment if settings.offline == Some(true) || guide.run.offline => Ok(()),
        Subtask::DryExperiment => {
            let choice = settings.sandbox.unwrap_or_default();
            let sandbox =
                Sandbox::open(choice, SandboxLimits::default(), Arc::default()).map_err(|error| error.to_string())?;
            sandbox.interpreter(text("environment").unwrap_or_default()).map(|_| ()).map_err(|error| error.to_string())
        }
    }
}

impl From<GuideError> for Failure {
    fn from(error: GuideError) -> Self {
        let plain = Self::from_error(&error);
        match error {
            GuideError::Rows { hint: Some(hint), .. } => plain.hint(hint),
            GuideError::Nothing { .. } => {
                plain.hint("set the variables, or name graders in the file: graders: {deep_research: openai:o4-mini}")
            }
            GuideError::Read(error) => error.into(),
            GuideError::Variable { .. } => plain.into_usage(),
            GuideError::Invalid(_) => plain.hint("docs/suites/sgi.md shows the form").into_usage(),
            _ => plain,
        }
    }
}
