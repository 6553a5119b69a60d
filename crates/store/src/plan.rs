//! [`RunPlan`]: everything that decides what a run comes to, and in what two plans differ.

use std::collections::BTreeMap;
use std::path::PathBuf;

use probare_core::{
    AgentRecord, EarlyStopRecord, GenerationRecord, InputFile, MetricInfo, MetricRequest, ModelRecord,
    NamedPromptRecord, ProgramVersion, PromptRecord, ReadSettings,
};
use probare_report::DatasetVersion;
use probare_retrieval::Mode;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value as Json, json};

use crate::RunNames;

/// What a run was planned to do. It stands in the store; nothing of it is secret.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct RunPlan {
    /// The program that made it.
    pub probare: ProgramVersion,
    /// The configuration, as it was named.
    pub config: String,
    /// The benchmark, if it is one.
    #[serde(rename = "suite", default, skip_serializing_if = "Option::is_none")]
    pub benchmark: Option<String>,
    /// Data sets in order.
    pub datasets: Vec<PlannedDataset>,
    /// Most cases of each data set.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limit: Option<u64>,
    /// Models under test, in order.
    #[serde(default)]
    pub models: Vec<ModelRecord>,
    /// Outputs of each model for each case.
    pub repeats: u32,
    /// How passages are found for each case.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub retrieval: Option<PlannedRetrieval>,
    /// Digest of what makes the models under test agents: tools, seed of the state, simulated user, limits.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent: Option<String>,
    /// What the manifest says about them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent_record: Option<AgentRecord>,
    /// The model that plays the user of agents.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub user: Option<ModelRecord>,
    /// The test of an index that the run is, where no configuration describes it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub test: Option<RagTest>,
    /// The day on which the traces came, where `probare serve --collect` made the run: `2026-11-19`, in UTC.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub collected: Option<String>,
    /// SHA-256 of instructions, examples and prompt of the models under test.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub prompt: Option<String>,
    /// Prompts of the models under test that have names, in order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub generation_prompts: Vec<NamedPromptRecord>,
    /// Metrics with versions and options.
    pub metrics: Vec<MetricInfo>,
    /// Models that judge.
    #[serde(default)]
    pub judges: Vec<ModelRecord>,
    /// Models that answer in place of others.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub fallbacks: Vec<ModelRecord>,
    /// Prompts of the metrics that ask.
    #[serde(default)]
    pub prompts: Vec<PromptRecord>,
    /// Files of recorded replies that stand for models.
    #[serde(default)]
    pub replies: Vec<InputFile>,
    /// Reports that were asked for.
    #[serde(default)]
    pub outputs: Vec<String>,
    /// The run whose outputs are scored; nothing where models under test are asked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub outputs_of: Option<i64>,
    /// How that run stopped early: only its first cases are scored. Nothing where it did not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub early_stop: Option<EarlyStopRecord>,
    /// Digest of what the results say that it is compared with.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub baseline: Option<String>,
    /// The settings that it began with.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub settings: Option<Json>,
    /// Made with a key of the user who began the run, of everything above.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mark: Option<String>,
}

/// A data set of a run.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct PlannedDataset {
    pub name: String,
    /// The file with its digest.
    pub input: InputFile,
    /// How it is read.
    pub reading: ReadSettings,
    /// Cases in it, up to the limit.
    pub cases: u64,
}

/// How passages are found in a run; it decides the results.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct PlannedRetrieval {
    /// The index, as it was named.
    pub index: String,
    /// What decides its answers, as a digest.
    pub digest: String,
    /// Most passages.
    pub k: usize,
    /// Which documents are searched.
    pub filter: Map<String, Json>,
    /// How they are ranked.
    pub mode: Mode,
}

