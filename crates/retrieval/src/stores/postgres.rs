//! PostgreSQL with pgvector.
//!
//! One table holds the number of each passage, the number of its document and its vector; its comment holds the digest of the
//! index, so that a table of another corpus is noticed. The table is filled beside the one that answers and takes its place in
//! one transaction. There is no approximate index on it: the ranking is exact.

use std::fmt::Write as _;
use std::io::Write as _;
use std::sync::{Mutex, PoisonError};

use postgres::config::Host;
use postgres::{Client, Config, NoTls};

use super::VectorStore;
use crate::{Index, RetrievalError};

/// The table, unless another is named.
const TABLE: &str = "probare_passages";

/// A table of vectors in a database.
pub struct Postgres {
    client: Mutex<Client>,
    place: String,
}

/// The address of a database without its password, for messages.
pub fn redacted_url(url: &str) -> String {
    let Ok(config) = url.parse::<Config>() else { return "an address that cannot be read".to_owned() };
    let host = match config.get_hosts().first() {
        Some(Host::Tcp(name)) => name.clone(),
        #[cfg(unix)]
        Some(Host::Unix(path)) => path.display().to_string(),
        _ => "localhost".to_owned(),
    };
    format!("postgres at {host}, database {}", config.get_dbname().or(config.get_user()).unwrap_or("postgres"))
}

impl Postgres {
    /// Connects to a database: `postgres://user@host/name`, or `host=/path user=name`. Connections are not encrypted.
    pub fn open(url: &str) -> Result<Self, RetrievalError> {
        let place = redacted_url(url);
        let failed = |error: postgres::Error| wrong(&place, &error);
        let client = url.parse::<Config>().map_err(failed)?.connect(NoTls).map_err(failed)?;
        Ok(Self { client: Mutex::new(client), place })
    }

    fn with_client<T>(
        &self,
        work: impl FnOnce(&mut Client) -> Result<T, postgres::Error>,
    ) -> Result<T, RetrievalError> {
        let mut client = self.client.lock().unwrap_or_else(PoisonError::into_inner);
        work(&mut client).map_err(|error| wrong(&self.place, &error))
    }

    /// Writes the vectors of an index into the table, in place of those that were there; gives how many.
    pub fn fill(&self, index: &Index, progress: &mut dyn FnMut(u64)) -> Result<u64, RetrievalError> {
        let header = index.header();
        let info = header.vectors.as_ref().ok_or_else(|| RetrievalError::NoVectors(index.folder().to_owned()))?;
        let digest = header.digest();
        let mut rows = CopyLines { index, next: 0, passages: header.passages };
        self.with_client(|client| {
            client.batch_execute("CREATE EXTENSION IF NOT EXISTS vector")?;
            let mut transaction = client.transaction()?;
            transaction.batch_execute(&format!(
                "DROP TABLE IF EXISTS {TABLE}_next;
                 CREATE TABLE {TABLE}_next (number bigint NOT NULL, document bigint NOT NULL, embedding vector({}) NOT NULL);
                 COMMENT ON TABLE {TABLE}_next IS '{digest}'",
                info.dimensions.max(1)
            ))?;
            let text = format!("COPY {TABLE}_next (number, document, embedding) FROM STDIN");
            let mut copy = transaction.copy_in(text.as_str())?;
            let mut broken = None;
            while let Some(line) = rows.next_line().transpose() {
                match line {
                    Ok(line) => {
                        if copy.write_all(line.as_bytes()).is_err() {
                            break;
                        }
                        if rows.next.is_multiple_of(1024) {
                            progress(rows.next);
                        }
                    }
                    Err(error) => {
                        broken = Some(error);
                        break;
                    }
                }
            }
            if let Some(error) = broken {
                // Left unfinished, the copy and the transaction come to nothing.
                return Ok(Err(error));
            }
            copy.finish()?;
            transaction.batch_execute(&format!(
                "ALTER TABLE {TABLE}_next ADD PRIMARY KEY (number);
                 CREATE INDEX ON {TABLE}_next (document);
                 DROP TABLE IF EXISTS {TABLE};
                 ALTER TABLE {TABLE}_next RENAME TO {TABLE}"
            ))?;
            transaction.commit()?;
            Ok(Ok(header.passages))
        })?
    }

    /// An error unless the table holds the vectors of this index as it is now.
    pub fn check(&self, index: &Index) -> Result<(), RetrievalError> {
        let digest: Option<String> = self.with_client(|client| {
            let text = format!("SELECT obj_description(to_regclass('{TABLE}'), 'pg_class')");
            let row = client.query_one(text.as_str(), &[])?;
            row.try_get(0)
        })?;
        if digest.as_deref() == Some(index.header().digest().as_str()) {
            return Ok(());
        }
        let reason = if digest.is_none() { "it holds no vectors" } else { "it holds the vectors of another index" };
        Err(RetrievalError::Store { place: self.place.clone(), reason: reason.to_owned(), is_stale: true })
    }
}

impl VectorStore for Postgres {
    fn nearest(&self, vector: &[f32], k: usize, documents: Option<&[u64]>) -> Result<Vec<(u64, f32)>, RetrievalError> {
        let vector = vector_literal(vector);
        let limit = i64::try_from(k).unwrap_or(i64::MAX);
        let columns = "number, (-(embedding <#> $1::text::vector))::real";
        let order = format!("ORDER BY embedding <#> $1::text::vector, number LIMIT {limit}");
        let rows = self.with_client(|client| match documents {
            None => client.query(format!("SELECT {columns} FROM {TABLE} {order}").as_str(), &[&vector]),
            Some(documents) => {
                let documents: Vec<i64> = documents.iter().filter_map(|number| i64::try_from(*number).ok()).collect();
                let text = format!("SELECT {columns} FROM {TABLE} WHERE document = ANY($2) {order}");
                client.query(text.as_str(), &[&vector, &documents])
            }
        })?;
        let read = |row: &postgres::Row| -> Result<(u64, f32), postgres::Error> {
            let number: i64 = row.try_get(0)?;
            Ok((number.unsigned_abs(), row.try_get(1)?))
        };
        rows.iter().map(read).collect::<Result<_, _>>().map_err(|error| wrong(&self.place, &error))
    }
}

fn wrong(place: &str, error: &postgres::Error) -> RetrievalError {
    let mut reason = error.to_string();
    let mut cause = std::error::Error::source(error);
    while let Some(inner) = cause {
        let _ = write!(reason, ": {inner}");
        cause = inner.source();
    }
    RetrievalError::Store { place: place.to_owned(), reason, is_stale: false }
}

/// A vector as pgvector reads it. Numbers are written so that they are read back as they were.
fn vector_literal(vector: &[f32]) -> String {
    let numbers: Vec<String> = vector.iter().map(f32::to_string).collect();
    format!("[{}]", numbers.join(","))
}

/// The lines of the table.
struct CopyLines<'a> {
    index: &'a Index,
    next: u64,
    passages: u64,
}

impl CopyLines<'_> {
    fn next_line(&mut self) -> Result<Option<String>, RetrievalError> {
        if self.next == self.passages {
            return Ok(None);
        }
        let number = self.next;
        self.next += 1;
        let vector = self.index.vector(number).unwrap_or_default();
        Ok(Some(format!("{number}\t{}\t{}\n", self.index.document_of(number)?, vector_literal(&vector))))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_is_shown_without_its_password() {
        let text = redacted_url("postgres://ada:hunter2@db.example.org/interviews");
        assert_eq!(text, "postgres at db.example.org, database interviews");
        assert!(!redacted_url("postgres://ada:hunter2@[").contains("hunter2"));
    }
}
