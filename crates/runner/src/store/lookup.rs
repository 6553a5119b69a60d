//! What a store holds of single samples: looked up by their key while a run goes on, and one after the other for exports.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use probare_core::{Case, MetricInfo, Named, Output, Spent, Told, Usage};
use rusqlite::{Connection, OptionalExtension, Row, params};

use super::keeper::Names;
use super::{StoreError, schema};

/// What is known of a sample.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Kept {
    /// What the model answered.
    pub output: Option<String>,
    /// What that took.
    pub spent: Option<Spent>,
    /// All results, in the order of the metrics, where the sample is finished.
    pub results: Option<Vec<Named>>,
}

/// Looks samples up, from any thread.
pub struct Finished {
    path: PathBuf,
    run: i64,
    names: Names,
    metrics: Vec<String>,
    /// Nothing was there when the run began.
    is_empty: bool,
    connections: Mutex<Vec<Connection>>,
}

impl Finished {
    /// Prepares to look up samples of a run.
    pub fn open(path: &Path, run: i64, names: Names, metrics: &[MetricInfo]) -> Result<Self, StoreError> {
        let connection = schema::connect(path)?;
        let any: Option<i64> = connection
            .query_row("SELECT sample FROM samples WHERE run = ?1 LIMIT 1", params![run], |row| row.get(0))
            .optional()
            .map_err(schema::wrong(path))?;
        Ok(Self {
            path: path.to_owned(),
            run,
            names,
            metrics: metrics.iter().map(|metric| metric.name.clone()).collect(),
            is_empty: any.is_none(),
            connections: Mutex::new(vec![connection]),
        })
    }

    /// What is known of the sample of a case.
    pub fn find(&self, case: &Case) -> io::Result<Kept> {
        if self.is_empty {
            return Ok(Kept::default());
        }
        let spare = self.connections.lock().unwrap_or_else(PoisonError::into_inner).pop();
        let connection = match spare {
            Some(connection) => connection,
            None => schema::connect(&self.path).map_err(io::Error::other)?,
        };
        let kept = self.look(&connection, case);
        self.connections.lock().unwrap_or_else(PoisonError::into_inner).push(connection);
        kept.map_err(|error| io::Error::other(schema::wrong(&self.path)(error)))
    }

    fn look(&self, connection: &Connection, case: &Case) -> rusqlite::Result<Kept> {
        let Some(place) = self.names.place(case) else { return Ok(Kept::default()) };
        let mut statement = connection.prepare_cached(
            "SELECT sample, output, finished, input_tokens, output_tokens, cost_usd FROM samples
             WHERE run = ?1 AND dataset = ?2 AND id = ?3 AND occurrence = ?4 AND model = ?5 AND repeat = ?6",
        )?;
        let key = params![self.run, place.dataset, place.id, place.occurrence, place.model, place.repeat];
        let found: Option<(i64, Option<String>, bool, Spent)> =
            statement.query_row(key, |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?, spent(row)?))).optional()?;
        let Some((sample, output, is_finished, spent)) = found else { return Ok(Kept::default()) };
        let results = if is_finished { results(connection, sample, &self.metrics)? } else { None };
        let spent = output.is_some().then_some(spent);
        Ok(Kept { output, spent, results })
    }
}

/// What an output took, from the fourth column on.
fn spent(row: &Row<'_>) -> rusqlite::Result<Spent> {
    let count = |at| row.get::<_, Option<i64>>(at).map(|count| count.unwrap_or_default().unsigned_abs());
    Ok(Spent { usage: Usage::new(count(3)?, count(4)?), cost_usd: row.get(5)? })
}

/// The results of a sample in the order of the metrics; nothing where one of them is not there.
fn results(connection: &Connection, sample: i64, metrics: &[String]) -> rusqlite::Result<Option<Vec<Named>>> {
    let mut statement = connection.prepare_cached("SELECT metric, outcome FROM results WHERE sample = ?1")?;
    let mut found: Vec<Option<Named>> = vec![None; metrics.len()];
    let mut rows = statement.query(params![sample])?;
    while let Some(row) = rows.next()? {
        let (metric, outcome) = (row.get_ref(0)?.as_str()?, row.get_ref(1)?.as_str()?);
        let Some(at) = metrics.iter().position(|known| known == metric) else { continue };
        let Told(named) = serde_json::from_str(outcome).map_err(|error| {
            rusqlite::Error::FromSqlConversionFailure(1, rusqlite::types::Type::Text, Box::new(error))
        })?;
        found[at] = Some(named);
    }
    Ok(found.into_iter().collect())
}

/// A sample on its way out of the store.
#[derive(Debug, Clone, PartialEq)]
pub struct StoredSample {
    /// Data set.
    pub dataset: String,
    /// The case, with the output and nothing else of its row.
    pub case: Case,
    /// What the output took.
    pub usage: Usage,
    /// What it cost, where that is known.
    pub cost_usd: Option<f64>,
}

/// Data set, row, model and repeat by number, and the number of the sample where two stand in one place.
pub(crate) type Order = (i64, i64, i64, i64, i64);

/// Before every sample.
pub(crate) const FIRST: Order = (-1, 0, 0, 0, 0);

/// The next samples after a place, in order.
pub(super) fn after(
    connection: &Connection,
    run: i64,
    last: Order,
    most: usize,
) -> rusqlite::Result<Vec<(Order, StoredSample)>> {
    let mut statement = connection.prepare_cached(
        "SELECT place, position, seat, repeat, dataset, id, occurrence, model, output, input_tokens, output_tokens,
                cost_usd, sample
         FROM samples
         WHERE run = ?1 AND finished = 1 AND (place, position, seat, repeat, sample) > (?2, ?3, ?4, ?5, ?6)
         ORDER BY place, position, seat, repeat, sample LIMIT ?7",
    )?;
    let most = i64::try_from(most).unwrap_or(i64::MAX);
    let rows = statement.query_map(params![run, last.0, last.1, last.2, last.3, last.4, most], sample)?;
    rows.collect()
}

fn sample(row: &Row<'_>) -> rusqlite::Result<(Order, StoredSample)> {
    let at = (row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?, row.get(12)?);
    let model: String = row.get(7)?;
    let repeat: u32 = row.get(3)?;
    let output: Option<String> = row.get(8)?;
    let model = (!model.is_empty()).then_some(model);
    let key = probare_core::SampleKey {
        dataset: row.get(0)?,
        row: row.get::<_, i64>(1)?.unsigned_abs(),
        occurrence: row.get(6)?,
        model: model.is_some().then_some(row.get(2)?),
        repeat,
    };
    let response = output.map(|text| Output { text, model, repeat });
    let case = Case { id: row.get(5)?, response, sample: Some(key), ..Case::default() };
    let count = |at| row.get::<_, Option<i64>>(at).map(|count| count.unwrap_or_default().unsigned_abs());
    let usage = Usage::new(count(9)?, count(10)?);
    Ok((at, StoredSample { dataset: row.get(4)?, case, usage, cost_usd: row.get(11)? }))
}
