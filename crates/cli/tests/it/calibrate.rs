//! `probare calibrate`, and what `--decision-thresholds` does with what it writes.

use std::fs;
use std::path::Path;

use serde_json::{Value as Json, json};

use crate::program::run_expecting;

/// Cases whose responses have 0 to 9 of the ten words of the reference, and labels: people pass six words and more, but for
/// one case in two hundred.
fn write_scored_files(folder: &Path, count: usize) {
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
        run_expecting(folder, 0, &["score", "cases.jsonl", "-m", "token_f1", "-m", "exact_match", "-q", "-o", out]);
    }
}

const CALIBRATE: [&str; 8] =
    ["calibrate", "results.jsonl", "--labels", "labels.csv", "--label", "person", "--metric", "token_f1"];

fn calibrate<'a>(more: &[&'a str]) -> Vec<&'a str> {
    [&CALIBRATE[..], more].concat()
}

#[test]
fn decision_thresholds_are_found_written_used_and_verified() {
    let folder = tempfile::tempdir().unwrap();
    let place = folder.path();
    write_scored_files(place, 1200);
    let text = run_expecting(place, 0, &calibrate(&["-o", "thresholds.json"]));
    assert!(text.contains("cases with a label and a value, of which people pass 474"), "{text}");
    assert!(text.contains("guarantee: at most 5 % of such decisions are wrong, with 95 % confidence"), "{text}");
    let told: Json = serde_json::from_str(&run_expecting(place, 0, &calibrate(&["--json"]))).unwrap();
    // Six words of ten: 2 · 6 / 16.
    assert!((told["pass"]["threshold"]["at"].as_f64().unwrap() - 0.75).abs() < 1e-9);
    assert_eq!((&told["pass"]["threshold"]["wrong"], &told["decided"]), (&json!(6), &json!(1200)));
    let written: Json = serde_json::from_str(&fs::read_to_string(place.join("thresholds.json")).unwrap()).unwrap();
    assert_eq!(written["decision_thresholds"]["pass"], told["pass"]["threshold"]["at"]);

    // A table says the same.
    let mut of_table = calibrate(&["--json"]);
    of_table[1] = "results.csv";
    assert_eq!(serde_json::from_str::<Json>(&run_expecting(place, 0, &of_table)).unwrap(), told);

    let score = ["score", "cases.jsonl", "-m", "token_f1", "--decision-thresholds", "thresholds.json"];
    run_expecting(place, 0, &[&score[..], &["-q", "-o", "labelled.jsonl"]].concat());
    let label = |line: &str| serde_json::from_str::<Json>(line).unwrap()["scores"]["token_f1"]["label"].clone();
    let labelled = fs::read_to_string(place.join("labelled.jsonl")).unwrap();
    let labels: Vec<Json> = labelled.lines().map(label).collect();
    assert_eq!((&labels[4], &labels[9]), (&json!("fail"), &json!("pass")));
    assert!(run_expecting(place, 0, &["verify", "labelled.jsonl"]).contains("agree"));
    let manifest = fs::read_to_string(place.join("labelled.jsonl.run.json")).unwrap();
    assert!(manifest.contains(r#""decision_thresholds""#), "{manifest}");
    // Labels have gates.
    let gated =
        run_expecting(place, 2, &[&score[..], &["--fail-labels", "token_f1:fail>10%", "-o", "gated.csv"]].concat());
    assert!(gated.contains("token_f1 is fail in"), "{gated}");
}

#[test]
fn what_cannot_be_guaranteed_is_refused_in_words() {
    let folder = tempfile::tempdir().unwrap();
    let place = folder.path();
    write_scored_files(place, 50);
    let few = run_expecting(place, 1, &calibrate(&["-o", "thresholds.json"]));
    assert!(few.contains("50 labelled cases are too few: 72 at one end of the scale have to be right"), "{few}");
    assert!(!place.join("thresholds.json").exists());
    // With less to guarantee they are enough.
    run_expecting(place, 0, &calibrate(&["--error", "0.2", "-o", "thresholds.json"]));
    // Labels that have nothing to do with the value.
    write_scored_files(place, 400);
    let coin: String = (0..400).map(|case| format!("c{case},{}\n", case / 10 % 2)).collect();
    fs::write(place.join("labels.csv"), format!("id,person\n{coin}")).unwrap();
    let neither = run_expecting(place, 1, &calibrate(&[]));
    assert!(
        neither.contains("at neither end of `token_f1` can at most 5 % wrong with 95 % confidence be guaranteed"),
        "{neither}"
    );
    assert!(neither.contains("where it passes: more labels like these would decide no more"), "{neither}");
}

/// Review 0.3, V25: a metric that separates people's labels and has two values alone.
#[test]
fn the_labels_that_are_missing_are_told() {
    let folder = tempfile::tempdir().unwrap();
    let place = folder.path();
    let (mut cases, mut labels) = (String::new(), String::from("id,person\n"));
    for case in 0..105 {
        let answer = if case < 71 { "yes" } else { "no" };
        cases.push_str(&format!("{}\n", json!({"id": format!("c{case}"), "response": answer, "reference": "yes"})));
        labels.push_str(&format!("c{case},{}\n", u8::from(case < 71)));
    }
    fs::write(place.join("cases.jsonl"), cases).unwrap();
    fs::write(place.join("labels.csv"), labels).unwrap();
    run_expecting(place, 0, &["score", "cases.jsonl", "-m", "exact_match", "-q", "-o", "results.jsonl"]);
    let calibrate = ["calibrate", "results.jsonl", "--labels", "labels.csv", "--label", "person"];
    let text = run_expecting(place, 1, &calibrate);
    assert!(
        text.contains(
            "to decide anything where it passes: 71 of 71 right there; 1 more label is needed there, about 2 in all"
        ),
        "{text}"
    );
    assert!(text.contains("label about 2 more cases like these"), "{text}");
    let text = run_expecting(place, 0, &[&calibrate[..], &["--error", "0.1", "--confidence", "0.9"]].concat());
    assert!(text.contains("coverage: 67.62 %, 71 of 105 decided; 34 unsure"), "{text}");
    assert!(
        text.contains(
            "to decide anything where it fails: 34 of 34 right there; 2 more labels are needed there, about 7 in all"
        ),
        "{text}"
    );
    assert!(
        text.contains("with about 7 more labels: 99") || text.contains("with about 7 more labels: 100 % decided"),
        "{text}"
    );
}

/// Where decisions are wrong more often in one group than is guaranteed, and where a run has values that no label was for.
#[test]
fn groups_and_values_beyond_the_calibration_are_told() {
    let folder = tempfile::tempdir().unwrap();
    let place = folder.path();
    let (mut cases, mut labels) = (String::new(), String::from("id,person\n"));
    for case in 0..600 {
        let words = ["a", "b", "c", "d"][..=case % 4].join(" ");
        let is_rare = case % 50 < 4;
        let tag = if is_rare { "lang:rare" } else { "lang:en" };
        let row = json!({"id": format!("c{case}"), "response": words, "reference": "a b c d e", "tags": [tag]});
        cases.push_str(&format!("{row}\n"));
        // People pass three words and more; in the rare language half of them are no good.
        let passes = case % 4 >= 2 && !(is_rare && case % 100 < 50);
        labels.push_str(&format!("c{case},{}\n", u8::from(passes)));
    }
    fs::write(place.join("cases.jsonl"), cases).unwrap();
    fs::write(place.join("labels.csv"), labels).unwrap();
    run_expecting(place, 0, &["score", "cases.jsonl", "-m", "token_f1", "-q", "-o", "results.jsonl"]);
    let calibrate =
        ["calibrate", "results.jsonl", "--labels", "labels.csv", "--label", "person", "--error", "0.1", "--by", "lang"];
    let text = run_expecting(place, 0, &[&calibrate[..], &["-o", "thresholds.json"]].concat());
    assert!(text.contains("group en: ") && text.contains("group rare: "), "{text}");
    let rare = text.lines().find(|line| line.starts_with("group rare")).unwrap();
    assert!(rare.ends_with("more than guaranteed, so calibrate this group by itself"), "{text}");
    let told: Json = serde_json::from_str(&run_expecting(place, 0, &[&calibrate[..], &["--json"]].concat())).unwrap();
    assert_eq!(
        (&told["groups"][0]["more_than_guaranteed"], &told["groups"][1]["more_than_guaranteed"]),
        (&json!(false), &json!(true)),
        "{told:#}"
    );
    let nobody = run_expecting(place, 1, &[&calibrate[..9], &["nobody"]].concat());
    assert!(nobody.contains("no labelled case has a group by"), "{nobody}");

    let beyond = json!({"id": "x", "response": "a b c d e", "reference": "a b c d e"});
    fs::write(place.join("new.jsonl"), format!("{beyond}\n")).unwrap();
    let score = ["score", "new.jsonl", "-m", "token_f1", "--decision-thresholds", "thresholds.json"];
    let text = run_expecting(
        place,
        0,
        &[&score[..], &["-o", "new.md", "-o", "new.html", "-o", "new.xml", "-o", "new.json"]].concat(),
    );
    let warning = "token_f1: 1 of 1 values lie outside of those that its decision thresholds were calibrated on";
    assert!(text.contains(warning), "{text}");
    for (file, name) in [("new.md", r"token\_f1"), ("new.html", "token_f1"), ("new.xml", "token_f1")] {
        let page = fs::read_to_string(place.join(file)).unwrap();
        assert!(page.contains(&warning.replace("token_f1", name)), "{file}");
    }
    let json: Json = serde_json::from_str(&fs::read_to_string(place.join("new.json")).unwrap()).unwrap();
    assert_eq!(json["summary"]["metrics"][0]["out_of_calibrated_range"], 1, "{json:#}");
    assert!(run_expecting(place, 0, &["verify", "new.json"]).contains("agree"));
}

#[test]
fn names_of_release_0_3_are_read_and_mentioned_once() {
    let folder = tempfile::tempdir().unwrap();
    let place = folder.path();
    write_scored_files(place, 600);
    run_expecting(place, 0, &calibrate(&["-o", "thresholds.json"]));
    let mut file: Json = serde_json::from_str(&fs::read_to_string(place.join("thresholds.json")).unwrap()).unwrap();
    let mut old = file["decision_thresholds"].take();
    old.as_object_mut().unwrap().remove("range");
    file.as_object_mut().unwrap().remove("decision_thresholds");
    file["bands"] = old;
    file["format"] = json!(1);
    fs::write(place.join("bands.json"), file.to_string()).unwrap();
    let with = |arguments: &[&str]| {
        let text = run_expecting(
            place,
            0,
            &[&["score", "cases.jsonl", "-m", "token_f1", "-o", "out.jsonl"], arguments].concat(),
        );
        assert!(fs::read_to_string(place.join("out.jsonl")).unwrap().contains(r#""label":"pass""#));
        text
    };
    let text = with(&["--bands", "bands.json"]);
    assert_eq!(text.matches("`--bands` is now `--decision-thresholds`").count(), 1, "{text}");
    assert!(!with(&["--decision-thresholds", "bands.json"]).contains("is now"));
    fs::write(place.join("probare.yaml"), "run: {bands: [bands.json]}\n").unwrap();
    assert!(with(&["-c", "probare.yaml"]).contains("`bands` in probare.yaml is now `decision_thresholds`"));
}

#[test]
fn mistakes_are_told() {
    let folder = tempfile::tempdir().unwrap();
    let place = folder.path();
    write_scored_files(place, 600);
    let with = |changed: &[(&str, &str)]| -> Vec<String> {
        let mut words: Vec<String> = CALIBRATE.iter().map(|word| (*word).to_owned()).collect();
        for (from, to) in changed {
            words.iter_mut().filter(|word| *word == from).for_each(|word| (*to).clone_into(word));
        }
        words
    };
    let tried = |code: i32, changed: &[(&str, &str)]| {
        let words = with(changed);
        run_expecting(place, code, &words.iter().map(String::as_str).collect::<Vec<_>>())
    };
    assert!(tried(64, &[("token_f1", "token_f2")]).contains("a similar name exists: `token_f1`"));
    assert!(tried(1, &[("person", "nobody")]).contains("labels are looked for in `nobody`"));
    fs::write(place.join("odd.csv"), "id,person\nc1,perhaps\n").unwrap();
    assert!(tried(1, &[("labels.csv", "odd.csv")]).contains("which is no label"));
    fs::write(place.join("strange.csv"), "id,person\nnobody,pass\n").unwrap();
    assert!(tried(1, &[("labels.csv", "strange.csv")]).contains("matched by their `id`"));
    assert!(run_expecting(place, 64, &calibrate(&["--error", "1.5"])).contains("a number between 0 and 1"));
    assert!(run_expecting(place, 64, &calibrate(&["-o", "thresholds.txt"])).contains("name a .json file"));
    let without = ["calibrate", "results.jsonl", "--labels", "labels.csv", "--label", "person"];
    assert!(run_expecting(place, 64, &without).contains("name one of token_f1, exact_match with --metric"));

    // Several outputs of a case are no cases of their own.
    let row = |repeat: u32| format!("{}\n", json!({"id": "c1", "response": "a1", "reference": "a1", "repeat": repeat}));
    fs::write(place.join("twice.jsonl"), row(0) + &row(1)).unwrap();
    run_expecting(place, 0, &["score", "twice.jsonl", "-m", "token_f1", "-q", "-o", "twice.out.jsonl"]);
    assert!(tried(64, &[("results.jsonl", "twice.out.jsonl")]).contains("the case `c1` has several outputs"));
}

#[test]
fn decision_thresholds_of_another_metric_or_reading_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let place = folder.path();
    write_scored_files(place, 600);
    run_expecting(place, 0, &calibrate(&["-o", "thresholds.json"]));
    let used = |code: i32, metric: &str, file: &str| {
        run_expecting(
            place,
            code,
            &["score", "cases.jsonl", "-m", metric, "--decision-thresholds", file, "-q", "-o", "out.jsonl"],
        )
    };
    assert!(
        used(64, "exact_match", "thresholds.json")
            .contains("has decision thresholds for `token_f1`, which is not computed here")
    );
    assert!(used(64, "token_f1", "nobody.json").contains("cannot read the decision thresholds in `nobody.json`"));
    let mut file: Json = serde_json::from_str(&fs::read_to_string(place.join("thresholds.json")).unwrap()).unwrap();
    file["version"] = json!(77);
    fs::write(place.join("older.json"), file.to_string()).unwrap();
    assert!(used(64, "token_f1", "older.json").contains("are for token_f1 version 77"));
    file["format"] = json!(9);
    fs::write(place.join("newer.json"), file.to_string()).unwrap();
    assert!(used(64, "token_f1", "newer.json").contains("this release reads formats 1 to 2"));
    // A configuration names them, too.
    fs::write(
        place.join("probare.yaml"),
        "datasets:\n  - path: cases.jsonl\nmetrics: [token_f1]\nrun: {decision_thresholds: [thresholds.json], output: [out.jsonl]}\n",
    )
    .unwrap();
    run_expecting(place, 0, &["score", "-c", "probare.yaml"]);
    assert!(fs::read_to_string(place.join("out.jsonl")).unwrap().contains(r#""label":"pass""#));
}

#[test]
fn a_stored_run_is_calibrated_and_its_thresholds_hold_when_it_goes_on() {
    let folder = tempfile::tempdir().unwrap();
    let place = folder.path();
    write_scored_files(place, 600);
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
    run_expecting(place, 0, &["score", "outputs.jsonl", "-m", "token_f1", "-q", "-o", "two.jsonl"]);
    let of = |results: &str| {
        let mut words = calibrate(&["--json"]);
        words[1] = results;
        words.into_iter().map(str::to_owned).collect::<Vec<_>>()
    };
    let told =
        |code: i32, words: &[String]| run_expecting(place, code, &words.iter().map(String::as_str).collect::<Vec<_>>());
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
    run_expecting(place, 0, &["run", "run.yaml", "-q", "--store", "runs.db"]);
    let stored = ["calibrate", "1", "--store", "runs.db", "--labels", "two.csv", "--label", "ada", "--label", "bo"];
    let text = run_expecting(place, 0, &[&stored[..], &["-o", "echo.json"]].concat());
    assert!(text.contains("80 cases with a label and a value, of which people pass 80"), "{text}");
    assert!(text.contains("warning: people pass every labelled case; check the column of labels"), "{text}");
    // Of two people who differ the mean counts.
    let split: String =
        (0..80).map(|case| format!("c{case},pass,{}\n", if case < 40 { "fail" } else { "pass" })).collect();
    fs::write(place.join("two.csv"), format!("id,ada,bo\n{split}")).unwrap();
    assert!(run_expecting(place, 1, &[&stored[..], &["--pass", "0.6"]].concat()).contains("of which people pass 40"));

    // A run that stops half-way keeps its thresholds.
    run_expecting(
        place,
        0,
        &["run", "run.yaml", "-q", "--store", "runs.db", "--decision-thresholds", "echo.json", "--limit", "30"],
    );
    run_expecting(place, 0, &["runs", "delete", "2", "--case", "c7", "--store", "runs.db"]);
    run_expecting(place, 0, &["resume", "2", "-q", "--store", "runs.db", "-o", "again.jsonl"]);
    let again = fs::read_to_string(place.join("again.jsonl")).unwrap();
    assert_eq!((again.lines().count(), again.matches(r#""label":"pass""#).count()), (30, 30), "{again}");
}
