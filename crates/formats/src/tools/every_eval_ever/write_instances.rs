//! Instance records of Every Eval Ever: one sample a line, with its conversation where there was one and the value of one metric.

use std::borrow::Cow;
use std::io::{self, Write};

use probare_core::{
    Case, CaseMessage, CaseMessagePart, CaseResult, CaseToolCall, Event, MetricInfo, Outcome, Role, Sha256, Sink, Stop,
};
use probare_report::OutputWriter;
use serde_json::{Value as Json, json};

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
        let value = self.about.value(&self.metrics, result)?;
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
            "input": {"raw": case.query, "reference": case.reference.clone().unwrap_or_default()},
            "output": {"raw": case.response.iter().map(|output| output.text.as_str()).collect::<Vec<_>>()},
            "evaluation": {"score": value, "num_turns": turns(messages), "tool_calls_count": calls},
        });
        if !messages.is_empty() {
            record["messages"] =
                messages.iter().enumerate().map(|(number, message)| message_to_json(number, message)).collect();
        }
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
        written["reasoning_trace"] = json!(thoughts);
    }
    if !message.tool_calls.is_empty() {
        written["tool_calls"] = message.tool_calls.iter().map(call).collect();
    }
    if let Some(id) = &message.id {
        written["tool_call_id"] = json!([id]);
    }
    written
}

fn call(call: &CaseToolCall) -> Json {
    json!({"id": call.id, "name": call.name, "arguments": call.arguments})
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
    /// The value of the metric that was asked for.
    pub fn value(&self, metrics: &[MetricInfo], result: &CaseResult) -> Option<f64> {
        let metric = self.metric.as_deref()?;
        let at = metrics.iter().position(|known| known.name == metric)?;
        match result.results.get(at)? {
            Ok(Outcome::Scored(score)) => Some(score.value.get()),
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
            {"role": "assistant", "parts": [{"type": "reasoning", "text": "hm"}], "tool_calls": [{"id": "c1", "name": "sky", "arguments": {}}]},
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
        assert_eq!(lines[0]["evaluation"], json!({"score": 0.5, "num_turns": 1, "tool_calls_count": 1}));
        assert_eq!(
            (&lines[0]["interaction_type"], &lines[1]["interaction_type"]),
            (&json!("agentic"), &json!("single_turn"))
        );
        assert_eq!(lines[0]["messages"][1]["reasoning_trace"], json!(["hm"]));
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
