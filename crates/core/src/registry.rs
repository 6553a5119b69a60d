//! [`Registry`]: all metrics by id.

use crate::{MetricDef, closest};

/// All metrics, sorted by family and id.
#[derive(Debug)]
pub struct Registry {
    metrics: Vec<&'static MetricDef>,
}

/// No metric has that id.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("unknown metric `{id}`")]
pub struct UnknownMetric {
    /// The id that was asked for.
    pub id: String,
    /// The nearest id that exists.
    pub similar: Option<&'static str>,
}

impl Registry {
    /// Joins the tables of the families.
    pub fn new(families: &[&[&'static MetricDef]]) -> Self {
        let mut metrics: Vec<_> = families.iter().flat_map(|family| family.iter().copied()).collect();
        metrics.sort_by_key(|metric| (metric.family, metric.id));
        Self { metrics }
    }

    /// The metric of this id.
    pub fn get(&self, id: &str) -> Result<&'static MetricDef, UnknownMetric> {
        self.metrics.iter().copied().find(|metric| metric.id == id).ok_or_else(|| UnknownMetric {
            id: id.to_owned(),
            similar: closest(id, self.metrics.iter().map(|metric| metric.id)),
        })
    }

    /// All metrics, by family and id.
    pub fn iter(&self) -> impl Iterator<Item = &'static MetricDef> + '_ {
        self.metrics.iter().copied()
    }
}
