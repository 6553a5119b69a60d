//! [`RagTest`]: the test of an index by questions, as a configuration that nobody had to write.

use std::path::{Path, PathBuf};

use probare_core::MetricRequest;
use probare_retrieval::Mode;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value as Json};

use crate::config::{Config, ConfigError, Dataset, MetricEntry, Retrieval};

/// What `probare rag test` was asked for. It stands in the plan of its run, so that the run can be resumed.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct RagTest {
    /// The index, as it was named.
    pub index: String,
    /// The questions, as they were named.
    pub questions: String,
    /// Most passages.
    pub k: usize,
    /// Which documents are searched.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub filter: Map<String, Json>,
    /// How they are ranked.
    pub mode: Mode,
    /// Model of the vectors, where it was named.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub embedding: Option<String>,
    /// Models that answer; none where retrieval alone is tested.
    #[serde(default)]
    pub models: Vec<String>,
    /// The configuration with further settings, if there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub config: Option<String>,
    /// Metrics; the usual ones where none is named.
    #[serde(default)]
    pub metrics: Vec<RequestedMetric>,
}

/// A metric that was asked for.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RequestedMetric {
    name: String,
    id: String,
    options: Json,
}

impl From<MetricRequest> for RequestedMetric {
    fn from(MetricRequest { name, id, options, .. }: MetricRequest) -> Self {
        Self { name, id, options }
    }
}

impl RagTest {
    /// The file that stands for the configuration: the questions, since files are looked for from there.
    pub fn path(&self) -> PathBuf {
        PathBuf::from(&self.questions)
    }

    /// The configuration that it comes to.
    pub fn config(&self) -> Result<Config, ConfigError> {
        let mut config = match &self.config {
            Some(path) => Config::load(Some(Path::new(path)))?,
            None => Config::default(),
        };
        let questions = self.path();
        config.path = Some(questions.clone());
        let name = questions.file_name().unwrap_or_default().to_string_lossy().into_owned();
        config.datasets = vec![Dataset { path: name, ..Dataset::default() }];
        for model in &self.models {
            if config.models.iter().all(|known| known.name != *model) {
                config.models.push(probare_models::ModelSettings::from_name(model));
            }
        }
        config.generate.models.clone_from(&self.models);
        if self.models.is_empty() {
            // Models of the configuration may judge, but none answers.
            let judges = std::mem::take(&mut config.judges);
            config.models.retain(|model| judges.contains(&model.name));
            config.judges = judges;
        }
        let index = std::path::absolute(&self.index).unwrap_or_else(|_| PathBuf::from(&self.index));
        config.retrieval = Some(Retrieval {
            index: index.display().to_string(),
            k: std::num::NonZeroUsize::new(self.k),
            filter: self.filter.clone(),
            mode: self.mode,
            embedding: self.embedding.clone(),
        });
        config.metrics = if self.metrics.is_empty() { self.usual() } else { self.metrics.iter().map(entry).collect() };
        Ok(config)
    }

    /// Of retrieval recall, gain and rank; of answers their citations and what they say.
    fn usual(&self) -> Vec<MetricEntry> {
        let cut = |id: &str| {
            let options = [("k".to_owned(), Json::from(self.k))].into_iter().collect();
            let name = format!("{}@{}", id.trim_end_matches("_at_k"), self.k);
            MetricEntry { id: id.to_owned(), name: Some(name), options, ..MetricEntry::default() }
        };
        let plain = |id: &str| MetricEntry { id: id.to_owned(), ..MetricEntry::default() };
        let mut metrics = vec![cut("recall_at_k"), cut("ndcg"), plain("reciprocal_rank")];
        if !self.models.is_empty() {
            metrics.extend(["verbatim", "relevance", "completeness", "hallucination", "token_f1"].map(plain));
        }
        metrics
    }
}

fn entry(metric: &RequestedMetric) -> MetricEntry {
    let RequestedMetric { name, id, options } = metric.clone();
    let options = match options {
        Json::Object(options) => options,
        _ => Map::new(),
    };
    MetricEntry { id, name: Some(name), options, ..MetricEntry::default() }
}
