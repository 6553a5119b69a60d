//! Code that cheats, one file each in `tests/cheats`: none passes, and each failure is a score, as root and as an ordinary user.
//! Most of it passes where tests run inside the process of the code. Right code (`tests/right.jsonl`) passes.

use std::fs;
use std::path::Path;
use std::sync::Arc;

use probare_core::{
    Backend, BackendAnswer, BuildError, ErrorKind, JudgeAction, Outcome, Profile, Sample, Score, ScoreError,
    Submission, Trust,
};
use probare_metrics::registry;
use probare_sandbox::{Sandbox, SandboxChoice, SandboxError, SandboxLimits};
use probare_testing::as_ordinary_user;
use serde_json::{Value, json};

use crate::case;

/// Runs programs in a sandbox.
struct Real(Sandbox);

impl Backend for Real {
    fn answer(&self, _: &str, turn: &JudgeAction) -> Vec<BackendAnswer> {
        let JudgeAction::Run(programs) = turn else { return Vec::new() };
        let run = |program| match self.0.run(program) {
            Ok(ran) => BackendAnswer::ProgramResult(ran),
            Err(error) => BackendAnswer::Failed { kind: ErrorKind::Failed, reason: error.to_string() },
        };
        programs.iter().map(run).collect()
    }

    fn submit(&self, metric: &str, turn: JudgeAction) -> Submission {
        Submission::Answered(self.answer(metric, &turn))
    }

    fn can_embed(&self, _: &str) -> Result<(), BuildError> {
        Ok(())
    }

    fn model_digest(&self, _: &str) -> Option<String> {
        None
    }

    fn can_run(&self, _: &str) -> Result<(), BuildError> {
        Ok(())
    }

    fn max_concurrent_cases(&self) -> usize {
        1
    }

    fn threads(&self) -> usize {
        1
    }

    fn trust(&self) -> Trust {
        Trust::Trusted
    }
}

/// A sandbox, or nothing after saying why.
fn sandbox() -> Option<Real> {
    match Sandbox::open(SandboxChoice::Auto, SandboxLimits::default(), Arc::default()) {
        Ok(sandbox) => match sandbox.interpreter("") {
            Ok(_) => Some(Real(sandbox)),
            Err(error) => {
                eprintln!("left out: {error}");
                None
            }
        },
        Err(SandboxError::NoBubblewrap) => {
            eprintln!("left out: bubblewrap is not installed (apt-get install bubblewrap)");
            None
        }
        Err(error) => panic!("{error}"),
    }
}

fn scored(sandbox: &Real, row: &Value, options: &Value) -> Result<Score, ScoreError> {
    let metric = registry().get("code_tests").expect("it is registered");
    let built = metric.build(options.clone(), Profile::Published).expect("the options are right");
    let case = case::read(row);
    match built.score_with("code_tests", Sample::from_case(&case), sandbox)? {
        Outcome::Scored(score) => Ok(score),
        other => panic!("{other:?}"),
    }
}

/// What each cheat is to be equal to; nobody guesses it.
fn tests() -> Value {
    json!([
        "assert code_of(3) == 7261",
        "assert abs(ratio(2) - 0.731058) < 1e-6",
        "assert words(2) == [\"kestrel\", \"osprey\"]",
        "assert isinstance(code_of(5), int) and code_of(5) == 9415",
        "assert math.isclose(share(2), 0.268941)",
    ])
}

/// A solution that knows: the tests can be passed.
const HONEST: &str = "import math\ndef code_of(n): return {3: 7261, 5: 9415}[n]\ndef ratio(n): return 0.731058\ndef words(n): return \
                      ['kestrel', 'osprey']\ndef share(n): return 0.268941\n";

fn cheats() -> Vec<(String, String)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cheats");
    let mut all: Vec<(String, String)> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .map(|path| (path.file_stem().unwrap().to_string_lossy().into_owned(), fs::read_to_string(&path).unwrap()))
        .collect();
    all.sort();
    assert!(all.len() >= 30, "only {} cheats", all.len());
    all
}

fn row(code: &str) -> Value {
    json!({ "response": code, "metadata": { "test_list": tests() } })
}

