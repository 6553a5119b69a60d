//! What is done with finished runs: [`verify`] computes one again and holds the outcome against its file, [`compare`] holds
//! several against each other, [`show_case`] shows a single case, [`RunViewer`] lays runs out for the viewer, and
//! [`export_results`] and [`import_file`] exchange them with other tools. [`LabelFile`] keeps what people say about outputs.

#![cfg_attr(test, allow(clippy::disallowed_methods, reason = "tests make the files and cases that they need"))]

mod compare;
mod exchange;
mod labels;
mod remedy;
mod show;
mod verify;
mod viewer;

pub use compare::{CaseValues, CompareError, ComparisonReport, ResultsSource, RunValues, compare, read_values};
pub use exchange::{
    ExchangeError, ExportRequest, ExportSummary, ImportRequest, ImportSummary, export_results, export_run, import_file,
};
pub use labels::{DEFER, LABEL, LabelError, LabelFile, LabelTable, LabelledOutput, LatestLabel, LevelOfRubric, Levels};
pub use show::{CaseLookup, RecordedRow, show_case};
pub use verify::{CacheUse, Disagreement, Verdict, VerifyError, VerifyRequest, verify};
pub use viewer::{
    CasesQuery, HistoryQuery, LabellingOrder, LabelsQuery, NewLabel, OutputPosition, RunViewer, ViewerError,
};
