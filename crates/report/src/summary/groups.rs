//! [`Groups`]: the means of a run apart for each tag, or each value of a key in the metadata.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::convert::Infallible;
use std::fmt;
use std::str::FromStr;

use probare_core::{Case, CaseResult, MetricInfo, Outcome, UNSURE, output_source_name};
use serde::ser::{SerializeMap, SerializeSeq, SerializeStruct};
use serde::{Serialize, Serializer};
use serde_json::Value as Json;

use super::case_means::{CaseMeans, MeanInterval};
use super::case_table::CaseTable;
use super::watched_gate::{WatchedGate, take_in};
use crate::Gate;
use crate::escape::excerpt;
use crate::gate::GateCounts;

/// Groups that are kept apart: the first that come; cases of further ones are counted together.
pub const MOST_GROUPS: usize = 100;

/// Characters of the name of a group that are kept.
const LENGTH: usize = 80;

/// By what cases are grouped.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum GroupBy {
    /// `tags`: one group for each tag; a case with several tags is in several groups.
    Tags,
    /// `lang`: for tags such as `lang:en` or `lang=en` one group for each value; a tag `lang` alone is a group of its own. A
    /// case without such a tag is grouped by the key `lang` of its metadata.
    Tag(String),
    /// `metadata.KEY`: one group for each value of the key.
    Metadata(String),
    /// `model`: one group for each model whose outputs were scored.
    Model,
    /// `prompt`: one group for each prompt that models were asked with.
    Prompt,
    /// `model+prompt`: one group for each model with each prompt.
    ModelPrompt,
    /// `model,BY`, `prompt,BY`, `model+prompt,BY`: the groups of both.
    Both(Box<Self>, Box<Self>),
}

impl FromStr for GroupBy {
    type Err = Infallible;

    fn from_str(text: &str) -> Result<Self, Infallible> {
        let sources = [Self::Model, Self::Prompt, Self::ModelPrompt];
        if let Some((first, second)) = text.split_once(',')
            && let Some(source) = sources.iter().find(|source| source.to_string() == first)
        {
            return Ok(Self::Both(Box::new(source.clone()), Box::new(second.parse()?)));
        }
        Ok(match text.strip_prefix("metadata.") {
            Some(key) => Self::Metadata(key.to_owned()),
            None if text == "tags" => Self::Tags,
            None => {
                sources.into_iter().find(|source| source.to_string() == text).unwrap_or_else(|| Self::Tag(text.into()))
            }
        })
    }
}

impl fmt::Display for GroupBy {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Tags => formatter.write_str("tags"),
            Self::Tag(tag) => formatter.write_str(tag),
            Self::Metadata(key) => write!(formatter, "metadata.{key}"),
            Self::Model => formatter.write_str("model"),
            Self::Prompt => formatter.write_str("prompt"),
            Self::ModelPrompt => formatter.write_str("model+prompt"),
            Self::Both(first, second) => write!(formatter, "{first},{second}"),
        }
    }
}

impl GroupBy {
    /// Whether it takes more of a case than its tags.
    pub fn needs_metadata(&self) -> bool {
        match self {
            Self::Metadata(_) | Self::Tag(_) | Self::Prompt => true,
            Self::Both(first, second) => first.needs_metadata() || second.needs_metadata(),
            Self::Tags | Self::Model | Self::ModelPrompt => false,
        }
    }

    /// Whether it tells nothing apart but whose outputs results are about.
    pub const fn is_by_source(&self) -> bool {
        matches!(self, Self::Model | Self::ModelPrompt)
    }