/// What `probare rag test` was asked for. It stands in the plan of its run, so that the run can be resumed.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct RagTest {
    /// The index, as it was named.
    pub index: String,
    /// The questions, as they were named.
    pub questions: String,
    /// Most passages.
    pub k: usize,
    /// Which documents are searched.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub filter: Map<String, Json>,
    /// How they are ranked.
    pub mode: Mode,
    /// Model of the vectors, where it was named.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub embedding: Option<String>,
    /// Models that answer; none where retrieval alone is tested.
    #[serde(default)]
    pub models: Vec<String>,
    /// The configuration with further settings, if there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub config: Option<String>,
    /// Metrics; the usual ones where none is named.
    #[serde(default)]
    pub metrics: Vec<RequestedMetric>,
}

/// A metric that was asked for.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RequestedMetric {
    pub name: String,
    pub id: String,
    pub options: Json,
}

impl From<MetricRequest> for RequestedMetric {
    fn from(MetricRequest { name, id, options, .. }: MetricRequest) -> Self {
        Self { name, id, options }
    }
}

impl RagTest {
    /// The file that stands for the configuration: the questions, since files are looked for from there.
    pub fn path(&self) -> PathBuf {
        PathBuf::from(&self.questions)
    }
}

impl RunPlan {
    /// A setting that it began with.
    pub fn setting(&self, name: &str) -> Option<&Json> {
        self.settings.as_ref()?.get(name)
    }

    /// Samples in all; those of its first cases where only they are scored.
    pub fn samples(&self) -> u64 {
        let cases = || self.datasets.iter().map(|dataset| dataset.cases).sum::<u64>();
        self.early_stop.as_ref().map_or_else(cases, |early| early.seen) * self.outputs_per_case()
    }

    /// Outputs of each case.
    pub fn outputs_per_case(&self) -> u64 {
        let prompts = self.generation_prompts.len() as u64;
        (self.models.len() as u64).max(1) * prompts.max(1) * u64::from(self.repeats.max(1))
    }

    /// Whether results name the prompt: a run with one prompt leaves it out.
    pub const fn names_prompts(&self) -> bool {
        self.generation_prompts.len() > 1
    }

    /// Whether another model may answer in place of the one that is asked.
    pub fn has_fallbacks(&self) -> bool {
        self.models.iter().any(|model| !model.fallback.is_empty())
    }

    /// By which names samples are kept.
    pub fn names(&self) -> RunNames {
        let prompts = self.generation_prompts.iter().filter(|_| self.names_prompts());
        RunNames {
            datasets: self.datasets.iter().map(|dataset| dataset.name.clone()).collect(),
            models: self.models.iter().map(|model| model.name.clone()).collect(),
            prompts: prompts.map(|prompt| prompt.name.clone()).collect(),
        }
    }

    /// How its outputs came about, for the manifest.
    pub fn generation_record(&self) -> GenerationRecord {
        let RunNames { datasets, models, .. } = self.names();
        GenerationRecord {
            datasets,
            models,
            repeats: self.repeats,
            prompt: self.prompt.clone(),
            prompts: self.generation_prompts.clone(),
            retrieval: self.retrieval.as_ref().map(|retrieval| json!(retrieval)),
            agent: self.agent_record.clone(),
        }
    }

    /// Its data sets with their versions. A file whose responses are scored is another one in every run: only its name counts.
    pub fn dataset_versions(&self) -> Vec<DatasetVersion> {
        let is_asked = !self.models.is_empty();
        let version = |set: &PlannedDataset| DatasetVersion {
            name: set.name.clone(),
            version: set.input.version.clone(),
            sha256: Some(set.input.sha256.clone()).filter(|sha256| is_asked && !sha256.is_empty()),
        };
        self.datasets.iter().map(version).collect()
    }

    /// What of all that decides outputs is different now, in words.
    pub fn output_differences(&self, now: &Self) -> Vec<String> {
        let outputs = |plan: &Self| Self {
            judges: Vec::new(),
            // No tool is called, and nobody plays the user.
            agent: None,
            user: None,
            // Nobody is asked, so nobody stands in; who may is one of the settings of a model.
            fallbacks: Vec::new(),
            metrics: Vec::new(),
            prompts: Vec::new(),
            replies: Vec::new(),
            baseline: None,
            ..plan.clone()
        };
        outputs(self).differences(&outputs(now))
    }

