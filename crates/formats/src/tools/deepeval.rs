//! DeepEval: test runs (`test_run_*.json` in its folder of results, `.deepeval/.latest_run_full.json`) and the goldens of a data set.

use probare_core::{Case, Outcome, Output, Passage, ScoreError};
use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Map, Value as Json, json};

use super::document::{SourceDocument, as_texts};
use super::{ImportError, ImportFormat, ImportedCases, ORIGIN, content, put, scores};
use crate::agents;

const FORMAT: ImportFormat = ImportFormat::Deepeval;

#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase")]
struct TestRun<'a> {
    #[serde(borrow)]
    test_cases: Option<Vec<&'a RawValue>>,
    #[serde(borrow)]
    conversational_test_cases: Option<Vec<&'a RawValue>>,
    identifier: Option<String>,
    test_file: Option<String>,
    #[serde(default)]
    hyperparameters: Json,
}

/// A file that holds the run under a name of its own.
#[derive(Deserialize)]
struct TestRunFile<'a> {
    #[serde(borrow, rename = "testRunData")]
    run: &'a RawValue,
}

/// A test case, of one question or of a conversation.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct TestCase {
    name: Option<String>,
    input: Option<String>,
    #[serde(alias = "actual_output")]
    actual_output: Option<String>,
    #[serde(alias = "expected_output")]
    expected_output: Option<String>,
    #[serde(default)]
    context: Json,
    #[serde(default, alias = "retrieval_context")]
    retrieval_context: Json,
    #[serde(default, alias = "tools_called")]
    tools_called: Json,
    #[serde(default, alias = "expected_tools")]
    expected_tools: Json,
    token_cost: Option<f64>,
    completion_time: Option<f64>,
    tags: Option<Vec<String>>,
    success: Option<bool>,
    metrics_data: Option<Vec<MetricData>>,
    order: Option<u64>,
    #[serde(alias = "additional_metadata")]
    metadata: Option<Map<String, Json>>,
    #[serde(alias = "source_file")]
    source_file: Option<String>,
    comments: Option<String>,
    turns: Option<Vec<Json>>,
    scenario: Option<String>,
    #[serde(alias = "expected_outcome")]
    expected_outcome: Option<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct MetricData {
    name: String,
    success: Option<bool>,
    score: Option<f64>,
    reason: Option<String>,
    error: Option<String>,
    skipped: Option<bool>,
}

/// Whether an object is a golden: a question, or the scenario of a conversation, with what is expected.
pub(super) fn is_golden(value: &Map<String, Json>) -> bool {
    let has = |key: &str| value.contains_key(key);
    let expects = ["actual_output", "expected_output", "retrieval_context"].into_iter().any(has);
    has("input") && expects || has("scenario") && has("expected_outcome")
}

/// The goldens of a data set, in a list or one a line.
fn goldens(document: &SourceDocument, text: &str, values: Vec<&RawValue>) -> Result<ImportedCases, ImportError> {
    let run = TestRun::default();
    let mut imported = ImportedCases::default();
    for (number, part) in values.into_iter().enumerate() {
        let golden: TestCase = document.parse_part(text, part, FORMAT)?;
        let (case, told) = golden.case(number, &run);
        imported.push(case, told);
    }
    Ok(imported)
}

pub(super) fn read(document: &SourceDocument) -> Result<ImportedCases, ImportError> {
    let text = document.text(FORMAT)?;
    let values = document.values(&text, FORMAT)?;
    if let Some(first) = values.first()
        && serde_json::from_str::<Map<String, Json>>(first.get()).is_ok_and(|first| is_golden(&first))
    {
        return goldens(document, &text, values);
    }
    let wrapped: Option<TestRunFile<'_>> = serde_json::from_str(&text).ok();
    let run: TestRun<'_> = match wrapped {
        Some(wrapped) => document.parse_part(&text, wrapped.run, FORMAT)?,
        None => document.parse_whole(&text, FORMAT)?,
    };
    let mut imported = ImportedCases::default();
    let parts = run.test_cases.iter().flatten().chain(run.conversational_test_cases.iter().flatten());
    for (number, part) in parts.enumerate() {
        let test: TestCase = document.parse_part(&text, part, FORMAT)?;
        let (case, told) = test.case(number, &run);
        imported.push(case, told);
    }
    Ok(imported)
}

