//! Stores of the first form (releases 0.1 and 0.2) become those of the second: everything they held, and nothing lost
//! where it is interrupted, since all of it is one transaction.

use probare_core::Output;
use probare_core::SerializedResult;
use rusqlite::{Connection, params};

use super::body::{PackedTable, SampleBody};
use super::error::StoreFault;
use super::packing::Packer;
use super::run_row::RunRow;
use super::samples::{MetricValue, OPEN, OutputUsage, SampleOrder, SampleRow, SampleRowKey, SampleTable};

/// Makes room for the tables of the second form.
pub(super) fn rename_old_tables(connection: &Connection) -> rusqlite::Result<()> {
    connection.execute_batch(
        "DROP INDEX samples_in_order;
         DROP INDEX results_kind;
         ALTER TABLE runs RENAME TO old_runs;
         ALTER TABLE samples RENAME TO old_samples;
         ALTER TABLE results RENAME TO old_results;",
    )
}

/// Rows are read and written as the present form has them, also on the way there: adds the columns that are not there yet. The
/// step to the fifth form makes the table anew.
pub(super) fn ensure_columns(connection: &Connection) -> rusqlite::Result<()> {
    let mut statement = connection.prepare("SELECT 1 FROM pragma_table_info('samples') WHERE name = ?1")?;
    for (name, kind) in
        [("prompt", "INTEGER NOT NULL DEFAULT 0"), ("prompt_seat", "INTEGER NOT NULL DEFAULT 0"), (QUESTION, "BLOB")]
    {
        if !statement.exists([name])? {
            connection.execute_batch(&format!("ALTER TABLE samples ADD COLUMN {name} {kind}"))?;
        }
    }
    Ok(())
}

/// The column of the seventh form.
const QUESTION: &str = "question";

/// Makes the table of samples anew, with the prompt in their key. Checksums stay: rows without a prompt have the same.
pub(super) fn add_prompts(connection: &Connection, table: &str) -> Result<(), StoreFault> {
    let mut statement = connection.prepare("SELECT name, type FROM pragma_table_info('samples')")?;
    let columns = statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?;
    let columns = columns.collect::<Result<Vec<(String, String)>, _>>()?;
    drop(statement);
    connection.execute_batch("DROP INDEX samples_in_order; ALTER TABLE samples RENAME TO old_samples;")?;
    connection.execute_batch(table)?;
    for (name, kind) in &columns {
        if name.starts_with("value_") || name.starts_with("label_") || name == QUESTION {
            connection.execute_batch(&format!("ALTER TABLE samples ADD COLUMN {name} {kind}"))?;
        }
    }
    let names = columns.into_iter().map(|(name, _)| name).collect::<Vec<_>>().join(", ");
    connection.execute_batch(&format!(
        "INSERT INTO samples ({names}) SELECT {names} FROM old_samples ORDER BY sample; DROP TABLE old_samples;
         CREATE INDEX samples_in_order ON samples (run, place, position, seat, prompt_seat, repeat);"
    ))?;
    Ok(())
}

/// Takes over what the tables of the first form held, and drops them.
pub(super) fn copy_old_rows(connection: &Connection) -> Result<(), StoreFault> {
    let mut statement = connection.prepare("SELECT run, plan, state, made, rounds FROM old_runs ORDER BY run")?;
    let runs = statement.query_map([], |row| {
        Ok(RunRow { run: row.get(0)?, plan: row.get(1)?, state: row.get(2)?, made: row.get(3)?, rounds: row.get(4)? })
    })?;
    let runs = runs.collect::<Result<Vec<_>, _>>()?;
    if !runs.is_empty() {
        ensure_columns(connection)?;
    }
    let packer = Packer::default();
    for run in runs {
        run.insert(connection)?;
        samples(connection, run.run, &packer)?;
    }
    drop(statement);
    // A number is not given twice, also where the newest run was removed.
    connection.execute_batch(
        "UPDATE sqlite_sequence SET seq = (SELECT seq FROM sqlite_sequence WHERE name = 'old_runs')
         WHERE name = 'runs' AND EXISTS (SELECT 1 FROM sqlite_sequence WHERE name = 'old_runs');
         INSERT INTO sqlite_sequence (name, seq)
         SELECT 'runs', seq FROM sqlite_sequence WHERE name = 'old_runs'
         AND NOT EXISTS (SELECT 1 FROM sqlite_sequence WHERE name = 'runs');
         DROP TABLE old_results; DROP TABLE old_samples; DROP TABLE old_runs;",
    )?;
    Ok(())
}

fn samples(connection: &Connection, run: i64, packer: &Packer) -> Result<(), StoreFault> {
    let mut samples = SampleTable::open(connection, run)?;
    let mut statement = connection.prepare_cached(
        "SELECT sample, dataset, id, occurrence, model, repeat, place, position, seat, output, input_tokens,
                output_tokens, cost_usd, latency_ms, attempts, finished
         FROM old_samples WHERE run = ?1 ORDER BY sample",
    )?;
    let mut results =
        connection.prepare_cached("SELECT metric, outcome FROM old_results WHERE sample = ?1 ORDER BY metric")?;
    let mut rows = statement.query(params![run])?;
    while let Some(row) = rows.next()? {
        let model: String = row.get(4)?;
        let mut sample = SampleRow {
            place: SampleRowKey {
                dataset: row.get(1)?,
                id: row.get(2)?,
                occurrence: row.get(3)?,
                model: model.clone(),
                prompt: String::new(),
                repeat: row.get(5)?,
                order: SampleOrder { dataset: row.get(6)?, row: row.get(7)?, model: row.get(8)?, prompt: 0 },
            },
            answered_by: (!model.is_empty()).then_some(model),
            status: OPEN.to_owned(),
            taken: OutputUsage {
                input_tokens: row.get(10)?,
                output_tokens: row.get(11)?,
                cost_usd: row.get(12)?,
                latency_ms: row.get(13)?,
                attempts: row.get(14)?,
            },
            ..SampleRow::default()
        };
        let mut body =
            SampleBody { output: row.get::<_, Option<String>>(9)?.map(Output::new), ..SampleBody::default() };
        let is_finished: bool = row.get(15)?;
        if is_finished {
            let mut found = results.query(params![row.get::<_, i64>(0)?])?;
            while let Some(result) = found.next()? {
                let (metric, outcome): (String, String) = (result.get(0)?, result.get(1)?);
                let damaged = |error: serde_json::Error| {
                    StoreFault::Damaged(format!("case `{}` of run {run}, `{metric}`: {error}", sample.place.id))
                };
                let SerializedResult(named) = serde_json::from_str(&outcome).map_err(damaged)?;
                sample.values.push(MetricValue::new(&metric, &named));
                // Written anew, since a body has no line breaks within a result.
                let outcome =
                    if outcome.contains('\n') { serde_json::to_string(&SerializedResult(named))? } else { outcome };
                body.results.push((metric, outcome));
            }
            sample.finish();
        }
        let number = samples.insert(connection, &mut sample)?;
        if is_finished || body.output.is_some() {
            let packed = packer.pack(&body.text()?)?;
            let table = if is_finished { PackedTable::Bodies } else { PackedTable::Outputs };
            table.put(connection, number, &packed)?;
        }
    }
    samples.close(connection)?;
    Ok(())
}
