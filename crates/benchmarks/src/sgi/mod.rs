//! SGI-Bench: its subtasks, their data, their prompts, the collector's result files and the overall score.
//!
//! `probare sgi score` scores outputs that were made elsewhere; `probare sgi run` asks models too and is put together by
//! [`guide`] from the same pieces: [`Subtask`], [`rows`], [`SgiPolicy`], [`Collector`].

pub mod aggregate;
mod benchmark;
pub mod cache_key;
pub mod field_path;
pub mod fingerprint;
pub mod fixtures;
pub mod guide;
pub mod metrics;
mod model_scores;
pub mod overall;
pub mod policy;
mod predictions;
pub mod prompts;
pub mod publisher;
pub mod records;
pub mod rows;
mod subtask;

pub use benchmark::{Sgi, embedding_model, upstream_option};
pub use policy::SgiPolicy;
pub use prompts::SgiPrompts;
pub use publisher::{Collector, CollectorPlan, Destination};
pub use subtask::Subtask;
