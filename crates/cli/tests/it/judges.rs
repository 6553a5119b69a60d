//! Judged runs through the command line: recorded, offline, out of budget, verified, calibrated, and without a trace of a key.

use std::collections::{BTreeMap, HashSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Output;

use probare_testing::{ServerBehaviour, TestServer, Trouble};

use crate::program::{both_streams, code, command, name_config, run_expecting, run_successfully};

const KEY: &str = "sk-canary-Zq7Xw2Lm9Rt4Vb8Nc3Hd6Jf1Kg5Ps0";

fn probare(folder: &Path, arguments: &[&str]) -> Output {
    let mut command = command(folder, arguments);
    name_config(&mut command, folder);
    command.env("CANARY_KEY", KEY).output().expect("the program starts")
}

fn examples() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/judged")
}

/// A project with a few cases and a judge that is a program.
fn project(rest: &str) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let mut cases = String::new();
    for number in 0..6 {
        let label = number % 2;
        cases.push_str(&format!(
            "{{\"id\":\"c{number}\",\"query\":\"Q{number}?\",\"response\":\"zeta {number}\",\"label\":{label}}}\n"
        ));
    }
    fs::write(folder.path().join("cases.jsonl"), cases).unwrap();
    // Even cases are good, odd ones poor, and the judge says so in prose the first time it sees the third.
    let judge = r#"q=$(cat); n=${q#*zeta }; n=${n%%[!0-9]*}
case "$q" in *'"attempt":0'*) [ "$n" = 3 ] && { echo '{"text":"I like it."}'; exit; };; esac
if [ $((n % 2)) = 1 ]; then l=good; else l=poor; fi
c=${q##*a text: }; c=${c%%.*}
printf '{"text":"{\\"reason\\": \\"it is number %s\\", \\"level\\": \\"%s\\", \\"code\\": \\"%s\\"}", "usage": {"input_tokens": 500, "output_tokens": 20}}\n' "$n" "$l" "$c"
"#;
    fs::write(folder.path().join("judge.sh"), judge).unwrap();
    let config = format!(
        "models:\n  - name: house\n    provider: command\n    command: [sh, judge.sh]\n    max_tokens: 100\n    concurrency: 4\n{rest}"
    );
    fs::write(folder.path().join("probare.yaml"), config).unwrap();
    folder
}

#[test]
fn a_judged_run_is_recorded_verified_and_run_again_offline() {
    let folder = project("judges: [house]\n");
    let place = folder.path();
    let run = |out: &str, more: &[&str]| {
        let mut arguments = vec!["score", "cases.jsonl", "-m", "judge_rubric", "-o", out];
        arguments.extend(more);
        probare(place, &arguments)
    };
    let first = run("first.jsonl", &[]);
    assert_eq!(code(&first), 0, "{}", both_streams(&first));
    assert!(both_streams(&first).contains("7 questions, 7 answered"), "one is asked again: {}", both_streams(&first));
    let second = run("second.jsonl", &["--offline"]);
    assert!(both_streams(&second).contains("7 questions, 7 from the response cache"), "{}", both_streams(&second));
    assert_eq!(fs::read(place.join("first.jsonl")).unwrap(), fs::read(place.join("second.jsonl")).unwrap());

    let verified = probare(place, &["verify", "first.jsonl"]);
    assert_eq!(code(&verified), 0, "{}", both_streams(&verified));
    assert!(
        both_streams(&verified).contains("6 scores computed again") && both_streams(&verified).contains("all agree")
    );
    let elsewhere = probare(place, &["verify", "first.jsonl", "--record", "nowhere.db"]);
    assert_eq!(code(&elsewhere), 1, "{}", both_streams(&elsewhere));
    assert!(both_streams(&elsewhere).contains("judge_rubric: not checked"), "{}", both_streams(&elsewhere));
    assert!(!place.join("nowhere.db").exists(), "looking makes no record");
    assert_eq!(code(&probare(place, &["verify", "first.jsonl", "--record", "nowhere.db", "--allow-unchecked"])), 0);

    let text = fs::read_to_string(place.join("first.jsonl")).unwrap();
    fs::write(place.join("first.jsonl"), text.replacen("\"value\":0.0", "\"value\":1.0", 1)).unwrap();
    let changed = probare(place, &["verify", "first.jsonl"]);
    assert_eq!(code(&changed), 1);
    assert!(both_streams(&changed).contains("`value` is 1.0 in the file and 0.0 now"), "{}", both_streams(&changed));
}

