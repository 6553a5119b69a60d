//! How graders are read and computed: their definitions, templates, measures and formulas.

mod definition;
mod formula;
mod namespaces;
mod similarity;

pub use formula::evaluate as evaluate_formula;

pub(super) use definition::{Grade, GraderDefinition, text_content, unreadable_content};
pub(super) use namespaces::{GraderTemplate, value};
