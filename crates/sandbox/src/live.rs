//! [`LiveProgram`]: a program with which somebody talks while it runs, such as a tool of an agent. It has the walls of every
//! program, and what the user allows it beyond them: a folder that stays, files to read, the network.

use std::path::PathBuf;
use std::process::Command;

use crate::cgroup::Cgroups;

/// A program with which somebody talks while it runs.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct LiveProgram {
    /// The program and its arguments; `python3` is the interpreter of the machine.
    pub command: Vec<String>,
    /// The folder in which it runs, and the only one of this machine that it may write.
    pub folder: PathBuf,
    /// Files and folders of this machine that it may read, at their own paths.
    pub shown: Vec<PathBuf>,
    /// Whether it may use the network.
    pub network: bool,
    /// Variables that it is given.
    pub variables: Vec<(String, String)>,
    /// Most memory of all its processes together, in MiB.
    pub mebibytes: u32,
}

/// The command that starts such a program.
#[derive(Debug)]
pub struct LiveCommand {
    /// Its standard streams are for the caller to set.
    pub command: Command,
    /// To be kept as long as the program runs.
    pub limits: LiveLimits,
}

/// The limits of a running program; they go when this is dropped.
#[derive(Debug)]
pub struct LiveLimits(pub(crate) Option<Cgroups>);

impl LiveLimits {
    /// How many of its processes the kernel has ended for want of memory, where it counts them.
    pub fn oom_kills(&self) -> u64 {
        self.0.as_ref().map_or(0, Cgroups::oom_kills)
    }
}
