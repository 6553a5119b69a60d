//! [`RunScores`]: a run as a comparison needs it.
//!
//! Runs may have hundreds of thousands of outputs, so values and ids lie in one piece each.

use std::borrow::Cow;
use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::OnceLock;

use probare_core::{Case, MetricInfo, MetricResult, Sha256, output_source_name};
use probare_stats::updated_mean;

use super::cases::{CaseIdentity, Pairing};
use super::request::ComparisonRequest;
use crate::status::score;
use crate::{PassAt, Repeats};

/// Half of the digest of what was asked and what would be right.
pub type ContentHash = [u8; 16];

/// What each metric said about each case of a run. Texts and evidence are not kept.
#[derive(Debug, Clone)]
pub struct RunScores {
    /// As readers know the run.
    pub name: String,
    /// The metrics, in the order of all results.
    pub metrics: Vec<MetricInfo>,
    /// What the reader should know of it.
    pub notes: Vec<String>,
    rows: Vec<Row>,
    /// All ids, one behind the other.
    ids: String,
    /// Whose outputs these are, model and prompt, in the order in which they came.
    models: Vec<Option<String>>,
    /// What each metric said about each row; not a number where it has no value.
    cells: Vec<f64>,
    contents: Vec<Option<ContentHash>>,
    /// Groups and clusters of rows, as far as somebody asked for them.
    groups: Vec<Vec<String>>,
    clusters: Vec<Option<String>>,
    /// All rows in the order of their cases, each with which case of its id and model it belongs to, once somebody asked for it.
    order: OnceLock<Vec<(usize, u32)>>,
}

#[derive(Debug, Clone, Copy)]
struct Row {
    id: (usize, usize),
    model: usize,
    repeat: u32,
}

/// An output as a comparison needs it.
#[derive(Debug, Clone, Copy)]
pub struct ComparedOutput<'a> {
    /// Id of the case.
    pub id: &'a str,
    /// Whose output it is.
    pub model: Option<&'a str>,
    /// The prompt, where the run has several.
    pub prompt: Option<&'a str>,
    /// Which of several.
    pub repeat: u32,
    /// The case, where it is at hand.
    pub case: Option<&'a Case>,
    /// What tells whether cases of two runs are the same, where it is known.
    pub content: Option<ContentHash>,
}

/// The first of the outputs of a case, and for each metric the mean so far with how many values are in it.
type SummedCase = (usize, Vec<(f64, u32)>);

/// A case with the mean of its outputs.
#[derive(Debug, Clone, PartialEq)]
pub struct CaseMean {
    pub id: String,
    /// Which case of this id, counted from 0.
    pub occurrence: u32,
    /// What it asks and what would be right, where that is known.
    pub content: Option<ContentHash>,
    /// A mean for each metric that has a value here.
    pub values: Vec<Option<f64>>,
}

impl RunScores {
    /// No case yet.
    pub fn new(name: impl Into<String>, metrics: Vec<MetricInfo>) -> Self {
        Self {
            name: name.into(),
            metrics,
            notes: Vec::new(),
            rows: Vec::new(),
            ids: String::new(),
            models: Vec::new(),
            cells: Vec::new(),
            contents: Vec::new(),
            groups: Vec::new(),
            clusters: Vec::new(),
            order: OnceLock::new(),
        }
    }

    /// Makes room for so many outputs, where their number is known.
    pub fn reserve(&mut self, outputs: usize) {
        self.rows.reserve_exact(outputs);
        self.contents.reserve_exact(outputs);
        self.cells.reserve_exact(outputs * self.metrics.len());
    }

    /// Takes in what the metrics said about an output, in the order of [`RunScores::metrics`].
    pub fn add(
        &mut self,
        (id, model, repeat): (&str, Option<&str>, u32),
        named: &[Option<MetricResult>],
        case: Option<&Case>,
        request: &ComparisonRequest,
    ) {
        self.add_output(ComparedOutput { id, model, prompt: None, repeat, case, content: None }, named, request);
    }

