//! A panic about one answer is an error of this answer: nothing is lost and nothing shifts.

use std::sync::Arc;

use probare_core::{Case, Detail, MetricInfo, Named, Rules, Sample};
use probare_runner::Exit;
use serde_json::{Value, json};

use super::{Ran, ran, ran_with};

/// The rules of the suite, which stop at one question: while its metrics are looked for, or afterwards.
struct Stops {
    inner: Arc<dyn Rules>,
    at: &'static str,
    in_metric: bool,
}

impl Rules for Stops {
    fn lend(&self, sample: Sample<'_>) {
        self.inner.lend(sample);
    }

    fn leaves_out(&self, case: &Case, metric: &MetricInfo) -> Option<std::borrow::Cow<'static, str>> {
        assert!(!self.in_metric || case.id != self.at, "a bug in a metric");
        self.inner.leaves_out(case, metric)
    }

    fn absent(&self, case: &Case, metric: &MetricInfo) -> Option<Named> {
        self.inner.absent(case, metric)
    }

    fn model(&self, case: &Case) -> Option<String> {
        self.inner.model(case)
    }

    fn detail(&self, sample: Sample<'_>, results: &[Named]) -> Option<Detail> {
        assert!(self.in_metric || sample.case.id != self.at, "a bug in the suite");
        self.inner.detail(sample, results)
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

fn scores(ran: &Ran) -> Vec<Value> {
    let results: Value = serde_json::from_str(&ran.file("results_T.json")).unwrap();
    results["qa_pairs"].as_array().unwrap().iter().map(|pair| pair["answers"][0]["score"].clone()).collect()
}

#[test]
fn a_panic_is_an_error_of_its_answer_and_later_scores_keep_their_questions() {
    let (fixture, corpus) = files();
    let good = ran((&fixture, &corpus), &json!({}), 4).unwrap();
    assert_eq!(good.conclusion.exit, Exit::Fine);
    let mut expected = scores(&good);
    assert_eq!(expected[3], json!(1.0));
    expected[3] = Value::Null;
    let broken = ran_with((&fixture, &corpus), &json!({}), 4, |job| {
        job.rules = Arc::new(Stops { inner: Arc::clone(&job.rules), at: "q3", in_metric: false });
    })
    .unwrap();
    assert_eq!(scores(&broken), expected);
    assert_eq!(broken.conclusion.exit, Exit::Error);
    let in_metric = ran_with((&fixture, &corpus), &json!({}), 4, |job| {
        job.rules = Arc::new(Stops { inner: Arc::clone(&job.rules), at: "q3", in_metric: true });
    })
    .unwrap();
    assert_eq!(scores(&in_metric), scores(&good), "the metric failed, the reading did not");
    assert_eq!(in_metric.conclusion.exit, Exit::Error);
    assert_eq!(in_metric.conclusion.summary.failed(), 2, "yes_no and verbatim");
}
