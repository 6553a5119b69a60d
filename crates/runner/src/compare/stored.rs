//! Runs of a store as sides of a comparison: values are read from the columns of their samples, and texts only where they are
//! needed.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use probare_core::{Case, MetricInfo};
use probare_report::By;
use probare_report::comparison::{Asked, Compared, Content, Evidences, Identity, Seen, Side, content_of};
use serde::Deserialize;

use super::{CompareError, Results, keep};
use crate::RunPlan;
use crate::store::{CasePlace, ComparedSample, Store};

/// How it is known whether cases of two runs are the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Sameness {
    /// All runs read the same files in the same way, so the row of a case says which one it is.
    ByRow,
    /// By what is asked and what would be right.
    ByText,
}

impl Sameness {
    /// What holds for these runs.
    pub fn of(files: &[Results]) -> Result<Self, CompareError> {
        let mut plans = Vec::new();
        for file in files {
            let Some(run) = file.run else { return Ok(Self::ByText) };
            plans.push(Store::open(&file.path)?.run(run)?.plan);
        }
        Ok(Self::of_plans(plans.iter()))
    }

    /// What holds for runs of these plans.
    pub fn of_plans<'a>(mut plans: impl Iterator<Item = &'a RunPlan>) -> Self {
        let read = |plan: &'a RunPlan| plan.datasets.iter().map(|set| (&set.input.sha256, &set.reading));
        let is_plain = |plan: &RunPlan| plan.suite.is_none() && plan.test.is_none();
        let is_known = |plan: &RunPlan| plan.datasets.iter().all(|set| !set.input.sha256.is_empty());
        let Some(first) = plans.next().filter(|first| is_plain(first) && is_known(first)) else { return Self::ByText };
        let is_same = |plan: &'a RunPlan| is_plain(plan) && plan.probare == first.probare && read(plan).eq(read(first));
        if plans.all(is_same) { Self::ByRow } else { Self::ByText }
    }

    /// What tells whether two cases are the same, by the place of one and its text; nothing where it is not known.
    pub fn content(self, (dataset, row): CasePlace, text: Option<&str>) -> serde_json::Result<Option<Content>> {
        if self == Self::ByRow {
            let mut content = Content::default();
            content[..8].copy_from_slice(&dataset.to_le_bytes());
            content[8..].copy_from_slice(&row.to_le_bytes());
            return Ok(Some(content));
        }
        let Some(text) = text else { return Ok(None) };
        let Asks { query, reference } = serde_json::from_str(text)?;
        // A file whose cases were not at hand has nothing but their ids.
        let is_empty = query.is_none() && reference.is_none();
        Ok((!is_empty).then(|| content_of(query.as_deref(), reference.iter().flatten().map(AsRef::as_ref))))
    }
}

/// What a case asks and what would be right, without the rest of it.
#[derive(Deserialize)]
struct Asks<'a> {
    #[serde(borrow, default)]
    query: Option<Cow<'a, str>>,
    #[serde(borrow, default)]
    reference: Option<Vec<Cow<'a, str>>>,
}

/// Most outputs that room is made for before they come: what a store says of itself is no promise.
const ROOM: usize = 1_000_000;

/// Reads what a comparison needs of a run, and names of the models whose outputs it has.
pub(super) fn side(
    file: &Results,
    run: i64,
    sameness: Sameness,
    asked: &Asked,
) -> Result<(Side, BTreeSet<String>), CompareError> {
    let needs_case = asked.cluster.is_some() || asked.by.as_ref().is_some_and(By::needs_metadata);
    let needs_tags = asked.by.is_some();
    let mut models = BTreeSet::new();
    let mut is_whole = true;
    let store = Store::open(&file.path)?;
    let stored = store.run(run)?;
    let metrics = stored.plan.metrics;
    let mut side = Side::new(file.name.clone(), metrics.clone());
    if file.model.is_none() {
        side.reserve(usize::try_from(stored.finished).unwrap_or(0).min(ROOM));
    }
    let with_texts = needs_case || sameness == Sameness::ByText;
    store.each_compared(run, &metrics, with_texts, |sample| {
        let ComparedSample { place, id, model, repeat, tags, values, text } = sample;
        if let Some(model) = model.filter(|model| !models.contains(*model)) {
            models.insert(model.to_owned());
        }
        let model = match &file.model {
            Some(wanted) if model != Some(wanted) => return Ok(()),
            Some(_) => None,
            None => model,
        };
        let case = match text {
            Some(text) if needs_case => Some(serde_json::from_str(text)?),
            _ if needs_tags => {
                let tags = tags.map(serde_json::from_str).transpose()?.unwrap_or_default();
                Some(Case { tags, ..Case::default() })
            }
            _ => None,
        };
        is_whole &= text.is_some() || !with_texts;
        let content = sameness.content(place, text)?;
        side.add_values(Compared { id, model, repeat, case: case.as_ref(), content }, values.iter().copied(), asked);
        Ok(())
    })?;
    if !is_whole {
        side.notes.push(format!(
            "the store of `{}` is from before 0.3 and has no cases, so their content was not compared",
            file.name
        ));
    }
    Ok((side, models))
}

/// Looks up what a run says of the cases that are wanted.
pub(super) fn evidence(
    file: &Results,
    run: i64,
    wanted: &BTreeSet<Identity>,
    with_models: bool,
    evidences: &mut Evidences,
    place: (usize, usize),
) -> Result<(), CompareError> {
    let store = Store::open(&file.path)?;
    let metrics: Vec<MetricInfo> = store.run(run)?.plan.metrics;
    let ids: BTreeSet<&str> = wanted.iter().map(|identity| identity.id.as_str()).collect();
    for id in ids {
        let mut seen: BTreeMap<(Option<String>, u32), u32> = BTreeMap::new();
        for sample in store.samples_of(run, &metrics, id)? {
            let result = sample.result;
            let model = match &file.model {
                Some(wanted) if result.model.as_ref() != Some(wanted) => continue,
                Some(_) => None,
                None => result.model.clone(),
            };
            let count = seen.entry((model.clone(), result.repeat)).or_default();
            let identity = Identity { id: id.to_owned(), model: model.filter(|_| with_models), occurrence: *count };
            *count += 1;
            keep(wanted, identity, evidences, place, || Seen {
                case: Some(result.case),
                named: metrics.iter().cloned().zip(result.results).collect(),
            });
        }
    }
    Ok(())
}
