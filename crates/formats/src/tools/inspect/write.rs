//! A log as Inspect writes it: version 2 of its JSON form, one model, every sample with its scores.

use std::collections::BTreeMap;
use std::io::{self, Write};

use probare_core::{Case, CaseResult, CaseToolCall, Event, MetricInfo, Outcome, Sha256, Sink, Stop};
use probare_report::{MetricSummary, OutputWriter, RendererOptions, Summary, Utc, VERSION};
use serde_json::{Map, Value as Json, json};

use crate::tools::export::ExportMetadata;
use crate::tools::spool::Spool;

/// Writes an Inspect log.
pub(in crate::tools) struct Inspect {
    output: OutputWriter,
    about: ExportMetadata,
    metrics: Vec<MetricInfo>,
    samples: Spool,
    summary: Summary,
    /// How often an id came with an epoch: Inspect wants them to be different.
    seen: BTreeMap<(String, u32), u32>,
}

impl Inspect {
    pub fn new(output: OutputWriter, about: ExportMetadata) -> Self {
        let samples = Spool::new(&output);
        let summary = Summary::new(&RendererOptions::default());
        Self { output, about, metrics: Vec::new(), samples, summary, seen: BTreeMap::new() }
    }

    fn sample(&mut self, result: &CaseResult) -> Json {
        let case = &result.case;
        let epoch = result.repeat + 1;
        let count = self.seen.entry((case.id.clone(), epoch)).or_default();
        *count += 1;
        let id = if *count == 1 { case.id.clone() } else { format!("{}~{count}", case.id) };
        let model = self.about.model_path(&self.about.model_name());

        let SampleResults { scores, not_applicable, errors } = SampleResults::new(&self.metrics, result);
        let input = case.query.clone().unwrap_or_default();
        let mut messages = vec![json!({"role": "user", "content": input, "source": "input"})];
        let mut written = json!({"id": id, "epoch": epoch, "input": input});
        written["target"] = match case.reference.as_deref() {
            None | Some([]) => json!(""),
            Some([only]) => json!(only),
            Some(several) => json!(several),
        };
        if let Some(output) = &case.response {
            let mut message =
                json!({"role": "assistant", "content": output.text, "source": "generate", "model": model});
            let calls = case.tool_calls.as_deref().unwrap_or_default();
            if !calls.is_empty() {
                message["tool_calls"] =
                    calls.iter().enumerate().map(|(number, call)| tool_call(number, call)).collect();
            }
            messages.push(message.clone());
            let stop = if calls.is_empty() { "stop" } else { "tool_calls" };
            written["output"] = json!({
                "model": model,
                "choices": [{"message": message, "stop_reason": stop}],
                "completion": output.text,
            });
        } else {
            let reason = errors.values().find_map(|error| error.get("error")).and_then(Json::as_str);
            if let Some(reason) = reason {
                written["error"] = json!({"message": reason, "traceback": "", "traceback_ansi": ""});
            }
            written["output"] = json!({"model": model, "choices": []});
        }
        written["messages"] = Json::Array(messages);
        written["scores"] = Json::Object(scores);
        written["metadata"] = metadata(case, not_applicable, errors);
        written["store"] = json!({});
        written["events"] = json!([]);
        written["model_usage"] = json!({});
        written["attachments"] = json!({});
        written
    }

    /// What was run.
    fn spec(&self, created: &str) -> Json {
        let about = &self.about;
        let model = about.model_path(&about.model_name());
        let short = |what: &str| {
            Sha256::hex_digest(format!("{what}\n{}\n{model}", about.id)).chars().take(22).collect::<String>()
        };
        let dataset = match about.datasets.as_slice() {
            [only] => json!({"name": only.name}),
            several => json!({"name": several.iter().map(|set| set.name.as_str()).collect::<Vec<_>>().join(", ")}),
        };
        let digests: Map<String, Json> =
            about.datasets.iter().map(|set| (set.name.clone(), json!(set.sha256))).collect();
        json!({
            "eval_id": short("eval"),
            "run_id": short("run"),
            "created": created,
            "task": about.name,
            "task_id": short("task"),
            "task_version": 0,
            "task_attribs": {},
            "task_args": {},
            "dataset": dataset,
            "model": model,
            "model_args": {},
            "config": {"epochs": about.repeats.max(1)},
            "packages": {"probare": VERSION},
            "metadata": {"probare": {"version": VERSION, "datasets": digests}},
            "scorers": self.metrics.iter().map(scorer).collect::<Vec<_>>(),
        })
    }

    fn finish(&mut self, stop: Stop) -> io::Result<()> {
        let created = Utc::from_seconds(self.about.made).iso();
        let scores: Vec<Json> = self.summary.metrics.iter().map(written_metric).collect();
        let head = json!({
            "version": 2,
            "status": if stop == Stop::Complete { "success" } else { "cancelled" },
            "eval": self.spec(&created),
            "plan": {"name": "plan", "steps": [], "config": {}},
            "results": {
                "total_samples": self.samples.count(),
                "completed_samples": self.samples.count(),
                "scores": scores,
            },
            "stats": {"started_at": created, "completed_at": created, "model_usage": {}},
        });
        let head = head.to_string();
        self.output.write_all(head.strip_suffix('}').unwrap_or(&head).as_bytes())?;
        self.output.write_all(b",\n\"samples\":")?;
        self.samples.copy(&mut self.output)?;
        self.output.write_all(b"}\n")?;
        self.output.finish(stop).map(|_| ())
    }
}

