//! Names of release 0.3 still work, do what the new ones do, and are mentioned once.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use serde_json::{Value as Json, json};

use crate::program::stderr;

fn probare(folder: &Path, variables: &[(&str, &str)], arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_probare"));
    command.current_dir(folder).args(arguments);
    for name in ["PROBARE_CACHE", "PROBARE_RECORD", "PROBARE_PROFILE", "PROBARE_CONFIG"] {
        command.env_remove(name);
    }
    command.envs(variables.iter().copied()).output().unwrap()
}

/// A folder with a file of cases.
fn project() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let rows = "{\"id\":\"a\",\"query\":\"q\",\"response\":\"yes\",\"reference\":[\"yes\"],\"context\":[\"yes\"],\"tags\":[\"t\"]}\n";
    fs::write(folder.path().join("cases.jsonl"), rows).unwrap();
    fs::write(folder.path().join("cases.csv"), "id;response;reference\na;yes;yes\n").unwrap();
    folder
}

/// The settings that a command line comes to, with what was remarked.
fn settings(folder: &Path, variables: &[(&str, &str)], more: &[&str]) -> (Vec<Json>, String) {
    let arguments = [&["config", "show", "--json", "score", "cases.jsonl", "-m", "token_f1"], more].concat();
    let output = probare(folder, variables, &arguments);
    assert!(output.status.success(), "{more:?}: {}", stderr(&output));
    let shown: Json = serde_json::from_slice(&output.stdout).unwrap();
    let list = shown.as_array().cloned().or_else(|| shown.get("settings").and_then(Json::as_array).cloned());
    (list.unwrap_or_default(), stderr(&output))
}

fn value(settings: &[Json], name: &str) -> Json {
    let found = settings.iter().find(|entry| entry["name"] == name || entry["setting"] == name);
    found.map(|entry| entry["value"].clone()).unwrap_or_default()
}

/// The old and the new flag, the old and the new variable, what is given, the setting, and its value.
type Renamed = ([&'static str; 2], [&'static str; 2], Option<&'static str>, &'static str, Json);

fn renamed() -> Vec<Renamed> {
    vec![
        (
            ["--confident", "--significant"],
            ["PROBARE_CONFIDENT", "PROBARE_SIGNIFICANT"],
            None,
            "significant",
            json!(true),
        ),
        (["--each-group", "--per-group"], ["PROBARE_EACH_GROUP", "PROBARE_PER_GROUP"], None, "per_group", json!(true)),
        (["--record", "--cache"], ["PROBARE_RECORD", "PROBARE_CACHE"], Some("own.db"), "cache", json!("own.db")),
        (["--sep", "--delimiter"], ["PROBARE_SEP", "PROBARE_DELIMITER"], Some(";"), "delimiter", json!(";")),
        (
            ["--longest-row", "--max-row-size"],
            ["PROBARE_LONGEST_ROW", "PROBARE_MAX_ROW_SIZE"],
            Some("7"),
            "max_row_size",
            json!(7),
        ),
    ]
}

#[test]
fn every_old_flag_sets_what_the_new_one_sets() {
    let folder = project();
    for (flags, _, given, setting, wanted) in renamed() {
        let words = |flag: &'static str| [Some(flag), given].into_iter().flatten().collect::<Vec<_>>();
        let note = format!("`{}` is now `{}`", flags[0], flags[1]);
        let (old, said) = settings(folder.path(), &[], &words(flags[0]));
        assert_eq!(value(&old, setting), wanted, "{flags:?}: {old:?}");
        assert_eq!(said.matches(&note).count(), 1, "{said}");
        let (new, said) = settings(folder.path(), &[], &words(flags[1]));
        assert_eq!(value(&new, setting), wanted, "{flags:?}: {new:?}");
        assert!(!said.contains("is now"), "{said}");
    }
}

#[test]
fn a_flag_that_is_unknown_is_not_answered_with_an_old_name() {
    let folder = project();
    for (wrong, tip) in [("--seed=3", None), ("--sepp=;", None), ("--delimitr=;", Some("--delimiter"))] {
        let output = probare(folder.path(), &[], &["validate", "cases.csv", wrong]);
        let said = stderr(&output);
        assert_eq!(output.status.code(), Some(64), "{said}");
        let tips: Vec<&str> = said.lines().filter(|line| line.contains("similar argument")).collect();
        assert_eq!(tips.len(), usize::from(tip.is_some()), "{said}");
        assert!(tips.iter().all(|line| tip.is_some_and(|tip| line.contains(tip))), "{said}");
    }
}

