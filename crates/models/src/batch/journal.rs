//! [`BatchJournal`]: which requests are in which batch, in a file beside the response cache, written before a batch is sent. So a
//! process that is killed at any moment leaves behind what is needed to find its batches again.

use std::path::Path;

use probare_core::CallPurpose;
use rusqlite::{Connection, OptionalExtension, TransactionBehavior, params};
use serde::{Deserialize, Serialize};

use crate::sqlite::{enable_wal, ensure_plain_database, open_without_links};
use crate::{CacheError, Fault, ModelRequest, Money, Spending};

const TABLES: &str = "
CREATE TABLE IF NOT EXISTS batches (
    token TEXT PRIMARY KEY,
    owner TEXT NOT NULL,
    remote TEXT,
    made INTEGER NOT NULL
);
CREATE TABLE IF NOT EXISTS items (
    key TEXT PRIMARY KEY,
    token TEXT NOT NULL,
    item TEXT NOT NULL
);
CREATE INDEX IF NOT EXISTS items_of_batch ON items (token);
CREATE TABLE IF NOT EXISTS failures (
    key TEXT PRIMARY KEY,
    failure TEXT NOT NULL
);
CREATE TABLE IF NOT EXISTS ended (
    remote TEXT PRIMARY KEY
);
";

/// A request of a batch, without its body: a batch that never came about is made of its questions again.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct BatchItem {
    /// The request as the response cache knows it.
    pub request: ModelRequest,
    /// The code that the model is told for this question alone.
    pub code: Option<String>,
    /// The model by its name in the project.
    pub model: String,
    pub purpose: CallPurpose,
    pub is_priced: bool,
    /// The most that it can take.
    tokens: u64,
    picodollars: u64,
    /// The reservation of that in the ledger of the run.
    pub reservation: Option<i64>,
    /// Batches that it was in, this one included.
    pub attempts: u32,
}

impl BatchItem {
    pub(crate) fn new(
        request: ModelRequest,
        code: Option<String>,
        model: String,
        (purpose, is_priced): (CallPurpose, bool),
        bound: Spending,
        attempts: u32,
    ) -> Self {
        let (tokens, picodollars) = (bound.tokens, bound.money.0);
        Self { request, code, model, purpose, is_priced, tokens, picodollars, reservation: None, attempts }
    }

    pub(crate) const fn bound(&self) -> Spending {
        Spending { tokens: self.tokens, money: Money(self.picodollars) }
    }
}

/// What came of a request that a batch gave no reply to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct BatchFailure {
    pub fault: Fault,
    pub reason: String,
    /// Batches that it was in.
    pub attempts: u32,
}

/// A batch that is not collected yet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct OpenBatch {
    pub token: String,
    /// What the vendor calls it; nothing while it is not known whether it came about.
    pub remote: Option<String>,
}

/// The file.
pub(crate) struct BatchJournal {
    connection: Connection,
}

impl BatchJournal {
    pub(crate) fn open(path: &Path) -> Result<Self, CacheError> {
        let failed = |reason: String| CacheError::Database { path: path.to_owned(), reason };
        let wrong = |error: rusqlite::Error| failed(error.to_string());
        ensure_plain_database(path)
            .map_err(|(path, error)| CacheError::Database { path, reason: error.to_string() })?;
        if let Some(folder) = path.parent().filter(|folder| !folder.as_os_str().is_empty()) {
            std::fs::create_dir_all(folder).map_err(|error| failed(error.to_string()))?;
        }
        let connection = open_without_links(path).map_err(wrong)?;
        enable_wal(&connection).map_err(wrong)?;
        connection.pragma_update(None, "synchronous", "full").map_err(wrong)?;
        connection.execute_batch(TABLES).map_err(wrong)?;
        // A view or a trigger under one of these names could do anything, and take for ever.
        let sql = "SELECT count(*) FROM sqlite_schema WHERE type NOT IN ('table', 'index')";
        let others: i64 = connection.query_row(sql, [], |row| row.get(0)).map_err(wrong)?;
        if others > 0 {
            return Err(failed("it holds more than tables, as no file of batches does".to_owned()));
        }
        Ok(Self { connection })
    }

