//! [`Collector`]: gathers the records of all subtasks and models, writes the collector's result files, and says what they come
//! to in all.

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::path::{Path, PathBuf};
use std::time::Instant;

use probare_core::{BenchmarkStatus, CaseResult, Console, Event, MetricInfo, Panel, Publisher, Sink, Stop};
use probare_report::{OutputWriter, escape};
use serde_json::{Value as Json, json};

use super::Subtask;
use super::aggregate::{Aggregate, RecordScore, aggregate};
use super::model_scores::{ModelScores, TaskScore, panel};
use super::records::{SgiRecord, build_record};
use super::subtask::case_subtask;
use crate::printing::{print, remark};
use crate::sgi::metrics::Upstream;

/// Where result files go, and what stands in their names.
#[derive(Debug, Clone, Default)]
pub struct Destination {
    pub folder: PathBuf,
    /// The part of the data.
    pub split: String,
    /// `YYYYMMDD_HHMMSS`.
    pub stamp: String,
    /// Whether only the first rows are run.
    pub demo: bool,
}

/// What a collector knows before the run.
#[derive(Debug, Clone, Default)]
pub struct CollectorPlan {
    /// Where result files go; nowhere if absent.
    pub destination: Option<Destination>,
    /// Digests of the data by subtask.
    pub fingerprints: BTreeMap<Subtask, String>,
    /// Whose outputs they are, where the cases do not say.
    pub model: Option<String>,
    /// The value of the fifth task, experimental reasoning, from 0 to 100.
    pub fifth: Option<f64>,
    /// Subtasks that were left out, and why.
    pub refused: Vec<(Subtask, String)>,
    /// Why the run is over a part of the data alone, where it is: then there is no SGI-Score.
    pub partial: Option<String>,
    /// Whose prompts are used, with their digests.
    pub prompts: String,
    /// Which implementation is followed.
    pub upstream: Upstream,
    /// What is to be said before the first case.
    pub warnings: Vec<String>,
    /// What is printed, and how.
    pub console: Console,
}

/// Collects records.
pub struct Collector {
    plan: CollectorPlan,
    metrics: Vec<MetricInfo>,
    records: BTreeMap<(String, Subtask), Vec<SgiRecord>>,
    started: Instant,
    written: Vec<PathBuf>,
}

impl Collector {
    /// A collector.
    pub fn new(plan: CollectorPlan) -> Self {
        Self { plan, metrics: Vec::new(), records: BTreeMap::new(), started: Instant::now(), written: Vec::new() }
    }

    fn add_result(&mut self, result: &CaseResult) {
        let Some(subtask) = case_subtask(&result.case) else { return };
        let Some(at) = self.metrics.iter().position(|metric| metric.id == subtask.metric()) else { return };
        let Some(named) = result.results.get(at) else { return };
        let is_beside = |metric: &MetricInfo| subtask.judged_beside() == Some(&metric.id);
        let beside = self.metrics.iter().position(is_beside).and_then(|at| result.results.get(at));
        let model = result.model.clone().or_else(|| self.plan.model.clone()).unwrap_or_else(|| "responses".to_owned());
        let records = self.records.entry((model, subtask)).or_default();
        let next = records.len() + 1;
        records.push(build_record(subtask, next, result, named, beside));
    }

    fn models(&self) -> BTreeSet<&str> {
        self.records.keys().map(|(model, _)| model.as_str()).collect()
    }

