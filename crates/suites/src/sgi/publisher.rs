//! [`Collector`]: gathers the records of all subtasks and models, writes the collector's result files, and says what they come
//! to in all.

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::path::{Path, PathBuf};
use std::time::Instant;

use probare_core::{CaseResult, Console, Ending, Event, MetricInfo, Publisher, Section, Sink, Stop};
use probare_report::{Output, escape};
use serde_json::{Map, Value as Json, json};

use super::Subtask;
use super::aggregate::{Aggregate, Scored, aggregate, mean};
use super::overall::{overall_text, task_score};
use super::records::{Record, record};
use super::rules::subtask;
use crate::printing::{print, remark};

/// Where result files go, and what stands in their names.
#[derive(Debug, Clone, Default)]
pub struct Destination {
    /// The folder.
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
pub struct Plan {
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
    /// What is to be said before the first case.
    pub warnings: Vec<String>,
    /// What is printed, and how.
    pub console: Console,
}

/// Collects records.
pub struct Collector {
    plan: Plan,
    metrics: Vec<MetricInfo>,
    records: BTreeMap<(String, Subtask), Vec<Record>>,
    started: Instant,
    written: Vec<PathBuf>,
}

impl Collector {
    /// A collector.
    pub fn new(plan: Plan) -> Self {
        Self { plan, metrics: Vec::new(), records: BTreeMap::new(), started: Instant::now(), written: Vec::new() }
    }

    fn keep(&mut self, result: &CaseResult) {
        let Some(subtask) = subtask(&result.case) else { return };
        let Some(at) = self.metrics.iter().position(|metric| metric.id == subtask.metric()) else { return };
        let Some(named) = result.results.get(at) else { return };
        let model = result.model.clone().or_else(|| self.plan.model.clone()).unwrap_or_else(|| "responses".to_owned());
        let records = self.records.entry((model, subtask)).or_default();
        let next = records.len() + 1;
        records.push(record(subtask, next, result, named));
    }

    fn models(&self) -> BTreeSet<&str> {
        self.records.keys().map(|(model, _)| model.as_str()).collect()
    }

    fn standings(&self) -> Vec<Standing<'_>> {
        let of = |model| {
            let tasks = Subtask::ALL.into_iter().filter_map(|subtask| {
                let records = self.records.get(&(String::from(model), subtask))?;
                Some(Task::new(subtask, records))
            });
            Standing { model, tasks: tasks.collect(), fifth: self.plan.fifth }
        };
        self.models().into_iter().map(of).collect()
    }

    fn publish(&self) -> io::Result<Vec<PathBuf>> {
        let mut written = Vec::new();
        if let Some(destination) = &self.plan.destination {
            for ((model, subtask), records) in &self.records {
                let path = free(&destination.path(*subtask, model));
                let content = self.document(destination, *subtask, model, records);
                Output::write_file(&path, format!("{content:#}").as_bytes())?;
                written.push(path);
            }
        }
        if !self.plan.console.quiet {
            print(&self.text())?;
        }
        Ok(written)
    }

