//! The files and the text that a scored run puts out, and the metrics that must agree with them.

use std::path::PathBuf;

use probare_benchmarks::registry;
use probare_benchmarks::synthlink::{SynthLinkSummary, cases, catalogue, files, predictions};
use probare_core::{Profile, Sample};
use probare_engine::{Exit, RunError};
use serde_json::{Value, json};

use super::{RunFailure, example_catalogue, examples, run_on_document, run_suite};

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
    for (missing, rows) in [("skip", 10), ("zero", 12)] {
        let ran =
            run_suite(&examples(), &[examples().join("system_b.json")], &json!({"missing": missing}), &[]).unwrap();
        let names: Vec<_> = ran.conclusion.written.iter().map(|path| path.file_name().unwrap().to_owned()).collect();
        assert_eq!(names, files::NAMES);
        let csv = ran.file(files::SCORES);
        assert!(csv.starts_with("question_id,category,f1,p_at_5,rqs,fcs,ie,aggregate_score\nFDH-01,FDH,"));
        assert_eq!(csv.lines().count(), rows + 1);
        assert!(ran.file(files::CATEGORIES).starts_with("category,f1,p_at_5,rqs,fcs,ie,aggregate_score\nFDH,"));
        let overall = ran.file(files::OVERALL);
        assert!(overall.starts_with("Overall Aggregate Score: 0.") && !overall.ends_with('\n'));
        let summary = SynthLinkSummary::new(&example_catalogue(), &ran.readings[0], 1);
        assert_eq!((summary.overall.answered, summary.overall.total), (10, 12));
    }
}

#[test]
fn no_predictions_leave_heads_and_the_published_zero_and_no_mean() {
    let ran = run_on_document(&examples(), b"[]", &json!({})).unwrap();
    assert_eq!(ran.file(files::SCORES).lines().count(), 1);
    assert_eq!(ran.file(files::CATEGORIES).lines().count(), 1);
    assert_eq!(ran.file(files::OVERALL), "Overall Aggregate Score: 0.0000");
    assert_eq!(ran.conclusion.exit, Exit::Error, "nothing answered is no score");
    let summary = SynthLinkSummary::new(&example_catalogue(), &ran.readings[0], 1);
    assert_eq!((summary.overall.means, summary.overall.aggregate()), (None, None));
    let text = files::terminal(&summary);
    assert!(text.starts_with("Overall Score: incomplete\n\nCategory Scores:\n"), "{text}");
    assert!(text.contains("Answered 0/12; there is no mean of nothing.") && !text.contains("0.0000"), "{text}");
    assert!(files::intervals_csv(&summary).lines().skip(1).all(|line| line.ends_with(",0,0,12,,,")));
}

#[test]
fn warnings_name_unknown_and_repeated_questions() {
    let text = r#"[{"question_id": "RIV-01 "}, {"question_id": "riv-01"}, {"question_id": "RIV-01"}]"#;
    let ran = run_on_document(&examples(), text.as_bytes(), &json!({})).unwrap();
    let [scores, _] = ran.readings;
    assert_eq!(scores.warnings, ["unknown question_id: riv-01", "duplicate prediction ignored: RIV-01"]);
    assert_eq!((scores.rows.len(), ran.conclusion.exit), (1, Exit::Fine));
}

#[test]
fn the_metrics_say_what_the_suite_says() {
    let catalogue = example_catalogue();
    let ids = ["answer_f1", "source_precision", "step_coverage", "claim_verification", "iteration_efficiency"];
    let metrics = ids.map(|id| registry().get(id).unwrap().build(Value::Null, Profile::Published).unwrap());
    let whole = registry().get("deep_search_aggregate").unwrap().build(Value::Null, Profile::Published).unwrap();
    for system in ["system_a.json", "system_b.json", "gaming.json"] {
        let path = examples().join(system);
        let [scores, _] = run_suite(&examples(), std::slice::from_ref(&path), &json!({}), &[]).unwrap().readings;
        let found = predictions::PredictionReader::open(path.to_str().unwrap()).unwrap();
        let found: Vec<_> = found.map(|each| each.unwrap()).collect();
        for row in scores.rows {
            let question = &catalogue.questions()[row.question];
            let (raw, _) = found.iter().find(|(_, id)| *id == question.id).unwrap();
            let case = cases::case(question, &predictions::parse(&raw.bytes).unwrap(), None);
            let value = |metric: &probare_core::Scorer| {
                metric.score(Sample::from_case(&case)).unwrap().score().unwrap().value.get()
            };
            for (at, metric) in metrics.iter().enumerate() {
                assert_eq!(value(metric), row.values[at], "{system} {} {}", question.id, ids[at]);
            }
            assert_eq!(value(&whole), row.aggregate);
        }
    }
}

#[test]
fn a_file_of_predictions_is_not_overwritten_and_its_name_leads_nowhere_else() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("out");
    std::fs::create_dir(&out).unwrap();
    let input = out.join(files::SCORES);
    std::fs::write(&input, "[]").unwrap();
    let failed = run_suite(&examples(), std::slice::from_ref(&input), &json!({"output_dir": out}), &[]).err().unwrap();
    assert!(matches!(failed, RunFailure::Run(RunError::Overlap(_))), "{failed:?}");
    assert_eq!(std::fs::read_to_string(&input).unwrap(), "[]");

    let (odd, plain) = (folder.path().join("...json"), folder.path().join("plain.json"));
    std::fs::write(&odd, "[]").unwrap();
    std::fs::write(&plain, "[]").unwrap();
    let deep = folder.path().join("deep");
    run_suite(&examples(), &[odd, plain], &json!({"output_dir": deep}), &[]).unwrap();
    let mut names: Vec<PathBuf> = std::fs::read_dir(folder.path()).unwrap().map(|each| each.unwrap().path()).collect();
    names.sort();
    assert_eq!(names, ["...json", "deep", "out", "plain.json"].map(|name| folder.path().join(name)));
    assert!(deep.join("predictions").join(files::SCORES).is_file());
}

#[test]
fn a_device_without_an_end_is_refused() {
    let zero = PathBuf::from("/dev/zero");
    if zero.exists() {
        let failed = run_suite(&examples(), &[zero], &json!({}), &[]).err().unwrap();
        assert!(matches!(&failed, RunFailure::Open(error) if !error.is_usage), "{failed:?}");
    }
}

#[test]
fn a_mistake_in_the_middle_of_a_file_leaves_no_results() {
    let text = r#"[{"question_id": "RIV-01"}, {"question_id": 7}]"#;
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("p.json");
    std::fs::write(&path, text).unwrap();
    let out = folder.path().join("out");
    assert!(matches!(run_suite(&examples(), &[path], &json!({"output_dir": out}), &[]), Err(RunFailure::Run(_))));
    assert!(!out.join(files::SCORES).exists());
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
