//! SGI-Bench: its four text subtasks, their data, their prompts, the collector's result files and the overall score.
//!
//! `probare sgi score` scores outputs that were made elsewhere; `probare sgi run` asks models too and is put together by the
//! runner from the same pieces: [`Subtask`], [`rows`], [`SgiRules`], [`Collector`].

pub mod aggregate;
pub mod cache_key;
pub mod field_path;
pub mod fingerprint;
pub mod fixtures;
pub mod overall;
mod predictions;
pub mod publisher;
pub mod records;
pub mod rows;
pub mod rules;
mod standing;
mod subtask;
mod suite;

pub use publisher::{Collector, Destination, Plan};
pub use rules::SgiRules;
pub use subtask::Subtask;
pub use suite::{Sgi, embedding_model};
