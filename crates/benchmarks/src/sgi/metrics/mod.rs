//! SGI-Bench: deep research, research ideas, experiments in the laboratory and by program, and choices from pictures of experiments.
//!
//! The `published` profile does what the published scorer (the SGI part of `LLMRouterBench`) does, habits included; `improved`
//! switches every such habit to the fair reading. Where both differ on a case, the report shows both.

use probare_core::MetricDef;

pub mod deep_research;
pub mod dry_experiment;
pub mod experimental_reasoning;
pub mod idea_generation;
pub mod reasoning_validity;
pub mod wet_experiment;

pub mod dry;
pub mod extraction;
pub mod idea;
pub mod protocol;
pub mod reasoning;
mod upstream;

pub use extraction::{answer, replies};
pub use upstream::Upstream;

/// The metrics of this family.
pub static FAMILY: &[&MetricDef] = &[
    &deep_research::DEF,
    &dry_experiment::DEF,
    &experimental_reasoning::DEF,
    &idea_generation::DEF,
    &reasoning_validity::DEF,
    &wet_experiment::DEF,
];