    /// The groups of a case; none where it lacks what it is grouped by.
    pub fn groups<'a>(&self, case: &'a Case, model: Option<&'a str>, prompt: Option<&'a str>) -> Vec<Cow<'a, str>> {
        let mut names: Vec<Cow<'a, str>> = match self {
            Self::Model => model.map(Cow::Borrowed).into_iter().collect(),
            Self::Prompt => match prompt {
                Some(prompt) => vec![Cow::Borrowed(prompt)],
                // Where nobody was asked, it is a name like any other.
                None => return Self::Tag("prompt".to_owned()).groups(case, model, None),
            },
            Self::ModelPrompt => output_source_name(model, prompt).into_iter().collect(),
            Self::Both(first, second) => {
                first.groups(case, model, prompt).into_iter().chain(second.groups(case, model, prompt)).collect()
            }
            Self::Tags => case.tags.iter().map(|tag| Cow::Borrowed(tag.as_str())).collect(),
            Self::Tag(prefix) => {
                let value = |tag: &'a String| {
                    let rest = tag.strip_prefix(prefix.as_str())?;
                    if rest.is_empty() { Some(tag.as_str()) } else { rest.strip_prefix([':', '=']).map(str::trim) }
                };
                let tagged: Vec<Cow<'a, str>> = case.tags.iter().filter_map(value).map(Cow::Borrowed).collect();
                if tagged.is_empty() { metadata_text(case, prefix).into_iter().collect() } else { tagged }
            }
            // A column `model` says whose outputs these are, also where it has become the model of the output.
            Self::Metadata(key) if key == "model" => {
                metadata_text(case, key).or(model.map(Cow::Borrowed)).into_iter().collect()
            }
            Self::Metadata(key) => metadata_text(case, key).into_iter().collect(),
        };
        names.sort_unstable();
        names.dedup();
        names
    }
}

/// The value of a key of the metadata as a text, or of a path with dots; nothing where the case has none.
pub(super) fn metadata_text<'a>(case: &'a Case, key: &str) -> Option<Cow<'a, str>> {
    let path = format!("/{}", key.replace('.', "/"));
    match case.metadata.get(key).or_else(|| case.metadata_at(&path))? {
        Json::Null => None,
        Json::String(text) => Some(Cow::Borrowed(text.as_str())),
        other => Some(Cow::Owned(other.to_string())),
    }
}

/// What all metrics said about the cases of one group.
#[derive(Debug, Clone)]
pub struct Group {
    /// Outputs in it.
    pub outputs: u64,
    table: CaseTable,
    metrics: Vec<GroupMetric>,
    tallies: Vec<GateCounts>,
}

/// What one metric said about the cases of a group.
#[derive(Debug, Clone, Default)]
struct GroupMetric {
    means: CaseMeans,
    scored: u64,
    unsure: u64,
    not_applicable: u64,
    failed: u64,
}

impl Group {
    fn new(metrics: &[MetricInfo], gates: usize, is_clustered: bool, is_over_outputs: bool) -> Self {
        let of_metric =
            |info| GroupMetric { means: CaseMeans::for_metric(info, is_clustered), ..GroupMetric::default() };
        Self {
            outputs: 0,
            table: CaseTable::new(metrics.len() + gates).over_outputs(is_over_outputs),
            metrics: metrics.iter().map(of_metric).collect(),
            tallies: vec![GateCounts::new(is_clustered); gates],
        }
    }

    fn add(&mut self, result: &CaseResult, cluster: u32, watched: &[WatchedGate]) {
        self.outputs += 1;
        for (metric, named) in self.metrics.iter_mut().zip(&result.results) {
            match named {
                Ok(Outcome::Scored(score)) => {
                    metric.scored += 1;
                    metric.unsure += u64::from(score.is_unsure());
                }
                Ok(Outcome::Labelled(label)) => {
                    metric.scored += 1;
                    metric.unsure += u64::from(label.label == UNSURE);
                }
                Ok(Outcome::NotApplicable { .. }) => metric.not_applicable += 1,
                Err(_) => metric.failed += 1,
            }
        }
        let means = self.metrics.iter_mut().map(|metric| &mut metric.means);
        take_in(&mut self.table, result, || cluster, means, watched.iter().zip(&mut self.tallies));
    }

    /// Cases in it.
    pub const fn cases(&self) -> u64 {
        self.table.cases()
    }

