//! A store that an earlier version made opens, tells its runs, and gives the same exports. A folder of `tests/stores/` is never
//! made anew: a new form of the store gets a new folder.

use std::fs;
use std::path::{Path, PathBuf};

use probare_core::ErrorKind;
use probare_runner::{RunPlan, State, Store, StoreError, export, export_outputs};

fn fixture(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/stores").join(name)
}

fn copied(form: &str) -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("store.db");
    fs::copy(fixture(form).join("store.db"), &path).unwrap();
    (folder, path)
}

#[test]
fn a_store_of_form_1_opens_and_gives_what_it_held() {
    let (folder, path) = copied("1");
    let store = Store::open(&path).unwrap();
    let runs = store.runs().unwrap();
    assert_eq!(runs.len(), 1);
    let run = &runs[0];
    assert_eq!((run.run, run.state, run.finished, run.plan.samples()), (1, State::Complete, 6, 6));
    let models: Vec<&str> = run.plan.models.iter().map(|model| model.name.as_str()).collect();
    assert_eq!(models, ["swift", "steady"]);
    assert!(run.usage.output_tokens > 0);
    let (results, outputs) = (folder.path().join("r.jsonl"), folder.path().join("o.jsonl"));
    export(&path, run, vec![results.clone()]).unwrap();
    export_outputs(&path, run, &outputs).unwrap();
    for (made, expected) in [(results, "results.jsonl"), (outputs, "outputs.jsonl")] {
        assert_eq!(fs::read_to_string(made).unwrap(), fs::read_to_string(fixture("1").join(expected)).unwrap());
    }
}

#[test]
fn runs_are_removed_and_done_again() {
    let (_folder, path) = copied("1");
    let mut store = Store::open(&path).unwrap();
    assert_eq!(store.retry(1, &[ErrorKind::Failed]).unwrap(), 0);
    assert_eq!(store.run(1).unwrap().state, State::Complete);
    let second = store.begin(&RunPlan::default()).unwrap();
    assert_eq!(store.latest(true).unwrap(), Some(second));
    assert_eq!(store.remove(1).unwrap(), 6);
    assert!(matches!(store.run(1), Err(StoreError::NoRun { run: 1, .. })));
    assert!(matches!(store.remove(1), Err(StoreError::NoRun { .. })));
    // A number is not given twice, so that nobody takes one run for another.
    store.remove(second).unwrap();
    assert_eq!(store.begin(&RunPlan::default()).unwrap(), second + 1);
}

#[test]
fn what_is_no_store_and_what_is_newer_is_told() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("text.db");
    fs::write(&path, "this is no database, however long it may be, and it says so in plain words").unwrap();
    let text = Store::open(&path).err().unwrap().to_string();
    assert!(text.contains("text.db"), "{text}");
    let (_folder, path) = copied("1");
    let newer = rusqlite::Connection::open(&path).unwrap();
    newer.pragma_update(None, "user_version", 99).unwrap();
    drop(newer);
    assert!(matches!(Store::open(&path), Err(StoreError::Format { found: 99, .. })));
}
