//! [`ModelScores`]: what the records of a model come to, subtask by subtask and in all; and models side by side.

use std::collections::{BTreeMap, BTreeSet};

use probare_core::{Panel, PanelCell, PanelChart, PanelTable};
use probare_report::escape;
use probare_report::number::count_with_noun;
use serde_json::{Map, Value as Json, json};

use super::Subtask;
use super::aggregate::{Aggregate, RecordScore, aggregate, mean};
use super::overall::{overall_text, task_score};
use super::records::SgiRecord;

/// One subtask of one model.
pub(super) struct TaskScore {
    subtask: Subtask,
    summary: Aggregate,
    /// From 0 to 100, as the overall score counts it; nothing where no record has a score.
    score: Option<f64>,
    /// The same where failed records count 0.
    with_failed: f64,
    /// The same under the other profile, if that differs.
    other: Option<f64>,
    /// Score and records of each discipline.
    disciplines: BTreeMap<String, (Option<f64>, usize)>,
    /// Why records failed, each reason once with its count, the most frequent first.
    errors: Vec<(String, usize)>,
    /// Replies of graders that came, could not be read, and count 0 by the published rule.
    unreadable: u64,
    /// Why reasoning was not judged, each reason once with its count.
    unjudged: Vec<(String, usize)>,
    /// Protocols with another number of steps than the reference, and those of them with a soft similarity above 0.
    other_lengths: Option<(usize, usize)>,
}

/// Reasons of failure that are shown; all are counted.
const SHOWN_ERRORS: usize = 3;

/// A task's value; a mean of nothing is not a number.
fn score_of(subtask: Subtask, values: &[f64]) -> Option<f64> {
    (!values.is_empty()).then(|| task_score(subtask, values))
}

/// A score with two decimals, or a dash.
fn format_score(score: Option<f64>) -> String {
    score.map_or_else(|| "–".to_owned(), |score| format!("{score:.2}"))
}

/// The value of each record that the overall score is made of.
fn values<'a>(subtask: Subtask, records: impl Iterator<Item = &'a SgiRecord>) -> Vec<f64> {
    let field = match subtask {
        Subtask::DeepResearch | Subtask::DeepResearchGold => "exact_match",
        Subtask::ExperimentalReasoning => "MCA",
        Subtask::IdeaGeneration | Subtask::WetExperiment => "final_score",
        Subtask::DryExperiment => "PassAll@5",
    };
    records
        .filter(|record| record.scored.score.is_some())
        .map(|record| record.scored.extra_fields.get(field).and_then(Json::as_f64).unwrap_or_default())
        .collect()
}

/// Reasons, each once with its count, the most frequent first.
fn counted<'a>(reasons: impl Iterator<Item = &'a str>) -> Vec<(String, usize)> {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for reason in reasons {
        *counts.entry(reason).or_default() += 1;
    }
    let mut list: Vec<(String, usize)> = counts.into_iter().map(|(reason, count)| (reason.to_owned(), count)).collect();
    list.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    list
}

/// How many protocols have another number of steps than the reference, and how many of them a soft similarity above 0; nothing where
/// the soft score was not asked for.
fn other_lengths(records: &[SgiRecord]) -> Option<(usize, usize)> {
    let part = |record: &SgiRecord, name: &str| record.scored.extra_fields.get(name).and_then(Json::as_f64);
    let gaps: Vec<(f64, f64)> = records
        .iter()
        .filter_map(|record| Some((part(record, "soft_length_gap")?, part(record, "soft_action_sequence_similarity")?)))
        .collect();
    let others = || gaps.iter().filter(|(gap, _)| *gap > 0.0);
    (!gaps.is_empty()).then(|| (others().count(), others().filter(|(_, similarity)| *similarity > 0.0).count()))
}