    /// The same for an output that may have been asked for with one of several prompts.
    pub fn add_output(&mut self, row: ComparedOutput<'_>, named: &[Option<MetricResult>], request: &ComparisonRequest) {
        let value = |named: &Option<MetricResult>| named.as_ref().and_then(score).map(|score| score.value.get());
        let row = ComparedOutput { content: row.case.map(case_content_hash), ..row };
        self.add_values(row, named.iter().map(value), request);
    }

    /// The same where nothing but the values is at hand.
    pub fn add_values(
        &mut self,
        row: ComparedOutput<'_>,
        values: impl Iterator<Item = Option<f64>>,
        request: &ComparisonRequest,
    ) {
        let ComparedOutput { id, model, prompt, repeat, case, content } = row;
        if let Some(by) = &request.by {
            // A row of results names its model, also where its case is not at hand.
            let nothing = Case::default();
            let names = by.groups(case.unwrap_or(&nothing), model, prompt);
            self.groups.push(names.into_iter().map(Cow::into_owned).collect());
        }
        if let Some(cluster) = &request.cluster {
            self.clusters.push(case.and_then(|case| cluster.cluster_of(case)));
        }
        self.order.take();
        let start = self.ids.len();
        self.ids.push_str(id);
        let source = output_source_name(model, prompt);
        let known = self.models.iter().position(|known| known.as_deref() == source.as_deref());
        let model = known.unwrap_or_else(|| {
            self.models.push(source.map(Cow::into_owned));
            self.models.len() - 1
        });
        self.rows.push(Row { id: (start, self.ids.len()), model, repeat });
        self.contents.push(content);
        let values = values.map(|value| value.unwrap_or(f64::NAN));
        self.cells.extend(values.chain(std::iter::repeat(f64::NAN)).take(self.metrics.len()));
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
        let names: BTreeSet<&str> = self.models.iter().flatten().map(String::as_str).collect();
        names.into_iter().collect()
    }

    /// Whether outputs of several models are in it.
    pub fn has_several_models(&self) -> bool {
        self.models.len() > 1
    }

    fn id(&self, row: usize) -> &str {
        let (start, end) = self.rows[row].id;
        &self.ids[start..end]
    }

    fn model(&self, row: usize) -> Option<&str> {
        self.models[self.rows[row].model].as_deref()
    }

    fn in_order(&self) -> &[(usize, u32)] {
        self.order.get_or_init(|| self.sorted())
    }

    fn sorted(&self) -> Vec<(usize, u32)> {
        let of = |row: &usize| (self.id(*row), self.model(*row));
        let mut order: Vec<usize> = (0..self.rows.len()).collect();
        order.sort_by(|left, right| {
            let repeat = |row: &usize| self.rows[*row].repeat;
            of(left).cmp(&of(right)).then_with(|| repeat(left).cmp(&repeat(right))).then(left.cmp(right))
        });
        let mut found: Vec<(usize, u32)> = Vec::with_capacity(order.len());
        for row in order {
            let again = found
                .last()
                .filter(|(before, _)| self.rows[*before].repeat == self.rows[row].repeat && of(before) == of(&row));
            let occurrence = again.map_or(0, |(_, occurrence)| occurrence + 1);
            found.push((row, occurrence));
        }
        found.sort_by(|left, right| of(&left.0).cmp(&of(&right.0)).then((left.1, left.0).cmp(&(right.1, right.0))));
        found
    }

