//! Stores from the command line: those of earlier releases are brought up to date whatever happens in the meantime, those
//! that may not be written are read, and what comes out of one can go in again.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use crate::program::{PROGRAM, root, run, run_successfully};
use crate::torture::{Dice, setting};

/// Results and outputs of the first run of a store.
fn exports(place: &Path, store: &str) -> (Vec<u8>, Vec<u8>) {
    run_successfully(place, &["runs", "export", "1", "--store", store, "-o", "e.jsonl", "--outputs", "o.jsonl"]);
    (fs::read(place.join("e.jsonl")).unwrap(), fs::read(place.join("o.jsonl")).unwrap())
}

/// A store of the first form with the samples of the fixture, many times over.
fn old_store(place: &Path, times: u32) {
    let path = place.join("old.db");
    fs::copy(root().join("tests/stores/1/store.db"), &path).unwrap();
    let connection = rusqlite::Connection::open(&path).unwrap();
    let mut sql = "BEGIN;".to_owned();
    for time in 1..times {
        let by = u64::from(time) * 1000;
        sql.push_str(&format!(
            "INSERT INTO results SELECT sample + {by}, metric, kind, outcome FROM results WHERE sample < 1000;
             INSERT INTO samples SELECT sample + {by}, run, dataset, id || '-{time}', occurrence, model, repeat, place,
             position + {by}, seat, output, input_tokens, output_tokens, cost_usd, latency_ms, attempts, finished
             FROM samples WHERE sample < 1000;"
        ));
    }
    connection.execute_batch(&(sql + "COMMIT;")).unwrap();
}

/// Opens a store to change it, without changing anything: looking at one would leave it as it is.
fn bring_up_to_date(place: &Path, store: &str) {
    let output = run(place, &["runs", "rm", "99", "--store", store]);
    assert!(String::from_utf8_lossy(&output.stderr).contains("has no run 99"), "{output:?}");
}

#[test]
fn looking_at_an_old_store_leaves_it_as_it_is() {
    let folder = tempfile::tempdir().unwrap();
    let place = folder.path();
    old_store(place, 2);
    let bytes = fs::read(place.join("old.db")).unwrap();
    let whole = exports(place, "old.db");
    for words in [
        &["runs", "list"][..],
        &["runs", "show", "1"],
        &["history"],
        &["compare", "1", "1"],
        &["export", "1", "--to", "promptfoo", "-o", "p.json"],
        &["config", "show", "resume", "1"],
    ] {
        let mut words = words.to_vec();
        words.extend(["--store", "old.db"]);
        let output = run(place, &words);
        assert!(!String::from_utf8_lossy(&output.stderr).contains("damaged"), "{words:?}: {output:?}");
        assert!(fs::read(place.join("old.db")).unwrap() == bytes, "{words:?} rewrites the store");
    }
    let beside: Vec<_> = fs::read_dir(place).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert!(!beside.iter().any(|name| name.to_string_lossy().starts_with("old.db-")), "{beside:?}");
    bring_up_to_date(place, "old.db");
    assert!(fs::read(place.join("old.db")).unwrap() != bytes, "a command that changes it brings it up to date");
    assert!(exports(place, "old.db") == whole);
}

#[test]
fn torture_of_stores_killed_on_their_way_to_the_present_form() {
    let folder = tempfile::tempdir().unwrap();
    let place = folder.path();
    old_store(place, u32::try_from(setting("PROBARE_TORTURE_CASES", 400)).unwrap());
    let fresh = || {
        for beside in ["store.db-wal", "store.db-shm"] {
            let _ = fs::remove_file(place.join(beside));
        }
        fs::copy(place.join("old.db"), place.join("store.db")).unwrap();
    };
    fresh();
    let start = Instant::now();
    bring_up_to_date(place, "store.db");
    let took = u64::try_from(start.elapsed().as_micros()).unwrap();
    let whole = exports(place, "store.db");
    let lines = String::from_utf8_lossy(&whole.0).lines().count();
    assert_eq!(lines as u64, 6 * setting("PROBARE_TORTURE_CASES", 400));
    let kills = setting("PROBARE_TORTURE_KILLS", 20).min(200);
    let mut dice = Dice(20_261_117);
    let (mut killed, mut before, mut after) = (0, 0, 0);
    let form = || {
        let connection = rusqlite::Connection::open(place.join("store.db")).unwrap();
        connection.pragma_query_value(None, "user_version", |row| row.get::<_, i64>(0)).unwrap()
    };
    for _ in 0..kills * 5 {
        if killed >= kills {
            break;
        }
        fresh();
        let mut child = Command::new(PROGRAM)
            .args(["runs", "rm", "99", "--store", "store.db"])
            .current_dir(place)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        thread::sleep(Duration::from_micros(dice.roll(took)));
        child.kill().unwrap();
        if child.wait().unwrap().code().is_some() {
            continue;
        }
        killed += 1;
        // Either the one form or the other, and nothing between them.
        match form() {
            1 => before += 1,
            4 => after += 1,
            other => panic!("the store has the form {other}"),
        }
        assert!(exports(place, "store.db") == whole, "the exports differ from those of a store that was left alone");
    }
    println!("{killed} kills: {before} stores were of the old form, {after} of the new one; all exports equal");
    assert!(killed >= kills && before > 0, "{killed} kills, {before} before the end");
}

