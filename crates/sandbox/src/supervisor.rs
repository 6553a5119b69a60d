//! The supervisor of a program: reads what it prints, keeps its time and its memory, and ends the whole tree.

use std::io::{self, Read, Write};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::path::PathBuf;
use std::process::{Child, ChildStdin};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use probare_core::{Program, ProgramResult, StepEnd, StepResult};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::{OFlags, fcntl_getfl, fcntl_setfl};

use crate::cgroup::Cgroups;
use crate::script::{READY, exit_reason};
use crate::{SandboxError, SandboxLimits, process_tree};

/// How often memory is looked at.
const POLL_INTERVAL: Duration = Duration::from_millis(20);

/// How long a sandbox may take to start, to get ready for a step and to go away.
const SANDBOX_TIMEOUT: Duration = Duration::from_mins(1);

/// How memory is limited.
pub(crate) enum MemoryLimit {
    /// By the kernel.
    Kernel(Cgroups),
    /// By looking.
    Watched { kibibytes: u64 },
    /// Not at all.
    Unlimited,
}

/// A program under way.
pub(crate) struct Supervisor<'a> {
    child: Child,
    go: Option<ChildStdin>,
    report: std::fs::File,
    output: OutputPipe,
    errors: OutputPipe,
    said: Vec<u8>,
    memory: MemoryLimit,
    files: FileWatch,
    limits: &'a SandboxLimits,
    orders: StopSignals<'a>,
    is_group: bool,
    is_over: bool,
}

/// Who may end a program from outside.
#[derive(Clone, Copy)]
pub(crate) struct StopSignals<'a> {
    /// The user.
    pub interrupted: &'a AtomicBool,
    /// Whoever it works for, when it is needed no more.
    pub enough: Option<&'a AtomicBool>,
}

/// Where a program may make files, and how they are seen from outside.
#[derive(Default)]
pub(crate) struct FileWatch {
    /// Places inside; none where files are not counted.
    pub places: Vec<String>,
    /// How they are seen, once that is known.
    pub view: Option<PathBuf>,
}

/// What a program prints.
struct OutputPipe {
    from: std::fs::File,
    text: Vec<u8>,
    most: usize,
    is_cut: bool,
    is_closed: bool,
}

/// Why nothing more is waited for.
enum WaitOutcome {
    Line(String),
    End(StepEnd),
    Closed,
}

impl OutputPipe {
    fn new(from: impl Into<OwnedFd>, most: usize) -> io::Result<Self> {
        let from: OwnedFd = from.into();
        let flags = fcntl_getfl(&from)?;
        fcntl_setfl(&from, flags | OFlags::NONBLOCK)?;
        Ok(Self { from: from.into(), text: Vec::new(), most, is_cut: false, is_closed: false })
    }

