//! Judged scores of a finished run: computed again from recorded replies, or left unchecked where there are none.

use std::path::Path;

use probare_core::{Manifest, MetricInfo, MetricKind};
use probare_metrics::registry;
use probare_models::{ModelSettings, Provider};

use super::Verdict;
use super::inputs::Resolved;
use crate::Asking;

/// Whether a metric rests on what a model said. Vectors can be computed again.
fn rests_on_replies(metric: &MetricInfo) -> bool {
    registry().get(&metric.id).is_ok_and(|definition| {
        let scorer = definition.build(metric.options.clone(), metric.profile);
        let embeds = scorer.as_ref().is_ok_and(|scorer| scorer.embeds().is_some());
        // What a program did is looked up when it is wanted.
        let has_judges =
            (definition.schema)().get("properties").and_then(|properties| properties.get("judges")).is_some();
        let runs_alone = scorer.is_ok_and(|scorer| scorer.runs().is_some()) && !has_judges;
        definition.kind == MetricKind::Judge && !embeds && !runs_alone
    })
}

/// The models of the run, to be answered for by the record and by files of recorded replies. Metrics that rest on
/// replies which nobody has are left unchecked.
pub(super) fn asking(
    manifest: &Manifest,
    resolved: &[Resolved],
    record: &Path,
    verdict: &mut Verdict,
) -> Option<Asking> {
    let judged = manifest.metrics.iter().filter(|metric| rests_on_replies(metric));
    let judged: Vec<&str> = judged.map(|metric| metric.name.as_str()).collect();
    if judged.is_empty() {
        return None;
    }
    let is_replay = |provider: &str| provider == Provider::Replay.name();
    let are_lost = |path: &str| place_of(path, manifest, resolved).is_none() && !Path::new(path).exists();
    let lost = manifest.models.iter().find(|model| is_replay(&model.provider) && are_lost(&model.model));
    if let Some(model) = lost {
        for metric in judged {
            verdict.leave_unchecked(metric);
        }
        verdict.notes.push(format!("the recorded replies `{}` are not here", model.model));
        return None;
    }
    let needs_record = manifest.models.iter().any(|model| !is_replay(&model.provider));
    if manifest.models.is_empty() || (needs_record && !record.exists()) {
        for metric in judged {
            verdict.leave_unchecked(metric);
        }
        if needs_record {
            verdict.notes.push(format!("there is no record of replies `{}`", record.display()));
        }
        return None;
    }
    let models = manifest
        .models
        .iter()
        .map(|model| {
            let mut settings = ModelSettings::again(model);
            if is_replay(&model.provider)
                && let Some(place) = place_of(&model.model, manifest, resolved)
            {
                settings.api_model_name = Some(place);
            }
            settings
        })
        .collect();
    Some(Asking { models, offline: true, record: record.to_owned(), ..Asking::default() })
}

/// Whether an input is a file of recorded replies that stood for a model.
pub(super) fn is_replies(manifest: &Manifest, path: &str) -> bool {
    manifest.models.iter().any(|model| model.provider == Provider::Replay.name() && model.model == path)
}

/// Where an input of the run is now.
fn place_of(path: &str, manifest: &Manifest, resolved: &[Resolved]) -> Option<String> {
    let at = manifest.inputs.iter().position(|input| input.path == path)?;
    match resolved.get(at)? {
        Resolved::File(place) => Some(place.display().to_string()),
        Resolved::Found => None,
    }
}
