//! Reads [`Case`](probare_core::Case)s from files, row by row.
//!
//! JSON lines, a JSON array, CSV (or TSV), Parquet and traces (OTLP/JSON); gzip and zstd by extension; `-` is standard input. Reading comes
//! in two steps, so that the heavy one can run on many threads: [`Rows`] cuts the file into [`Batch`]es of raw rows, and
//! [`Batch::cases`] turns each row into a case or a [`Problem`](probare_core::Problem) that says file, line, column,
//! reason and remedy. Memory depends on the size of a batch, never on the length of the file.
//!
//! Rows that lie in memory already come in as a [`Table`], through [`Tables`].
//!
//! Readers of other documents find help here: [`Values`] cuts JSON files as [`Rows`] does and hands the values out as
//! they are written; [`read_whole`] reads a document at once, up to a limit, with its digest. [`Corpus`] reads transcripts
//! of interviews. [`import`] reads files of other tools.
//!
//! ```
//! use probare_cases::{Format, ReadOptions, Rows};
//!
//! let text = "{\"question\": \"Who?\", \"answer\": \"Ada\"}\n{broken\n";
//! let mut rows = Rows::from_reader(text.as_bytes(), "example.jsonl", Format::JsonLines, &ReadOptions::default())?;
//! let batch = rows.next().expect("there is a batch")?;
//! let cases = batch.cases();
//! assert_eq!(cases[0].as_ref().unwrap().query.as_deref(), Some("Who?"));
//! assert_eq!(cases[1].as_ref().unwrap_err().line, Some(2));
//! # Ok::<(), probare_cases::OpenError>(())
//! ```

#![cfg_attr(test, allow(clippy::disallowed_methods, reason = "tests make the files and cases that they need"))]

mod agents;
mod bundled;
mod cells;
mod comments;
mod cutter;
mod digest;
mod fields;
mod folder;
mod foreign;
mod formats;
mod located;
mod names;
mod open;
#[cfg(test)]
mod oracle;
mod proposals;
mod row;
mod stored;
mod traces;
mod transcripts;
mod values;
mod whole;

pub use bundled::{bundled_below, is_bundled};
pub use fields::{FieldMap, MapError};
pub use folder::files_below;
pub use foreign::{Foreign, ForeignError, ForeignScore, Imported, ORIGIN, SCORES, import, read_foreign};
pub use formats::table::{Given, Table, Tables};
pub use located::{At, DataError, parse_json};
pub use open::{Format, OpenError, ReadOptions, Rows};
pub use proposals::columns;
pub use row::Batch;
pub use traces::{EVALUATION_EVENT, Grouping, Lost, LostKind, TRACE};
pub use transcripts::{Corpus, Transcript};
pub use values::{RawValue, ValueError, Values};
pub use whole::{LARGEST_DOCUMENT, folder_input, read_whole};
