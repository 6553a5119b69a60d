//! Golden vectors of the families `graders`, `retrieval` and `text`; one test per file.

use probare_core::{Outcome, Profile, Sample};
use probare_metrics::registry;
use probare_testing::{close, golden, number, same};
use serde_json::Value;

use crate::case;

/// Holds a vector of the form `{"params", "case", "value", "parts", "tolerance"}`, or `"not_applicable": true` in place
/// of a value, against a metric.
fn check(metric: &str, vector: &Value) -> Result<(), String> {
    let definition = registry().get(metric).map_err(|error| error.to_string())?;
    let params = vector.get("params").cloned().unwrap_or(Value::Null);
    let built = definition.build(params, Profile::Published).map_err(|error| error.to_string())?;
    let case = case::read(vector.get("case").ok_or("the vector has no case")?);
    let outcome = built.score(Sample::from_case(&case)).map_err(|error| error.to_string())?;
    let Outcome::Scored(score) = outcome else {
        return same("not applicable", &vector.get("not_applicable"), &Some(&Value::Bool(true)));
    };
    let tolerance = number(vector, "tolerance")?;
    close("value", number(vector, "value")?, score.value.get(), tolerance)?;
    for (name, expected) in vector.get("parts").and_then(Value::as_object).into_iter().flatten() {
        let expected = expected.as_f64().ok_or("a part is a number")?;
        let got = score.parts.get(name).ok_or_else(|| format!("there is no part `{name}`"))?;
        close(name, expected, got, tolerance)?;
    }
    Ok(())
}

macro_rules! golden_files {
    ($($family:literal: $($test:ident $metric:literal),+;)+) => {
        $($(
            #[test]
            fn $test() {
                golden($family, concat!($metric, ".jsonl"), |vector| check($metric, vector));
            }
        )+)+
    };
}

golden_files! {
    "graders":
        golden_openai_grader "openai_grader";
    "retrieval":
        golden_average_precision "average_precision",
        golden_ndcg "ndcg",
        golden_precision_at_k "precision_at_k",
        golden_recall_at_k "recall_at_k",
        golden_reciprocal_rank "reciprocal_rank";
    "text":
        golden_bleu "bleu",
        golden_chrf "chrf",
        golden_levenshtein "levenshtein",
        golden_rouge_l "rouge_l",
        golden_tfidf_cosine "tfidf_cosine",
        golden_token_f1 "token_f1";
}
