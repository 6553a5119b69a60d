//! What happens to a sample of a run before and after it is scored: it is looked up in the store, a model is asked for the
//! output, and what is finished is kept.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use probare_core::{
    Call, Case, CaseResult, Content, Detail, ErrorKind, Message, MetricInfo, Named, Output, Panel, Question, Rules,
    Sample, ScoreError, Spent,
};
use probare_models::{Budget, Client};
use probare_retrieval::answer;

use super::images;
use super::prompt::Prompt;
use super::retrieving::{self, Retrieving};
use crate::Sampler;
use crate::store::{Finished, Store, StoreKeeper};

/// How far a run has come, for whoever watches it.
#[derive(Debug, Default)]
pub struct Tally {
    finished: AtomicU64,
    recalled: AtomicU64,
    errors: Mutex<BTreeMap<&'static str, u64>>,
}

impl Tally {
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
pub(super) struct Respondents<'a> {
    pub clients: Vec<&'a Client>,
    /// What they are asked; nothing where they answer from passages, with citations.
    pub prompt: Option<Prompt>,
}

/// The samples of a run that is under way.
pub(super) struct Sampling<'a> {
    pub respondents: Option<Respondents<'a>>,
    pub retrieving: Option<&'a Retrieving>,
    pub before: Finished,
    pub keeper: StoreKeeper,
    pub metrics: Vec<MetricInfo>,
    pub budget: Option<&'a Budget>,
    /// Folders of the data sets, below which images lie.
    pub folders: Vec<PathBuf>,
    pub tally: Arc<Tally>,
    /// The store and the number of the run.
    pub store: (PathBuf, i64),
}

/// What the outputs of a run took, as its store knows it.
pub(super) fn costs(path: &Path, run: i64) -> Vec<Panel> {
    // A page without this panel is better than none.
    let costs = Store::open(path).and_then(|store| store.costs(run)).unwrap_or_default();
    probare_report::costs::panel(&costs).into_iter().collect()
}

