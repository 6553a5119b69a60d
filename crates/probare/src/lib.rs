//! Probare for Rust programs: score a case, run a job, verify what a run wrote.
//!
//! Everything goes the road of the command line, so numbers, evidence and files are the same. [`score`] asks one metric about
//! one [`Case`]; a [`Scorer`] does so many times with metrics that are made once. A [`Job`] is cases and metrics: [`job`] makes
//! one from a file, [`job_of`] from cases in memory, a [`benchmark`] from the options of a published benchmark. [`run`] takes it to
//! its end, reports and gates included, as its [`RunOptions`] say. [`verify`] computes a finished run again.
//!
//! ```
//! use probare::{Case, Output};
//!
//! let case = Case {
//!     response: Some(Output::new("It is Canberra.")),
//!     reference: Some(vec!["Canberra".into()]),
//!     ..Case::default()
//! };
//! let outcome = probare::score(&case, "token_f1")?;
//! let score = outcome.score().expect("the metric applies");
//! assert_eq!(score.value.get(), 0.5);
//! assert_eq!(score.evidence[0].text, "Canberra");
//! # Ok::<(), probare::Error>(())
//! ```
//!
//! The settings of a run are the caller's own word: they may name models, programs and files to write. Nothing that a data
//! set or a file of results says is run or contacted.

#![warn(missing_docs)]
#![cfg_attr(test, allow(clippy::disallowed_methods, reason = "tests make the files and cases that they need"))]

mod error;
mod jobs;
mod scorer;

pub use probare_analysis::{Disagreement, Verdict};
/// The name of [`benchmark`] up to release 0.3.
#[doc(hidden)]
pub use probare_benchmarks::benchmark as suite;
pub use probare_benchmarks::{benchmark, registry};
/// The name of [`Benchmark`] up to release 0.3.
#[doc(hidden)]
pub use probare_core::Benchmark as Suite;
pub use probare_core::{
    Benchmark, Better, BuildError, Case, CaseResult, Citation, Console, ErrorKind, Event, Evidence, EvidenceKind,
    Field, Job, LabelOnly, Metric, MetricInfo, MetricRequest, Outcome, Output, OwnMetric, Passage, Problem, Profile,
    Sample, Score, ScoreError, ScoreParts, Sink, Stop, Value,
};
/// The name of [`RunOptions`] up to release 0.3.
#[doc(hidden)]
pub use probare_engine::RunOptions as Settings;
pub use probare_engine::{Conclusion, Exit, RunOptions};
pub use probare_report::{Gate, Relation, Summary};

pub use error::Error;
pub use jobs::{job, job_of, run, run_with, verify, with_gates};
pub use scorer::{Scorer, score};

/// The guide, whose examples are compiled and run.
#[cfg(doctest)]
#[doc = include_str!("../../../docs/rust.md")]
mod guide {}

/// The part of it about metrics of a user's own.
#[cfg(doctest)]
#[doc = include_str!("../../../docs/own-metric.md")]
mod own_metric_guide {}
