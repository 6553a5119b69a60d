//! Tests over all registered metrics: their tables, their pages, their laws, and the golden vectors.

mod case;
mod golden;
mod interviews;
mod laws;
mod pages;
mod tables;
