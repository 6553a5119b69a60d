//! [`Models`]: the models of a run by name, and who of them answers for which metric.

use std::collections::BTreeMap;

use probare_core::{Answer, BuildError, Nobody, Outside, Question, Reply, Turn};

use crate::client::ask_all;
use crate::{CallError, Client, ModelSettings, OpenError, Options, Shared};

/// The models of a run. It answers what judges ask; texts to embed and programs to run go to somebody else.
pub struct Models {
    shared: Shared,
    clients: BTreeMap<String, Client>,
    /// Models of a metric by its name in the run: seat 0, seat 1, …
    panels: BTreeMap<String, Vec<String>>,
    /// Models of every other metric.
    everyone: Vec<String>,
    repeat: u32,
    beside: Box<dyn Outside>,
}

impl Models {
    /// Opens all models. Nothing is sent.
    pub fn open(models: Vec<ModelSettings>, options: Options) -> Result<Self, OpenError> {
        let shared = Shared::open(options)?;
        let mut clients = BTreeMap::new();
        for settings in models {
            let client = Client::open(settings, &shared)?;
            let name = client.name().to_owned();
            if clients.insert(name.clone(), client).is_some() {
                return Err(OpenError::SameName { model: name });
            }
        }
        let panels = BTreeMap::new();
        Ok(Self { shared, clients, panels, everyone: Vec::new(), repeat: 0, beside: Box::new(Nobody) })
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

    /// Who embeds texts and runs programs.
    #[must_use]
    pub fn beside(mut self, other: Box<dyn Outside>) -> Self {
        self.beside = other;
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

    /// What the models share: budget, counts, cancellation.
    pub fn shared(&self) -> &Shared {
        &self.shared
    }

    /// A model by its name.
    pub fn client(&self, name: &str) -> Option<&Client> {
        self.clients.get(name)
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
            _ => self.beside.answer(metric, turn),
        }
    }

    fn can_embed(&self, model: &str) -> Result<(), BuildError> {
        self.beside.can_embed(model)
    }
}
