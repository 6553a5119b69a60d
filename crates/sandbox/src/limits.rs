//! [`SandboxLimits`]: how much a program may take.

/// How much a program may take. Time and memory come from the program itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SandboxLimits {
    /// Processes and threads at once, those that keep the sandbox included.
    pub processes: u32,
    /// Seconds of processor time of one process; the time of the step on all cores if absent.
    pub processor_seconds: Option<u64>,
    /// Bytes of one file.
    pub file_bytes: u64,
    /// Bytes of all files that it writes.
    pub disk_bytes: u64,
    /// Files and folders that it makes, in its own folder and beside it.
    pub files: u64,
    /// Bytes that a step may print, on each of its two channels.
    pub output_bytes: usize,
    /// Bytes of what it printed that are kept, from the beginning.
    pub kept_bytes: usize,
    /// Bytes of a file that is brought back.
    pub wanted_bytes: usize,
    /// Open files of one process.
    pub open_files: u32,
}

impl Default for SandboxLimits {
    fn default() -> Self {
        Self {
            processes: 128,
            processor_seconds: None,
            file_bytes: 512 << 20,
            disk_bytes: 1 << 30,
            files: 20_000,
            output_bytes: 16 << 20,
            kept_bytes: 1 << 20,
            wanted_bytes: 4 << 20,
            open_files: 1024,
        }
    }
}