    /// All cases in the order of their ids; repeats are averaged within theirs.
    pub(super) fn cases(&self, with_models: bool) -> RunCases<'_> {
        let order = self.in_order();
        let cases = || order.chunk_by(|left, right| self.is_same(left, right));
        let list: Vec<(usize, u32)> = cases().map(|case| case[0]).collect();
        let mut means = Vec::new();
        if list.len() < order.len() {
            let width = self.metrics.len();
            means.reserve_exact(list.len() * width);
            for case in cases() {
                means.extend((0..width).map(|metric| {
                    let values = case.iter().map(|(row, _)| self.cells[row * width + metric]);
                    let known = values.filter(|value| !value.is_nan()).zip(1..);
                    let mean =
                        known.fold(None, |mean, (value, count)| Some(updated_mean(mean.unwrap_or(0.0), value, count)));
                    mean.unwrap_or(f64::NAN)
                }));
            }
        }
        RunCases { side: self, with_models, list, means }
    }

    /// Whether two rows of [`RunScores::order`] are of the same case.
    fn is_same(&self, left: &(usize, u32), right: &(usize, u32)) -> bool {
        left.1 == right.1 && self.id(left.0) == self.id(right.0) && self.model(left.0) == self.model(right.0)
    }

    /// Hands every case to a visitor, in the order of their ids: its id, which case of this id it is, and the values of its
    /// outputs, which are not a number where there are none. All outputs are of one model.
    pub(crate) fn each_case(&self, mut visit: impl FnMut(&str, u32, &[&[f64]])) {
        let width = self.metrics.len();
        let order = self.in_order();
        for case in order.chunk_by(|left, right| self.is_same(left, right)) {
            let rows: Vec<&[f64]> = case.iter().map(|(row, _)| &self.cells[row * width..(row + 1) * width]).collect();
            visit(self.id(case[0].0), case[0].1, &rows);
        }
    }

    /// The chance that all outputs of a case pass, by metric: where cases have several and a metric says yes or no.
    pub(super) fn pass_all(&self) -> BTreeMap<&str, PassAt> {
        // Cases are put together only where one may have several outputs: that takes longer than most of a comparison.
        if self.rows.windows(2).all(|rows| rows[0].repeat == rows[1].repeat) {
            return BTreeMap::new();
        }
        let mut repeats = vec![Repeats::default(); self.metrics.len()];
        self.each_case(|_, _, outputs| {
            for (metric, repeats) in repeats.iter_mut().enumerate() {
                repeats.add_case(outputs.iter().map(|values| values[metric]).filter(|value| !value.is_nan()));
            }
        });
        let several = |repeats: &Repeats| repeats.pass_all().pop().filter(|pass| pass.k > 1);
        let metrics = self.metrics.iter().map(|metric| metric.name.as_str());
        metrics.zip(&repeats).filter_map(|(metric, repeats)| Some((metric, several(repeats)?))).collect()
    }

    /// Every case with the mean of its outputs for each metric, in the order of their ids. Those of several models are averaged
    /// within it as those of several repeats are.
    pub fn case_means(&self) -> Vec<CaseMean> {
        let with_models = self.has_several_models();
        let cases = self.cases(with_models);
        let mut found: BTreeMap<(&str, u32), SummedCase> = BTreeMap::new();
        for case in 0..cases.list.len() {
            let (id, _, occurrence) = cases.key(case);
            let (_, means) =
                found.entry((id, occurrence)).or_insert_with(|| (case, vec![(0.0, 0); self.metrics.len()]));
            for (metric, (mean, count)) in means.iter_mut().enumerate() {
                if let Some(value) = cases.value(case, metric) {
                    *count += 1;
                    *mean = updated_mean(*mean, value, *count);
                }
            }
        }
        let case = |((id, occurrence), (first, means)): ((&str, u32), SummedCase)| CaseMean {
            id: id.to_owned(),
            occurrence,
            content: cases.content(first),
            values: means.into_iter().map(|(mean, count)| (count > 0).then_some(mean)).collect(),
        };
        found.into_iter().map(case).collect()
    }

    /// The rows, in the order in which they came, that are the first of these cases.
    pub fn rows_of(&self, identities: &BTreeSet<CaseIdentity>, with_models: bool) -> BTreeMap<usize, CaseIdentity> {
        let keyed = identities.iter().map(|identity| {
            let CaseIdentity { id, model, occurrence } = identity;
            ((id.as_str(), model.as_deref(), *occurrence), identity)
        });
        let by_key: BTreeMap<_, &CaseIdentity> = keyed.collect();
        let cases = self.cases(with_models);
        let found = (0..cases.list.len()).map(|case| (cases.row(case), by_key.get(&cases.key(case))));
        found.filter_map(|(row, identity)| Some((row, (*identity?).clone()))).collect()
    }
}

