//! From rows to results: a [`Plan`] says which metrics are computed with which options; [`drive`] reads cases from any
//! source, scores them on all cores and hands [`Event`](probare_core::Event)s to [`Sink`](probare_core::Sink)s; [`run`]
//! takes a [`Job`](probare_core::Job) from its start to its [`Exit`], reports, gates and manifest included; [`verify`] does
//! the same again and holds the outcome against a file of results. [`Config`] is what a project settles once. An
//! [`Evaluation`] goes through models too and keeps what is finished in a [`Store`], so that it can be resumed.
//!
//! Every verb goes this one road. The bytes that come out do not depend on the number of threads, and memory does not
//! depend on the number of cases.

#![cfg_attr(test, allow(clippy::disallowed_methods, reason = "tests make the files and cases that they need"))]

mod asking;
mod bands;
mod compare;
mod config;
mod desk;
mod drive;
mod exchange;
mod exit;
mod expectations;
mod labels;
mod look;
mod plan;
mod programs;
mod run;
mod runs;
mod settings;
pub mod sgi;
mod show;
mod store;
mod verify;
mod yaml;

pub use asking::{AskError, Asked, Asking, Hearing, asks};
pub use bands::{BANDS_FORMAT, BandsError, BandsFile, put_bands};
pub use compare::{CompareError, Compared, Results, Valued, ValuedCase, compare, valued};
pub use config::{
    Config, ConfigError, DEFAULT_NAME, Dataset, Example, GateEntry, Generate, LabelEntry, MetricEntry, PassRateEntry,
    Retrieval, Run,
};
pub use desk::{
    CasesAsked, Desk, DeskError, Filter, FilterError, HistoryAsked, LabelGiven, LabelsAsked, NextBy, OutputPlace,
};
pub use drive::{DriveError, DriveOptions, Driven, MOST_JOBS, Sampler, Surroundings, drive};
pub use exchange::{ExchangeError, Exported, Exporting, Importing, Made, export_results, export_run, import_file};
pub use exit::Exit;
pub use expectations::EXPECTATIONS;
pub use labels::{DEFER, Decision, LABEL, LabelError, LabelFile, Labelled, LabelledOutput, LevelOfRubric, Levels};
pub use look::look;
pub use plan::{Plan, PlanError, PlannedMetric};
pub use programs::{ProgramCounts, ProgramError, Sandboxing};
pub use run::{Conclusion, ProgramsRun, RunError, Wanted, retell, run};
pub use runs::{
    Benchmark, Estimate, Evaluation, EvaluationError, EvaluationOptions, GivenDataset, PlannedDataset,
    PlannedRetrieval, RagTest, Retry, RunPlan, Tally, export, export_outputs,
};
pub use settings::{Layer, Origin, SetGate, Settings, When};
pub use show::{Found, Written, show};
pub use store::{Label, STORE, State, Store, StoreError, StoredRun};
pub use verify::{Disagreement, Verdict, Verification, VerifyError, verify};
