//! Golden vectors of what stands around the metrics.

use probare_benchmarks::sgi::aggregate::{RecordScore, aggregate};
use probare_benchmarks::sgi::cache_key::cache_key;
use probare_benchmarks::sgi::overall::{overall_text, task_score};
use probare_benchmarks::sgi::{Subtask, field_path, fingerprint};
use probare_testing::{close, golden, list, number, same, text};
use serde_json::Value;

#[test]
fn golden_aggregate() {
    golden("sgi", "aggregate.jsonl", |vector| {
        let subtask = Subtask::from_word(text(vector, "dataset_id")?).ok_or("no such subtask")?;
        let record = |record: &Value| RecordScore {
            score: match &record["score"] {
                Value::Bool(yes) => Some(f64::from(u8::from(*yes))),
                other => other.as_f64(),
            },
            extra_fields: record["extra_fields"].as_object().cloned().unwrap_or_default(),
        };
        let records: Vec<RecordScore> = list(vector, "records")?.iter().map(record).collect();
        let got = aggregate(subtask, &records);
        let expected = &vector["expected"];
        close("performance", number(expected, "performance")?, got.performance, 1e-9)?;
        let metrics = expected["extra_metrics"].as_object().ok_or("no metrics")?;
        let mut names: Vec<&String> = metrics.keys().collect();
        let mut found: Vec<&String> = got.extra_metrics.keys().collect();
        names.sort_unstable();
        found.sort_unstable();
        same("names", &names, &found)?;
        for (name, value) in metrics {
            let got = got.extra_metrics[name].as_f64().ok_or("no number")?;
            close(name, value.as_f64().ok_or("no number")?, got, 1e-9)?;
        }
        Ok(())
    });
}

#[test]
fn golden_sgi_score() {
    golden("sgi", "sgi_score.jsonl", |vector| {
        let values = |name: &str| -> Result<Vec<f64>, String> {
            Ok(list(vector, name)?.iter().filter_map(Value::as_f64).collect())
        };
        let tasks = [
            ("deep_research", task_score(Subtask::DeepResearch, &values("exact_match")?)),
            ("idea_generation", task_score(Subtask::IdeaGeneration, &values("idea_final_score")?)),
            ("dry_experiment", task_score(Subtask::DryExperiment, &values("PassAll@5")?)),
            ("wet_experiment", task_score(Subtask::WetExperiment, &values("wet_final_score")?)),
            ("experimental_reasoning", task_score(Subtask::ExperimentalReasoning, &values("MCA")?)),
        ];
        let expected = &vector["expected"];
        for (name, got) in tasks {
            close(name, number(&expected["task_scores"], name)?, got, 1e-9)?;
        }
        let all = overall_text(&tasks.map(|(_, score)| score));
        same("score", text(expected, "sgi_score_text")?, all.as_str())
    });
}

#[test]
fn golden_field_path() {
    golden("sgi", "field_path.jsonl", |vector| {
        let document: Option<Value> = serde_json::from_str(text(vector, "response_json")?).ok();
        let got = document.as_ref().and_then(|document| field_path::value_at(document, vector["path"].as_str()?));
        same("value", &vector["expected"], &got.cloned().unwrap_or_default())
    });
}

#[test]
fn golden_data_fingerprint() {
    golden("sgi", "data_fingerprint.jsonl", |vector| {
        same("digest", text(vector, "expected")?, fingerprint::fingerprint(&vector["data"]).as_str())
    });
}

#[test]
fn golden_cache_key() {
    golden("sgi", "cache_key.jsonl", |vector| {
        let object = |name: &str| vector[name].as_object().cloned().unwrap_or_default();
        let got =
            cache_key(&object("key_config"), text(vector, "model")?, text(vector, "question")?, &object("params"));
        same("key", text(vector, "expected")?, got.as_str())
    });
}