    /// What is different now, in words; nothing where both come to the same.
    pub fn differences(&self, now: &Self) -> Vec<String> {
        let mut found = Vec::new();
        let datasets = |plan: &Self| {
            let each =
                plan.datasets.iter().map(|set| (set.name.clone(), (set.input.sha256.clone(), set.reading.clone())));
            each.collect::<BTreeMap<_, _>>()
        };
        compare(&mut found, "the cases of", &datasets(self), &datasets(now));
        if self.limit != now.limit {
            found.push(format!("the limit was {}, now it is {}", limit(self.limit), limit(now.limit)));
        }
        let models = |models: &[ModelRecord]| models.iter().map(|model| (model.name.clone(), model.clone())).collect();
        compare(&mut found, "the settings of model", &models(&self.models), &models(&now.models));
        compare(&mut found, "the settings of judge", &models(&self.judges), &models(&now.judges));
        compare(&mut found, "the settings of fallback", &models(&self.fallbacks), &models(&now.fallbacks));
        if self.repeats != now.repeats {
            found.push(format!("`repeats` was {}, now it is {}", self.repeats, now.repeats));
        }
        found.extend(self.retrieval_difference(now));
        if self.agent != now.agent {
            found.push("the tools, the state, the user or the limits of `agent` changed".to_owned());
        }
        if self.user != now.user {
            found.push("the settings of the model that plays the user changed".to_owned());
        }
        if self.baseline != now.baseline {
            found.push("the results that it is compared with changed".to_owned());
        }
        if self.prompt != now.prompt {
            found.push("the prompt of the models under test changed".to_owned());
        }
        let named = |plan: &Self| {
            let each = plan.generation_prompts.iter().map(|prompt| (prompt.name.clone(), prompt.sha256.clone()));
            each.collect::<BTreeMap<_, _>>()
        };
        compare(&mut found, "the texts and parameters of prompt", &named(self), &named(now));
        found.extend(self.metrics.iter().filter_map(|before| metric_difference(before, &now.metrics)));
        let is_new = |metric: &&MetricInfo| self.metrics.iter().all(|before| before.name != metric.name);
        found.extend(now.metrics.iter().filter(is_new).map(|metric| format!("metric `{}` is new", metric.name)));
        let prompts = |plan: &Self| {
            plan.prompts.iter().map(|prompt| (prompt.metric.clone(), prompt.sha256.clone())).collect::<BTreeMap<_, _>>()
        };
        compare(&mut found, "the prompt of metric", &prompts(self), &prompts(now));
        let replies = |plan: &Self| {
            plan.replies.iter().map(|input| (input.path.clone(), input.sha256.clone())).collect::<BTreeMap<_, _>>()
        };
        compare(&mut found, "the recorded replies", &replies(self), &replies(now));
        found
    }

    fn retrieval_difference(&self, now: &Self) -> Option<String> {
        match (&self.retrieval, &now.retrieval) {
            (Some(before), Some(after)) if before.digest != after.digest => {
                Some(format!("the index `{}` changed", after.index))
            }
            (Some(PlannedRetrieval { k, filter, mode, .. }), Some(after))
                if (*k, *mode, filter) == (after.k, after.mode, &after.filter) =>
            {
                None
            }
            (None, None) => None,
            _ => Some("how passages are retrieved changed".to_owned()),
        }
    }
}

/// What is different about a metric now.
fn metric_difference(before: &MetricInfo, now: &[MetricInfo]) -> Option<String> {
    let MetricInfo { name, id, version, .. } = before;
    let Some(metric) = now.iter().find(|metric| metric.name == *name) else {
        return Some(format!("metric `{name}` is gone"));
    };
    if metric.id != *id || metric.version != *version {
        let (new_id, new_version) = (&metric.id, metric.version);
        return Some(format!("metric `{name}` was {id} version {version}, now it is {new_id} version {new_version}"));
    }
    if metric.options != before.options || metric.profile.unwrap_or_default() != before.profile.unwrap_or_default() {
        return Some(format!("the options of metric `{name}` changed"));
    }
    (code_digests(metric) != code_digests(before)).then(|| format!("the code of metric `{name}` changed"))
}

