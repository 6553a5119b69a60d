//! [`Evaluation`]: a configuration, opened: data sets surveyed, models ready, metrics planned. It can say what it will take,
//! and be started or resumed.

use std::num::NonZeroU32;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use probare_core::{
    Backend, Case, CaseLimit, CasePolicy, CaseSource, DefaultCasePolicy, EarlyStopRecord, FORMAT, InputFile, Job,
    MemorySource, MetricRequest, ModelRecord, NamedPromptRecord, NoBackend, ProgramVersion, Publisher, ReadSettings,
    Stop, closest,
};
use probare_formats::{CaseFileError, CaseFormat, CaseReader, ReadOptions, columns, read_whole};
use probare_models::BatchReport;
use probare_report::{ReportFormat, VERSION, refuse_overlap};
use probare_store::{PlannedDataset, RagTest, RunNames, RunPlan, RunState, Store, StoreWriter, StoredSamples};

use super::case_retriever::{self, CaseRetriever};
use super::early_stop;
use super::error::EvaluationError;
use super::estimate::{Estimate, Estimator};
use super::prompt::GenerationPrompt;
use super::run_samples::{ModelsUnderTest, RunProgress, RunSampleProvider, SampleRules};
use super::samples::{OpenDataset, SampleGrid, SampleSource};
use super::survey::Survey;
use crate::agent::{AgentBackend, AgentConfig, AgentOptions};
use crate::config::{Dataset, Generate};
use crate::decide_early::Baseline;
use crate::decision_thresholds::apply_decision_thresholds;
use crate::drive::{DriveOptions, RunContext, drive};
use crate::expectations::{self, EXPECTATIONS};
use crate::model_access::named_judges;
use crate::own_metrics::with_own_metrics;
use crate::run::run_planned;
use crate::{
    Conclusion, Exit, ModelAccess, ModelBackend, Plan, PlanError, Registries, RunError, RunOptions, RunRequest,
};

/// Bytes of the longest prompt that is read from a file.
const LARGEST_PROMPT: u64 = 1024 * 1024;

/// Is told how the batches of a run stand while they are waited for.
pub type BatchWatch = Box<dyn Fn(&BatchReport) + Send + Sync>;

/// What is known of a run beside its settings.
#[derive(Debug, Clone, Default)]
pub struct EvaluationOptions {
    /// Ask nobody: it is looked what would be asked.
    pub dry_run: bool,
    /// Ask again what is recorded, since samples of the run are done again.
    pub refresh: bool,
    /// The test of an index that the run is, where no configuration describes it.
    pub test: Option<RagTest>,
    /// The run whose outputs are scored: no model under test is asked.
    pub outputs_of: Option<i64>,
    /// How that run stopped early, so that only its first cases are scored.
    pub early_stop: Option<EarlyStopRecord>,
    /// What gates against a baseline compare with.
    pub baseline: Option<Baseline>,
}

/// What a benchmark brings to a run in place of files of cases.
pub struct BenchmarkRun {
    pub id: String,
    /// Title of pages.
    pub title: String,
    /// Its data sets, read.
    pub datasets: Vec<BenchmarkDataset>,
    /// What it decides about single cases.
    pub rules: Arc<dyn CasePolicy>,
    /// Who writes the files that it publishes.
    pub publisher: Box<dyn Publisher>,
}

/// A data set whose cases are there.
pub struct BenchmarkDataset {
    pub name: String,
    /// The file they were read from.
    pub input: InputFile,
    pub cases: Vec<Case>,
}

/// A data set with what is needed to open it again.
struct DatasetHandle {
    name: String,
    path: String,
    version: Option<String>,
    options: ReadOptions,
    /// The cases, where a benchmark has read them.
    given: Option<(InputFile, Vec<Case>)>,
}

/// What a benchmark brings beside its cases.
struct BenchmarkParts {
    id: String,
    title: String,
    rules: Arc<dyn CasePolicy>,
    publisher: Box<dyn Publisher>,
}

