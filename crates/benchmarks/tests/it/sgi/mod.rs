//! SGI-Bench: golden vectors of its aggregates, keys and paths, and its example.

mod example;
mod golden;
mod minilm;