impl TaskScore {
    pub fn new(subtask: Subtask, records: &[SgiRecord]) -> Self {
        let scored: Vec<RecordScore> = records.iter().map(|record| record.scored.clone()).collect();
        let summary = aggregate(subtask, &scored);
        let own = values(subtask, records.iter());
        let mut disciplines: BTreeMap<String, Vec<&SgiRecord>> = BTreeMap::new();
        for record in records {
            if let Some(name) = &record.discipline {
                disciplines.entry(name.clone()).or_default().push(record);
            }
        }
        let score = score_of(subtask, &own);
        let mut padded = own;
        padded.resize(records.len(), 0.0);
        let is_other = records.iter().any(|record| record.other.is_some());
        let read = |record: &SgiRecord| record.other.or(record.scored.score);
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
            errors: counted(records.iter().filter_map(|record| record.error.as_deref())),
            unjudged: counted(records.iter().filter_map(|record| record.unjudged.as_deref())),
            other_lengths: other_lengths(records),
            unreadable: records.iter().map(|record| record.unreadable).sum(),
            summary,
        }
    }
}

/// All subtasks of one model.
pub(super) struct ModelScores<'a> {
    pub model: &'a str,
    pub tasks: Vec<TaskScore>,
    pub fifth: Option<f64>,
    /// Why the run is over a part of the data alone.
    pub partial: Option<&'a str>,
}

impl ModelScores<'_> {
    /// The scores of the four subtasks; what keeps their mean from being one where a subtask is missing or has no score.
    fn scores(&self) -> Result<Vec<f64>, String> {
        let four: Vec<&TaskScore> = Subtask::FOUR.into_iter().filter_map(|subtask| self.task(subtask)).collect();
        let absent: Vec<&str> =
            four.iter().filter(|task| task.score.is_none()).map(|task| task.subtask.title()).collect();
        if !absent.is_empty() {
            return Err(format!("incomplete: no record of {} has a score", absent.join(", ").to_lowercase()));
        }
        if four.len() < Subtask::FOUR.len() {
            return Err("needs all four subtasks".to_owned());
        }
        Ok(four.iter().filter_map(|task| task.score).collect())
    }

    /// The mean of four subtasks, or why there is none.
    fn mean_of_four(&self) -> Result<String, String> {
        self.scores().map(|scores| overall_text(&scores))
    }

    /// The official score over five subtasks, or why there is none: it is that of all data and of all records. Nothing where nobody
    /// brought the fifth.
    fn official_score(&self) -> Option<Result<String, String>> {
        let fifth = self.task(Subtask::ExperimentalReasoning);
        let has_fifth = fifth.is_some() || self.fifth.is_some();
        has_fifth.then(|| {
            let mut scores = self.scores()?;
            let own = fifth.map(|task| task.score.ok_or("incomplete: no record of reasoning has a score"));
            scores.push(own.transpose()?.or(self.fifth).unwrap_or_default());
            if let Some(partial) = self.partial {
                return Err(format!("incomplete: {partial}"));
            }
            let parts = Subtask::FOUR.into_iter().filter_map(|subtask| self.task(subtask)).chain(fifth);
            let lacking: Vec<String> = parts
                .filter(|task| task.summary.failed > 0)
                .map(|task| format!("{} of {}", task.summary.failed, task.subtask.title().to_lowercase()))
                .collect();
            if !lacking.is_empty() {
                return Err(format!("incomplete: records without a score: {}", lacking.join(", ")));
            }
            Ok(overall_text(&scores))
        })
    }

    /// Where the value of the fifth subtask comes from.
    fn fifth_source(&self) -> &'static str {
        if self.task(Subtask::ExperimentalReasoning).is_some() {
            "the official mean of five"
        } else {
            "the official mean of five, with the value given for the fifth"
        }
    }

    pub fn json(&self) -> Json {
        let tasks: Map<String, Json> = self
            .tasks
            .iter()
            .map(|task| {
                let disciplines: Map<String, Json> = task
                    .disciplines
                    .iter()
                    .map(|(name, (score, count))| (name.clone(), json!({"score": score, "records": count})))
                    .collect();
                let record = json!({
                    "score": task.score,
                    "scored": task.summary.scored,
                    "failed": task.summary.failed,
                    "errors": task.errors.iter().map(|(error, count)| json!({"error": error, "records": count})).collect::<Vec<_>>(),
                    "unreadable_replies": task.unreadable,
                    "score_with_failed_as_zero": task.with_failed,
                    "other_reading": task.other,
                    "means": task.summary.extra_metrics,
                    "means_over": task.summary.counted,
                    "unjudged": task.unjudged.iter().map(|(error, count)| json!({"error": error, "records": count})).collect::<Vec<_>>(),
                    "disciplines": disciplines,
                });
                (task.subtask.name().to_owned(), record)
            })
            .collect();
        json!({
            "model": self.model,
            "tasks": tasks,
            "sgi_4": self.mean_of_four().ok(),
            "incomplete": self.mean_of_four().err(),
            "sgi_score": self.official_score().and_then(Result::ok),
            "sgi_score_incomplete": self.official_score().and_then(Result::err),
        })
    }

    pub fn text(&self) -> String {
        let mut text = format!("{}\n", escape::terminal(self.model));
        for task in &self.tasks {
            let TaskScore { subtask, summary, .. } = task;
            text.push_str(&format!(
                "  {:<16} {:>7}   {} scored, {} failed",
                subtask.title(),
                format_score(task.score),
                summary.scored,
                summary.failed
            ));
            if summary.failed > 0 {
                text.push_str(&format!("; {:.2} if failed ones count 0", task.with_failed));
            }
            if let Some(other) = task.other {
                text.push_str(&format!("; {other:.2} in the other profile"));
            }
            if let Some(words) = task.unread() {
                text.push_str(&format!("; {words}"));
            }
            text.push('\n');
            for line in task.reasons() {
                text.push_str(&format!("    {}\n", escape::terminal(&line)));
            }
            let means = task.means();
            if !means.is_empty() {
                text.push_str(&format!("    {means}\n"));
            }
            if task.disciplines.len() > 1 {
                let each: Vec<String> = task
                    .disciplines
                    .iter()
                    .map(|(name, (score, count))| {
                        format!("{} {} ({count})", escape::terminal(name), format_score(*score))
                    })
                    .collect();
                text.push_str(&format!("    {}\n", each.join(", ")));
            }
        }
        match self.mean_of_four() {
            Ok(score) => text.push_str(&format!("  {:<16} {score:>7}   the mean of the four\n", "SGI-4")),
            Err(reason) => text.push_str(&format!("  SGI-4 {reason}\n")),
        }
        match self.official_score() {
            Some(Ok(score)) => {
                text.push_str(&format!("  {:<16} {score:>7}   {}\n", "SGI-Score", self.fifth_source()));
            }
            // Where SGI-4 is incomplete its line says why.
            Some(Err(reason)) if self.scores().is_ok() => text.push_str(&format!("  SGI-Score {reason}\n")),
            _ => {}
        }
        if self.tasks.iter().any(|task| task.subtask == Subtask::DryExperiment) {
            text.push_str(
                "  PassAll@k: at least k of the five tests pass, in one attempt; it is not pass@k over k attempts\n",
            );
        }
        text
    }

    /// The subtask, where the model has records of it.
    fn task(&self, subtask: Subtask) -> Option<&TaskScore> {
        self.tasks.iter().find(|task| task.subtask == subtask)
    }
}