impl TestCase {
    fn case(self, number: usize, run: &TestRun<'_>) -> (Case, Map<String, Json>) {
        let mut metadata = self.metadata.unwrap_or_default();
        let origin = json!({
            "from": FORMAT.name(),
            "run": run.identifier,
            "test_file": run.test_file,
            "hyperparameters": run.hyperparameters,
            "scenario": self.scenario,
            "comments": self.comments,
            "source_file": self.source_file,
            "cost_usd": self.token_cost,
            "seconds": self.completion_time,
        });
        put(&mut metadata, ORIGIN, origin);
        let mut calls = |name: &str, value: Json, is_expected: bool| {
            let calls = agents::parse_calls(&value, is_expected);
            if calls.is_none() && !value.is_null() {
                put(&mut metadata, name, value);
            }
            calls
        };
        let tool_calls = calls("tools_called", self.tools_called, false);
        let expected_tool_calls = calls("expected_tools", self.expected_tools, true);
        let (mut query, mut response, mut messages) = (self.input, self.actual_output, None);
        if let Some(turns) = self.turns.filter(|turns| !turns.is_empty()) {
            let (answer, before) = content::answer(&turns);
            (query, response) = (content::question(before).or(query), answer.or(response));
            let turns = Json::Array(turns);
            messages = agents::parse_conversation(&turns).and_then(Result::ok);
            if messages.is_none() {
                put(&mut metadata, "messages", turns);
            }
        }
        let retrieved = as_texts(&self.retrieval_context);
        let context = match (retrieved, as_texts(&self.context)) {
            // What the model was given is the context; what should have been known stands beside it.
            (Some(retrieved), Some(ideal)) => {
                put(&mut metadata, "context", json!(ideal));
                Some(retrieved)
            }
            (retrieved, ideal) => retrieved.or(ideal),
        };
        let model = run.hyperparameters.get("model").and_then(Json::as_str).map(str::to_owned);
        let case = Case {
            id: self.name.unwrap_or_else(|| self.order.unwrap_or(number as u64).to_string()),
            query,
            response: response.map(|text| Output { text, model, repeat: 0 }),
            context: context.map(|texts| texts.iter().map(|text| Passage::from(text.as_str())).collect()),
            reference: self.expected_output.or(self.expected_outcome).map(|text| vec![text]),
            tags: self.tags.unwrap_or_default(),
            messages,
            tool_calls,
            expected_tool_calls,
            metadata,
            ..Case::default()
        };
        (case, outcomes(self.success, self.metrics_data.unwrap_or_default()))
    }
}

/// What DeepEval said of a test case as a whole, and of each metric.
fn outcomes(success: Option<bool>, metrics: Vec<MetricData>) -> Map<String, Json> {
    let mut told = Map::new();
    if let Some(success) = success {
        let has_failed = metrics.iter().any(|metric| metric.error.is_some());
        // A case of which a metric failed is no success; that is not what was asked of the answer.
        let outcome = if has_failed && !success {
            scores::failed("a metric of this test case failed")
        } else {
            scores::passed(success, None)
        };
        scores::add(&mut told, "success", outcome);
    }
    for metric in metrics {
        let name = metric.name.clone();
        scores::add(&mut told, &name, metric.outcome());
    }
    told
}

impl MetricData {
    /// A metric that failed has no score, whatever stands there.
    fn outcome(self) -> Result<Outcome, ScoreError> {
        if let Some(error) = self.error {
            return scores::failed(error);
        }
        let label = self.success.map(scores::pass_label);
        match self.score {
            Some(score) => scores::value(score, label, self.reason.as_deref()),
            None if self.skipped == Some(true) => Ok(Outcome::not_applicable("DeepEval skipped it")),
            None => Ok(Outcome::not_applicable("DeepEval gave no score")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tools::read_foreign;

    #[test]
    fn a_conversation_has_its_last_question_and_answer() {
        let text = r#"{"testCases": [], "conversationalTestCases": [{"name": "talk", "success": true, "scenario": "s",
            "expectedOutcome": "o", "turns": [{"role": "user", "content": "Hello", "order": 0},
            {"role": "assistant", "content": "Hi", "order": 1}], "metricsData": [{"name": "M", "score": 0.5,
            "success": true, "threshold": 0.5}]}], "testPassed": 1}"#;
        let (format, imported) = read_foreign(text.as_bytes().to_vec(), "f", None, None).unwrap();
        assert_eq!(format, FORMAT);
        let case = &imported.cases[0];
        assert_eq!((case.query.as_deref(), case.id.as_str()), (Some("Hello"), "talk"));
        assert_eq!(case.response.as_ref().unwrap().text, "Hi");
        assert_eq!(case.reference.as_deref(), Some(&["o".to_owned()][..]));
        assert_eq!(case.metadata["scores"]["M"]["value"], 0.5);
    }

    #[test]
    fn a_metric_that_failed_has_no_score() {
        let text = r#"{"testRunData": {"testCases": [{"name": "a", "input": "q", "actualOutput": "", "success": false,
            "context": ["c"], "retrievalContext": ["r"], "metricsData": [{"name": "M", "score": 0.0, "success": false,
            "error": "no key"}, {"name": "N", "success": true}]}]}}"#;
        let (_, imported) = read_foreign(text.as_bytes().to_vec(), "f", None, None).unwrap();
        let case = &imported.cases[0];
        let scores = &case.metadata["scores"];
        assert_eq!(scores["M"]["error"], "no key");
        assert_eq!(scores["success"]["kind"], "failed");
        assert_eq!(scores["N"]["not_applicable"], "DeepEval gave no score");
        assert_eq!(case.response.as_ref().unwrap().text, "", "an empty text is an answer");
        assert_eq!(case.context.as_ref().unwrap()[0].text, "r");
        assert_eq!(case.metadata["context"][0], "c");
    }
}
