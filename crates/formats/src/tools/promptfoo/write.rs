//! Results as promptfoo writes them: version 3, a column for each model and prompt, a row for each case.

use std::io::{self, Write};

use probare_core::{Better, Case, CaseResult, CaseToolCall, Event, MetricInfo, Outcome, Score, Sha256, Sink, Stop};
use probare_report::{OutputWriter, Utc, VERSION};
use serde_json::{Map, Value as Json, json};

use crate::tools::export::ExportMetadata;
use crate::tools::spool::Spool;

/// The metric of a run whose value says whether a case is as it should be.
const EXPECTATIONS: &str = "expectations";

/// What all prompts are called: the file has them as they were asked, case by case.
const PROMPT: &str = "{{query}}";

/// Writes promptfoo results.
pub(in crate::tools) struct Promptfoo {
    output: OutputWriter,
    about: ExportMetadata,
    metrics: Vec<MetricInfo>,
    results: Spool,
    columns: Vec<Column>,
    rows: Rows,
}

/// What is counted of a model with a prompt.
#[derive(Default)]
struct Column {
    model: String,
    prompt: Option<String>,
    score: f64,
    passed: u64,
    failed: u64,
    errors: u64,
    named: Map<String, Json>,
    counts: Map<String, Json>,
}

/// Which row a sample stands in: samples of a case come one after the other.
#[derive(Default)]
struct Rows {
    first: u64,
    next: u64,
    current: Option<(String, Option<u64>)>,
    seen: Vec<(usize, u32)>,
}

impl Rows {
    fn place(&mut self, result: &CaseResult, column: usize) -> u64 {
        let current = (result.case.id.clone(), result.case.sample.map(|sample| sample.row));
        let seat = (column, result.repeat);
        if self.current.as_ref() != Some(&current) || self.seen.contains(&seat) {
            (self.first, self.current) = (self.next, Some(current));
            self.seen.clear();
        }
        self.seen.push(seat);
        let place = self.first + u64::from(result.repeat);
        self.next = self.next.max(place + 1);
        place
    }
}

/// What the metrics of a run say of a sample.
#[derive(Default)]
struct Grades {
    components: Vec<Json>,
    named: Map<String, Json>,
    errors: Vec<String>,
    /// Whether an expectation is not met.
    is_unmet: bool,
    /// Of the values from 0 to 1 of which more is better.
    sum: f64,
    count: u32,
}

impl Grades {
    fn new(metrics: &[MetricInfo], result: &CaseResult) -> Self {
        let mut grades = Self::default();
        for (metric, outcome) in metrics.iter().zip(&result.results) {
            match outcome {
                Ok(Outcome::Scored(score)) => grades.add(metric, score),
                // It has no value to be among the scores.
                Ok(Outcome::Labelled(_) | Outcome::NotApplicable { .. }) => {}
                Err(error) => grades.errors.push(format!("{}: {error}", metric.name)),
            }
        }
        grades
    }

    fn add(&mut self, metric: &MetricInfo, score: &Score) {
        let value = score.value.get();
        // Nothing but an expectation says what is good enough.
        let pass = metric.id != EXPECTATIONS || value >= 1.0;
        self.is_unmet |= !pass;
        self.named.insert(metric.name.clone(), json!(value));
        if metric.range == (0.0, 1.0) && metric.better == Better::Higher {
            self.sum += value;
            self.count += 1;
        }
        let note = score.evidence.iter().find_map(|evidence| evidence.note.as_deref());
        let reason = note.or(score.label.as_deref()).unwrap_or(&metric.summary);
        self.components.push(json!({
            "pass": pass,
            "score": value,
            "reason": reason,
            "namedScores": {metric.name.clone(): value},
            "assertion": {"type": metric.id, "metric": metric.name},
        }));
    }

    const fn have_failed(&self) -> bool {
        !self.errors.is_empty()
    }

    const fn is_success(&self) -> bool {
        !self.is_unmet && !self.have_failed()
    }

    fn score(&self) -> f64 {
        if self.have_failed() {
            0.0
        } else if self.count > 0 {
            self.sum / f64::from(self.count)
        } else {
            f64::from(u8::from(self.is_success()))
        }
    }

    fn reason(&self) -> String {
        if self.have_failed() {
            self.errors.join("; ")
        } else {
            if self.is_unmet { "an expectation failed" } else { "all expectations hold" }.to_owned()
        }
    }
}

impl Promptfoo {
    pub fn new(output: OutputWriter, about: ExportMetadata) -> Self {
        let results = Spool::new(&output);
        Self { output, about, metrics: Vec::new(), results, columns: Vec::new(), rows: Rows::default() }
    }

