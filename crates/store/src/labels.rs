//! [`HumanLabel`]: what a person says about a result. Labels are added and never changed, and change no score.

use std::borrow::Cow;

use probare_core::{Case, output_source_name};
use rusqlite::{Connection, params};
use serde::{Deserialize, Serialize};

use super::checksum::{Checksum, TallyKey};
use super::error::StoreFault;

/// What somebody said about a case of a run, or about one result of it: a line of `labels.jsonl`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct HumanLabel {
    /// The case, as results name it.
    pub id: String,
    /// How many cases of the same id come before it.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub occurrence: u32,
    /// The data set, where a run has several.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dataset: Option<String>,
    /// The model whose output is meant; all of them where none is named.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// The prompt, where a run has several.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub prompt: Option<String>,
    /// Which of its outputs is meant, from 0; all of them where none is named.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub repeat: Option<u32>,
    /// The metric that is meant; the output itself where none is named.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub metric: Option<String>,
    /// The word.
    pub label: String,
    /// Why.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
    /// Words to find it by.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tags: Vec<String>,
    /// Who said so.
    pub by: String,
    /// When, in seconds since 1970, as whoever keeps the label knows it.
    pub at: u64,
    /// The case with the output, as it was shown. A file holds it, so that a judge can be asked about the same; a store has it
    /// already and keeps the label alone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub case: Option<Case>,
}

impl HumanLabel {
    /// Whose output is meant: model and prompt.
    pub fn source_name(&self) -> Option<String> {
        output_source_name(self.model.as_deref(), self.prompt.as_deref()).map(Cow::into_owned)
    }
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
const fn is_zero(number: &u32) -> bool {
    *number == 0
}

fn checksum(number: i64, run: i64, text: &str) -> i64 {
    Checksum::for_table("labels").integer(number).integer(run).text(text).end()
}

fn damaged(run: i64) -> StoreFault {
    StoreFault::Damaged(format!("the labels of run {run} are not as they were written"))
}

/// The first case or metric of these labels that the run does not have, in words.
pub(super) fn unknown(connection: &Connection, run: i64, labels: &[HumanLabel]) -> rusqlite::Result<Option<String>> {
    let mut cases = connection.prepare("SELECT 1 FROM samples WHERE run = ?1 AND id = ?2")?;
    let mut metrics = connection.prepare("SELECT 1 FROM metrics WHERE run = ?1 AND metric = ?2")?;
    for label in labels {
        if !cases.exists(params![run, label.id])? {
            return Ok(Some(format!("case `{}`", label.id)));
        }
        if let Some(metric) = &label.metric
            && !metrics.exists(params![run, metric])?
        {
            return Ok(Some(format!("metric `{metric}`")));
        }
    }
    Ok(None)
}

/// Adds labels.
pub(super) fn add(connection: &Connection, run: i64, labels: &[HumanLabel]) -> Result<(), StoreFault> {
    let mut tally = TallyKey::Labels(run).read(connection)?.ok_or_else(|| damaged(run))?;
    let mut number: i64 = connection.query_row("SELECT coalesce(max(number), 0) FROM labels", [], |row| row.get(0))?;
    for label in labels {
        number += 1;
        let text = serde_json::to_string(&HumanLabel { case: None, ..label.clone() })?;
        let checksum = checksum(number, run, &text);
        connection
            .prepare_cached("INSERT INTO labels (number, run, label, checksum) VALUES (?1, ?2, ?3, ?4)")?
            .execute(params![number, run, text, checksum])?;
        tally.rows += 1;
        tally.sum ^= checksum;
    }
    TallyKey::Labels(run).write(connection, &tally)?;
    Ok(())
}

/// All labels of a run in the order in which they came, with their numbers.
pub(super) fn all(connection: &Connection, run: i64) -> Result<Vec<(i64, HumanLabel)>, StoreFault> {
    let mut statement =
        connection.prepare_cached("SELECT number, label, checksum FROM labels WHERE run = ?1 ORDER BY number")?;
    let mut rows = statement.query(params![run])?;
    let (mut found, mut sum) = (Vec::new(), 0);
    while let Some(row) = rows.next()? {
        let (number, text, kept): (i64, String, i64) = (row.get(0)?, row.get(1)?, row.get(2)?);
        if checksum(number, run, &text) != kept {
            return Err(damaged(run));
        }
        sum ^= kept;
        found.push((number, serde_json::from_str(&text)?));
    }
    let tally = TallyKey::Labels(run).read(connection)?.ok_or_else(|| damaged(run))?;
    if (tally.rows, tally.sum) == (found.len() as u64, sum) { Ok(found) } else { Err(damaged(run)) }
}

/// Takes the labels of a case out.
pub(super) fn forget(connection: &Connection, run: i64, id: &str) -> Result<(), StoreFault> {
    let mut tally = TallyKey::Labels(run).read(connection)?.ok_or_else(|| damaged(run))?;
    for (number, label) in all(connection, run)? {
        if label.id == id {
            connection.execute("DELETE FROM labels WHERE number = ?1", params![number])?;
            tally.rows = tally.rows.saturating_sub(1);
            tally.sum ^= checksum(number, run, &serde_json::to_string(&label)?);
        }
    }
    TallyKey::Labels(run).write(connection, &tally)?;
    Ok(())
}
