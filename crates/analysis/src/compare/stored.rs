//! Runs of a store as sides of a comparison: values are read from the columns of their samples, and texts only where they are
//! needed.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use probare_core::{Case, MetricInfo, output_source_name};
use probare_report::GroupBy;
use probare_report::comparison::{
    CaseEvidence, CaseIdentity, ComparedOutput, ComparisonRequest, EvidenceByCase, RunScores,
};
use probare_store::{CaseReading, ComparedSample, Store};

use super::{CompareError, OutputRows, OutputSources, ResultsSource, keep};

/// Whether the cases themselves are wanted, beyond their tags.
fn needs_case(asked: &ComparisonRequest) -> bool {
    asked.cluster.is_some() || asked.by.as_ref().is_some_and(GroupBy::needs_metadata)
}

/// Most outputs that room is made for before they come: what a store says of itself is no promise.
const ROOM: usize = 1_000_000;

/// Reads what a comparison needs of a run, and whose outputs it has.
pub(super) fn read_stored_side(
    file: &ResultsSource,
    run: i64,
    asked: &ComparisonRequest,
    lines: &mut OutputRows,
) -> Result<(RunScores, OutputSources), CompareError> {
    let needs_case = needs_case(asked);
    let needs_tags = asked.by.is_some();
    let mut sources = OutputSources::default();
    let mut is_whole = true;
    let store = Store::open_existing(&file.path)?;
    let stored = store.run(run)?;
    lines.datasets = stored.plan.dataset_versions();
    let metrics = stored.plan.metrics;
    let mut side = RunScores::new(file.name.clone(), metrics.clone());
    if file.model.is_none() && file.prompt.is_none() {
        side.reserve(usize::try_from(stored.finished).unwrap_or(0).min(ROOM));
    }
    let reading = if needs_case { CaseReading::Text } else { CaseReading::Question };
    store.for_each_compared_sample(run, &metrics, reading, |sample| {
        let ComparedSample { id, model, prompt, repeat, tags, values, question: content, has_case, text, .. } = sample;
        sources.add(model, prompt);
        let Some((model, prompt)) = file.select(model, prompt) else { return Ok(()) };
        let case = match text {
            Some(text) => Some(serde_json::from_str(text)?),
            None if needs_tags => {
                let tags = tags.map(serde_json::from_str).transpose()?.unwrap_or_default();
                Some(Case { tags, ..Case::default() })
            }
            None => None,
        };
        is_whole &= has_case;
        side.add_values(
            ComparedOutput { id, model, prompt, repeat, case: case.as_ref(), content },
            values.iter().copied(),
            asked,
        );
        Ok(())
    })?;
    if !is_whole {
        side.notes.push(format!(
            "the store of `{}` is from before 0.3 and has no cases, so their content was not compared",
            file.name
        ));
    }
    Ok((side, sources))
}

/// Looks up what a run says of the cases that are wanted.
pub(super) fn evidence(
    file: &ResultsSource,
    run: i64,
    wanted: &BTreeSet<CaseIdentity>,
    with_models: bool,
    evidences: &mut EvidenceByCase,
    place: (usize, usize),
) -> Result<(), CompareError> {
    let store = Store::open_existing(&file.path)?;
    let metrics: Vec<MetricInfo> = store.run(run)?.plan.metrics;
    let ids: BTreeSet<&str> = wanted.iter().map(|identity| identity.id.as_str()).collect();
    let mut seen: BTreeMap<(String, Option<String>, u32), u32> = BTreeMap::new();
    for sample in store.samples_of(run, &metrics, ids.into_iter())? {
        let result = sample.result;
        let selected = file.select(result.model.as_deref(), result.prompt.as_deref());
        let Some((model, prompt)) = selected else { continue };
        let source = output_source_name(model, prompt).map(Cow::into_owned);
        let id = result.case.id.clone();
        let count = seen.entry((id.clone(), source.clone(), result.repeat)).or_default();
        let identity = CaseIdentity { id, model: source.filter(|_| with_models), occurrence: *count };
        *count += 1;
        keep(wanted, identity, evidences, place, || CaseEvidence {
            case: Some(result.case),
            named: metrics.iter().cloned().zip(result.results).collect(),
        });
    }
    Ok(())
}