/// A run that is ready to be driven.
pub struct Evaluation {
    metrics: Plan,
    requests: Vec<MetricRequest>,
    asked: Arc<ModelBackend>,
    prompts: Vec<GenerationPrompt>,
    retriever: Option<CaseRetriever>,
    agent: Option<AgentBackend>,
    datasets: Vec<DatasetHandle>,
    plan: RunPlan,
    estimate: Estimate,
    expects: bool,
    benchmark: Option<BenchmarkParts>,
    /// What gates against a baseline compare with.
    baseline: Option<Baseline>,
    /// Who is told how the batches of the run stand while they are waited for.
    batch_watch: Option<BatchWatch>,
}

impl Evaluation {
    /// Opens everything and looks at all cases once. Nothing is sent.
    pub fn open(
        settings: &RunOptions,
        options: EvaluationOptions,
        registries: Registries,
    ) -> Result<Self, EvaluationError> {
        Self::open_with(settings, options, registries, None)
    }

    /// The same with the cases, rules and files of a benchmark.
    pub fn open_benchmark(
        settings: &RunOptions,
        options: EvaluationOptions,
        registries: Registries,
        benchmark: BenchmarkRun,
    ) -> Result<Self, EvaluationError> {
        Self::open_with(settings, options, registries, Some(benchmark))
    }

