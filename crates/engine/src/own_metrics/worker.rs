//! [`WorkerProcess`]: a program of the user that computes a metric, kept alive from case to case. One line goes in, one comes
//! out; whoever does neither in its time is ended with everything that it started.

use std::io::{self, Read, Write};
use std::os::fd::AsFd;
use std::process::{Child, ChildStderr, ChildStdin, ChildStdout, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, kill_process_group, waitid};

/// Bytes of the longest line that a worker may write.
const LONGEST_LINE: usize = 16 << 20;
/// Bytes of standard error that are kept: the last ones.
const KEPT_COMPLAINT: usize = 1 << 16;
/// How long a cancellation may go unnoticed.
const BETWEEN_LOOKS: Duration = Duration::from_millis(100);
/// How long a worker whose input is closed may take to end by itself.
const TIME_TO_END: Duration = Duration::from_millis(500);

/// Why there is no answer.
#[derive(Debug)]
pub enum WorkerFault {
    /// The program cannot be started.
    Start(String),
    /// It ended, or closed its output.
    Ended(String),
    /// It took too long.
    TimedOut,
    /// It wrote more than any answer has.
    TooLong,
    /// Nobody waits any more.
    Cancelled,
}

/// A running worker.
pub struct WorkerProcess {
    child: Child,
    stdin: Option<ChildStdin>,
    stdout: ChildStdout,
    stderr: Option<ChildStderr>,
    /// What it wrote and nobody has taken.
    buffer: Vec<u8>,
    /// Bytes of it that hold no line break.
    searched: usize,
    complaint: Vec<u8>,
    /// Whether it ended and was waited for: its number may be another's since.
    is_reaped: bool,
    /// How it ended, once it did.
    status: Option<ExitStatus>,
    /// Whether its output has come to its end.
    is_silent: bool,
}

/// What a program left that ended by itself.
#[derive(Debug)]
pub struct ProgramOutput {
    /// What it wrote.
    pub output: Vec<u8>,
    /// Its exit code; nothing where a signal ended it.
    pub code: Option<i32>,
    /// The last line of what it complained about.
    pub complaint: String,
}

impl WorkerProcess {
    /// Starts a program.
    pub fn start(mut command: Command) -> Result<Self, WorkerFault> {
        let program = command.get_program().to_string_lossy().into_owned();
        let failed = |error: io::Error| WorkerFault::Start(format!("cannot start `{program}`: {error}"));
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        // Ctrl-C ends the run, which ends its workers when it is done with them.
        std::os::unix::process::CommandExt::process_group(&mut command, 0);
        let mut child = command.spawn().map_err(failed)?;
        let none = || failed(io::Error::other("it has no standard streams"));
        let stdin = child.stdin.take().ok_or_else(none)?;
        let stdout = child.stdout.take().ok_or_else(none)?;
        let stderr = child.stderr.take().ok_or_else(none)?;
        for stream in [stdin.as_fd(), stdout.as_fd(), stderr.as_fd()] {
            rustix::io::ioctl_fionbio(stream, true).map_err(|error| failed(error.into()))?;
        }
        let (stdin, stderr) = (Some(stdin), Some(stderr));
        Ok(Self {
            child,
            stdin,
            stdout,
            stderr,
            buffer: Vec::new(),
            searched: 0,
            complaint: Vec::new(),
            is_reaped: false,
            status: None,
            is_silent: false,
        })
    }

    /// Sends everything there is to send, closes the input, and takes what is written until the end.
    pub fn run_to_end(&mut self, input: &[u8], limit: Duration) -> Result<ProgramOutput, WorkerFault> {
        let until = Instant::now() + limit;
        let mut unsent = input;
        loop {
            // Whoever ends without reading everything has ended all the same.
            let ended = match self.send(unsent) {
                Ok(left) => {
                    unsent = left;
                    if unsent.is_empty() {
                        self.stdin = None;
                    }
                    let left = until.saturating_duration_since(Instant::now());
                    if left.is_zero() {
                        return Err(WorkerFault::TimedOut);
                    }
                    if probare_cancellation::should_stop() {
                        return Err(WorkerFault::Cancelled);
                    }
                    self.wait_and_read(!unsent.is_empty(), left.min(BETWEEN_LOOKS))
                }
                Err(fault) => Err(fault),
            };
            if self.buffer.len() > LONGEST_LINE {
                return Err(WorkerFault::TooLong);
            }
            if let Err(fault) = ended {
                if !self.is_silent && !self.drain() {
                    return Err(fault);
                }
                let complaint = self.last_words().trim_start_matches("; standard error: ").to_owned();
                let code = self.status.and_then(|status| status.code());
                return Ok(ProgramOutput { output: std::mem::take(&mut self.buffer), code, complaint });
            }
        }
    }

