//! Files that release 0.3 wrote still open: results in every format, a store with labels, a response cache, thresholds, an
//! index, judged scores, a benchmark's results.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use crate::old_files::copy;

use crate::program::{PROGRAM, both_streams};

/// A copy of the fixtures, since writing to a store brings it into its present form.
fn fixtures() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    copy(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/old/0.3"), folder.path());
    folder
}

fn probare(folder: &Path, arguments: &[&str]) -> Output {
    let mut command = Command::new(PROGRAM);
    command.args(arguments).current_dir(folder);
    command.env("XDG_CACHE_HOME", folder.join("cache")).env("XDG_CONFIG_HOME", folder.join("config"));
    command.output().unwrap()
}

/// What a command that succeeds prints.
fn success(folder: &Path, arguments: &[&str]) -> String {
    let output = probare(folder, arguments);
    assert!(output.status.success(), "{arguments:?}: {}", both_streams(&output));
    both_streams(&output)
}

/// The lines of a file, parsed.
fn json_lines(path: PathBuf) -> Vec<serde_json::Value> {
    fs::read_to_string(path).unwrap().lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn results_of_every_format_are_recomputed() {
    let folder = fixtures();
    for name in ["scored.jsonl", "scored.jsonl.gz", "scored.json", "scored.csv", "scored.parquet", "scored.html"] {
        let printed = both_streams(&probare(folder.path(), &["verify", "--allow-unchecked", name]));
        assert!(printed.contains("6 cases"), "{name}: {printed}");
        // `token_f1` and its kind have the same definition now as then.
        assert!(!printed.contains("`token_f1`: `value`"), "{name}: {printed}");
    }
    for (place, name, cases) in [
        ("judged", "judged.jsonl", "24 cases"),
        ("agents", "agents.jsonl", "3 cases"),
        ("synthesis", "synthesis.jsonl", "4 cases"),
    ] {
        let printed = both_streams(&probare(&folder.path().join(place), &["verify", name]));
        assert!(printed.contains(cases), "{name}: {printed}");
    }
}

#[test]
fn results_are_shown_and_compared() {
    let folder = fixtures();
    let shown = success(folder.path(), &["show", "scored.jsonl", "--id", "capital-au"]);
    assert!(shown.contains("Canberra"), "{shown}");
    for name in ["scored.json", "scored.csv", "scored.parquet", "scored.html"] {
        let printed = success(folder.path(), &["compare", "scored.jsonl", name]);
        assert!(printed.contains("6 cases in both"), "{name}: {printed}");
    }
}

#[test]
fn a_stored_run_is_listed_exported_and_compared() {
    let folder = fixtures();
    let place = folder.path().join("run");
    fs::create_dir(place.join(".probare")).unwrap();
    for name in ["store.db", "replies.db"] {
        fs::rename(place.join(name), place.join(".probare").join(name)).unwrap();
    }
    assert!(success(&place, &["runs", "list"]).contains("20 of 20"));
    success(&place, &["runs", "export", "1", "-o", "again.jsonl"]);
    let (again, before) = (json_lines(place.join("again.jsonl")), json_lines(place.join("results.jsonl")));
    assert_eq!(again.len(), 20);
    for (again, before) in again.iter().zip(&before) {
        for key in ["id", "model", "repeat"] {
            assert_eq!(again.get(key), before.get(key), "{key}");
        }
        assert_eq!(again["scores"]["token_f1"]["value"], before["scores"]["token_f1"]["value"]);
    }
    assert!(success(&place, &["compare", "1@plain", "1@dotted"]).contains("5 cases in both"));
    let cached = success(&place, &["models", "record", "list"]);
    assert!(cached.contains("plain") && cached.contains("dotted"), "{cached}");
}

#[test]
fn a_thresholds_file_still_decides() {
    let folder = fixtures();
    let place = folder.path().join("thresholds");
    success(&place, &["score", "cases.jsonl", "-m", "token_f1", "--bands", "bands.json", "-q", "-o", "now.jsonl"]);
    let (now, then) = (json_lines(place.join("now.jsonl")), json_lines(place.join("judged.jsonl")));
    assert_eq!(now.len(), 300);
    for (now, then) in now.iter().zip(&then) {
        assert_eq!(now["scores"]["token_f1"]["label"], then["scores"]["token_f1"]["label"], "{}", now["id"]);
    }
    // Manifests say more now, which is no difference.
    assert!(success(&place, &["verify", "judged.jsonl"]).contains("all agree"));
    assert!(success(&place, &["verify", "now.jsonl"]).contains("all agree"));
}

#[test]
fn an_index_is_searched() {
    let folder = fixtures();
    let printed = success(folder.path(), &["rag", "search", "index", "how long is the bridge"]);
    assert!(printed.contains("7,845 metres"), "{printed}");
}

#[test]
fn retired_metrics_are_shown_as_recorded_and_not_recomputed() {
    const RETIRED: [&str; 5] =
        ["claimed_actions", "grounded_in_tools", "answered_question", "repeats_itself", "asked_again"];
    let folder = fixtures();
    let place = folder.path().join("agents");
    let verified = probare(&place, &["verify", "agents.jsonl"]);
    let printed = both_streams(&verified);
    assert!(!verified.status.success(), "what is not recomputed is not certified: {printed}");
    let row = json_lines(place.join("agents.jsonl")).remove(0);
    let id = row["id"].as_str().unwrap();
    for metric in RETIRED {
        assert!(printed.contains(&format!("{metric}: not recomputed: retired")), "{metric}: {printed}");
        assert!(!printed.contains(&format!("`, {metric}: ")), "{metric}: {printed}");
        success(&place, &["show", "agents.jsonl", "--id", id, "--metric", metric]);
        for arguments in [&["explain", metric][..], &["score", "cases.jsonl", "-m", metric]] {
            let refused = probare(&place, arguments);
            let printed = both_streams(&refused);
            assert_eq!(refused.status.code(), Some(64), "{arguments:?}: {printed}");
            assert!(printed.contains(&format!("metric `{metric}` was retired in 0.4")), "{arguments:?}: {printed}");
            assert!(printed.contains("hint: `") && printed.contains("judge_"), "{arguments:?}: {printed}");
        }
    }
    let listed = success(&place, &["list"]);
    // Behind the id of a metric stands its direction; a rubric may have the name of one that was retired.
    let is_retired = |line: &str| {
        let mut words = line.split_whitespace();
        words.next().is_some_and(|id| RETIRED.contains(&id)) && matches!(words.next(), Some("↑" | "↓"))
    };
    assert!(!listed.lines().any(is_retired), "{listed}");
}
