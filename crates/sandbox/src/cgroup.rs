//! [`Cgroups`]: control groups, by which the kernel itself limits memory and processes of a whole tree.
//!
//! Both generations are known. The second one needs a folder that may have groups of its own: the parent of our own group,
//! where we may write there. Whether they hold is for the self-test to say, not for this file.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::Duration;

const ROOT: &str = "/sys/fs/cgroup";
const NAME: &str = "probare-sandbox";

/// Where groups can be made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum CgroupParents {
    /// One hierarchy for each.
    V1 { memory: PathBuf, processes: PathBuf },
    /// One hierarchy for all.
    V2 { folder: PathBuf },
}

/// The groups of one sandbox. They go when it is dropped.
#[derive(Debug)]
pub(crate) struct Cgroups {
    folders: Vec<PathBuf>,
    oom: PathBuf,
}

static COUNT: AtomicU64 = AtomicU64::new(0);

impl CgroupParents {
    /// Where this process may make groups, if anywhere.
    pub(crate) fn find() -> Option<Self> {
        let own = fs::read_to_string("/proc/self/cgroup").ok()?;
        let first = |controller: &str| {
            let path = own.lines().find_map(|line| {
                let (_, rest) = line.split_once(':')?;
                let (names, path) = rest.split_once(':')?;
                names.split(',').any(|name| name == controller).then_some(path)
            })?;
            let folder = Path::new(ROOT).join(controller).join(path.trim_start_matches('/'));
            is_usable(&folder).then_some(folder)
        };
        if let (Some(memory), Some(processes)) = (first("memory"), first("pids")) {
            return Some(Self::V1 { memory, processes });
        }
        let path = own.lines().find_map(|line| line.strip_prefix("0::"))?;
        let own = Path::new(ROOT).join(path.trim_start_matches('/'));
        let has_both = |folder: &Path| {
            fs::read_to_string(folder.join("cgroup.subtree_control")).is_ok_and(|text| {
                ["memory", "pids"].iter().all(|name| text.split_whitespace().any(|known| known == *name))
            })
        };
        let folder = [own.parent().map(Path::to_owned), Some(own)]
            .into_iter()
            .flatten()
            .find(|folder| folder.starts_with(ROOT) && has_both(folder) && is_usable(folder))?;
        Some(Self::V2 { folder })
    }

    /// Groups for one sandbox.
    pub(crate) fn create_groups(&self, bytes: u64, processes: u32) -> io::Result<Cgroups> {
        let name = format!("{NAME}-{}-{}", std::process::id(), COUNT.fetch_add(1, Ordering::Relaxed));
        match self {
            Self::V1 { memory, processes: pids } => {
                let (memory, pids) = (memory.join(&name), pids.join(&name));
                fs::create_dir(&memory)?;
                let mut groups = Cgroups { oom: memory.join("memory.oom_control"), folders: vec![memory.clone()] };
                fs::create_dir(&pids)?;
                groups.folders.push(pids.clone());
                set(&memory.join("memory.limit_in_bytes"), &bytes.to_string())?;
                // Where swap is counted apart, it is limited too.
                let _ = set(&memory.join("memory.memsw.limit_in_bytes"), &bytes.to_string());
                set(&pids.join("pids.max"), &processes.to_string())?;
                Ok(groups)
            }
            Self::V2 { folder } => {
                let folder = folder.join(&name);
                fs::create_dir(&folder)?;
                let groups = Cgroups { oom: folder.join("memory.events"), folders: vec![folder.clone()] };
                set(&folder.join("memory.max"), &bytes.to_string())?;
                let _ = set(&folder.join("memory.swap.max"), "0");
                set(&folder.join("pids.max"), &processes.to_string())?;
                Ok(groups)
            }
        }
    }
}

/// Whether groups can be made in a folder; what a killed process left there goes.
fn is_usable(folder: &Path) -> bool {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let name = entry.file_name();
        let Some(rest) = name.to_str().and_then(|name| name.strip_prefix(NAME)?.strip_prefix('-')) else { continue };
        let is_alive = rest.split('-').next().is_some_and(|id| Path::new("/proc").join(id).exists());
        if !is_alive {
            let _ = fs::remove_dir(entry.path());
        }
    }
    let trial = folder.join(format!("{NAME}-{}-trial-{}", std::process::id(), COUNT.fetch_add(1, Ordering::Relaxed)));
    fs::create_dir(&trial).is_ok() && fs::remove_dir(&trial).is_ok()
}

fn set(file: &Path, value: &str) -> io::Result<()> {
    fs::OpenOptions::new().write(true).open(file)?.write_all(value.as_bytes())
}

impl Cgroups {
    /// The files into which a process writes itself to belong to the groups.
    pub(crate) fn procs_files(&self) -> Vec<PathBuf> {
        self.folders.iter().map(|folder| folder.join("cgroup.procs")).collect()
    }

    /// How many processes the kernel has ended for want of memory.
    pub(crate) fn oom_kills(&self) -> u64 {
        let text = fs::read_to_string(&self.oom).unwrap_or_default();
        let count = text.lines().find_map(|line| line.strip_prefix("oom_kill "));
        count.and_then(|count| count.trim().parse().ok()).unwrap_or(0)
    }
}

impl Drop for Cgroups {
    fn drop(&mut self) {
        for folder in &self.folders {
            // The last processes may still be on their way out.
            for _ in 0..200 {
                match fs::remove_dir(folder) {
                    Err(error) if error.kind() == io::ErrorKind::ResourceBusy => {
                        thread::sleep(Duration::from_millis(5));
                    }
                    _ => break,
                }
            }
        }
    }
}
