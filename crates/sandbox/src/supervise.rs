//! The supervisor of a program: reads what it prints, keeps its time and its memory, and ends the whole tree.

use std::io::{self, Read, Write};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::path::PathBuf;
use std::process::{Child, ChildStdin};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use probare_core::{End, Program, Ran, RanStep};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::{OFlags, fcntl_getfl, fcntl_setfl};

use crate::cgroup::Groups;
use crate::script::{READY, meaning};
use crate::{Limits, SandboxError, watch};

/// How often memory is looked at.
const LOOK: Duration = Duration::from_millis(20);

/// How long a sandbox may take to start, to get ready for a step and to go away.
const PATIENCE: Duration = Duration::from_mins(1);

/// How memory is limited.
pub(crate) enum Memory {
    /// By the kernel.
    Kernel(Groups),
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
    output: Channel,
    errors: Channel,
    said: Vec<u8>,
    memory: Memory,
    files: Files,
    limits: &'a Limits,
    orders: Orders<'a>,
    is_group: bool,
    is_over: bool,
}

/// Who may end a program from outside.
#[derive(Clone, Copy)]
pub(crate) struct Orders<'a> {
    /// The user.
    pub interrupted: &'a AtomicBool,
    /// Whoever it works for, when it is needed no more.
    pub enough: Option<&'a AtomicBool>,
}

/// Where a program may make files, and how they are seen from outside.
#[derive(Default)]
pub(crate) struct Files {
    /// Places inside; none where files are not counted.
    pub places: Vec<String>,
    /// How they are seen, once that is known.
    pub view: Option<PathBuf>,
}

/// What a program prints.
struct Channel {
    from: std::fs::File,
    text: Vec<u8>,
    most: usize,
    is_cut: bool,
    is_closed: bool,
}

/// Why nothing more is waited for.
enum Heard {
    Line(String),
    End(End),
    Closed,
}

