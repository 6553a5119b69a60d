//! [`TextIndex`]: the words of a run's cases and outputs in small letters, unpacked once, so that a search scans plain text and
//! unpacks nothing. It lives in a temporary database of its own, which goes when it is dropped: a store is not rewritten by looking
//! at it, and what is deleted from a store is not kept elsewhere.

use std::path::Path;

use memchr::memmem;
use rusqlite::{Connection, params};
use serde_json::Value as Json;

use super::body::PackedTable;
use super::samples::OPEN;
use super::{Store, StoreError, StoreFault, error};

/// The texts of a run.
pub struct TextIndex {
    connection: Connection,
}

/// Where some words stand: numbers of cases and of samples.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TextMatches {
    pub cases: Vec<i64>,
    pub samples: Vec<i64>,
}

/// Texts that are taken over in one transaction.
const AT_ONCE: usize = 2_000;

/// Between two texts of a case, so that nothing is found across both.
const BETWEEN: char = '\u{1}';

impl TextIndex {
    /// An empty index.
    pub fn new(store: &Path) -> Result<Self, StoreError> {
        Self::create().map_err(error::database_error(store))
    }

    fn create() -> rusqlite::Result<Self> {
        // An empty name is a database that SQLite keeps in a temporary file without a name.
        let connection = Connection::open("")?;
        connection.execute_batch(
            "PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF;
             CREATE TABLE cases (number INTEGER PRIMARY KEY, words TEXT NOT NULL);
             CREATE TABLE outputs (number INTEGER PRIMARY KEY, words TEXT NOT NULL)",
        )?;
        Ok(Self { connection })
    }

    /// Takes over what the run has by now and the index has not.
    pub fn update(&mut self, store: &Store, run: i64) -> Result<(), StoreError> {
        store.read(|stored| {
            let mut statement = stored.prepare(&format!(
                "SELECT sample, case_number FROM samples WHERE run = ?1 AND status <> '{OPEN}' ORDER BY sample"
            ))?;
            let mut rows = statement.query(params![run])?;
            let mut open = self.connection.transaction()?;
            let mut taken = 0;
            while let Some(row) = rows.next()? {
                probare_cancellation::count_steps(1);
                let (sample, case): (i64, Option<i64>) = (row.get(0)?, row.get(1)?);
                if !has(&open, "outputs", sample)? {
                    let body = PackedTable::Bodies.text(stored, store.unpacker(), sample)?.unwrap_or_default();
                    // The first line of a body is the output; what metrics said comes behind it.
                    put(&open, "outputs", sample, body.lines().next().unwrap_or_default())?;
                    taken += 1;
                }
                if let Some(case) = case
                    && !has(&open, "cases", case)?
                {
                    let text = PackedTable::Cases.text(stored, store.unpacker(), case)?.unwrap_or_default();
                    put(&open, "cases", case, &text)?;
                }
                if taken >= AT_ONCE {
                    open.commit()?;
                    open = self.connection.transaction()?;
                    taken = 0;
                }
            }
            Ok(open.commit()?)
        })
    }

    /// Where these words stand, whatever the size of their letters.
    pub fn find(&self, words: &str) -> rusqlite::Result<TextMatches> {
        let words = words.to_lowercase();
        // The `instr` of SQLite compares at every place of a text.
        let finder = memmem::Finder::new(&words);
        let numbers = |table: &str| {
            let mut statement =
                self.connection.prepare_cached(&format!("SELECT number, words FROM {table} ORDER BY number"))?;
            let mut rows = statement.query([])?;
            let mut found = Vec::new();
            while let Some(row) = rows.next()? {
                if finder.find(row.get_ref(1)?.as_bytes()?).is_some() {
                    found.push(row.get(0)?);
                }
            }
            Ok::<Vec<i64>, rusqlite::Error>(found)
        };
        Ok(TextMatches { cases: numbers("cases")?, samples: numbers("outputs")? })
    }
}

fn has(connection: &Connection, table: &str, number: i64) -> rusqlite::Result<bool> {
    connection.prepare_cached(&format!("SELECT 1 FROM {table} WHERE number = ?1"))?.exists(params![number])
}

fn put(connection: &Connection, table: &str, number: i64, text: &str) -> Result<(), StoreFault> {
    let mut words = String::new();
    if !text.is_empty() {
        collect_words(&serde_json::from_str(text)?, &mut words);
    }
    connection
        .prepare_cached(&format!("INSERT INTO {table} (number, words) VALUES (?1, ?2)"))?
        .execute(params![number, words])?;
    Ok(())
}

/// The texts and numbers of a value in small letters. Names of fields and ids are not what anybody said.
fn collect_words(json: &Json, words: &mut String) {
    match json {
        Json::String(text) => {
            // SQLite ends a text at a zero character when it looks for words.
            words.extend(
                text.chars().map(|sign| if sign == '\0' { BETWEEN } else { sign }).flat_map(char::to_lowercase),
            );
            words.push(BETWEEN);
        }
        Json::Number(number) => {
            words.push_str(&number.to_string());
            words.push(BETWEEN);
        }
        Json::Array(items) => items.iter().for_each(|item| collect_words(item, words)),
        Json::Object(fields) => {
            fields.iter().filter(|(name, _)| *name != "id").for_each(|(_, value)| collect_words(value, words));
        }
        Json::Bool(_) | Json::Null => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_found_in_texts_and_numbers_and_not_in_names_or_across_texts() {
        let index = TextIndex::create().unwrap();
        put(&index.connection, "cases", 7, r#"{"id":"secret","query":"Größe 12\u0000 %_","tags":["ab","cd"],"n":41}"#)
            .unwrap();
        put(&index.connection, "outputs", 9, r#"{"text":"A REFUND"}"#).unwrap();
        put(&index.connection, "outputs", 10, "").unwrap();
        let found = |words: &str| index.find(words).unwrap();
        for words in ["größe", "GRÖSSE".to_lowercase().replace("ss", "ß").as_str(), "%_", "41", "ab"] {
            assert_eq!(found(words), TextMatches { cases: vec![7], samples: vec![] }, "{words}");
        }
        assert_eq!(found("refund"), TextMatches { cases: vec![], samples: vec![9] });
        for words in ["secret", "query", "abcd", "text", "x%"] {
            assert_eq!(found(words), TextMatches::default(), "{words}");
        }
    }
}
