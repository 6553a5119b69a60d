//! `probare calibrate`, and what `--bands` does with what it writes.

use std::fs;
use std::path::Path;

use serde_json::{Value as Json, json};

use crate::program::ended;

/// Cases whose responses have 0 to 9 of the ten words of the reference, and labels: people pass six words and more, but for
/// one case in two hundred.
fn scored(folder: &Path, count: usize) {
    let words = ["a1", "b2", "c3", "d4", "e5", "f6", "g7", "h8", "i9", "j10"];
    let (mut cases, mut labels) = (String::new(), String::from("id,person\n"));
    for case in 0..count {
        let known = case % 10;
        let response = if known == 0 { "nothing".to_owned() } else { words[..known].join(" ") };
        let row = json!({"id": format!("c{case}"), "response": response, "reference": words.join(" ")});
        cases.push_str(&format!("{row}\n"));
        let passes = (known >= 6) != (case % 200 == 57);
        labels.push_str(&format!("c{case},{}\n", if passes { "pass" } else { "fail" }));
    }
    fs::write(folder.join("cases.jsonl"), cases).unwrap();
    fs::write(folder.join("labels.csv"), labels).unwrap();
    for out in ["results.jsonl", "results.csv"] {
        ended(folder, 0, &["score", "cases.jsonl", "-m", "token_f1", "-m", "exact_match", "-q", "-o", out]);
    }
}

const CALIBRATE: [&str; 8] =
    ["calibrate", "results.jsonl", "--labels", "labels.csv", "--label", "person", "--metric", "token_f1"];

fn calibrate<'a>(more: &[&'a str]) -> Vec<&'a str> {
    [&CALIBRATE[..], more].concat()
}