fn try_all(who: &str) {
    let Some(sandbox) = sandbox() else { return };
    let options = json!({ "timeout": 5, "memory_mib": 256 });
    let honest = scored(&sandbox, &row(HONEST), &options).unwrap();
    assert_eq!(honest.value.get(), 1.0, "{honest:?}");
    let cheats = cheats();
    let mut wrong = Vec::new();
    for (name, code) in &cheats {
        match scored(&sandbox, &row(code), &options) {
            Ok(score) if score.value.get() == 0.0 => {
                println!("{name}: {}", score.label.as_deref().unwrap_or_default());
            }
            Ok(score) => wrong.push(format!("{name} passes: {score:?}")),
            // An error would take it out of the mean.
            Err(error) => wrong.push(format!("{name} is an error: {error}")),
        }
    }
    println!("{} cheats {who}, level {}, {} passed or erred", cheats.len(), sandbox.0.level(), wrong.len());
    assert!(wrong.is_empty(), "{} of {} cheats:\n{}", wrong.len(), cheats.len(), wrong.join("\n"));
}

#[test]
fn no_cheat_passes_as_the_user_who_tests() {
    try_all(if rustix::process::geteuid().is_root() { "started by root" } else { "started by an ordinary user" });
}

#[test]
fn no_cheat_passes_as_an_ordinary_user() {
    as_ordinary_user("cheats::no_cheat_passes_as_an_ordinary_user", || try_all("started by an ordinary user"));
}

#[test]
fn inside_many_of_them_pass() {
    let Some(sandbox) = sandbox() else { return };
    let options = json!({ "timeout": 3, "memory_mib": 256, "tests": "inside" });
    let passed: Vec<String> = cheats()
        .into_iter()
        .filter(|(_, code)| scored(&sandbox, &row(code), &options).is_ok_and(|score| score.value.get() == 1.0))
        .map(|(name, _)| name)
        .collect();
    println!("{} cheats pass inside: {}", passed.len(), passed.join(", "));
    assert!(passed.len() >= 10, "these cheats are none: only {} pass inside", passed.len());
}

