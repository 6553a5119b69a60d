//! Files of Every Eval Ever, read and written.

pub(super) mod read;
pub(super) mod write;
pub(super) mod write_instances;
