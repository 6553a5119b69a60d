//! The escape set: programs that try to get out, one file each in `tests/escapes`. All are contained, as root and as an
//! ordinary user; those that do no harm are also run without a sandbox, where each of them gets out.
//!
//! A program says that it got out by its exit code; some only do something, and the host looks at what came of it.

use std::collections::BTreeSet;
use std::fs;
use std::io::ErrorKind;
use std::net::{TcpListener, UdpSocket};
use std::os::linux::net::SocketAddrExt;
use std::os::unix::net::{SocketAddr, UnixListener};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;

use probare_core::{Program, ProgramStep, StepEnd};
use probare_sandbox::{Sandbox, SandboxChoice, SandboxError, SandboxLimits};
use probare_testing::as_ordinary_user;
use rustix::io::{FdFlags, fcntl_setfd};
use serde_json::json;
use tempfile::TempDir;

/// Says that it got out.
const ESCAPED: i32 = 42;

/// Seconds of an attempt.
const SECONDS: u32 = 8;

/// An attempt.
struct Attempt {
    name: String,
    code: String,
    is_harmless: bool,
}

/// All attempts; those with numbers of system calls are for the kind of machine whose numbers they are.
fn attempts() -> Vec<Attempt> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/escapes");
    let mut paths: Vec<PathBuf> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    let read = |path: &PathBuf| {
        let code = fs::read_to_string(path).unwrap();
        let kind = code.split(':').next().unwrap_or_default();
        assert!(matches!(kind, "# harmless" | "# contained"), "{} says not whether it does harm", path.display());
        let is_harmless = kind == "# harmless";
        Attempt { name: path.file_stem().unwrap().to_string_lossy().into_owned(), code, is_harmless }
    };
    let all: Vec<Attempt> = paths.iter().map(read).collect();
    assert!(all.len() >= 40, "only {} attempts", all.len());
    all.into_iter().filter(|attempt| cfg!(target_arch = "x86_64") || !attempt.code.contains("libc.syscall(")).collect()
}

/// What a host has that nobody inside may reach.
struct Host {
    folder: TempDir,
    tcp: TcpListener,
    udp: UdpSocket,
    _unix: UnixListener,
    _abstract: UnixListener,
    _open: fs::File,
    abstract_name: String,
    sentinel: Child,
    marker: String,
}

static COUNT: AtomicUsize = AtomicUsize::new(0);

impl Host {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join("secret")).unwrap();
        fs::create_dir(folder.path().join("open")).unwrap();
        fs::write(folder.path().join("secret/canary"), "the canary").unwrap();
        let tcp = TcpListener::bind("127.0.0.1:0").unwrap();
        tcp.set_nonblocking(true).unwrap();
        let udp = UdpSocket::bind("127.0.0.1:0").unwrap();
        udp.set_nonblocking(true).unwrap();
        let unix = UnixListener::bind(folder.path().join("socket")).unwrap();
        let count = COUNT.fetch_add(1, Ordering::Relaxed);
        let abstract_name = format!("probare-escape-{}-{count}", std::process::id());
        let address = SocketAddr::from_abstract_name(&abstract_name).unwrap();
        let other = UnixListener::bind_addr(&address).unwrap();
        // As if whoever started us had left it open for everybody.
        let open = fs::File::open(folder.path().join("secret/canary")).unwrap();
        fcntl_setfd(&open, FdFlags::empty()).unwrap();
        let sentinel = Command::new("sleep").arg("600").stdin(Stdio::null()).spawn().unwrap();
        // A number of seconds that nobody else sleeps for.
        let marker = format!("100{:07}{count:03}", std::process::id());
        Self { folder, tcp, udp, _unix: unix, _abstract: other, _open: open, abstract_name, sentinel, marker }
    }

    fn canary(&self) -> PathBuf {
        self.folder.path().join("secret/canary")
    }

    fn program(&self, attempt: &Attempt) -> Program {
        let given = json!({
            "tcp": self.tcp.local_addr().unwrap().port(),
            "udp": self.udp.local_addr().unwrap().port(),
            "unix": self.folder.path().join("socket"),
            "abstract": self.abstract_name,
            "canary": self.canary(),
            "folder": self.folder.path().join("open"),
            "process": std::process::id(),
            "variable": "CARGO_MANIFEST_DIR=",
            "marker": self.marker,
        });
        let mut step = ProgramStep::new(&["python3", "attempt.py"], SECONDS);
        if matches!(attempt.name.as_str(), "deaf" | "survivor_after_time" | "fork_bomb_wild") {
            // These end by the clock alone.
            step.milliseconds = 1500;
        }
        step.input = given.to_string();
        Program {
            files: vec![("attempt.py".to_owned(), attempt.code.clone())],
            steps: vec![step],
            wanted: vec!["wanted.txt".to_owned()],
            mebibytes: 512,
            ..Program::default()
        }
    }

    /// What came of an attempt on the side of the host.
    fn marks(&mut self) -> Vec<String> {
        let mut found = Vec::new();
        match self.tcp.accept() {
            Err(error) if error.kind() == ErrorKind::WouldBlock => {}
            other => found.push(format!("a connection came: {other:?}")),
        }
        let mut datagram = [0; 16];
        if self.udp.recv(&mut datagram).is_ok() {
            found.push("a datagram came".to_owned());
        }
        if fs::read_to_string(self.canary()).ok().as_deref() != Some("the canary") {
            found.push("the canary was changed".to_owned());
        }
        if fs::read_dir(self.folder.path().join("open")).unwrap().next().is_some() {
            found.push("a file was written".to_owned());
        }
        if self.sentinel.try_wait().unwrap().is_some() {
            found.push("another process was ended".to_owned());
        }
        if fs::read_to_string("/proc/keys").is_ok_and(|text| text.contains(&self.marker)) {
            found.push("a key is in a keyring".to_owned());
        }
        found.extend(survivors(&self.marker).into_iter().map(|id| format!("process {id} lives on")));
        found
    }
}

