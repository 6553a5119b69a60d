//! What happens to a sample of a run before and after it is scored: it is looked up in the store, a model is asked for the
//! output, and what is finished is kept.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use probare_core::{
    BenchmarkData, Case, CasePolicy, CaseResult, CaseToolCall, ChatRequest, DefaultCasePolicy, ErrorKind, Message,
    MetricInfo, MetricResult, Output, Panel, ReplyContent, ResponseCost, RunCosts, Sample, SampleDimensions, SampleKey,
    ScoreError,
};
use probare_models::{CallError, Client, ModelContext};
use probare_retrieval::answer;
use probare_store::{OutputUsage, RunNames, RunPlan, Store, StoreWriter, StoredSamples};

use super::case_retriever::{self, CaseRetriever};
use super::images;
use super::prompt::GenerationPrompt;
use crate::agent::{AgentBackend, AgentOutcome, AgentStep, TOOLS_AT_ONCE};
use crate::{CallResult, Response, SampleProvider};

/// Searches at once.
const SEARCHES: usize = 32;

/// How far a run has come, for whoever watches it.
#[derive(Debug, Default)]
pub struct RunProgress {
    finished: AtomicU64,
    recalled: AtomicU64,
    errors: Mutex<BTreeMap<&'static str, u64>>,
}

impl RunProgress {
    /// Samples that were finished in this process, and those that were finished before.
    pub fn counts(&self) -> (u64, u64) {
        (self.finished.load(Ordering::Relaxed), self.recalled.load(Ordering::Relaxed))
    }

    /// Samples with an error in this process, by the kind of their first error.
    pub fn errors(&self) -> BTreeMap<&'static str, u64> {
        self.errors.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn finish(&self, result: &CaseResult) {
        self.finished.fetch_add(1, Ordering::Relaxed);
        if let Some(error) = result.results.iter().find_map(|named| named.as_ref().err()) {
            let mut errors = self.errors.lock().unwrap_or_else(PoisonError::into_inner);
            *errors.entry(error.kind().name()).or_default() += 1;
        }
    }
}

/// Asks the models under test.
pub(super) struct ModelsUnderTest<'a> {
    pub clients: Vec<&'a Client>,
    /// What they are asked; nothing where they answer from passages, with citations.
    pub prompts: Vec<GenerationPrompt>,
    /// The run whose outputs are scored, where nobody is asked.
    pub outputs_of: Option<i64>,
}

/// The samples of a run that is under way.
pub(super) struct RunSampleProvider<'a> {
    pub respondents: Option<ModelsUnderTest<'a>>,
    pub retriever: Option<&'a CaseRetriever>,
    /// What makes the models agents.
    pub agent: Option<&'a AgentBackend>,
    pub before: StoredSamples,
    pub keeper: StoreWriter,
    pub metrics: Vec<MetricInfo>,
    pub models: Option<&'a ModelContext>,
    /// Folders of the data sets, below which images lie.
    pub folders: Vec<PathBuf>,
    pub tally: Arc<RunProgress>,
    /// The store and the number of the run.
    pub store: (PathBuf, i64),
}

