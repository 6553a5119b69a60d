//! [`Models`]: the models of a run by name, who of them answers for which metric, and the vectors beside them.

use std::collections::BTreeMap;

use probare_core::{Answer, BuildError, ModelUsed, Nobody, Outside, Question, Reply, Trust, Turn};

use crate::client::ask_all;
use crate::embedding::Embeddings;
use crate::{CallError, Client, ModelSettings, OpenError, Options, Shared};

/// Cases that may wait for replies at once.
const MOST_WAITING: usize = 256;

/// The models of a run: those that are asked, and those that give vectors, on the same terms. Programs are somebody else's.
pub struct Models {
    shared: Shared,
    clients: BTreeMap<String, Client>,
    embeddings: Embeddings,
    /// Models of a metric by its name in the run: seat 0, seat 1, …
    panels: BTreeMap<String, Vec<String>>,
    /// Models of every other metric.
    everyone: Vec<String>,
    repeat: u32,
    width: usize,
}

impl Models {
    /// Opens all models that are asked; `known` are set up under names of their own and give vectors where a metric names
    /// them. Nothing is sent.
    pub fn open(models: Vec<ModelSettings>, known: Vec<ModelSettings>, options: Options) -> Result<Self, OpenError> {
        let shared = Shared::open(options)?;
        let mut clients = BTreeMap::new();
        let width = models.iter().map(|model| model.concurrency.unwrap_or(64) as usize).sum::<usize>();
        for settings in models {
            let client = Client::open(settings, &shared)?;
            let name = client.name().to_owned();
            if clients.insert(name.clone(), client).is_some() {
                return Err(OpenError::SameName { model: name });
            }
        }
        Ok(Self {
            embeddings: Embeddings::new(known, shared.clone()),
            shared,
            clients,
            panels: BTreeMap::new(),
            everyone: Vec::new(),
            repeat: 0,
            width: width.clamp(1, MOST_WAITING),
        })
    }

    /// These models answer for a metric: the first in seat 0, the next in seat 1, and so on.
    pub fn seat(mut self, metric: &str, models: &[&str]) -> Result<Self, OpenError> {
        let panel = self.known(metric, models)?;
        self.panels.insert(metric.to_owned(), panel);
        Ok(self)
    }

    /// These models answer for every metric that has none of its own.
    pub fn seat_others(mut self, models: &[&str]) -> Result<Self, OpenError> {
        self.everyone = self.known("every metric", models)?;
        Ok(self)
    }

    /// Which repetition of the run this is, counted from 0.
    #[must_use]
    pub fn with_repeat(mut self, repeat: u32) -> Self {
        self.repeat = repeat;
        self
    }

    fn known(&self, metric: &str, models: &[&str]) -> Result<Vec<String>, OpenError> {
        models
            .iter()
            .map(|model| {
                if self.clients.contains_key(*model) {
                    return Ok((*model).to_owned());
                }
                Err(OpenError::UnknownModel { metric: metric.to_owned(), model: (*model).to_owned() })
            })
            .collect()
    }

    /// What the models share: trust, budget, counts, cancellation.
    pub fn shared(&self) -> &Shared {
        &self.shared
    }

    /// A model by its name.
    pub fn client(&self, name: &str) -> Option<&Client> {
        self.clients.get(name)
    }

    /// What decides the vectors of servers, for a manifest.
    pub fn embedding_servers(&self) -> Vec<ModelUsed> {
        self.embeddings.servers()
    }

    /// Who sits in a seat.
    fn seated(&self, metric: &str, seat: usize) -> Result<&Client, CallError> {
        let panel = self.panels.get(metric).unwrap_or(&self.everyone);
        let reason = || match panel.len() {
            0 => format!("no model is named for `{metric}`"),
            count => format!("`{metric}` asks the judge of seat {seat}, counted from 0, but only {count} are named"),
        };
        panel.get(seat).and_then(|name| self.clients.get(name)).ok_or_else(|| CallError::NoModel { reason: reason() })
    }

    fn ask(&self, metric: &str, questions: &[Question]) -> Vec<Reply> {
        let mut asked = Vec::new();
        let mut replies: Vec<Option<Reply>> = Vec::with_capacity(questions.len());
        for question in questions {
            match self.seated(metric, question.seat) {
                Ok(client) => {
                    asked.push((client.clone(), question.clone(), self.repeat));
                    replies.push(None);
                }
                Err(error) => replies.push(Some(error.reply())),
            }
        }
        let mut heard = ask_all(&self.shared, asked).into_iter();
        let bug = || CallError::Internal { reason: "a question was dropped".to_owned() }.reply();
        replies.into_iter().map(|reply| reply.or_else(|| heard.next()).unwrap_or_else(bug)).collect()
    }
}

impl Outside for Models {
    fn answer(&self, metric: &str, turn: &Turn) -> Vec<Answer> {
        match turn {
            Turn::Ask(questions) => self.ask(metric, questions).into_iter().map(Answer::Reply).collect(),
            Turn::Embed { model, texts } => self.embeddings.embed(model, texts),
            Turn::Run(_) | Turn::Done(_) => Nobody.answer(metric, turn),
        }
    }

    fn can_embed(&self, model: &str) -> Result<(), BuildError> {
        self.embeddings.can_embed(model)
    }

    fn digest(&self, model: &str) -> Option<String> {
        Embeddings::digest(model)
    }

    fn can_run(&self, environment: &str) -> Result<(), BuildError> {
        Nobody.can_run(environment)
    }

    fn width(&self) -> usize {
        self.width
    }

    fn trust(&self) -> Trust {
        self.shared.trust()
    }
}
