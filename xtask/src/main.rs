//! `cargo x`: the project's own commands.
fn main() {}