    /// Keys of all requests that are in a batch, of whichever run.
    pub(crate) fn open_keys(&self) -> rusqlite::Result<Vec<String>> {
        self.connection.prepare("SELECT key FROM items")?.query_map([], |row| row.get(0))?.collect()
    }

    /// What came of requests that have no reply, by key.
    pub(crate) fn failures(&self) -> rusqlite::Result<Vec<(String, BatchFailure)>> {
        let mut statement = self.connection.prepare("SELECT key, failure FROM failures")?;
        let rows = statement.query_map([], |row| Ok((row.get(0)?, row.get::<_, String>(1)?)))?;
        let mut found = Vec::new();
        for row in rows {
            let (key, text) = row?;
            found.extend(serde_json::from_str(&text).ok().map(|failure| (key, failure)));
        }
        Ok(found)
    }

    /// The batches of a run, the oldest first.
    pub(crate) fn open_batches(&self, owner: &str) -> rusqlite::Result<Vec<OpenBatch>> {
        let mut statement =
            self.connection.prepare("SELECT token, remote FROM batches WHERE owner = ?1 ORDER BY made, rowid")?;
        let rows = statement.query_map([owner], |row| Ok(OpenBatch { token: row.get(0)?, remote: row.get(1)? }))?;
        rows.collect()
    }

    /// The requests of a batch, by key.
    pub(crate) fn items(&self, token: &str) -> rusqlite::Result<Vec<(String, BatchItem)>> {
        let mut statement = self.connection.prepare("SELECT key, item FROM items WHERE token = ?1 ORDER BY rowid")?;
        let rows = statement.query_map([token], |row| Ok((row.get(0)?, row.get::<_, String>(1)?)))?;
        let mut found = Vec::new();
        for row in rows {
            let (key, text) = row?;
            found.extend(serde_json::from_str(&text).ok().map(|item| (key, item)));
        }
        Ok(found)
    }

    /// Whether a batch of the vendor is one that we know.
    pub(crate) fn knows(&self, remote: &str) -> rusqlite::Result<bool> {
        let sql = "SELECT 1 FROM ended WHERE remote = ?1 UNION SELECT 1 FROM batches WHERE remote = ?1";
        self.connection.query_row(sql, [remote], |_| Ok(())).optional().map(|found| found.is_some())
    }

    /// Notes a batch that is about to be sent. A request that is in another one stays there: those that were taken come back.
    pub(crate) fn begin(
        &mut self,
        owner: &str,
        token: &str,
        made: u64,
        items: &[(String, BatchItem)],
    ) -> rusqlite::Result<Vec<bool>> {
        let transaction = self.connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
        transaction.execute(
            "INSERT INTO batches (token, owner, made) VALUES (?1, ?2, ?3)",
            params![token, owner, i64::try_from(made).unwrap_or(i64::MAX)],
        )?;
        let mut taken = Vec::with_capacity(items.len());
        {
            let mut statement =
                transaction.prepare("INSERT OR IGNORE INTO items (key, token, item) VALUES (?1, ?2, ?3)")?;
            for (key, item) in items {
                let text = serde_json::to_string(item).unwrap_or_default();
                taken.push(statement.execute(params![key, token, text])? == 1);
            }
        }
        transaction.commit()?;
        Ok(taken)
    }

    /// The vendor has the batch, under this name.
    pub(crate) fn set_remote(&self, token: &str, remote: &str) -> rusqlite::Result<()> {
        self.connection.execute("UPDATE batches SET remote = ?2 WHERE token = ?1", params![token, remote]).map(|_| ())
    }