    fn document(&self, destination: &Destination, subtask: Subtask, model: &str, records: &[Record]) -> Json {
        let scored: Vec<Scored> = records.iter().map(|record| record.scored.clone()).collect();
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
            "records": records.iter().map(|record| record.json.clone()).collect::<Vec<_>>(),
        })
    }

    fn text(&self) -> String {
        let standings = self.standings();
        if self.plan.console.json {
            let all: Vec<Json> = standings.iter().map(Standing::json).collect();
            let refused: Vec<Json> = self
                .plan
                .refused
                .iter()
                .map(|(subtask, reason)| json!({"subtask": subtask.metric(), "reason": reason}))
                .collect();
            return format!("{:#}\n", json!({"models": all, "left_out": refused}));
        }
        let texts: Vec<String> = standings.iter().map(Standing::text).collect();
        let mut text = texts.join("\n");
        for (subtask, reason) in &self.plan.refused {
            text.push_str(&format!("\n{} left out: {}\n", subtask.title(), escape::terminal(reason)));
        }
        text
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
fn free(path: &Path) -> PathBuf {
    let mut found = path.to_owned();
    let stem = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    let mut number = 2;
    while found.exists() {
        found = path.with_file_name(format!("{stem}-{number}.json"));
        number += 1;
    }
    found
}

/// One subtask of one model.
struct Task {
    subtask: Subtask,
    summary: Aggregate,
    /// From 0 to 100, as the overall score counts it; nothing where no record has a score.
    score: Option<f64>,
    /// The same where failed records count 0.
    with_failed: f64,
    /// The same by the other reading, where that differs.
    other: Option<f64>,
    /// Score and records of each discipline.
    disciplines: BTreeMap<String, (Option<f64>, usize)>,
    /// Why records failed, each reason once with its count, the most frequent first.
    errors: Vec<(String, usize)>,
    /// Replies of graders that came, could not be read, and count 0 by the published rule.
    unreadable: u64,
}

/// Reasons of failure that are shown; all are counted.
const SHOWN_ERRORS: usize = 3;

/// A task's value; a mean of nothing is no number.
fn score_of(subtask: Subtask, values: &[f64]) -> Option<f64> {
    (!values.is_empty()).then(|| task_score(subtask, values))
}

/// A score with two decimals, or a dash.
fn shown(score: Option<f64>) -> String {
    score.map_or_else(|| "–".to_owned(), |score| format!("{score:.2}"))
}

/// The value of each record that the overall score is made of.
fn values<'a>(subtask: Subtask, records: impl Iterator<Item = &'a Record>) -> Vec<f64> {
    let field = match subtask {
        Subtask::DeepResearch => "exact_match",
        Subtask::IdeaGeneration | Subtask::WetExperiment => "final_score",
        Subtask::DryExperiment => "PassAll@5",
    };
    records
        .filter(|record| record.scored.score.is_some())
        .map(|record| record.scored.extra_fields.get(field).and_then(Json::as_f64).unwrap_or_default())
        .collect()
}

/// Why records failed, each reason once.
fn errors(records: &[Record]) -> Vec<(String, usize)> {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for error in records.iter().filter_map(|record| record.error.as_deref()) {
        *counts.entry(error).or_default() += 1;
    }
    let mut list: Vec<(String, usize)> = counts.into_iter().map(|(error, count)| (error.to_owned(), count)).collect();
    list.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    list
}

impl Task {
    fn new(subtask: Subtask, records: &[Record]) -> Self {
        let scored: Vec<Scored> = records.iter().map(|record| record.scored.clone()).collect();
        let summary = aggregate(subtask, &scored);
        let own = values(subtask, records.iter());
        let mut disciplines: BTreeMap<String, Vec<&Record>> = BTreeMap::new();
        for record in records {
            if let Some(name) = &record.discipline {
                disciplines.entry(name.clone()).or_default().push(record);
            }
        }
        let score = score_of(subtask, &own);
        let mut padded = own;
        padded.resize(records.len(), 0.0);
        let is_other = records.iter().any(|record| record.other.is_some());
        let read = |record: &Record| record.other.or(record.scored.score);
        let others: Vec<f64> = records.iter().filter_map(read).collect();
        Self {
            subtask,
            score,
            with_failed: task_score(subtask, &padded),
            other: is_other.then(|| probare_text::python::round(mean(&others) * 100.0, 2)),
            disciplines: disciplines
                .into_iter()
                .map(|(name, records)| {
                    let count = records.len();
                    (name, (score_of(subtask, &values(subtask, records.into_iter())), count))
                })
                .collect(),
            errors: errors(records),
            unreadable: records.iter().map(|record| record.unreadable).sum(),
            summary,
        }
    }
}

/// All subtasks of one model.
struct Standing<'a> {
    model: &'a str,
    tasks: Vec<Task>,
    fifth: Option<f64>,
}

