//! [`Chosen`]: cases that name the metrics they are for.

use std::borrow::Cow;

use probare_core::{Case, MetricInfo, Rules};
use serde_json::Value as Json;

/// A key of the metadata lists the metrics that a case asks for; the others do not apply to it.
#[derive(Debug)]
pub struct Chosen(String);

impl Chosen {
    /// By this key.
    pub fn by(key: &str) -> Self {
        Self(key.to_owned())
    }
}

impl Rules for Chosen {
    fn leaves_out(&self, case: &Case, metric: &MetricInfo) -> Option<Cow<'static, str>> {
        let chosen = case.metadata.get(&self.0).and_then(Json::as_array)?;
        let is_there = chosen.iter().any(|name| name.as_str() == Some(metric.name.as_str()));
        (!is_there).then_some(Cow::Borrowed("it was not asked of this case"))
    }
}
