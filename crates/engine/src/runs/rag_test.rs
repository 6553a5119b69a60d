//! The test of an index by questions, as a configuration that nobody had to write.

use std::path::{Path, PathBuf};

use probare_store::{RagTest, RequestedMetric};
use serde_json::{Map, Value as Json};

use crate::config::{Config, ConfigError, Dataset, MetricEntry, Retrieval};

impl Config {
    /// The configuration that the test of an index comes to.
    pub fn from_rag_test(test: &RagTest) -> Result<Self, ConfigError> {
        let mut config = match &test.config {
            Some(path) => Self::load(Some(Path::new(path)))?,
            None => Self::default(),
        };
        let questions = test.path();
        config.path = Some(questions.clone());
        let name = questions.file_name().unwrap_or_default().to_string_lossy().into_owned();
        config.datasets = vec![Dataset { path: name, ..Dataset::default() }];
        for model in &test.models {
            if config.models.iter().all(|known| known.name != *model) {
                config.models.push(probare_models::ModelSettings::from_name(model));
            }
        }
        config.generate.models.clone_from(&test.models);
        if test.models.is_empty() {
            // Models of the configuration may judge, but none answers.
            let judges = std::mem::take(&mut config.judges);
            config.models.retain(|model| judges.contains(&model.name));
            config.judges = judges;
        }
        let index = std::path::absolute(&test.index).unwrap_or_else(|_| PathBuf::from(&test.index));
        config.retrieval = Some(Retrieval {
            index: index.display().to_string(),
            k: std::num::NonZeroUsize::new(test.k),
            filter: test.filter.clone(),
            mode: test.mode,
            embedding: test.embedding.clone(),
        });
        config.metrics =
            if test.metrics.is_empty() { usual_metrics(test) } else { test.metrics.iter().map(entry).collect() };
        Ok(config)
    }
}

/// Of retrieval recall, gain and rank; of answers their citations and what they say.
fn usual_metrics(test: &RagTest) -> Vec<MetricEntry> {
    let cut = |id: &str| {
        let options = [("k".to_owned(), Json::from(test.k))].into_iter().collect();
        let name = format!("{}@{}", id.trim_end_matches("_at_k"), test.k);
        MetricEntry { id: id.to_owned(), name: Some(name), options, ..MetricEntry::default() }
    };
    let plain = |id: &str| MetricEntry { id: id.to_owned(), ..MetricEntry::default() };
    let mut metrics = vec![cut("recall_at_k"), cut("ndcg"), plain("reciprocal_rank")];
    if !test.models.is_empty() {
        metrics.extend(["verbatim", "relevance", "completeness", "hallucination", "token_f1"].map(plain));
    }
    metrics
}

fn entry(metric: &RequestedMetric) -> MetricEntry {
    let RequestedMetric { name, id, options } = metric.clone();
    let options = match options {
        Json::Object(options) => options,
        _ => Map::new(),
    };
    MetricEntry { id, name: Some(name), options, ..MetricEntry::default() }
}
