//! [`said`]: the messages of one call of a model, from the first source that its span has.

use std::borrow::Cow;

use probare_core::{CaseMessage, Role, Speaker};
use serde_json::{Map, Value as Json, json};

use super::losses::{LossCollector, TraceLoss, TraceLossKind};
use super::otlp::{Span, SpanEvent};
use super::parts;
use super::spans::{CHOICE_EVENT, MESSAGE_EVENTS, numbered_attributes};
use crate::agents::messages;

/// What went into a call and what came out.
#[derive(Debug, Default)]
pub(super) struct ModelCall {
    pub input: Vec<CaseMessage>,
    pub output: Vec<CaseMessage>,
    pub finish: Vec<String>,
}

const SYSTEM: &str = "gen_ai.system_instructions";
const INPUT: &str = "gen_ai.input.messages";
const OUTPUT: &str = "gen_ai.output.messages";

/// The event, or log record, that holds the messages of the conventions where the span does not.
const DETAILS: &str = "gen_ai.client.inference.operation.details";

/// What a span says; nothing where it has no source of messages at all.
pub(super) fn model_call(span: &Span, lost: &mut LossCollector) -> Option<ModelCall> {
    let mut reading = SpanReader { span: &span.id, lost };
    let sources: [fn(&Span, &mut SpanReader<'_>) -> Option<ModelCall>; 6] =
        [conventions, events, openinference, openllmetry, vercel, plain_values];
    sources.into_iter().find_map(|source| source(span, &mut reading))
}

/// That a span has no texts, with the setting that would have kept them.
pub(super) fn without_texts(span: &Span) -> TraceLoss {
    let setting = if span.attributes.contains_key("openinference.span.kind") {
        "OpenInference: OPENINFERENCE_HIDE_INPUTS and OPENINFERENCE_HIDE_OUTPUTS must not be true"
    } else if span.has_prefix("traceloop.") {
        "OpenLLMetry: TRACELOOP_TRACE_CONTENT=true"
    } else if span.has_prefix("ai.") {
        "Vercel AI: recordInputs and recordOutputs of experimental_telemetry"
    } else if span.attributes.contains_key("gen_ai.provider.name") {
        // Since version 1.37 of the conventions, which renamed `gen_ai.system`, the variable says where texts are kept.
        "OpenTelemetry: OTEL_SEMCONV_STABILITY_OPT_IN=gen_ai_latest_experimental and \
         OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT=SPAN_ONLY"
    } else {
        "OpenTelemetry: OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT=true"
    };
    TraceLoss { kind: TraceLossKind::NoContent, span: Some(span.id.clone()), what: None, setting: Some(setting) }
}

/// Where something is read and what becomes of the rest.
pub(super) struct SpanReader<'a> {
    span: &'a str,
    lost: &'a mut LossCollector,
}

impl SpanReader<'_> {
    pub fn lose(&mut self, kind: TraceLossKind, what: impl Into<String>) {
        self.lost.add(kind, Some(self.span), Some(what.into()));
    }

    /// A value that may be written as JSON text.
    pub fn json<'v>(&mut self, name: &str, value: &'v Json) -> Option<Cow<'v, Json>> {
        let Json::String(text) = value else { return Some(Cow::Borrowed(value)) };
        let read: Option<Json> = serde_json::from_str(text).ok();
        if read.is_none() {
            self.lose(TraceLossKind::Unparsed, name);
        }
        read.map(Cow::Owned)
    }

    /// A message in a shape that rows have, too; where it cannot be read, its place is told.
    fn message(&mut self, value: Json, place: &str, into: &mut Vec<CaseMessage>) {
        match messages::messages(&[value]) {
            Ok(read) => {
                for message in &read {
                    self.check_role(message);
                }
                into.extend(read);
            }
            Err(_) => self.lose(TraceLossKind::NotInSchema, place),
        }
    }

    pub fn check_role(&mut self, message: &CaseMessage) {
        if let Speaker::Other(role) = &message.role {
            self.lose(TraceLossKind::UnknownRole, role.clone());
        }
    }

    /// The first of several answers; the others are counted.
    fn first_choice(&mut self, choices: Vec<Vec<CaseMessage>>) -> Vec<CaseMessage> {
        let mut choices = choices.into_iter();
        let first = choices.next().unwrap_or_default();
        if choices.len() > 0 {
            self.lose(TraceLossKind::ExtraChoices, choices.len().to_string());
        }
        first
    }
}

