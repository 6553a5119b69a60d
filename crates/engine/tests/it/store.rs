//! A store that an earlier version made opens, tells its runs, and gives the same exports. A folder of `tests/stores/` is never
//! made anew: a new form of the store gets a new folder.

use std::fs;
use std::path::{Path, PathBuf};

use probare_core::ErrorKind;
use probare_engine::{export, export_outputs};
use probare_store::{HumanLabel, RunPlan, RunState, Store, StoreError};

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
    assert_eq!((run.run, run.state, run.finished, run.plan.samples()), (1, RunState::Complete, 6, 6));
    let models: Vec<&str> = run.plan.models.iter().map(|model| model.name.as_str()).collect();
    assert_eq!(models, ["swift", "steady"]);
    assert!(run.usage.output_tokens > 0);
    let (results, outputs) = (folder.path().join("r.jsonl"), folder.path().join("o.jsonl"));
    export(&path, run, vec![results.clone()], None).unwrap();
    export_outputs(&path, run, &outputs).unwrap();
    for (made, expected) in [(results, "results.jsonl"), (outputs, "outputs.jsonl")] {
        // The export has the words of format 4.
        let expected = fs::read_to_string(fixture("1").join(expected)).unwrap();
        assert_eq!(fs::read_to_string(made).unwrap(), expected.replace("\"kind\":\"found\"", "\"kind\":\"matched\""));
    }
}

#[test]
fn runs_are_removed_and_done_again() {
    let (_folder, path) = copied("1");
    let mut store = Store::open(&path).unwrap();
    assert_eq!(store.retry(1, &[ErrorKind::Failed], &|_| false).unwrap(), 0);
    assert_eq!(store.run(1).unwrap().state, RunState::Complete);
    let second = store.begin(&RunPlan::default()).unwrap();
    assert_eq!(store.latest(true).unwrap(), Some(second));
    assert_eq!(store.remove(1).unwrap(), 6);
    assert!(matches!(store.run(1), Err(StoreError::NoRun { run: 1, .. })));
    assert!(matches!(store.remove(1), Err(StoreError::NoRun { .. })));
    // A number is not given twice, so that nobody takes one run for another.
    store.remove(second).unwrap();
    assert_eq!(store.begin(&RunPlan::default()).unwrap(), second + 1);
}

/// A store of which somebody made something else: of the form that it was made in, and of the present one.
fn changed(sql: &str) -> Vec<Result<Store, StoreError>> {
    let mut opened = Vec::new();
    for is_present in [false, true] {
        let (folder, path) = copied("1");
        if is_present {
            Store::open(&path).unwrap();
        }
        rusqlite::Connection::open(&path).unwrap().execute_batch(sql).unwrap();
        opened.extend([Store::open_existing(&path), Store::open(&path)]);
        drop(folder);
    }
    opened
}

