//! [`Estimate`]: what a run will take, guessed from the lengths of its texts before anything is asked.

use probare_core::{MetricRequest, Registry, Usage};
use probare_metrics::{cascade, judges};
use probare_models::{Client, ModelSettings};
use probare_store::RunPlan;
use serde_json::Value as Json;

use super::prompt::GenerationPrompt;
use super::survey::Survey;
use crate::agent::AgentBackend;
use crate::model_access::named_judges;
use crate::{ModelAccess, ModelBackend};

/// Bytes of a token, roughly: English text in the tokenizers of today.
const BYTES_PER_TOKEN: u64 = 4;

/// Tokens of a reply whose longest length is not set.
const USUAL_REPLY: u64 = 256;

/// Seconds that a reply takes, roughly.
const SECONDS_PER_REPLY: f64 = 2.0;

/// What one model will be asked.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ModelEstimate {
    /// Name of the model.
    pub model: String,
    /// What for: the names of the metrics it judges, or nothing for a model under test.
    pub judges: Vec<String>,
    /// The prompt that it is asked with, where there are several.
    pub prompt: Option<String>,
    pub calls: u64,
    /// Whether there may be fewer of them: a metric asks only where it is unsure.
    pub is_most: bool,
    /// Tokens, roughly.
    pub usage: Usage,
    /// Whether the calls go into batches: replies come within a day, and `cost_usd` is the price that holds there.
    pub in_batches: bool,
    /// US dollars, roughly; nothing where no price is known.
    pub cost_usd: Option<f64>,
    /// Seconds that the calls take, as many at once as the settings allow.
    pub seconds: f64,
}

/// What a run will take.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Estimate {
    /// Cases by data set.
    pub cases: Vec<(String, u64)>,
    /// Samples: cases times models times prompts times repeats.
    pub samples: u64,
    pub metrics: usize,
    /// By model.
    pub asked: Vec<ModelEstimate>,
}

impl Estimate {
    /// Calls in all.
    pub fn calls(&self) -> u64 {
        self.asked.iter().map(|asked| asked.calls).sum()
    }

    /// Tokens in all.
    pub fn usage(&self) -> Usage {
        self.asked.iter().fold(Usage::default(), |sum, asked| sum.plus(asked.usage))
    }

    /// US dollars in all; nothing where the price of a model is not known.
    pub fn cost_usd(&self) -> Option<f64> {
        self.asked.iter().map(|asked| asked.cost_usd).sum()
    }

    /// Whether any calls go into batches.
    pub fn has_batches(&self) -> bool {
        self.asked.iter().any(|asked| asked.in_batches)
    }

    /// Seconds, those of batches left out: models are asked side by side, but a judge waits for what it judges.
    pub fn seconds(&self) -> f64 {
        let longest = |judging: bool| {
            let each = self.asked.iter().filter(|asked| asked.judges.is_empty() != judging).map(|asked| asked.seconds);
            each.fold(0.0, f64::max)
        };
        longest(false) + longest(true)
    }
}

/// Guesses what a run will take, model by model.
pub(super) struct Estimator<'a> {
    plan: &'a RunPlan,
    surveys: &'a [Survey<'a>],
    asked: &'a ModelBackend,
    asking: &'a ModelAccess,
    models: Vec<ModelEstimate>,
}

/// What a model is asked.
#[derive(Clone, Copy)]
struct Load {
    calls: u64,
    bytes: u64,
    is_most: bool,
}

