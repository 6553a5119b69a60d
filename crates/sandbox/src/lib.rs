//! Runs programs that nobody trusts.
//!
//! A [`Program`](probare_core::Program) is some files and some steps; a [`Sandbox`] runs them and says what became of
//! them. bubblewrap builds the walls: namespaces of its own for everything, a system that can be read and not written, no
//! network, no file and no variable of the host. A filter lets through the system calls that ordinary programs make and no others. Time, memory
//! of the whole tree, processes, files and output are limited, and the tree ends with its time. All files of a program
//! live in memory that goes with it, so nothing that it leaves behind is ever a file of the host.
//!
//! Nothing of this is believed: [`Sandbox::open`] tries to break each guarantee and tells the [`IsolationLevel`] that was reached.
//! Below `ns` it refuses, unless the user chose [`SandboxChoice::None`]. A sandbox that dies is an error, never a failed test.
//!
//! ```no_run
//! use probare_core::{Program, ProgramStep};
//! use probare_sandbox::{SandboxChoice, SandboxLimits, Sandbox};
//!
//! let sandbox = Sandbox::open(SandboxChoice::Auto, SandboxLimits::default(), Default::default())?;
//! let program = Program {
//!     files: vec![("main.py".to_owned(), "print(6 * 7)".to_owned())],
//!     steps: vec![ProgramStep::new(&["python3", "main.py"], 10)],
//!     mebibytes: 256,
//!     ..Program::default()
//! };
//! let ran = sandbox.run(&program)?;
//! assert_eq!(ran.steps[0].output, "42\n");
//! # Ok::<(), probare_sandbox::SandboxError>(())
//! ```

mod cgroup;
pub mod environment;
mod error;
mod folder;
mod launch;
mod level;
mod limits;
mod live;
mod probe;
mod process_tree;
mod sandbox;
mod sandbox_paths;
mod script;
mod seccomp;
mod supervisor;
mod unsandboxed;

pub use error::{REMEDY, SandboxError};
pub use folder::digest as folder_digest;
pub use level::{IsolationLevel, SandboxChoice};
pub use limits::SandboxLimits;
pub use live::{LiveCommand, LiveLimits, LiveProgram};
pub use probe::Probe;
pub use sandbox::Sandbox;
