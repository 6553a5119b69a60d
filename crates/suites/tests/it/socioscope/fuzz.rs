//! Readers and evaluation of arbitrary files: errors are allowed, panics are not, and spans stay inside their texts.

use bolero::check;
use probare_core::Profile;
use probare_metrics::interviews::Settings;
use probare_suites::socioscope::input::{Corpus, Fixture};
use probare_suites::socioscope::output::{answers_csv, results, summary_csv};
use probare_suites::socioscope::page::{Shown, page};
use probare_suites::socioscope::{Options, Redaction, Summary, evaluate};
use probare_text::wordnet::WordNet;
use serde_json::{Value, json};

/// Everything that a run does with two files.
fn run(fixture: &[u8], corpus: &[u8]) {
    let Ok(fixture) = Fixture::read(fixture, "questions.json") else { return };
    let Ok(corpus) = Corpus::read(corpus, "corpus.json") else { return };
    let settings = Settings { profile: Profile::Careful, ..Settings::default() };
    let options = Options { settings, wordnet: WordNet::embedded(), jobs: 1 };
    let Ok(evaluation) = evaluate(&fixture, &corpus, options) else { return };
    for (pair, result) in fixture.pairs.iter().zip(&evaluation.pairs) {
        for (answer, graded) in pair.answers.iter().zip(&result.answers) {
            let response = answer.response.as_deref().unwrap_or_default();
            for grade in graded.grade.iter().chain(&graded.careful) {
                assert!((0.0..=1.0).contains(&grade.score));
                for mention in &grade.mentions {
                    assert!(response.get(mention.span.clone()).is_some(), "{response:?} {mention:?}");
                }
            }
        }
    }
    let (summary, careful) = (Summary::new(&fixture, &evaluation), Summary::careful(&fixture, &evaluation));
    let redaction = Redaction::new(&corpus);
    results(&fixture, &evaluation, settings, (&summary, Some(&careful)), Some(&redaction));
    summary_csv(&summary, Some(&careful));
    answers_csv(&fixture, &evaluation);
    page(Shown {
        fixture: &fixture,
        corpus: &corpus,
        evaluation: &evaluation,
        summary: &summary,
        careful: Some(&careful),
        redaction: None,
    });
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
