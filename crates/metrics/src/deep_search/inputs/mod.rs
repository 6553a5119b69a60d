//! What the metrics of this family read from a case.

mod metadata;
mod sources;

pub(super) use metadata::{iterations, steps, topics};
pub(super) use sources::Sources;
