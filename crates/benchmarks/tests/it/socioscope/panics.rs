//! A panic about one answer is an error of this answer: nothing is lost and nothing shifts.

use std::sync::Arc;

use probare_core::{BenchmarkData, Case, CasePolicy, MetricInfo, MetricResult, Sample};
use probare_engine::Exit;
use serde_json::{Value, json};

use super::{SuiteRun, run_suite, run_with};

/// The rules of the benchmark, which stop at one question: while its metrics are looked for, or afterwards.
struct Stops {
    inner: Arc<dyn CasePolicy>,
    at: &'static str,
    in_metric: bool,
}

impl CasePolicy for Stops {
    fn provide_shared(&self, sample: Sample<'_>) {
        self.inner.provide_shared(sample);
    }

    fn skip_reason(&self, case: &Case, metric: &MetricInfo) -> Option<std::borrow::Cow<'static, str>> {
        assert!(!self.in_metric || case.id != self.at, "a bug in a metric");
        self.inner.skip_reason(case, metric)
    }

    fn missing_response_result(&self, case: &Case, metric: &MetricInfo) -> Option<MetricResult> {
        self.inner.missing_response_result(case, metric)
    }

    fn model(&self, case: &Case) -> Option<String> {
        self.inner.model(case)
    }

    fn benchmark_data(&self, sample: Sample<'_>, results: &[MetricResult]) -> Option<BenchmarkData> {
        assert!(self.in_metric || sample.case.id != self.at, "a bug in the benchmark");
        self.inner.benchmark_data(sample, results)
    }
}

fn files() -> (Vec<u8>, Vec<u8>) {
    let pairs: Vec<Value> = (0..40)
        .map(|number| {
            let answer = if number % 3 == 0 { "Yes." } else { "No." };
            json!({"id": format!("q{number}"), "question": {"text": "?", "type": "Yes/No", "metric": "yes"},
                "answers": [{"answer": answer, "source": "a", "citations": [{"source_index": 0, "quote": "mussels on lines"}]}]})
        })
        .collect();
    let corpus = json!([{"FILE": "a", "text": "We grow mussels on lines."}]);
    (json!(pairs).to_string().into_bytes(), corpus.to_string().into_bytes())
}

fn scores(ran: &SuiteRun) -> Vec<Value> {
    let results: Value = serde_json::from_str(&ran.file("results_T.json")).unwrap();
    results["qa_pairs"].as_array().unwrap().iter().map(|pair| pair["answers"][0]["score"].clone()).collect()
}

#[test]
fn a_panic_is_an_error_of_its_answer_and_later_scores_keep_their_questions() {
    let (fixture, corpus) = files();
    let good = run_suite((&fixture, &corpus), &json!({}), 4).unwrap();
    assert_eq!(good.conclusion.exit, Exit::Fine);
    let mut expected = scores(&good);
    assert_eq!(expected[3], json!(1.0));
    expected[3] = Value::Null;
    let broken = run_with((&fixture, &corpus), &json!({}), 4, |job| {
        job.rules = Arc::new(Stops { inner: Arc::clone(&job.rules), at: "q3", in_metric: false });
    })
    .unwrap();
    assert_eq!(scores(&broken), expected);
    assert_eq!(broken.conclusion.exit, Exit::Error);
    let in_metric = run_with((&fixture, &corpus), &json!({}), 4, |job| {
        job.rules = Arc::new(Stops { inner: Arc::clone(&job.rules), at: "q3", in_metric: true });
    })
    .unwrap();
    assert_eq!(scores(&in_metric), scores(&good), "the metric failed, the reading did not");
    assert_eq!(in_metric.conclusion.exit, Exit::Error);
    assert_eq!(in_metric.conclusion.summary.failed(), 2, "yes_no and verbatim");
}
