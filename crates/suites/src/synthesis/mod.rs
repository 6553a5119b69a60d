//! Synthesis: empathy, trust and care in replies, by rules with evidence.
//!
//! A file of cases ([`load`]) is run through three checkers ([`evaluate`]); the result is a [`Report`] in the published
//! JSON form and a block for the terminal ([`console`]). A case is one exchange with the checks to run on it and, where
//! known, the verdicts that people expect.
//!
//! ```
//! use probare_suites::synthesis::{Checker, Schema, console, evaluate, load};
//!
//! let line = r#"{"id": "A-1", "user": "I'm scared.", "assistant": "You'll be fine.", "checks": ["unverifiable_reassurance"]}"#;
//! let cases = load(line, &Schema::bundled())?;
//! let checker = Checker::default();
//! let report = evaluate(&cases, &checker);
//! assert_eq!(report.summary.unexpected_failures, 1);
//! assert!(console::block(&report).contains("0/1 cases passed (0.0%)"));
//! # Ok::<(), probare_suites::synthesis::LoadError>(())
//! ```

mod case;
mod checker;
pub mod console;
mod events;
mod javascript;
mod load;
mod plain;
mod report;
mod schema;
mod writing;

pub use case::{Case, Check, Expected};
pub use checker::{Checked, Checker, Shown};
pub use events::{Events, ExpectedFailures};
pub use load::{BadLine, LoadError, load};
pub use report::{ByCheck, CaseResult, Failure, LabelAccuracy, LabelComparison, Report, Summary, Warning, evaluate};
pub use schema::{Schema, SchemaError};
