//! Reports of a run.
//!
//! Every renderer is a [`Sink`](probare_core::Sink): it takes the events of a run and writes a file, a page or a table,
//! and knows nothing of the others. [`open`] picks one by the extension of a file name. [`Summary`] holds a run in a few
//! numbers, [`Gates`] say whether they are good enough, [`escape`] makes text of others safe for each format.
//!
//! Memory does not grow with the run: tables and lines are written as results come, pages show a bounded number of
//! cases.
//!
//! ```
//! use probare_core::{Event, RunEnd, SampleDimensions, Sink, Stop};
//! use probare_report::{Gate, Gates, Summary};
//!
//! let mut summary = Summary::default();
//! summary.event(&Event::Started { source: "cases.jsonl", metrics: &[], dimensions: SampleDimensions::default() })?;
//! summary.event(&Event::Finished(&RunEnd::with_stop(Stop::Complete)))?;
//! let gates = Gates::new(vec![Gate::fail_under("relevance=0.7")?]);
//! // A metric without a single score does not pass.
//! assert!(!gates.verdicts(&summary)[0].passed);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

#![cfg_attr(test, allow(clippy::disallowed_methods, reason = "tests make the files and cases that they need"))]
#![expect(
    clippy::format_push_string,
    reason = "pages are put together from formatted pieces; `let _ = write!` would hide each of them behind a result"
)]

pub mod case_view;
mod cases;
mod columns;
pub mod comparison;
pub mod costs;
pub mod csv;
mod dataset_version;
pub mod escape;
mod format;
mod gate;
pub mod github;
pub mod history;
pub mod html;
mod json;
mod jsonl;
mod junit;
pub mod manifest;
pub mod markdown;
pub mod number;
mod output;
pub mod parquet;
mod renderer_options;
mod status;
mod summary;
pub mod svg;
mod table;
pub mod terminal;
#[cfg(test)]
mod testing;
mod timeline;
mod worst;
mod wrap;

pub use self::csv::Csv;
pub use self::parquet::{MetricCells, Parquet};
pub use cases::CaseLines;
pub use columns::{MetricColumns, columns};
pub use dataset_version::DatasetVersion;
pub use format::{ReportError, ReportFormat, open};
pub use gate::{Gate, GateError, GateOrigin, GateVerdict, Gates, LabelUnit, Relation, listed_verdicts};
pub use github::Github;
pub use html::Html;
pub use json::Json;
pub use jsonl::Jsonl;
pub use junit::{Junit, NOT_ASKED};
pub use markdown::Markdown;
pub use output::{Compression, LinesDigest, OutputOverlap, OutputWriter, refuse_overlap};
pub use probare_core::Utc;
pub use renderer_options::RendererOptions;
pub use status::ResultStatus;
pub use summary::{
    Cluster, Clusters, DecidedCounts, Group, GroupBy, Groups, Histogram, LabelCount, LabelCounts, LabelRemark,
    MOST_GROUPS, MeanInterval, MetricMismatch, MetricSummary, PartialSummary, PassAt, ReasonCount, ReasonCounts,
    Repeats, Summary, describe_thresholds,
};
pub use terminal::TerminalStyle;
pub use timeline::answer_text;
pub use worst::{Rank, shortfall};
pub use wrap::wrap;

/// Version of the program, as reports carry it.
pub const VERSION: &str = env!("CARGO_PKG_VERSION");
