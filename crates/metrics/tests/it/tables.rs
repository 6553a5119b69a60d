//! The folders and the tables agree: no file is forgotten, no metric is without its page.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::{env, fs};

use crate::{FAMILIES, registry};

fn source() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/src"))
}

/// Names without extension of the files in a folder that end so.
fn names(folder: &Path, extension: &str) -> BTreeSet<String> {
    fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|found| found == extension))
        .map(|path| path.file_stem().unwrap().to_string_lossy().into_owned())
        .filter(|name| name != "mod")
        .collect()
}

/// Folders with a table of metrics.
fn family_folders(folder: &Path, found: &mut Vec<PathBuf>) {
    for inner in fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).filter(|path| path.is_dir()) {
        let module = fs::read_to_string(inner.join("mod.rs")).unwrap_or_default();
        if module.contains("pub static FAMILY:") {
            found.push(inner);
        } else {
            family_folders(&inner, found);
        }
    }
}

#[test]
fn every_file_of_a_family_is_in_its_table_and_has_a_page() {
    let mut folders = Vec::new();
    family_folders(source(), &mut folders);
    let families = folders.len();
    for folder in folders {
        let named = if folder.ends_with("metrics") { folder.parent().unwrap() } else { &folder };
        let family = named.file_name().unwrap().to_string_lossy().into_owned();
        let listed: BTreeSet<String> =
            registry().iter().filter(|metric| metric.family == family).map(|metric| metric.id.to_owned()).collect();
        assert!(!listed.is_empty(), "the family `{family}` is not in `FAMILIES`");
        assert_eq!(names(&folder, "rs"), listed, "files and table of `{family}`");
        assert_eq!(names(&folder, "md"), listed, "pages of `{family}`");
    }
    assert_eq!(families, FAMILIES.len());
}

#[test]
fn tables_are_in_alphabetical_order() {
    for family in FAMILIES {
        assert!(family.is_sorted_by_key(|metric| metric.id), "the table of `{}`", family[0].family);
    }
}

#[test]
fn ids_are_unique() {
    let mut seen = BTreeSet::new();
    for metric in registry().iter() {
        assert!(seen.insert(metric.id), "two metrics are called `{}`", metric.id);
    }
}