impl Standing<'_> {
    /// The scores of all tasks; what keeps the overall score from being one where a task is missing or has no score.
    fn scores(&self) -> Result<Vec<f64>, String> {
        let absent: Vec<&str> =
            self.tasks.iter().filter(|task| task.score.is_none()).map(|task| task.subtask.title()).collect();
        if !absent.is_empty() {
            return Err(format!("incomplete: no record of {} has a score", absent.join(", ").to_lowercase()));
        }
        if self.tasks.len() < Subtask::ALL.len() {
            return Err("needs all four subtasks".to_owned());
        }
        Ok(self.tasks.iter().filter_map(|task| task.score).collect())
    }

    /// The mean of four tasks, or why there is none.
    fn four(&self) -> Result<String, String> {
        self.scores().map(|scores| overall_text(&scores))
    }

    /// The official score over five tasks, where the fifth was supplied too.
    fn five(&self) -> Option<String> {
        let mut scores = self.scores().ok()?;
        scores.push(self.fifth?);
        Some(overall_text(&scores))
    }

    fn json(&self) -> Json {
        let tasks: Map<String, Json> = self
            .tasks
            .iter()
            .map(|task| {
                let disciplines: Map<String, Json> = task
                    .disciplines
                    .iter()
                    .map(|(name, (score, count))| (name.clone(), json!({"score": score, "records": count})))
                    .collect();
                let told = json!({
                    "score": task.score,
                    "scored": task.summary.scored,
                    "failed": task.summary.failed,
                    "errors": task.errors.iter().map(|(error, count)| json!({"error": error, "records": count})).collect::<Vec<_>>(),
                    "unreadable_replies": task.unreadable,
                    "score_with_failed_as_zero": task.with_failed,
                    "other_reading": task.other,
                    "means": task.summary.extra_metrics,
                    "disciplines": disciplines,
                });
                (task.subtask.metric().to_owned(), told)
            })
            .collect();
        json!({
            "model": self.model,
            "tasks": tasks,
            "sgi_4": self.four().ok(),
            "incomplete": self.four().err(),
            "sgi_score": self.five(),
        })
    }

    fn text(&self) -> String {
        let mut text = format!("{}\n", escape::terminal(self.model));
        for task in &self.tasks {
            let Task { subtask, summary, .. } = task;
            text.push_str(&format!(
                "  {:<16} {:>7}   {} scored, {} failed",
                subtask.title(),
                shown(task.score),
                summary.scored,
                summary.failed
            ));
            if summary.failed > 0 {
                text.push_str(&format!("; {:.2} if failed ones count 0", task.with_failed));
            }
            if let Some(other) = task.other {
                text.push_str(&format!("; {other:.2} by the other reading"));
            }
            if let Some(words) = task.unread() {
                text.push_str(&format!("; {words}"));
            }
            text.push('\n');
            for line in task.reasons() {
                text.push_str(&format!("    {}\n", escape::terminal(&line)));
            }
            let means: Vec<String> = summary
                .extra_metrics
                .iter()
                .filter_map(|(name, value)| Some(format!("{name} {:.4}", value.as_f64()?)))
                .collect();
            if !means.is_empty() {
                text.push_str(&format!("    {}\n", means.join(", ")));
            }
            if task.disciplines.len() > 1 {
                let each: Vec<String> = task
                    .disciplines
                    .iter()
                    .map(|(name, (score, count))| format!("{} {} ({count})", escape::terminal(name), shown(*score)))
                    .collect();
                text.push_str(&format!("    {}\n", each.join(", ")));
            }
        }
        match self.four() {
            Ok(score) => text.push_str(&format!("  {:<16} {score:>7}   the mean of the four\n", "SGI-4")),
            Err(reason) => text.push_str(&format!("  SGI-4 {reason}\n")),
        }
        if let Some(score) = self.five() {
            text.push_str(&format!(
                "  {:<16} {score:>7}   the official mean of five, with the value given for the fifth\n",
                "SGI-Score"
            ));
        }
        if self.tasks.iter().any(|task| task.subtask == Subtask::DryExperiment) {
            text.push_str(
                "  PassAll@k: at least k of the five tests pass, in one attempt; it is not pass@k over k attempts\n",
            );
        }
        text
    }

    fn html(&self) -> String {
        let mut rows = String::new();
        for task in &self.tasks {
            let other = task.other.map_or_else(|| "–".to_owned(), |other| format!("{other:.2}"));
            rows.push_str(&format!(
                "<tr><td>{}</td><td class=\"number\">{}</td><td class=\"number\">{}</td><td class=\"number\">{}</td><td class=\"number\">{:.2}</td><td class=\"number\">{other}</td><td>{}</td></tr>",
                task.subtask.title(),
                shown(task.score),
                task.summary.scored,
                task.summary.failed,
                task.with_failed,
                escape::html(&task.means()),
            ));
        }
        let mut whole = format!(
            "<section><h2>SGI-Bench: {}</h2><table><thead><tr><th>subtask</th><th>score</th><th>scored</th><th>failed</th>\
             <th>failed as 0</th><th>other reading</th><th>means</th></tr></thead><tbody>{rows}</tbody></table>",
            escape::html(self.model)
        );
        for line in self.closing() {
            whole.push_str(&format!("<p>{}</p>", escape::html(&line)));
        }
        let disciplines = self.by_discipline();
        if !disciplines.is_empty() {
            let heads: Vec<String> =
                self.tasks.iter().map(|task| format!("<th>{}</th>", task.subtask.title())).collect();
            let heads = heads.concat();
            let rows: Vec<String> = disciplines
                .iter()
                .map(|(name, cells)| {
                    let cells: Vec<String> =
                        cells.iter().map(|cell| format!("<td class=\"number\">{cell}</td>")).collect();
                    format!("<tr><td>{}</td>{}</tr>", escape::html(name), cells.concat())
                })
                .collect();
            let rows = rows.concat();
            whole.push_str(&format!(
                "<table><thead><tr><th>discipline</th>{heads}</tr></thead><tbody>{rows}</tbody></table>"
            ));
        }
        whole.push_str("</section>");
        whole
    }

    fn markdown(&self) -> String {
        let mut text = format!(
            "## SGI-Bench: {}\n\n| subtask | score | scored | failed | failed as 0 | other reading |\n|---|---:|---:|---:|---:|---:|\n",
            escape::markdown(self.model)
        );
        for task in &self.tasks {
            let other = task.other.map_or_else(|| "–".to_owned(), |other| format!("{other:.2}"));
            text.push_str(&format!(
                "| {} | {} | {} | {} | {:.2} | {other} |\n",
                task.subtask.title(),
                shown(task.score),
                task.summary.scored,
                task.summary.failed,
                task.with_failed
            ));
        }
        text.push('\n');
        for line in self.closing() {
            text.push_str(&format!("{}\n\n", escape::markdown(&line)));
        }
        text
    }

    /// What is said below the table.
    fn closing(&self) -> Vec<String> {
        let mut lines = Vec::new();
        lines.push(match self.four() {
            Ok(score) => format!("SGI-4, the mean of the four: {score}"),
            Err(reason) => format!("SGI-4 {reason}."),
        });
        lines.extend(
            self.five().map(|score| {
                format!("SGI-Score, the official mean of five, with the value given for the fifth: {score}")
            }),
        );
        if self.tasks.iter().any(|task| task.summary.failed > 0) {
            lines.push(
                "Failed records leave the denominator of the published scores; the column beside counts them as 0."
                    .to_owned(),
            );
        }
        for task in &self.tasks {
            let title = task.subtask.title();
            lines.extend(task.unread().map(|words| format!("{title}: {words}.")));
            lines.extend(task.reasons().iter().map(|reason| format!("{title}: {reason}")));
        }
        if self.tasks.iter().any(|task| task.subtask == Subtask::DryExperiment) {
            lines.push("PassAll@k: at least k of the five tests pass, in one attempt. It is not pass@k, which asks whether one of k attempts passes.".to_owned());
        }
        lines
    }

    /// A row for each discipline with a cell for each task.
    fn by_discipline(&self) -> Vec<(String, Vec<String>)> {
        let names: BTreeSet<&String> = self.tasks.iter().flat_map(|task| task.disciplines.keys()).collect();
        let cell = |task: &Task, name: &String| {
            task.disciplines
                .get(name)
                .map_or_else(|| "–".to_owned(), |(score, count)| format!("{} ({count})", shown(*score)))
        };
        names.into_iter().map(|name| (name.clone(), self.tasks.iter().map(|task| cell(task, name)).collect())).collect()
    }
}

