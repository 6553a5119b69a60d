//! [`Side`]: a run as a comparison needs it.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use probare_core::{Case, MetricInfo, Named, Sha256};
use probare_stats::mean_with;

use super::{Asked, Identity, Pairing};
use crate::status::score;

/// What each metric said about each case of a run. Texts and evidence are not kept.
#[derive(Debug, Clone)]
pub struct Side {
    /// As readers know the run.
    pub name: String,
    /// The metrics, in the order of all results.
    pub metrics: Vec<MetricInfo>,
    /// What the reader should know of it.
    pub notes: Vec<String>,
    rows: Vec<Row>,
    models: BTreeSet<Option<String>>,
    seen: BTreeMap<(String, Option<String>, u32), u32>,
}

#[derive(Debug, Clone)]
struct Row {
    id: String,
    model: Option<String>,
    occurrence: u32,
    content: Option<[u8; 32]>,
    groups: Vec<String>,
    cluster: Option<String>,
    cells: Vec<Option<f64>>,
}

/// A case with the means of its repeats.
#[derive(Debug, Clone, Default)]
pub(super) struct Merged {
    content: Option<[u8; 32]>,
    pub(super) groups: Vec<String>,
    pub(super) cluster: Option<String>,
    /// Mean and number of the values of each metric.
    means: Vec<(f64, u32)>,
}

impl Merged {
    /// The mean over the repeats that have a value.
    pub(super) fn value(&self, metric: usize) -> Option<f64> {
        let (mean, count) = self.means.get(metric)?;
        (*count > 0).then_some(*mean)
    }
}

impl Side {
    /// No case yet.
    pub fn new(name: impl Into<String>, metrics: Vec<MetricInfo>) -> Self {
        Self {
            name: name.into(),
            metrics,
            notes: Vec::new(),
            rows: Vec::new(),
            models: BTreeSet::new(),
            seen: BTreeMap::new(),
        }
    }

    /// Takes in what the metrics said about an output, in the order of [`Side::metrics`], and gives what identifies it.
    pub fn add(
        &mut self,
        (id, model, repeat): (&str, Option<&str>, u32),
        named: &[Option<Named>],
        case: Option<&Case>,
        asked: &Asked,
    ) -> Identity {
        let model = model.map(str::to_owned);
        let count = self.seen.entry((id.to_owned(), model.clone(), repeat)).or_default();
        let occurrence = *count;
        *count += 1;
        self.models.insert(model.clone());
        let groups = match &asked.by {
            // A row of results names its model, also where its case is not at hand.
            Some(by) => {
                let nothing = Case::default();
                let names = by.groups(case.unwrap_or(&nothing), model.as_deref());
                names.into_iter().map(Cow::into_owned).collect()
            }
            None => Vec::new(),
        };
        let cluster = asked.cluster.as_ref().zip(case).and_then(|(cluster, case)| cluster.of(case));
        let value = |named: &Option<Named>| named.as_ref().and_then(score).map(|score| score.value.get());
        self.rows.push(Row {
            id: id.to_owned(),
            model: model.clone(),
            occurrence,
            content: case.map(content),
            groups,
            cluster,
            cells: named.iter().map(value).collect(),
        });
        Identity { id: id.to_owned(), model, occurrence }
    }

    /// Outputs that were taken in.
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// The models whose outputs are in it.
    pub(super) fn models(&self) -> Vec<&str> {
        self.models.iter().flatten().map(String::as_str).collect()
    }

    /// Whether outputs of several models are in it.
    pub fn has_several_models(&self) -> bool {
        self.models.len() > 1
    }

    /// All cases; repeats are averaged within theirs.
    pub(super) fn cases(&self, with_models: bool) -> BTreeMap<Identity, Merged> {
        let mut cases: BTreeMap<Identity, Merged> = BTreeMap::new();
        for row in &self.rows {
            let model = row.model.clone().filter(|_| with_models);
            let identity = Identity { id: row.id.clone(), model, occurrence: row.occurrence };
            let case = cases.entry(identity).or_insert_with(|| Merged {
                content: row.content,
                groups: row.groups.clone(),
                cluster: row.cluster.clone(),
                means: vec![(0.0, 0); row.cells.len()],
            });
            for ((mean, count), cell) in case.means.iter_mut().zip(&row.cells) {
                if let Some(value) = cell {
                    *count = count.saturating_add(1);
                    *mean = mean_with(*mean, *value, *count);
                }
            }
        }
        cases
    }
}

/// What was asked and what would be right. The response, and what was retrieved for it, are what is compared.
fn content(case: &Case) -> [u8; 32] {
    let mut digest = Sha256::default();
    let mut text = |text: &str| {
        digest.update((text.len() as u64).to_le_bytes());
        digest.update(text);
    };
    text(case.query.as_deref().unwrap_or("\u{0}"));
    case.reference.iter().flatten().for_each(|reference| text(reference));
    digest.digest()
}

/// A case of both runs.
pub(super) struct Pair<'a> {
    pub(super) identity: &'a Identity,
    pub(super) first: &'a Merged,
    pub(super) second: &'a Merged,
}

impl Pair<'_> {
    /// The cluster that the case belongs to, where one of the runs knows it.
    pub(super) fn cluster(&self) -> Option<&str> {
        self.first.cluster.as_deref().or(self.second.cluster.as_deref())
    }
}

/// The cases of both runs, in the order of their ids.
pub(super) fn pair<'a>(
    first: &'a BTreeMap<Identity, Merged>,
    second: &'a BTreeMap<Identity, Merged>,
) -> (Pairing, Vec<Pair<'a>>) {
    let mut pairing = Pairing::default();
    let mut pairs = Vec::new();
    for (identity, case) in first {
        match second.get(identity) {
            None => pairing.only_baseline += 1,
            Some(other) if case.content.is_some() && other.content.is_some() && case.content != other.content => {
                pairing.different_content += 1;
            }
            Some(other) => {
                pairing.matched += 1;
                pairs.push(Pair { identity, first: case, second: other });
            }
        }
    }
    pairing.only_other = second.keys().filter(|identity| !first.contains_key(identity)).count() as u64;
    (pairing, pairs)
}
