//! Reads [`Case`](probare_core::Case)s from files, row by row.
//!
//! JSON lines, a JSON array, CSV (or TSV), Parquet and traces (OTLP/JSON); gzip and zstd by extension; `-` is standard input. Reading comes
//! in two steps, so that the heavy one can run on many threads: [`CaseReader`] cuts the file into [`CaseBatch`]es of raw rows, and
//! [`CaseBatch::cases`] turns each row into a case or a [`Problem`](probare_core::Problem) that says file, line, column,
//! reason and remedy. Memory depends on the size of a batch, never on the length of the file.
//!
//! Rows that lie in memory already come in as a [`RowTable`], through [`TableBatcher`].
//!
//! Readers of other documents find help here: [`JsonValues`] cuts JSON files as [`CaseReader`] does and hands the values out as
//! they are written; [`read_whole`] reads a document at once, up to a limit, with its digest. [`Corpus`] reads transcripts
//! of interviews. [`import`] reads files of other tools, and an [`ExportTarget`] writes them.
//!
//! ```
//! use probare_formats::{CaseFormat, ReadOptions, CaseReader};
//!
//! let text = "{\"question\": \"Who?\", \"answer\": \"Ada\"}\n{broken\n";
//! let mut rows = CaseReader::from_reader(text.as_bytes(), "example.jsonl", CaseFormat::JsonLines, &ReadOptions::default())?;
//! let batch = rows.next().expect("there is a batch")?;
//! let cases = batch.cases();
//! assert_eq!(cases[0].as_ref().unwrap().query.as_deref(), Some("Who?"));
//! assert_eq!(cases[1].as_ref().unwrap_err().line, Some(2));
//! # Ok::<(), probare_formats::CaseFileError>(())
//! ```

#![cfg_attr(test, allow(clippy::disallowed_methods, reason = "tests make the files and cases that they need"))]

mod agents;
mod bundled;
mod case_file;
mod cases;
mod cells;
mod comments;
mod digest;
mod fields;
mod folder;
mod json_node;
mod json_splitter;
mod names;
mod open;
#[cfg(test)]
mod oracle;
mod parquet_rows;
mod proposals;
pub mod results;
mod row;
mod stored_file;
#[cfg(test)]
#[path = "../../report/src/testing.rs"]
mod testing;
mod tools;
mod traces;
mod transcripts;
mod value_scanner;
mod values;
mod whole;

#[cfg(test)]
use probare_report::{OutputWriter, RendererOptions, Summary};

pub use bundled::{bundled_below, is_bundled};
pub use case_file::{CaseFileError, CaseFormat, ReadOptions};
pub use cases::table::{RowTable, TableBatcher, TableCell};
pub use fields::{FieldMap, MapError};
pub use folder::files_below;
pub use json_node::{DataError, JsonNode, parse_json};
pub use open::CaseReader;
pub use proposals::columns;
pub use row::CaseBatch;
pub use tools::{
    DatasetUsed, ExportMetadata, ExportTarget, ImportError, ImportFormat, ImportedCases, ImportedScore, ORIGIN, SCORES,
    import, import_together, read_foreign,
};
pub use traces::{
    EVALUATION_EVENT, Grouping, MODEL_CALLS, SplitExport, SplitTrace, TRACE, TraceLoss, TraceLossKind, split_export,
};
pub use transcripts::{Corpus, Transcript};
pub use values::{JsonValues, LocatedValue, ValueError};
pub use whole::{LARGEST_DOCUMENT, folder_input, read_whole};