impl Drop for Host {
    fn drop(&mut self) {
        let _ = self.sentinel.kill();
        let _ = self.sentinel.wait();
        for id in alive(&self.marker) {
            if let Some(id) = rustix::process::Pid::from_raw(id) {
                let _ = rustix::process::kill_process(id, rustix::process::Signal::KILL);
            }
        }
    }
}

/// Processes that were started with the marker as an argument.
fn survivors(marker: &str) -> BTreeSet<i32> {
    // What was killed takes a moment to be gone; what lives on stays.
    for _ in 0..100 {
        if alive(marker).is_empty() {
            break;
        }
        thread::sleep(Duration::from_millis(30));
    }
    alive(marker)
}

fn alive(marker: &str) -> BTreeSet<i32> {
    let mut found = BTreeSet::new();
    for entry in fs::read_dir("/proc").unwrap().flatten() {
        let Some(id) = entry.file_name().to_str().and_then(|name| name.parse().ok()) else { continue };
        let words = fs::read(entry.path().join("cmdline")).unwrap_or_default();
        if words.split(|byte| *byte == 0).any(|word| word == marker.as_bytes()) {
            found.insert(id);
        }
    }
    found
}

/// How an attempt got out; nothing where it did not.
fn attempted(sandbox: &Sandbox, attempt: &Attempt) -> Option<String> {
    let mut host = Host::new();
    let ran = match sandbox.run(&host.program(attempt)) {
        Ok(ran) => ran,
        // A file that is too large to be brought back stays where it is.
        Err(SandboxError::Program { .. }) => return None,
        Err(error) => return Some(format!("the sandbox died: {error}")),
    };
    // What was under way may still arrive.
    thread::sleep(Duration::from_millis(30));
    let mut marks = host.marks();
    let step = &ran.steps[0];
    if step.code == Some(ESCAPED) {
        marks.push(step.output.trim().to_owned());
    }
    if step.end == StepEnd::Exited && step.errors.contains("Traceback") && step.code == Some(1) {
        let is_memory = step.errors.contains("MemoryError");
        if !is_memory {
            marks.push(format!("the attempt is broken: {}", step.errors.trim().lines().last().unwrap_or_default()));
        }
    }
    if ran.files.iter().any(|(_, text)| text.contains("canary")) {
        marks.push("the canary was brought back".to_owned());
    }
    (!marks.is_empty()).then(|| marks.join("; "))
}

fn limits() -> SandboxLimits {
    SandboxLimits { file_bytes: 32 << 20, disk_bytes: 64 << 20, output_bytes: 8 << 20, ..SandboxLimits::default() }
}

/// A sandbox, or nothing after saying why.
fn sandbox() -> Option<Sandbox> {
    match Sandbox::open(SandboxChoice::Auto, limits(), Arc::default()) {
        Ok(sandbox) => Some(sandbox),
        Err(SandboxError::NoBubblewrap) => {
            probare_testing::report_skipped("bubblewrap is not installed (apt-get install bubblewrap)");
            None
        }
        Err(error) => panic!("{error}"),
    }
}

/// Tries everything; all must be contained.
fn try_all(who: &str) {
    let Some(sandbox) = sandbox() else { return };
    if let Err(error) = sandbox.interpreter("") {
        probare_testing::report_skipped(&error.to_string());
        return;
    }
    let attempts = attempts();
    let mut out = Vec::new();
    for attempt in &attempts {
        if let Some(how) = attempted(&sandbox, attempt) {
            out.push(format!("{}: {how}", attempt.name));
        }
    }
    println!("{} attempts {who}, level {}, {} got out", attempts.len(), sandbox.level(), out.len());
    assert!(out.is_empty(), "{} of {} attempts got out:\n{}", out.len(), attempts.len(), out.join("\n"));
}

#[test]
fn nobody_gets_out_as_the_user_who_tests() {
    try_all(if rustix::process::geteuid().is_root() { "started by root" } else { "started by an ordinary user" });
}

#[test]
fn nobody_gets_out_as_an_ordinary_user() {
    as_ordinary_user("escapes::nobody_gets_out_as_an_ordinary_user", || try_all("started by an ordinary user"));
}

#[test]
fn without_a_sandbox_the_harmless_ones_get_out() {
    let sandbox = Sandbox::open(SandboxChoice::None, limits(), Arc::default()).unwrap();
    if let Err(error) = sandbox.interpreter("") {
        probare_testing::report_skipped(&error.to_string());
        return;
    }
    let harmless: Vec<Attempt> = attempts().into_iter().filter(|attempt| attempt.is_harmless).collect();
    assert!(harmless.len() >= 10, "only {} attempts do no harm", harmless.len());
    let contained: Vec<&str> = harmless
        .iter()
        .filter(|attempt| attempted(&sandbox, attempt).is_none())
        .map(|attempt| attempt.name.as_str())
        .collect();
    assert!(contained.is_empty(), "these did not get out where nothing holds them: {}", contained.join(", "));
}
