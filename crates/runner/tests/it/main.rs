//! The runner as its callers see it.

mod verify_suite;