    /// Outputs that a metric of the run, counted from 0, scored in this group.
    pub fn scored(&self, metric: usize) -> u64 {
        self.metrics.get(metric).map_or(0, |metric| metric.scored)
    }

    /// Those of them about which it is unsure.
    pub fn unsure(&self, metric: usize) -> u64 {
        self.metrics.get(metric).map_or(0, |metric| metric.unsure)
    }

    /// Cases of which it scored at least one output: what its mean is over.
    pub fn cases_scored(&self, metric: usize) -> u64 {
        self.metrics.get(metric).map_or(0, |metric| metric.means.cases())
    }

    /// Outputs to which the question of the metric does not apply.
    pub fn not_applicable(&self, metric: usize) -> u64 {
        self.metrics.get(metric).map_or(0, |metric| metric.not_applicable)
    }

    /// Outputs that it could not score.
    pub fn failed(&self, metric: usize) -> u64 {
        self.metrics.get(metric).map_or(0, |metric| metric.failed)
    }

    /// The mean over its cases.
    pub fn mean(&self, metric: usize) -> Option<f64> {
        self.metrics.get(metric)?.means.mean()
    }

    /// The standard deviation of the values of its cases.
    pub fn deviation(&self, metric: usize) -> Option<f64> {
        self.metrics.get(metric)?.means.deviation()
    }

    /// The interval of that mean.
    pub fn interval(&self, metric: usize, info: &MetricInfo) -> Option<MeanInterval> {
        self.metrics.get(metric)?.means.interval(info.range).filter(|_| !self.table.is_scattered())
    }

    /// What was counted for a gate on groups, counted from 0.
    pub(super) fn tally(&self, gate: usize) -> Option<&GateCounts> {
        self.tallies.get(gate)
    }
}

/// The cases of a run in groups.
#[derive(Debug, Clone)]
pub struct Groups {
    /// What they are grouped by.
    pub by: GroupBy,
    /// The groups by their names.
    pub kept: BTreeMap<String, Group>,
    /// Cases that lack what they are grouped by.
    pub without: Option<Group>,
    /// Cases of groups that came when there were already [`MOST_GROUPS`].
    pub others: Option<Group>,
    metrics: Vec<MetricInfo>,
    /// Gates that each group is held against.
    watched: Vec<WatchedGate>,
    is_clustered: bool,
    is_over_outputs: bool,
}

impl Groups {
    pub(super) fn new(by: GroupBy) -> Self {
        Self {
            by,
            kept: BTreeMap::new(),
            without: None,
            others: None,
            metrics: Vec::new(),
            watched: Vec::new(),
            is_clustered: false,
            is_over_outputs: false,
        }
    }

    pub(super) fn start(&mut self, metrics: &[MetricInfo], gates: &[Gate], is_clustered: bool, is_over_outputs: bool) {
        let watched = gates.iter().map(|gate| WatchedGate::new(gate, metrics)).collect();
        *self =
            Self { metrics: metrics.to_vec(), watched, is_clustered, is_over_outputs, ..Self::new(self.by.clone()) };
    }

    pub(super) fn add(&mut self, result: &CaseResult, cluster: u32) {
        let watched = self.watched.as_slice();
        let new = || Group::new(&self.metrics, watched.len(), self.is_clustered, self.is_over_outputs);
        let names = self.by.groups(&result.case, result.model.as_deref(), result.prompt.as_deref());
        if names.is_empty() {
            self.without.get_or_insert_with(new).add(result, cluster, watched);
        }
        let mut is_other = false;
        for name in names {
            let name = excerpt(&name, LENGTH);
            if let Some(group) = self.kept.get_mut(&name) {
                group.add(result, cluster, watched);
            } else if self.kept.len() < MOST_GROUPS {
                let mut group = new();
                group.add(result, cluster, watched);
                self.kept.insert(name, group);
            } else {
                is_other = true;
            }
        }
        if is_other {
            self.others.get_or_insert_with(new).add(result, cluster, watched);
        }
    }