/// 1. The conventions, on the span or on the event of its details.
fn conventions(span: &Span, reading: &mut SpanReader<'_>) -> Option<ModelCall> {
    let details: Vec<&SpanEvent> = span.events.iter().filter(|event| event.name == DETAILS).collect();
    let held = |name: &str| {
        let own = span.attributes.get(name).filter(|value| !value.is_null());
        own.or_else(|| details.iter().find_map(|event| event.get(name)))
    };
    let (system, input, output) = (held(SYSTEM), held(INPUT), held(OUTPUT));
    if system.is_none() && input.is_none() && output.is_none() {
        return None;
    }
    let mut said = ModelCall::default();
    if let Some(value) = system {
        said.input.extend(parts::instructions(value, SYSTEM, reading));
    }
    if let Some(value) = input.and_then(|value| reading.json(INPUT, value)) {
        for (number, message) in items(&value).enumerate() {
            said.input.extend(parts::message(message, &format!("{INPUT}/{number}"), reading));
        }
    }
    if let Some(value) = output.and_then(|value| reading.json(OUTPUT, value)) {
        let mut choices = Vec::new();
        for (number, message) in items(&value).enumerate() {
            let place = format!("{OUTPUT}/{number}");
            match message.get("finish_reason") {
                Some(Json::String(reason)) if number == 0 => said.finish.push(reason.clone()),
                None | Some(Json::Null | Json::String(_)) => {}
                Some(_) => reading.lose(TraceLossKind::NotInSchema, format!("{place}/finish_reason")),
            }
            choices.push(parts::message(message, &place, reading));
        }
        said.output = reading.first_choice(choices);
    }
    Some(said)
}

/// The items of a list; anything else is a list of one.
fn items(value: &Json) -> impl Iterator<Item = &Json> {
    let (list, single) = match value {
        Json::Array(list) => (list.as_slice(), None),
        single => (&[][..], Some(single)),
    };
    list.iter().chain(single)
}

/// 2. Events up to convention 1.36, on the span or as log records.
fn events(span: &Span, reading: &mut SpanReader<'_>) -> Option<ModelCall> {
    let mut said = ModelCall::default();
    let mut choices: Vec<(u64, Vec<CaseMessage>)> = Vec::new();
    let mut is_there = false;
    for event in &span.events {
        if let Some((_, role)) = MESSAGE_EVENTS.iter().find(|(name, _)| *name == event.name) {
            is_there = true;
            let message = of_event(|name| event.get(name), role, &event.name, reading);
            reading.message(message, &event.name, &mut said.input);
        } else if event.name == CHOICE_EVENT {
            is_there = true;
            let inner = match event.get("message") {
                Some(Json::String(text)) => match serde_json::from_str(text) {
                    Ok(inner @ Json::Object(_)) => inner,
                    _ => json!({"content": text}),
                },
                Some(inner @ Json::Object(_)) => inner.clone(),
                _ => Json::Null,
            };
            // Some write the message itself in place of what holds it.
            let get = |name: &str| inner.get(name).or_else(|| event.get(name).filter(|_| inner.is_null()));
            let message = of_event(get, "assistant", CHOICE_EVENT, reading);
            let mut answer = Vec::new();
            reading.message(message, CHOICE_EVENT, &mut answer);
            if choices.is_empty() {
                said.finish.extend(event.get("finish_reason").and_then(Json::as_str).map(str::to_owned));
            }
            choices.push((event.get("index").and_then(Json::as_u64).unwrap_or(0), answer));
        }
    }
    choices.sort_by_key(|(index, _)| *index);
    said.output = reading.first_choice(choices.into_iter().map(|(_, answer)| answer).collect());
    is_there.then_some(said)
}

