//! [`Models`]: the models of a run by name, who of them answers for which metric, and the vectors beside them.

use std::collections::BTreeMap;

use probare_core::{
    Backend, BackendAnswer, BuildError, ChatRequest, JudgeAction, ModelRecord, ModelReply, NoBackend, Submission, Trust,
};

use crate::client::{ask_all, replies};
use crate::embedding::Embeddings;
use crate::http::MOST_REQUESTS;
use crate::{CallError, Client, ModelContext, ModelOptions, ModelSettings, OpenError};

/// The models of a run: those that are asked, and those that give vectors, on the same terms. Programs are somebody else's.
pub struct Models {
    shared: ModelContext,
    clients: BTreeMap<String, Client>,
    embeddings: Embeddings,
    /// Models of a metric by its name in the run: seat 0, seat 1, …
    panels: BTreeMap<String, Vec<String>>,
    /// Requests at once that the settings allow.
    width: usize,
}

impl Models {
    /// Opens all models that are asked; `known` are set up under names of their own and give vectors where a metric names
    /// them. Nothing is sent.
    pub fn open(
        models: Vec<ModelSettings>,
        known: Vec<ModelSettings>,
        options: ModelOptions,
    ) -> Result<Self, OpenError> {
        let shared = ModelContext::open(options)?;
        let mut clients = BTreeMap::new();
        let width = models.iter().map(|model| model.concurrency.unwrap_or(64) as usize).sum::<usize>();
        raise_open_files(width.min(MOST_REQUESTS));
        for settings in models {
            let client = Client::open(settings, &shared)?;
            let name = client.name().to_owned();
            if clients.insert(name.clone(), client).is_some() {
                return Err(OpenError::Invalid(format!("two models are called `{name}`")));
            }
        }
        Ok(Self { embeddings: Embeddings::new(known, shared.clone()), shared, clients, panels: BTreeMap::new(), width })
    }

    /// These models answer for a metric: the first in seat 0, the next in seat 1, and so on.
    pub fn assign_judges(mut self, metric: &str, models: &[&str]) -> Result<Self, OpenError> {
        let panel = self.check_models(metric, models)?;
        self.panels.insert(metric.to_owned(), panel);
        Ok(self)
    }

    fn check_models(&self, metric: &str, models: &[&str]) -> Result<Vec<String>, OpenError> {
        models
            .iter()
            .map(|model| {
                if self.clients.contains_key(*model) {
                    return Ok((*model).to_owned());
                }
                Err(OpenError::Invalid(format!("`{metric}` needs the model `{model}`, which is not among the models")))
            })
            .collect()
    }

    /// What the models share: trust, budget, counts, cancellation.
    pub fn shared(&self) -> &ModelContext {
        &self.shared
    }

    /// A model by its name.
    pub fn client(&self, name: &str) -> Option<&Client> {
        self.clients.get(name)
    }

    /// What decides the vectors of servers, for a manifest.
    pub fn embedding_servers(&self) -> Vec<ModelRecord> {
        self.embeddings.servers()
    }

    /// Requests at once that the settings allow and the run does not make, and how many it makes.
    pub fn unused_concurrency(&self) -> Option<(usize, usize)> {
        (self.width > MOST_REQUESTS).then_some((self.width, MOST_REQUESTS))
    }

    /// Who sits in a seat.
    fn judge_client(&self, metric: &str, seat: usize) -> Result<&Client, CallError> {
        let panel = self.panels.get(metric).map(Vec::as_slice).unwrap_or_default();
        let reason = || match panel.len() {
            0 => format!("no model is named for `{metric}`"),
            count => format!("`{metric}` asks the judge of seat {seat}, counted from 0, but only {count} are named"),
        };
        panel.get(seat).and_then(|name| self.clients.get(name)).ok_or_else(|| CallError::NoModel { reason: reason() })
    }