    fn add(&mut self, result: &CaseResult) -> io::Result<()> {
        let model = result.model.clone().unwrap_or_else(|| self.about.model_name());
        let is_it = |column: &Column| column.model == model && column.prompt == result.prompt;
        let known = self.columns.iter().position(is_it);
        let at = known.unwrap_or(self.columns.len());
        if known.is_none() {
            let prompt = result.prompt.clone();
            self.columns.push(Column { model: model.clone(), prompt, ..Column::default() });
        }
        let row = self.rows.place(result, at);
        let case = &result.case;
        let grades = Grades::new(&self.metrics, result);
        self.columns[at].add(&grades);
        let raw = case.query.clone().unwrap_or_default();
        let vars = variables(case, &raw);
        let label = self.columns[at].label().to_owned();
        let source = result.source_name().map_or_else(|| model.clone(), std::borrow::Cow::into_owned);
        let mut written = json!({
            "cost": 0,
            "gradingResult": {
                "pass": grades.is_success(),
                "score": grades.score(),
                "reason": grades.reason(),
                "namedScores": grades.named,
                "componentResults": grades.components,
            },
            "id": uuid(&format!("{}\n{}\n{source}\n{}\n{row}", self.about.id, case.id, result.repeat)),
            "latencyMs": 0,
            "namedScores": grades.named,
            "prompt": {"raw": raw, "label": label},
            "promptId": Sha256::hex_digest(label),
            "promptIdx": at,
            "provider": {"id": self.about.model_path(&model), "label": model},
            "score": grades.score(),
            "success": grades.is_success(),
            "testCase": {"description": case.id, "vars": vars, "assert": [], "options": {}, "metadata": case.metadata},
            "testIdx": row,
            "vars": vars,
            "metadata": case.metadata,
            "failureReason": if grades.have_failed() { 2 } else { u8::from(!grades.is_success()) },
        });
        if let Some(response) = &case.response {
            // There an answer is its words, or else a list of calls.
            let calls = case.tool_calls.as_deref().filter(|_| response.text.is_empty()).unwrap_or_default();
            let output = match calls {
                [] => json!(response.text),
                calls => calls.iter().map(openai_call).collect(),
            };
            written["response"] = json!({"output": output, "cached": false});
        }
        if grades.have_failed() {
            written["error"] = json!(grades.reason());
        }
        self.results.add(&written)
    }

    fn finish(&mut self, stop: Stop) -> io::Result<()> {
        let timestamp = Utc::from_seconds(self.about.made).iso().replace("+00:00", ".000Z");
        // promptfoo reads the time of an evaluation out of its id.
        let digest: String = Sha256::hex_digest(&self.about.id).chars().take(3).collect();
        let moment = timestamp.trim_end_matches(".000Z");
        let eval = format!("eval-{digest}-{moment}");
        let prompts: Vec<Json> = self.columns.iter().map(|column| column.prompt(&self.about)).collect();
        let sum = |count: fn(&Column) -> u64| self.columns.iter().map(count).sum::<u64>();
        let stats = json!({
            "successes": sum(|column| column.passed),
            "failures": sum(|column| column.failed),
            "errors": sum(|column| column.errors),
            "tokenUsage": {"prompt": 0, "completion": 0, "cached": 0, "total": 0, "numRequests": 0},
        });
        let mut providers: Vec<&str> = self.columns.iter().map(|column| column.model.as_str()).collect();
        let mut labels: Vec<&str> = self.columns.iter().map(Column::label).collect();
        for names in [&mut providers, &mut labels] {
            let mut seen = std::collections::BTreeSet::new();
            names.retain(|name| seen.insert(*name));
        }
        let config = json!({
            "description": self.about.name,
            "providers": providers,
            "prompts": labels,
            "tests": [],
        });
        let head =
            format!("{{\"evalId\":{},\"results\":{{\"version\":3,\"timestamp\":{}", json!(eval), json!(timestamp));
        self.output.write_all(head.as_bytes())?;
        self.output.write_all(format!(",\n\"prompts\":{},\n\"results\":", Json::Array(prompts)).as_bytes())?;
        self.results.copy(&mut self.output)?;
        let metadata = json!({"exportedAt": timestamp, "probare": VERSION});
        let tail = format!(
            ",\n\"stats\":{stats}}},\n\"config\":{config},\n\"shareableUrl\":null,\n\"metadata\":{metadata}}}\n"
        );
        self.output.write_all(tail.as_bytes())?;
        self.output.finish(stop).map(|_| ())
    }
}

impl Column {
    fn add(&mut self, grades: &Grades) {
        self.score += grades.score();
        self.passed += u64::from(grades.is_success());
        self.errors += u64::from(grades.have_failed());
        self.failed += u64::from(!grades.is_success() && !grades.have_failed());
        for (name, value) in &grades.named {
            let before = |map: &Map<String, Json>| map.get(name).and_then(Json::as_f64).unwrap_or_default();
            let (sum, count) = (before(&self.named) + value.as_f64().unwrap_or_default(), before(&self.counts) + 1.0);
            self.named.insert(name.clone(), json!(sum));
            self.counts.insert(name.clone(), json!(count));
        }
    }

