//! Scores of a finished run that rest on something outside: computed again from recorded replies and by models of this
//! machine, or left unchecked. Whatever the manifest names is looked up in this user's record and nowhere else.

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};

use probare_core::{Manifest, MetricInfo, MetricKind, ModelUsed, Sha256};
use probare_metrics::registry;
use probare_models::embedding::KnownModel;
use probare_models::{ModelSettings, Provider};

use super::Verdict;
use super::inputs::Resolved;
use crate::Asking;

/// What a metric rests on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Rests {
    /// On what models said.
    Replies,
    /// On vectors that a server gave.
    Vectors,
    /// On nothing that is not here: vectors of this machine, or what a program did, which is looked up when it is wanted.
    Nothing,
}

fn rests(metric: &MetricInfo) -> Rests {
    let Ok(definition) = registry().get(&metric.id) else { return Rests::Nothing };
    if definition.kind != MetricKind::Judge {
        return Rests::Nothing;
    }
    let scorer = definition.build(metric.options.clone(), metric.profile).ok();
    if let Some(model) = scorer.as_ref().and_then(|scorer| scorer.embeds()) {
        return if KnownModel::named(model).is_ok() { Rests::Nothing } else { Rests::Vectors };
    }
    let has_judges = (definition.schema)().get("properties").and_then(|properties| properties.get("judges")).is_some();
    let runs_alone = scorer.is_some_and(|scorer| scorer.runs().is_some()) && !has_judges;
    if runs_alone { Rests::Nothing } else { Rests::Replies }
}

fn is_replay(model: &ModelUsed) -> bool {
    model.provider == Provider::Replay.name()
}

/// The models of the run, to be answered for by the record and by files of recorded replies. Metrics that rest on replies
/// which nobody has are left unchecked. `given` are files that the user named.
pub(super) fn asking(
    manifest: &Manifest,
    resolved: &[Resolved],
    given: &[PathBuf],
    record: &Path,
    verdict: &mut Verdict,
) -> Asking {
    let named = |rests_on: &[Rests]| -> Vec<String> {
        let found = manifest.metrics.iter().filter(|metric| rests_on.contains(&rests(metric)));
        found.map(|metric| metric.name.clone()).collect()
    };
    verdict.judged = named(&[Rests::Replies, Rests::Vectors]);
    let (replies, vectors) = (named(&[Rests::Replies]), named(&[Rests::Vectors]));
    let mut cassettes = Vec::new();
    let mut models = Vec::new();
    let mut is_lost = manifest.models.is_empty();
    for model in &manifest.models {
        let mut settings = ModelSettings::again(model);
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
    let is_unrecorded = needs_record && !record.exists();
    if is_unrecorded && !verdict.judged.is_empty() {
        verdict.notes.push(format!("there is no record of replies `{}`", record.display()));
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
    Asking { cassettes, score_truncated: manifest.score_truncated, ..Asking::recorded(models, record) }
}

/// The file of recorded replies that stood for a model: an input of the run that is here, given by the user or with the
/// digest that the manifest says. Else the name of a file would decide what is read.
fn cassette(
    model: &ModelUsed,
    manifest: &Manifest,
    resolved: &[Resolved],
    given: &[PathBuf],
) -> Result<String, String> {
    let at = manifest.inputs.iter().position(|input| input.path == model.model);
    let place = at.and_then(|at| Some((manifest.inputs.get(at)?, resolved.get(at)?)));
    let Some((input, Resolved::File(place))) = place else {
        return Err(format!("the recorded replies `{}` are not here", model.model));
    };
    if given.contains(place) || digest(place).is_ok_and(|digest| digest == input.sha256) {
        return Ok(place.display().to_string());
    }
    Err(format!("the recorded replies `{}` are not those of the run; name them to have them read", model.model))
}

fn digest(path: &Path) -> io::Result<String> {
    if !path.metadata()?.is_file() {
        return Err(io::Error::other("no file"));
    }
    let mut digester = Sha256::default();
    io::copy(&mut File::open(path)?, &mut digester)?;
    Ok(digester.stored().sha256)
}

/// Says how to get the models of this machine that were missed.
pub(super) fn say_what_lacks(manifest: &Manifest, verdict: &mut Verdict) {
    for used in manifest.embeddings.iter().filter(|used| verdict.unchecked.contains(&used.metric)) {
        let note = match KnownModel::named(&used.model) {
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