impl SampleProvider for RunSampleProvider<'_> {
    fn recall(&self, case: &mut Case) -> io::Result<Option<Vec<MetricResult>>> {
        let kept = self.before.find(case)?;
        if let Some(retrieving) = self.retriever {
            // A sample that is not known is filled when it is answered, and what goes wrong is told then.
            if kept.results.is_some() {
                let _ = retrieving.fill(case);
            }
            if self.is_grounded() {
                case.citations = None;
            }
        }
        let has_answer = kept.output.is_some();
        if let (Some(text), Some(key)) = (kept.output, case.sample) {
            let asked = || key.model.and_then(|model| self.client(model)).map(|client| client.name().to_owned());
            let model = kept.answered_by.or_else(asked);
            case.put_answer(Output { text, model, repeat: key.repeat }, kept.calls);
            case.spent = kept.spent;
            if self.is_grounded() {
                let _ = case_retriever::read_grounded_answer(case);
            }
        }
        if let Some(conversation) = kept.conversation.filter(|_| has_answer || kept.results.is_some()) {
            self.put_tools(case);
            case.put_conversation(conversation);
        }
        if kept.results.is_some() {
            self.tally.recalled.fetch_add(1, Ordering::Relaxed);
        }
        Ok(kept.results)
    }

    fn respond(&self, case: &mut Case, replies: &[CallResult]) -> Response {
        if let Some(agent) = self.agent.filter(|_| case.response.is_none()) {
            return self.advance_agent(agent, case, replies).unwrap_or_else(|error| Response::Done(Err(error)));
        }
        match self.next_question(case, replies) {
            Ok(Some((client, question, repeat))) => {
                Response::Pending(Box::new(move |sender| client.submit(question, repeat, sender)))
            }
            Ok(None) => Response::Done(Ok(())),
            Err(error) => Response::Done(Err(error)),
        }
    }

    fn threads(&self) -> usize {
        // Passages are searched for, and a server may be asked for vectors, on the thread of the case.
        self.retriever.map_or(1, |_| SEARCHES).max(self.agent.map_or(1, |_| TOOLS_AT_ONCE))
    }

    fn save(&self, result: &CaseResult) -> io::Result<()> {
        self.tally.finish(result);
        // What failed for want of money, because the provider wants a long pause, or waits in a batch, is not finished.
        let is_short = self.models.is_some_and(|models| {
            models.budget().is_reached() || !models.postponed_models().is_empty() || models.has_waiting_batches()
        });
        if is_short && result.results.iter().any(Result::is_err) {
            return Ok(());
        }
        self.keeper.results(result, &self.metrics)
    }

    fn finished(&self) -> (u64, u64) {
        let (now, before) = self.tally.counts();
        let cancelled = self.tally.errors().get(ErrorKind::Cancelled.name()).copied().unwrap_or_default();
        (now.saturating_sub(cancelled), before)
    }

    fn conclude(&self, panels: &[Panel]) -> io::Result<Option<RunCosts>> {
        let (path, run) = &self.store;
        if !panels.is_empty() {
            Store::open(path).and_then(|store| store.keep_panels(*run, panels)).map_err(io::Error::other)?;
        }
        // What cannot be noted any more was refused to be sent, and said so.
        let Some(budget) = self.models.map(ModelContext::budget).filter(|budget| budget.flush()) else {
            return Ok(None);
        };
        let costs = Store::open(path).and_then(|store| store.costs(*run));
        Ok(Some(costs.unwrap_or_else(|_| budget.costs())))
    }
}

