//! From rows to results: a [`Plan`] says which metrics are computed with which options; [`drive`] reads cases from any
//! source, scores them on all cores and hands [`Event`](probare_core::Event)s to [`Sink`](probare_core::Sink)s; [`run`]
//! takes a [`Job`](probare_core::Job) from its start to its [`Exit`], reports, gates and manifest included. [`Config`] is
//! what a project settles once. An [`Evaluation`] goes through models too and keeps what is finished in a [`Store`], so that
//! it can be resumed.
//!
//! Every command goes this one road. The bytes that come out do not depend on the number of threads, and memory does not
//! depend on the number of cases.

#![cfg_attr(test, allow(clippy::disallowed_methods, reason = "tests make the files and cases that they need"))]

mod agent;
mod config;
mod config_file;
mod config_trust;
mod decide_early;
mod decision_thresholds;
mod drive;
mod exit;
pub mod expectations;
mod model_access;
mod own_metrics;
mod plan;
mod programs;
mod read_settings;
mod registries;
mod remedy;
mod run;
mod run_options;
mod runs;
mod scan;
pub mod yaml;

pub use agent::{AgentConfig, McpEntry, RecordedCall, StateEntry, ToolEntry, UserEntry};
pub use config::{
    Config, ConfigError, Dataset, Example, GateEntry, Generate, LabelEntry, MetricEntry, PassRateEntry, Retrieval,
};
pub use config_file::DEFAULT_NAME;
pub use config_trust::check_discovered_guide;
pub use decide_early::{
    Baseline, DecidedVerdict, EarlyDecision, EarlyDecisionError, EarlyOutcome, EarlyProgress, GateDecision,
    STOPPED_EARLY, SeededSource, cases_in_panels, sentence_in_panels,
};
pub use decision_thresholds::{
    DecisionThresholdsError, DecisionThresholdsFile, THRESHOLDS_FORMAT, apply_decision_thresholds,
};
pub use drive::{
    CallResult, DriveError, DriveOptions, DriveOutcome, EACH_ROW_IS_A_CASE, MOST_JOBS, ReplySender, Response,
    RunContext, SampleProvider, drive,
};
pub use exit::Exit;
pub use expectations::EXPECTATIONS;
pub use model_access::{ModelAccess, ModelAccessError, ModelBackend, ModelUsage, asks_judges, read_rubric_file};
pub use own_metrics::{
    ConformanceCheck, OwnMetricError, check_conformance, code_digests, exchanged_metric, own_options, with_own_metrics,
    with_own_metrics_unstarted, with_program_metrics,
};
pub use plan::{Plan, PlanError, PlannedMetric};
// The types of the engine name those of the store.
pub use probare_store::{
    self as store, HumanLabel, PlannedDataset, RunPlan, RunState, STORE, Store, StoreError, StoredRun,
};
pub use programs::{ProgramBackend, ProgramCounts, ProgramError, ProgramOptions};
pub use read_settings::read_options;
pub use registries::Registries;
pub use remedy::{Diagnose, Interface, mistake};
pub use run::{Conclusion, ProgramUsage, RunError, RunRequest, case_limits, rereport, run, run_planned};
pub use run_options::{
    ConfiguredGate, ConfiguredGates, OldName, RENAMED, RenamedOption, RunOptions, SettingOrigin, When, parse_jobs,
};
pub use runs::{
    BatchWatch, BenchmarkDataset, BenchmarkRun, CaseSelection, Estimate, Evaluation, EvaluationError,
    EvaluationOptions, RunExport, RunProgress, ScoredTraces, TraceScoring, TraceScoringOptions, early_stop_record,
    export, export_outputs, for_other_tools,
};
pub use scan::scan_cases;
