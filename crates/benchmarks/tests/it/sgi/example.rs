//! The wet experiments of the example, through the whole suite to the collector's result file.

use std::fs;
use std::path::{Path, PathBuf};

use probare_benchmarks::sgi::Sgi;
use probare_core::{Benchmark as _, BenchmarkError, Console};
use probare_engine::{Conclusion, Exit, RunRequest, run};
use serde_json::{Value, json};

fn examples() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/sgi")
}

fn open_job(options: &Value) -> Result<probare_core::Job, BenchmarkError> {
    Sgi.open(options.clone(), Console { quiet: true, ..Console::default() })
}

fn options(folder: &Path, profile: &str) -> Value {
    json!({
        "subtask": "wet",
        "data": examples().join("data/wet_experiment.jsonl"),
        "predictions": examples().join("outputs.jsonl"),
        "output_dir": folder,
        "profile": profile,
    })
}

fn run_job(options: &Value) -> Conclusion {
    run(open_job(options).unwrap(), probare_benchmarks::registries(), RunRequest::default()).unwrap()
}

#[test]
fn the_result_file_has_the_form_of_the_collector() {
    let folder = tempfile::tempdir().unwrap();
    let conclusion = run_job(&options(folder.path(), "reference"));
    assert_eq!(conclusion.exit, Exit::Fine);
    let path =
        folder.path().join("bench/sgibench-wetexperiment/test/outputs/sgibench-wetexperiment-test-outputs-scored.json");
    assert_eq!(conclusion.written, std::slice::from_ref(&path));
    let document: Value = serde_json::from_slice(&fs::read(path).unwrap()).unwrap();
    let records = document["records"].as_array().unwrap();
    assert_eq!((records.len(), &document["counts"], &document["failed"]), (12, &json!(12), &json!(0)));
    let scores: Vec<f64> = records.iter().map(|record| record["score"].as_f64().unwrap()).collect();
    let mean = scores.iter().sum::<f64>() / 12.0;
    assert!((document["performance"].as_f64().unwrap() - mean).abs() < 1e-12);
    assert!((document["extra_metrics"]["final_score"].as_f64().unwrap() - mean).abs() < 1e-12);
    for (at, record) in records.iter().enumerate() {
        assert_eq!(record["index"], at + 1);
        assert!(record["raw_output"].is_string() && record["origin_query"].is_string(), "{record}");
        assert!(record["extra_fields"]["comparison_details"].is_array(), "{record}");
    }
    assert!(scores.contains(&1.0) && scores.contains(&0.0), "{scores:?}");
    // A second run into the same folder overwrites nothing.
    let again = run_job(&options(folder.path(), "reference"));
    assert!(again.written[0].to_string_lossy().ends_with("-scored-2.json"));
}

#[test]
fn a_result_file_can_be_scored_again_and_the_improved_reading_differs_where_it_says_so() {
    let folder = tempfile::tempdir().unwrap();
    let first = run_job(&options(folder.path(), "reference"));
    let mut options = options(folder.path(), "reference");
    options["predictions"] = json!(first.written[0]);
    let again = run_job(&options);
    let mean = |conclusion: &Conclusion| conclusion.summary.metrics[0].mean();
    assert_eq!(mean(&first), mean(&again));
    options["profile"] = json!("improved");
    assert!(mean(&run_job(&options)) != mean(&first));
}

#[test]
fn what_is_wrong_is_told() {
    let folder = tempfile::tempdir().unwrap();
    let message = |change: &dyn Fn(&mut Value)| {
        let mut options = options(folder.path(), "reference");
        change(&mut options);
        open_job(&options)
            .err()
            .map(|error| format!("{error} | {}", error.hint.as_deref().unwrap_or_default()))
            .unwrap_or_default()
    };
    assert!(message(&|options| options["subtask"] = json!("damp")).contains("deep_research, idea_generation"));
    assert!(
        message(&|options| options["discipline"] = json!("cooking")).contains("no row of the discipline `cooking`")
    );
    assert!(
        message(&|options| options["subtask"] = json!("dry")).contains("line 1: there is no `incomplete_main_code`")
    );
    assert!(message(&|options| options["data"] = json!("nowhere.jsonl")).contains("nowhere.jsonl"));
    let other = folder.path().join("other.jsonl");
    fs::write(&other, "{\"idx\": \"x\", \"response\": \"y\"}\n").unwrap();
    assert!(message(&|options| options["predictions"] = json!(other)).contains("no output of"));
    fs::write(&other, "{\"idx\": \"x\"}\n").unwrap();
    assert!(message(&|options| options["predictions"] = json!(other)).contains("there is no output"));
}
