//! How well known passages are found: sixty questions on twelve interviews, by words, by vectors and by both.

use std::fs;
use std::path::Path;

use probare_models::embedding::MiniLm;
use probare_retrieval::{Embedder, Index, Mode, SearchRequest};
use serde_json::Value as Json;

use crate::support::TestCorpus;

/// The model that the tests fetch; nothing where it could not be had.
fn model() -> Option<Embedder> {
    let named = std::env::var_os("PROBARE_MODELS").map(std::path::PathBuf::from);
    let folder = named.unwrap_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/models"));
    match MiniLm::read(&folder.join("all-MiniLM-L6-v2")) {
        Ok(model) => Some(Embedder::from_function("all-MiniLM-L6-v2", move |texts| model.embed(texts, 2))),
        Err(error) => {
            probare_testing::report_skipped(&error.to_string());
            None
        }
    }
}

/// Recall and gain among the first ten: the passages that hold one of the quotations are wanted.
fn recall_and_gain(index: &Index, embedder: &Embedder, mode: Mode) -> (f64, f64) {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/retrieval/questions.jsonl");
    let (mut recall, mut gain, mut count) = (0.0, 0.0, 0.0);
    for line in fs::read_to_string(path).unwrap().lines() {
        let row: Json = serde_json::from_str(line).unwrap();
        let relevant: Vec<u64> = (0..index.header().passages)
            .filter(|number| {
                let passage = index.passage(*number).unwrap();
                row["evidence"].as_array().unwrap().iter().any(|item| {
                    item["source"] == passage.document.as_str()
                        && passage.text.contains(item["quote"].as_str().unwrap())
                })
            })
            .collect();
        assert!(!relevant.is_empty(), "no passage holds the evidence of {line}");
        let search = SearchRequest { mode, ..SearchRequest::new(row["question"].as_str().unwrap()) };
        let found: Vec<u64> =
            index.search(&search, Some(embedder)).unwrap().hits.iter().map(|hit| hit.number).collect();
        let worth = |place: usize| 1.0 / ((place + 2) as f64).log2();
        let hits: Vec<usize> = (0..found.len()).filter(|place| relevant.contains(&found[*place])).collect();
        recall += hits.len() as f64 / relevant.len() as f64;
        let ideal: f64 = (0..relevant.len().min(10)).map(worth).sum();
        gain += hits.iter().map(|place| worth(*place)).sum::<f64>() / ideal;
        count += 1.0;
    }
    (recall / count, gain / count)
}

#[test]
fn both_together_find_at_least_what_the_better_of_them_finds() {
    let Some(embedder) = model() else { return };
    let place = TestCorpus::interviews();
    place.build(Some(&embedder)).unwrap();
    let index = place.open();
    let [words, vectors, ranks, hybrid] = [Mode::Words, Mode::Vectors, Mode::HybridRanks, Mode::Hybrid]
        .map(|mode| recall_and_gain(&index, &embedder, mode));
    println!(
        "{} passages; recall@10 and nDCG@10: words {words:.3?}, vectors {vectors:.3?}, by ranks {ranks:.3?}, hybrid {hybrid:.3?}",
        index.header().passages
    );
    assert!(hybrid.0 >= words.0.max(vectors.0), "{words:?} {vectors:?} {hybrid:?}");
    assert!(hybrid.1 >= words.1.max(vectors.1), "{words:?} {vectors:?} {hybrid:?}");
    assert!(vectors.0 > 0.85 && ranks.0 > words.0, "{words:?} {vectors:?} {ranks:?}");
}