    fn open_with(
        settings: &RunOptions,
        options: EvaluationOptions,
        registries: Registries,
        benchmark: Option<BenchmarkRun>,
    ) -> Result<Self, EvaluationError> {
        let config = settings.config.as_deref().unwrap_or(Path::new("")).display().to_string();
        if settings.datasets.is_empty() && benchmark.is_none() {
            return Err(EvaluationError::NoDataset { config });
        }
        let tested = under_test(settings)?;
        let asking = model_access(settings, &options, &tested, benchmark.is_some());
        let EvaluationOptions { test, outputs_of, early_stop, baseline, .. } = options;
        let mut generate = settings.generate.clone().unwrap_or_default();
        select_prompts(&mut generate, &settings.prompts)?;
        read_prompt_files(&mut generate, settings.folder())?;
        let is_grounded = settings.retrieval.is_some()
            && generate.prompts.is_empty()
            && generate.prompt.is_none()
            && generate.system.is_none();
        let prompts = if tested.is_empty() || is_grounded {
            Vec::new()
        } else {
            GenerationPrompt::from_config(&generate).map_err(EvaluationError::Prompt)?
        };
        let mut requests = settings.requests();
        let (sets, benchmark) = if let Some(BenchmarkRun { id, title, datasets, rules, publisher }) = benchmark {
            (
                datasets.into_iter().map(DatasetHandle::from_benchmark).collect(),
                Some(BenchmarkParts { id, title, rules, publisher }),
            )
        } else {
            let sets = settings.datasets.iter().map(|dataset| DatasetHandle::new(dataset, settings));
            (sets.collect::<Result<Vec<_>, _>>()?, None)
        };
        let (planned, surveys) = survey_datasets(&sets, &prompts, settings, &requests)?;
        let expects = surveys.iter().any(|survey| survey.expects);
        if expects && requests.iter().all(|request| request.id != EXPECTATIONS) {
            requests.push(MetricRequest::plain(EXPECTATIONS));
        }
        let asked = Arc::new(asking.open(&mut requests, registries.metrics)?);
        check_tools(&sets, &surveys, &tested, &asked, is_grounded)?;
        let agent = match &settings.agent {
            Some(_) if is_grounded => {
                return Err(EvaluationError::Agent("with `retrieval` it needs a `generate.prompt`".to_owned()));
            }
            Some(config) if outputs_of.is_none() => Some(open_agent(config, settings, &asking, &asked, &tested)?),
            _ => None,
        };
        let outside: Arc<dyn Backend> = Arc::<ModelBackend>::clone(&asked);
        let open_retriever = |entry| CaseRetriever::open(entry, settings.folder(), &outside);
        let retriever = settings.retrieval.as_ref().map(open_retriever).transpose()?;
        let registry = with_own_metrics(registries.metrics, &requests, outside.trust()).map_err(PlanError::from)?;
        apply_decision_thresholds(&settings.decision_thresholds, &mut requests, settings.profile(), &registry)
            .map_err(PlanError::from)?;
        let metrics = Plan::new(&requests, settings.profile(), &registry)?;
        let used = |is_meant: &dyn Fn(&ModelRecord) -> bool| -> Vec<ModelRecord> {
            asked.used.iter().filter(|model| is_meant(model)).cloned().collect()
        };
        let named = |name: &String| asked.used.iter().find(|model| model.name == *name).cloned();
        let models: Vec<ModelRecord> = tested.iter().filter_map(named).collect();
        let judging: Vec<String> = requests.iter().flat_map(named_judges).collect();
        let plan = RunPlan {
            probare: ProgramVersion { version: VERSION.to_owned(), format: FORMAT },
            config,
            benchmark: benchmark.as_ref().map(|benchmark| benchmark.id.clone()),
            datasets: planned,
            limit: settings.limit,
            repeats: generate.repeats.filter(|_| !models.is_empty()).map_or(1, NonZeroU32::get),
            prompt: match prompts.as_slice() {
                [only] if only.name.is_none() => Some(only.sha256.clone()),
                _ => (is_grounded && !asking.under_test.is_empty()).then(case_retriever::prompt_digest),
            },
            generation_prompts: (prompts.iter())
                .filter_map(|prompt| {
                    Some(NamedPromptRecord { name: prompt.name.clone()?, sha256: prompt.sha256.clone() })
                })
                .collect(),
            retrieval: retriever.as_ref().map(|retriever| retriever.planned().clone()),
            agent: agent.as_ref().map(|agent| agent.digest.clone()),
            agent_record: agent.as_ref().map(AgentBackend::record),
            user: agent.as_ref().and_then(AgentBackend::user_model),
            test,
            collected: None,
            metrics: metrics.infos().to_vec(),
            models,
            judges: used(&|model| judging.contains(&model.name)),
            fallbacks: used(&|model| asked.used.iter().any(|other| other.fallback.contains(&model.name))),
            prompts: asked.prompts.clone(),
            replies: asked.inputs.clone(),
            outputs: settings.output.iter().map(|path| path.display().to_string()).collect(),
            outputs_of,
            early_stop,
            settings: serde_json::to_value(settings).ok(),
            baseline: baseline.as_ref().map(Baseline::digest),
            mark: None,
        };
        let gates = if expects { settings.limits().join(expectations::gates()) } else { settings.limits() };
        // What would end the run as soon as it has begun is told before; whether there are groups is known to whoever reports it.
        gates.check(&plan.metrics, true).map_err(RunError::from)?;
        check_outputs(settings, &sets, &plan.config)?;
        early_stop::check(settings, &gates, &plan, baseline.as_ref(), benchmark.is_some())?;
        let mut estimator = Estimator::new(&plan, &surveys, &asked, &asking);
        estimator.add_answers(&prompts, agent.as_ref(), retriever.as_ref().map_or(0, CaseRetriever::bytes));
        estimator.add_judges(&requests, registries.metrics);
        let estimate = estimator.into_estimate();
        drop(surveys);
        Ok(Self {
            metrics,
            requests,
            asked,
            prompts,
            retriever,
            agent,
            datasets: sets,
            plan,
            estimate,
            expects,
            benchmark,
            baseline,
            batch_watch: None,
        })
    }

    /// Waits, before anything else is done, until the batches that are open have ended.
    #[must_use]
    pub fn waiting_for_batches(self, watch: BatchWatch) -> Self {
        Self { batch_watch: Some(watch), ..self }
    }

    /// What decides its results.
    pub const fn plan(&self) -> &RunPlan {
        &self.plan
    }

    /// What it will take.
    pub const fn estimate(&self) -> &Estimate {
        &self.estimate
    }

    /// Who is asked.
    pub fn model_backend(&self) -> &ModelBackend {
        &self.asked
    }

