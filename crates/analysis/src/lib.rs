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

pub use compare::{
    CaseValues, CompareError, ComparisonReport, EarlyStop, ResultsSource, RunValues, compare, compare_prefixes,
    read_baseline, read_case_means, read_values,
};
pub use exchange::{
    DerivedMetrics, DerivedValue, ExchangeError, ExportRequest, ExportSummary, ImportRequest, ImportSummary,
    TranslateOptions, Translation, export_results, export_run, import_file, is_promptfoo_configuration, translate,
};
pub use labels::{
    DEFER, LABEL, LabelDraw, LabelError, LabelFile, LabelTable, LabelledOutput, LatestLabel, LevelOfRubric, Levels,
    NextCase, TooFewLabels,
};
pub use show::{CaseLookup, RecordedRow, show_case};
pub use verify::{CacheUse, Disagreement, Verdict, VerifyError, VerifyRequest, verify};
pub use viewer::{
    CaseDetail, CasePage, CasesQuery, Comparison, HistoryQuery, LabelState, LabellingOrder, LabelsQuery, ModelCalls,
    NewLabel, OutputPosition, RunDescription, RunList, RunSummary, RunViewer, ViewerError,
};