    /// Takes what is left in the pipe of a program that has ended; whether that was all.
    fn drain(&mut self) -> bool {
        let mut piece = [0; 1 << 14];
        while self.buffer.len() <= LONGEST_LINE {
            match self.stdout.read(&mut piece) {
                Ok(0) => return true,
                Ok(count) => self.buffer.extend_from_slice(piece.get(..count).unwrap_or_default()),
                Err(_) => return false,
            }
        }
        false
    }

    /// Sends a line and waits for one.
    pub fn exchange(&mut self, line: &[u8], limit: Duration) -> Result<Vec<u8>, WorkerFault> {
        let until = Instant::now() + limit;
        let mut unsent = line;
        loop {
            unsent = match self.send(unsent) {
                Ok(left) => left,
                Err(fault) => {
                    // A program that reads nothing and ends may have written something, which says more.
                    self.drain();
                    return self.take_line()?.ok_or(fault);
                }
            };
            if let Some(answer) = self.take_line()? {
                return Ok(answer);
            }
            let left = until.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Err(WorkerFault::TimedOut);
            }
            if probare_cancellation::should_stop() {
                return Err(WorkerFault::Cancelled);
            }
            self.wait_and_read(!unsent.is_empty(), left.min(BETWEEN_LOOKS))?;
        }
    }

    /// Sends a line to which no answer is awaited.
    pub fn write(&mut self, line: &[u8], limit: Duration) -> Result<(), WorkerFault> {
        let until = Instant::now() + limit;
        let mut unsent = self.send(line)?;
        while !unsent.is_empty() {
            let left = until.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Err(WorkerFault::TimedOut);
            }
            if probare_cancellation::should_stop() {
                return Err(WorkerFault::Cancelled);
            }
            self.wait_and_read(true, left.min(BETWEEN_LOOKS))?;
            unsent = self.send(unsent)?;
        }
        Ok(())
    }

    /// Writes what the pipe takes at once, and gives the rest.
    fn send<'a>(&mut self, mut unsent: &'a [u8]) -> Result<&'a [u8], WorkerFault> {
        while !unsent.is_empty() {
            let Some(stdin) = &mut self.stdin else { return Err(self.ended()) };
            match stdin.write(unsent) {
                Ok(count) => unsent = unsent.get(count..).unwrap_or_default(),
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => break,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(_) => return Err(self.ended()),
            }
        }
        Ok(unsent)
    }

    fn take_line(&mut self) -> Result<Option<Vec<u8>>, WorkerFault> {
        let fresh = self.buffer.get(self.searched..).unwrap_or_default();
        let Some(at) = fresh.iter().position(|byte| *byte == b'\n').map(|at| self.searched + at) else {
            self.searched = self.buffer.len();
            return if self.buffer.len() > LONGEST_LINE { Err(WorkerFault::TooLong) } else { Ok(None) };
        };
        let rest = self.buffer.split_off(at + 1);
        let mut line = std::mem::replace(&mut self.buffer, rest);
        self.searched = 0;
        line.truncate(at);
        Ok(Some(line))
    }

    fn wait_and_read(&mut self, wants_to_write: bool, time: Duration) -> Result<(), WorkerFault> {
        let timeout = Timespec { tv_sec: 0, tv_nsec: time.subsec_nanos().into() };
        let (has_output, has_complaint) = {
            let mut streams = vec![PollFd::new(&self.stdout, PollFlags::IN)];
            if let Some(stderr) = &self.stderr {
                streams.push(PollFd::new(stderr, PollFlags::IN));
            }
            if let Some(stdin) = self.stdin.as_ref().filter(|_| wants_to_write) {
                streams.push(PollFd::new(stdin, PollFlags::OUT));
            }
            match poll(&mut streams, Some(&timeout)) {
                Ok(_) | Err(rustix::io::Errno::INTR) => {}
                Err(error) => return Err(WorkerFault::Ended(format!("cannot wait for it: {error}"))),
            }
            let is_ready = |at: usize| streams.get(at).is_some_and(|stream| !stream.revents().is_empty());
            (is_ready(0), self.stderr.is_some() && is_ready(1))
        };
        if has_complaint {
            self.read_complaint();
        }
        if has_output {
            let mut piece = [0; 1 << 14];
            match self.stdout.read(&mut piece) {
                Ok(0) => {
                    self.is_silent = true;
                    return Err(self.ended());
                }
                Ok(count) => self.buffer.extend_from_slice(piece.get(..count).unwrap_or_default()),
                Err(error) if matches!(error.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::Interrupted) => {}
                Err(_) => return Err(self.ended()),
            }
        }
        Ok(())
    }

    /// Takes what stands on standard error, so that nobody who complains at length stops at a full pipe.
    fn read_complaint(&mut self) {
        let Some(stderr) = &mut self.stderr else { return };
        let mut piece = [0; 1 << 14];
        let mut taken = 0;
        // Bounded, since an endless complaint must not keep the answer waiting.
        while taken < KEPT_COMPLAINT {
            match stderr.read(&mut piece) {
                Ok(count) if count > 0 => {
                    self.complaint.extend_from_slice(piece.get(..count).unwrap_or_default());
                    taken += count;
                }
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => break,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Ok(_) | Err(_) => {
                    self.stderr = None;
                    break;
                }
            }
        }
        let over = self.complaint.len().saturating_sub(KEPT_COMPLAINT);
        self.complaint.drain(..over);
    }

    /// How it ended, with the last line of what it complained about.
    fn ended(&mut self) -> WorkerFault {
        self.stdin = None;
        let has_ended = self.wait_for_end(TIME_TO_END);
        self.read_complaint();
        let how = match self.kill() {
            Some(status) if has_ended => format!("it ended with {status}"),
            _ => "it closed its standard output".to_owned(),
        };
        WorkerFault::Ended(how + &self.last_words())
    }

    /// What stands on standard error so far: the end of it.
    pub fn complaint(&mut self) -> String {
        self.read_complaint();
        String::from_utf8_lossy(&self.complaint).trim().to_owned()
    }

    /// The line of standard error that says most, to be put behind a reason.
    pub fn last_words(&mut self) -> String {
        let text = self.complaint();
        let last: String = telling_line(&text).chars().take(300).collect();
        if last.is_empty() { String::new() } else { format!("; standard error: {last}") }
    }

    fn id(&self) -> Option<Pid> {
        i32::try_from(self.child.id()).ok().and_then(Pid::from_raw).filter(|_| !self.is_reaped)
    }

    /// Waits until it has ended; its number stays its own until [`kill`](Self::kill).
    fn wait_for_end(&self, time: Duration) -> bool {
        let Some(id) = self.id() else { return true };
        let until = Instant::now() + time;
        let options = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
        loop {
            match waitid(WaitId::Pid(id), options) {
                Ok(Some(_)) => return true,
                Ok(None) | Err(rustix::io::Errno::INTR) if Instant::now() < until => {
                    std::thread::sleep(Duration::from_millis(1));
                }
                _ => return false,
            }
        }
    }

    /// Ends it now, with everything that it started.
    fn kill(&mut self) -> Option<ExitStatus> {
        let group = self.id()?;
        // The group may have ended by itself.
        let _ = kill_process_group(group, Signal::KILL);
        let _ = self.child.kill();
        self.is_reaped = true;
        self.status = self.child.wait().ok();
        self.status
    }

    /// Closes its input; whether it ends by itself.
    pub fn ends_by_itself(mut self) -> bool {
        self.stdin = None;
        self.wait_for_end(Duration::from_secs(5))
    }

    /// Closes the input of workers and lets them end by themselves, for a short time.
    pub fn close_all(mut workers: Vec<Self>) {
        for worker in &mut workers {
            worker.stdin = None;
        }
        for worker in &workers {
            worker.wait_for_end(TIME_TO_END);
        }
    }
}