    /// The questions with the models that sit in their seats, and the failed replies to those whose seat is empty.
    fn seat_questions(&self, metric: &str, questions: Vec<ChatRequest>) -> SeatedQuestions {
        let mut seated = SeatedQuestions::default();
        for question in questions {
            match self.judge_client(metric, question.seat) {
                Ok(client) => {
                    seated.requests.push((client.clone(), question));
                    seated.failed.push(None);
                }
                Err(error) => seated.failed.push(Some(error.reply())),
            }
        }
        seated
    }
}

/// Lets this process hold a connection for each of so many requests, as far as the system allows.
fn raise_open_files(requests: usize) {
    #[cfg(unix)]
    {
        use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
        let Rlimit { current, maximum } = getrlimit(Resource::Nofile);
        // Beside connections there are files, stores and caches.
        let needed = requests as u64 + 256;
        let allowed = maximum.map_or(needed, |maximum| maximum.min(needed));
        if current.is_some_and(|current| current < allowed) {
            // Where a system says no, connections that fail are tried again.
            let _ = setrlimit(Resource::Nofile, Rlimit { current: Some(allowed), maximum });
        }
    }
}

/// Questions of a turn by who is asked.
#[derive(Default)]
struct SeatedQuestions {
    requests: Vec<(Client, ChatRequest)>,
    /// For every question the failed reply, or nothing where somebody is asked.
    failed: Vec<Option<ModelReply>>,
}

/// The answers to all questions, in their order.
fn answers(failed: Vec<Option<ModelReply>>, replies: Vec<ModelReply>) -> Vec<BackendAnswer> {
    let mut replies = replies.into_iter();
    let bug = || CallError::Internal { reason: "a question was dropped".to_owned() }.reply();
    let reply = |failed: Option<ModelReply>| failed.or_else(|| replies.next()).unwrap_or_else(bug);
    failed.into_iter().map(reply).map(BackendAnswer::Reply).collect()
}

impl Backend for Models {
    fn answer(&self, metric: &str, turn: &JudgeAction) -> Vec<BackendAnswer> {
        match turn {
            JudgeAction::Ask(questions) => {
                let SeatedQuestions { requests, failed } = self.seat_questions(metric, questions.clone());
                answers(failed, ask_all(&self.shared, requests))
            }
            JudgeAction::Embed { model, texts } => self.embeddings.embed(model, texts),
            JudgeAction::Run(_) | JudgeAction::Done(_) => NoBackend.answer(metric, turn),
        }
    }

    fn submit(&self, metric: &str, turn: JudgeAction) -> Submission {
        match turn {
            JudgeAction::Ask(questions) => {
                let SeatedQuestions { requests, failed } = self.seat_questions(metric, questions);
                let Some(handle) = self.shared.handle().cloned().filter(|_| !requests.is_empty()) else {
                    return Submission::Answered(answers(failed, Vec::new()));
                };
                Submission::Pending(Box::new(move |sender| {
                    let runtime = handle.clone();
                    handle.spawn(async move { sender(answers(failed, replies(requests, runtime).await)) });
                }))
            }
            JudgeAction::Embed { model, texts } => self.embeddings.submit(&model, texts),
            JudgeAction::Run(_) | JudgeAction::Done(_) => Submission::Answered(self.answer(metric, &turn)),
        }
    }

    fn can_embed(&self, model: &str) -> Result<(), BuildError> {
        self.embeddings.can_embed(model)
    }

    fn model_digest(&self, model: &str) -> Option<String> {
        Embeddings::digest(model)
    }

    fn can_run(&self, environment: &str) -> Result<(), BuildError> {
        NoBackend.can_run(environment)
    }

    fn max_concurrent_cases(&self) -> usize {
        // No more cases than requests: what a run has begun when it is ended is what was sent, in the order of the cases.
        self.width.clamp(1, MOST_REQUESTS)
    }

    fn threads(&self) -> usize {
        1
    }

    fn trust(&self) -> Trust {
        self.shared.trust()
    }
}
