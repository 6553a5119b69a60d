//! SGI-Bench: golden vectors of its aggregates, keys and paths.

mod golden;
