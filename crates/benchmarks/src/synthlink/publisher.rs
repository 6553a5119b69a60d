//! The files and texts that the benchmark publishes.

use std::cell::OnceCell;
use std::io;
use std::path::PathBuf;
use std::sync::Arc;

use probare_core::{BenchmarkStatus, CaseResult, Console, Event, MetricInfo, Panel, Profile, Publisher, Sink, Stop};
use probare_report::{OutputWriter, escape};
use serde_json::{Value as Json, json};

use super::comparison::{self, ScoredSystem};
use super::judged_measures::{self, JUDGED, JudgedRow};
use super::policy::AGGREGATE;
use super::{Catalogue, CategoryMeans, QuestionScores, SynthLinkSummary, SystemScores, files, report};
use crate::printing::{print, remark};

/// A file of predictions and what came of it.
pub(super) struct SystemResult {
    /// What tables call it.
    pub(super) name: String,
    /// As given.
    pub(super) path: String,
    /// Where its files go.
    pub(super) folder: PathBuf,
    pub(super) scores: SystemScores,
    /// The improved definition of the same predictions.
    pub(super) improved: Vec<QuestionScores>,
    /// What a model says of the same predictions.
    pub(super) judged: Vec<JudgedRow>,
}

/// The means of a system.
struct SystemMeans {
    summary: SynthLinkSummary,
    improved: Option<(SystemScores, SynthLinkSummary)>,
}

/// The means of all systems, in order, and the differences between them.
pub(super) struct AllMeans {
    systems: Vec<SystemMeans>,
    differences: Vec<comparison::SystemDifference>,
}

/// Collects the rows of all systems and publishes them when the run ends.
pub(super) struct SynthLinkPublisher {
    pub(super) catalogue: Arc<Catalogue>,
    pub(super) systems: Vec<SystemResult>,
    pub(super) folder: PathBuf,
    pub(super) seed: u64,
    pub(super) console: Console,
    /// Places of the published and of the improved aggregate among the metrics.
    pub(super) aggregates: [Option<usize>; 2],
    /// Places of the judged measures.
    pub(super) judged: [Option<usize>; 2],
    /// Cases so far: every system has as many as the catalogue has questions.
    pub(super) cases: usize,
    /// Made once all cases have come: resampling takes its time.
    pub(super) means: OnceCell<AllMeans>,
    pub(super) written: Vec<PathBuf>,
}

impl SynthLinkPublisher {
    fn start(&mut self, metrics: &[MetricInfo]) {
        self.aggregates = [Profile::Published, Profile::Improved]
            .map(|profile| metrics.iter().position(|metric| metric.id == AGGREGATE && metric.profile == Some(profile)));
        self.judged = JUDGED.map(|(name, _)| metrics.iter().position(|metric| metric.name == name));
    }

    fn is_judged(&self) -> bool {
        self.judged.iter().any(Option::is_some)
    }

    fn add_result(&mut self, result: &CaseResult) {
        let total = self.catalogue.questions().len().max(1);
        let (system, question) = (self.cases / total, self.cases % total);
        self.cases += 1;
        if let Some(error) = result.results.iter().find_map(|named| named.as_ref().err()) {
            let id = &result.case.id;
            remark(&format!("error: the prediction for `{id}` cannot be scored: {error}"));
        }
        let Some(system) = self.systems.get_mut(system) else { return };
        let row = |place: Option<usize>| {
            let score = result.results.get(place?)?.as_ref().ok()?.score()?;
            Some(QuestionScores::new(question, result.case.response.is_some(), score))
        };
        system.scores.rows.extend(row(self.aggregates[0]));
        system.improved.extend(row(self.aggregates[1]));
        if judged_measures::was_judged(result, self.judged) {
            system.judged.push(JudgedRow::from_result(question, result, self.judged));
        }
    }

    fn warn(&mut self, file: &str, reason: &str) {
        remark(reason);
        let total = self.catalogue.questions().len().max(1);
        // A file that is given twice is known by how far the run has come.
        let mut same = self.systems.iter().enumerate().filter(|(_, system)| system.path == file).map(|(at, _)| at);
        let near = same.clone().find(|at| *at >= self.cases / total).or_else(|| same.next_back());
        if let Some(at) = near {
            self.systems[at].scores.warnings.push(reason.to_owned());
        }
    }

    fn means(&self) -> &AllMeans {
        self.means.get_or_init(|| {
            let improved = |system: &SystemResult| {
                self.aggregates[1]?;
                let scores = SystemScores { rows: system.improved.clone(), ..system.scores.clone() };
                let summary = SynthLinkSummary::new(&self.catalogue, &scores, self.seed);
                Some((scores, summary))
            };
            let summed = |system: &SystemResult| SystemMeans {
                summary: SynthLinkSummary::new(&self.catalogue, &system.scores, self.seed),
                improved: improved(system),
            };
            let named: Vec<ScoredSystem<'_>> =
                self.systems.iter().map(|system| ScoredSystem { name: &system.name, scores: &system.scores }).collect();
            // Of a single system there are none.
            let differences = comparison::differences(&named, self.seed);
            AllMeans { systems: self.systems.iter().map(summed).collect(), differences }
        })
    }

    /// Every system with its means.
    fn systems_with_means(&self) -> Vec<(&SystemResult, &SystemMeans)> {
        self.systems.iter().zip(&self.means().systems).collect()
    }