    /// Says that nothing is known about how cases hang together: no group has an interval.
    pub(super) fn unsettle(&mut self) {
        let apart = self.without.iter_mut().chain(&mut self.others);
        self.kept.values_mut().chain(apart).for_each(|group| group.table.scatter());
    }

    /// All groups with the names that readers see.
    pub fn with_names(&self) -> impl Iterator<Item = (&str, &Group)> {
        let by_name = self.kept.iter().map(|(name, group)| (name.as_str(), group));
        let without = self.without.as_ref().map(|group| ("(none)", group));
        by_name.chain(without).chain(self.others.as_ref().map(|group| ("(further groups)", group)))
    }

    /// Why nothing was grouped, where no case has what cases are grouped by: the name is most likely a slip.
    pub fn problem(&self) -> Option<String> {
        let is_empty = self.kept.is_empty() && self.others.is_none() && self.without.is_some();
        let missing = match &self.by {
            GroupBy::Tags => "no case has a tag".to_owned(),
            GroupBy::Tag(name) => {
                format!("no case has a tag `{name}`, `{name}:VALUE` or a key `{name}` in its metadata")
            }
            GroupBy::Metadata(key) => format!("no case has a key `{key}` in its metadata"),
            GroupBy::Prompt => "the run has not several prompts, and no case has a tag or key `prompt`".to_owned(),
            GroupBy::Model | GroupBy::ModelPrompt | GroupBy::Both(..) => return None,
        };
        is_empty.then(|| format!("`--by {}`: {missing}", self.by))
    }

    /// The metrics of the run.
    pub fn metrics(&self) -> &[MetricInfo] {
        &self.metrics
    }
}

/// A group on its way into a file.
struct SerializedGroup<'a>(&'a Group, &'a [MetricInfo]);

impl Serialize for SerializedGroup<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Self(group, metrics) = self;
        let mut map = serializer.serialize_struct("Group", 3)?;
        map.serialize_field("cases", &group.cases())?;
        map.serialize_field("outputs", &group.outputs)?;
        map.serialize_field("metrics", &SerializedGroupMetrics(group, metrics))?;
        map.end()
    }
}

struct SerializedGroupMetrics<'a>(&'a Group, &'a [MetricInfo]);

impl Serialize for SerializedGroupMetrics<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        #[derive(Serialize)]
        struct One<'a> {
            name: &'a str,
            mean: Option<f64>,
            interval: Option<MeanInterval>,
            cases: u64,
            scored: u64,
        }
        let Self(group, metrics) = self;
        let mut list = serializer.serialize_seq(Some(metrics.len()))?;
        for (at, info) in metrics.iter().enumerate() {
            let (mean, interval) = (group.mean(at), group.interval(at, info));
            let (cases, scored) = (group.cases_scored(at), group.scored(at));
            list.serialize_element(&One { name: &info.name, mean, interval, cases, scored })?;
        }
        list.end()
    }
}

struct SerializedGroups<'a>(&'a Groups);

impl Serialize for SerializedGroups<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.0.kept.len()))?;
        for (name, group) in &self.0.kept {
            map.serialize_entry(name, &SerializedGroup(group, &self.0.metrics))?;
        }
        map.end()
    }
}

impl Serialize for Groups {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let is_shown = |group: &Option<Group>| group.is_some();
        let mut map = serializer.serialize_struct("Groups", 4)?;
        map.serialize_field("by", &self.by.to_string())?;
        map.serialize_field("groups", &SerializedGroups(self))?;
        for (name, group) in [("without", &self.without), ("others", &self.others)] {
            if is_shown(group) {
                map.serialize_field(name, &group.as_ref().map(|group| SerializedGroup(group, &self.metrics)))?;
            }
        }
        map.end()
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::{metrics, result};

    use super::*;

    fn tagged(id: &str, value: f64, tags: &[&str]) -> CaseResult {
        let mut result = result(id, value);
        result.case.tags = tags.iter().map(|tag| (*tag).to_owned()).collect();
        result
    }

