//! [`ProgramEntry`]: a program with what became of it, as the record holds it.

use probare_core::{Program, ProgramResult, Sha256};
use rusqlite::{Connection, params};
use serde::{Deserialize, Serialize};

use super::{CacheKey, EntryKind, Ownership};

/// A program and what became of it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ProgramEntry {
    /// What was run.
    pub program: Program,
    /// What became of it.
    pub ran: ProgramResult,
    /// When, in seconds since 1970.
    #[serde(default)]
    pub made: u64,
}

impl CacheKey {
    /// The key of a program: of its compact JSON, in the order of its fields.
    pub fn from_program(program: &Program) -> Self {
        let text = serde_json::to_vec(program).unwrap_or_default();
        let mut hash = Sha256::default();
        hash.update(b"probare program 1\n");
        hash.update(&text);
        Self(hash.digest())
    }
}

/// Adds an outcome, with its owner tag; says whether it is new. An earlier one that counts stays.
pub(super) fn insert(connection: &Connection, ownership: &Ownership, entry: &ProgramEntry) -> rusqlite::Result<bool> {
    let text =
        serde_json::to_string(entry).map_err(|error| rusqlite::Error::ToSqlConversionFailure(Box::new(error)))?;
    let made = i64::try_from(entry.made).unwrap_or(i64::MAX);
    let key = CacheKey::from_program(&entry.program);
    if !ownership.make_room(connection, EntryKind::Program, key)? {
        return Ok(false);
    }
    let added = connection
        .prepare_cached("INSERT OR IGNORE INTO programs (key, made, entry, tag) VALUES (?1, ?2, ?3, ?4)")?
        .execute(params![key.0, made, text, ownership.tag(EntryKind::Program, key, &text)])?;
    Ok(added == 1)
}
