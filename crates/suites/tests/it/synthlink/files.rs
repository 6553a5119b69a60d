//! The files and the text that a scored run puts out, and the metrics that must agree with them.

use probare_core::{Profile, Sample};
use probare_metrics::registry;
use probare_suites::synthlink::{Missing, Scorer, Summary, Weights, cases, catalogue, files, predictions};
use serde_json::Value;

use super::{example_catalogue, examples};

#[test]
fn tables_and_rows_of_our_catalogue_are_the_same() {
    let tables = example_catalogue();
    let rows = catalogue::load(&examples().join("catalog.jsonl")).unwrap();
    assert_eq!(tables.questions(), rows.questions());
    let order: Vec<&str> = tables.questions().iter().map(|question| question.category.as_str()).collect();
    assert!(order.is_sorted(), "categories that were not published stand by name");
}

#[test]
fn a_table_of_commas_is_a_catalogue_too() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("catalogue.csv");
    let text = "Question ID,Question Text,Expected Answer Summary,Traceable Sources,Reasoning Steps\n\
                HIA-01,Why?,Because.,\"Topics: A, B\",1. Confirm a. 2. Link b.\n";
    std::fs::write(&path, text).unwrap();
    let catalogue = catalogue::load(&path).unwrap();
    let question = catalogue.get("HIA-01").unwrap();
    assert_eq!(
        (question.category.as_str(), question.text.as_str(), question.summary.as_str()),
        ("HIA", "Why?", "Because.")
    );
    assert_eq!((question.topics.len(), question.steps.len()), (2, 2));
}

#[test]
fn the_published_files_have_their_columns_and_no_final_newline_in_the_text() {
    let catalogue = example_catalogue();
    let bytes = predictions::read(&examples().join("system_b.json")).unwrap();
    let found = predictions::parse(&bytes, "system_b.json").unwrap();
    let mut scorer = Scorer::new(&catalogue, Weights::default());
    let folder = tempfile::tempdir().unwrap();
    let target = folder.path().join("new/folder");
    for (missing, rows) in [(Missing::Skip, 10), (Missing::Zero, 12)] {
        let scores = scorer.score(&found, missing);
        let summary = Summary::new(&catalogue, &scores, 1);
        let written = files::write(&target, "", &catalogue, &scores, &summary).unwrap();
        assert_eq!(
            written,
            [files::SCORES, files::CATEGORIES, files::OVERALL, files::INTERVALS].map(|name| target.join(name))
        );
        let read = |name: &str| std::fs::read_to_string(target.join(name)).unwrap();
        let csv = read(files::SCORES);
        assert!(csv.starts_with("question_id,category,f1,p_at_5,rqs,fcs,ie,aggregate_score\nFDH-01,FDH,"));
        assert_eq!(csv.lines().count(), rows + 1);
        assert!(read(files::CATEGORIES).starts_with("category,f1,p_at_5,rqs,fcs,ie,aggregate_score\nFDH,"));
        let overall = read(files::OVERALL);
        assert!(overall.starts_with("Overall Aggregate Score: 0.") && !overall.ends_with('\n'));
        assert_eq!((scores.answered, scores.total), (10, 12));
    }
}

#[test]
fn no_predictions_leave_heads_and_a_zero() {
    let catalogue = example_catalogue();
    let scores = Scorer::new(&catalogue, Weights::default()).score(&[], Missing::Skip);
    let summary = Summary::new(&catalogue, &scores, 1);
    assert_eq!(files::scores_csv(&catalogue, &scores).lines().count(), 1);
    assert_eq!(files::categories_csv(&summary).lines().count(), 1);
    assert_eq!(files::overall_text(&summary), "Overall Aggregate Score: 0.0000");
    assert!(files::terminal(&summary).starts_with("Overall Score: 0.0000\n\nCategory Scores:\n"));
}

#[test]
fn warnings_name_unknown_and_repeated_questions() {
    let catalogue = example_catalogue();
    let text = r#"[{"question_id": "RIV-01 "}, {"question_id": "riv-01"}, {"question_id": "RIV-01"}]"#;
    let found = predictions::parse(text.as_bytes(), "p.json").unwrap();
    let scores = Scorer::new(&catalogue, Weights::default()).score(&found, Missing::Skip);
    assert_eq!(scores.warnings, ["unknown question_id: riv-01", "duplicate prediction ignored: RIV-01"]);
    assert_eq!(scores.rows[0].prediction, Some(0));
}

#[test]
fn the_metrics_say_what_the_suite_says() {
    let catalogue = example_catalogue();
    let ids = ["answer_f1", "source_precision", "step_coverage", "claim_verification", "iteration_efficiency"];
    let metrics = ids.map(|id| registry().get(id).unwrap().build(Value::Null, Profile::Reference).unwrap());
    let whole = registry().get("deep_search_aggregate").unwrap().build(Value::Null, Profile::Reference).unwrap();
    for system in ["system_a.json", "system_b.json", "gaming.json"] {
        let bytes = predictions::read(&examples().join(system)).unwrap();
        let found = predictions::parse(&bytes, system).unwrap();
        for row in Scorer::new(&catalogue, Weights::default()).score(&found, Missing::Skip).rows {
            let question = &catalogue.questions()[row.question];
            let case = cases::case(question, &found[row.prediction.unwrap()]);
            let value =
                |metric: &probare_core::Scorer| metric.score(Sample::of(&case)).unwrap().score().unwrap().value.get();
            for (at, metric) in metrics.iter().enumerate() {
                assert_eq!(value(metric), row.values[at], "{system} {} {}", question.id, ids[at]);
            }
            assert_eq!(value(&whole), row.aggregate);
        }
    }
}

#[test]
fn a_catalogue_that_contradicts_itself_is_refused_with_file_and_line() {
    let folder = tempfile::tempdir().unwrap();
    let table = |summary: &str| {
        format!(
            "|Question ID|Question Text|Expected Answer Summary|Traceable Sources|Reasoning Steps|\n|-|-|-|-|-|\n\
             |A-1|Why?|{summary}|Topic: T|1. Confirm t|\n"
        )
    };
    std::fs::write(folder.path().join("SynthLink_one.md"), table("so")).unwrap();
    std::fs::create_dir(folder.path().join("below")).unwrap();
    std::fs::write(folder.path().join("below/SynthLink_two.md"), table("so")).unwrap();
    std::fs::write(folder.path().join("SynthLink_Scoring.md"), "| Metric |\n|--|\n| F1 |\n").unwrap();
    assert_eq!(catalogue::load(folder.path()).unwrap().questions().len(), 1);
    let validation = catalogue::validate(folder.path()).unwrap();
    assert!(validation.is_good() && validation.problems[0].reason.contains("taken once"));

    std::fs::write(folder.path().join("below/SynthLink_two.md"), table("otherwise")).unwrap();
    let message = catalogue::load(folder.path()).unwrap_err().to_string();
    assert!(message.contains("SynthLink_") && message.contains(":3: question `A-1`"), "{message}");
    assert!(!catalogue::validate(folder.path()).unwrap().is_good());
    let empty = tempfile::tempdir().unwrap();
    assert!(catalogue::load(empty.path()).unwrap_err().to_string().contains("no catalogue of questions"));
}
