//! Scores of a finished run that rest on something outside: computed again from recorded replies and by models of this
//! machine, or left unchecked. Whatever the manifest names is looked up in this user's record and nowhere else.

use std::path::PathBuf;

use probare_core::{Manifest, MetricInfo, MetricKind, ModelRecord, Registry};
use probare_engine::ModelAccess;
use probare_files::file_digest;
use probare_models::embedding::LocalModel;
use probare_models::{CacheFile, ModelSettings, Provider};

use super::Verdict;
use super::inputs::InputLocation;

/// What a metric rests on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ScoreDependency {
    /// On what models said.
    Replies,
    /// On vectors that a server gave.
    Vectors,
    /// On nothing that is not here: vectors of this machine, or what a program did, which is looked up when it is wanted.
    Nothing,
}

fn score_dependency(metric: &MetricInfo, metrics: &Registry) -> ScoreDependency {
    let Ok(definition) = metrics.get(&metric.id) else { return ScoreDependency::Nothing };
    if definition.kind != MetricKind::Judge {
        return ScoreDependency::Nothing;
    }
    let scorer = definition.build(metric.options.clone(), metric.profile.unwrap_or_default()).ok();
    if let Some(model) = scorer.as_ref().and_then(|scorer| scorer.sole_embedding_model()) {
        return if LocalModel::from_name(model).is_ok() { ScoreDependency::Nothing } else { ScoreDependency::Vectors };
    }
    let has_judges = (definition.schema)().get("properties").and_then(|properties| properties.get("judges")).is_some();
    let runs_alone = scorer.is_some_and(|scorer| scorer.program_environment().is_some()) && !has_judges;
    if runs_alone { ScoreDependency::Nothing } else { ScoreDependency::Replies }
}

fn is_replay(model: &ModelRecord) -> bool {
    model.provider == Provider::Replay.name()
}

/// The models of the run, to be answered for by the record and by files of recorded replies. Metrics that rest on replies
/// which nobody has are left unchecked. `given` are files that the user named.
pub(super) fn asking(
    manifest: &Manifest,
    resolved: &[InputLocation],
    given: &[PathBuf],
    record: &CacheFile,
    metrics: &Registry,
    verdict: &mut Verdict,
) -> ModelAccess {
    let named = |rests_on: &[ScoreDependency]| -> Vec<String> {
        let found = manifest.metrics.iter().filter(|metric| rests_on.contains(&score_dependency(metric, metrics)));
        found.map(|metric| metric.name.clone()).collect()
    };
    verdict.judged = named(&[ScoreDependency::Replies, ScoreDependency::Vectors]);
    let (replies, vectors) = (named(&[ScoreDependency::Replies]), named(&[ScoreDependency::Vectors]));
    let mut cassettes = Vec::new();
    let mut models = Vec::new();
    let mut is_lost = manifest.models.is_empty();
    for model in &manifest.models {
        let mut settings = ModelSettings::from_used_model(model);
        if is_replay(model) {
            match cassette(model, manifest, resolved, given) {
                Ok(place) => {
                    settings.api_model_name = Some(place.clone());
                    cassettes.push(PathBuf::from(place));
                }
                Err(note) => {
                    is_lost = true;
                    if !replies.is_empty() {
                        verdict.notes.push(note);
                    }
                }
            }
        }
        models.push(settings);
    }
    let needs_record = manifest.models.iter().any(|model| !is_replay(model)) || !vectors.is_empty();
    let is_unrecorded = needs_record && !record.path.exists();
    if is_unrecorded && !verdict.judged.is_empty() {
        verdict.notes.push(format!("there is no response cache `{}`", record.path.display()));
    }
    if is_lost || is_unrecorded {
        for metric in &replies {
            verdict.leave_unchecked(metric);
        }
    }
    if is_unrecorded {
        for metric in &vectors {
            verdict.leave_unchecked(metric);
        }
    }
    let mut access = ModelAccess::recorded(models, record);
    (access.options.cassettes, access.options.score_truncated) = (cassettes, manifest.score_truncated);
    access
}

/// The file of recorded replies that stood for a model: an input of the run that is here, given by the user or with the
/// digest that the manifest says. Else the name of a file would decide what is read.
fn cassette(
    model: &ModelRecord,
    manifest: &Manifest,
    resolved: &[InputLocation],
    given: &[PathBuf],
) -> Result<String, String> {
    let at = manifest.inputs.iter().position(|input| input.path == model.model);
    let place = at.and_then(|at| Some((manifest.inputs.get(at)?, resolved.get(at)?)));
    let Some((input, InputLocation::File(place))) = place else {
        return Err(format!("the recorded replies `{}` are not here", model.model));
    };
    if given.contains(place) || file_digest(place).is_ok_and(|found| found.sha256 == input.sha256) {
        return Ok(place.display().to_string());
    }
    Err(format!("the recorded replies `{}` are not those of the run; name them to have them read", model.model))
}

/// Says how to get the models of this machine that were missed.
pub(super) fn note_missing_models(manifest: &Manifest, verdict: &mut Verdict) {
    for used in manifest.embeddings.iter().filter(|used| verdict.unchecked.contains(&used.metric)) {
        let note = match LocalModel::from_name(&used.model) {
            Ok(known) => format!("`{}` is not on this machine: {}", used.model, known.remedy()),
            Err(_) => {
                format!("the vectors of `{}` are not recorded here; a file does not decide who is asked", used.model)
            }
        };
        if !verdict.notes.contains(&note) {
            verdict.notes.push(note);
        }
    }
}

/// Whether an input is a file of recorded replies that stood for a model.
pub(super) fn is_replies(manifest: &Manifest, path: &str) -> bool {
    manifest.models.iter().any(|model| is_replay(model) && model.model == path)
}
