//! [`TraceScoring`]: traces that were collected, scored by the metrics of a configuration once they are quiet, and kept as
//! cases of a run. There is a run for each day, so that the budget of a run is one of a day and old days can be dropped.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::io::{self, Cursor, Write};
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex, PoisonError};

use probare_core::{
    Backend as _, Case, CasePolicy, CaseResult, FORMAT, Job, MemorySource, MetricInfo, MetricRequest, MetricResult,
    Panel, ProgramVersion, ResponseCost, RunCosts, SampleKey, Sha256, Sink, Stop, Usage,
};
use probare_formats::{CaseFormat, CaseReader, ExportMetadata, ExportTarget, MODEL_CALLS, ReadOptions, TRACE};
use probare_models::prices::find_price;
use probare_models::{ModelName, Provider};
use probare_report::{OutputWriter, VERSION};
use probare_store::{CollectedTrace, PlannedDataset, RunPlan, RunState, Store, StoreError, StoreWriter};
use serde_json::{Value as Json, json};

use super::error::EvaluationError;
use crate::decision_thresholds::apply_decision_thresholds;
use crate::drive::{CallResult, Response, SampleProvider};
use crate::own_metrics::with_own_metrics;
use crate::run::{RunRequest, run_planned};
use crate::{ModelBackend, Plan, PlanError, Registries, RunOptions, asks_judges};

/// What made the run, where no configuration did.
const COMMAND: &str = "probare serve --collect";

/// The data set of such a run.
const DATASET: &str = "traces";

/// The metrics of a configuration, ready for traces, with the run of a day.
pub struct TraceScoring {
    metrics: Plan,
    requests: Vec<MetricRequest>,
    asked: ModelBackend,
    plan: RunPlan,
    settings: RunOptions,
    /// Names of the metrics that may ask a model.
    asking: BTreeSet<String>,
    /// Names of those that look at what was done.
    agent_metrics: BTreeSet<String>,
    run: i64,
}

/// Which traces are shown to judges, and what becomes of the scores.
#[derive(Debug, Clone, Copy)]
pub struct TraceScoringOptions {
    /// Share of the traces that metrics which ask a model are computed for; those with an error always are.
    pub judged_share: f64,
    /// Whether scores are kept to be exported.
    pub exports: bool,
}

/// What became of some traces.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ScoredTraces {
    /// Traces that were scored.
    pub traces: u64,
    /// Their cases.
    pub cases: u64,
    /// What could not be used of them, in words.
    pub notes: Vec<String>,
    /// Traces that were skipped, since their spans cannot be read: why.
    pub skipped: Vec<(CollectedTrace, StoreError)>,
}

impl TraceScoring {
    /// Opens metrics and models, and the run of a day (`2026-11-19`): the one that is there, if its metrics are these. Those of
    /// earlier days are complete from then on.
    pub fn open(
        settings: &RunOptions,
        registries: Registries,
        store: &Store,
        day: &str,
    ) -> Result<Self, EvaluationError> {
        let mut requests = settings.requests();
        let asked = settings.model_access().open(&mut requests, registries.metrics)?;
        let registry = with_own_metrics(registries.metrics, &requests, asked.trust()).map_err(PlanError::from)?;
        apply_decision_thresholds(&settings.decision_thresholds, &mut requests, settings.profile(), &registry)
            .map_err(PlanError::from)?;
        let metrics = Plan::new(&requests, settings.profile(), &registry)?;
        let names_of = |is_meant: &dyn Fn(&&MetricRequest) -> bool| -> BTreeSet<String> {
            requests.iter().filter(is_meant).map(|request| request.name.clone()).collect()
        };
        let asking = names_of(&|request| asks_judges(request, &registry));
        let agent_metrics =
            names_of(&|request| registry.get(&request.id).is_ok_and(|metric| metric.family == "agents"));
        let plan = RunPlan {
            probare: ProgramVersion { version: VERSION.to_owned(), format: FORMAT },
            config: settings.config.as_deref().map_or_else(|| COMMAND.to_owned(), |path| path.display().to_string()),
            datasets: vec![PlannedDataset { name: DATASET.to_owned(), ..PlannedDataset::default() }],
            repeats: 1,
            collected: Some(day.to_owned()),
            metrics: metrics.infos().to_vec(),
            judges: asked.used.clone(),
            prompts: asked.prompts.clone(),
            replies: asked.inputs.clone(),
            settings: serde_json::to_value(settings).ok(),
            ..RunPlan::default()
        };
        let known = store.run_of_day(day)?.filter(|run| is_same(store, *run, &plan));
        let run = match known {
            Some(run) => run,
            None => store.begin(&plan)?,
        };
        for earlier in store.runs()? {
            let is_over = earlier.plan.collected.as_deref().is_some_and(|collected| collected < day);
            if is_over && earlier.state == RunState::Open {
                store.set_state(earlier.run, RunState::Complete)?;
            }
        }
        asked.keep_costs_in(store, run)?;
        let settings = settings.clone();
        Ok(Self { metrics, requests, asked, plan, settings, asking, agent_metrics, run })
    }

