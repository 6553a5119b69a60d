//! [`RendererOptions`]: what renderers need to know beside the events.

use crate::{Cluster, Gate, Gates, GroupBy};

/// What all renderers may need to know besides the events.
#[derive(Debug, Clone, Default)]
pub struct RendererOptions {
    /// Title of pages; made from the source where it is missing.
    pub title: Option<String>,
    /// Limits that the run has to keep.
    pub gates: Gates,
    /// Limits that every single case has to keep and that are no gates of the run: test results call a miss a failure.
    pub case_limits: Gates,
    /// By what the summary is grouped.
    pub by: Option<GroupBy>,
    /// The column that says which cases hang together.
    pub cluster: Option<Cluster>,
    /// Whether every output counts for itself in the means, in place of the mean of its case.
    pub is_over_outputs: bool,
}

impl RendererOptions {
    /// The limits by which a single case with this value fails.
    pub(crate) fn failing_case<'a>(&'a self, metric: &'a str, value: f64) -> impl Iterator<Item = &'a Gate> {
        self.gates.failing_case(metric, value).chain(self.case_limits.failing_case(metric, value))
    }

    /// The title of a report about the cases of this source.
    pub(crate) fn title(&self, source: &str) -> String {
        self.title.clone().unwrap_or_else(|| format!("Evaluation of {source}"))
    }
}