#[test]
fn a_store_holds_nothing_but_what_stores_hold() {
    let endless = "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n)";
    for (sql, word) in [
        (format!("DROP TABLE runs; CREATE VIEW runs AS {endless} SELECT x AS run, x AS plan FROM n;"), "view `runs`"),
        (format!("CREATE VIEW more AS {endless} SELECT x FROM n;"), "view `more`"),
        ("CREATE TRIGGER t AFTER INSERT ON samples BEGIN DELETE FROM runs; END;".to_owned(), "trigger `t`"),
        ("ALTER TABLE runs ADD COLUMN z AS (length(plan));".to_owned(), "table `runs`"),
        ("ALTER TABLE samples ADD COLUMN value_0z AS (1);".to_owned(), "table `samples`"),
        ("CREATE INDEX i ON samples (abs(run));".to_owned(), "index `i`"),
        ("CREATE TABLE mine (x);".to_owned(), "table `mine`"),
        ("DROP INDEX samples_in_order;".to_owned(), "no `samples_in_order`"),
    ] {
        for opened in changed(&sql) {
            let error = opened.err().unwrap_or_else(|| panic!("it opens after {sql}"));
            assert!(matches!(&error, StoreError::Damaged { reason, .. } if reason.contains(word)), "{sql}: {error}");
        }
    }
    assert!(changed("ANALYZE;").iter().all(Result::is_ok), "what SQLite keeps for itself is fine");
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

/// A store of the first form with many samples: those of the fixture, many times over.
fn large(times: u32) -> (tempfile::TempDir, PathBuf) {
    let (folder, path) = copied("1");
    let connection = rusqlite::Connection::open(&path).unwrap();
    for time in 1..times {
        let by = i64::from(time) * 1000;
        connection
            .execute_batch(&format!(
                "INSERT INTO results SELECT sample + {by}, metric, kind, outcome FROM results WHERE sample < 1000;
                 INSERT INTO samples SELECT sample + {by}, run, dataset, id || '-{time}', occurrence, model, repeat, place,
                 position + {by}, seat, output, input_tokens, output_tokens, cost_usd, latency_ms, attempts, finished
                 FROM samples WHERE sample < 1000;"
            ))
            .unwrap();
    }
    (folder, path)
}

/// Everything that a store says, in one text; the first thing that is wrong otherwise.
fn told(path: &Path) -> Result<String, String> {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::open(path).map_err(|error| error.to_string())?;
    let runs = store.runs().map_err(|error| error.to_string())?;
    let mut text = format!("{runs:?}\n");
    for run in &runs {
        let labels = store.labels(run.run).map_err(|error| error.to_string())?;
        text.push_str(&format!("{labels:?}\n"));
        let (results, outputs) = (folder.path().join("r.jsonl"), folder.path().join("o.jsonl"));
        export(path, run, vec![results.clone()], None).map_err(|error| error.to_string())?;
        export_outputs(path, run, &outputs).map_err(|error| error.to_string())?;
        text.push_str(&fs::read_to_string(results).unwrap());
        text.push_str(&fs::read_to_string(outputs).unwrap());
    }
    Ok(text)
}

fn label(id: &str, label: &str) -> HumanLabel {
    HumanLabel {
        id: id.to_owned(),
        label: label.to_owned(),
        by: "Ada".to_owned(),
        at: 1_767_225_600,
        ..HumanLabel::default()
    }
}

#[test]
fn a_damaged_store_says_so_and_is_never_silently_different() {
    let (folder, path) = large(10);
    let store = Store::open(&path).unwrap();
    store.add_labels(1, &[label("symbol-hydrogen", "wrong")]).unwrap();
    drop(store);
    let whole = told(&path).unwrap();
    let bytes = fs::read(&path).unwrap();
    let damaged = folder.path().join("damaged.db");
    let mut seed = 20_261_117_u64;
    let mut roll = |below: usize| {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from((seed >> 33) % below as u64).unwrap()
    };
    let (mut found, mut harmless) = (0, 0);
    for time in 0..250 {
        let mut copy = bytes.clone();
        if time % 5 == 4 {
            // A stretch that the disk lost.
            let at = roll(copy.len());
            let end = (at + 1 + roll(600)).min(copy.len());
            copy[at..end].fill(0);
        } else {
            for _ in 0..=time % 3 {
                let at = roll(copy.len());
                copy[at] ^= 1 << roll(8);
            }
        }
        for beside in ["damaged.db-wal", "damaged.db-shm"] {
            let _ = fs::remove_file(folder.path().join(beside));
        }
        fs::write(&damaged, copy).unwrap();
        match told(&damaged) {
            Err(_) => found += 1,
            Ok(text) => {
                let differs = whole.lines().zip(text.lines()).find(|(before, after)| before != after);
                assert!(text == whole, "damage {time} went unnoticed and changed what the store says: {differs:?}");
                harmless += 1;
            }
        }
    }
    println!("250 damaged stores: {found} said so, {harmless} were hit where nothing stands, none was different");
    assert!(found > 100, "{found} of 250 were noticed: the test hits nothing");
}

#[test]
fn what_is_forgotten_is_in_no_byte_of_the_file() {
    let (folder, path) = large(4);
    let mut store = Store::open(&path).unwrap();
    let (told, kept) = ("a remark about somebody", "another remark");
    let mut about = label("symbol-hydrogen-2", "wrong");
    about.note = Some(told.to_owned());
    store
        .add_labels(1, &[about, HumanLabel { note: Some(kept.to_owned()), ..label("symbol-hydrogen-1", "right") }])
        .unwrap();
    assert_eq!(store.labels(1).unwrap().len(), 2);
    let holds = |text: &str| {
        let files = fs::read_dir(folder.path()).unwrap().map(|entry| fs::read(entry.unwrap().path()).unwrap());
        files.into_iter().any(|bytes| bytes.windows(text.len()).any(|window| window == text.as_bytes()))
    };
    assert!(holds(told) && holds("symbol-hydrogen-2"));
    assert_eq!(store.forget(1, "symbol-hydrogen-2").unwrap(), 2, "one of each model");
    assert!(!holds(told) && !holds("symbol-hydrogen-2"), "the file still holds it");
    assert!(holds(kept) && holds("symbol-hydrogen-1"));
    assert_eq!(store.labels(1).unwrap().len(), 1);
    assert_eq!(store.run(1).unwrap().finished, 22);
    assert_eq!(store.remove(1).unwrap(), 22);
    assert!(!holds(kept) && !holds("symbol-") && !holds("swift"), "the file still holds it");
}

#[test]
fn labels_are_added_and_change_nothing() {
    let (_folder, path) = copied("1");
    let before = told(&path).unwrap();
    let store = Store::open(&path).unwrap();
    store.add_labels(1, &[label("symbol-hydrogen", "wrong")]).unwrap();
    store.add_labels(1, &[label("symbol-hydrogen", "right after all")]).unwrap();
    let words: Vec<String> = store.labels(1).unwrap().into_iter().map(|label| label.label).collect();
    assert_eq!(words, ["wrong", "right after all"]);
    assert!(matches!(store.add_labels(7, &[label("x", "y")]), Err(StoreError::NoRun { run: 7, .. })));
    let error = store.add_labels(1, &[label("nobody", "wrong")]).unwrap_err().to_string();
    assert!(error.contains("`nobody`"), "{error}");
    let error = store.add_labels(1, &[HumanLabel { metric: Some("charm".into()), ..label("symbol-hydrogen", "x") }]);
    assert!(error.unwrap_err().to_string().contains("`charm`"));
    let after = told(&path).unwrap();
    let results = |text: &str| text.lines().filter(|line| line.starts_with('{')).map(str::to_owned).collect::<Vec<_>>();
    assert_eq!(results(&before), results(&after));
    let connection = rusqlite::Connection::open(&path).unwrap();
    assert!(connection.execute("UPDATE labels SET label = '{}'", []).is_err(), "a label cannot be changed");
}

#[test]
fn a_store_that_many_begin_at_once_is_begun_once() {
    for _ in 0..40 {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("store.db");
        let start = std::sync::Barrier::new(8);
        let begun: Vec<Result<i64, StoreError>> = std::thread::scope(|scope| {
            let begin = || {
                start.wait();
                Store::open(&path)?.begin(&RunPlan::default())
            };
            let threads: Vec<_> = (0..8).map(|_| scope.spawn(begin)).collect();
            threads.into_iter().map(|thread| thread.join().unwrap()).collect()
        });
        let mut numbers: Vec<i64> = begun.into_iter().collect::<Result<_, _>>().unwrap();
        numbers.sort_unstable();
        assert_eq!(numbers, [1, 2, 3, 4, 5, 6, 7, 8]);
    }
}

#[test]
fn a_store_of_form_2_becomes_one_of_the_present_form_and_says_the_same() {
    let (_folder, path) = copied("1");
    let before = told(&path).unwrap();
    // The tables of the third form are the same; what may be in them is not. The fourth has one more, and the fifth names the
    // prompt in the key of a sample. The seventh has a column for what a case asks.
    let form = |set: Option<i64>| {
        let connection = rusqlite::Connection::open(&path).unwrap();
        if let Some(form) = set {
            let sql = |name| {
                let table = "SELECT sql FROM sqlite_schema WHERE name = ?1";
                connection.query_row(table, [name], |row| row.get::<_, String>(0)).unwrap()
            };
            let before = sql("samples")
                .replace("    prompt INTEGER NOT NULL DEFAULT 0,\n", "")
                .replace("    prompt_seat INTEGER NOT NULL DEFAULT 0,\n", "")
                .replace(", question BLOB", "")
                .replace("model, prompt, repeat", "model, repeat");
            let index = sql("samples_in_order").replace("prompt_seat, ", "");
            let kept: Vec<String> = (connection.prepare("SELECT name FROM pragma_table_info('samples')").unwrap())
                .query_map([], |row| row.get(0))
                .unwrap()
                .map(Result::unwrap)
                .filter(|name: &String| !name.starts_with("prompt") && name != "question")
                .collect();
            let kept = kept.join(", ");
            connection
                .execute_batch(&format!(
                    "DROP TABLE reservations; DROP TABLE traces; DROP TABLE spans; DROP TABLE exports; DROP INDEX samples_in_order;
                     ALTER TABLE samples RENAME TO newer; {before};
                     INSERT INTO samples ({kept}) SELECT {kept} FROM newer; DROP TABLE newer; {index};"
                ))
                .unwrap();
            connection.pragma_update(None, "user_version", form).unwrap();
        }
        connection.pragma_query_value(None, "user_version", |row| row.get::<_, i64>(0)).unwrap()
    };
    assert_eq!(form(Some(2)), 2);
    assert_eq!(told(&path).unwrap(), before);
    assert_eq!(form(None), 7, "an older program refuses it and names the form");
}
