//! The published benchmarks that Probare reproduces: how their files are read, what they run by default, and the files
//! and texts they put out. The metrics themselves stand in `probare-metrics`.

mod quick_json;
pub mod rag;
pub mod socioscope;
pub mod synthesis;
pub mod synthlink;