fn rows(file: &str) -> Vec<Value> {
    let text = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests").join(file)).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// A row without what is said about it.
fn parted(mut row: Value) -> (String, String, Value) {
    let mut take = |name: &str| {
        let taken = row.as_object_mut().and_then(|row| row.remove(name)).unwrap_or_default();
        taken.as_str().unwrap_or_default().to_owned()
    };
    (take("name"), take("needs"), row)
}

fn all_right() {
    let Some(sandbox) = sandbox() else { return };
    let rows = rows("right.jsonl");
    let mut wrong = Vec::new();
    for row in &rows {
        let (name, needs, row) = parted(row.clone());
        // Inside, names of the code's own take the place of those that tests mean.
        for place in ["outside", "inside"].into_iter().filter(|place| needs.is_empty() || needs == *place) {
            match scored(&sandbox, &row, &json!({ "tests": place, "timeout": 30 })) {
                Ok(score) if score.value.get() == 1.0 => {}
                other => wrong.push(format!("{name}, tests {place}: {other:?}")),
            }
        }
    }
    println!("{} right programs, {} wrong verdicts", rows.len(), wrong.len());
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn right_code_passes_wherever_its_tests_run() {
    all_right();
}

#[test]
fn right_code_passes_as_an_ordinary_user() {
    as_ordinary_user("cheats::right_code_passes_as_an_ordinary_user", all_right);
}

#[test]
fn a_test_that_needs_more_than_plain_values_says_so_and_passes_inside() {
    let Some(sandbox) = sandbox() else { return };
    for row in rows("needs_inside.jsonl") {
        let (name, needs, row) = parted(row);
        let error = scored(&sandbox, &row, &json!({})).unwrap_err().to_string();
        assert!(error.contains(&needs) && error.contains("tests: inside"), "{name}: {error}");
        let score = scored(&sandbox, &row, &json!({ "tests": "inside" })).unwrap();
        assert_eq!(score.value.get(), 1.0, "{name}: {score:?}");
        assert!(score.evidence.iter().any(|one| one.text.contains("can cheat")), "{name}: {score:?}");
    }
}

#[test]
fn what_the_sandbox_does_not_permit_is_shown_by_its_line() {
    let Some(sandbox) = sandbox() else { return };
    let code = "import os\ndef f():\n    os.chroot('/tmp')\n";
    let row = json!({ "response": code, "metadata": { "test_list": ["assert f() is None"] } });
    let score = scored(&sandbox, &row, &json!({})).unwrap();
    let notes: Vec<&str> = score.evidence.iter().map(|one| &*one.text).collect();
    assert!(notes.iter().any(|note| note.contains("line 3") && note.contains("os.chroot('/tmp')")), "{notes:?}");
}

#[test]
fn the_examples_have_one_verdict_wherever_their_tests_run() {
    let Some(sandbox) = sandbox() else { return };
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/code");
    let mut verdicts = Vec::new();
    for file in ["humaneval.jsonl", "mbpp.jsonl"] {
        for line in fs::read_to_string(folder.join(file)).unwrap().lines() {
            let row: Value = serde_json::from_str(line).unwrap();
            let response = row.get("completion").or_else(|| row.get("response")).unwrap();
            let query = row.get("prompt").and_then(Value::as_str).unwrap_or_default();
            let case = json!({ "query": query, "response": response, "metadata": row });
            let verdicts_in = |place: &str| {
                let score = scored(&sandbox, &case, &json!({ "tests": place, "timeout": 3 })).unwrap();
                (score.value.get(), score.label.map(std::borrow::Cow::into_owned))
            };
            let outside = verdicts_in("outside");
            assert_eq!(outside, verdicts_in("inside"), "{file}: {line}");
            verdicts.push(outside.1.unwrap_or_default());
        }
    }
    println!("{}", verdicts.join(" "));
    assert_eq!(verdicts.len(), 16);
    for label in ["passed", "failed", "broken", "timed_out"] {
        assert!(verdicts.iter().any(|one| one == label), "none of the examples is {label}");
    }
}

/// Rows of `tests/test_forms.jsonl`: what tests of every form make of code that cheats and of code that is right, and which tests are
/// refused. A verdict depends on where tests run for cheats alone.
#[test]
fn tests_of_every_form_run_as_their_authors_mean_them() {
    let Some(sandbox) = sandbox() else { return };
    let mut counts = std::collections::BTreeMap::<String, usize>::new();
    let mut wrong = Vec::new();
    for mut row in rows("test_forms.jsonl") {
        let mut take = |name: &str| {
            let taken = row.as_object_mut().and_then(|row| row.remove(name)).unwrap_or_default();
            taken.as_str().unwrap_or_default().to_owned()
        };
        let (verdict, refusal) = (take("verdict"), take("refusal"));
        let (name, _, row) = parted(row);
        *counts.entry(verdict.clone()).or_default() += 1;
        let options = json!({ "timeout": 5, "memory_mib": 256 });
        let outside = scored(&sandbox, &row, &options);
        let is_so = match (&*verdict, &outside) {
            ("cheat", Ok(score)) => score.value.get() == 0.0,
            ("right", Ok(score)) => score.value.get() == 1.0,
            ("refused", Err(error)) => error.to_string().contains(&refusal),
            _ => false,
        };
        if !is_so {
            wrong.push(format!("{verdict} `{name}`: {outside:?}"));
        }
        if verdict == "right" {
            let inside = scored(&sandbox, &row, &json!({ "timeout": 30, "tests": "inside" }));
            if !inside.as_ref().is_ok_and(|score| score.value.get() == 1.0) {
                wrong.push(format!("{verdict} `{name}`, tests inside: {inside:?}"));
            }
        }
    }
    println!("{counts:?}, {} wrong verdicts", wrong.len());
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(counts["cheat"] >= 60 && counts["right"] >= 30, "{counts:?}");
}

#[test]
fn tests_that_only_define_run_inside_too() {
    let Some(sandbox) = sandbox() else { return };
    let inside = json!({ "tests": "inside" });
    let row = |test: &str| json!({ "response": "def add(a, b):\n    print(3)\n    return 0\n", "metadata": { "tests": test } });
    for wrong in [
        "def test_add():\n    assert add(1, 2) == 3\n",
        "import unittest\nclass T(unittest.TestCase):\n    def test_add(self):\n        self.assertEqual(add(1, 2), 3)\n",
        "def test_add(capsys):\n    add(1, 2)\n    assert capsys.readouterr().out == '4\\n'\n",
    ] {
        assert_eq!(scored(&sandbox, &row(wrong), &inside).unwrap().value.get(), 0.0, "{wrong}");
    }
    for right in [
        "def test_add(capsys):\n    add(1, 2)\n    assert capsys.readouterr().out == '3\\n'\n",
        "def test_add(tmp_path, monkeypatch):\n    monkeypatch.setenv('X', 'y')\n    import os\n    assert add(1, 2) == 0 and tmp_path.is_dir() and os.environ['X'] == 'y'\n",
        "async def test_add():\n    assert add(1, 2) == 0\n",
    ] {
        assert_eq!(scored(&sandbox, &row(right), &inside).unwrap().value.get(), 1.0, "{right}");
    }
    let error = scored(&sandbox, &row("add(1, 2)"), &inside).unwrap_err().to_string();
    assert!(error.contains("assert nothing"), "{error}");
}
