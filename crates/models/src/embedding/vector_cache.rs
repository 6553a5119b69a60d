//! [`VectorCache`]: vectors that were computed before, in a file beside the model, by the content of their text.
//!
//! Reading one takes some microseconds and computing it some milliseconds. What the file lacks, or whatever is wrong with it,
//! costs time and never changes a number: a vector is the same to the last bit wherever it is computed.

use std::path::Path;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use probare_core::Sha256;
use probare_minilm::{DIMENSIONS, LocalModel};
use rusqlite::{Connection, OptionalExtension, params};

/// Raised whenever any bit of any vector changes: what was kept before is then not found any more.
const ARITHMETIC: u32 = 1;

/// Vectors that a file holds at most: 700 MB of them.
const MOST: i64 = 400_000;

/// Name of the file in the folder of the model.
pub(super) const FILE: &str = "vectors.db";

/// The file of vectors of a model.
pub(super) struct VectorCache {
    connection: Mutex<Connection>,
    /// What every key begins with.
    model: String,
}

impl VectorCache {
    /// Opens the file, or makes it; nothing where that is not allowed here.
    pub(super) fn open(model: &LocalModel, folder: &Path) -> Option<Self> {
        let connection = crate::open_without_links(&folder.join(FILE)).ok()?;
        connection.busy_timeout(Duration::from_secs(5)).ok()?;
        crate::enable_wal(&connection).ok()?;
        // What is lost with the power is computed again.
        connection.pragma_update(None, "synchronous", "off").ok()?;
        let table = "CREATE TABLE IF NOT EXISTS vectors (key TEXT PRIMARY KEY, vector BLOB NOT NULL) WITHOUT ROWID";
        connection.execute(table, []).ok()?;
        Some(Self { connection: Mutex::new(connection), model: format!("{}/{ARITHMETIC}/", model.digest()) })
    }

    fn locked(&self) -> MutexGuard<'_, Connection> {
        self.connection.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn key(&self, text: &str) -> String {
        Sha256::hex_digest(format!("{}{text}", self.model).as_bytes())
    }

    /// The vector of a text, where it is kept.
    pub(super) fn find(&self, text: &str) -> Option<Vec<f32>> {
        let key = self.key(text);
        let connection = self.locked();
        let mut statement = connection.prepare_cached("SELECT vector FROM vectors WHERE key = ?1").ok()?;
        let bytes: Vec<u8> = statement.query_row([key], |row| row.get(0)).optional().ok()??;
        let (numbers, rest) = bytes.as_chunks::<4>();
        let vector: Vec<f32> = numbers.iter().map(|number| f32::from_le_bytes(*number)).collect();
        let is_whole = vector.len() == DIMENSIONS && rest.is_empty() && vector.iter().all(|number| number.is_finite());
        is_whole.then_some(vector)
    }

    /// Keeps vectors. Whether that worked is nobody's concern.
    pub(super) fn store<'a>(&self, vectors: impl Iterator<Item = (&'a str, &'a [f32])>) {
        let rows: Vec<(String, Vec<u8>)> = vectors
            .map(|(text, vector)| (self.key(text), vector.iter().flat_map(|number| number.to_le_bytes()).collect()))
            .collect();
        let mut connection = self.locked();
        let _ = insert_rows(&mut connection, &rows);
    }
}

fn insert_rows(connection: &mut Connection, rows: &[(String, Vec<u8>)]) -> rusqlite::Result<()> {
    let transaction = connection.transaction()?;
    // As large as the file ever was, which is counted without reading it.
    let pages: i64 = transaction.pragma_query_value(None, "page_count", |row| row.get(0))?;
    let size: i64 = transaction.pragma_query_value(None, "page_size", |row| row.get(0))?;
    #[expect(clippy::cast_possible_wrap, reason = "some hundred bytes")]
    let of_one = (DIMENSIONS * 4) as i64 + 80;
    if pages * size < MOST * of_one {
        for (key, vector) in rows {
            let mut statement = transaction.prepare_cached("INSERT OR IGNORE INTO vectors VALUES (?1, ?2)")?;
            statement.execute(params![key, vector])?;
        }
    }
    transaction.commit()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_vector_comes_back_to_the_last_bit_and_a_broken_one_not_at_all() {
        let folder = tempfile::tempdir().unwrap();
        let model = LocalModel::from_name("all-MiniLM-L6-v2").unwrap();
        let vectors = VectorCache::open(model, folder.path()).unwrap();
        let vector: Vec<f32> = (0_u16..384).map(|number| f32::from(number) / 7.0).collect();
        assert_eq!(vectors.find("a"), None);
        vectors.store([("a", vector.as_slice())].into_iter());
        drop(vectors);
        let again = VectorCache::open(model, folder.path()).unwrap();
        assert_eq!(again.find("a"), Some(vector.clone()));
        assert_eq!(again.find("b"), None);
        again.locked().execute("UPDATE vectors SET vector = x'00'", []).unwrap();
        assert_eq!(again.find("a"), None);
        let other = LocalModel { files: &model.files[..1], ..*model };
        again.store([("c", vector.as_slice())].into_iter());
        assert_eq!(VectorCache::open(&other, folder.path()).unwrap().find("c"), None, "another model");
    }

    #[test]
    fn a_folder_that_is_not_there_keeps_nothing() {
        let model = LocalModel::from_name("all-MiniLM-L6-v2").unwrap();
        assert!(VectorCache::open(model, Path::new("/no/such/folder")).is_none());
    }
}