impl RunSampleProvider<'_> {
    /// What is asked next, of whom, in which repetition; nothing once the output is in the case.
    fn next_question(
        &self,
        case: &mut Case,
        replies: &[CallResult],
    ) -> Result<Option<(Client, ChatRequest, u32)>, ScoreError> {
        if let Some(retrieving) = self.retriever.filter(|_| replies.is_empty()) {
            retrieving.fill(case)?;
        }
        let (Some(respondents), Some(key)) = (&self.respondents, case.sample) else { return Ok(None) };
        if case.response.is_some() {
            return if self.is_grounded() {
                case_retriever::read_grounded_answer(case).map(|()| None)
            } else {
                Ok(None)
            };
        }
        let client = self.asked_client(respondents, key)?;
        let answered = match replies {
            [] => return Ok(Some((client.clone(), self.question(respondents, client, case, key)?, key.repeat))),
            [first] => {
                let answered = first.as_ref().map_err(failure)?;
                if self.is_grounded()
                    && answered.entry.reply.response_text().is_ok_and(|text| answer::parse_reply(text).is_err())
                {
                    // A reply that cannot be read is asked for once more.
                    let question = self.question(respondents, client, case, key)?;
                    return Ok(Some((client.clone(), ChatRequest { attempt: 1, ..question }, key.repeat)));
                }
                answered
            }
            [first, second, ..] => second.as_ref().or(first.as_ref()).map_err(failure)?,
        };
        let ReplyContent::Text(text) = &answered.entry.reply.content else {
            return answered.entry.reply.response_text().map(|_| None);
        };
        let calls: Vec<CaseToolCall> = answered.entry.reply.tool_calls().map(CaseToolCall::from).collect();
        let calls = Some(calls).filter(|calls| case.tools.is_some() || !calls.is_empty());
        let model = answered.answered_by.clone().or_else(|| Some(client.name().to_owned()));
        case.put_answer(Output { text: text.clone(), model, repeat: key.repeat }, calls);
        // A store that fails says so when the sample is kept.
        let _ = self.keeper.output(case, answered);
        case.spent = Some(ResponseCost {
            usage: answered.entry.reply.usage.unwrap_or_default(),
            cost_usd: answered.entry.cost_in_all(),
            latency_ms: Some(answered.entry.latency_ms),
        });
        if self.is_grounded() { case_retriever::read_grounded_answer(case).map(|()| None) } else { Ok(None) }
    }

    /// The model of a sample, where it may be asked.
    fn asked_client(&self, respondents: &ModelsUnderTest<'_>, key: SampleKey) -> Result<&Client, ScoreError> {
        if let Some(run) = respondents.outputs_of {
            let reason = format!("run {run} has no output for this sample");
            return Err(ScoreError::other(ErrorKind::Missing, reason));
        }
        let bug = || ScoreError::Internal { reason: "a sample names a model that is not there".to_owned() };
        key.model.and_then(|model| self.client(model)).ok_or_else(bug)
    }

    /// Goes on with a sample of an agent.
    fn advance_agent(
        &self,
        agent: &AgentBackend,
        case: &mut Case,
        replies: &[CallResult],
    ) -> Result<Response, ScoreError> {
        if let Some(retrieving) = self.retriever.filter(|_| replies.is_empty()) {
            retrieving.fill(case)?;
        }
        let (Some(respondents), Some(key)) = (&self.respondents, case.sample) else {
            return Ok(Response::Done(Ok(())));
        };
        let client = self.asked_client(respondents, key)?;
        let question = |case: &Case| {
            if case.query.is_none() && agent.has_user() {
                // Whoever plays the user begins.
                let silent = Case { query: Some(String::new()), ..case.clone() };
                return self.question(respondents, client, &silent, key);
            }
            self.question(respondents, client, case, key)
        };
        let (outcome, error) = match agent.advance(case, client, question, replies) {
            AgentStep::Ask(client, question, repeat) => {
                return Ok(Response::Pending(Box::new(move |sender| client.submit(question, repeat, sender))));
            }
            AgentStep::Answered(outcome) => (outcome, None),
            AgentStep::Failed(error, Some(outcome)) => (outcome, Some(error)),
            AgentStep::Failed(error, None) => return Err(error),
        };
        let AgentOutcome { answer, answered_by, conversation, spent } = *outcome;
        if error.is_none() {
            let model = answered_by.or_else(|| Some(client.name().to_owned()));
            case.put_answer(Output { text: answer, model, repeat: key.repeat }, None);
        }
        self.put_tools(case);
        case.put_conversation(conversation);
        case.spent = Some(spent);
        let count = |number: u64| Some(i64::try_from(number).unwrap_or(i64::MAX));
        let taken = OutputUsage {
            input_tokens: count(spent.usage.input_tokens),
            output_tokens: count(spent.usage.output_tokens),
            cost_usd: spent.cost_usd,
            latency_ms: spent.latency_ms.and_then(count),
            attempts: Some(1),
        };
        // What the user ended is done again. A store that fails says so when the sample is kept.
        if error.as_ref().is_none_or(|error| error.kind() != ErrorKind::Cancelled) {
            let _ = self.keeper.output_with_usage(case, taken);
        }
        Ok(Response::Done(error.map_or(Ok(()), Err)))
    }

    /// The tools that an agent has are those of its case.
    fn put_tools(&self, case: &mut Case) {
        if let Some(agent) = self.agent
            && case.tools.is_none()
        {
            case.tools = Some(agent.tools().to_vec());
        }
    }

    /// What a model is asked for a case.
    fn question(
        &self,
        respondents: &ModelsUnderTest<'_>,
        client: &Client,
        case: &Case,
        key: SampleKey,
    ) -> Result<ChatRequest, ScoreError> {
        let mut question = match prompt_of(&respondents.prompts, key) {
            Some(prompt) => ChatRequest {
                messages: prompt.messages(case)?,
                parameters: prompt.parameters.clone(),
                ..ChatRequest::default()
            },
            None => case_retriever::question(case),
        };
        question.parameters.tools = case.tools.clone().unwrap_or_default();
        if client.takes_images() {
            let folder = usize::try_from(key.dataset).ok().and_then(|at| self.folders.get(at));
            images::attach(&mut question.messages, case, folder.map_or(Path::new(""), PathBuf::as_path))?;
        }
        Ok(question)
    }

    /// Whether models answer from passages, with citations.
    fn is_grounded(&self) -> bool {
        self.respondents.as_ref().is_some_and(|respondents| respondents.prompts.is_empty())
    }

    fn client(&self, number: u32) -> Option<&Client> {
        self.respondents.as_ref()?.clients.get(usize::try_from(number).ok()?).copied()
    }
}