#[test]
fn a_store_that_may_not_be_written_is_read() {
    let bwrap = Command::new("bwrap").args(["--ro-bind", "/", "/", "true"]).output();
    if !bwrap.is_ok_and(|output| output.status.success()) {
        eprintln!("left out: bwrap does not run here");
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let place = folder.path();
    old_store(place, 3);
    fs::copy(place.join("old.db"), place.join("new.db")).unwrap();
    bring_up_to_date(place, "new.db");
    let whole = exports(place, "new.db");
    let out = tempfile::tempdir().unwrap();
    let locked = |words: &[&str]| {
        let mut command = Command::new("bwrap");
        command.args(["--ro-bind", "/", "/", "--dev", "/dev", "--bind"]).args([out.path(), out.path()]);
        command.arg("--chdir").arg(out.path()).arg(PROGRAM).args(words).arg("--store").env("TMPDIR", out.path());
        command
    };
    for name in ["old.db", "new.db"] {
        let store = place.join(name);
        let exported = locked(&["runs", "export", "1", "-o", "e.jsonl", "--outputs", "o.jsonl"]).arg(&store).output();
        let exported = exported.unwrap();
        let text = String::from_utf8_lossy(&exported.stderr);
        assert_eq!(exported.status.code(), Some(0), "{name}: {text}");
        assert!(fs::read(out.path().join("e.jsonl")).unwrap() == whole.0, "{name}");
        assert!(fs::read(out.path().join("o.jsonl")).unwrap() == whole.1, "{name}");
        let removed = locked(&["runs", "rm", "1"]).arg(&store).output().unwrap();
        assert_ne!(removed.status.code(), Some(0), "{name}");
        assert!(String::from_utf8_lossy(&removed.stderr).contains("may not be written"), "{name}");
    }
}

#[test]
fn exported_outputs_are_cases_that_can_be_scored() {
    let folder = tempfile::tempdir().unwrap();
    let place = folder.path();
    for name in ["cases.jsonl", "probare.yaml"] {
        fs::copy(root().join("examples/run").join(name), place.join(name)).unwrap();
    }
    fs::create_dir(place.join("replies")).unwrap();
    for entry in fs::read_dir(root().join("examples/run/replies")).unwrap() {
        let entry = entry.unwrap();
        fs::copy(entry.path(), place.join("replies").join(entry.file_name())).unwrap();
    }
    run(place, &["run", "probare.yaml", "-q"]);
    // The data may be gone: the store has the cases.
    fs::remove_file(place.join("cases.jsonl")).unwrap();
    // Its gates are about metrics that are not computed again.
    fs::remove_file(place.join("probare.yaml")).unwrap();
    run_successfully(place, &["runs", "export", "1", "-o", "e.jsonl", "--outputs", "o.jsonl"]);
    run_successfully(place, &["score", "o.jsonl", "-m", "token_f1", "-m", "chrf", "-o", "again.jsonl"]);
    let values = |name: &str| -> Vec<String> {
        let text = fs::read_to_string(place.join(name)).unwrap();
        let rows = text.lines().map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap());
        rows.map(|row| format!("{} {} {}", row["id"], row["scores"]["token_f1"], row["scores"]["chrf"])).collect()
    };
    assert!(values("e.jsonl").len() >= 6);
    assert_eq!(values("e.jsonl"), values("again.jsonl"));
    let first = fs::read_to_string(place.join("o.jsonl")).unwrap();
    let first: serde_json::Value = serde_json::from_str(first.lines().next().unwrap()).unwrap();
    assert!(first["query"].is_string() && first["reference"].is_array() && first["response"]["model"].is_string());
}