    /// Takes what is there. What is beyond the limit is forgotten.
    fn drain(&mut self) -> io::Result<()> {
        let mut part = [0; 8 * 1024];
        while !self.is_closed && !self.is_cut {
            match self.from.read(&mut part) {
                Ok(0) => self.is_closed = true,
                Ok(count) => {
                    let room = self.most - self.text.len();
                    self.text.extend_from_slice(&part[..count.min(room)]);
                    self.is_cut = count > room;
                }
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => return Ok(()),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }

    /// What was printed, from its beginning, and whether that is all.
    fn take(&mut self, kept: usize) -> (String, bool) {
        let mut text = std::mem::take(&mut self.text);
        let is_cut = std::mem::take(&mut self.is_cut) || text.len() > kept;
        text.truncate(kept);
        (self::text(text), is_cut)
    }
}

impl<'a> Supervisor<'a> {
    /// Takes a program that was just started.
    pub(crate) fn new(
        mut child: Child,
        report: OwnedFd,
        limits: &'a SandboxLimits,
        memory: MemoryLimit,
        files: FileWatch,
        orders: StopSignals<'a>,
    ) -> Result<Self, SandboxError> {
        let pipes = (child.stdin.take(), child.stdout.take(), child.stderr.take());
        let (Some(go), Some(output), Some(errors)) = pipes else {
            return Err(SandboxError::Died { reason: "it has no pipes".to_owned() });
        };
        let failed = || SandboxError::system("listen to a sandbox");
        Ok(Self {
            output: OutputPipe::new(output, limits.output_bytes).map_err(failed())?,
            errors: OutputPipe::new(errors, limits.output_bytes).map_err(failed())?,
            go: Some(go),
            report: OutputPipe::new(report, 0).map_err(failed())?.from,
            child,
            said: Vec::new(),
            is_group: matches!(memory, MemoryLimit::Unlimited),
            memory,
            files,
            limits,
            orders,
            is_over: false,
        })
    }

    /// Brings the program to its end.
    pub(crate) fn run(mut self, program: &Program) -> Result<ProgramResult, SandboxError> {
        let mut ran = ProgramResult::default();
        for step in &program.steps {
            if !self.wait_until_ready()? {
                break;
            }
            let ended = self.run_step(Duration::from_millis(step.milliseconds))?;
            let is_fine = ended.is_fine();
            ran.steps.push(ended);
            if !is_fine {
                self.end()?;
                return Ok(ran);
            }
        }
        for name in &program.wanted {
            if !self.wait_until_ready()? || !self.read_file(name, &mut ran)? {
                break;
            }
        }
        self.end()?;
        Ok(ran)
    }

    fn run_step(&mut self, limit: Duration) -> Result<StepResult, SandboxError> {
        let start = Instant::now();
        self.send_go()?;
        let killed = self.oom_kills();
        let heard = self.wait_for_line(start + limit)?;
        let seconds = start.elapsed().as_secs_f64();
        let (end, code) = match heard {
            WaitOutcome::Line(line) => (StepEnd::Exited, Some(parse_exit_code(&line)?)),
            WaitOutcome::End(end) => (end, None),
            WaitOutcome::Closed => return Err(self.death_error()),
        };
        let is_short = end == StepEnd::Exited && code != Some(0) && self.oom_kills() > killed;
        self.drain()?;
        let is_flood = end == StepEnd::Exited && (self.output.is_cut || self.errors.is_cut);
        let end = if is_flood {
            StepEnd::TooMuchOutput
        } else if is_short {
            StepEnd::OutOfMemory
        } else {
            end
        };
        let kept = self.limits.kept_bytes;
        let ((output, is_cut), (errors, are_cut)) = (self.output.take(kept), self.errors.take(kept));
        let code = code.filter(|_| end != StepEnd::TooMuchOutput);
        Ok(StepResult { end, code, is_cut: is_cut || are_cut, output, errors, seconds })
    }

    /// Reads a file that the program left, if it left it; false where nothing further can be read.
    fn read_file(&mut self, name: &str, ran: &mut ProgramResult) -> Result<bool, SandboxError> {
        self.send_go()?;
        match self.wait_for_line(Instant::now() + SANDBOX_TIMEOUT)? {
            WaitOutcome::Line(line) if parse_exit_code(&line)? == 0 => {
                self.drain()?;
                match self.output.take(self.limits.wanted_bytes) {
                    (_, true) => ran.oversized.push(name.to_owned()),
                    (text, false) => ran.files.push((name.to_owned(), text)),
                }
            }
            WaitOutcome::Line(_) => {}
            // What a program leaves is its own doing; whatever comes after it in the pipe is lost.
            WaitOutcome::End(StepEnd::TooMuchOutput) => {
                ran.oversized.push(name.to_owned());
                return Ok(false);
            }
            _ => return Err(self.death_error()),
        }
        Ok(true)
    }

    /// Waits until the sandbox is ready for the next step; false where no step is wanted any more.
    fn wait_until_ready(&mut self) -> Result<bool, SandboxError> {
        match self.wait_for_line(Instant::now() + SANDBOX_TIMEOUT)? {
            WaitOutcome::Line(line) if line == READY => Ok(true),
            WaitOutcome::End(StepEnd::Exited) => Ok(false),
            _ => Err(self.death_error()),
        }
    }

    fn send_go(&mut self) -> Result<(), SandboxError> {
        let go = self.go.as_mut().ok_or_else(|| SandboxError::Died { reason: "it was ended".to_owned() })?;
        go.write_all(b"go\n").map_err(SandboxError::system("start a step in a sandbox"))
    }

    /// Waits for a line of the report, and keeps time, memory and output meanwhile.
    fn wait_for_line(&mut self, until: Instant) -> Result<WaitOutcome, SandboxError> {
        let waiting = || SandboxError::system("wait for a sandbox");
        loop {
            if let Some(line) = self.take_line() {
                return Ok(WaitOutcome::Line(line));
            }
            if self.orders.interrupted.load(Ordering::Relaxed) {
                self.end()?;
                return Err(SandboxError::Cancelled);
            }
            let is_enough = self.orders.enough.is_some_and(|enough| enough.load(Ordering::Relaxed));
            let now = Instant::now();
            if now >= until {
                return Ok(WaitOutcome::End(StepEnd::TimedOut));
            }
            if self.output.is_cut || self.errors.is_cut {
                return Ok(WaitOutcome::End(StepEnd::TooMuchOutput));
            }
            if let MemoryLimit::Watched { kibibytes } = &self.memory
                && process_tree::tree_kibibytes(self.child.id()) > *kibibytes
            {
                return Ok(WaitOutcome::End(StepEnd::OutOfMemory));
            }
            if self.count_files() > self.limits.files {
                return Ok(WaitOutcome::End(StepEnd::TooManyFiles));
            }
            self.wait(if is_enough { Duration::ZERO } else { (until - now).min(POLL_INTERVAL) }).map_err(waiting())?;
            self.output.drain().map_err(waiting())?;
            self.errors.drain().map_err(waiting())?;
            let mut part = [0; 256];
            match self.report.read(&mut part) {
                Ok(0) => return Ok(self.take_line().map_or(WaitOutcome::Closed, WaitOutcome::Line)),
                Ok(count) => self.said.extend_from_slice(&part[..count]),
                Err(error) if matches!(error.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::Interrupted) => {}
                Err(error) => return Err(waiting()(error)),
            }
            // What it said before it was told to end still counts.
            if is_enough && !self.said.contains(&b'\n') {
                return Ok(WaitOutcome::End(StepEnd::Exited));
            }
        }
    }

    /// Files that the program has made, as far as they can be seen.
    fn count_files(&mut self) -> u64 {
        let FileWatch { places, view } = &mut self.files;
        let Some(first) = places.first() else { return 0 };
        let found = view.as_deref().and_then(|view| process_tree::file_count(view, places));
        found
            .or_else(|| {
                *view = process_tree::view(self.child.id(), first);
                view.as_deref().and_then(|view| process_tree::file_count(view, places))
            })
            .unwrap_or(0)
    }

    /// A whole line of the report.
    fn take_line(&mut self) -> Option<String> {
        let end = self.said.iter().position(|byte| *byte == b'\n')?;
        let line: Vec<u8> = self.said.drain(..=end).collect();
        Some(String::from_utf8_lossy(&line).trim_end().to_owned())
    }

    /// Waits until something can be read.
    fn wait(&self, longest: Duration) -> io::Result<()> {
        let mut watched = vec![PollFd::new(&self.report, PollFlags::IN)];
        for channel in [&self.output, &self.errors] {
            if !channel.is_closed && !channel.is_cut {
                watched.push(PollFd::from_borrowed_fd(fd(channel), PollFlags::IN));
            }
        }
        let time = Timespec::try_from(longest).ok();
        match poll(&mut watched, time.as_ref()) {
            Ok(_) | Err(rustix::io::Errno::INTR) => Ok(()),
            Err(error) => Err(error.into()),
        }
    }

    fn drain(&mut self) -> Result<(), SandboxError> {
        let failed = || SandboxError::system("read what a program printed");
        self.output.drain().map_err(failed())?;
        self.errors.drain().map_err(failed())
    }

    fn oom_kills(&self) -> u64 {
        match &self.memory {
            MemoryLimit::Kernel(groups) => groups.oom_kills(),
            MemoryLimit::Watched { .. } | MemoryLimit::Unlimited => 0,
        }
    }

    /// Why the sandbox is no more, in its own words.
    fn death_error(&mut self) -> SandboxError {
        let _ = self.errors.drain();
        let (words, _) = self.errors.take(self.limits.kept_bytes);
        let words = words.trim().lines().last().unwrap_or_default().to_owned();
        // Whoever kept it is on the way out.
        let until = Instant::now() + Duration::from_millis(500);
        let mut status = None;
        while status.is_none() && Instant::now() < until {
            status = self.child.try_wait().ok().flatten();
            std::thread::sleep(Duration::from_millis(2));
        }
        let _ = self.end();
        let told = status.and_then(|status| status.code()).and_then(exit_reason);
        let reason = match (words.is_empty(), told, status) {
            (false, _, _) => words,
            (true, Some(told), _) => told.to_owned(),
            (true, None, Some(status)) => status.to_string(),
            (true, None, None) => "it said nothing".to_owned(),
        };
        SandboxError::Died { reason }
    }

    /// Ends the whole tree and waits until it is gone.
    fn end(&mut self) -> Result<(), SandboxError> {
        if std::mem::replace(&mut self.is_over, true) {
            return Ok(());
        }
        self.go = None;
        let ending = || SandboxError::system("end a sandbox");
        if self.is_group {
            let group = rustix::process::Pid::from_child(&self.child);
            // Whoever is left in the group; it is fine if nobody is.
            let _ = rustix::process::kill_process_group(group, rustix::process::Signal::KILL);
        }
        let _ = self.child.kill();
        self.child.wait().map_err(ending())?;
        // The last process that could write to the report is gone when it is closed.
        let until = Instant::now() + SANDBOX_TIMEOUT;
        let mut part = [0; 256];
        loop {
            match self.report.read(&mut part) {
                Ok(0) => return Ok(()),
                Ok(_) => {}
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                    if Instant::now() > until {
                        return Err(SandboxError::Died { reason: "its processes do not go away".to_owned() });
                    }
                    let mut watched = [PollFd::new(&self.report, PollFlags::IN)];
                    let time = Timespec::try_from(POLL_INTERVAL).ok();
                    let _ = poll(&mut watched, time.as_ref());
                }
                Err(error) => return Err(ending()(error)),
            }
        }
    }
}

impl Drop for Supervisor<'_> {
    fn drop(&mut self) {
        let _ = self.end();
    }
}

fn fd(channel: &OutputPipe) -> BorrowedFd<'_> {
    channel.from.as_fd()
}

/// The code in a line `end 3`.
fn parse_exit_code(line: &str) -> Result<i32, SandboxError> {
    let code = line.strip_prefix("end ").and_then(|code| code.trim().parse().ok());
    code.ok_or_else(|| SandboxError::Died { reason: format!("it said `{line}`") })
}

fn text(bytes: Vec<u8>) -> String {
    String::from_utf8(bytes).unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned())
}
