//! Instance records of Every Eval Ever: one sample a line, with its conversation where there was one and the value of one metric.

use std::borrow::Cow;
use std::io::{self, Write};

use probare_core::{
    Better, Case, CaseMessage, CaseMessagePart, CaseResult, CaseToolCall, Event, MetricInfo, Outcome, Role, Sha256,
    Sink, Stop, UNSURE,
};
use probare_report::OutputWriter;
use serde_json::{Map, Value as Json, json};

use super::write::SCHEMA;
use crate::tools::export::ExportMetadata;

/// Writes records.
pub(in crate::tools) struct Instances {
    output: OutputWriter,
    about: ExportMetadata,
    metrics: Vec<MetricInfo>,
}

impl Instances {
    pub fn new(output: OutputWriter, about: ExportMetadata) -> Self {
        Self { output, about, metrics: Vec::new() }
    }

    /// The record of a sample; nothing where the metric has no value for it.
    fn record(&self, result: &CaseResult) -> Option<Json> {
        let (value, is_correct) = self.about.value(&self.metrics, result)?;
        let case = &result.case;
        let answered = with_conversation(case);
        let messages = answered.messages.as_deref().unwrap_or_default();
        let users = messages.iter().filter(|message| message.has_role(Role::User)).count();
        let calls: usize = messages.iter().map(|message| message.tool_calls.len()).sum();
        let kind = match (calls, users) {
            (0, 0 | 1) => "single_turn",
            (0, _) => "multi_turn",
            _ => "agentic",
        };
        let model = result.model.clone().unwrap_or_else(|| self.about.model_name());
        let mut record = json!({
            "schema_version": SCHEMA,
            "evaluation_id": format!("{}/{}/{}", self.about.name, model.replace('/', "_"), self.about.made),
            "model_id": self.about.model_path(&model),
            "evaluation_name": self.about.name,
            "sample_id": case.id,
            "sample_hash": Sha256::hex_digest(format!("{}{}", case.query.as_deref().unwrap_or_default(), case.reference.iter().flatten().map(String::as_str).collect::<String>())),
            "interaction_type": kind,
            "input": {
                "raw": case.query.as_deref().unwrap_or_default(),
                "reference": case.reference.clone().unwrap_or_default(),
            },
            "evaluation": {
                "score": value,
                "is_correct": is_correct,
                "num_turns": turns(messages),
                "tool_calls_count": calls,
            },
        });
        // A record has the answer or the conversation, never both.
        let response = case.response.as_ref().map(|output| output.text.as_str());
        let (place, turn) = if kind == "single_turn" {
            record["output"] = json!({"raw": response.into_iter().collect::<Vec<_>>()});
            ("output.raw", Some(0))
        } else {
            record["output"] = Json::Null;
            record["messages"] =
                messages.iter().enumerate().map(|(number, message)| message_to_json(number, message)).collect();
            let is_answer =
                |message: &CaseMessage| message.has_role(Role::Assistant) && message.spoken_text().is_some();
            ("messages[turn_idx].content", messages.iter().rposition(is_answer))
        };
        let attribution = response.zip(turn).map(|(text, turn)| {
            json!({
                "turn_idx": turn,
                "source": place,
                "extracted_value": text,
                "extraction_method": "whole_response",
                "is_terminal": true,
            })
        });
        record["answer_attribution"] = attribution.into_iter().collect();
        if let Some(Json::Object(tokens)) = case.metadata.get("tokens") {
            let count = |name: &str| tokens.get(name).and_then(Json::as_u64).unwrap_or(0);
            let (input, output) = (count("input"), count("output"));
            record["token_usage"] =
                json!({"input_tokens": input, "output_tokens": output, "total_tokens": input.saturating_add(output)});
        }
        Some(record)
    }
}

/// Turns: a user's messages in a row and all that follows; one where nobody asked.
fn turns(messages: &[CaseMessage]) -> usize {
    let is_user = |at: usize| messages[at].has_role(Role::User);
    (0..messages.len()).filter(|at| is_user(*at) && (*at == 0 || !is_user(at - 1))).count().max(1)
}

fn message_to_json(number: usize, message: &CaseMessage) -> Json {
    let thoughts: Vec<&str> = message
        .parts
        .iter()
        .filter_map(|part| match part {
            CaseMessagePart::Reasoning { text } => Some(text.as_str()),
            _ => None,
        })
        .collect();
    let mut written = json!({"turn_idx": number, "role": message.role.name(), "content": message.spoken_text()});
    if !thoughts.is_empty() {
        written["reasoning_trace"] = json!(thoughts.join("\n"));
    }
    if !message.tool_calls.is_empty() {
        let calls = message.tool_calls.iter().enumerate();
        written["tool_calls"] = calls.map(|(at, call)| call_to_json(call, &format!("call-{number}-{at}"))).collect();
    }
    if let Some(id) = &message.id {
        written["tool_call_id"] = json!([id]);
    }
    written
}

