//! Results of now in the words of format 3 and before, so that a file of then is compared in the words that it was written with.

use probare_core::{Decider, EvidenceKind, Profile};
use serde_json::{Map, Value as Json};

/// What benchmarks put before the names of metrics of the `improved` profile, and what it was.
const NAME_PREFIX: (&str, &str) = ("improved ", "careful ");

/// Keys of the manifest, and what they were.
const MANIFEST_KEYS: [(&str, &str); 2] = [("benchmark", "suite"), ("input_options", "reading")];

/// Keys below `input_options`.
const INPUT_KEYS: [(&str, &str); 2] = [("delimiter", "separator"), ("max_row_size", "longest_row")];

/// Keys of the verdict on a gate.
const GATE_KEYS: [(&str, &str); 2] = [("significant", "confident"), ("expected_failures", "excused")];

/// A result line.
pub(super) fn line(text: &str) -> String {
    let Ok(mut line) = serde_json::from_str::<Json>(text) else { return text.to_owned() };
    if let Some(Json::Object(scores)) = line.get_mut("scores") {
        rename_keys(scores, old_name);
        scores.values_mut().for_each(result);
    }
    line.to_string()
}

/// A list of evidence.
pub(super) fn evidence(text: &str) -> String {
    let Ok(mut list) = serde_json::from_str::<Json>(text) else { return text.to_owned() };
    kinds(&mut list);
    list.to_string()
}

/// The parts of a score.
pub(super) fn parts(text: &str) -> String {
    let Ok(Json::Object(mut parts)) = serde_json::from_str::<Json>(text) else { return text.to_owned() };
    rename_keys(&mut parts, old_part);
    Json::Object(parts).to_string()
}

/// Who decided.
pub(super) fn decider(name: &str) -> &str {
    if name == Decider::Rule.name() { "reading" } else { name }
}

/// A whole manifest, typed parts and all.
pub fn manifest(manifest: &mut Json) {
    let Some(whole) = manifest.as_object_mut() else { return };
    rename_keys(whole, |key| old_key(key, &MANIFEST_KEYS));
    if let Some(Json::Object(reading)) = whole.get_mut("reading") {
        rename_keys(reading, |key| old_key(key, &INPUT_KEYS));
    }
    for metric in items(whole.get_mut("metrics")) {
        profile(metric);
        name(metric);
    }
    if let Some(options) = whole.get_mut("suite").and_then(|suite| suite.get_mut("options")) {
        profile(options);
    }
    for gate in items(whole.get_mut("gates")) {
        if let Some(gate) = gate.as_object_mut() {
            rename_keys(gate, |key| old_key(key, &GATE_KEYS));
        }
    }
    if let Some(summary) = whole.get_mut("summary") {
        for metric in items(summary.get_mut("metrics")) {
            name(metric);
            if let Some(Json::Object(decided)) = metric.get_mut("decided") {
                rename_keys(decided, |key| (key == Decider::Rule.name()).then(|| "reading".to_owned()));
            }
        }
    }
}

fn result(result: &mut Json) {
    let Some(result) = result.as_object_mut() else { return };
    if let Some(Json::String(by)) = result.get_mut("decided_by") {
        *by = decider(by).to_owned();
    }
    rename_keys(result, |key| (key == "decided_by").then(|| "by".to_owned()));
    if let Some(Json::Object(parts)) = result.get_mut("parts") {
        rename_keys(parts, old_part);
    }
    if let Some(list) = result.get_mut("evidence") {
        kinds(list);
    }
}

fn kinds(list: &mut Json) {
    for piece in items(Some(list)) {
        if let Some(Json::String(kind)) = piece.get_mut("kind")
            && let Some(known) = EvidenceKind::ALL.into_iter().find(|known| known.name() == kind)
        {
            known.old_name().clone_into(kind);
        }
    }
}

fn profile(holder: &mut Json) {
    if let Some(Json::String(name)) = holder.get_mut("profile")
        && let Some(profile) = Profile::from_name(name)
    {
        profile.old_name().clone_into(name);
    }
}

fn name(holder: &mut Json) {
    if let Some(Json::String(name)) = holder.get_mut("name")
        && let Some(old) = old_name(name)
    {
        *name = old;
    }
}

fn old_name(name: &str) -> Option<String> {
    name.strip_prefix(NAME_PREFIX.0).map(|rest| format!("{}{rest}", NAME_PREFIX.1))
}

/// A part that is named after a profile or a decider, or ends in the name of a profile.
fn old_part(key: &str) -> Option<String> {
    if key == Decider::Rule.name() {
        return Some("reading".to_owned());
    }
    Profile::ALL.into_iter().find_map(|profile| {
        let stem = key.strip_suffix(profile.name())?;
        (stem.is_empty() || stem.ends_with('_')).then(|| format!("{stem}{}", profile.old_name()))
    })
}

fn old_key(key: &str, keys: &[(&str, &str)]) -> Option<String> {
    keys.iter().find(|(now, _)| *now == key).map(|(_, old)| (*old).to_owned())
}

/// Gives keys other names; each stays at its place.
fn rename_keys(map: &mut Map<String, Json>, old: impl Fn(&str) -> Option<String>) {
    if map.keys().any(|key| old(key).is_some()) {
        let renamed = |(key, value): (String, Json)| (old(&key).unwrap_or(key), value);
        *map = std::mem::take(map).into_iter().map(renamed).collect();
    }
}

fn items(list: Option<&mut Json>) -> impl Iterator<Item = &mut Json> {
    list.and_then(Json::as_array_mut).into_iter().flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_has_the_words_of_then() {
        let now = r#"{"id":"a","scores":{"improved m":{"value":0.5,"decided_by":"rule","parts":{"published":1.0,"score_improved":0.1},"evidence":[{"kind":"matched","text":"x"},{"kind":"contradicted","text":"y"},{"kind":"unverified","text":"z"},{"kind":"note","text":"n"}]}}}"#;
        let then = r#"{"id":"a","scores":{"careful m":{"value":0.5,"by":"reading","parts":{"reference":1.0,"score_careful":0.1},"evidence":[{"kind":"found","text":"x"},{"kind":"unsupported","text":"y"},{"kind":"compared","text":"z"},{"kind":"note","text":"n"}]}}}"#;
        assert_eq!(line(now), then);
    }
}