    /// The run of the day.
    pub const fn run(&self) -> i64 {
        self.run
    }

    /// The names of its metrics.
    pub fn metric_names(&self) -> Vec<&str> {
        self.plan.metrics.iter().map(|metric| &*metric.name).collect()
    }

    /// Whether a call was refused since the budget of the day does not allow it.
    pub fn is_budget_reached(&self) -> bool {
        self.asked.shared().budget().is_reached()
    }

    /// Scores traces as they are now and keeps the results in place of those that they had. Each stays in its run where that
    /// has the same metrics, and comes into the run of the day otherwise. One whose spans are damaged is skipped until further
    /// ones come for it. Nothing where it was interrupted: then they wait on.
    pub fn score(
        &self,
        store: &Store,
        traces: Vec<CollectedTrace>,
        options: TraceScoringOptions,
        interrupted: &Arc<AtomicBool>,
    ) -> Result<Option<ScoredTraces>, EvaluationError> {
        let mut scored = ScoredTraces::default();
        let mut by_run: BTreeMap<i64, Vec<CollectedTrace>> = BTreeMap::new();
        let mut same: BTreeMap<i64, bool> = BTreeMap::from([(self.run, true)]);
        for mut trace in traces {
            if !*same.entry(trace.run).or_insert_with(|| is_same(store, trace.run, &self.plan)) {
                store.move_trace(&mut trace, self.run)?;
            }
            by_run.entry(trace.run).or_default().push(trace);
        }
        for (run, collected) in by_run {
            let exports = SharedBuffer::default();
            let (mut traces, mut cases) = (Vec::new(), Vec::new());
            let mut row = store.next_row(run)?;
            let mut rules = TraceRules { asking: self.asking.clone(), ..TraceRules::default() };
            for trace in collected {
                let text = match store.trace_text(&trace) {
                    Err(error @ StoreError::Damaged { .. }) => {
                        scored.skipped.push((trace, error));
                        continue;
                    }
                    text => text?,
                };
                let (found, notes) = cases_of(&text, &trace)?;
                scored.notes.extend(notes.into_iter().map(|note| format!("trace {}: {note}", trace.trace)));
                if !trace.has_error && !is_sampled(&trace.trace, options.judged_share) {
                    rules.unsampled.extend(found.iter().map(|case| case.id.clone()));
                }
                for mut case in found {
                    case.sample = Some(SampleKey { row, ..SampleKey::default() });
                    row += 1;
                    cases.push(case);
                }
                traces.push(trace);
            }
            scored.traces += traces.len() as u64;
            scored.cases += cases.len() as u64;
            rules.share = options.judged_share;
            store.reopen_traces(run, &traces.iter().collect::<Vec<_>>())?;
            if !self.score_cases(store, run, cases, rules, options.exports.then_some(&exports), interrupted)? {
                return Ok(None);
            }
            store.finish_traces(&traces, &exports.lines())?;
        }
        for (trace, _) in &scored.skipped {
            store.skip_trace(trace)?;
        }
        Ok(Some(scored))
    }

    /// Whether all of them were scored.
    fn score_cases(
        &self,
        store: &Store,
        run: i64,
        cases: Vec<Case>,
        rules: TraceRules,
        exports: Option<&SharedBuffer>,
        interrupted: &Arc<AtomicBool>,
    ) -> Result<bool, EvaluationError> {
        if cases.is_empty() {
            return Ok(true);
        }
        let samples = TraceSamples {
            keeper: StoreWriter::open(store, run, self.plan.names())?,
            metrics: self.plan.metrics.clone(),
            asked: &self.asked,
        };
        let mut job = Job::new(DATASET, Box::new(MemorySource::new(cases, Vec::new())), self.requests.clone());
        job.rules = Arc::new(rules);
        let about = || ExportMetadata { agent_metrics: self.agent_metrics.clone(), ..ExportMetadata::default() };
        let export = |buffer: &SharedBuffer| -> Box<dyn Sink> {
            ExportTarget::Otel.sink(OutputWriter::to_writer(Box::new(buffer.clone())), about())
        };
        let wanted = RunRequest {
            settings: RunOptions { jobs: self.settings.jobs, ..RunOptions::default() },
            sandboxing: Some(self.settings.sandboxing()),
            sampler: Some(&samples),
            watcher: exports.map(export),
            interrupted: Arc::clone(interrupted),
            ..RunRequest::default()
        };
        let ended = run_planned(job, &self.metrics, Some(&self.asked), wanted);
        let closed = samples.keeper.close();
        let conclusion = ended?;
        closed?;
        if conclusion.driven.stop != Stop::Complete {
            return Ok(false);
        }
        // How many cases a day has is known only when it is over.
        let stored = store.run(run)?;
        let mut plan = RunPlan { collected: stored.plan.collected, ..self.plan.clone() };
        plan.datasets[0].cases = stored.finished;
        store.replan(run, &plan)?;
        Ok(true)
    }
}

