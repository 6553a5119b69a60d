//! Runs of a store as sides of a comparison: values are read from the columns of their samples, and texts only where they are
//! needed.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use probare_core::{Case, MetricInfo, Sha256, output_source_name};
use probare_report::GroupBy;
use probare_report::comparison::{
    CaseEvidence, CaseIdentity, ComparedOutput, ComparisonRequest, ContentHash, EvidenceByCase, RunScores, content_of,
};
use probare_store::{CaseContent, CasePosition, CaseReadMode, ComparedSample, RunPlan, Store};
use serde::Deserialize;

use super::{CompareError, OutputRows, OutputSources, ResultsSource, keep};

/// How it is known whether cases of two runs are the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum CaseMatching {
    /// All runs read the same files in the same way, so the row of a case says which one it is.
    Row,
    /// By the bytes in which stores keep it: the same bytes are the same case. Where they differ, what is asked decides.
    Bytes,
    /// By what is asked and what would be right.
    Text,
}

impl CaseMatching {
    /// What holds for these runs.
    pub fn for_runs(files: &[ResultsSource], asked: &ComparisonRequest) -> Result<Self, CompareError> {
        let mut plans = Vec::new();
        for file in files {
            let Some(run) = file.run else { return Ok(Self::Text) };
            plans.push(Store::open_existing(&file.path)?.run(run)?.plan);
        }
        Ok(match Self::for_plans(plans.iter()) {
            // Whoever wants the cases has their texts.
            Self::Text if !needs_case(asked) => Self::Bytes,
            known => known,
        })
    }

    /// What holds for runs of these plans.
    pub fn for_plans<'a>(mut plans: impl Iterator<Item = &'a RunPlan>) -> Self {
        let read = |plan: &'a RunPlan| plan.datasets.iter().map(|set| (&set.input.sha256, &set.reading));
        let is_plain = |plan: &RunPlan| plan.benchmark.is_none() && plan.test.is_none();
        let is_known = |plan: &RunPlan| plan.datasets.iter().all(|set| !set.input.sha256.is_empty());
        let Some(first) = plans.next().filter(|first| is_plain(first) && is_known(first)) else { return Self::Text };
        let is_same = |plan: &'a RunPlan| is_plain(plan) && plan.probare == first.probare && read(plan).eq(read(first));
        if plans.all(is_same) { Self::Row } else { Self::Text }
    }

    /// What tells whether two cases are the same, by the place of one and its text; nothing where it is not known.
    pub fn fingerprint(
        self,
        (dataset, row): CasePosition,
        read: CaseContent<'_>,
    ) -> serde_json::Result<Option<ContentHash>> {
        if self == Self::Row {
            let mut content = ContentHash::default();
            content[..8].copy_from_slice(&dataset.to_le_bytes());
            content[8..].copy_from_slice(&row.to_le_bytes());
            return Ok(Some(content));
        }
        match read {
            CaseContent::Nothing => Ok(None),
            CaseContent::Bytes(bytes) => {
                let mut digest = Sha256::default();
                digest.update(bytes);
                let mut half = ContentHash::default();
                half.copy_from_slice(&digest.digest()[..16]);
                Ok(Some(half))
            }
            CaseContent::Text(text) => question_hash(text),
        }
    }
}

/// By what a case asks and what would be right.
fn question_hash(text: &str) -> serde_json::Result<Option<ContentHash>> {
    let CaseQuestion { query, reference } = serde_json::from_str(text)?;
    // A file whose cases were not at hand has nothing but their ids.
    let is_empty = query.is_none() && reference.is_none();
    Ok((!is_empty).then(|| content_of(query.as_deref(), reference.iter().flatten().map(AsRef::as_ref))))
}

/// Whether the cases themselves are wanted, beyond their tags.
fn needs_case(asked: &ComparisonRequest) -> bool {
    asked.cluster.is_some() || asked.by.as_ref().is_some_and(GroupBy::needs_metadata)
}

/// What a case asks and what would be right, without the rest of it.
#[derive(Deserialize)]
struct CaseQuestion<'a> {
    #[serde(borrow, default)]
    query: Option<Cow<'a, str>>,
    #[serde(borrow, default)]
    reference: Option<Vec<Cow<'a, str>>>,
}

/// Most outputs that room is made for before they come: what a store says of itself is no promise.
const ROOM: usize = 1_000_000;

/// Reads what a comparison needs of a run, and whose outputs it has.
pub(super) fn read_stored_side(
    file: &ResultsSource,
    run: i64,
    sameness: CaseMatching,
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
    let reading = match sameness {
        CaseMatching::Bytes => CaseReadMode::Bytes,
        CaseMatching::Row if !needs_case => CaseReadMode::Nothing,
        CaseMatching::Row | CaseMatching::Text => CaseReadMode::Text,
    };
    store.for_each_compared_sample(run, &metrics, reading, |sample| {
        let ComparedSample { place, id, model, prompt, repeat, tags, values, case: number, read } = sample;
        sources.add(model, prompt);
        let Some((model, prompt)) = file.select(model, prompt) else { return Ok(()) };
        let case = match read.text() {
            Some(text) if needs_case => Some(serde_json::from_str(text)?),
            _ if needs_tags => {
                let tags = tags.map(serde_json::from_str).transpose()?.unwrap_or_default();
                Some(Case { tags, ..Case::default() })
            }
            _ => None,
        };
        is_whole &= reading == CaseReadMode::Nothing || !matches!(read, CaseContent::Nothing);
        let content = sameness.fingerprint(place, read)?;
        lines.numbers.push(number.unwrap_or_default().unsigned_abs());
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

/// Decides by what cases ask where the bytes of their texts differ. What is decided in one run is decided in all.
pub(super) fn resolve_differing_texts(
    files: &[ResultsSource],
    sides: &mut [RunScores],
    lines: &[OutputRows],
    with_models: bool,
) -> Result<(), CompareError> {
    let stores = files.iter().map(|file| Store::open_existing(&file.path)).collect::<Result<Vec<Store>, _>>()?;
    let mut settled: Vec<BTreeSet<usize>> = vec![BTreeSet::new(); sides.len()];
    loop {
        let mut open: Vec<(usize, usize)> = Vec::new();
        for (at, other) in sides.iter().enumerate().skip(1) {
            let differing = sides[0].differing(other, with_models);
            open.extend(differing.into_iter().flat_map(|(left, right)| [(0, left), (at, right)]));
        }
        open.retain(|(at, output)| settled[*at].insert(*output));
        if open.is_empty() {
            return Ok(());
        }
        for (at, output) in open {
            let number = lines[at].numbers.get(output).and_then(|number| i64::try_from(*number).ok());
            let read = |text: Option<&str>| text.map_or(Ok(None), question_hash);
            let content = number.map_or(Ok(None), |number| stores[at].read_case(number, read))?;
            sides[at].set_content(output, content);
        }
    }
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
