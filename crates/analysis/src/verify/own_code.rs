//! Metrics of a finished run that code of a user computed. What a manifest names is started only where the user allows it, and only
//! if its files are those of the run.

use probare_core::Manifest;
use probare_engine::code_digests;

use super::Verdict;

/// Names of the metrics that are computed again; of the others nothing is checked, and the verdict says why.
pub(super) fn allowed_metrics(manifest: &Manifest, allow_code: bool, verdict: &mut Verdict) -> Vec<String> {
    let mut allowed = Vec::new();
    for metric in &manifest.metrics {
        let Some(code) = &metric.code else { continue };
        if allow_code {
            if !code.files.is_empty() && code_digests(&code.source) == code.files {
                allowed.push(metric.name.clone());
                continue;
            }
            let files: Vec<String> = code.files.keys().map(|file| format!("`{file}`")).collect();
            verdict.notes.push(if files.is_empty() {
                format!("`{}` was computed by {}, of which the manifest names no file", metric.name, code.source)
            } else {
                format!("the code of `{}` ({}) is not here as it was in the run", metric.name, files.join(", "))
            });
        }
        verdict.unchecked.push(metric.name.clone());
        verdict.own_code.push(metric.name.clone());
    }
    allowed
}