/// The four subtasks with the models side by side, and below them what they come to and the disciplines.
pub(super) fn panel(all_models: &[ModelScores<'_>], refused: &[(Subtask, String)], settings: Vec<String>) -> Panel {
    let tasks = || all_models.iter().flat_map(|model| &model.tasks);
    let there = |subtask: &Subtask| tasks().any(|task| task.subtask == *subtask);
    let subtasks: Vec<Subtask> = Subtask::ALL.into_iter().filter(there).collect();
    let models = || all_models.iter().map(|model| model.model);
    let mut says: Vec<String> = Vec::new();
    if tasks().any(|task| task.summary.failed > 0) {
        says.push("Failed records leave the denominator of the published scores.".to_owned());
    }
    if subtasks.contains(&Subtask::DryExperiment) {
        says.push("PassAll@k: at least k of the five tests pass, in one attempt. It is not pass@k, which asks whether one of k attempts passes.".to_owned());
    }
    says.extend(refused.iter().map(|(subtask, reason)| format!("{} skipped: {reason}", subtask.title())));
    for model in all_models {
        for task in &model.tasks {
            let lines = task.unread().into_iter().chain(task.reasons());
            says.extend(lines.map(|line| format!("{}, {}: {line}", model.model, task.subtask.title().to_lowercase())));
        }
    }
    let mut scores = PanelTable::new("", ["Subtask"].into_iter().chain(models()), 1);
    scores.fill(&subtasks, |subtask| {
        let cell = |model: &ModelScores<'_>| model.task(*subtask).map_or_else(|| "–".into(), TaskScore::cell);
        [subtask.title().into()].into_iter().chain(all_models.iter().map(cell)).collect()
    });
    let four = |model: &ModelScores<'_>| match model.mean_of_four() {
        Ok(score) => PanelCell::from(score),
        Err(reason) => PanelCell::from("–").with_note(reason),
    };
    let mean = PanelCell::from("SGI-4").with_note("the mean of the four");
    scores.push([mean].into_iter().chain(all_models.iter().map(four)).collect());
    let five: Vec<Option<Result<String, String>>> = all_models.iter().map(ModelScores::official_score).collect();
    if five.iter().any(Option::is_some) {
        let source = all_models.first().map_or("the official mean of five", ModelScores::fifth_source);
        let cells = five.into_iter().map(|score| match score {
            Some(Ok(score)) => PanelCell::from(score),
            Some(Err(reason)) => PanelCell::from("–").with_note(reason),
            None => "–".into(),
        });
        scores.push([PanelCell::from("SGI-Score").with_note(source)].into_iter().chain(cells).collect());
    }
    says.extend(settings);
    let chart = |subtask: &Subtask| PanelChart {
        title: subtask.title().to_owned(),
        note: "by model, of 100".to_owned(),
        range: (0.0, 100.0),
        bars: all_models
            .iter()
            .map(|model| (model.model.to_owned(), model.task(*subtask).and_then(|task| task.score)))
            .collect(),
    };
    Panel {
        title: "SGI-Bench".to_owned(),
        says,
        charts: subtasks.iter().map(chart).collect(),
        tables: [Some(scores), disciplines(all_models, &subtasks)].into_iter().flatten().collect(),
        ..Panel::default()
    }
}