/// The cases of a run.
pub(super) struct RunCases<'a> {
    side: &'a RunScores,
    with_models: bool,
    /// The first row of each case, and which of its id and model the case is.
    list: Vec<(usize, u32)>,
    /// The means of the repeats that have a value; not a number where none has. Nothing where no case has several.
    means: Vec<f64>,
}

impl RunCases<'_> {
    /// What the case is known by in all runs.
    fn key(&self, case: usize) -> (&str, Option<&str>, u32) {
        let (row, occurrence) = self.list[case];
        (self.side.id(row), self.side.model(row).filter(|_| self.with_models), occurrence)
    }

    fn identity(&self, case: usize) -> CaseIdentity {
        let (id, model, occurrence) = self.key(case);
        CaseIdentity { id: id.to_owned(), model: model.map(str::to_owned), occurrence }
    }

    fn row(&self, case: usize) -> usize {
        self.list[case].0
    }

    fn content(&self, case: usize) -> Option<ContentHash> {
        self.side.contents[self.row(case)]
    }

    fn value(&self, case: usize, metric: usize) -> Option<f64> {
        let (cells, at) = match self.means.as_slice() {
            [] => (self.side.cells.as_slice(), self.row(case)),
            means => (means, case),
        };
        // A mean of one value has no sign of zero.
        Some(cells[at * self.side.metrics.len() + metric] + 0.0).filter(|mean| !mean.is_nan())
    }

    fn groups(&self, case: usize) -> &[String] {
        self.side.groups.get(self.row(case)).map(Vec::as_slice).unwrap_or_default()
    }

    fn cluster(&self, case: usize) -> Option<&str> {
        self.side.clusters.get(self.row(case))?.as_deref()
    }
}

/// What was asked and what would be right. The response, and what was retrieved for it, are what is compared.
pub fn case_content_hash(case: &Case) -> ContentHash {
    let references = case.reference.iter().flatten().map(String::as_str);
    content_of(case.query.as_deref(), references)
}

/// The same of the texts; nothing where there are none. A file whose cases were not at hand has nothing but their ids.
pub fn question_hash(query: Option<&str>, reference: Option<&[impl AsRef<str>]>) -> Option<ContentHash> {
    let is_empty = query.is_none() && reference.is_none();
    (!is_empty).then(|| content_of(query, reference.into_iter().flatten().map(AsRef::as_ref)))
}

fn content_of<'a>(query: Option<&str>, references: impl Iterator<Item = &'a str>) -> ContentHash {
    let mut digest = Sha256::default();
    let mut text = |text: &str| {
        digest.update((text.len() as u64).to_le_bytes());
        digest.update(text);
    };
    text(query.unwrap_or("\u{0}"));
    references.for_each(text);
    let mut half = ContentHash::default();
    half.copy_from_slice(&digest.digest()[..16]);
    half
}

/// The cases of both runs, in the order of their ids.
pub(super) struct Pairs<'a> {
    pub(super) first: &'a RunCases<'a>,
    pub(super) second: &'a RunCases<'a>,
    /// Their places in both.
    list: Vec<(usize, usize)>,
}

/// A case of both runs.
#[derive(Clone, Copy)]
pub(super) struct Pair<'a> {
    of: &'a Pairs<'a>,
    first: usize,
    second: usize,
}

