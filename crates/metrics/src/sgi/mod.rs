//! SGI-Bench: deep research, research ideas, and experiments in the laboratory and by program.
//!
//! The `published` profile does what the published scorer (the SGI part of `LLMRouterBench`) does, habits included; `improved`
//! switches every such habit to the fair reading. Where both differ on a case, the report shows both.

use probare_core::MetricDef;

pub mod deep_research;
pub mod dry_experiment;
pub mod idea_generation;
pub mod wet_experiment;

pub mod dry;
pub mod extraction;
pub mod idea;
pub mod protocol;

pub use extraction::{answer, replies};

/// The metrics of this family.
pub static FAMILY: &[&MetricDef] =
    &[&deep_research::DEF, &dry_experiment::DEF, &idea_generation::DEF, &wet_experiment::DEF];
