//! Cases as an earlier format read them and a manifest as it wrote them, so that what says the same is not called different.

use std::sync::Arc;

use probare_core::{Batch, Case, Input, Output, Problem, Progress, Source, SourceError};
use serde_json::{Map, Value as Json};

use super::Verdict;

/// Cases as a program of format 2 read them: columns `model` and `repeat` said nothing about the output beside them.
pub(super) struct Unsigned(pub(super) Box<dyn Source>);

impl Source for Unsigned {
    #[expect(clippy::disallowed_methods, reason = "it passes on what the runner asks for")]
    fn next_batch(&mut self) -> Option<Result<Box<dyn Batch>, SourceError>> {
        let batch = self.0.next_batch()?;
        Some(batch.map(|inner| Box::new(UnsignedBatch(inner)) as Box<dyn Batch>))
    }

    fn inputs(&mut self) -> Result<Vec<Input>, SourceError> {
        self.0.inputs()
    }

    fn progress(&self) -> Option<Arc<dyn Progress>> {
        self.0.progress()
    }
}

struct UnsignedBatch(Box<dyn Batch>);

impl Batch for UnsignedBatch {
    #[expect(clippy::disallowed_methods, reason = "it passes on what the runner asks for")]
    fn cases(&self) -> Vec<Result<Case, Problem>> {
        let mut cases = self.0.cases();
        cases.iter_mut().flatten().for_each(unsign);
        cases
    }
}

/// The columns are in the metadata still, so they tell what was taken from them.
fn unsign(case: &mut Case) {
    if let Some(output) = &mut case.response {
        let taken = Output::new("").signed(&case.metadata);
        if (taken.model.is_some() || taken.repeat > 0) && taken.model == output.model && taken.repeat == output.repeat {
            (output.model, output.repeat) = (None, 0);
        }
    }
}

/// Turns a manifest of now into one of format 2, to be held against what was `read`.
///
/// Format 2 had no word for outputs: each of them was a case. Where every case has one, the numbers are the same. Where
/// repeats were counted as cases, means and intervals were of something else, and they are not computed again.
pub(super) fn as_format_2(now: &mut Json, read: &Json, verdict: &mut Verdict) {
    let Some(whole) = now.as_object_mut() else { return };
    whole.remove("means_over");
    whole.remove("panels");
    for (metric, recorded) in items(whole.get_mut("metrics")).zip(list(read.get("metrics"))) {
        // It named the profile of the run where an option of the metric named another.
        if metric.pointer("/options/profile").is_some()
            && let (Some(profile), Some(recorded)) = (metric.get_mut("profile"), recorded.get("profile"))
        {
            profile.clone_from(recorded);
        }
    }
    let Some(summary) = whole.get_mut("summary").and_then(Json::as_object_mut) else { return };
    if summary.get("cases") != summary.get("outputs") {
        for name in ["summary", "gates"] {
            if let (Some(now), Some(recorded)) = (whole.get_mut(name), read.get(name)) {
                now.clone_from(recorded);
            }
        }
        verdict.parts.push(
            "summary and gates: not recomputed, because release 0.2 counted every output of a case as a case of its own"
                .to_owned(),
        );
        return;
    }
    summary.remove("outputs");
    without_cases(summary);
    if let Some(groups) = summary.get_mut("groups").and_then(Json::as_object_mut) {
        let kept = groups.get_mut("groups").and_then(Json::as_object_mut).into_iter().flat_map(Map::values_mut);
        kept.for_each(group);
        for name in ["without", "others"] {
            groups.get_mut(name).into_iter().for_each(group);
        }
    }
}

fn group(group: &mut Json) {
    if let Some(group) = group.as_object_mut() {
        group.remove("outputs");
        without_cases(group);
    }
}

/// What its metrics say of cases beside what they scored.
fn without_cases(whole: &mut Map<String, Json>) {
    for metric in items(whole.get_mut("metrics")).filter_map(Json::as_object_mut) {
        metric.remove("cases");
    }
}

fn items(list: Option<&mut Json>) -> impl Iterator<Item = &mut Json> {
    list.and_then(Json::as_array_mut).into_iter().flatten()
}

fn list(list: Option<&Json>) -> impl Iterator<Item = &Json> {
    list.and_then(Json::as_array).into_iter().flatten()
}