impl Sink for Inspect {
    fn event(&mut self, event: &Event<'_>) -> io::Result<()> {
        match event {
            Event::Started { metrics, .. } => {
                self.metrics = metrics.to_vec();
                self.summary.event(event)
            }
            Event::Scored(result) if self.about.wants(result) => {
                self.summary.event(event)?;
                let sample = self.sample(result);
                self.samples.add(&sample)
            }
            Event::Finished(finish) => self.finish(finish.stop),
            _ => Ok(()),
        }
    }
}

/// What became of the metrics of a sample, by their names.
#[derive(Default)]
struct SampleResults {
    scores: Map<String, Json>,
    not_applicable: Map<String, Json>,
    errors: Map<String, Json>,
}

impl SampleResults {
    fn new(metrics: &[MetricInfo], result: &CaseResult) -> Self {
        let mut results = Self::default();
        for (metric, outcome) in metrics.iter().zip(&result.results) {
            let name = metric.name.clone();
            match outcome {
                Ok(Outcome::NotApplicable { reason }) => results.not_applicable.insert(name, json!(reason)),
                Ok(outcome) => results.scores.insert(name, written_score(outcome)),
                Err(error) => results.errors.insert(name, json!(error)),
            };
        }
        results
    }
}

fn written_score(outcome: &Outcome) -> Json {
    let mut metadata = Map::new();
    if let Some(label) = outcome.label() {
        metadata.insert("label".to_owned(), json!(label));
    }
    if !outcome.parts().is_empty() {
        metadata.insert("parts".to_owned(), json!(outcome.parts()));
    }
    if !outcome.evidence().is_empty() {
        metadata.insert("evidence".to_owned(), json!(outcome.evidence()));
    }
    // There a value may be a text, too.
    let value = outcome.score().map_or_else(|| json!(outcome.label()), |score| json!(score.value));
    let mut written = json!({"value": value});
    if let Some(note) = outcome.evidence().iter().find_map(|evidence| evidence.note.as_deref()) {
        written["explanation"] = json!(note);
    }
    if !metadata.is_empty() {
        written["metadata"] = Json::Object(metadata);
    }
    written
}

/// The metadata of a case, with what Inspect has no place for.
fn metadata(case: &Case, not_applicable: Map<String, Json>, errors: Map<String, Json>) -> Json {
    let mut own = Map::new();
    if !case.tags.is_empty() {
        own.insert("tags".to_owned(), json!(case.tags));
    }
    if let Some(context) = &case.context {
        own.insert("context".to_owned(), json!(context));
    }
    for (name, values) in [("not_applicable", not_applicable), ("errors", errors)] {
        if !values.is_empty() {
            own.insert(name.to_owned(), Json::Object(values));
        }
    }
    let mut metadata = case.metadata.clone();
    if !own.is_empty() {
        metadata.insert("probare".to_owned(), Json::Object(own));
    }
    Json::Object(metadata)
}

fn scorer(metric: &MetricInfo) -> Json {
    let options = if metric.options.is_object() { metric.options.clone() } else { json!({}) };
    let metadata = json!({"id": metric.id, "version": metric.version, "profile": metric.profile});
    json!({"name": metric.name, "options": options, "metadata": metadata})
}

fn written_metric(metric: &MetricSummary) -> Json {
    let mut values = Map::new();
    if let Some(mean) = metric.mean() {
        values.insert("mean".to_owned(), json!({"name": "mean", "value": mean, "params": {}}));
    }
    if let Some(interval) = metric.interval() {
        for (name, value) in [("ci_low", interval.low), ("ci_high", interval.high)] {
            let params = json!({"level": interval.level, "method": interval.method});
            values.insert(name.to_owned(), json!({"name": name, "value": value, "params": params}));
        }
    }
    json!({
        "name": metric.info.name,
        "scorer": metric.info.name,
        "scored_samples": metric.scored,
        "unscored_samples": metric.not_applicable + metric.failed,
        "params": {},
        "metrics": values,
    })
}

/// A call as Inspect writes it; one that has no id is known by its number.
fn tool_call(number: usize, call: &CaseToolCall) -> Json {
    let id = call.id.clone().unwrap_or_else(|| format!("call_{}", number + 1));
    let mut written = json!({"id": id, "function": call.name, "arguments": call.arguments(), "type": "function"});
    if let Some(text) = &call.arguments_text {
        written["parse_error"] = json!(text);
    }
    written
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{MemoryOutput, events, hostile, metrics, result};

    #[test]
    fn a_log_has_scores_where_there_are_values_and_none_where_a_metric_failed() {
        let written = MemoryOutput::default();
        let about = ExportMetadata { name: "task".into(), repeats: 1, ..ExportMetadata::default() };
        events(
            &mut Inspect::new(written.output(), about),
            &metrics(),
            &[result("a", 0.5), result("a", 0.25), hostile()],
        );
        let log: Json = serde_json::from_str(&written.text()).unwrap();
        assert_eq!((&log["version"], &log["status"]), (&json!(2), &json!("success")));
        let samples = log["samples"].as_array().unwrap();
        assert_eq!((&samples[0]["id"], &samples[1]["id"]), (&json!("a"), &json!("a~2")));
        let scores = samples[0]["scores"].as_object().unwrap();
        assert_eq!(scores.keys().collect::<Vec<_>>(), ["relevance"]);
        let own = &samples[0]["metadata"]["probare"];
        assert!(
            own["errors"]["hallucination"]["error"].is_string() && own["not_applicable"]["topic_pivot"].is_string()
        );
        assert_eq!(log["results"]["scores"][0]["metrics"]["mean"]["value"], json!(1.25 / 3.0));
        assert_eq!(log["results"]["scores"][2]["metrics"], json!({}));
    }
}
