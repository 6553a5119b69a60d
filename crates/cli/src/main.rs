//! The binary `probare`.
fn main() {}
