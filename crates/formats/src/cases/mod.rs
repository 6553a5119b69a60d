//! One file per format. Each cuts its file into raw rows and knows how to read one.

pub mod columns;
pub mod csv;
pub mod json;
pub(crate) mod separator;
pub mod table;
pub(crate) mod traces;