impl Channel {
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
        limits: &'a Limits,
        memory: Memory,
        files: Files,
        orders: Orders<'a>,
    ) -> Result<Self, SandboxError> {
        let pipes = (child.stdin.take(), child.stdout.take(), child.stderr.take());
        let (Some(go), Some(output), Some(errors)) = pipes else {
            return Err(SandboxError::Died { reason: "it has no pipes".to_owned() });
        };
        let failed = || SandboxError::system("listen to a sandbox");
        Ok(Self {
            output: Channel::new(output, limits.output_bytes).map_err(failed())?,
            errors: Channel::new(errors, limits.output_bytes).map_err(failed())?,
            go: Some(go),
            report: Channel::new(report, 0).map_err(failed())?.from,
            child,
            said: Vec::new(),
            is_group: matches!(memory, Memory::Unlimited),
            memory,
            files,
            limits,
            orders,
            is_over: false,
        })
    }

    /// Brings the program to its end.
    pub(crate) fn run(mut self, program: &Program) -> Result<Ran, SandboxError> {
        let mut ran = Ran::default();
        for step in &program.steps {
            if !self.ready()? {
                break;
            }
            let start = Instant::now();
            self.go()?;
            let killed = self.killed();
            let heard = self.hear(start + Duration::from_millis(step.milliseconds))?;
            let seconds = start.elapsed().as_secs_f64();
            let (end, code) = match heard {
                Heard::Line(line) => (End::Exited, Some(code(&line)?)),
                Heard::End(end) => (end, None),
                Heard::Closed => return Err(self.died()),
            };
            let is_short = end == End::Exited && code != Some(0) && self.killed() > killed;
            self.drain()?;
            let is_flood = end == End::Exited && (self.output.is_cut || self.errors.is_cut);
            let end = if is_flood {
                End::TooMuchOutput
            } else if is_short {
                End::OutOfMemory
            } else {
                end
            };
            let kept = self.limits.kept_bytes;
            let ((output, is_cut), (errors, are_cut)) = (self.output.take(kept), self.errors.take(kept));
            let code = code.filter(|_| end != End::TooMuchOutput);
            let ended = RanStep { end, code, is_cut: is_cut || are_cut, output, errors, seconds };
            let is_fine = ended.is_fine();
            ran.steps.push(ended);
            if !is_fine {
                self.end()?;
                return Ok(ran);
            }
        }
        for name in &program.wanted {
            if !self.ready()? {
                break;
            }
            self.go()?;
            match self.hear(Instant::now() + PATIENCE)? {
                Heard::Line(line) if code(&line)? == 0 => {
                    self.drain()?;
                    match self.output.take(self.limits.wanted_bytes) {
                        (_, true) => ran.oversized.push(name.clone()),
                        (text, false) => ran.files.push((name.clone(), text)),
                    }
                }
                Heard::Line(_) => {}
                // What a program leaves is its own doing; whatever comes after it in the pipe is lost.
                Heard::End(End::TooMuchOutput) => {
                    ran.oversized.push(name.clone());
                    break;
                }
                _ => return Err(self.died()),
            }
        }
        self.end()?;
        Ok(ran)
    }

    /// Waits until the sandbox is ready for the next step; false where no step is wanted any more.
    fn ready(&mut self) -> Result<bool, SandboxError> {
        match self.hear(Instant::now() + PATIENCE)? {
            Heard::Line(line) if line == READY => Ok(true),
            Heard::End(End::Exited) => Ok(false),
            _ => Err(self.died()),
        }
    }

    fn go(&mut self) -> Result<(), SandboxError> {
        let go = self.go.as_mut().ok_or_else(|| SandboxError::Died { reason: "it was ended".to_owned() })?;
        go.write_all(b"go\n").map_err(SandboxError::system("start a step in a sandbox"))
    }

    /// Waits for a line of the report, and keeps time, memory and output meanwhile.
    fn hear(&mut self, until: Instant) -> Result<Heard, SandboxError> {
        let waiting = || SandboxError::system("wait for a sandbox");
        loop {
            if let Some(line) = self.line() {
                return Ok(Heard::Line(line));
            }
            if self.orders.interrupted.load(Ordering::Relaxed) {
                self.end()?;
                return Err(SandboxError::Cancelled);
            }
            let is_enough = self.orders.enough.is_some_and(|enough| enough.load(Ordering::Relaxed));
            let now = Instant::now();
            if now >= until {
                return Ok(Heard::End(End::TimedOut));
            }
            if self.output.is_cut || self.errors.is_cut {
                return Ok(Heard::End(End::TooMuchOutput));
            }
            if let Memory::Watched { kibibytes } = &self.memory
                && watch::kibibytes(self.child.id()) > *kibibytes
            {
                return Ok(Heard::End(End::OutOfMemory));
            }
            if self.count_files() > self.limits.files {
                return Ok(Heard::End(End::TooManyFiles));
            }
            self.wait(if is_enough { Duration::ZERO } else { (until - now).min(LOOK) }).map_err(waiting())?;
            self.output.drain().map_err(waiting())?;
            self.errors.drain().map_err(waiting())?;
            let mut part = [0; 256];
            match self.report.read(&mut part) {
                Ok(0) => return Ok(self.line().map_or(Heard::Closed, Heard::Line)),
                Ok(count) => self.said.extend_from_slice(&part[..count]),
                Err(error) if matches!(error.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::Interrupted) => {}
                Err(error) => return Err(waiting()(error)),
            }
            // What it said before it was told to end still counts.
            if is_enough && !self.said.contains(&b'\n') {
                return Ok(Heard::End(End::Exited));
            }
        }
    }

    /// Files that the program has made, as far as they can be seen.
    fn count_files(&mut self) -> u64 {
        let Files { places, view } = &mut self.files;
        let Some(first) = places.first() else { return 0 };
        let found = view.as_deref().and_then(|view| watch::files(view, places));
        found
            .or_else(|| {
                *view = watch::view(self.child.id(), first);
                view.as_deref().and_then(|view| watch::files(view, places))
            })
            .unwrap_or(0)
    }

    /// A whole line of the report.
    fn line(&mut self) -> Option<String> {
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

    fn killed(&self) -> u64 {
        match &self.memory {
            Memory::Kernel(groups) => groups.killed(),
            Memory::Watched { .. } | Memory::Unlimited => 0,
        }
    }

    /// Why the sandbox is no more, in its own words.
    fn died(&mut self) -> SandboxError {
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
        let told = status.and_then(|status| status.code()).and_then(meaning);
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
        let until = Instant::now() + PATIENCE;
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
                    let time = Timespec::try_from(LOOK).ok();
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

fn fd(channel: &Channel) -> BorrowedFd<'_> {
    channel.from.as_fd()
}

/// The code in a line `end 3`.
fn code(line: &str) -> Result<i32, SandboxError> {
    let code = line.strip_prefix("end ").and_then(|code| code.trim().parse().ok());
    code.ok_or_else(|| SandboxError::Died { reason: format!("it said `{line}`") })
}

fn text(bytes: Vec<u8>) -> String {
    String::from_utf8(bytes).unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned())
}
