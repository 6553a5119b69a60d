//! What a run leaves behind: results as JSON or as a table, a summary as a table, two charts, a text for the terminal.

mod chart;
mod files;
mod results;
mod tables;

pub use chart::chart;
pub use files::stamped;
pub use results::{citation_json, results};

pub(crate) use results::differences;
pub use tables::{answers_csv, summary_csv, terminal};
