//! How much memory a tree of processes has, for where the kernel does not limit it.

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;

/// KiB of a process and all its descendants that no other process has: private pages, shared memory and what is swapped.
pub(crate) fn tree_kibibytes(root: u32) -> u64 {
    process_ids(root).into_iter().map(process_kibibytes).sum()
}

/// The files of a sandbox as one of its processes sees them.
pub(crate) fn view(root: u32, place: &str) -> Option<PathBuf> {
    let views = process_ids(root).into_iter().rev().map(|process| PathBuf::from(format!("/proc/{process}/root")));
    views.into_iter().find(|view| view.join(place.trim_start_matches('/')).is_dir())
}

/// Files and folders in the memory at these places of a sandbox; nothing where that cannot be seen.
pub(crate) fn file_count(view: &std::path::Path, places: &[String]) -> Option<u64> {
    let mut count = 0;
    for place in places {
        let known = rustix::fs::statvfs(view.join(place.trim_start_matches('/'))).ok()?;
        count += known.f_files.saturating_sub(known.f_ffree);
    }
    Some(count)
}

/// A process and its descendants. Whoever loses its parent goes to the first process of the sandbox, so none gets away.
fn process_ids(root: u32) -> Vec<u32> {
    let mut found = vec![root];
    let mut at = 0;
    let mut parents: Option<BTreeMap<u32, Vec<u32>>> = None;
    while let Some(process) = found.get(at).copied() {
        at += 1;
        if let Some(children) = children(process) {
            found.extend(children);
        } else {
            let all = parents.get_or_insert_with(all_parents);
            found.extend(all.get(&process).into_iter().flatten());
        }
    }
    found
}

/// The children of all threads of a process; nothing where the kernel does not list them.
fn children(process: u32) -> Option<Vec<u32>> {
    let mut found = Vec::new();
    for task in fs::read_dir(format!("/proc/{process}/task")).into_iter().flatten().flatten() {
        match fs::read_to_string(task.path().join("children")) {
            Ok(text) => found.extend(text.split_whitespace().filter_map(|id| id.parse::<u32>().ok())),
            // A thread that has just ended has no children.
            Err(_) if task.path().exists() => return None,
            Err(_) => {}
        }
    }
    Some(found)
}

fn all_parents() -> BTreeMap<u32, Vec<u32>> {
    let mut parents: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
    for entry in fs::read_dir("/proc").into_iter().flatten().flatten() {
        let Some(id) = entry.file_name().to_str().and_then(|name| name.parse::<u32>().ok()) else { continue };
        let Ok(text) = fs::read_to_string(entry.path().join("stat")) else { continue };
        // The name of the program stands in brackets and may hold anything.
        let parent = text.rsplit_once(')').and_then(|(_, rest)| rest.split_whitespace().nth(1)?.parse().ok());
        if let Some(parent) = parent {
            parents.entry(parent).or_default().push(id);
        }
    }
    parents
}

fn process_kibibytes(process: u32) -> u64 {
    let text = fs::read_to_string(format!("/proc/{process}/status")).unwrap_or_default();
    let value = |name: &str| {
        let line = text.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(':'))?;
        line.split_whitespace().next()?.parse::<u64>().ok()
    };
    ["RssAnon", "RssShmem", "VmSwap"].iter().filter_map(|name| value(name)).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn our_own_tree_has_memory() {
        assert!(tree_kibibytes(std::process::id()) > 100);
        assert!(all_parents().values().flatten().any(|id| *id == std::process::id()));
    }
}