/// The prompt of a sample.
fn prompt_of(prompts: &[GenerationPrompt], key: SampleKey) -> Option<&GenerationPrompt> {
    prompts.get(usize::try_from(key.prompt.unwrap_or_default()).ok()?)
}

/// Why a sample has no output.
fn failure(error: &CallError) -> ScoreError {
    let reply = error.reply();
    reply.response_text().err().unwrap_or_else(|| ScoreError::other(ErrorKind::Failed, error.to_string()))
}

/// The model of a sample is known also where it did not answer, and so is what it was asked.
pub(super) struct SampleRules {
    pub models: Vec<String>,
    /// Names of the prompts, where the run has several.
    pub prompt_names: Vec<String>,
    pub prompts: Vec<GenerationPrompt>,
    /// Whether another model may have answered in place of the one that was asked.
    pub has_fallbacks: bool,
    /// What a benchmark decides.
    pub rules: Arc<dyn CasePolicy>,
}

impl SampleRules {
    /// The rules of a run that is read from its store.
    pub fn for_stored(plan: &RunPlan) -> Self {
        let RunNames { models, prompts, .. } = plan.names();
        Self {
            models,
            prompt_names: prompts,
            prompts: Vec::new(),
            has_fallbacks: plan.has_fallbacks(),
            rules: Arc::new(DefaultCasePolicy),
        }
    }
}

impl CasePolicy for SampleRules {
    fn dimensions(&self) -> SampleDimensions {
        SampleDimensions { has_prompts: !self.prompt_names.is_empty(), has_fallbacks: self.has_fallbacks }
    }

    fn prompt(&self, case: &Case) -> Option<String> {
        self.prompt_names.get(usize::try_from(case.sample?.prompt?).ok()?).cloned()
    }

    fn prompt_messages(&self, case: &Case) -> Vec<Message> {
        let prompt = prompt_of(&self.prompts, case.sample.unwrap_or_default());
        prompt.and_then(|prompt| prompt.messages(case).ok()).unwrap_or_default()
    }

    fn provide_shared(&self, sample: Sample<'_>) {
        self.rules.provide_shared(sample);
    }

    fn skip_reason(&self, case: &Case, metric: &MetricInfo) -> Option<Cow<'static, str>> {
        self.rules.skip_reason(case, metric)
    }

    fn missing_response_result(&self, case: &Case, metric: &MetricInfo) -> Option<MetricResult> {
        self.rules.missing_response_result(case, metric)
    }

    fn expected_failure(&self, case: &Case) -> Option<Cow<'static, str>> {
        self.rules.expected_failure(case)
    }

    fn benchmark_data(&self, sample: Sample<'_>, results: &[MetricResult]) -> Option<BenchmarkData> {
        self.rules.benchmark_data(sample, results)
    }

    fn model(&self, case: &Case) -> Option<String> {
        let number = case.sample.and_then(|sample| sample.model);
        match number.and_then(|number| usize::try_from(number).ok()) {
            Some(number) => self.models.get(number).cloned(),
            None => case.response.as_ref().and_then(|output| output.model.clone()),
        }
    }
}
