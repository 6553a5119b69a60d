//! The case of a thread: what was said and done in its spans, and what is known about them.

use std::collections::HashSet;

use probare_core::{Case, CaseToolCall, Output, Passage, Tool, ToolResultError};
use serde_json::{Map, Value as Json, json};

use super::conversation::{ConversationBuilder, ToolRun};
use super::losses::{LossCollector, TraceLossKind};
use super::model_call::{ModelCall, model_call, without_texts};
use super::otlp::Span;
use super::serialized;
use super::spans::{SpanKind, numbered_attributes};
use super::threads::{Thread, Threads};
use super::{EVALUATION_EVENT, MODEL_CALLS, TRACE};
use crate::agents::{self, calls::id_text, messages::result_text, tools};
use crate::tools::add_evaluation;

/// Attributes that hold something of interest for which a case has no place.
const NOT_READ: [&str; 1] = ["gen_ai.memory.records"];

/// Tokens by our names, with the names of the attributes.
const TOKENS: [(&str, &[&str]); 4] = [
    (
        "input",
        &["gen_ai.usage.input_tokens", "gen_ai.usage.prompt_tokens", "llm.token_count.prompt", "ai.usage.promptTokens"],
    ),
    (
        "output",
        &[
            "gen_ai.usage.output_tokens",
            "gen_ai.usage.completion_tokens",
            "llm.token_count.completion",
            "ai.usage.completionTokens",
        ],
    ),
    ("cached", &["gen_ai.usage.cache_read.input_tokens", "llm.token_count.prompt_details.cache_read"]),
    ("reasoning", &["gen_ai.usage.reasoning.output_tokens", "llm.token_count.completion_details.reasoning"]),
];

/// Names of the model, the one that answered first.
const MODEL: [&str; 4] = ["gen_ai.response.model", "gen_ai.request.model", "llm.model_name", "ai.model.id"];

/// Who runs the model.
const PROVIDER: [&str; 5] =
    ["gen_ai.provider.name", "gen_ai.system", "llm.provider", "llm.system", "ai.model.provider"];

/// US dollars of a call, where its instrumentation knows them.
const COST: [&str; 2] = ["llm.cost.total", "gen_ai.usage.cost"];

/// Names of an agent; one that is a tool to its caller has that name.
const AGENT: &[&str] = &["gen_ai.agent.name", "agent.name", "gen_ai.tool.name", "tool.name"];

const DEFINITIONS: &str = "gen_ai.tool.definitions";
const DOCUMENTS: &str = "gen_ai.retrieval.documents";

/// The case, if there is anything in the thread.
pub(super) fn case(spans: &[Span], known: &Threads, thread: &Thread, lost: &mut LossCollector) -> Option<Case> {
    let mut reader = ThreadReader { spans, known, thread, lost, finish: Vec::new() };
    for span in reader.spans_of(&[]) {
        reader.note(span);
    }
    let mut history = reader.models_and_tools();
    if history.is_none() {
        history = reader.chains();
    }
    let messages = history.map(ConversationBuilder::into_messages).filter(|messages| !messages.is_empty());
    let (context, retrieved) = reader.documents();
    let chats = reader.spans_of(&[SpanKind::Chat]);
    if messages.is_none() && context.is_empty() && retrieved.is_empty() && chats.is_empty() {
        return None;
    }
    let id = match thread.agent {
        Some(agent) => format!("{}/{}", thread.group, spans[agent].id),
        None => thread.group.clone(),
    };
    let tools = reader.tools();
    let metadata = reader.metadata();
    let mut case = Case {
        id,
        messages,
        tools: Some(tools).filter(|tools| !tools.is_empty()),
        context: Some(context).filter(|context| !context.is_empty()),
        retrieved: Some(retrieved).filter(|retrieved| !retrieved.is_empty()),
        ..Case::default()
    };
    agents::fill_query_and_response(&mut case);
    case.response = case.response.map(|output: Output| output.signed(&metadata));
    case.metadata = metadata;
    Some(case)
}