/// A row for each discipline of each subtask with a cell for each model.
fn disciplines(all_models: &[ModelScores<'_>], subtasks: &[Subtask]) -> Option<PanelTable> {
    let tasks = || all_models.iter().flat_map(|model| &model.tasks);
    let names: BTreeSet<&String> = tasks().flat_map(|task| task.disciplines.keys()).collect();
    let rows = names.iter().flat_map(|name| subtasks.iter().map(move |subtask| (*name, *subtask)));
    let rows = rows
        .filter(|(name, subtask)| tasks().any(|task| task.subtask == *subtask && task.disciplines.contains_key(*name)));
    let columns = ["Discipline", "Subtask"].into_iter().chain(all_models.iter().map(|model| model.model));
    let mut table = PanelTable::new("Disciplines", columns, 2);
    table.fill(rows, |(name, subtask)| {
        let cell = |model: &ModelScores<'_>| match model.task(subtask).and_then(|task| task.disciplines.get(name)) {
            Some((score, count)) => {
                PanelCell::from(format_score(*score)).with_note(count_with_noun(*count as u64, "record", "records"))
            }
            None => "–".into(),
        };
        let head = [PanelCell::from(name.as_str()), subtask.title().into()];
        head.into_iter().chain(all_models.iter().map(cell)).collect()
    });
    (!table.rows.is_empty()).then_some(table)
}