/// Review 0.3, V1 and V2: a tie whose third judge could not be asked was graded `poor`, with exit code 0.
#[test]
fn a_verdict_that_is_missing_and_could_change_the_result_fails_it() {
    let other = "  - name: other\n    provider: command\n    command: [sh, other.sh]\n    max_tokens: 100\n  - name: gone\n    provider: command\n    command: [sh, gone.sh]\n    max_tokens: 100\n";
    let folder =
        project(&format!("{other}metrics:\n  - {{id: judge_rubric, options: {{judges: [house, other, gone]}}}}\n"));
    let place = folder.path();
    let judge = fs::read_to_string(place.join("judge.sh")).unwrap();
    // The second judge calls everything good, so that the two agree about odd cases alone.
    fs::write(place.join("other.sh"), judge.replace("l=poor", "l=good").replace("I like it.", "?")).unwrap();
    fs::write(place.join("gone.sh"), "exit 1\n").unwrap();
    let ended = probare(place, &["score", "cases.jsonl", "-o", "out.jsonl"]);
    assert_eq!(code(&ended), 1, "{}", both_streams(&ended));
    let lines = fs::read_to_string(place.join("out.jsonl")).unwrap();
    for (at, line) in lines.lines().enumerate() {
        if at % 2 == 1 {
            assert!(line.contains(r#""label":"good""#), "the third changes nothing: {line}");
        } else {
            assert!(line.contains("could change the result; judge 3 (gone)"), "{line}");
        }
    }
    // Two are enough if that is said: where they disagree nothing is decided.
    let config = fs::read_to_string(place.join("probare.yaml")).unwrap();
    fs::write(place.join("least.yaml"), config.replace("gone]}", "gone], panel: {least: 2}}")).unwrap();
    let enough = probare(place, &["score", "cases.jsonl", "--config", "least.yaml", "-o", "least.jsonl"]);
    assert_eq!(code(&enough), 0, "{}", both_streams(&enough));
    assert!(
        both_streams(&enough).contains("coverage 50 % (3 of 6 decided): good 3, unsure 3"),
        "{}",
        both_streams(&enough)
    );

    // The same where the third is not asked for want of money.
    fs::write(place.join("gone.sh"), fs::read_to_string(place.join("other.sh")).unwrap()).unwrap();
    let bounded = probare(
        place,
        &["score", "cases.jsonl", "--budget-tokens", "2500", "--record", "new.db", "-j", "1", "-o", "bounded.jsonl"],
    );
    assert_eq!(code(&bounded), 4, "{}", both_streams(&bounded));
    let lines = fs::read_to_string(place.join("bounded.jsonl")).unwrap();
    assert!(!lines.contains(r#""label":"poor""#) && lines.contains("budget"), "{lines}");
}

#[test]
fn a_record_travels_as_a_cassette() {
    let folder = project("judges: [house]\n");
    let place = folder.path();
    assert_eq!(code(&probare(place, &["score", "cases.jsonl", "-m", "judge_rubric", "-o", "first.csv"])), 0);
    let listed = probare(place, &["models", "record", "list"]);
    assert!(
        both_streams(&listed).contains("command:house") && both_streams(&listed).contains('7'),
        "{}",
        both_streams(&listed)
    );
    assert_eq!(code(&probare(place, &["models", "record", "export", "replies.jsonl"])), 0);
    let replayed = probare(
        place,
        &["score", "cases.jsonl", "-m", "judge_rubric", "--judge", "replay:replies.jsonl", "-o", "second.csv"],
    );
    assert_eq!(code(&replayed), 0, "{}", both_streams(&replayed));
    let other = probare(place, &["models", "record", "import", "replies.jsonl", "--record", "other.db"]);
    assert!(both_streams(&other).contains("7 replies added, 0 known before"), "{}", both_streams(&other));
    let offline =
        ["score", "cases.jsonl", "-m", "judge_rubric", "--offline", "--record", "other.db", "-o", "third.csv"];
    assert_eq!(code(&probare(place, &offline)), 0);
    assert_eq!(fs::read(place.join("first.csv")).unwrap(), fs::read(place.join("third.csv")).unwrap());
    let nothing = probare(place, &["models", "record", "prune", "--record", "other.db"]);
    assert_eq!(code(&nothing), 64, "{}", both_streams(&nothing));
    let pruned = probare(place, &["models", "record", "prune", "--model", "house", "--record", "other.db"]);
    assert!(both_streams(&pruned).contains("7 replies removed"), "{}", both_streams(&pruned));
    let missing = probare(place, &offline);
    assert_eq!(code(&missing), 1, "{}", both_streams(&missing));
    assert!(
        both_streams(&missing).contains("no reply in the response cache: house (key "),
        "{}",
        both_streams(&missing)
    );
    let absent = probare(place, &["models", "record", "list", "--record", "absent.db"]);
    assert_eq!(code(&absent), 1);
    assert!(!place.join("absent.db").exists());
}

#[test]
fn a_judge_has_to_be_named_and_known() {
    let folder = project("");
    let none = probare(folder.path(), &["score", "cases.jsonl", "-m", "judge_rubric"]);
    assert_eq!(code(&none), 64);
    assert!(both_streams(&none).contains("`judge_rubric` asks a model, and none is named"), "{}", both_streams(&none));
    let other = probare(folder.path(), &["score", "cases.jsonl", "-m", "judge_rubric", "--judge", "hause"]);
    assert_eq!(code(&other), 64);
    assert!(both_streams(&other).contains("a model with a similar name exists: `house`"), "{}", both_streams(&other));
    let offline =
        probare(folder.path(), &["score", "cases.jsonl", "-m", "judge_rubric", "--judge", "house", "--offline"]);
    assert_eq!(code(&offline), 1);
    assert!(
        both_streams(&offline).contains("the response cache `.probare/cache.db` does not exist"),
        "{}",
        both_streams(&offline)
    );
}

#[test]
fn a_reached_budget_ends_with_4_and_its_failures_are_no_scores() {
    let folder = project("judges: [house]\n");
    // Enough for three calls at once, whichever come first, and not for all one after the other.
    let run = probare(
        folder.path(),
        &["score", "cases.jsonl", "-m", "judge_rubric", "--budget-tokens", "5500", "-o", "out.jsonl", "-j", "1"],
    );
    assert_eq!(code(&run), 4, "{}", both_streams(&run));
    assert!(both_streams(&run).contains("the budget is reached"), "{}", both_streams(&run));
    let lines = fs::read_to_string(folder.path().join("out.jsonl")).unwrap();
    let failed = lines.matches("\"kind\":\"failed\"").count();
    let scored = lines.matches("\"value\":").count();
    assert!(failed > 0 && scored > 0 && scored + failed == 6, "{lines}");
}

#[test]
fn a_rubric_of_ones_own_is_a_file_and_stands_in_the_manifest() {
    let folder = project("judges: [house]\n");
    let place = folder.path();
    let rubric = "name: brief\nversion: 3\nquestion: Is it brief?\nlevels:\n  - {label: poor, means: it rambles}\n  - {label: good, \
                  means: it is brief}\nexamples:\n  - {response: Yes., level: good, reason: one word}\n";
    fs::write(place.join("brief.yaml"), rubric).unwrap();
    let score = |metric: &str| {
        let run = probare(place, &["score", "cases.jsonl", "-m", metric, "-o", "out.jsonl"]);
        (code(&run), both_streams(&run))
    };
    let (scored, text) = score("brief=judge_rubric:rubric=brief.yaml");
    assert_eq!(scored, 0, "{text}");
    let lines = fs::read_to_string(place.join("out.jsonl")).unwrap();
    assert_eq!(
        (lines.matches(r#""label":"good""#).count(), lines.matches(r#""label":"poor""#).count()),
        (3, 3),
        "{lines}"
    );
    let manifest = fs::read_to_string(place.join("out.jsonl.run.json")).unwrap();
    assert!(manifest.contains("Is it brief?") && manifest.contains("one word"), "{manifest}");
    let explained = probare(place, &["explain", "judge_rubric:rubric=brief.yaml"]);
    assert_eq!(String::from_utf8_lossy(&explained.stdout).trim_end(), rubric.trim_end());
    for (change, reason) in [
        (["level: good", "level: god"], "an example has the level `god`, which is none of `levels`"),
        (["question:", "qestion:"], "unknown field `qestion`, expected one of name, version, summary, needs, question"),
        (["  - {label: poor, means: it rambles}\n", ""], "`levels` needs at least two levels"),
    ] {
        fs::write(place.join("slip.yaml"), rubric.replace(change[0], change[1])).unwrap();
        let (refused, text) = score("judge_rubric:rubric=slip.yaml");
        assert!(refused != 0 && text.contains("slip.yaml") && text.contains(reason), "{text}");
    }
    let (refused, text) = score("judge_rubric:rubric=tne");
    assert!(refused == 64 && text.contains("did you mean `tone`?"), "{text}");
    let (scored, _) = score("brief=judge_rubric:rubric=brief.yaml");
    assert_eq!(scored, 0);
    fs::remove_file(place.join("brief.yaml")).unwrap();
    assert_eq!(code(&probare(place, &["verify", "out.jsonl"])), 0, "the rubric is in the manifest");
}

#[test]
fn a_prompt_of_ones_own_is_a_file_and_stands_in_the_manifest() {
    let folder = project("judges: [house]\n");
    let place = folder.path();
    fs::write(place.join("own.txt"), "[system]\nGrade. {{form}}\n[user]\n{{levels}}\n{{data}}\n").unwrap();
    let run = probare(place, &["score", "cases.jsonl", "-m", "g=judge_rubric:prompt=@own.txt", "-o", "out.jsonl"]);
    assert_eq!(code(&run), 0, "{}", both_streams(&run));
    let manifest: serde_json::Value =
        serde_json::from_str(&fs::read_to_string(place.join("out.jsonl.run.json")).unwrap()).unwrap();
    assert_eq!(manifest["prompts"][0]["metric"], "g");
    assert_eq!(manifest["prompts"][0]["sha256"].as_str().unwrap().len(), 64);
    assert_eq!(manifest["models"][0]["name"], "house");
    assert!(manifest["metrics"][0]["options"]["prompt"].as_str().unwrap().contains("Grade."));
    fs::remove_file(place.join("own.txt")).unwrap();
    assert_eq!(code(&probare(place, &["verify", "out.jsonl"])), 0, "the prompt is in the manifest");
}

#[test]
fn a_judge_is_held_against_people() {
    let folder = project("judges: [house]\n");
    let run = probare(folder.path(), &["judge", "calibrate", "cases.jsonl", "-m", "judge_rubric"]);
    assert_eq!(code(&run), 0, "{}", both_streams(&run));
    let text = both_streams(&run);
    assert!(text.contains("6 cases with a label and a verdict") && text.contains("6 of 6"), "{text}");
    assert!(text.contains("threshold: a case passes at 1 or above"), "{text}");
    let json = probare(folder.path(), &["judge", "calibrate", "cases.jsonl", "-m", "judge_rubric", "--json"]);
    let json: serde_json::Value = serde_json::from_slice(&json.stdout).unwrap();
    assert_eq!(json["agreement"][0]["kappa"], 1.0);
}

#[test]
fn labels_are_looked_at_before_anybody_is_asked() {
    let folder = project("judges: [house]\n");
    let place = folder.path();
    for (label, hint) in [("other", "--label COLUMN"), ("lable", "--label label")] {
        let none = probare(place, &["judge", "calibrate", "cases.jsonl", "-m", "judge_rubric", "--label", label]);
        assert_eq!(code(&none), 1);
        assert!(
            both_streams(&none).contains("nobody was asked") && both_streams(&none).contains(hint),
            "{}",
            both_streams(&none)
        );
    }
    let cases = fs::read_to_string(place.join("cases.jsonl")).unwrap();
    fs::write(place.join("cases.jsonl"), cases.replace("\"label\":0", "\"label\":\"perhaps\"")).unwrap();
    let odd = probare(place, &["judge", "calibrate", "cases.jsonl", "-m", "judge_rubric"]);
    assert!(both_streams(&odd).contains("`label` is \"perhaps\", which is no label"), "{}", both_streams(&odd));
    assert!(!place.join(".probare").exists(), "nothing was asked, so nothing was recorded");
}

#[test]
fn a_judge_is_held_against_each_person() {
    let folder = project("judges: [house]\n");
    let place = folder.path();
    let mut cases = String::new();
    for number in 0..6 {
        // The first person agrees with the judge, the second in four of six cases.
        let (first, second) = (number % 2, if number < 4 { number % 2 } else { 1 - number % 2 });
        cases.push_str(&format!(
            "{{\"id\":\"c{number}\",\"query\":\"Q?\",\"response\":\"zeta {number}\",\"ann\":{first},\"ben\":{second}}}\n"
        ));
    }
    fs::write(place.join("cases.jsonl"), cases).unwrap();
    let both = ["judge", "calibrate", "cases.jsonl", "-m", "judge_rubric", "--label", "ann", "--label", "ben"];
    let text = both_streams(&probare(place, &both));
    for wanted in ["judge_rubric with ann", "judge_rubric with ben", "ann with ben", "trust: kappa with ben"] {
        assert!(text.contains(wanted), "{wanted}: {text}");
    }
    let json = probare(place, &[both.as_slice(), &["--json"]].concat());
    let json: serde_json::Value = serde_json::from_slice(&json.stdout).unwrap();
    assert_eq!((&json["agreement"][0]["with"], &json["agreement"][0]["kappa"]), (&"ann".into(), &1.0.into()));
    let kappa = |value: &serde_json::Value| value["kappa"].as_f64().unwrap();
    assert!((kappa(&json["agreement"][1]) - 1.0 / 3.0).abs() < 1e-9, "{json}");
    assert!((kappa(&json["people"][0]) - 1.0 / 3.0).abs() < 1e-9, "{json}");
}

/// The labelled transcripts of the examples, with the recorded judge: all three rubrics, offline.
#[test]
fn a_judge_of_agents_is_held_against_labels_of_transcripts() {
    let folder = tempfile::tempdir().unwrap();
    let place = folder.path();
    for name in ["cases.jsonl", "probare.yaml", "replies.jsonl"] {
        fs::copy(examples().join("../agent_judge").join(name), place.join(name)).unwrap();
    }
    // Equal verdicts, kappa, and errors at the threshold, as they follow from the table of the example.
    for (metric, label, same, kappa, errors) in [
        ("claims", "claimed_actions", 26, 0.66, ["passes 3 of the 15", "fails 0 of the 17"]),
        ("task", "task_completion", 25, 0.66, ["passes 1 of the 8", "fails 3 of the 24"]),
        ("way", "trajectory_quality", 27, 0.75, ["passes 4 of the 15", "fails 0 of the 17"]),
    ] {
        let pass = if metric == "claims" { "1" } else { "0.5" };
        let words = ["judge", "calibrate", "cases.jsonl", "-m", metric, "--label", label, "--pass", pass];
        let text = both_streams(&probare(place, &words));
        let cases = format!("{metric}: 32 cases with a label and a verdict");
        for wanted in [cases.as_str(), &format!("{same} of 32"), errors[0], errors[1], "trust: kappa is at least 0."] {
            assert!(text.contains(wanted), "{wanted}: {text}");
        }
        let json = probare(place, &[&words[..], &["--json"]].concat());
        let json: serde_json::Value = serde_json::from_slice(&json.stdout).unwrap();
        assert!((json["agreement"][0]["kappa"].as_f64().unwrap() - kappa).abs() < 0.005, "{json}");
    }
    assert!(!place.join(".probare").exists(), "a file of replies needs no record");
}

#[test]
fn the_example_without_its_replies_is_not_checked() {
    let folder = tempfile::tempdir().unwrap();
    let place = folder.path();
    for name in ["cases.jsonl", "probare.yaml", "replies.jsonl"] {
        fs::copy(examples().join(name), place.join(name)).unwrap();
    }
    let run = probare(place, &["score", "-c", "probare.yaml", "--offline", "-o", "out.jsonl"]);
    assert_eq!(code(&run), 0, "{}", both_streams(&run));
    assert!(!place.join(".probare").exists(), "a file of replies needs no record");
    assert_eq!(code(&probare(place, &["verify", "out.jsonl"])), 0);
    fs::remove_file(place.join("replies.jsonl")).unwrap();
    let without = probare(place, &["verify", "out.jsonl"]);
    assert_eq!(code(&without), 1, "{}", both_streams(&without));
    assert!(both_streams(&without).contains("helpful: not checked"), "{}", both_streams(&without));
    let allowed = probare(place, &["verify", "out.jsonl", "--allow-unchecked"]);
    assert_eq!(code(&allowed), 0, "{}", both_streams(&allowed));
}

#[test]
fn one_missing_reply_leaves_one_score_unchecked_and_no_more() {
    let folder = project("judges: [house]\n");
    let place = folder.path();
    let run = probare(place, &["score", "cases.jsonl", "-m", "judge_rubric", "-o", "out.jsonl", "-o", "out.csv"]);
    assert_eq!(code(&run), 0, "{}", both_streams(&run));
    for file in ["out.jsonl", "out.csv"] {
        assert_eq!(code(&probare(place, &["verify", file])), 0);
    }
    let record = rusqlite::Connection::open(place.join(".probare/cache.db")).unwrap();
    let gone = record.execute("DELETE FROM replies WHERE key = (SELECT min(key) FROM replies)", []).unwrap();
    assert_eq!(gone, 1);
    drop(record);
    for file in ["out.jsonl", "out.csv"] {
        let verified = probare(place, &["verify", file]);
        assert_eq!(code(&verified), 1, "{}", both_streams(&verified));
        let text = both_streams(&verified) + &String::from_utf8_lossy(&verified.stdout);
        assert!(text.contains("judge_rubric: 1 score not checked"), "{text}");
        assert!(text.contains("all agree, 1 score not checked"), "{text}");
        assert_eq!(code(&probare(place, &["verify", file, "--allow-unchecked"])), 0);
    }
    // What the others say is still held against their replies.
    let lines = fs::read_to_string(place.join("out.jsonl")).unwrap();
    fs::write(place.join("out.jsonl"), lines.replace("\"value\":1.0", "\"value\":0.0")).unwrap();
    let changed = probare(place, &["verify", "out.jsonl", "--allow-unchecked"]);
    assert_eq!(code(&changed), 1);
    assert!(both_streams(&changed).contains("judge_rubric"), "{}", both_streams(&changed));
}

fn assert_clean(place: &str, bytes: &[u8]) {
    let runs: HashSet<&[u8]> = KEY.as_bytes().windows(8).collect();
    let found = bytes.windows(8).find(|window| runs.contains(window));
    assert!(found.is_none(), "{place} holds `{}`", String::from_utf8_lossy(found.unwrap_or_default()));
}

fn assert_folder_clean(folder: &Path) -> usize {
    let mut files = 0;
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            files += assert_folder_clean(&path);
        } else {
            assert_clean(&path.display().to_string(), &fs::read(&path).unwrap());
            files += 1;
        }
    }
    files
}

/// A failing server that echoes the headers it got: no run of eight characters of the key is found in any file or message.
#[test]
fn no_trace_of_a_key_is_left_by_a_judged_run() {
    let folder = tempfile::tempdir().unwrap();
    let place = folder.path();
    let behaviour = ServerBehaviour {
        share: 0.6,
        troubles: vec![
            Trouble::ServerError,
            Trouble::BadRequest,
            Trouble::WrongContentType,
            Trouble::Refusal,
            Trouble::CutBody,
        ],
        echoes_keys: true,
        ..ServerBehaviour::default()
    };
    let server = TestServer::start(behaviour).unwrap();
    let mut cases = String::new();
    for number in 0..12 {
        cases.push_str(&format!("{{\"id\":\"c{number}\",\"query\":\"Q?\",\"response\":\"A {number}\",\"label\":1}}\n"));
    }
    fs::write(place.join("cases.jsonl"), cases).unwrap();
    let config = format!(
        "models:\n  - name: shaky\n    base_url: {}/v1\n    api_key: CANARY_KEY\n    headers: {{X-Other: \"token ${{CANARY_KEY}}\"}}\n    \
         retry_wait: 0.01\n    max_attempts: 2\n    timeout: 5\njudges: [shaky]\n",
        server.url()
    );
    fs::write(place.join("probare.yaml"), config).unwrap();
    let mut arguments = vec!["score", "cases.jsonl", "-m", "judge_rubric", "-m", "judge_steps:steps=[\"x\"]"];
    for out in ["o.jsonl", "o.json", "o.csv", "o.html", "o.md", "o.xml", "o.parquet"] {
        arguments.extend(["-o", out]);
    }
    for run in [
        probare(place, &arguments),
        probare(place, &["verify", "o.jsonl"]),
        probare(place, &["verify", "o.html"]),
        probare(place, &["show", "o.jsonl", "--id", "c1"]),
        probare(place, &["models", "record", "list"]),
        probare(place, &["models", "record", "export", "-"]),
        probare(place, &["models", "record", "export", "replies.jsonl"]),
        probare(place, &["judge", "calibrate", "cases.jsonl", "-m", "judge_rubric"]),
    ] {
        assert_clean("what was printed", both_streams(&run).as_bytes());
    }
    let lines = fs::read_to_string(place.join("o.jsonl")).unwrap();
    assert!(lines.contains("unparseable") && lines.contains("\"kind\":\"failed\""), "{lines}");
    assert!(lines.contains("[redacted]"), "the server's complaints reach the results: {lines}");
    assert!(server.requests() > 20);
    assert!(assert_folder_clean(place) >= 12);

    // A key in the wrong place is refused without being shown.
    for wrong in ["api_key: KEY", "temperature: KEY", "headers: {Authorization: KEY}", "base_url: https://KEY@x.org/v1"]
    {
        let config =
            format!("models:\n  - name: openai:gpt-4o\n    {}\njudges: [openai:gpt-4o]\n", wrong.replace("KEY", KEY));
        fs::write(place.join("probare.yaml"), config).unwrap();
        let refused = probare(place, &["score", "cases.jsonl", "-m", "judge_rubric"]);
        assert_eq!(code(&refused), 64, "{}", both_streams(&refused));
        assert_clean(wrong, both_streams(&refused).as_bytes());
    }
}

#[test]
fn a_judge_is_asked_only_where_the_reading_is_unsure() {
    let folder = tempfile::tempdir().unwrap();
    let place = folder.path();
    let example = examples().join("../cascade");
    for file in fs::read_dir(&example).unwrap().map(|file| file.unwrap().path()) {
        fs::copy(&file, place.join(file.file_name().unwrap())).unwrap();
    }
    let text = run_successfully(place, &["score", "-c", "probare.yaml", "-o", "judged.jsonl"]);
    assert!(text.contains("120 (62 by rule, 58 by judge)"), "{text}");
    assert!(text.contains("58 questions, 58 from the response cache"), "{text}");
    assert!(run_successfully(place, &["verify", "judged.jsonl"]).contains("120 scores computed again"));

    // As people labelled them, and as the judge says who is asked about everything.
    let read = |name: &str| fs::read_to_string(place.join(name)).unwrap();
    let people: BTreeMap<String, String> = read("labels.csv")
        .lines()
        .skip(1)
        .filter_map(|line| line.split_once(',').map(|(id, label)| (id.to_owned(), label.to_owned())))
        .collect();
    let score = |line: &str| {
        let row: serde_json::Value = serde_json::from_str(line).unwrap();
        (row["id"].as_str().unwrap().to_owned(), row["scores"]["answer_match"].clone())
    };
    let judged: BTreeMap<String, serde_json::Value> = read("judged.jsonl").lines().map(score).collect();
    assert!(judged.iter().all(|(id, score)| score["label"] == people[id].as_str()));
    for (id, by, reading) in [("q01a", "rule", None), ("q03c", "judge", Some(0.3)), ("q03d", "judge", Some(0.3))] {
        assert_eq!((&judged[id]["decided_by"], judged[id]["parts"]["rule"].as_f64()), (&by.into(), reading), "{id}");
    }
    let always = ["score", "cases.jsonl", "-m", "answer_match=answer_match:judge=always", "--config", "all.yaml"];
    let yaml = read("probare.yaml");
    fs::write(place.join("all.yaml"), &yaml[..yaml.find("datasets").unwrap()]).unwrap();
    assert!(run_successfully(place, &[&always[..], &["-o", "all.jsonl"]].concat()).contains("120 questions"));
    let all: BTreeMap<String, serde_json::Value> = read("all.jsonl").lines().map(score).collect();
    assert!(
        all.iter().all(|(id, score)| (score["value"] == 1.0) == (judged[id]["label"] == "pass")),
        "both ways agree"
    );
    let plain = run_successfully(place, &["run", "probare.yaml", "--dry-run"]);
    assert!(plain.contains("answer_match") && plain.contains("at most 120 calls"), "{plain}");

    // What cannot be honoured is refused before anything is asked.
    for (metric, part) in [
        ("list_one:judge=when_unsure", "never abstains by itself"),
        ("token_f1:judge=always", "no judge answers the question of `token_f1`"),
        ("answer_match:judge=perhaps", "one of never, when_unsure, always"),
    ] {
        let refused =
            run_expecting(place, 64, &["score", "cases.jsonl", "-m", metric, "-c", "all.yaml", "-o", "no.jsonl"]);
        assert!(refused.contains(part), "{refused}");
    }
    assert!(run_successfully(place, &["explain", "answer_match"]).contains("takes `judge`"));
}

/// A file of conversations has no column for the response, and no hint says that it needs one.
#[test]
fn a_conversation_without_an_answer_is_not_told_to_name_a_column() {
    let folder = tempfile::tempdir().unwrap();
    let place = folder.path();
    let call =
        r#"{"role":"assistant","tool_calls":[{"id":"1","type":"function","function":{"name":"f","arguments":"{}"}}]}"#;
    for name in ["messages", "conversation"] {
        let row = format!("{{\"id\":\"a\",\"{name}\":[{{\"role\":\"user\",\"content\":\"Do it.\"}},{call}]}}\n");
        fs::write(place.join("cases.jsonl"), row).unwrap();
        let text = both_streams(&probare(place, &["score", "cases.jsonl", "-m", "json_valid", "-o", "out.jsonl"]));
        assert!(text.contains("the case has no `response`") && !text.contains("hint: no column"), "{text}");
    }
    fs::write(place.join("cases.jsonl"), "{\"id\":\"a\",\"reply\":\"x\"}\n").unwrap();
    let text = both_streams(&probare(place, &["score", "cases.jsonl", "-m", "json_valid", "-o", "out.jsonl"]));
    assert!(text.contains("hint: no column of `cases.jsonl` is a response"), "{text}");
}