impl Task {
    /// How many replies of graders could not be read.
    fn unread(&self) -> Option<String> {
        let replies = if self.unreadable == 1 { "reply" } else { "replies" };
        (self.unreadable > 0).then(|| format!("{} {replies} of graders could not be read and count 0", self.unreadable))
    }

    /// Why records failed: the first reasons, and how many more there are.
    fn reasons(&self) -> Vec<String> {
        let mut lines: Vec<String> =
            self.errors.iter().take(SHOWN_ERRORS).map(|(error, count)| format!("{count} failed: {error}")).collect();
        let rest: usize = self.errors.iter().skip(SHOWN_ERRORS).map(|(_, count)| count).sum();
        if rest > 0 {
            lines.push(format!("{rest} failed for other reasons"));
        }
        lines
    }

    fn means(&self) -> String {
        let of = |(name, value): (&String, &Json)| Some(format!("{name} {:.4}", value.as_f64()?));
        self.summary.extra_metrics.iter().filter_map(of).collect::<Vec<_>>().join(", ")
    }
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
            Event::Scored(result) => self.keep(result),
            Event::Finished(finish) if finish.stop == Stop::Complete => self.written = self.publish()?,
            _ => {}
        }
        Ok(())
    }
}

impl Publisher for Collector {
    fn sections(&self) -> Vec<Section> {
        let section = |standing: &Standing<'_>| Section { html: standing.html(), markdown: standing.markdown() };
        self.standings().iter().map(section).collect()
    }