impl TaskScore {
    /// The score of a model, and below it what it rests on.
    fn cell(&self) -> PanelCell {
        let Aggregate { scored, failed, .. } = &self.summary;
        let mut notes = vec![format!("{scored} scored, {failed} failed")];
        if *failed > 0 {
            notes.push(format!("{:.2} if failed ones count 0", self.with_failed));
        }
        notes.extend(self.other.map(|other| format!("{other:.2} in the other profile")));
        notes.extend(Some(self.means()).filter(|means| !means.is_empty()));
        PanelCell::from(format_score(self.score)).with_note(notes.join("; "))
    }

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
        let unjudged = self.unjudged.iter().take(SHOWN_ERRORS);
        lines.extend(unjudged.map(|(error, count)| format!("{count} without a judgment of the reasoning: {error}")));
        lines.extend(self.other_lengths.map(|(others, similar)| {
            format!("{others} with another number of steps than the reference, {similar} of them with a soft similarity above 0")
        }));
        lines
    }

    fn means(&self) -> String {
        let mean_text = |(name, value): (&String, &Json)| {
            let over = self.summary.counted.get(name.as_str());
            let over = over.map(|count| format!(" (of {count})")).unwrap_or_default();
            Some(format!("{name} {:.4}{over}", value.as_f64()?))
        };
        self.summary.extra_metrics.iter().filter_map(mean_text).collect::<Vec<_>>().join(", ")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(value: Result<f64, &str>) -> SgiRecord {
        let extra_fields: Map<String, Json> = value
            .iter()
            .flat_map(|value| ["exact_match", "final_score", "PassAll@5"].map(|name| (name.to_owned(), json!(value))))
            .collect();
        SgiRecord {
            scored: RecordScore { score: value.ok(), extra_fields },
            discipline: Some("life".to_owned()),
            error: value.err().map(str::to_owned),
            ..SgiRecord::default()
        }
    }

    fn standing(research: &[SgiRecord]) -> ModelScores<'static> {
        let fine = [record(Ok(1.0))];
        let tasks = Subtask::FOUR
            .map(|subtask| TaskScore::new(subtask, if subtask == Subtask::DeepResearch { research } else { &fine }));
        ModelScores { model: "m", tasks: tasks.into_iter().collect(), fifth: Some(50.0), partial: None }
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
        let page = probare_report::markdown::panel(&panel(&[all], &[], Vec::new()));
        assert!(page.contains("incomplete") && page.contains("status 401"), "{page}");
        let some = standing(&[record(Ok(1.0)), down()]);
        assert!(some.mean_of_four().is_ok() && some.text().contains("100.00   1 scored, 1 failed"), "{}", some.text());
    }

    #[test]
    fn the_official_score_is_one_of_all_records_and_all_data() {
        let fine = [record(Ok(1.0))];
        let line = |scores: &ModelScores<'_>| {
            let text = scores.text();
            text.lines().find(|line| line.contains("SGI-Score")).unwrap_or_default().trim().to_owned()
        };
        let typed = standing(&fine);
        assert_eq!(
            line(&typed),
            "SGI-Score          70.20   the official mean of five, with the value given for the fifth"
        );
        // The fifth subtask itself takes the place of the typed value, and Gold has no place in the score.
        let choice = SgiRecord {
            scored: RecordScore { score: Some(0.0), extra_fields: Map::from_iter([("MCA".to_owned(), json!(0.0))]) },
            ..SgiRecord::default()
        };
        let mut five = standing(&fine);
        five.tasks.push(TaskScore::new(Subtask::ExperimentalReasoning, &[choice]));
        five.tasks.push(TaskScore::new(Subtask::DeepResearchGold, &[record(Ok(0.0))]));
        assert_eq!(line(&five), "SGI-Score          60.20   the official mean of five");
        assert_eq!(five.json()["sgi_score"], "60.20");
        five.partial = Some("the first rows alone");
        assert_eq!(line(&five), "SGI-Score incomplete: the first rows alone");
        let lacking = standing(&[record(Ok(1.0)), record(Err("down"))]);
        assert_eq!(line(&lacking), "SGI-Score incomplete: records without a score: 1 of deep research");
        assert_eq!(lacking.json()["sgi_score"], Json::Null);
        assert_eq!(lacking.json()["sgi_score_incomplete"], "incomplete: records without a score: 1 of deep research");
        assert!(lacking.mean_of_four().is_ok(), "SGI-4 is ours, and its line says how many failed");
    }

    #[test]
    fn replies_that_could_not_be_read_are_counted_on_the_line() {
        let garbage = SgiRecord { unreadable: 2, ..record(Ok(0.0)) };
        let text = standing(&[garbage, record(Ok(1.0))]).text();
        assert!(text.contains("2 scored, 0 failed; 2 replies of graders could not be read and count 0"), "{text}");
    }
}
