//! The self-test: every guarantee is tried to be broken, with plain tools that every system has, before a program that
//! nobody trusts is run.

use std::collections::BTreeMap;
use std::io::Write;
use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

use probare_core::{Program, ProgramResult, ProgramStep, StepEnd};

use crate::sandbox::Engine;
use crate::{SandboxError, SandboxLimits};

/// A guarantee, and whether it holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Probe {
    /// What is guaranteed.
    pub guarantee: &'static str,
    /// How it was broken; nothing where it holds.
    pub broken: Option<String>,
}

impl Probe {
    /// Whether the guarantee holds.
    pub const fn holds(&self) -> bool {
        self.broken.is_none()
    }
}

/// Namespaces that have to be other than ours.
const NAMESPACES: [&str; 7] = ["cgroup", "ipc", "mnt", "net", "pid", "user", "uts"];

/// Tries everything from inside that a shell can try, and says what it saw.
const ISOLATION_SCRIPT: &str = r#"
for name in cgroup ipc mnt net pid user uts; do echo "ns.$name $(readlink /proc/self/ns/$name)"; done
if cat "$1" >/dev/null 2>&1; then echo "broken a file of the host can be read"; fi
for place in /usr/probare-probe /etc/probare-probe /probare-probe /dev/probare-probe /proc/1/probare-probe "$3/0"; do
  if ( : >"$place" ) 2>/dev/null; then echo "broken $place can be written"; fi
done
for place in kernel/hostname kernel/core_pattern vm/drop_caches kernel/sysrq; do
  if ( echo 0 >"/proc/sys/$place" ) 2>/dev/null; then echo "broken /proc/sys/$place can be written"; fi
done
for name in /root /home /var /srv /mnt /media /run /sys /boot /opt; do
  if ls -d "$name"/* >/dev/null 2>&1; then
    case "$2" in "$name"/*) ;; *) echo "broken $name can be seen" ;; esac
  fi
done
if cat /proc/1/environ >/dev/null 2>&1; then echo "broken the environment of the first process can be read"; fi
if cat /proc/1/maps >/dev/null 2>&1; then echo "broken the memory of the first process can be read"; fi
while read -r interface rest; do
  case "$interface" in Inter-*|face*|lo:*) ;; *) echo "broken there is a network interface $interface" ;; esac
done </proc/net/dev
while read -r name first second rest; do
  case "$name" in
    CapPrm:|CapEff:|CapBnd:|CapAmb:) [ "$first" = 0000000000000000 ] || echo "broken it has capabilities: $name $first" ;;
    NoNewPrivs:) [ "$first" = 1 ] || echo "broken it can gain rights" ;;
    Seccomp:) [ "$first" = 2 ] || echo "broken system calls are not filtered" ;;
    Groups:) case "$first" in ""|65534) ;; *) echo "broken it is in the group $first" ;; esac ;;
  esac
done </proc/self/status
read -r inside outside count </proc/self/uid_map
[ "$count" = 1 ] || echo "broken it can be several users"
for descriptor in /proc/self/fd/*; do
  case "${descriptor##*/}" in 0|1|2) ;; *) if [ -e "$descriptor" ] && [ "$(readlink "$descriptor")" != "" ]; then
    case "$(readlink "$descriptor")" in /proc/*) ;; *) echo "broken descriptor ${descriptor##*/} is open: $(readlink "$descriptor")" ;; esac
  fi ;; esac
done
while read -r number parent device root place options rest; do
  case ",$options," in *,nosuid,*) ;; *) echo "broken files at $place can be set to run as another user" ;; esac
done </proc/self/mountinfo
if command -v unshare >/dev/null && unshare -U true 2>/dev/null; then echo "broken namespaces can be made inside"; fi
command -v head >/dev/null || echo "broken files cannot be tried, since head is missing"
if ( head -c 3000000 /dev/zero >./big ) 2>/dev/null; then echo "broken a file can be too large"; fi
rm -f ./big
made=0
for number in 1 2 3 4 5 6 7 8; do ( head -c 1000000 /dev/zero >"./$number" ) 2>/dev/null && made=$((made + 1)); done
[ $made -lt 6 ] || echo "broken the disk can be filled: $made files"
[ "$(env | grep -c .)" -lt 12 ] || echo "broken there are more variables than ours"
echo over
"#;

/// More processes than there may be.
const FORK_SCRIPT: &str = "i=0; while [ $i -lt 80 ]; do sleep 20 & i=$((i+1)); done; echo made";

/// More memory than there may be, in two processes that have not too much each. It waits no longer than one of them lives.
const MEMORY: &str = r"
hold() { ( head -c 50000000 /dev/zero; sleep 20 ) | tail -c 50000000 >/dev/null & last=$!; }
hold; first=$last
hold; second=$last
i=0
while [ $i -lt 60 ]; do
  kill -0 $first 2>/dev/null && kill -0 $second 2>/dev/null || exit 3
  sleep 0.05
  i=$((i + 1))
done
echo survived
";

/// A step of a probe.
fn program(script: &str, arguments: &[&str], milliseconds: u64, mebibytes: u32) -> Program {
    let mut command = vec!["/bin/sh", "-c", script, "sh"];
    command.extend(arguments);
    let command = command.into_iter().map(str::to_owned).collect();
    Program {
        steps: vec![ProgramStep { command, input: String::new(), milliseconds }],
        mebibytes,
        ..Program::default()
    }
}