struct ThreadReader<'a> {
    spans: &'a [Span],
    known: &'a Threads,
    thread: &'a Thread,
    lost: &'a mut LossCollector,
    finish: Vec<String>,
}

impl ThreadReader<'_> {
    /// The spans of these kinds, in order; all of them where none is named.
    fn spans_of(&self, kinds: &[SpanKind]) -> Vec<usize> {
        let is_wanted = |span: &usize| kinds.is_empty() || kinds.contains(&self.known.kinds[*span]);
        self.thread.spans.iter().copied().filter(is_wanted).collect()
    }

    /// What is told about a span whatever it says.
    fn note(&mut self, span: usize) {
        let span_kind = self.known.kinds[span];
        let span = &self.spans[span];
        if span_kind != SpanKind::None && span.dropped > 0 {
            self.lost.add(TraceLossKind::Dropped, Some(&span.id), Some(span.dropped.to_string()));
        }
        for name in NOT_READ {
            if span.attributes.contains_key(name) {
                self.lost.add(TraceLossKind::NotRead, None, Some(name.to_owned()));
            }
        }
    }

    /// The conversation as models and tools tell it; nothing where no model said anything and there are chains to ask.
    fn models_and_tools(&mut self) -> Option<ConversationBuilder> {
        let mut history = ConversationBuilder::default();
        let mut is_said = false;
        for at in self.spans_of(&[SpanKind::Chat, SpanKind::Tool]) {
            let span = &self.spans[at];
            if self.known.kinds[at] == SpanKind::Tool {
                self.tool(span, &mut history);
                continue;
            }
            let Some(said) = model_call(span, self.lost) else {
                self.lost.put(without_texts(span));
                continue;
            };
            is_said |= !said.input.is_empty() || !said.output.is_empty();
            self.take(span, said, &mut history);
        }
        let chains = self.spans_of(&[SpanKind::Chain, SpanKind::Agent]);
        let can_say = |at: &usize| model_call(&self.spans[*at], &mut LossCollector::default()).is_some();
        if is_said || !chains.iter().any(can_say) { Some(history) } else { None }
    }

    /// The conversation as chains and agents tell it, the outermost first. What is inside of one that was heard repeats it.
    fn chains(&mut self) -> Option<ConversationBuilder> {
        let mut history = ConversationBuilder::default();
        let mut heard = HashSet::new();
        let mut waiting: Option<ModelCall> = None;
        for at in self.spans_of(&[SpanKind::Chain, SpanKind::Agent, SpanKind::Tool]) {
            let span = &self.spans[at];
            if self.known.kinds[at] == SpanKind::Tool {
                self.tool(span, &mut history);
                continue;
            }
            // Parents come before their children, but for clocks that differ.
            if self.known.parents[at].is_some_and(|parent| heard.contains(&parent)) {
                heard.insert(at);
                continue;
            }
            let Some(mut said) = model_call(span, self.lost) else { continue };
            heard.insert(at);
            if let Some(before) = waiting.take() {
                history.add_output(before.output);
            }
            let output = std::mem::take(&mut said.output);
            self.take(span, said, &mut history);
            waiting = Some(ModelCall { output, ..ModelCall::default() });
        }
        if let Some(before) = waiting {
            history.add_output(before.output);
        }
        Some(history).filter(|history| !history.is_empty())
    }

    fn take(&mut self, span: &Span, said: ModelCall, history: &mut ConversationBuilder) {
        if !history.add_input(said.input) {
            self.lost.add(TraceLossKind::BrokenHistory, Some(&span.id), None);
        }
        history.add_output(said.output);
        self.finish.extend(said.finish);
    }

    fn tool(&mut self, span: &Span, history: &mut ConversationBuilder) {
        const ARGUMENTS: [&str; 5] = [
            "gen_ai.tool.call.arguments",
            "ai.toolCall.args",
            "tool.parameters",
            "input.value",
            "traceloop.entity.input",
        ];
        const RESULT: [&str; 4] =
            ["gen_ai.tool.call.result", "ai.toolCall.result", "output.value", "traceloop.entity.output"];
        let id = span.first(&["gen_ai.tool.call.id", "tool_call.id", "tool.id", "ai.toolCall.id"]).and_then(id_text);
        let name = span.text(&["gen_ai.tool.name", "tool.name", "ai.toolCall.name", "traceloop.entity.name"]);
        let name = name.unwrap_or_else(|| span.name.strip_prefix("execute_tool ").unwrap_or(&span.name)).to_owned();
        let arguments = span.first(&ARGUMENTS).map(serialized::arguments).unwrap_or_default();
        let call =
            CaseToolCall { id: id.clone(), name: name.clone(), ..CaseToolCall::default() }.with_arguments(arguments);
        let error = span.text(&["error.type"]).or(span.status.as_deref().filter(|_| span.is_error));
        let error = error.map(|error| ToolResultError::Text(error.to_owned()));
        let error = error.or_else(|| span.is_error.then_some(ToolResultError::Flag));
        // LangGraph writes the message that holds the result, which names its call.
        let message = span.first(&RESULT).and_then(serialized::message);
        let id = id.or_else(|| message.as_ref()?.id.clone());
        let error = error.or_else(|| message.as_ref()?.error.clone());
        let text = match message {
            Some(message) => message.spoken_text().map(std::borrow::Cow::into_owned),
            None => span.first(&RESULT).map(result_text),
        };
        if !history.run(ToolRun { id, name, call, text, error }) {
            self.lost.add(TraceLossKind::ResultsDiffer, Some(&span.id), None);
        }
    }

    /// The tools that could be called; of several of one name the first.
    fn tools(&mut self) -> Vec<Tool> {
        let mut found: Vec<Tool> = Vec::new();
        let mut names = HashSet::new();
        for at in self.spans_of(&[SpanKind::Chat, SpanKind::Agent, SpanKind::Chain]) {
            let span = &self.spans[at];
            let mut list: Vec<(String, Json)> = Vec::new();
            if let Some(value) = span.first(&[DEFINITIONS]).and_then(|value| self.json(span, DEFINITIONS, value)) {
                let items = if let Json::Array(items) = value { items } else { vec![value] };
                list.extend(items.into_iter().enumerate().map(|(at, item)| (format!("{DEFINITIONS}/{at}"), item)));
            }
            let attributes = span.attributes.iter().map(|(name, value)| (name.as_str(), value));
            for (number, held) in numbered_attributes(attributes, "llm.tools.") {
                let name = format!("llm.tools.{number}.tool.json_schema");
                let schema = held.iter().find(|(name, _)| *name == "tool.json_schema");
                if let Some(value) = schema.and_then(|(_, value)| self.json(span, &name, value)) {
                    list.push((name, value));
                }
            }
            for (place, item) in list {
                match tools::tools(&[item]) {
                    Ok(read) => found.extend(read.into_iter().filter(|tool| names.insert(tool.name.clone()))),
                    Err(_) => self.lost.add(TraceLossKind::NotInSchema, Some(&span.id), Some(place)),
                }
            }
        }
        found
    }

    /// A value that may be written as JSON text.
    fn json(&mut self, span: &Span, name: &str, value: &Json) -> Option<Json> {
        let Json::String(text) = value else { return Some(value.clone()) };
        let read = serde_json::from_str(text).ok();
        if read.is_none() {
            self.lost.add(TraceLossKind::Unparsed, Some(&span.id), Some(name.to_owned()));
        }
        read
    }

    /// Passages and ids of what was retrieved.
    fn documents(&mut self) -> (Vec<Passage>, Vec<String>) {
        let (mut context, mut retrieved) = (Vec::new(), Vec::new());
        let mut take = |text: Option<&str>, id: Option<String>| {
            if let Some(text) = text {
                let mut metadata = Map::new();
                metadata.extend(id.as_ref().map(|id| ("id".to_owned(), Json::from(id.as_str()))));
                context.push(Passage { text: text.to_owned(), metadata });
            }
            retrieved.extend(id);
        };
        for at in self.spans_of(&[SpanKind::Retrieval]) {
            let span = &self.spans[at];
            if let Some(Json::Array(documents)) =
                span.first(&[DOCUMENTS]).and_then(|value| self.json(span, DOCUMENTS, value))
            {
                for document in &documents {
                    let text =
                        ["content", "text", "page_content"].into_iter().find_map(|name| document.get(name)?.as_str());
                    take(text, document.get("id").and_then(id_text));
                }
            }
            let attributes = span.attributes.iter().map(|(name, value)| (name.as_str(), value));
            for (_, held) in numbered_attributes(attributes, "retrieval.documents.") {
                let get = |name: &str| held.iter().find(|(known, _)| *known == name).map(|(_, value)| *value);
                take(get("document.content").and_then(Json::as_str), get("document.id").and_then(id_text));
            }
        }
        (context, retrieved)
    }

    fn tokens(&self) -> Map<String, Json> {
        let of = |kinds: &[SpanKind]| {
            let spans = self.spans_of(kinds);
            let mut tokens = Map::new();
            for (name, names) in TOKENS {
                let counts = spans.iter().filter_map(|at| count(self.spans[*at].first(names)?));
                if let Some(sum) = counts.reduce(u64::saturating_add) {
                    tokens.insert(name.to_owned(), Json::from(sum));
                }
            }
            tokens
        };
        // Agents repeat what their calls of models took.
        Some(of(&[SpanKind::Chat])).filter(|tokens| !tokens.is_empty()).unwrap_or_else(|| of(&[SpanKind::Agent]))
    }

    fn metadata(&mut self) -> Map<String, Json> {
        let mut metadata = Map::new();
        let chats = self.spans_of(&[SpanKind::Chat]);
        let agents = self.spans_of(&[SpanKind::Agent]);
        let last = |names: &[&str], of: &[usize]| {
            of.iter().rev().find_map(|at| self.spans[*at].text(names)).map(str::to_owned)
        };
        metadata.extend(last(&MODEL, &chats).map(|model| ("model".to_owned(), Json::from(model))));
        let tokens = self.tokens();
        if !tokens.is_empty() {
            metadata.insert("tokens".to_owned(), Json::Object(tokens));
        }
        // Answers are judged at the last call of a model, what was done at the agent that did it.
        let used =
            self.spans_of(&[SpanKind::Chat, SpanKind::Tool, SpanKind::Agent, SpanKind::Retrieval, SpanKind::Chain]);
        let outermost = self.thread.agent.or_else(|| {
            let trace = chats.last().map(|at| &self.spans[*at].trace);
            agents.iter().find(|at| trace.is_none_or(|trace| self.spans[**at].trace == *trace)).copied()
        });
        let answer = chats.last().copied().or(outermost).or_else(|| used.last().copied());
        let place = |at: usize| {
            let span = &self.spans[at];
            json!({"trace_id": span.trace, "span_id": span.id, "end": span.end.to_string()})
        };
        let mut trace = Map::new();
        let mut put = |name: &str, value: Json| {
            if !value.is_null() {
                trace.insert(name.to_owned(), value);
            }
        };
        put("answer", json!(answer.map(place)));
        put("agent_span", json!(outermost.map(place)));
        put("agent", json!(last(AGENT, outermost.as_slice())));
        // The span below which the agent worked: that of another agent, or that of the tool that it is to its caller.
        let parent = self.thread.agent.and_then(|agent| match self.known.kinds[agent] {
            SpanKind::Tool => Some(self.spans[agent].id.clone()),
            _ => self.spans[agent].parent.clone(),
        });
        put("parent", json!(parent));
        let conversation = used.iter().find_map(|at| self.known.conversations[*at].as_ref());
        put("conversation", json!(conversation));
        put("provider", json!(last(&PROVIDER, &chats)));
        put("response_id", json!(last(&["gen_ai.response.id"], answer.as_slice())));
        let finish = chats.iter().rev().find_map(|at| self.spans[*at].first(&["gen_ai.response.finish_reasons"]));
        let finish = finish.cloned().or_else(|| (!self.finish.is_empty()).then(|| json!(self.finish)));
        put("finish_reasons", finish.unwrap_or_default());
        let started = used.iter().map(|at| self.spans[*at].start).filter(|start| *start > 0).min();
        let ended = used.iter().map(|at| self.spans[*at].end).max();
        let took = started.zip(ended).and_then(|(started, ended)| ended.checked_sub(started));
        put("latency_ms", json!(took.map(|took| took / 1_000_000)));
        put("cost_usd", json!(self.cost(&chats)));
        let calls: Vec<Json> = chats.iter().map(|at| self.call_record(*at)).collect();
        put(MODEL_CALLS, if calls.is_empty() { Json::Null } else { Json::Array(calls) });
        put("span_ids", used.iter().map(|at| self.spans[*at].id.as_str()).collect());
        metadata.insert(TRACE.to_owned(), Json::Object(trace));
        let scores = self.scores();
        if !scores.is_empty() {
            metadata.insert(crate::SCORES.to_owned(), Json::Object(scores));
        }
        metadata
    }

    /// What a call of a model took, as far as its span says it.
    fn call_record(&self, at: usize) -> Json {
        let span = &self.spans[at];
        let mut call = Map::new();
        let mut put = |name: &str, value: Option<Json>| {
            if let Some(value) = value {
                call.insert(name.to_owned(), value);
            }
        };
        put("span_id", Some(Json::from(span.id.as_str())));
        put("provider", span.text(&PROVIDER).map(Json::from));
        put("model", span.text(&MODEL).map(Json::from));
        for (name, names) in TOKENS {
            put(name, span.first(names).and_then(count).map(Json::from));
        }
        let took = span.end.checked_sub(span.start).filter(|_| span.start > 0);
        put("latency_ms", took.map(|took| Json::from(took / 1_000_000)));
        put("cost_usd", cost(span).map(Json::from));
        Json::Object(call)
    }

    /// US dollars of these calls, where the spans of all of them say it.
    fn cost(&self, chats: &[usize]) -> Option<f64> {
        let costs: Option<Vec<f64>> = chats.iter().map(|at| cost(&self.spans[*at])).collect();
        costs.filter(|costs| !costs.is_empty()).map(|costs| costs.iter().sum())
    }

    /// What others said about the spans, in the conventions' own event.
    fn scores(&self) -> Map<String, Json> {
        let mut scores = Map::new();
        for event in self.spans_of(&[]).into_iter().flat_map(|at| &self.spans[at].events) {
            let text = |name: &str| event.get(name).and_then(Json::as_str);
            let Some(name) = text("gen_ai.evaluation.name").filter(|_| event.name == EVALUATION_EVENT) else {
                continue;
            };
            let value = event.get("gen_ai.evaluation.score.value").and_then(Json::as_f64);
            let (label, reason) = (text("gen_ai.evaluation.score.label"), text("gen_ai.evaluation.explanation"));
            add_evaluation(&mut scores, name, value, label, reason, text("error.type"));
        }
        scores
    }
}

/// A number of tokens, as a number or as a text.
fn count(value: &Json) -> Option<u64> {
    value.as_u64().or_else(|| value.as_str()?.parse().ok())
}

/// US dollars, as a number or as a text.
fn cost(span: &Span) -> Option<f64> {
    let value = span.first(&COST)?;
    let cost = value.as_f64().or_else(|| value.as_str()?.parse().ok())?;
    (cost.is_finite() && cost >= 0.0).then_some(cost)
}
