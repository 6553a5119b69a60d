//! SGI-Bench with the real embedding model, where it is there.

use std::path::PathBuf;

use probare_benchmarks::sgi::metrics::idea::{
    IdeaReference, ObjectiveOptions, TextVectors, objective_scores, texts_to_embed,
};
use probare_models::embedding::{LocalModel, MiniLm, models_folder};
use probare_testing::{all_close, golden, number};
use probare_text::python;
use serde_json::json;

fn model() -> Option<MiniLm> {
    let known = LocalModel::from_name("all-MiniLM-L6-v2").unwrap();
    let own = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../target/models");
    let folders = [models_folder().ok(), Some(own)].into_iter().flatten().map(|models| known.folder(&models));
    let found = folders.into_iter().find(|folder| known.is_in(folder));
    if found.is_none() {
        probare_testing::report_skipped(
            "all-MiniLM-L6-v2 is not there (`probare models pull` fetches it, so does `cargo x test`)",
        );
    }
    found.map(|folder| MiniLm::read(&folder).unwrap())
}

#[test]
fn golden_idea_objective_minilm() {
    let Some(model) = model() else { return };
    golden("sgi", "idea_objective_minilm.jsonl", |vector| {
        let reference =
            IdeaReference::new(vector["data"].as_object().ok_or("no row")?).map_err(|error| error.to_string())?;
        let idea = python::PyValue::from(&vector["generated_idea"]);
        let options = ObjectiveOptions::default();
        let texts = texts_to_embed(&idea, &reference, options);
        let given: Vec<&str> = texts.iter().map(String::as_str).collect();
        let vectors = model.embed(&given, 1);
        let vectors: TextVectors<'_> = given.iter().copied().zip(vectors.iter().map(Vec::as_slice)).collect();
        all_close(
            &vector["expected"],
            &json!(objective_scores(&idea, &reference, &vectors, options)),
            number(vector, "tolerance")?,
        )
    });
}
