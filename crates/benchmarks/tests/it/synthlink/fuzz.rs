//! Readers take any bytes: an error or a result, never a panic.

use probare_benchmarks::synthlink::catalogue;
use serde_json::json;

use super::{RunFailure, examples, run_on_document};

#[test]
fn any_bytes_as_predictions() {
    bolero::check!().with_iterations(300).for_each(|bytes: &[u8]| {
        match run_on_document(&examples(), bytes, &json!({})) {
            Ok(_) => {}
            Err(RunFailure::Open(error)) => assert!(!error.to_string().is_empty()),
            Err(RunFailure::Run(error)) => assert!(!error.to_string().is_empty()),
        }
    });
}

#[test]
fn any_text_in_a_prediction_and_in_a_question_is_scored() {
    let folder = tempfile::tempdir().expect("a folder for the files");
    let path = folder.path().join("catalogue.jsonl");
    bolero::check!().with_iterations(200).with_type::<(String, String, Vec<String>, Vec<String>)>().for_each(
        |(summary, answer, documents, sources)| {
            let reference = format!("s {summary}");
            let question =
                json!({"id": "F-1", "question": answer, "reference": reference, "topics": documents, "steps": sources});
            std::fs::write(&path, question.to_string()).expect("the folder can be written");
            if catalogue::load(&path).is_err() {
                return;
            }
            let document = json!([{
                "question_id": "F-1",
                "predicted_answer": answer,
                "retrieved_docs": documents,
                "iterations": [{"answers": documents}, {"answers": [summary]}],
                "sources_verified": sources,
            }])
            .to_string();
            let ran = run_on_document(&path, document.as_bytes(), &json!({"missing": "zero"}))
                .expect("it has the right shape");
            assert!(ran.readings[0].rows[0].with_aggregate().iter().all(|value| (0.0..=1.0).contains(value)));
            assert_eq!(ran.conclusion.summary.failed(), 0);
        },
    );
}

#[test]
fn any_bytes_as_a_catalogue() {
    let folder = tempfile::tempdir().expect("a folder for the files");
    let head = "|Question ID|Question Text|Expected Answer Summary|Traceable Sources|Reasoning Steps|\n";
    for name in ["catalogue.md", "catalogue.jsonl", "catalogue.csv", "catalogue.json"] {
        let path = folder.path().join(name);
        bolero::check!().with_iterations(300).for_each(|bytes: &[u8]| {
            let mut content = if name.ends_with("md") { head.as_bytes().to_vec() } else { Vec::new() };
            content.extend_from_slice(bytes);
            std::fs::write(&path, content).expect("the folder can be written");
            if let Ok(validation) = catalogue::validate(&path) {
                assert!(validation.problems.iter().all(|problem| !problem.reason.is_empty()));
            }
        });
    }
}
