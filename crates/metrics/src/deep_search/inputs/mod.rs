//! What the metrics of this family read from a case.

mod careful_answer;
mod metadata;
mod sources;

pub(super) use careful_answer::careful_answer;
pub(super) use metadata::{iterations, steps, topics};
pub(super) use sources::Sources;