    /// Drives the run: what the store holds already is taken from there, the rest is asked, scored and kept.
    pub fn run(
        mut self,
        store: &Store,
        run: i64,
        wanted: RunRequest<'_>,
        tally: Arc<RunProgress>,
    ) -> Result<Conclusion, EvaluationError> {
        early_stop::refuse_other_gates(&store.run(run)?.plan, &wanted.settings)?;
        let names = self.plan.names();
        let is_plain = self.is_plain();
        let mut job = self.job(&names)?;
        let infos = self.metrics.infos().to_vec();
        self.asked.keep_costs_in(store, run)?;
        if wanted.settings.batch.unwrap_or_default() && !wanted.settings.offline.unwrap_or_default() {
            self.begin_batches(store, run, &wanted.interrupted)?;
        }
        let respondents = (!names.models.is_empty()).then(|| ModelsUnderTest {
            clients: names.models.iter().filter_map(|name| self.asked.client(name)).collect(),
            prompts: self.prompts.clone(),
            outputs_of: self.plan.outputs_of,
        });
        let sampling = RunSampleProvider {
            respondents,
            retriever: self.retriever.as_ref(),
            agent: self.agent.as_ref(),
            before: StoredSamples::open(store, run, names.clone(), &infos)?,
            keeper: StoreWriter::open(store, run, names.clone())?,
            metrics: infos,
            models: Some(self.asked.shared()),
            folders: self.datasets.iter().map(DatasetHandle::folder).collect(),
            tally,
            store: (store.path().to_owned(), run),
        };
        // From here on it may borrow what lives no longer than this.
        let mut wanted = wanted;
        // The limit is that of each data set, which the samples keep; of the whole run only where there is but one.
        wanted.settings.limit = self.plan.limit.filter(|_| is_plain);
        if self.expects {
            wanted.gates = wanted.gates.join(expectations::gates());
        }
        if wanted.settings.stop_when_decided == Some(true) {
            let gates = wanted.settings.limits().join(wanted.gates.clone());
            let compared = (&self.plan, self.baseline.as_ref());
            wanted.early = Some(early_stop::prepare(&mut job, &wanted.settings, &gates, compared, &sampling)?);
        } else if let Some(early) = &self.plan.early_stop {
            early_stop::take_prefix(&mut job, early)?;
            wanted.early_stop = Some(early.clone());
        }
        wanted.sampler = Some(&sampling);
        let ended = run_planned(job, &self.metrics, Some(&self.asked), wanted);
        // What is finished is kept also where a report failed; whichever failed first is told.
        let closed = sampling.keeper.close();
        let mut conclusion = ended?;
        closed?;
        match conclusion.driven.stop {
            Stop::Interrupted => conclusion.exit = Exit::Incomplete,
            Stop::Complete if !conclusion.is_budget_reached() && !conclusion.is_postponed() => {
                store.set_state(run, RunState::Complete)?;
            }
            _ => {}
        }
        Ok(conclusion)
    }

    /// Gathers the questions of the run for batches, and waits for those that are open.
    fn begin_batches(&self, store: &Store, run: i64, interrupted: &AtomicBool) -> Result<(), EvaluationError> {
        // A run is known by its number in its store.
        let place = std::fs::canonicalize(store.path()).unwrap_or_else(|_| store.path().to_owned());
        let models = self.asked.shared();
        models.begin_batches(format!("{} run {run}", place.display())).map_err(EvaluationError::Batch)?;
        match &self.batch_watch {
            Some(watch) => models.wait_for_batches(interrupted, watch).map_err(EvaluationError::Batch),
            None => Ok(()),
        }
    }

    /// Whether the run is what `score` does: the responses of one file.
    fn is_plain(&self) -> bool {
        self.plan.models.is_empty() && self.datasets.len() == 1 && self.retriever.is_none() && self.benchmark.is_none()
    }

