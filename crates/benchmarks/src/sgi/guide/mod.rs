//! SGI-Bench with models: its guide's configuration becomes a run that is kept and can be resumed like any other.

mod config;
mod graders;
mod prepare;

pub use config::{Graders, Guide, GuideDataset, GuideError, GuideRun};
pub use graders::{Environment, by_environment};
pub use prepare::{PreparedSgiRun, RequirementCheck, SgiOptions, prepare};
