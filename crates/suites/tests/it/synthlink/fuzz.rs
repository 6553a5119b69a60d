//! Readers take any bytes: an error or a result, never a panic.

use probare_suites::synthlink::{
    Catalogue, Missing, Question, Scorer, Summary, Weights, catalogue, files, predictions,
};

#[test]
fn any_bytes_as_predictions() {
    bolero::check!().with_iterations(2_000).for_each(|bytes: &[u8]| {
        if let Err(error) = predictions::parse(bytes, "fuzz.json") {
            assert!(!error.to_string().is_empty());
        }
    });
}

#[test]
fn any_text_in_a_prediction_and_in_a_question_is_scored() {
    bolero::check!().with_iterations(500).with_type::<(String, String, Vec<String>, Vec<String>)>().for_each(
        |(summary, answer, documents, sources)| {
            let question = Question {
                id: "F-1".into(),
                category: "F".into(),
                text: answer.clone(),
                summary: summary.clone(),
                topics: documents.clone(),
                steps: sources.clone(),
            };
            let catalogue = Catalogue::new(vec![question]);
            let json = serde_json::json!([{
                "question_id": "F-1",
                "predicted_answer": answer,
                "retrieved_docs": documents,
                "iterations": [{"answers": documents}, {"answers": [summary]}],
                "sources_verified": sources,
            }])
            .to_string();
            let found = predictions::parse(json.as_bytes(), "fuzz.json").expect("it has the right shape");
            let scores = Scorer::new(&catalogue, Weights::default()).score(&found, Missing::Zero);
            assert!(scores.rows[0].all().iter().all(|value| (0.0..=1.0).contains(value)));
            let summary = Summary::new(&catalogue, &scores, 1);
            assert_eq!(files::scores_csv(&catalogue, &scores).lines().count(), 2);
            assert!(files::terminal(&summary).contains("Answered 1/1"));
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
