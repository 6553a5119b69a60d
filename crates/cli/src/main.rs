//! The binary `probare`: the library with an allocator of its own.

use std::process::ExitCode;

/// A third of a run over small rows is asking for memory and giving it back.
#[global_allocator]
static MEMORY: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    ExitCode::from(probare_cli::run(std::env::args_os()))
}
