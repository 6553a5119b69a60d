//! From rows to results: a [`Plan`] says which metrics are computed with which options; [`drive`] reads cases from any
//! source, scores them on all cores and hands [`Event`](probare_core::Event)s to [`Sink`](probare_core::Sink)s; [`run`]
//! takes a [`Job`](probare_core::Job) from its start to its [`Exit`], reports, gates and manifest included; [`verify`] does
//! the same again and holds the outcome against a file of results. [`Config`] is what a project settles once. An
//! [`Evaluation`] goes through models too and keeps what is finished in a [`Store`], so that it can be resumed.
//!
//! Every verb goes this one road. The bytes that come out do not depend on the number of threads, and memory does not
//! depend on the number of cases.

#![cfg_attr(test, allow(clippy::disallowed_methods, reason = "tests make the files and cases that they need"))]

mod compare;
mod config;
mod config_trust;
mod decide_early;
mod decision_thresholds;
mod drive;
mod exchange;
mod exit;
mod expectations;
mod labels;
mod model_access;
mod plan;
mod programs;
mod remedy;
mod run;
mod run_options;
mod runs;
mod scan;
pub mod sgi;
mod show;
mod store;
mod verify;
mod viewer;
mod yaml;

pub use compare::{CaseValues, CompareError, ComparisonReport, ResultsSource, RunValues, compare, read_values};
pub use config::{
    Config, ConfigError, DEFAULT_NAME, Dataset, Example, GateEntry, Generate, LabelEntry, MetricEntry, PassRateEntry,
    Retrieval,
};
pub use config_trust::check_discovered_guide;
pub use decide_early::{DecidedVerdict, EarlyDecision, EarlyDecisionError, EarlyOutcome, GateDecision};
pub use decision_thresholds::{
    DecisionThresholdsError, DecisionThresholdsFile, THRESHOLDS_FORMAT, apply_decision_thresholds,
};
pub use drive::{
    CallResult, DriveError, DriveOptions, DriveOutcome, MOST_JOBS, ReplySender, Response, RunContext, SampleProvider,
    drive,
};
pub use exchange::{
    ExchangeError, ExportRequest, ExportSummary, ImportRequest, ImportSummary, export_results, export_run, import_file,
};
pub use exit::Exit;
pub use expectations::EXPECTATIONS;
pub use labels::{DEFER, LABEL, LabelError, LabelFile, LabelTable, LabelledOutput, LatestLabel, LevelOfRubric, Levels};
pub use model_access::{ModelAccess, ModelAccessError, ModelBackend, ModelUsage, asks_judges};
pub use plan::{Plan, PlanError, PlannedMetric};
pub use programs::{ProgramCounts, ProgramError, ProgramOptions};
pub use remedy::{Diagnose, Interface};
pub use run::{Conclusion, ProgramUsage, RunError, RunRequest, rereport, run};
pub use run_options::{
    ConfiguredGate, ConfiguredGates, OldName, RENAMED, RenamedOption, RunOptions, SettingOrigin, When, parse_jobs,
};
pub use runs::{
    BatchWatch, Benchmark, BenchmarkDataset, Estimate, Evaluation, EvaluationError, EvaluationOptions, PlannedDataset,
    PlannedRetrieval, RagTest, RunPlan, RunProgress, export, export_outputs,
};
pub use scan::scan_cases;
pub use show::{CaseLookup, RecordedRow, show_case};
pub use store::{HumanLabel, RunState, STORE, Store, StoreError, StoredRun};
pub use verify::{CacheUse, Disagreement, Verdict, VerifyError, VerifyRequest, verify};
pub use viewer::{
    CaseFilter, CaseFilterError, CasesQuery, HistoryQuery, LabellingOrder, LabelsQuery, NewLabel, OutputPosition,
    RunViewer, ViewerError,
};
