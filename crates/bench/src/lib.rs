//! Inputs for benchmarks, made from a seed so that every implementation sees the same bytes, and ways to measure.

#![allow(clippy::disallowed_methods, reason = "a tool for developers, not a part of the program")]

pub mod agents;
pub mod beside;
pub mod case_pipeline;
pub mod comparison;
pub mod corpus;
pub mod growth;
pub mod minilm;
pub mod model_rates;
pub mod parser;
pub mod processor_time;
pub mod program;
pub mod quotations;
pub mod retrieval;
pub mod sandbox;
pub mod synthesis;
pub mod synthlink;
pub mod throughput;
pub mod wet_experiments;
pub mod wordnet;
