//! [`RunRow`]: a run as its row holds it. All changes go through here, so that its checksum always fits.

use rusqlite::{Connection, OptionalExtension, Row, params};

use super::checksum::{Checksum, RowTally, TallyKey};
use super::error::StoreFault;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct RunRow {
    pub run: i64,
    pub plan: String,
    pub state: String,
    pub made: i64,
    pub rounds: u32,
}

const COLUMNS: &str = "run, plan, state, made, rounds, checksum";

impl RunRow {
    fn checksum(&self) -> i64 {
        Checksum::for_table("runs")
            .integer(self.run)
            .text(&self.plan)
            .text(&self.state)
            .integer(self.made)
            .integer(i64::from(self.rounds))
            .end()
    }

    fn read(row: &Row<'_>) -> Result<Self, StoreFault> {
        let found =
            Self { run: row.get(0)?, plan: row.get(1)?, state: row.get(2)?, made: row.get(3)?, rounds: row.get(4)? };
        if found.checksum() != row.get::<_, i64>(5)? {
            return Err(StoreFault::Damaged(format!("the row of run {} is not as it was written", found.run)));
        }
        Ok(found)
    }

    /// The run of this number.
    pub fn find(connection: &Connection, run: i64) -> Result<Option<Self>, StoreFault> {
        let mut statement = connection.prepare_cached(&format!("SELECT {COLUMNS} FROM runs WHERE run = ?1"))?;
        let mut rows = statement.query(params![run])?;
        rows.next()?.map(Self::read).transpose()
    }

    /// All runs, the oldest first; that all of them are there is checked.
    pub fn all(connection: &Connection) -> Result<Vec<Self>, StoreFault> {
        let mut statement = connection.prepare_cached(&format!("SELECT {COLUMNS} FROM runs ORDER BY run"))?;
        let mut rows = statement.query([])?;
        let mut found = Vec::new();
        while let Some(row) = rows.next()? {
            found.push(Self::read(row)?);
        }
        let sum = found.iter().fold(0, |sum, row| sum ^ row.checksum());
        let tally = tally(connection)?;
        if (tally.rows, tally.sum) != (found.len() as u64, sum) {
            let reason = format!("{} runs were kept, and {} are found", tally.rows, found.len());
            return Err(StoreFault::Damaged(reason));
        }
        Ok(found)
    }

    fn write(&self, connection: &Connection, verb: &str) -> rusqlite::Result<()> {
        connection
            .prepare_cached(&format!("{verb} INTO runs ({COLUMNS}) VALUES (?1, ?2, ?3, ?4, ?5, ?6)"))?
            .execute(params![self.run, self.plan, self.state, self.made, self.rounds, self.checksum()])?;
        Ok(())
    }

    /// Adds the run, under its number.
    pub fn insert(&self, connection: &Connection) -> Result<(), StoreFault> {
        self.write(connection, "INSERT")?;
        TallyKey::Samples(self.run).write(connection, &RowTally::default())?;
        TallyKey::Labels(self.run).write(connection, &RowTally::default())?;
        change(connection, |tally| {
            tally.rows += 1;
            tally.sum ^= self.checksum();
        })
    }

    /// Writes a changed run in the place of what it was.
    pub fn replace(&self, connection: &Connection, before: &Self) -> Result<(), StoreFault> {
        self.write(connection, "REPLACE")?;
        change(connection, |tally| tally.sum ^= before.checksum() ^ self.checksum())
    }

    /// Takes a run out, whole or damaged.
    pub fn remove(connection: &Connection, run: i64) -> rusqlite::Result<()> {
        connection.execute("DELETE FROM runs WHERE run = ?1", params![run])?;
        let mut tally = RowTally::default();
        let mut statement = connection.prepare("SELECT checksum FROM runs")?;
        let mut rows = statement.query([])?;
        while let Some(row) = rows.next()? {
            tally.rows += 1;
            tally.sum ^= row.get::<_, i64>(0)?;
        }
        TallyKey::Runs.write(connection, &tally)
    }

    /// The next number; none is given twice.
    pub fn next(connection: &Connection) -> rusqlite::Result<i64> {
        let last: Option<i64> = connection
            .query_row("SELECT seq FROM sqlite_sequence WHERE name = 'runs'", [], |row| row.get(0))
            .optional()?;
        let newest: Option<i64> = connection.query_row("SELECT max(run) FROM runs", [], |row| row.get(0))?;
        Ok(last.max(newest).unwrap_or_default() + 1)
    }
}

fn tally(connection: &Connection) -> Result<RowTally, StoreFault> {
    TallyKey::Runs
        .read(connection)?
        .ok_or_else(|| StoreFault::Damaged("the tally of the runs is not as it was written".to_owned()))
}

fn change(connection: &Connection, change: impl FnOnce(&mut RowTally)) -> Result<(), StoreFault> {
    let mut tally = tally(connection)?;
    change(&mut tally);
    TallyKey::Runs.write(connection, &tally)?;
    Ok(())
}