    fn grouped(by: &str, results: &[CaseResult]) -> Groups {
        let mut groups = Groups::new(by.parse().unwrap());
        groups.start(&metrics()[..1], &[], false, false);
        for result in results {
            groups.add(result, 0);
        }
        groups
    }

    #[test]
    fn a_case_is_in_the_group_of_each_of_its_tags() {
        let results = [tagged("a", 0.2, &["lang:en", "short"]), tagged("b", 0.4, &["lang:de"]), tagged("c", 1.0, &[])];
        let groups = grouped("tags", &results);
        let seen: Vec<_> = groups.with_names().map(|(name, group)| (name, group.scored(0))).collect();
        assert_eq!(seen, [("lang:de", 1), ("lang:en", 1), ("short", 1), ("(none)", 1)]);
        let languages = grouped("lang", &results);
        let seen: Vec<_> = languages.with_names().map(|(name, group)| (name, group.mean(0))).collect();
        assert_eq!(seen, [("de", Some(0.4)), ("en", Some(0.2)), ("(none)", Some(1.0))]);
        assert_eq!(grouped("short", &results).kept.keys().collect::<Vec<_>>(), ["short"]);
    }

    #[test]
    fn a_name_without_a_tag_is_a_key_of_the_metadata_and_one_that_nobody_has_is_a_problem() {
        let mut results = [tagged("a", 0.2, &["lang:en"]), tagged("b", 0.4, &[])];
        results[1].case.metadata.insert("lang".to_owned(), "de".into());
        let languages = grouped("lang", &results);
        assert_eq!(languages.kept.keys().collect::<Vec<_>>(), ["de", "en"]);
        assert_eq!(languages.problem(), None);
        let nobody = "`--by topic`: no case has a tag `topic`, `topic:VALUE` or a key `topic` in its metadata";
        assert_eq!(grouped("topic", &results).problem().as_deref(), Some(nobody));
        assert!(
            grouped("metadata.topic", &results).problem().is_some() && grouped("model", &results).problem().is_none()
        );
    }

    #[test]
    fn values_of_metadata_are_groups() {
        let mut results = [result("a", 0.2), result("b", 0.4)];
        results[0].case.metadata.insert("level".into(), Json::from(3));
        results[1].case.metadata.insert("model".into(), serde_json::json!({"name": "small"}));
        assert_eq!(grouped("metadata.level", &results).kept.keys().collect::<Vec<_>>(), ["3"]);
        let groups = grouped("metadata.model.name", &results);
        insta::assert_snapshot!(serde_json::to_string(&groups).unwrap(), @r#"{"by":"metadata.model.name","groups":{"small":{"cases":1,"outputs":1,"metrics":[{"name":"relevance","mean":0.4,"interval":null,"cases":1,"scored":1}]}},"without":{"cases":1,"outputs":1,"metrics":[{"name":"relevance","mean":0.2,"interval":null,"cases":1,"scored":1}]}}"#);
    }

    #[test]
    fn models_are_groups() {
        let mut results = [result("a", 0.2), result("a", 0.4)];
        for (result, model) in results.iter_mut().zip(["small", "large"]) {
            result.model = Some(model.to_owned());
        }
        let groups = grouped("model", &results);
        let seen: Vec<_> = groups.with_names().map(|(name, group)| (name, group.mean(0))).collect();
        assert_eq!(seen, [("large", Some(0.4)), ("small", Some(0.2))]);
        assert_eq!("model".parse::<GroupBy>().unwrap().to_string(), "model");
    }

    #[test]
    fn the_number_of_groups_is_bounded() {
        let results: Vec<CaseResult> =
            (0..MOST_GROUPS + 7).map(|number| tagged("x", 0.5, &[format!("t{number:03}").as_str()])).collect();
        let groups = grouped("tags", &results);
        assert_eq!(groups.kept.len(), MOST_GROUPS);
        assert_eq!(groups.others.as_ref().map(|group| (group.outputs, group.scored(0))), Some((7, 7)));
    }
}