    fn job(&mut self, names: &RunNames) -> Result<Job, EvaluationError> {
        let is_plain = self.is_plain();
        let mut open = Vec::new();
        for dataset in &self.datasets {
            let prefix = if self.datasets.len() > 1 { format!("{}/", dataset.name) } else { String::new() };
            open.push(OpenDataset { prefix, version: dataset.version.clone(), rows: dataset.rows()? });
        }
        let samples = SampleSource::new(open, SampleGrid::for_plan(&self.plan), self.plan.limit);
        let paths: Vec<&str> = self.datasets.iter().map(|dataset| dataset.path.as_str()).collect();
        let mut job = Job::new(paths.join(", "), Box::new(samples), self.requests.clone());
        job.reads = self.datasets.iter().map(|dataset| PathBuf::from(&dataset.path)).collect();
        job.reads.push(PathBuf::from(&self.plan.config));
        let mut rules = SampleRules {
            models: names.models.clone(),
            prompt_names: names.prompts.clone(),
            prompts: self.prompts.clone(),
            has_fallbacks: self.plan.has_fallbacks(),
            rules: Arc::new(DefaultCasePolicy),
        };
        if let Some(benchmark) = self.benchmark.take() {
            rules.rules = benchmark.rules;
            job.title = Some(benchmark.title);
            job.publisher = Some(benchmark.publisher);
        }
        job.rules = Arc::new(rules);
        if self.expects {
            job.case_limits.push(CaseLimit { metric: EXPECTATIONS.to_owned(), least: 1.0 });
        }
        if is_plain {
            job.reading = self.plan.datasets[0].reading.clone();
        } else {
            job.generation = Some(self.plan.generation_record());
        }
        Ok(job)
    }
}

/// Which models a run may ask, and on which terms.
fn model_access(
    settings: &RunOptions,
    options: &EvaluationOptions,
    tested: &[String],
    is_published: bool,
) -> ModelAccess {
    let mut asking = settings.model_access();
    asking.options.only_looks = options.dry_run;
    asking.options.refresh |= options.refresh;
    asking.under_test = tested.to_vec();
    // Whoever plays the user is asked as models under test are, and is none.
    let user = settings.agent.as_ref().and_then(|agent| agent.user.as_ref()?.model.clone());
    asking.under_test.extend(user.filter(|user| !tested.contains(user)));
    asking.has_outputs = options.outputs_of.is_some();
    asking.is_published = is_published;
    asking
}

/// Looks at all data sets, and refuses those that the run cannot use.
fn survey_datasets<'a>(
    sets: &[DatasetHandle],
    prompts: &'a [GenerationPrompt],
    settings: &RunOptions,
    requests: &[MetricRequest],
) -> Result<(Vec<PlannedDataset>, Vec<Survey<'a>>), EvaluationError> {
    let (mut planned, mut surveys) = (Vec::new(), Vec::new());
    for (at, set) in sets.iter().enumerate() {
        if sets[..at].iter().any(|other| other.name == set.name) {
            return Err(EvaluationError::SameDataset { name: set.name.clone() });
        }
        let (input, survey) = set.survey(prompts, settings)?;
        set.check(&survey, settings, requests)?;
        planned.push(PlannedDataset { name: set.name.clone(), input, reading: set.reading(), cases: survey.cases });
        surveys.push(survey);
    }
    Ok((planned, surveys))
}

