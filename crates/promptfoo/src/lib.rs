//! What a configuration of [promptfoo](https://www.promptfoo.dev) means: assertions with the verdict and score of the
//! original, how they are put together, templates, tests of a configuration and of a CSV file.
//!
//! Held against promptfoo 0.123.1 by vectors made with it (`tests/golden/promptfoo`). Everything here is pure: files are
//! handed in by whoever may read them, models are never asked, code of a configuration is never run: a [`Script`] names it. What
//! cannot be decided without those is [`Fault::NotRun`] and no verdict.
//!
//! ```
//! use probare_promptfoo::{Answer, Assertion, NoSchemas};
//! use serde_json::json;
//!
//! let assertion = Assertion::from_json(&json!({"type": "not-contains", "value": "TODO"}))?;
//! let output = json!("All done.");
//! let verdict = assertion.judge(&Answer::new(&output, &NoSchemas)).expect("it needs nothing else");
//! assert!(verdict.pass);
//! assert_eq!(verdict.score, 1.0);
//! # Ok::<(), String>(())
//! ```

mod assertion;
pub mod configuration;
pub mod csv_tests;
pub mod expansion;
mod grading;
mod html;
pub mod js;
pub mod js_regex;
mod json;
mod meteor;
mod refusal;
mod response;
mod script;
mod similar;
mod similarity;
mod sql;
pub mod template;
mod text;
mod tools;
mod traces;
mod trajectory;
mod xml;
pub mod yaml;
mod yaml_flow;

pub use self::assertion::{
    Answer, Assertion, AssertionResult, Fault, NoSchemas, SchemaValidator, TypeSupport, Verdict, type_support,
};
pub use self::grading::{Grade, GradeError, NamedScore, Part, grade, grade_with, max_score};
pub use self::meteor::meteor;
pub use self::refusal::find_refusal;
pub use self::script::{Script, ScriptRole, script_verdict};
pub use self::similar::expected_texts;
pub use self::similarity::gleu;
pub use self::sql::{SQL_SCRIPT, SqlParser};
