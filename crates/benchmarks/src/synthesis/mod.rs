//! Synthesis: empathy, trust and care in replies, by rules with evidence.
//!
//! A case is one exchange with the checks to run on it and, where known, the verdicts that people expect. The lines of a
//! file go through three checkers; what comes of them is a [`SynthesisReport`] in the published JSON form and a block for the
//! terminal ([`console`]).
//!
//! ```
//! use std::sync::Arc;
//!
//! use probare_core::Sample;
//! use probare_benchmarks::synthesis::{CarePolicy, SynthesisReport, CaseSchema, console, read_case};
//!
//! let line = r#"{"id": "A-1", "user": "I'm scared.", "assistant": "You'll be fine.", "checks": ["unverifiable_reassurance"]}"#;
//! let case = read_case(line, 1, &CaseSchema::bundled())?.into_case();
//! let mut report = SynthesisReport::default();
//! report.add(Arc::new(CarePolicy::default().result(Sample::from_case(&case))?));
//! assert_eq!(report.summary.unexpected_failures, 1);
//! assert!(console::block(&report).contains("0/1 cases passed (0.0%)"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod benchmark;
mod case;
mod check_result;
pub mod console;
mod javascript;
mod lines;
mod panel;
mod policy;
mod publisher;
mod report;
mod schema;
pub mod v1_3;

pub use benchmark::Synthesis;
pub use case::{Check, ExpectedVerdicts, SynthesisCase};
pub use check_result::{CheckResult, EvidenceValue, ReportedMatch};
pub use lines::{BadLine, LoadError, lines, read_case};
pub use policy::CarePolicy;
pub use report::{ByCheck, CaseChecks, FailedCase, LabelAccuracy, LabelComparison, SynthesisReport, SynthesisSummary};
pub use schema::{CaseSchema, SchemaError};