/// Refuses cases with tools where a model under test cannot be given any.
fn check_tools(
    sets: &[DatasetHandle],
    surveys: &[Survey<'_>],
    tested: &[String],
    asked: &ModelBackend,
    is_grounded: bool,
) -> Result<(), EvaluationError> {
    let mut with_tools = sets.iter().zip(surveys).filter_map(|(set, survey)| Some((set, survey.tools.clone()?)));
    let Some((set, id)) = with_tools.next().filter(|_| !tested.is_empty()) else { return Ok(()) };
    let mut clients = tested.iter().filter_map(|name| asked.client(name));
    let who = match clients.find(|client| !client.takes_tools()) {
        Some(client) => format!("model `{}` at `{}`", client.name(), client.provider()),
        None if is_grounded => "a model that answers from passages, with citations,".to_owned(),
        None => return Ok(()),
    };
    Err(EvaluationError::NoTools { dataset: set.path.clone(), id, who })
}

/// Refuses reports that cannot be written, or would overwrite what is read.
fn check_outputs(settings: &RunOptions, sets: &[DatasetHandle], config: &str) -> Result<(), RunError> {
    let outputs = settings.files();
    for path in &outputs {
        ReportFormat::from_path(path)?;
    }
    let reads: Vec<PathBuf> = sets.iter().map(|set| set.path.as_str()).chain([config]).map(PathBuf::from).collect();
    Ok(refuse_overlap(&reads, &outputs)?)
}

/// The models under test: those that are named, or all that neither judge nor answer in place of another.
fn under_test(settings: &RunOptions) -> Result<Vec<String>, EvaluationError> {
    let known = || settings.models.iter().map(|model| model.name.as_str());
    let named = settings.generate.as_ref().map(|generate| generate.models.as_slice()).unwrap_or_default();
    if named.is_empty() {
        let requests = settings.requests();
        let judging = requests.iter().flat_map(named_judges).chain(settings.judges.iter().cloned());
        let user = settings.agent.iter().filter_map(|agent| agent.user.as_ref()?.model.clone());
        let others: Vec<String> = judging
            .chain(user)
            .chain(settings.models.iter().flat_map(|model| model.fallback.iter().cloned()))
            .collect();
        return Ok(known().filter(|name| !others.iter().any(|other| other == name)).map(str::to_owned).collect());
    }
    for model in named {
        if !known().any(|name| name == model) {
            let similar = closest(model, known()).map(str::to_owned);
            return Err(EvaluationError::UnknownModel { model: model.clone(), similar });
        }
    }
    Ok(named.to_vec())
}

/// Opens the agent of a run, whose models have to take tools.
fn open_agent(
    config: &AgentConfig,
    settings: &RunOptions,
    asking: &ModelAccess,
    asked: &ModelBackend,
    tested: &[String],
) -> Result<AgentBackend, EvaluationError> {
    let refused = |reason: String| Err(EvaluationError::Agent(reason));
    if tested.is_empty() {
        return refused("there is no model under test; name one in `models`".to_owned());
    }
    if asking.options.batch {
        return refused("it asks step by step, and a batch answers within a day; leave `--batch` out".to_owned());
    }
    let clients = tested.iter().filter_map(|name| asked.client(name));
    if let Some(client) = clients.filter(|_| !config.tools.is_empty()).find(|client| !client.takes_tools()) {
        return refused(format!("model `{}` at `{}` cannot be given tools", client.name(), client.provider()));
    }
    let options = AgentOptions {
        record: settings.record(),
        sandbox: settings.sandbox.unwrap_or_default(),
        offline: settings.offline.unwrap_or_default(),
        again: asking.options.refresh || settings.run_again.unwrap_or_default(),
        only_looks: asking.options.only_looks,
    };
    AgentBackend::open(config, options, asked).map_err(EvaluationError::Agent)
}

/// Leaves the prompts that are asked for; all of them where nobody says which.
fn select_prompts(generate: &mut Generate, wanted: &[String]) -> Result<(), EvaluationError> {
    let names = || generate.prompts.iter().map(|prompt| prompt.name.as_str());
    for prompt in wanted {
        if !names().any(|name| name == prompt) {
            let similar = closest(prompt, names()).map(str::to_owned);
            let known = names().map(str::to_owned).collect();
            return Err(EvaluationError::UnknownPrompt { prompt: prompt.clone(), known, similar });
        }
    }
    generate.prompts.retain(|prompt| wanted.is_empty() || wanted.contains(&prompt.name));
    Ok(())
}

/// Puts what stands in files into the place of their names.
fn read_prompt_files(generate: &mut Generate, folder: &Path) -> Result<(), EvaluationError> {
    generate.system = from_file(generate.system.as_deref(), folder)?;
    generate.prompt = from_file(generate.prompt.as_deref(), folder)?;
    for prompt in &mut generate.prompts {
        let failed = |source| EvaluationError::PromptFile { prompt: prompt.name.clone(), source };
        prompt.system = from_file(prompt.system.as_deref(), folder).map_err(failed)?;
        let file = prompt.file.take().map(|file| format!("@{file}"));
        prompt.prompt = from_file(file.as_deref().or(prompt.prompt.as_deref()), folder).map_err(failed)?;
    }
    Ok(())
}

/// A text, or what stands in the file that it names.
fn from_file(text: Option<&str>, folder: &Path) -> Result<Option<String>, CaseFileError> {
    let Some(file) = text.and_then(|text| text.strip_prefix('@')) else { return Ok(text.map(str::to_owned)) };
    let (bytes, _) = read_whole(&folder.join(file).display().to_string(), LARGEST_PROMPT)?;
    Ok(Some(String::from_utf8_lossy(&bytes).trim_end().to_owned()))
}

impl DatasetHandle {
    fn new(dataset: &Dataset, settings: &RunOptions) -> Result<Self, EvaluationError> {
        let path = settings.folder().join(&dataset.path).display().to_string();
        let options = settings.reading(&dataset.fields()?)?;
        let is_mapped = options.fields.iter().next().is_some();
        if is_mapped && !matches!(CaseReader::format_of(&path, &options), Ok(CaseFormat::Json | CaseFormat::JsonLines))
        {
            let found = columns(&path, &options)?;
            if let Some((field, column)) = options.fields.missing_columns(&found).first() {
                let (field, column) = ((*field).to_owned(), (*column).to_owned());
                return Err(EvaluationError::NoColumn { path, field, column, columns: found.join(", ") });
            }
        }
        Ok(Self { name: dataset.display_name(), path, version: dataset.version.clone(), options, given: None })
    }

    /// Where it lies.
    fn folder(&self) -> PathBuf {
        Path::new(&self.path).parent().map(Path::to_owned).unwrap_or_default()
    }

    fn from_benchmark(dataset: BenchmarkDataset) -> Self {
        let BenchmarkDataset { name, input, cases } = dataset;
        let (path, options) = (input.path.clone(), ReadOptions::default());
        Self { name, path, version: None, options, given: Some((input, cases)) }
    }

    /// Its rows, from the beginning.
    fn rows(&self) -> Result<Box<dyn CaseSource>, EvaluationError> {
        Ok(match &self.given {
            Some((input, cases)) => Box::new(MemorySource::new(cases.clone(), vec![input.clone()])),
            None => Box::new(CaseReader::open(&self.path, &self.options)?),
        })
    }

    fn reading(&self) -> ReadSettings {
        self.options.recorded()
    }

    /// Refuses cases that the prompts, the metrics or the expectations of a run do not fit.
    fn check(
        &self,
        survey: &Survey<'_>,
        settings: &RunOptions,
        requests: &[MetricRequest],
    ) -> Result<(), EvaluationError> {
        let dataset = self.path.clone();
        let has_user = settings.agent.as_ref().is_some_and(|agent| agent.user.is_some());
        let is_wanted = |name: &str| match name {
            // Passages come when the run does.
            "context" => settings.retrieval.is_none(),
            // Whoever plays the user may begin.
            "query" => !has_user,
            _ => true,
        };
        if let Some((prompt, name)) = survey.unknown_variables().find(|(_, name)| is_wanted(name)) {
            let names: Vec<&str> = survey.names.iter().map(String::as_str).collect();
            return Err(EvaluationError::UnknownVariable {
                dataset,
                place: prompt.variable_location(name),
                columns: names.join(", "),
                similar: closest(name, names.iter().copied()).map(str::to_owned),
                name: name.to_owned(),
            });
        }
        if let Some((id, reason)) = survey.wrong.clone() {
            return Err(EvaluationError::Expectation { dataset, id, reason });
        }
        let names = || requests.iter().map(|request| request.name.as_str());
        if let Some(metric) = survey.expected.iter().find(|metric| names().all(|name| name != metric.as_str())) {
            let similar = closest(metric, names()).map(str::to_owned);
            return Err(EvaluationError::NotComputed { dataset, metric: metric.clone(), similar });
        }
        Ok(())
    }

    /// Looks at all cases, and takes the digest of the file.
    fn survey<'a>(
        &self,
        prompts: &'a [GenerationPrompt],
        settings: &RunOptions,
    ) -> Result<(InputFile, Survey<'a>), EvaluationError> {
        let (rows, limit) = (self.rows()?, settings.limit);
        let has_agent = settings.agent.is_some();
        let mut survey = Survey { prompts, limit, has_agent, ..Survey::default() };
        let around = RunContext { rules: &DefaultCasePolicy, backend: &NoBackend, sampler: None };
        let options = DriveOptions { limit, ..DriveOptions::default() };
        let driven = drive(rows, &self.path, &Plan::empty(), around, &options, Box::new(&mut survey))?;
        let input = driven.inputs.into_iter().next().unwrap_or_default();
        Ok((InputFile { version: self.version.clone(), ..input }, survey))
    }
}