    /// The batch is over: what it gave is in the response cache, what it did not give is noted.
    pub(crate) fn end(
        &mut self,
        batch: &OpenBatch,
        answered: &[String],
        failed: &[(String, BatchFailure)],
    ) -> rusqlite::Result<()> {
        let transaction = self.connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
        transaction.execute("DELETE FROM items WHERE token = ?1", [&batch.token])?;
        transaction.execute("DELETE FROM batches WHERE token = ?1", [&batch.token])?;
        for key in answered {
            transaction.execute("DELETE FROM failures WHERE key = ?1", [key])?;
        }
        for (key, failure) in failed {
            let text = serde_json::to_string(failure).unwrap_or_default();
            transaction
                .execute("INSERT OR REPLACE INTO failures (key, failure) VALUES (?1, ?2)", params![key, text])?;
        }
        if let Some(remote) = &batch.remote {
            transaction.execute("INSERT OR IGNORE INTO ended (remote) VALUES (?1)", [remote])?;
        }
        transaction.commit()
    }

    /// Forgets what came of a request, since it is asked anew.
    pub(crate) fn forget_failure(&self, key: &str) -> rusqlite::Result<()> {
        self.connection.execute("DELETE FROM failures WHERE key = ?1", [key]).map(|_| ())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Provider;
    use crate::dialects::tests_support::request;

    #[test]
    fn what_is_noted_is_found_by_the_next_process_and_a_request_is_in_one_batch() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("deeper/batches.db");
        let item = |attempts| {
            let bound = Spending { tokens: 7, money: Money(9) };
            let how = (CallPurpose::Answer, true);
            BatchItem::new(request(Provider::OpenAi), Some("c".into()), "m".into(), how, bound, attempts)
        };
        let named = |key: &str, attempts| (key.to_owned(), item(attempts));
        let mut journal = BatchJournal::open(&path).unwrap();
        assert_eq!(journal.begin("run 1", "t1", 5, &[named("a", 1), named("b", 1)]).unwrap(), [true, true]);
        assert_eq!(journal.begin("run 2", "t2", 6, &[named("b", 1), named("c", 1)]).unwrap(), [false, true]);
        journal.set_remote("t1", "batch_1").unwrap();
        drop(journal);
        let mut journal = BatchJournal::open(&path).unwrap();
        assert_eq!(journal.open_keys().unwrap(), ["a", "b", "c"]);
        let batches = journal.open_batches("run 1").unwrap();
        assert_eq!(batches, [OpenBatch { token: "t1".into(), remote: Some("batch_1".into()) }]);
        assert_eq!(journal.items("t1").unwrap(), [named("a", 1), named("b", 1)]);
        assert_eq!(journal.items("t2").unwrap(), [named("c", 1)]);
        let failure = BatchFailure { fault: Fault::BadRequest, reason: "no".into(), attempts: 1 };
        journal.end(&batches[0], &["a".into()], &[("b".into(), failure.clone())]).unwrap();
        assert_eq!(journal.failures().unwrap(), [("b".to_owned(), failure)]);
        assert!(journal.knows("batch_1").unwrap() && !journal.knows("batch_2").unwrap());
        assert_eq!(journal.open_keys().unwrap(), ["c"]);
        journal.forget_failure("b").unwrap();
        assert!(journal.failures().unwrap().is_empty());
        drop(journal);
        let planted = folder.path().join("planted.db");
        open_without_links(&planted).unwrap().execute_batch("CREATE VIEW batches AS SELECT 1 AS token").unwrap();
        assert!(BatchJournal::open(&planted).is_err());
    }

    #[cfg(unix)]
    #[test]
    #[expect(clippy::disallowed_methods, reason = "the test makes the pipe that it needs")]
    fn a_pipe_beside_the_file_is_refused_and_not_waited_for() {
        let folder = tempfile::tempdir().unwrap();
        let pipe = folder.path().join("batches.db-wal");
        let status = std::process::Command::new("mkfifo").arg(&pipe).status().unwrap();
        assert!(status.success());
        let error = BatchJournal::open(&folder.path().join("batches.db")).err().unwrap().to_string();
        assert!(error.contains("batches.db-wal"), "{error}");
    }
}