/// Tries to break everything.
pub(crate) fn probes(engine: &Engine) -> Result<Vec<Probe>, SandboxError> {
    let small = SandboxLimits {
        processes: 24,
        file_bytes: 1 << 20,
        disk_bytes: 5 << 20,
        output_bytes: 64 << 10,
        ..SandboxLimits::default()
    };
    let canary = canary().map_err(SandboxError::system("make a file for the self-test"))?;
    let place = canary.display().to_string();
    let python = engine.visible_path().display().to_string();
    let inputs = engine.inputs();
    thread::scope(|scope| {
        let run = |program: Program| {
            let small = &small;
            scope.spawn(move || {
                let start = Instant::now();
                (engine.run(&program, small), start.elapsed())
            })
        };
        let walls = run(program(ISOLATION_SCRIPT, &[&place, &python, &inputs], 20_000, 256));
        let processes = run(program(FORK_SCRIPT, &[], 10_000, 256));
        let memory = run(program(MEMORY, &[], 15_000, 64));
        let time = run(program("sleep 60 & sleep 60", &[], 150, 64));
        let output =
            run(program("while :; do echo yesyesyesyesyesyesyesyesyesyesyesyesyesyesyes; done", &[], 20_000, 64));
        let over = |thread: thread::ScopedJoinHandle<'_, (Result<ProgramResult, SandboxError>, Duration)>| {
            let (ran, took) =
                thread.join().map_err(|_| SandboxError::Died { reason: "the self-test stopped".to_owned() })?;
            ran.map(|ran| (ran, took))
        };
        let (walls, _) = over(walls)?;
        let mut found = parse_isolation(&walls);
        let (ran, _) = over(processes)?;
        found.push(Probe {
            guarantee: "the number of processes is limited",
            broken: first_output(&ran).contains("made").then(|| "80 processes were made where 24 may be".to_owned()),
        });
        let (ran, _) = over(memory)?;
        let is_survived =
            first_output(&ran).contains("survived") || ran.steps.iter().all(|step| step.end == StepEnd::TimedOut);
        found.push(Probe {
            guarantee: "the memory of all processes together is limited",
            broken: is_survived.then(|| "two processes took 100 MB where 64 MiB may be taken".to_owned()),
        });
        let (ran, took) = over(time)?;
        let is_ended = ran.steps.iter().any(|step| step.end == StepEnd::TimedOut) && took < Duration::from_secs(20);
        found.push(Probe {
            guarantee: "time is limited, and the whole tree ends with it",
            broken: (!is_ended).then(|| format!("it ran for {:.1} s where 0.15 s may be taken", took.as_secs_f64())),
        });
        let (ran, _) = over(output)?;
        let is_flooded = ran.steps.iter().all(|step| step.end != StepEnd::TooMuchOutput);
        found.push(Probe {
            guarantee: "what it prints is limited",
            broken: is_flooded.then(|| "it printed more than it may".to_owned()),
        });
        Ok(found)
    })
}

/// A file of ours that nobody inside may read.
fn canary() -> std::io::Result<tempfile::TempPath> {
    let mut file = tempfile::Builder::new().prefix("probare-probe-").tempfile_in(std::env::temp_dir())?;
    file.write_all(b"canary")?;
    Ok(file.into_temp_path())
}

fn first_output(ran: &ProgramResult) -> &str {
    ran.steps.first().map_or("", |step| step.output.as_str())
}

/// What the walls let through.
fn parse_isolation(ran: &ProgramResult) -> Vec<Probe> {
    let text = first_output(ran);
    let inside: BTreeMap<&str, &str> =
        text.lines().filter_map(|line| line.strip_prefix("ns.")?.split_once(' ')).collect();
    let shared: Vec<&str> = NAMESPACES
        .into_iter()
        .filter(|name| {
            let ours = std::fs::read_link(Path::new("/proc/self/ns").join(name));
            let ours = ours.map(|link| link.display().to_string()).unwrap_or_default();
            // Where the kernel knows no such namespace there is nothing to share.
            !ours.is_empty() && inside.get(name).is_none_or(|theirs| *theirs == ours || theirs.is_empty())
        })
        .collect();
    let mut found = vec![Probe {
        guarantee: "namespaces of its own: processes, files, network, users, messages, host name, control groups",
        broken: (!shared.is_empty()).then(|| format!("shared with the host: {}", shared.join(", "))),
    }];
    let mut broken: Vec<String> =
        text.lines().filter_map(|line| line.strip_prefix("broken ")).map(str::to_owned).collect();
    if !text.lines().any(|line| line == "over") {
        let step = ran.steps.first();
        let words =
            step.map(|step| step.errors.trim().lines().last().unwrap_or_default().to_owned()).unwrap_or_default();
        broken.push(format!("the self-test did not come to its end: {words}"));
    }
    found.push(Probe {
        guarantee: "no network, no files or environment of the host, nothing writable but its own, no rights, no way to gain any",
        broken: (!broken.is_empty()).then(|| broken.join(", ")),
    });
    found
}