    /// What its prompt is called.
    fn label(&self) -> &str {
        self.prompt.as_deref().unwrap_or(PROMPT)
    }

    fn prompt(&self, about: &ExportMetadata) -> Json {
        json!({
            "id": Sha256::hex_digest(self.label()),
            "raw": self.label(),
            "label": self.label(),
            "provider": if about.settings(&self.model).is_some() { about.model_path(&self.model) } else { self.model.clone() },
            "metrics": {
                "score": self.score,
                "testPassCount": self.passed,
                "testFailCount": self.failed,
                "testErrorCount": self.errors,
                "assertPassCount": 0,
                "assertFailCount": 0,
                "totalLatencyMs": 0,
                "tokenUsage": {"prompt": 0, "completion": 0, "cached": 0, "total": 0, "numRequests": 0},
                "namedScores": self.named,
                "namedScoresCount": self.counts,
                "cost": 0,
            },
        })
    }
}

/// What a case gives to a prompt.
fn variables(case: &Case, query: &str) -> Map<String, Json> {
    let mut variables = Map::from_iter([("id".to_owned(), json!(case.id)), ("query".to_owned(), json!(query))]);
    if let Some(reference) = &case.reference {
        variables.insert("reference".to_owned(), json!(reference.join("\n")));
    }
    if let Some(context) = &case.context {
        let texts: Vec<&str> = context.iter().map(|passage| passage.text.as_str()).collect();
        variables.insert("context".to_owned(), json!(texts.join("\n\n")));
    }
    variables
}

/// A name in the form of a UUID (version 8: made of a digest), the same for the same sample.
fn uuid(text: &str) -> String {
    let hex = Sha256::hex_digest(text);
    let part = |from: usize, to: usize| hex.get(from..to).unwrap_or_default().to_owned();
    format!("{}-{}-8{}-8{}-{}", part(0, 8), part(8, 12), part(12, 15), part(15, 18), part(18, 30))
}

impl Sink for Promptfoo {
    fn event(&mut self, event: &Event<'_>) -> io::Result<()> {
        match event {
            Event::Started { metrics, .. } => {
                self.metrics = metrics.to_vec();
                Ok(())
            }
            Event::Scored(result) if self.about.wants(result) => self.add(result),
            Event::Finished(finish) => self.finish(finish.stop),
            _ => Ok(()),
        }
    }
}

/// A call as `OpenAI` writes it.
fn openai_call(call: &CaseToolCall) -> Json {
    let arguments = match &call.arguments_text {
        Some(text) => text.clone(),
        None => serde_json::to_string(call.arguments()).unwrap_or_default(),
    };
    json!({"id": call.id, "type": "function", "function": {"name": call.name, "arguments": arguments}})
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{MemoryOutput, events, hostile, metrics, result};

    #[test]
    fn a_metric_that_failed_is_an_error_of_the_sample_and_no_score_of_its_own() {
        let written = MemoryOutput::default();
        let about = ExportMetadata { name: "run".into(), ..ExportMetadata::default() };
        events(&mut Promptfoo::new(written.output(), about), &metrics(), &[result("a", 0.5), hostile()]);
        let file: Json = serde_json::from_str(&written.text()).unwrap();
        let results = file["results"]["results"].as_array().unwrap();
        assert_eq!(results.len(), 2);
        assert_eq!(results[0]["namedScores"], json!({"relevance": 0.5}));
        assert_eq!((&results[0]["failureReason"], &results[0]["success"]), (&json!(2), &json!(false)));
        assert_eq!(file["results"]["stats"]["errors"], 2);
    }

    #[test]
    fn samples_of_a_case_share_a_row_and_models_have_columns() {
        let written = MemoryOutput::default();
        let of = |id: &str, model: &str| CaseResult { model: Some(model.to_owned()), ..result(id, 1.0) };
        let all = [of("a", "x"), of("a", "y"), of("b", "x"), of("b", "y"), of("b", "x")];
        let mut one = metrics();
        one.truncate(1);
        let all = all.map(|mut result| {
            result.results.truncate(1);
            result
        });
        events(&mut Promptfoo::new(written.output(), ExportMetadata::default()), &one, &all);
        let file: Json = serde_json::from_str(&written.text()).unwrap();
        let places: Vec<_> = file["results"]["results"]
            .as_array()
            .unwrap()
            .iter()
            .map(|result| (result["testIdx"].as_u64().unwrap(), result["promptIdx"].as_u64().unwrap()))
            .collect();
        assert_eq!(places, [(0, 0), (0, 1), (1, 0), (1, 1), (2, 0)]);
        assert_eq!(file["results"]["prompts"].as_array().unwrap().len(), 2);
        assert_eq!(file["results"]["stats"]["successes"], 5);
    }
}
