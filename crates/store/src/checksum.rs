//! [`Checksum`] of a row, and [`RowTally`] of all rows of a run: together they say whether a row is as it was written, and
//! whether one is missing or there twice.

use std::collections::BTreeMap;

use probare_core::Sha256;
use rusqlite::types::ValueRef;
use rusqlite::{Connection, OptionalExtension, Row, params};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

/// The first 64 bits of the SHA-256 of values in order, each with its type and length.
///
/// It is handed on with every value, so it is small: the values of a row wait together for their digest.
pub(super) struct Checksum {
    waiting: Vec<u8>,
    /// Of what does not wait any more.
    digest: Option<Box<Sha256>>,
}

/// Bytes that wait.
const WAITING: usize = 1024;

impl Checksum {
    /// Of nothing yet; rows of two tables are never taken for each other.
    pub fn for_table(table: &str) -> Self {
        Self { waiting: Vec::with_capacity(WAITING), digest: None }.text(table)
    }

    fn value(mut self, kind: u8, bytes: &[u8]) -> Self {
        self.waiting.push(kind);
        self.waiting.extend_from_slice(&(bytes.len() as u64).to_le_bytes());
        if self.waiting.len() + bytes.len() > WAITING {
            let digest = self.digest.get_or_insert_default();
            digest.update(&self.waiting);
            digest.update(bytes);
            self.waiting.clear();
        } else {
            self.waiting.extend_from_slice(bytes);
        }
        self
    }

    pub fn null(self) -> Self {
        self.value(0, &[])
    }

    pub fn integer(self, number: i64) -> Self {
        self.value(1, &number.to_le_bytes())
    }

    /// A column keeps no sign of zero.
    pub fn real(self, number: f64) -> Self {
        self.value(2, &(number + 0.0).to_le_bytes())
    }

    pub fn text(self, text: &str) -> Self {
        self.value(3, text.as_bytes())
    }

    pub fn bytes(self, bytes: &[u8]) -> Self {
        self.value(4, bytes)
    }

    pub fn optional<T>(self, value: Option<T>, of: impl FnOnce(Self, T) -> Self) -> Self {
        match value {
            Some(value) => of(self, value),
            None => self.null(),
        }
    }

    /// The first columns of a row.
    pub fn columns(mut self, row: &Row<'_>, count: usize) -> rusqlite::Result<Self> {
        for at in 0..count {
            self = match row.get_ref(at)? {
                ValueRef::Null => self.null(),
                ValueRef::Integer(number) => self.integer(number),
                ValueRef::Real(number) => self.real(number),
                ValueRef::Text(text) => self.value(3, text),
                ValueRef::Blob(bytes) => self.bytes(bytes),
            };
        }
        Ok(self)
    }

    pub fn end(self) -> i64 {
        let mut digest = self.digest.unwrap_or_default();
        digest.update(self.waiting);
        let digest = digest.digest();
        let mut first = [0; 8];
        first.copy_from_slice(&digest[..8]);
        i64::from_le_bytes(first)
    }
}

/// What the rows of a run come to. It is written in the transaction that changes them.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct RowTally {
    pub rows: u64,
    /// Exclusive or of their checksums.
    pub sum: i64,
    /// Finished samples.
    pub finished: u64,
    /// Tokens of the outputs.
    pub input_tokens: u64,
    /// Tokens of the outputs.
    pub output_tokens: u64,
    /// What the outputs cost, in thousand-millionths of a US dollar. What the run cost stands in its account.
    pub nano_usd: i64,
    /// Results that are errors, by kind.
    pub errors: BTreeMap<String, u64>,
}

/// What is tallied.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum TallyKey {
    Runs,
    Samples(i64),
    Labels(i64),
    /// No count, but what the benchmark says about a finished run.
    Panels(i64),
    /// What the calls of a run took that have ended.
    Spending(i64),
    /// What was read from all results of a finished run.
    Means(i64),
}

impl TallyKey {
    const fn key(self) -> (&'static str, i64) {
        match self {
            Self::Runs => ("runs", 0),
            Self::Samples(run) => ("samples", run),
            Self::Labels(run) => ("labels", run),
            Self::Panels(run) => ("panels", run),
            Self::Spending(run) => ("spending", run),
            Self::Means(run) => ("means", run),
        }
    }

    /// The tally; nothing where it is damaged or missing.
    pub fn read(self, connection: &Connection) -> rusqlite::Result<Option<RowTally>> {
        self.read_as(connection)
    }

    pub fn write(self, connection: &Connection, tally: &RowTally) -> rusqlite::Result<()> {
        self.write_as(connection, tally)
    }

    /// What is kept under this key; nothing where it is damaged or missing.
    pub fn read_as<T: DeserializeOwned>(self, connection: &Connection) -> rusqlite::Result<Option<T>> {
        let (kind, run) = self.key();
        let mut statement =
            connection.prepare_cached("SELECT kind, run, tally, checksum FROM tallies WHERE kind = ?1 AND run = ?2")?;
        let found: Option<(bool, String)> = statement
            .query_row(params![kind, run], |row| {
                let is_whole = Checksum::for_table("tallies").columns(row, 3)?.end() == row.get::<_, i64>(3)?;
                Ok((is_whole, row.get(2)?))
            })
            .optional()?;
        Ok(found.filter(|(is_whole, _)| *is_whole).and_then(|(_, text)| serde_json::from_str(&text).ok()))
    }

    pub fn write_as(self, connection: &Connection, value: &impl Serialize) -> rusqlite::Result<()> {
        let (kind, run) = self.key();
        // Counts, texts and finite numbers always have a JSON form.
        let text = serde_json::to_string(value).unwrap_or_default();
        let checksum = Checksum::for_table("tallies").text(kind).integer(run).text(&text).end();
        connection
            .prepare_cached("INSERT OR REPLACE INTO tallies (kind, run, tally, checksum) VALUES (?1, ?2, ?3, ?4)")?
            .execute(params![kind, run, text, checksum])?;
        Ok(())
    }

    pub fn remove(self, connection: &Connection) -> rusqlite::Result<()> {
        let (kind, run) = self.key();
        connection.execute("DELETE FROM tallies WHERE kind = ?1 AND run = ?2", params![kind, run])?;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_is_told_from_its_neighbour_and_from_another_type() {
        let ends = [
            Checksum::for_table("t").text("ab").text("c").end(),
            Checksum::for_table("t").text("a").text("bc").end(),
            Checksum::for_table("t").bytes(b"ab").text("c").end(),
            Checksum::for_table("t").null().text("abc").end(),
            Checksum::for_table("u").text("ab").text("c").end(),
            Checksum::for_table("t").integer(0).end(),
            Checksum::for_table("t").real(0.0).end(),
        ];
        for (at, end) in ends.iter().enumerate() {
            assert!(!ends[at + 1..].contains(end), "{at}");
        }
        assert_eq!(Checksum::for_table("t").real(-0.0).end(), Checksum::for_table("t").real(0.0).end());
    }
}