#[test]
fn every_old_variable_sets_what_the_new_one_sets_unless_that_is_set_too() {
    let folder = project();
    for (_, variables, given, setting, wanted) in renamed() {
        let given = given.unwrap_or("true");
        let (old, said) = settings(folder.path(), &[(variables[0], given)], &[]);
        assert_eq!(value(&old, setting), wanted, "{variables:?}: {old:?}");
        assert_eq!(said.matches(&format!("`{}` is now `{}`", variables[0], variables[1])).count(), 1, "{said}");
        let (new, said) = settings(folder.path(), &[(variables[0], "1"), (variables[1], given)], &[]);
        assert_eq!(value(&new, setting), wanted, "{variables:?}: {new:?}");
        assert!(!said.contains("is now"), "{said}");
    }
}

#[test]
fn old_keys_of_a_configuration_are_read_and_mentioned() {
    let folder = project();
    let text =
        "profile: careful\nmetrics: [token_f1]\nrun: {each_group: true, confident: true, record: own.db, by: tags}\n";
    fs::write(folder.path().join("old.yaml"), text).unwrap();
    let output = probare(folder.path(), &[], &["score", "cases.jsonl", "-c", "old.yaml", "-o", "out.json"]);
    let said = stderr(&output);
    assert!(output.status.success(), "{said}");
    for (old, new) in
        [("each_group", "per_group"), ("confident", "significant"), ("record", "cache"), ("careful", "improved")]
    {
        assert_eq!(said.matches(&format!("`{old}` in old.yaml is now `{new}`")).count(), 1, "{old}: {said}");
    }
    let shown = settings(folder.path(), &[], &["-c", "old.yaml"]).0;
    assert_eq!(value(&shown, "per_group"), json!(true), "{shown:?}");
    assert_eq!(value(&shown, "profile"), json!("improved"), "{shown:?}");
    assert_eq!(value(&shown, "cache"), json!("own.db"), "{shown:?}");
}

#[test]
fn old_profiles_are_understood_wherever_one_is_named() {
    let folder = project();
    for (old, new) in [("careful", "improved"), ("reference", "published")] {
        let option = format!("hallucination:profile={old}");
        for arguments in [
            vec!["score", "cases.jsonl", "-m", "hallucination", "--profile", old, "-o", "out.json"],
            vec!["score", "cases.jsonl", "-m", &option, "-o", "out.json"],
        ] {
            let output = probare(folder.path(), &[], &arguments);
            let said = stderr(&output);
            assert!(output.status.success(), "{arguments:?}: {said}");
            assert_eq!(said.matches(&format!("`profile {old}` is now `profile {new}`")).count(), 1, "{said}");
            let written: Json = serde_json::from_slice(&fs::read(folder.path().join("out.json")).unwrap()).unwrap();
            assert_eq!(written["metrics"][0]["profile"], new, "{arguments:?}");
        }
        let help = probare(folder.path(), &[], &["quotes", "cases.csv", ".", "--profile", old]);
        assert!(!stderr(&help).contains("invalid value"), "{}", stderr(&help));
    }
}

#[test]
fn a_cache_under_its_old_name_is_found_where_there_is_no_new_one() {
    let folder = project();
    fs::create_dir(folder.path().join(".probare")).unwrap();
    let old = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/old/0.3/run/replies.db");
    fs::copy(old, folder.path().join(".probare/replies.db")).unwrap();
    let listed = probare(folder.path(), &[], &["cache", "list"]);
    assert!(listed.status.success() && !listed.stdout.is_empty(), "{}", stderr(&listed));
    let renamed = probare(folder.path(), &[], &["models", "record", "list"]);
    assert_eq!(renamed.stdout, listed.stdout);
    assert!(stderr(&renamed).contains("`probare models record` is now `probare cache`"), "{}", stderr(&renamed));
}
