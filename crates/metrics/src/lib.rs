//! The metrics of Probare, one per file, by family.
//!
//! A metric is two sibling files: `src/<family>/<id>.rs` holds its options and its code, `src/<family>/<id>.md` its
//! page, whose examples are run as tests. The family's `mod.rs` names the module and lists its definition in a table, in
//! alphabetical order; [`FAMILIES`] lists the tables. From there the metric is known everywhere: in lists, in
//! explanations, in the schema of configurations. Nothing else has to be edited, and tests fail when one of these lines is
//! forgotten, when a page lacks a heading or an example, or when a metric breaks one of the laws that all of them keep.
//!
//! A metric is pure: the same sample gives the same bytes. It returns a value together with the evidence it rests on,
//! at most some fifty pieces of it, each with the bytes of the text it points at.
//!
//! ```
//! use probare_core::{Case, Output, Profile, Sample};
//! use serde_json::json;
//!
//! let definition = probare_metrics::registry().get("contains")?;
//! let metric = definition.build(json!({"ignore_case": true}), Profile::Published)?;
//! let case = Case {
//!     response: Some(Output::new("It is in Paris.")),
//!     reference: Some(vec!["paris".into()]),
//!     ..Case::default()
//! };
//! let outcome = metric.score(Sample::from_case(&case))?;
//! let score = outcome.score().expect("the metric applies");
//! assert_eq!(score.value.get(), 1.0);
//! assert_eq!(score.evidence[0].text, "Paris");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

#![cfg_attr(test, allow(clippy::disallowed_methods, reason = "tests make the files and cases that they need"))]

use std::sync::LazyLock;

use probare_core::{MetricDef, Registry};

pub mod agents;
pub mod answers;
pub mod care;
pub mod cascade;
pub mod code;
pub mod graders;
pub mod interviews;
pub mod judges;
pub mod privacy;
pub mod rag;
pub mod retrieval;
pub mod text;

mod analysis;
pub mod bounded_evidence;
pub mod claim_spans;
mod difference;
pub mod json_text;
mod number_literals;
mod ranking;
pub mod references;
mod retired;
pub mod source_texts;
pub mod words;

pub use retired::RETIRED;

/// The tables of all families.
pub static FAMILIES: &[&[&MetricDef]] = &[
    agents::FAMILY,
    answers::FAMILY,
    care::FAMILY,
    code::FAMILY,
    graders::FAMILY,
    interviews::FAMILY,
    judges::FAMILY,
    privacy::FAMILY,
    rag::FAMILY,
    retrieval::FAMILY,
    text::FAMILY,
];

/// All metrics by id.
pub fn registry() -> &'static Registry {
    static REGISTRY: LazyLock<Registry> = LazyLock::new(|| Registry::new(FAMILIES, RETIRED));
    &REGISTRY
}