/// A call; the form knows texts as arguments and nothing else, and every call has an id.
fn call_to_json(call: &CaseToolCall, id: &str) -> Json {
    let arguments = call.arguments.as_ref().map(|arguments| {
        let text = |value: &Json| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        arguments.iter().map(|(name, value)| (name.clone(), Json::from(text(value)))).collect::<Map<_, _>>()
    });
    json!({"id": call.id.as_deref().unwrap_or(id), "name": call.name, "arguments": arguments})
}

impl Sink for Instances {
    fn event(&mut self, event: &Event<'_>) -> io::Result<()> {
        match event {
            Event::Started { metrics, .. } => {
                self.metrics = metrics.to_vec();
                Ok(())
            }
            Event::Scored(result) if self.about.wants(result) => match self.record(result) {
                Some(record) => writeln!(self.output, "{record}"),
                None => Ok(()),
            },
            Event::Finished(finish) => self.finish(finish.stop),
            _ => Ok(()),
        }
    }
}

impl Instances {
    fn finish(&mut self, stop: Stop) -> io::Result<()> {
        self.output.finish(stop).map(|_| ())
    }
}

impl ExportMetadata {
    /// The value of the metric that was asked for, and whether the answer counts as correct: by its label, else where the value
    /// is the best there can be.
    pub fn value(&self, metrics: &[MetricInfo], result: &CaseResult) -> Option<(f64, bool)> {
        let metric = self.metric.as_deref()?;
        let at = metrics.iter().position(|known| known.name == metric)?;
        match result.results.get(at)? {
            Ok(Outcome::Scored(score)) => {
                let (value, info) = (score.value.get(), &metrics[at]);
                let best = if info.better == Better::Lower { info.range.0 } else { info.range.1 };
                let is_correct = match score.label.as_deref() {
                    Some("pass" | "correct") => true,
                    Some("fail" | "incorrect" | UNSURE) => false,
                    _ => value == best,
                };
                Some((value, is_correct))
            }
            _ => None,
        }
    }
}

/// The case with its question and its answer as a conversation, where calls are known and no messages.
fn with_conversation(case: &Case) -> Cow<'_, Case> {
    if case.messages.is_some() || case.tool_calls.as_ref().is_none_or(Vec::is_empty) {
        return Cow::Borrowed(case);
    }
    let mut asked = CaseMessage::new(Role::User);
    asked.text.clone_from(&case.query);
    let mut told = Case { messages: Some(vec![asked]), ..case.clone() };
    told.put_answer(case.response.clone().unwrap_or_default(), case.tool_calls.clone());
    Cow::Owned(told)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{MemoryOutput, events, metrics, result};

    #[test]
    fn a_record_holds_the_conversation_and_one_value() {
        let mut talk = result("a", 0.5);
        talk.case.messages = serde_json::from_value(json!([
            {"role": "user", "text": "Rain?"},
            {"role": "assistant", "parts": [{"type": "reasoning", "text": "hm"}], "tool_calls": [{"id": "c1", "name": "sky", "arguments": {"days": 2, "place": "Rome"}}]},
            {"role": "tool", "id": "c1", "text": "dry"},
            {"role": "assistant", "text": "No."}
        ]))
        .unwrap();
        let about =
            ExportMetadata { name: "rain".into(), metric: Some("relevance".into()), ..ExportMetadata::default() };
        let written = MemoryOutput::default();
        events(&mut Instances::new(written.output(), about.clone()), &metrics(), &[talk.clone(), result("b", 1.0)]);
        let lines: Vec<Json> = written.text().lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        assert_eq!(lines.len(), 2);
        let evaluation = json!({"score": 0.5, "is_correct": false, "num_turns": 1, "tool_calls_count": 1});
        assert_eq!((&lines[0]["evaluation"], &lines[1]["evaluation"]["is_correct"]), (&evaluation, &json!(true)));
        assert_eq!((&lines[0]["output"], lines[1].get("messages")), (&Json::Null, None));
        assert_eq!(lines[1]["answer_attribution"][0]["source"], "output.raw");
        assert_eq!(lines[0]["messages"][1]["tool_calls"][0]["arguments"], json!({"days": "2", "place": "Rome"}));
        assert_eq!(
            (&lines[0]["interaction_type"], &lines[1]["interaction_type"]),
            (&json!("agentic"), &json!("single_turn"))
        );
        assert_eq!(lines[0]["messages"][1]["reasoning_trace"], "hm");
        assert_eq!(
            lines[0]["messages"][2],
            json!({"turn_idx": 2, "role": "tool", "content": "dry", "tool_call_id": ["c1"]})
        );
        // A metric without a value gives no record.
        let written = MemoryOutput::default();
        let about = ExportMetadata { metric: Some("topic_pivot".into()), ..about };
        events(&mut Instances::new(written.output(), about), &metrics(), &[talk]);
        assert_eq!(written.text(), "");
    }
}
