//! Cases as an earlier format read them and a manifest as it wrote them, so that what says the same is not called different.

use std::sync::Arc;

use probare_core::{
    Case, CaseBatch, CaseSource, InputFile, Manifest, Output, Problem, ReadProgress, Sha256, SourceError,
};
use probare_engine::EACH_ROW_IS_A_CASE;
use probare_formats::results::format_3;
use serde_json::{Map, Value as Json};

use super::Verdict;

/// Cases as a program of format 2 read them: columns `model` and `repeat` said nothing about the output beside them.
pub(super) struct UnattributedSource(pub(super) Box<dyn CaseSource>);

impl CaseSource for UnattributedSource {
    #[expect(clippy::disallowed_methods, reason = "it passes on what the runner asks for")]
    fn next_batch(&mut self) -> Option<Result<Box<dyn CaseBatch>, SourceError>> {
        let batch = self.0.next_batch()?;
        Some(batch.map(|inner| Box::new(UnattributedBatch(inner)) as Box<dyn CaseBatch>))
    }

    fn inputs(&mut self) -> Result<Vec<InputFile>, SourceError> {
        self.0.inputs()
    }

    fn progress(&self) -> Option<Arc<dyn ReadProgress>> {
        self.0.progress()
    }
}

struct UnattributedBatch(Box<dyn CaseBatch>);

impl CaseBatch for UnattributedBatch {
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

/// The digest that a manifest of an earlier format carries of itself: over its bytes in the words of then.
pub(super) fn seal(manifest: &Manifest) -> String {
    let mut bare = serde_json::to_value(Manifest { seal: None, ..manifest.clone() }).unwrap_or_default();
    format_3::manifest(&mut bare);
    Sha256::hex_digest(bare.to_string())
}

/// Turns a manifest of now into one of format 3, to be held against what was `read`. Rows were compared one by one in the words of
/// then, so the digest of all of them says nothing more.
pub(super) fn as_format_3(now: &mut Json, read: &Json) {
    format_3::manifest(now);
    let Some(whole) = now.as_object_mut() else { return };
    if let Some(lines) = read.get("lines") {
        whole.insert("lines".to_owned(), lines.clone());
    }
    for (metric, recorded) in items(whole.get_mut("metrics")).zip(list(read.get("metrics"))) {
        // It named a profile where a metric has one definition.
        if let (Some(metric), Some(profile)) = (metric.as_object_mut(), recorded.get("profile"))
            && !metric.contains_key("profile")
        {
            metric.insert("profile".to_owned(), profile.clone());
        }
        copy_text("summary", metric, recorded);
    }
    // Remarks are of the same rows, in other words.
    let problems = items(whole.get_mut("summary").and_then(|summary| summary.get_mut("problems")));
    for (problem, recorded) in problems.zip(list(read.pointer("/summary/problems"))) {
        if ["file", "line", "record"].iter().all(|key| problem.get(key) == recorded.get(key)) {
            copy_text("reason", problem, recorded);
            copy_text("hint", problem, recorded);
        }
    }
}

/// Takes over how a text was put then.
fn copy_text(key: &str, now: &mut Json, recorded: &Json) {
    if let (Some(now), Some(recorded)) = (now.get_mut(key), recorded.get(key)) {
        now.clone_from(recorded);
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

/// What manifests of format 3 say since release 0.4, and did not say before: derived numbers, and where labels rest on thresholds
/// that come with a metric.
const ADDED: [&str; 5] = ["coverage", "out_of_calibrated_range", "abstained", "decision_thresholds", "pass_all"];

/// Takes out of a manifest of now what an earlier release did not write; whether there was anything.
pub(super) fn without_additions(now: &mut Json, read: &Json) -> bool {
    match (now, read) {
        (Json::Object(now), Json::Object(read)) => {
            let before = now.len();
            now.retain(|name, _| read.contains_key(name) || !ADDED.contains(&name.as_str()));
            let mut found = now.len() < before;
            for (name, value) in now.iter_mut() {
                found |= read.get(name).is_some_and(|read| without_additions(value, read));
            }
            found
        }
        (Json::Array(now), Json::Array(read)) => now
            .iter_mut()
            .zip(read)
            .map(|(now, read)| without_additions(now, read))
            .fold(false, |found, inner| found | inner),
        _ => false,
    }
}

/// Release 0.3 took rows with one id for different cases in means and for outputs of one case in pass@k, and said less about them.
pub(super) fn with_duplicate_ids(now: &mut Json, read: &Json, verdict: &mut Verdict) {
    #[expect(clippy::type_complexity, reason = "a function of both sides, named where it is used")]
    let both = |now: &mut Json, name: &str, change: &mut dyn FnMut(&mut Map<String, Json>, &Map<String, Json>)| {
        let recorded = list(read.pointer(&format!("/summary/{name}")));
        for (now, read) in items(now.pointer_mut(&format!("/summary/{name}"))).zip(recorded) {
            if let (Json::Object(now), Json::Object(read)) = (now, read) {
                change(now, read);
            }
        }
    };
    both(now, "problems", &mut |now, read| {
        let reason =
            |problem: &Map<String, Json>| problem.get("reason").and_then(Json::as_str).unwrap_or_default().to_owned();
        if reason(now).strip_suffix(EACH_ROW_IS_A_CASE).is_some_and(|before| before == reason(read)) {
            for name in ["reason", "hint"] {
                now.insert(name.to_owned(), read.get(name).cloned().unwrap_or_default());
            }
        }
    });
    let mut has_more = false;
    both(now, "metrics", &mut |now, read| {
        if let (Some(told), None) = (read.get("pass_at"), now.get("pass_at")) {
            now.insert("pass_at".to_owned(), told.clone());
            has_more = true;
        }
    });
    if has_more {
        verdict.parts.push(
            "pass@k: not recomputed, because release 0.3 took rows with one id for outputs of one case".to_owned(),
        );
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