/// The message of an old event, as chats write it.
fn of_event<'a>(get: impl Fn(&str) -> Option<&'a Json>, usual: &str, name: &str, reading: &mut SpanReader<'_>) -> Json {
    let role = get("role").and_then(Json::as_str).unwrap_or(usual);
    let mut message = json!({"role": role});
    if let Some(content) = get("content") {
        message["content"] = content.clone();
    }
    if let Some(calls) = get("tool_calls").and_then(|calls| reading.json(&format!("{name}/tool_calls"), calls)) {
        message["tool_calls"] = calls.into_owned();
    }
    for (key, ours) in [("id", "tool_call_id"), ("name", "name")] {
        if let Some(value) = get(key) {
            message[ours] = value.clone();
        }
    }
    message
}

/// 3. OpenInference: numbered attributes.
fn openinference(span: &Span, reading: &mut SpanReader<'_>) -> Option<ModelCall> {
    let input = of_openinference(span, "llm.input_messages.", reading);
    let output = of_openinference(span, "llm.output_messages.", reading);
    if input.is_empty() && output.is_empty() {
        return None;
    }
    let input = input.into_iter().flatten().collect();
    Some(ModelCall { input, output: reading.first_choice(output), finish: Vec::new() })
}

/// What the attribute of this name holds.
fn held_value(held: &[(&str, &Json)], name: &str) -> Option<Json> {
    held.iter().find(|(known, _)| *known == name).map(|(_, value)| (*value).clone())
}

fn of_openinference(span: &Span, prefix: &str, reading: &mut SpanReader<'_>) -> Vec<Vec<CaseMessage>> {
    let attributes = span.attributes.iter().map(|(name, value)| (name.as_str(), value));
    let mut messages = Vec::new();
    for (number, held) in numbered_attributes(attributes, prefix) {
        let mut message = Map::new();
        for (name, ours) in [
            ("message.role", "role"),
            ("message.content", "content"),
            ("message.tool_call_id", "tool_call_id"),
            ("message.name", "name"),
        ] {
            message.extend(held_value(&held, name).map(|value| (ours.to_owned(), value)));
        }
        let mut contents = Vec::new();
        for (part, held) in numbered_attributes(held.iter().copied(), "message.contents.") {
            let kind = held_value(&held, "message_content.type").unwrap_or_else(|| Json::from("text"));
            let url = held_value(&held, "message_content.image.image.url");
            if kind != "text" && kind != "reasoning" {
                reading.lose(TraceLossKind::BinaryPart, format!("{prefix}{number}.message.contents.{part}"));
            }
            contents.push(json!({"type": kind, "text": held_value(&held, "message_content.text"), "url": url}));
        }
        if !contents.is_empty() {
            message.insert("content".to_owned(), Json::Array(contents));
        }
        let mut calls = Vec::new();
        for (_, held) in numbered_attributes(held.iter().copied(), "message.tool_calls.") {
            let mut call = json!({"function": {"arguments": held_value(&held, "tool_call.function.arguments")}});
            if let Some(id) = held_value(&held, "tool_call.id") {
                call["id"] = id;
            }
            if let Some(name) = held_value(&held, "tool_call.function.name") {
                call["function"]["name"] = name;
            }
            calls.push(call);
        }
        if !calls.is_empty() {
            message.insert("tool_calls".to_owned(), Json::Array(calls));
        }
        let mut read = Vec::new();
        reading.message(Json::Object(message), &format!("{prefix}{number}"), &mut read);
        messages.push(read);
    }
    messages
}

/// 4. OpenLLMetry: numbered attributes of its own.
fn openllmetry(span: &Span, reading: &mut SpanReader<'_>) -> Option<ModelCall> {
    let mut finish = Vec::new();
    let input = of_openllmetry(span, "gen_ai.prompt.", "user", reading, &mut Vec::new());
    let output = of_openllmetry(span, "gen_ai.completion.", "assistant", reading, &mut finish);
    if input.is_empty() && output.is_empty() {
        return None;
    }
    finish.truncate(1);
    let input = input.into_iter().flatten().collect();
    Some(ModelCall { input, output: reading.first_choice(output), finish })
}

