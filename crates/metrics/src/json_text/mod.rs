//! JSON in a model's answer: where it stands, whether it is well formed, and which bytes a value in it takes.

mod extract;
mod locate;

pub use extract::{JsonScope, MalformedJson, find_json};
pub use locate::{PathStep, locate_items, locate_value};