impl<'a> Pairs<'a> {
    pub(super) const fn len(&self) -> usize {
        self.list.len()
    }

    /// Whether a case may have several pairs, one for each model.
    pub(super) const fn have_models(&self) -> bool {
        self.first.with_models
    }

    pub(super) fn get(&'a self, number: usize) -> Pair<'a> {
        let (first, second) = self.list[number];
        Pair { of: self, first, second }
    }

    /// Id, model where the runs have several, and occurrence of a pair.
    pub(super) fn key(&self, number: usize) -> (&str, Option<&str>, u32) {
        self.first.key(self.list[number].0)
    }

    pub(super) fn iter(&'a self) -> impl Iterator<Item = Pair<'a>> {
        (0..self.list.len()).map(|number| self.get(number))
    }
}

impl<'a> Pair<'a> {
    pub(super) fn identity(&self) -> CaseIdentity {
        self.of.first.identity(self.first)
    }

    /// What a metric of each run said, by its place there.
    pub(super) fn values(&self, (first, second): (usize, usize)) -> (Option<f64>, Option<f64>) {
        (self.of.first.value(self.first, first), self.of.second.value(self.second, second))
    }

    /// The groups that the case belongs to, where one of the runs knows them.
    pub(super) fn groups(&self) -> &'a [String] {
        let first = self.of.first.groups(self.first);
        if first.is_empty() { self.of.second.groups(self.second) } else { first }
    }

    /// The cluster that the case belongs to, where one of the runs knows it.
    pub(super) fn cluster(&self) -> Option<&'a str> {
        self.of.first.cluster(self.first).or_else(|| self.of.second.cluster(self.second))
    }
}

/// How cases are paired where each has outputs of several models.
fn case_pairing(
    first: &RunCases<'_>,
    second: &RunCases<'_>,
    list: &[(usize, usize)],
    differing: &[(usize, usize)],
) -> Pairing {
    fn case<'a>((id, _, occurrence): (&'a str, Option<&str>, u32)) -> (&'a str, u32) {
        (id, occurrence)
    }
    fn count(cases: &RunCases<'_>) -> u64 {
        (0..cases.list.len()).map(|at| case(cases.key(at))).collect::<BTreeSet<_>>().len() as u64
    }
    let both = |pairs: &[(usize, usize)]| -> BTreeSet<_> { pairs.iter().map(|(at, _)| case(first.key(*at))).collect() };
    let matched = both(list);
    let different = both(differing).difference(&matched).count() as u64;
    let matched = matched.len() as u64;
    Pairing {
        matched,
        only_baseline: count(first) - matched - different,
        only_other: count(second) - matched - different,
        different_content: different,
    }
}

/// Finds the cases of both runs.
pub(super) fn pair<'a>(first: &'a RunCases<'a>, second: &'a RunCases<'a>) -> (Pairing, Pairs<'a>) {
    let mut pairing = Pairing::default();
    let (mut list, mut differing) = (Vec::new(), Vec::new());
    let (mut left, mut right) = (0, 0);
    while left < first.list.len() && right < second.list.len() {
        match first.key(left).cmp(&second.key(right)) {
            Ordering::Less => {
                pairing.only_baseline += 1;
                left += 1;
            }
            Ordering::Greater => {
                pairing.only_other += 1;
                right += 1;
            }
            Ordering::Equal => {
                match (first.content(left), second.content(right)) {
                    (Some(request), Some(other)) if request != other => differing.push((left, right)),
                    _ => list.push((left, right)),
                }
                left += 1;
                right += 1;
            }
        }
    }
    pairing.only_baseline += (first.list.len() - left) as u64;
    pairing.only_other += (second.list.len() - right) as u64;
    (pairing.matched, pairing.different_content) = (list.len() as u64, differing.len() as u64);
    if first.with_models {
        pairing = case_pairing(first, second, &list, &differing);
    }
    (pairing, Pairs { first, second, list })
}