/// Whether a run of collected traces is one of ours with these metrics.
fn is_same(store: &Store, run: i64, plan: &RunPlan) -> bool {
    store.run(run).is_ok_and(|known| {
        known.plan.collected.is_some() && known.plan.has_valid_owner_tag() && known.plan.differences(plan).is_empty()
    })
}

/// The cases of a trace, and what could not be used of it.
#[expect(
    clippy::disallowed_methods,
    reason = "the cases are handed to the loop over cases, as those of a data set of their own"
)]
fn cases_of(text: &str, trace: &CollectedTrace) -> Result<(Vec<Case>, Vec<String>), EvaluationError> {
    let options = ReadOptions::default();
    let reader = CaseReader::from_reader(Cursor::new(text.to_owned()), "the trace", CaseFormat::Otlp, &options)?;
    let (mut cases, mut notes) = (Vec::new(), Vec::new());
    for batch in reader {
        for case in batch?.cases() {
            match case {
                Ok(case) => cases.push(case),
                Err(problem) => notes.push(problem.reason),
            }
        }
    }
    for case in &mut cases {
        let cost_usd = price_calls(case);
        let count = |name: &str| case.metadata.get("tokens").and_then(|tokens| tokens.get(name)?.as_u64());
        let latency_ms = case.metadata.get(TRACE).and_then(|trace| trace.get("latency_ms")?.as_u64());
        if let (Some(input), Some(output)) = (count("input"), count("output")) {
            case.spent = Some(ResponseCost { usage: Usage::new(input, output), cost_usd, latency_ms });
        }
        if let Some(Json::Object(about)) = case.metadata.get_mut(TRACE) {
            if trace.revision > 0 {
                about.insert("revision".to_owned(), json!(trace.revision));
            }
            if !notes.is_empty() {
                about.insert("notes".to_owned(), json!(notes));
            }
        }
    }
    Ok((cases, notes))
}

/// Says of each call of a model in a trace what it cost, by the list of prices where the trace does not say it; gives the sum,
/// where all are known.
fn price_calls(case: &mut Case) -> Option<f64> {
    let calls = case.metadata.get_mut(TRACE)?.get_mut(MODEL_CALLS)?.as_array_mut()?;
    let (mut sum, mut is_whole) = (0.0, !calls.is_empty());
    for call in calls {
        match call_cost(call) {
            Some(cost) => {
                call["cost_usd"] = json!(cost);
                sum += cost;
            }
            None => is_whole = false,
        }
    }
    is_whole.then_some(sum)
}

/// US dollars of a call of a model, by what its span says.
fn call_cost(call: &Json) -> Option<f64> {
    if let Some(cost) = call.get("cost_usd") {
        return cost.as_f64();
    }
    let provider = call.get("provider")?.as_str()?.to_ascii_lowercase();
    // The words of the conventions and of instrumentations; Vercel's have an interface behind a point. What a deployment in
    // Azure costs is not known.
    let provider = match provider.as_str() {
        "aws.bedrock" | "aws_bedrock" | "amazon-bedrock" => Provider::Bedrock,
        "gcp.gemini" | "google" | "google.generative-ai" => Provider::Gemini,
        "mistral_ai" | "mistralai" => Provider::Mistral,
        other => Provider::from_name(other.split('.').next()?)?,
    };
    let count = |name: &str| call.get(name).and_then(Json::as_u64);
    let usage =
        Usage { cached_tokens: count("cached").unwrap_or_default(), ..Usage::new(count("input")?, count("output")?) };
    let model = call.get("model")?.as_str()?.to_owned();
    Some(find_price(&ModelName { provider, model })?.price.cost(usage).in_dollars())
}