/// What computes a metric of the user's own: the names of files say nothing, what stands in them does.
fn code_digests(metric: &MetricInfo) -> Vec<&str> {
    metric.code.iter().flat_map(|code| code.files.values()).map(String::as_str).collect()
}

fn limit(limit: Option<u64>) -> String {
    limit.map_or_else(|| "none".to_owned(), |limit| limit.to_string())
}

fn compare<T: PartialEq>(found: &mut Vec<String>, what: &str, before: &BTreeMap<String, T>, now: &BTreeMap<String, T>) {
    for (name, old) in before {
        match now.get(name) {
            None => found.push(format!("{what} `{name}` are gone")),
            Some(new) if new != old => found.push(format!("{what} `{name}` changed")),
            Some(_) => {}
        }
    }
    let new = now.keys().filter(|name| !before.contains_key(*name));
    found.extend(new.map(|name| format!("{what} `{name}` are new")));
}

#[cfg(test)]
mod tests {
    use probare_core::Better;

    use super::*;

    #[test]
    fn every_change_that_moves_a_result_is_named() {
        let dataset = PlannedDataset {
            name: "facts".into(),
            input: InputFile { path: "facts.jsonl".into(), sha256: "1".into(), ..InputFile::default() },
            cases: 3,
            ..PlannedDataset::default()
        };
        let model = ModelRecord { name: "m".into(), ..ModelRecord::default() };
        let metric = MetricInfo {
            name: "x".into(),
            id: "exact_match".into(),
            summary: "".into(),
            better: Better::Higher,
            range: (0.0, 1.0),
            version: 1,
            profile: None,
            options: Json::Null,
            decision_thresholds: None,
            is_descriptive: false,
            code: None,
        };
        let plan = RunPlan {
            datasets: vec![dataset],
            models: vec![model],
            repeats: 2,
            metrics: vec![metric],
            ..RunPlan::default()
        };
        assert_eq!(plan.samples(), 6);
        assert!(plan.differences(&plan).is_empty());
        let changed = |change: fn(&mut RunPlan)| {
            let mut other = plan.clone();
            change(&mut other);
            plan.differences(&other).join("; ")
        };
        assert_eq!(changed(|plan| plan.datasets[0].input.sha256 = "2".into()), "the cases of `facts` changed");
        assert_eq!(changed(|plan| plan.datasets[0].input.path = "elsewhere.jsonl".into()), "");
        assert_eq!(changed(|plan| plan.models[0].parameters.seed = Some(1)), "the settings of model `m` changed");
        assert_eq!(changed(|plan| plan.models.clear()), "the settings of model `m` are gone");
        assert_eq!(changed(|plan| plan.prompt = Some("p".into())), "the prompt of the models under test changed");
        let prompt = |name: &str| NamedPromptRecord { name: name.into(), sha256: "1".into() };
        assert_eq!(RunPlan { generation_prompts: vec![prompt("a"), prompt("b")], ..plan.clone() }.samples(), 12);
        assert_eq!(
            changed(|plan| plan.generation_prompts = vec![NamedPromptRecord { name: "a".into(), sha256: "1".into() }]),
            "the texts and parameters of prompt `a` are new"
        );
        assert_eq!(
            changed(|plan| plan.metrics[0].version = 2),
            "metric `x` was exact_match version 1, now it is exact_match version 2"
        );
        assert_eq!(changed(|plan| plan.repeats = 3), "`repeats` was 2, now it is 3");
        assert_eq!(changed(|plan| plan.limit = Some(3)), "the limit was none, now it is 3");
        assert_eq!(changed(|plan| plan.outputs.push("a.jsonl".into())), "");
    }
}