#[test]
fn bands_are_found_written_used_and_verified() {
    let folder = tempfile::tempdir().unwrap();
    let place = folder.path();
    scored(place, 1200);
    let text = ended(place, 0, &calibrate(&["-o", "bands.json"]));
    assert!(text.contains("cases with a label and a value, of which people pass 474"), "{text}");
    assert!(text.contains("promised: at most 5 % of such verdicts are wrong, with 95 % confidence"), "{text}");
    let told: Json = serde_json::from_str(&ended(place, 0, &calibrate(&["--json"]))).unwrap();
    // Six words of ten: 2 · 6 / 16.
    assert!((told["pass"]["band"]["at"].as_f64().unwrap() - 0.75).abs() < 1e-9);
    assert_eq!((&told["pass"]["band"]["wrong"], &told["decided"]), (&json!(6), &json!(1200)));
    let written: Json = serde_json::from_str(&fs::read_to_string(place.join("bands.json")).unwrap()).unwrap();
    assert_eq!(written["bands"]["pass"], told["pass"]["band"]["at"]);

    // A table says the same.
    let mut of_table = calibrate(&["--json"]);
    of_table[1] = "results.csv";
    assert_eq!(serde_json::from_str::<Json>(&ended(place, 0, &of_table)).unwrap(), told);

    let score = ["score", "cases.jsonl", "-m", "token_f1", "--bands", "bands.json"];
    ended(place, 0, &[&score[..], &["-q", "-o", "banded.jsonl"]].concat());
    let label = |line: &str| serde_json::from_str::<Json>(line).unwrap()["scores"]["token_f1"]["label"].clone();
    let banded = fs::read_to_string(place.join("banded.jsonl")).unwrap();
    let labels: Vec<Json> = banded.lines().map(label).collect();
    assert_eq!((&labels[4], &labels[9]), (&json!("fail"), &json!("pass")));
    assert!(ended(place, 0, &["verify", "banded.jsonl"]).contains("agree"));
    let manifest = fs::read_to_string(place.join("banded.jsonl.run.json")).unwrap();
    assert!(manifest.contains(r#""bands""#), "{manifest}");
    // Labels have gates.
    let gated = ended(place, 2, &[&score[..], &["--fail-labels", "token_f1:fail>10%", "-o", "gated.csv"]].concat());
    assert!(gated.contains("token_f1 is fail in"), "{gated}");
}

#[test]
fn what_cannot_be_promised_is_refused_in_words() {
    let folder = tempfile::tempdir().unwrap();
    let place = folder.path();
    scored(place, 50);
    let few = ended(place, 1, &calibrate(&["-o", "bands.json"]));
    assert!(few.contains("50 labelled cases are too few: 72 at one end of the scale have to be right"), "{few}");
    assert!(!place.join("bands.json").exists());
    // With less to promise they are enough.
    ended(place, 0, &calibrate(&["--error", "0.2", "-o", "bands.json"]));
    // Labels that have nothing to do with the value.
    scored(place, 400);
    let coin: String = (0..400).map(|case| format!("c{case},{}\n", case / 10 % 2)).collect();
    fs::write(place.join("labels.csv"), format!("id,person\n{coin}")).unwrap();
    let neither = ended(place, 1, &calibrate(&[]));
    assert!(
        neither.contains("at neither end of `token_f1` can at most 5 % wrong with 95 % confidence be promised"),
        "{neither}"
    );
    assert!(neither.contains("no further labels would widen where it passes"), "{neither}");
}

#[test]
fn mistakes_are_told() {
    let folder = tempfile::tempdir().unwrap();
    let place = folder.path();
    scored(place, 600);
    let with = |changed: &[(&str, &str)]| -> Vec<String> {
        let mut words: Vec<String> = CALIBRATE.iter().map(|word| (*word).to_owned()).collect();
        for (from, to) in changed {
            words.iter_mut().filter(|word| *word == from).for_each(|word| (*to).clone_into(word));
        }
        words
    };
    let tried = |code: i32, changed: &[(&str, &str)]| {
        let words = with(changed);
        ended(place, code, &words.iter().map(String::as_str).collect::<Vec<_>>())
    };
    assert!(tried(64, &[("token_f1", "token_f2")]).contains("a similar name exists: `token_f1`"));
    assert!(tried(1, &[("person", "nobody")]).contains("labels are looked for in `nobody`"));
    fs::write(place.join("odd.csv"), "id,person\nc1,perhaps\n").unwrap();
    assert!(tried(1, &[("labels.csv", "odd.csv")]).contains("which is no label"));
    fs::write(place.join("strange.csv"), "id,person\nnobody,pass\n").unwrap();
    assert!(tried(1, &[("labels.csv", "strange.csv")]).contains("matched by their `id`"));
    assert!(ended(place, 64, &calibrate(&["--error", "1.5"])).contains("a number between 0 and 1"));
    assert!(ended(place, 64, &calibrate(&["-o", "bands.txt"])).contains("name a .json file"));
    let without = ["calibrate", "results.jsonl", "--labels", "labels.csv", "--label", "person"];
    assert!(ended(place, 64, &without).contains("name one of token_f1, exact_match with --metric"));

    // Several outputs of a case are no cases of their own.
    let row = |repeat: u32| format!("{}\n", json!({"id": "c1", "response": "a1", "reference": "a1", "repeat": repeat}));
    fs::write(place.join("twice.jsonl"), row(0) + &row(1)).unwrap();
    ended(place, 0, &["score", "twice.jsonl", "-m", "token_f1", "-q", "-o", "twice.out.jsonl"]);
    assert!(tried(64, &[("results.jsonl", "twice.out.jsonl")]).contains("the case `c1` has several outputs"));
}

#[test]
fn bands_of_another_metric_or_reading_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let place = folder.path();
    scored(place, 600);
    ended(place, 0, &calibrate(&["-o", "bands.json"]));
    let used = |code: i32, metric: &str, file: &str| {
        ended(place, code, &["score", "cases.jsonl", "-m", metric, "--bands", file, "-q", "-o", "out.jsonl"])
    };
    assert!(used(64, "exact_match", "bands.json").contains("has bands for `token_f1`, which is not computed here"));
    assert!(used(64, "token_f1", "nobody.json").contains("cannot read the bands in `nobody.json`"));
    let mut file: Json = serde_json::from_str(&fs::read_to_string(place.join("bands.json")).unwrap()).unwrap();
    file["version"] = json!(77);
    fs::write(place.join("older.json"), file.to_string()).unwrap();
    assert!(used(64, "token_f1", "older.json").contains("are for token_f1 version 77"));
    file["format"] = json!(9);
    fs::write(place.join("newer.json"), file.to_string()).unwrap();
    assert!(used(64, "token_f1", "newer.json").contains("this release reads format 1"));
    // A configuration names them, too.
    fs::write(
        place.join("probare.yaml"),
        "datasets:\n  - path: cases.jsonl\nmetrics: [token_f1]\nrun: {bands: [bands.json], output: [out.jsonl]}\n",
    )
    .unwrap();
    ended(place, 0, &["score"]);
    assert!(fs::read_to_string(place.join("out.jsonl")).unwrap().contains(r#""label":"pass""#));
}

#[test]
fn a_stored_run_is_calibrated_and_its_bands_hold_when_it_goes_on() {
    let folder = tempfile::tempdir().unwrap();
    let place = folder.path();
    scored(place, 600);
    // The model says what the cases have as responses already; a second one knows nothing.
    let mut outputs = String::new();
    for line in fs::read_to_string(place.join("cases.jsonl")).unwrap().lines() {
        let row: Json = serde_json::from_str(line).unwrap();
        for (model, text) in [("knows", row["response"].clone()), ("guesses", json!("who knows"))] {
            let row = json!({"id": row["id"], "model": model, "response": text, "reference": row["reference"]});
            outputs.push_str(&format!("{row}\n"));
        }
    }
    fs::write(place.join("outputs.jsonl"), outputs).unwrap();
    ended(place, 0, &["score", "outputs.jsonl", "-m", "token_f1", "-q", "-o", "two.jsonl"]);
    let of = |results: &str| {
        let mut words = calibrate(&["--json"]);
        words[1] = results;
        words.into_iter().map(str::to_owned).collect::<Vec<_>>()
    };
    let told = |code: i32, words: &[String]| ended(place, code, &words.iter().map(String::as_str).collect::<Vec<_>>());
    let plain: Json = serde_json::from_str(&told(0, &of("results.jsonl"))).unwrap();
    assert_eq!(serde_json::from_str::<Json>(&told(0, &of("two.jsonl@knows"))).unwrap(), plain);
    assert!(told(64, &of("two.jsonl")).contains("has several outputs"));
    assert!(told(1, &of("nobody.jsonl")).contains("nobody.jsonl"));

    // In a store: the run of a model that repeats what the case has.
    let model = "{name: echo, provider: command, command: [sh, echo.sh], concurrency: 1}";
    fs::write(place.join("echo.sh"), "cat > /dev/null; echo '{\"text\": \"a1 b2 c3 d4 e5 f6 g7 h8 i9 j10\"}'\n")
        .unwrap();
    let questions: String = (0..80)
        .map(|case| {
            format!(
                "{}\n",
                json!({"id": format!("c{case}"), "query": "What?", "reference": "a1 b2 c3 d4 e5 f6 g7 h8 i9 j10"})
            )
        })
        .collect();
    fs::write(place.join("questions.jsonl"), questions).unwrap();
    let people: String = (0..80).map(|case| format!("c{case},pass,1\n")).collect();
    fs::write(place.join("two.csv"), format!("id,ada,bo\n{people}")).unwrap();
    let yaml = format!("datasets: [{{path: questions.jsonl}}]\nmodels: [{model}]\nmetrics: [token_f1]\n");
    fs::write(place.join("run.yaml"), &yaml).unwrap();
    ended(place, 0, &["run", "run.yaml", "-q", "--store", "runs.db"]);
    let stored = ["calibrate", "1", "--store", "runs.db", "--labels", "two.csv", "--label", "ada", "--label", "bo"];
    let text = ended(place, 0, &[&stored[..], &["-o", "echo.json"]].concat());
    assert!(text.contains("80 cases with a label and a value, of which people pass 80"), "{text}");
    // Of two people who differ the mean counts.
    let split: String =
        (0..80).map(|case| format!("c{case},pass,{}\n", if case < 40 { "fail" } else { "pass" })).collect();
    fs::write(place.join("two.csv"), format!("id,ada,bo\n{split}")).unwrap();
    assert!(ended(place, 1, &[&stored[..], &["--pass", "0.6"]].concat()).contains("of which people pass 40"));

    // A run that stops half-way keeps its bands.
    ended(place, 0, &["run", "run.yaml", "-q", "--store", "runs.db", "--bands", "echo.json", "--limit", "30"]);
    ended(place, 0, &["runs", "delete", "2", "--case", "c7", "--store", "runs.db"]);
    ended(place, 0, &["resume", "2", "-q", "--store", "runs.db", "-o", "again.jsonl"]);
    let again = fs::read_to_string(place.join("again.jsonl")).unwrap();
    assert_eq!((again.lines().count(), again.matches(r#""label":"pass""#).count()), (30, 30), "{again}");
}
