//! Files of promptfoo, read and written.

pub(super) mod read;
pub(super) mod read_csv;
pub(super) mod write;
