//! What stands around the rows: manifest, digests, and the bytes of the file as a whole.

use probare_core::{FORMAT, Manifest};
use probare_report::{ReportFormat, VERSION, manifest};
use serde_json::Value as Json;

use super::checker::{Checker, is_ours};
use super::differences::{JsonDifference, differences, sentence};
use super::{ManifestText, Verdict, VerifyError, earlier_formats, page, strict_json};

impl Checker<'_> {
    /// Compares everything that is left and says what it came to.
    pub(super) fn conclude(mut self, said: &ManifestText, inputs: usize) -> Result<Verdict, VerifyError> {
        self.verdict.inputs = inputs as u64;
        let mut now = self.now.take().unwrap_or_default();
        if self.recorded.results.is_some() || self.file.format().has_manifest_beside() {
            now.results = Some(self.file.stored_digest()?);
        }
        if let Some(source) = &said.source {
            let again = Json::String(self.source.clone()).to_string();
            if *source != again {
                self.verdict.about_file(sentence("source", Some(source), Some(&again)));
            }
        }
        compare_manifests(self.recorded, said, now, &mut self.verdict);
        self.compare_bytes()?;
        self.verdict.discount_unchecked();
        Ok(self.verdict)
    }

    /// The file as a whole: where every row and every number agrees, the bytes must too.
    fn compare_bytes(&mut self) -> Result<(), VerifyError> {
        let is_page = self.file.format() == ReportFormat::Html;
        if !is_ours(self.recorded) {
            if is_page {
                let writer = &self.recorded.probare.version;
                self.verdict.parts.push(format!(
                    "tables and texts of the page: not checked, because release {writer} wrote them and this one, \
                     {VERSION}, writes others; the results of the cases on it were"
                ));
            }
            return Ok(());
        }
        if !self.verdict.incomplete().is_empty() {
            return Ok(());
        }
        if let Some(again) = self.page() {
            // One byte more than there should be, so that what follows is seen.
            let recorded = self.file.start(again.len() as u64 + 1)?;
            if let Some((case, reason)) = page::difference(&recorded, &again) {
                self.verdict.add(case.as_deref(), None, reason);
            }
        } else if self.verdict.agrees()
            && let Some(again) = self.digest()
            && again != self.file.content_digest()?
        {
            self.verdict.about_file("the file says the same, but is written differently".to_owned());
        }
        Ok(())
    }
}

fn compare_manifests(recorded: &Manifest, said: &ManifestText, mut now: Manifest, verdict: &mut Verdict) {
    // Named when the manifest was read.
    now.probare.format = recorded.probare.format;
    // In what programs were run is a fact of then; nothing is run now.
    now.sandbox.clone_from(&recorded.sandbox);
    for (recorded, now) in recorded.inputs.iter().zip(&mut now.inputs) {
        if now.sha256 != recorded.sha256 {
            verdict.about_file(format!(
                "the input `{}` has changed: SHA-256 {} and {} bytes in the manifest, {} and {} now",
                recorded.path, recorded.sha256, recorded.bytes, now.sha256, now.bytes
            ));
            now.sha256.clone_from(&recorded.sha256);
            now.bytes = recorded.bytes;
        }
    }
    if let (Some(recorded), Some(now)) = (&recorded.results, &mut now.results)
        && recorded.sha256 != now.sha256
    {
        verdict.about_file(format!(
            "the file of results has changed since its manifest was written: SHA-256 {} there, {} now",
            recorded.sha256, now.sha256
        ));
        now.clone_from(recorded);
    }
    let is_earlier = recorded.probare.format < FORMAT;
    let seal = if is_earlier { earlier_formats::seal(recorded) } else { manifest::seal(recorded) };
    if recorded.seal.as_deref() != Some(&seal) {
        verdict.about_file(format!(
            "the manifest was changed after it was written: its digest is {seal}, but it says {}",
            recorded.seal.as_deref().unwrap_or("nothing")
        ));
    }
    let mut same = serde_json::to_value(&now).unwrap_or_default();
    let read = strict_json::parse_strict(&said.manifest).map(|strict| strict.value).unwrap_or_default();
    let mut is_old = is_earlier;
    if is_earlier {
        earlier_formats::as_format_3(&mut same, &read);
    }
    if recorded.probare.format < 3 {
        earlier_formats::as_format_2(&mut same, &read, verdict);
    }
    earlier_formats::with_duplicate_ids(&mut same, &read, verdict);
    is_old |= earlier_formats::without_additions(&mut same, &read);
    let unchecked = verdict.incomplete();
    let differences = differences(&read, &same);
    for difference in differences.iter().filter(|difference| is_checked(difference, recorded, &unchecked)) {
        verdict.about_file(difference.sentence());
    }
    let is_beside = recorded.results.is_some();
    if is_beside && !is_old && verdict.agrees() && unchecked.is_empty() && said.manifest != manifest::text(now) {
        verdict.about_file("the manifest says the same, but is written differently".to_owned());
    }
}

/// The digest of the manifest is looked at apart; what follows from scores that were not computed is passed over.
fn is_checked(difference: &JsonDifference, recorded: &Manifest, unchecked: &[String]) -> bool {
    if difference.path == "seal" {
        return false;
    }
    if unchecked.is_empty() {
        return true;
    }
    let of_metric = |prefix: &str, name: &dyn Fn(usize) -> Option<String>| {
        let index = difference.path.strip_prefix(prefix)?.split(']').next()?.parse().ok()?;
        name(index).map(|name| unchecked.contains(&name))
    };
    let summed = of_metric("summary.metrics[", &|index| recorded.metrics.get(index).map(|metric| metric.name.clone()));
    let gated = of_metric("gates[", &|index| {
        let gate = recorded.gates.get(index)?.pointer("/gate/metric")?;
        gate.as_str().map(str::to_owned)
    });
    let is_lost =
        difference.path.strip_prefix("inputs[").and_then(|rest| rest.strip_suffix(']')).is_some_and(|index| {
            let input = index.parse::<usize>().ok().and_then(|index| recorded.inputs.get(index));
            input.is_some_and(|input| super::score_dependencies::is_replies(recorded, &input.path))
        });
    // What a benchmark says about the whole rests on all scores.
    let rests = ["prompts", "panels"].iter().any(|part| difference.path.starts_with(part));
    !is_lost && !rests && difference.path != "lines" && summed != Some(true) && gated != Some(true)
}
