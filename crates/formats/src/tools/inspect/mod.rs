//! Files of Inspect, read and written.

pub(super) mod read;
pub(super) mod write;
