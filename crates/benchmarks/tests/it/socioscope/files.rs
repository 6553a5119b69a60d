//! Files that are read stay as they are, and files without an end are refused.

use std::path::Path;

use probare_benchmarks::socioscope::Socioscope;
use probare_core::{Benchmark, Console};
use probare_engine::{RunError, RunOptions, run};
use serde_json::json;

const CORPUS: &str = r#"[{"FILE": "a", "text": "We grow mussels."}]"#;
const QUESTIONS: &str = r#"[{"question": {"text": "?", "type": "Yes/No", "metric": "yes"}, "answers": [{"answer": "Yes", "source": "a"}]}]"#;

#[test]
fn a_file_that_is_read_is_not_overwritten_by_results_or_reports() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    for (fixture, corpus, report) in [
        ("summary.csv", "corpus.json", "x.jsonl"),
        ("questions.json", "report.html", "x.jsonl"),
        ("questions.json", "corpus.json", "questions.json"),
    ] {
        std::fs::write(path(fixture), QUESTIONS).unwrap();
        std::fs::write(path(corpus), CORPUS).unwrap();
        let options = json!({"fixture": path(fixture), "corpus": path(corpus), "out": folder.path()});
        let job = Socioscope.open(options, Console { quiet: true, ..Console::default() }).unwrap();
        let failed = run(
            job,
            probare_benchmarks::registries(),
            RunOptions { output: vec![path(report)], ..RunOptions::default() }.into(),
        )
        .err()
        .unwrap();
        assert!(matches!(failed, RunError::Overlap(_)), "{failed:?}");
        assert_eq!(std::fs::read_to_string(path(fixture)).unwrap(), QUESTIONS);
        assert_eq!(std::fs::read_to_string(path(corpus)).unwrap(), CORPUS);
    }
}

#[test]
fn a_device_without_an_end_is_refused() {
    let zero = Path::new("/dev/zero");
    if !zero.exists() {
        return;
    }
    let options = json!({"fixture": zero, "corpus": zero});
    let error = Socioscope.open(options, Console::default()).err().unwrap();
    assert!(error.to_string().contains("longer than 256 MiB") && !error.is_usage, "{error}");
}
