//! Readers and evaluation of arbitrary files: errors are allowed, panics are not, and spans stay inside their texts.

use bolero::check;
use serde_json::{Value, json};

use super::{SuiteRun, run_with};

/// Everything that a run does with two files. Files are written by every eighth only, since a disk takes its time.
fn run(fixture: &[u8], corpus: &[u8]) {
    let options = json!({"profile": "improved", "redact": true});
    let writes = (fixture.len() + corpus.len()).is_multiple_of(8);
    let ran = run_with((fixture, corpus), &options, 1, |job| job.publisher = job.publisher.take().filter(|_| writes));
    let Ok(SuiteRun { fixture, evaluation, conclusion, corpus, .. }) = ran else { return };
    assert_eq!(conclusion.summary.failed(), 0);
    for (pair, result) in fixture.pairs.iter().zip(&evaluation.pairs) {
        for (answer, graded) in pair.answers.iter().zip(&result.answers) {
            let response = answer.response.as_deref().unwrap_or_default();
            for grade in graded.grade.iter().chain(&graded.improved) {
                assert!((0.0..=1.0).contains(&grade.score));
                for mention in &grade.mentions {
                    assert!(response.get(mention.span.clone()).is_some(), "{response:?} {mention:?}");
                }
            }
            assert!(graded.transcripts.iter().flatten().all(|place| *place < corpus.transcripts().len()));
        }
    }
}

#[test]
fn files_of_any_bytes_are_read_or_refused() {
    check!().with_iterations(2_000).for_each(|bytes: &[u8]| {
        run(bytes, b"[]");
        run(b"[]", bytes);
    });
}

#[test]
fn any_answer_metric_and_quotation_is_evaluated() {
    let kinds = ["Yes/No", "ListOne", "ListMany", "PickOne", "PickMany", "Yes/No with Rationale", "Essay"];
    check!().with_type::<(u8, String, String, String, String)>().with_iterations(1_500).for_each(
        |(kind, metric, answer, quote, text)| {
            let kind = kinds[usize::from(*kind) % kinds.len()];
            let answers = json!([
                {"answer": answer, "source": "a", "citations": [{"source_index": 0, "quote": quote}, quote]},
                {"answer": [answer, quote], "context": [text], "citations": [{"source_index": 0, "quote": quote}]},
                {"answer": {"answer": answer, "rationale": quote}, "source": metric},
                serde_json::from_str::<Value>(answer).ok().filter(Value::is_object).unwrap_or(json!({"answer": null})),
            ]);
            let fixture = json!([{"question": {"text": text, "type": kind, "metric": metric}, "answers": answers}]);
            let corpus = json!([{"FILE": "a", "text": text}]);
            run(fixture.to_string().as_bytes(), corpus.to_string().as_bytes());
        },
    );
}