    fn written(&self) -> Vec<PathBuf> {
        self.written.clone()
    }

    /// A subtask that was left out makes the run incomplete.
    fn ending(&self) -> Ending {
        if self.plan.refused.is_empty() { Ending::Fine } else { Ending::Failed }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(value: Result<f64, &str>) -> Record {
        let extra_fields: Map<String, Json> = value
            .iter()
            .flat_map(|value| ["exact_match", "final_score", "PassAll@5"].map(|name| (name.to_owned(), json!(value))))
            .collect();
        Record {
            scored: Scored { score: value.ok(), extra_fields },
            discipline: Some("life".to_owned()),
            error: value.err().map(str::to_owned),
            ..Record::default()
        }
    }

    fn standing(research: &[Record]) -> Standing<'static> {
        let fine = [record(Ok(1.0))];
        let tasks = Subtask::ALL
            .map(|subtask| Task::new(subtask, if subtask == Subtask::DeepResearch { research } else { &fine }));
        Standing { model: "m", tasks: tasks.into_iter().collect(), fifth: Some(50.0) }
    }

    #[test]
    fn a_mean_of_nothing_is_no_number_and_what_rests_on_it_says_so() {
        let down = || record(Err("status 401: no such key"));
        let all = standing(&[down(), down(), record(Err("timed out"))]);
        let text = all.text();
        assert!(text.contains("  Deep research          –   0 scored, 3 failed"), "{text}");
        assert!(text.contains("    2 failed: status 401: no such key\n    1 failed: timed out\n"), "{text}");
        assert!(text.contains("  SGI-4 incomplete: no record of deep research has a score\n"), "{text}");
        assert!(!text.contains("SGI-Score"), "{text}");
        let json = all.json();
        assert_eq!(
            (&json["sgi_4"], &json["sgi_score"], &json["tasks"]["deep_research"]["score"]),
            (&Json::Null, &Json::Null, &Json::Null)
        );
        assert_eq!(
            json["tasks"]["deep_research"]["errors"][0],
            json!({"error": "status 401: no such key", "records": 2})
        );
        for page in [all.html(), all.markdown()] {
            assert!(page.contains("incomplete") && page.contains("status 401"), "{page}");
        }
        let some = standing(&[record(Ok(1.0)), down()]);
        assert!(some.four().is_ok() && some.text().contains("100.00   1 scored, 1 failed"), "{}", some.text());
    }

    #[test]
    fn replies_that_could_not_be_read_are_counted_on_the_line() {
        let garbage = Record { unreadable: 2, ..record(Ok(0.0)) };
        let text = standing(&[garbage, record(Ok(1.0))]).text();
        assert!(text.contains("2 scored, 0 failed; 2 replies of graders could not be read and count 0"), "{text}");
    }
}