#[test]
fn labels_go_in_and_out_and_runs_are_forgotten() {
    let folder = tempfile::tempdir().unwrap();
    let place = folder.path();
    old_store(place, 2);
    let label =
        r#"{"id":"symbol-hydrogen","metric":"token_f1","label":"too low","tags":["short"],"by":"Ada","at":1767225600}"#;
    fs::write(place.join("labels.jsonl"), format!("{label}\n\n")).unwrap();
    assert!(
        run_successfully(place, &["runs", "label", "1", "labels.jsonl", "--store", "old.db"])
            .contains("added 1 label to run 1")
    );
    run_successfully(place, &["runs", "export", "1", "--labels", "out.jsonl", "--store", "old.db"]);
    assert_eq!(fs::read_to_string(place.join("out.jsonl")).unwrap(), format!("{label}\n"));
    fs::write(place.join("labels.jsonl"), format!("{label}\n{{\"id\": \"x\"}}\n")).unwrap();
    let wrong = run(place, &["runs", "label", "1", "labels.jsonl", "--store", "old.db"]);
    let text = String::from_utf8_lossy(&wrong.stderr).into_owned();
    assert!(wrong.status.code() == Some(64) && text.contains("line 2"), "{text}");
    let text = run_successfully(place, &["runs", "delete", "1", "--case", "symbol-hydrogen-1", "--store", "old.db"]);
    assert!(text.contains("removed 2 samples of case `symbol-hydrogen-1` from run 1"), "{text}");
    let wrong = run(place, &["runs", "delete", "1", "--case", "nobody", "--store", "old.db"]);
    assert!(String::from_utf8_lossy(&wrong.stderr).contains("run 1 of the store `old.db` has no case `nobody`"));
    let text = run_successfully(place, &["runs", "delete", "1", "--store", "old.db"]);
    assert!(text.contains("removed run 1 with 10 samples"), "{text}");
    let bytes = fs::read(place.join("old.db")).unwrap();
    assert!(!bytes.windows(7).any(|window| window == b"symbol-" || window == b"too low"));
}

#[cfg(unix)]
#[test]
fn a_signal_ends_the_wait_for_a_store_that_somebody_holds() {
    let folder = tempfile::tempdir().unwrap();
    let place = folder.path();
    old_store(place, 1);
    fs::write(place.join("cases.jsonl"), "{\"id\": \"1\", \"response\": \"a\", \"reference\": \"a\"}\n").unwrap();
    fs::write(place.join("run.yaml"), "datasets: [{path: cases.jsonl}]\nmetrics: [exact_match]\n").unwrap();
    bring_up_to_date(place, "old.db");
    let holder = rusqlite::Connection::open(place.join("old.db")).unwrap();
    holder.execute_batch("BEGIN IMMEDIATE").unwrap();
    for words in [&["runs", "rm", "1"][..], &["run", "run.yaml"], &["resume", "1"]] {
        let mut child = Command::new(PROGRAM)
            .args(words)
            .args(["--store", "old.db"])
            .current_dir(place)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        thread::sleep(Duration::from_millis(1_500));
        let _ = Command::new("kill").args(["-TERM", &child.id().to_string()]).status();
        let until = Instant::now() + Duration::from_secs(15);
        let mut is_over = false;
        while !is_over && Instant::now() < until {
            is_over = child.try_wait().unwrap().is_some();
            thread::sleep(Duration::from_millis(20));
        }
        let _ = child.kill();
        let _ = child.wait();
        assert!(is_over, "{words:?} goes on waiting after a signal");
    }
}

#[test]
fn a_store_of_form_6_compares_its_runs_as_it_did_and_with_runs_of_the_present_form() {
    let folder = tempfile::tempdir().unwrap();
    let place = folder.path();
    let fixture = root().join("tests/stores/6");
    fs::copy(fixture.join("store.db"), place.join("old.db")).unwrap();
    let compare = |one: &str, other: &str| {
        let output = run(place, &["compare", one, other, "--json", "--store", "old.db"]);
        assert!(output.status.success(), "{output:?}");
        String::from_utf8(output.stdout).unwrap()
    };
    let (results, outputs) = exports(place, "old.db");
    assert_eq!(results, fs::read(fixture.join("results.jsonl")).unwrap());
    assert_eq!(outputs, fs::read(fixture.join("outputs.jsonl")).unwrap());
    // Its rows do not say by what their cases are known in other runs; the texts do.
    let before = fs::read_to_string(fixture.join("compare.json")).unwrap();
    assert_eq!(compare("1", "2"), before);
    bring_up_to_date(place, "old.db");
    assert_eq!(compare("1", "2"), before);

    // The same cases in a run of the present form, which adds columns for a metric behind the one of that form.
    fs::write(place.join("cases.jsonl"), outputs).unwrap();
    let config = "datasets: [{name: capitals, path: cases.jsonl}]\nmetrics: [exact_match, token_f1, chrf]\n";
    fs::write(place.join("probare.yaml"), config).unwrap();
    run_successfully(place, &["run", "probare.yaml", "--quiet", "--store", "old.db"]);
    let pairing = |text: &str| serde_json::from_str::<serde_json::Value>(text).unwrap()["others"][0]["pairing"].clone();
    let paired = |matched, different| serde_json::json!({"matched": matched, "only_baseline": 0, "only_other": 0, "different_content": different});
    assert_eq!(pairing(&compare("1", "3")), paired(5, 0));
    assert_eq!(pairing(&compare("3", "2")), paired(4, 1));
}