impl<'a> Estimator<'a> {
    pub fn new(plan: &'a RunPlan, surveys: &'a [Survey<'a>], asked: &'a ModelBackend, asking: &'a ModelAccess) -> Self {
        Self { plan, surveys, asked, asking, models: Vec::new() }
    }

    /// What models under test and simulated users are asked.
    pub fn add_answers(&mut self, prompts: &[GenerationPrompt], agent: Option<&AgentBackend>, passages: u64) {
        let (plan, cases) = (self.plan, self.sum(|survey| survey.cases));
        let repeats = u64::from(plan.repeats);
        for model in &plan.models {
            // A model that answers from passages has no prompt of its own.
            for at in 0..prompts.len().max(1) {
                let asked: u64 = self.surveys.iter().filter_map(|survey| survey.asked.get(at)).sum();
                let bytes = asked + cases * passages;
                let prompt = prompts.get(at);
                let Some(agent) = agent else {
                    let load = Load { calls: cases * repeats, bytes: bytes * repeats, is_most: false };
                    self.add(&model.name, prompt, Vec::new(), load);
                    continue;
                };
                // Every step sends all that was said before it: as many replies and results as there were steps.
                let (steps, user) = agent.most_calls();
                let tools = serde_json::to_string(agent.tools()).map_or(0, |text| text.len()) as u64;
                let grown = steps * steps.saturating_sub(1) * self.longest_reply(&model.name) * BYTES_PER_TOKEN;
                let asked = (bytes + cases * tools) * steps + cases * grown;
                let load = Load { calls: cases * repeats * steps, bytes: asked * repeats, is_most: true };
                self.add(&model.name, prompt, Vec::new(), load);
                if let Some((user, steps)) = user {
                    let bytes = (bytes * steps + cases * grown) * repeats;
                    let load = Load { calls: cases * repeats * steps, bytes, is_most: true };
                    self.add(user, None, Vec::new(), load);
                }
            }
        }
    }

    /// What judges are asked.
    pub fn add_judges(&mut self, requests: &[MetricRequest], metrics: &Registry) {
        let (plan, samples) = (self.plan, self.plan.samples());
        // What is judged is as long as it may be, or as it stands in the file.
        let outputs: u64 = if plan.models.is_empty() {
            self.sum(|survey| survey.responses)
        } else {
            let of_each_model = samples.checked_div(plan.models.len() as u64).unwrap_or_default();
            plan.models.iter().map(|model| of_each_model * self.longest_reply(&model.name) * BYTES_PER_TOKEN).sum()
        };
        let shown = self.sum(|survey| survey.shown) * plan.outputs_per_case();
        for judge in &plan.judges {
            let judging = |request: &&MetricRequest| named_judges(request).contains(&judge.name);
            let (mut names, mut load) = (Vec::new(), Load { calls: 0, bytes: 0, is_most: false });
            for request in requests.iter().filter(judging) {
                let seats = named_judges(request).iter().filter(|name| **name == judge.name).count() as u64;
                let definition = metrics.get(&request.id).ok();
                let prompt = definition.and_then(|metric| judges::prompt(metric, &request.options));
                let prompt = prompt.map_or(0, |prompt| prompt.len()) as u64;
                names.push(request.name.clone());
                load.is_most |=
                    request.options.get(cascade::JUDGE_OPTION).and_then(Json::as_str) == Some("when_unsure");
                load.calls += samples * seats;
                load.bytes += seats * (samples * prompt + shown + outputs);
            }
            self.add(&judge.name, None, names, load);
        }
    }

    pub fn into_estimate(self) -> Estimate {
        let cases = self.plan.datasets.iter().map(|dataset| (dataset.name.clone(), dataset.cases)).collect();
        Estimate { cases, samples: self.plan.samples(), metrics: self.plan.metrics.len(), asked: self.models }
    }

    fn add(&mut self, name: &str, prompt: Option<&GenerationPrompt>, judges: Vec<String>, load: Load) {
        let Load { calls, bytes, is_most } = load;
        let of_prompt = prompt.and_then(|prompt| prompt.parameters.max_tokens);
        let longest = of_prompt.map_or_else(|| self.longest_reply(name), u64::from);
        let usage = Usage::new(bytes / BYTES_PER_TOKEN, calls * longest);
        let client = self.asked.client(name);
        let is_batch = self.asking.options.batch && !self.asking.options.offline;
        let in_batches = is_batch && client.is_some_and(Client::takes_batches);
        let cost = |client: &Client| if in_batches { client.batch_cost(usage) } else { client.cost(usage) };
        let at_once = self.settings(name).and_then(|model| model.concurrency).unwrap_or(64);
        let is_file = client.is_some_and(Client::is_recorded);
        let seconds = if is_file || in_batches { 0.0 } else { calls as f64 * SECONDS_PER_REPLY / f64::from(at_once) };
        self.models.push(ModelEstimate {
            model: name.to_owned(),
            judges,
            prompt: prompt.and_then(|prompt| prompt.name.clone()),
            calls,
            is_most,
            usage,
            in_batches,
            cost_usd: client.and_then(cost),
            seconds,
        });
    }

    fn settings(&self, name: &str) -> Option<&'a ModelSettings> {
        self.asking.models.iter().find(|model| model.name == name)
    }

    /// Tokens of a reply of a model, at most.
    fn longest_reply(&self, name: &str) -> u64 {
        self.settings(name).and_then(|model| model.max_tokens).map_or(USUAL_REPLY, u64::from)
    }

    /// A sum over all data sets.
    fn sum(&self, part: fn(&Survey<'_>) -> u64) -> u64 {
        self.surveys.iter().map(part).sum()
    }
}