    fn publish(&self) -> io::Result<Vec<PathBuf>> {
        let summed = self.systems_with_means();
        for (system, SystemMeans { summary, .. }) in &summed {
            if summary.overall.answered == 0 {
                remark(&format!("error: `{}` answers no question of the catalogue", system.path));
            }
        }
        let mut contents: Vec<(PathBuf, String)> = Vec::new();
        for (system, SystemMeans { summary, improved }) in &summed {
            contents.extend(files::output_files(&system.folder, "", &self.catalogue, &system.scores, summary));
            if let Some((scores, summary)) = improved {
                contents.extend(files::output_files(&system.folder, "improved_", &self.catalogue, scores, summary));
            }
        }
        if self.is_judged() {
            let of = |system: &SystemResult| judged_measures::csv(&self.catalogue, &system.scores.rows, &system.judged);
            contents.extend(summed.iter().map(|(system, _)| (system.folder.join(judged_measures::FILE), of(system))));
        }
        if summed.len() > 1 {
            contents.push((self.folder.join(comparison::COMPARISON), comparison::csv(&self.means().differences)));
        }
        let mut written = Vec::with_capacity(contents.len());
        for (path, content) in contents {
            OutputWriter::write_file(&path, content.as_bytes())?;
            written.push(path);
        }
        if !self.console.quiet {
            print(&self.text(&summed))?;
        }
        Ok(written)
    }

    fn text(&self, summed: &[(&SystemResult, &SystemMeans)]) -> String {
        if self.console.json {
            let rendered = summed.iter().map(|one| {
                let mut rendered = as_json(one);
                if self.is_judged() {
                    rendered["judged"] = judged_measures::json(&one.0.judged);
                }
                rendered
            });
            return format!("{}\n", Json::Array(rendered.collect()));
        }
        let texts: Vec<String> = summed
            .iter()
            .map(|one| {
                let mut whole = text(one, summed.len() > 1);
                if self.is_judged() {
                    let published = [2, 3].map(|at| one.1.summary.overall.mean(at));
                    whole.push_str(&judged_measures::terminal(published, &one.0.judged));
                }
                whole
            })
            .collect();
        let mut text = texts.join("\n");
        if summed.len() > 1 {
            text.push('\n');
            text.push_str(&comparison::terminal(&self.means().differences));
        }
        text
    }
}

fn text((system, SystemMeans { summary, improved }): &(&SystemResult, &SystemMeans), named: bool) -> String {
    let mut text = if named { format!("{}\n\n", escape::terminal(&system.name)) } else { String::new() };
    text.push_str(&files::terminal(summary));
    if let Some((_, improved)) = improved {
        text.push_str("\nImproved definition:\n");
        text.push_str(&files::terminal(improved));
    }
    text
}

fn group_json(group: &CategoryMeans) -> Json {
    let measures: serde_json::Map<String, Json> = files::COLUMNS
        .iter()
        .enumerate()
        .zip(group.intervals)
        .map(|((at, name), interval)| ((*name).to_owned(), json!({"mean": group.mean(at), "interval": interval})))
        .collect();
    json!({
        "category": group.category,
        "rows": group.rows,
        "answered": group.answered,
        "total": group.total,
        "measures": measures,
    })
}

fn summary_json(summary: &SynthLinkSummary) -> Json {
    let categories: Vec<Json> = summary.categories.iter().map(group_json).collect();
    json!({"overall": group_json(&summary.overall), "categories": categories})
}

fn as_json((system, SystemMeans { summary, improved }): &(&SystemResult, &SystemMeans)) -> Json {
    json!({
        "name": system.name,
        "reference": summary_json(summary),
        "improved": improved.as_ref().map(|(_, summary)| summary_json(summary)),
        "warnings": system.scores.warnings,
    })
}

impl Sink for SynthLinkPublisher {
    fn event(&mut self, event: &Event<'_>) -> io::Result<()> {
        match event {
            Event::Started { metrics, .. } => self.start(metrics),
            Event::Scored(result) => self.add_result(result),
            Event::Problem(problem) if !problem.lost => self.warn(&problem.file, &problem.reason),
            Event::Finished(finish) if finish.stop == Stop::Complete => self.written = self.publish()?,
            _ => {}
        }
        Ok(())
    }
}

impl Publisher for SynthLinkPublisher {
    /// Nothing answered is no score, though the published file has a number for it.
    fn status(&self) -> BenchmarkStatus {
        let is_unanswered = |system: &SystemMeans| system.summary.overall.answered == 0;
        let is_failed = !self.console.allow_empty && self.means().systems.iter().any(is_unanswered);
        if is_failed { BenchmarkStatus::Failed } else { BenchmarkStatus::Passed }
    }

    fn panels(&self) -> Vec<Panel> {
        let summed = self.systems_with_means();
        let mut panels = Vec::new();
        if summed.len() > 1 {
            let systems: Vec<(&str, &SynthLinkSummary)> =
                summed.iter().map(|(system, SystemMeans { summary, .. })| (system.name.as_str(), summary)).collect();
            panels.push(report::comparison(&systems, &self.means().differences));
        }
        for (system, SystemMeans { summary, improved }) in &summed {
            let name = (summed.len() > 1).then_some(system.name.as_str());
            panels.push(report::categories(name, summary, improved.as_ref().map(|(_, summary)| summary)));
        }
        panels
    }

    fn written_files(&self) -> Vec<PathBuf> {
        self.written.clone()
    }
}