/// Whether a trace is among the share that judges see: the same for every process and machine.
fn is_sampled(trace: &str, share: f64) -> bool {
    let digest = Sha256::hex_digest(trace.as_bytes());
    let number = u64::from_str_radix(&digest[..13], 16).unwrap_or_default();
    // 52 bits, which a float holds exactly.
    (number as f64) < share * (1_u64 << 52) as f64
}

/// Which metrics are computed for a trace.
#[derive(Default)]
struct TraceRules {
    asking: BTreeSet<String>,
    unsampled: HashSet<String>,
    share: f64,
}

impl CasePolicy for TraceRules {
    fn skip_reason(&self, case: &Case, metric: &MetricInfo) -> Option<Cow<'static, str>> {
        let is_skipped = self.asking.contains(&metric.name) && self.unsampled.contains(&case.id);
        is_skipped.then(|| {
            format!("not sampled: it asks a model, which {} % of the traces are shown", self.share * 100.0).into()
        })
    }
}

/// Keeps samples as they are finished; nothing is recalled, and nobody is asked for an output.
struct TraceSamples<'a> {
    keeper: StoreWriter,
    metrics: Vec<MetricInfo>,
    asked: &'a ModelBackend,
}

impl SampleProvider for TraceSamples<'_> {
    fn recall(&self, _: &mut Case) -> io::Result<Option<Vec<MetricResult>>> {
        Ok(None)
    }

    fn respond(&self, _: &mut Case, _: &[CallResult]) -> Response {
        Response::Done(Ok(()))
    }

    fn save(&self, result: &CaseResult) -> io::Result<()> {
        self.keeper.results(result, &self.metrics)
    }

    fn conclude(&self, _: &[Panel]) -> io::Result<Option<RunCosts>> {
        self.asked.shared().budget().flush();
        Ok(None)
    }
}

/// What a sink writes, for whoever comes after it.
#[derive(Clone, Default)]
struct SharedBuffer(Arc<Mutex<Vec<u8>>>);

impl SharedBuffer {
    fn lines(&self) -> Vec<String> {
        let bytes = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        String::from_utf8_lossy(&bytes).lines().map(str::to_owned).collect()
    }
}

impl Write for SharedBuffer {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_call_costs_what_its_trace_says_else_what_its_model_costs() {
        let call = |provider: &str, model: &str| json!({"provider": provider, "model": model, "input": 1_000_000, "output": 100_000});
        let price = |provider: Provider, model: &str| {
            let found = find_price(&ModelName { provider, model: model.to_owned() }).unwrap();
            Some(found.price.cost(Usage::new(1_000_000, 100_000)).in_dollars())
        };
        let gpt = price(Provider::OpenAi, "gpt-4o");
        for provider in ["openai", "OpenAI", "openai.chat"] {
            assert_eq!(call_cost(&call(provider, "gpt-4o-2024-08-06")), gpt, "{provider}");
        }
        assert_eq!(call_cost(&call("gcp.gemini", "gemini-2.5-pro")), price(Provider::Gemini, "gemini-2.5-pro"));
        assert_eq!(call_cost(&call("openai", "gpt-4o-unheard-of")), None);
        assert_eq!(call_cost(&call("nobody", "gpt-4o")), None);
        let mut cached = call("openai", "gpt-4o");
        cached["cached"] = json!(1_000_000);
        assert!(call_cost(&cached) < gpt);
        let mut said = call("nobody", "x");
        said["cost_usd"] = json!(0.25);
        let mut case = Case::default();
        let sum = |case: &mut Case, calls: &[Json]| {
            case.metadata.insert(TRACE.to_owned(), json!({ MODEL_CALLS: calls }));
            price_calls(case)
        };
        assert_eq!(sum(&mut case, &[said.clone(), call("openai", "gpt-4o")]), gpt.map(|gpt| 0.25 + gpt));
        assert_eq!(case.metadata[TRACE][MODEL_CALLS][1]["cost_usd"].as_f64(), gpt);
        assert_eq!(sum(&mut case, &[said, call("nobody", "x")]), None, "a part is no sum");
        assert_eq!(sum(&mut case, &[]), None);
    }

    #[test]
    fn a_share_of_traces_is_a_share_and_always_the_same_one() {
        let sampled = |share: f64| (0..10_000).filter(|number| is_sampled(&format!("{number:032x}"), share)).count();
        assert_eq!((sampled(0.0), sampled(1.0)), (0, 10_000));
        let tenth = sampled(0.1);
        assert!((900..1_100).contains(&tenth), "{tenth}");
        // Whoever is in a small sample is in every larger one.
        assert!((0..1_000).map(|number| number.to_string()).all(|id| !is_sampled(&id, 0.1) || is_sampled(&id, 0.2)));
    }
}