impl Drop for WorkerProcess {
    fn drop(&mut self) {
        self.kill();
    }
}

/// The last line that names an error, and the last of all where none does: node ends with its version, others with a stack.
fn telling_line(text: &str) -> &str {
    let lines = || text.lines().rev().map(str::trim).filter(|line| !line.is_empty());
    let names_error = |line: &&str| ["Error", "error:", "Exception", "panic"].iter().any(|word| line.contains(word));
    lines().find(names_error).or_else(|| lines().next()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_a_stack_the_line_with_the_error_is_shown() {
        for (text, line) in [
            (
                "node:internal/modules:1\n  throw err;\n\nError: Cannot find module 'chekc.mjs'\n    at resolve (node:1)\n\nNode.js v20.1.0\n",
                "Error: Cannot find module 'chekc.mjs'",
            ),
            ("Traceback:\nValueError: a\nDuring handling:\nKeyError: 'b'\n", "KeyError: 'b'"),
            (
                "thread 'main' panicked at src/main.rs:2\nnote: run with RUST_BACKTRACE=1\n",
                "thread 'main' panicked at src/main.rs:2",
            ),
            ("starting\nout of paper\n\n", "out of paper"),
            ("", ""),
        ] {
            assert_eq!(telling_line(text), line);
        }
    }
}