impl Sampler for Sampling<'_> {
    fn recall(&self, case: &mut Case) -> io::Result<Option<Vec<Named>>> {
        let kept = self.before.find(case)?;
        if let Some(retrieving) = self.retrieving {
            // What goes wrong is told when the sample is not known.
            let _ = retrieving.fill(case);
            if self.is_grounded() {
                case.citations = None;
            }
        }
        if let (Some(text), Some(key)) = (kept.output, case.sample) {
            let model = key.model.and_then(|model| self.client(model)).map(|client| client.name().to_owned());
            case.put_answer(Output { text, model, repeat: key.repeat }, kept.calls);
            case.spent = kept.spent;
            if self.is_grounded() {
                let _ = retrieving::read(case);
            }
        }
        if kept.results.is_some() {
            self.tally.recalled.fetch_add(1, Ordering::Relaxed);
        }
        Ok(kept.results)
    }

    fn respond(&self, case: &mut Case) -> Result<(), ScoreError> {
        if let Some(retrieving) = self.retrieving {
            retrieving.fill(case)?;
        }
        let (Some(respondents), Some(key)) = (&self.respondents, case.sample) else { return Ok(()) };
        if case.response.is_some() {
            return if self.is_grounded() { retrieving::read(case) } else { Ok(()) };
        }
        let bug = || ScoreError::Internal { reason: "a sample names a model that is not there".to_owned() };
        let client = key.model.and_then(|model| self.client(model)).ok_or_else(bug)?;
        let mut question = match &respondents.prompt {
            Some(prompt) => Question { messages: prompt.messages(case)?, ..Question::default() },
            None => retrieving::question(case),
        };
        question.parameters.tools = case.tools.clone().unwrap_or_default();
        if client.takes_images() {
            let folder = usize::try_from(key.dataset).ok().and_then(|at| self.folders.get(at));
            images::attach(&mut question.messages, case, folder.map_or(Path::new(""), PathBuf::as_path))?;
        }
        let ask = |question: &Question| {
            client.ask_once(question, key.repeat).map_err(|error| {
                let reply = error.reply();
                reply.read().err().unwrap_or_else(|| ScoreError::other(ErrorKind::Failed, error.to_string()))
            })
        };
        let mut answered = ask(&question)?;
        if self.is_grounded() && answered.entry.reply.read().is_ok_and(|text| answer::read(text).is_err()) {
            // A reply that cannot be read is asked for once more.
            answered = ask(&Question { attempt: 1, ..question }).unwrap_or(answered);
        }
        match &answered.entry.reply.content {
            Content::Text(text) => {
                let calls: Vec<Call> = answered.entry.reply.tool_calls().map(Call::from).collect();
                let calls = Some(calls).filter(|calls| case.tools.is_some() || !calls.is_empty());
                let model = Some(client.name().to_owned());
                case.put_answer(Output { text: text.clone(), model, repeat: key.repeat }, calls);
                // A store that fails says so when the sample is kept.
                let _ = self.keeper.output(case, &answered);
                case.spent = Some(Spent {
                    usage: answered.entry.reply.usage.unwrap_or_default(),
                    cost_usd: answered.entry.cost_in_all(),
                });
                if self.is_grounded() { retrieving::read(case) } else { Ok(()) }
            }
            _ => answered.entry.reply.read().map(|_| ()),
        }
    }

    fn keep(&self, result: &CaseResult) -> io::Result<()> {
        self.tally.finish(result);
        // What failed for want of money is not finished.
        let is_short = self.budget.is_some_and(Budget::is_reached);
        if is_short && result.results.iter().any(Result::is_err) {
            return Ok(());
        }
        self.keeper.results(result, &self.metrics)
    }

    fn conclude(&self, panels: &[Panel]) -> io::Result<Vec<Panel>> {
        let (path, run) = &self.store;
        if !panels.is_empty() {
            Store::open(path).and_then(|store| store.keep_panels(*run, panels)).map_err(io::Error::other)?;
        }
        if self.respondents.is_none() || self.keeper.settle().is_err() {
            return Ok(Vec::new());
        }
        Ok(costs(path, *run))
    }
}

impl Sampling<'_> {
    /// Whether models answer from passages, with citations.
    fn is_grounded(&self) -> bool {
        self.respondents.as_ref().is_some_and(|respondents| respondents.prompt.is_none())
    }

    fn client(&self, number: u32) -> Option<&Client> {
        self.respondents.as_ref()?.clients.get(usize::try_from(number).ok()?).copied()
    }
}

/// The model of a sample is known also where it did not answer, and so is what it was asked.
pub(super) struct SampleRules {
    pub models: Vec<String>,
    pub prompt: Option<Prompt>,
    /// What a benchmark decides.
    pub rules: Arc<dyn Rules>,
}

impl Rules for SampleRules {
    fn asked(&self, case: &Case) -> Vec<Message> {
        self.prompt.as_ref().and_then(|prompt| prompt.messages(case).ok()).unwrap_or_default()
    }

    fn lend(&self, sample: Sample<'_>) {
        self.rules.lend(sample);
    }

    fn leaves_out(&self, case: &Case, metric: &MetricInfo) -> Option<Cow<'static, str>> {
        self.rules.leaves_out(case, metric)
    }

    fn absent(&self, case: &Case, metric: &MetricInfo) -> Option<Named> {
        self.rules.absent(case, metric)
    }

    fn excuse(&self, case: &Case) -> Option<Cow<'static, str>> {
        self.rules.excuse(case)
    }

    fn detail(&self, sample: Sample<'_>, results: &[Named]) -> Option<Detail> {
        self.rules.detail(sample, results)
    }

    fn model(&self, case: &Case) -> Option<String> {
        let number = case.sample.and_then(|sample| sample.model);
        match number.and_then(|number| usize::try_from(number).ok()) {
            Some(number) => self.models.get(number).cloned(),
            None => case.response.as_ref().and_then(|output| output.model.clone()),
        }
    }
}