fn of_openllmetry(
    span: &Span,
    prefix: &str,
    usual: &str,
    reading: &mut SpanReader<'_>,
    finish: &mut Vec<String>,
) -> Vec<Vec<CaseMessage>> {
    let attributes = span.attributes.iter().map(|(name, value)| (name.as_str(), value));
    let mut messages = Vec::new();
    for (number, held) in numbered_attributes(attributes, prefix) {
        let mut message = json!({"role": held_value(&held, "role").unwrap_or_else(|| Json::from(usual))});
        if let Some(content) = held_value(&held, "content") {
            // Several parts are written as the text of a list.
            let parts =
                content.as_str().filter(|text| text.starts_with("[{")).and_then(|text| serde_json::from_str(text).ok());
            let is_parts = |list: &Vec<Json>| list.iter().all(|part| part.get("type").is_some_and(Json::is_string));
            message["content"] = parts.filter(is_parts).map_or(content, Json::Array);
        }
        if let Some(id) = held_value(&held, "tool_call_id") {
            message["tool_call_id"] = id;
        }
        let mut calls = Vec::new();
        for (_, held) in numbered_attributes(held.iter().copied(), "tool_calls.") {
            let call: Map<String, Json> =
                held.into_iter().map(|(name, value)| (name.to_owned(), value.clone())).collect();
            calls.push(Json::Object(call));
        }
        if !calls.is_empty() {
            message["tool_calls"] = Json::Array(calls);
        }
        finish.extend(held_value(&held, "finish_reason").and_then(|reason| reason.as_str().map(str::to_owned)));
        let mut read = Vec::new();
        reading.message(message, &format!("{prefix}{number}"), &mut read);
        messages.push(read);
    }
    messages
}

/// 5. The Vercel AI library.
fn vercel(span: &Span, reading: &mut SpanReader<'_>) -> Option<ModelCall> {
    const PROMPT: &str = "ai.prompt.messages";
    const CALLS: &str = "ai.response.toolCalls";
    let (prompt, text, calls) = (span.first(&[PROMPT]), span.first(&["ai.response.text"]), span.first(&[CALLS]));
    if prompt.is_none() && text.is_none() && calls.is_none() {
        return None;
    }
    let mut said = ModelCall::default();
    if let Some(list) = prompt.and_then(|prompt| reading.json(PROMPT, prompt)) {
        for (number, message) in items(&list).enumerate() {
            reading.message(message.clone(), &format!("{PROMPT}/{number}"), &mut said.input);
        }
    }
    let calls = calls.and_then(|calls| reading.json(CALLS, calls));
    let calls: Vec<&Json> = calls.iter().flat_map(|calls| items(calls)).collect();
    let text = text.and_then(Json::as_str).filter(|text| !text.is_empty());
    if text.is_some() || !calls.is_empty() {
        let message = json!({"role": "assistant", "content": text, "tool_calls": calls});
        reading.message(message, CALLS, &mut said.output);
    }
    said.finish.extend(span.text(&["ai.response.finishReason"]).map(str::to_owned));
    Some(said)
}

/// 6. Plain values.
fn plain_values(span: &Span, _: &mut SpanReader<'_>) -> Option<ModelCall> {
    let text = |name: &str, role: Role| {
        let value = span.attributes.get(name).filter(|value| !value.is_null())?;
        let text = probare_core::json_to_text(value).into_owned();
        Some(CaseMessage { text: Some(text), ..CaseMessage::new(role) })
    };
    let (input, output) = (text("input.value", Role::User), text("output.value", Role::Assistant));
    if input.is_none() && output.is_none() {
        return None;
    }
    Some(ModelCall { input: input.into_iter().collect(), output: output.into_iter().collect(), finish: Vec::new() })
}