    fn model_scores(&self) -> Vec<ModelScores<'_>> {
        let of = |model| {
            let tasks = Subtask::ALL.into_iter().filter_map(|subtask| {
                let records = self.records.get(&(String::from(model), subtask))?;
                Some(TaskScore::new(subtask, records))
            });
            let partial = self.plan.partial.as_deref();
            ModelScores { model, tasks: tasks.collect(), fifth: self.plan.fifth, partial }
        };
        self.models().into_iter().map(of).collect()
    }

    fn publish(&self) -> io::Result<Vec<PathBuf>> {
        let mut written = Vec::new();
        if let Some(destination) = &self.plan.destination {
            for ((model, subtask), records) in &self.records {
                let path = free_path(&destination.path(*subtask, model));
                let content = self.document(destination, *subtask, model, records);
                OutputWriter::write_file(&path, format!("{content:#}").as_bytes())?;
                written.push(path);
            }
        }
        if !self.plan.console.quiet {
            print(&self.text())?;
        }
        Ok(written)
    }

    fn document(&self, destination: &Destination, subtask: Subtask, model: &str, records: &[SgiRecord]) -> Json {
        let scored: Vec<RecordScore> = records.iter().map(|record| record.scored.clone()).collect();
        let Aggregate { performance, extra_metrics, failed, .. } = aggregate(subtask, &scored);
        let sum = |name: &str| records.iter().filter_map(|record| record.json[name].as_u64()).sum::<u64>();
        let cost = records.iter().filter_map(|record| record.json["cost"].as_f64()).sum::<f64>();
        json!({
            "performance": performance,
            "time_taken": self.started.elapsed().as_secs_f64(),
            "prompt_tokens": sum("prompt_tokens"),
            "completion_tokens": sum("completion_tokens"),
            "cost": cost,
            "counts": records.len(),
            "failed": failed,
            "model_name": model,
            "dataset_name": subtask.dataset_id(),
            "split": destination.split,
            "demo": destination.demo,
            "extra_metrics": extra_metrics,
            "data_fingerprint": self.plan.fingerprints.get(&subtask),
            "upstream": self.plan.upstream.name(),
            "prompts": self.plan.prompts,
            "records": records.iter().map(|record| record.json.clone()).collect::<Vec<_>>(),
        })
    }

    fn text(&self) -> String {
        let scores = self.model_scores();
        if self.plan.console.json {
            let all: Vec<Json> = scores.iter().map(ModelScores::json).collect();
            let refused: Vec<Json> = self
                .plan
                .refused
                .iter()
                .map(|(subtask, reason)| json!({"subtask": subtask.name(), "reason": reason}))
                .collect();
            let whole = json!({
                "models": all,
                "left_out": refused,
                "upstream": self.plan.upstream.name(),
                "prompts": self.plan.prompts,
            });
            return format!("{whole:#}\n");
        }
        let texts: Vec<String> = scores.iter().map(ModelScores::text).collect();
        let mut text = texts.join("\n");
        for (subtask, reason) in &self.plan.refused {
            text.push_str(&format!("\n{} skipped: {}\n", subtask.title(), escape::terminal(reason)));
        }
        for line in self.settings() {
            text.push_str(&format!("{}\n", escape::terminal(&line)));
        }
        text
    }

    /// What was followed: whose prompts, and which implementation where it is not the usual one.
    fn settings(&self) -> Vec<String> {
        let upstream = self.plan.upstream.is_official().then(|| format!("upstream: {}", self.plan.upstream.name()));
        let prompts = Some(self.plan.prompts.clone()).filter(|prompts| !prompts.is_empty());
        upstream.into_iter().chain(prompts).collect()
    }
}

impl Destination {
    fn path(&self, subtask: Subtask, model: &str) -> PathBuf {
        let (dataset, split) = (subtask.dataset_id(), &self.split);
        let model = model.replace(['/', '\\', '\0'], "_");
        let model = if model.chars().all(|c| c == '.') { "model".to_owned() } else { model };
        let name = format!("{dataset}-{split}-{model}-{}.json", self.stamp);
        self.folder.join("bench").join(dataset).join(split).join(&model).join(name)
    }
}

/// The path, or one with a number where two runs end in the same second.
fn free_path(path: &Path) -> PathBuf {
    let mut found = path.to_owned();
    let stem = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    let mut number = 2;
    while found.exists() {
        found = path.with_file_name(format!("{stem}-{number}.json"));
        number += 1;
    }
    found
}

impl Sink for Collector {
    fn event(&mut self, event: &Event<'_>) -> io::Result<()> {
        match event {
            Event::Started { metrics, .. } => {
                self.metrics = metrics.to_vec();
                self.started = Instant::now();
                for warning in &self.plan.warnings {
                    remark(warning);
                }
            }
            Event::Scored(result) => self.add_result(result),
            Event::Finished(finish) if finish.stop == Stop::Complete => self.written = self.publish()?,
            _ => {}
        }
        Ok(())
    }
}

impl Publisher for Collector {
    fn panels(&self) -> Vec<Panel> {
        let scores = self.model_scores();
        let is_there = !scores.is_empty() || !self.plan.refused.is_empty();
        is_there.then(|| panel(&scores, &self.plan.refused, self.settings())).into_iter().collect()
    }

    fn written_files(&self) -> Vec<PathBuf> {
        self.written.clone()
    }

    /// A subtask that was left out makes the run incomplete, and so does a record without a score: a row without an answer, say.
    fn status(&self) -> BenchmarkStatus {
        let is_whole = self.records.values().flatten().all(|record| record.scored.score.is_some());
        if is_whole && self.plan.refused.is_empty() { BenchmarkStatus::Passed } else { BenchmarkStatus::Failed }
    }
}
