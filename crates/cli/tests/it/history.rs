//! `probare history`: trends over runs of a store and over files, the same numbers as a comparison, and what cannot be asked.

use std::fs;
use std::path::Path;

use serde_json::{Value as Json, json};

use crate::program::{run, run_expecting, run_successfully};

/// Thirty cases, of which the first `right` are answered as they should be.
fn cases(right: usize) -> String {
    let row = |case: usize| {
        let response = if case < right { "It is Paris." } else { "It is Rome." };
        format!(
            "{}\n",
            json!({"id": format!("c{case:02}"), "query": "Which city?", "response": response, "reference": "It is Paris."})
        )
    };
    (0..30).map(row).collect()
}

/// A store with one run for each number of right answers.
fn store(rights: &[usize]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let place = folder.path();
    let yaml = "datasets: [{name: cities, path: cases.jsonl}]\nmetrics: [exact_match, token_f1]\n";
    fs::write(place.join("probare.yaml"), yaml).unwrap();
    for right in rights {
        fs::write(place.join("cases.jsonl"), cases(*right)).unwrap();
        run_successfully(place, &["run", "probare.yaml", "-q"]);
    }
    folder
}

fn history(folder: &Path, words: &[&str]) -> Json {
    let output = run(folder, &[&["history", "--json"], words].concat());
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).unwrap()
}

#[test]
fn a_history_names_the_first_difference_and_has_the_numbers_of_a_comparison() {
    let folder = store(&[15, 16, 29]);
    let place = folder.path();
    let found = history(place, &[]);
    assert_eq!(found["runs"][2]["name"], "run 3");
    let series = found["series"].as_array().unwrap();
    assert_eq!(series.len(), 2);
    let exact = series.iter().find(|series| series["metric"] == "exact_match").unwrap();
    assert_eq!(exact["dataset"], "cities");
    let means: Vec<f64> =
        exact["points"].as_array().unwrap().iter().map(|point| point["mean"].as_f64().unwrap()).collect();
    assert_eq!(means, [15.0, 16.0, 29.0].map(|right| right / 30.0));
    assert_eq!(exact["first_difference"], 2);

    let compared: Json = serde_json::from_str(&run_successfully(place, &["compare", "2", "3", "--json"])).unwrap();
    for metric in compared["others"][0]["metrics"].as_array().unwrap() {
        let of = series.iter().find(|series| series["metric"] == metric["metric"]).unwrap();
        let step = &of["points"][2]["step"];
        for (here, there) in
            [("pairs", "pairs"), ("difference", "mean"), ("p_value", "p_value"), ("interval", "interval")]
        {
            assert_eq!(step[here], metric["whole"][there], "{here} of {}", metric["metric"]);
        }
        assert_eq!(of["points"][2]["step"]["verdict"], "better");
    }
    let exported: Json = {
        run_successfully(place, &["runs", "export", "3", "-o", "third.json"]);
        serde_json::from_str(&fs::read_to_string(place.join("third.json")).unwrap()).unwrap()
    };
    assert_eq!(exact["points"][2]["interval"], exported["summary"]["metrics"][0]["interval"], "that of the reports");

    let text = run_successfully(place, &["history", "1", "2", "3", "--metric", "exact_match", "--color", "never"]);
    for words in ["cities: exact_match  ▁▁█", "first difference: run 3", "c16: bad bad good"] {
        assert!(text.contains(words), "{words}:\n{text}");
    }
    assert!(!text.contains("token_f1"), "{text}");
    let last = history(place, &["--last", "2"]);
    assert_eq!(last["runs"].as_array().unwrap().len(), 2);
    assert_eq!(last["series"][0]["points"][0]["step"], Json::Null);
}

#[test]
fn files_of_a_folder_meet_by_the_cases_that_they_are_about() {
    let folder = tempfile::tempdir().unwrap();
    let place = folder.path();
    fs::create_dir(place.join("nightly")).unwrap();
    for (day, right) in [("monday", 20), ("tuesday", 12), ("wednesday", 20)] {
        fs::write(place.join("cities.jsonl"), cases(right)).unwrap();
        let results = format!(
            "nightly/{}-{day}.jsonl",
            ["monday", "tuesday", "wednesday"].iter().position(|known| *known == day).unwrap()
        );
        run_successfully(place, &["score", "cities.jsonl", "-m", "exact_match", "-q", "-o", &results]);
    }
    fs::write(place.join("nightly/broken.jsonl"), "{\"id\": \"a\", \"scores\": {}}\n").unwrap();
    let text =
        run_successfully(place, &["history", "nightly", "-o", "history.md", "-o", "history.csv", "-o", "history.json"]);
    assert!(text.contains("cities: exact_match") && text.contains("8 cases are now good, now bad"), "{text}");
    assert!(text.contains("c12: good bad good"), "{text}");
    let written: Json = serde_json::from_str(&fs::read_to_string(place.join("history.json")).unwrap()).unwrap();
    assert_eq!(written["series"][0]["unstable"].as_array().unwrap().len(), 8);
    assert_eq!(written["series"][0]["unstable"][0]["flips"], 2);
    assert!(fs::read_to_string(place.join("history.md")).unwrap().starts_with("# History\n"));
    assert_eq!(fs::read_to_string(place.join("history.csv")).unwrap().lines().count(), 4);
}

#[test]
fn repeats_of_a_model_have_the_chance_that_all_pass() {
    let folder = tempfile::tempdir().unwrap();
    let place = folder.path();
    let questions: String = (0..4)
        .map(|case| format!("{}\n", json!({"id": format!("q{case}"), "query": format!("{case}?"), "reference": "yes"})))
        .collect();
    fs::write(place.join("questions.jsonl"), questions).unwrap();
    // The first question is answered in another way each time.
    let script = "read line; case \"$line\" in *'0?'*) n=$(cat n 2>/dev/null || echo 0); echo $((n+1)) > n; [ $((n%2)) = 0 ] && a=yes || a=no;; *) a=yes;; esac; echo \"{\\\"text\\\": \\\"$a\\\"}\"\n";
    fs::write(place.join("model.sh"), script).unwrap();
    let model = "{name: fickle, provider: command, command: [sh, model.sh], concurrency: 1}";
    let yaml = format!(
        "datasets: [{{path: questions.jsonl}}]\nmodels: [{model}]\nmetrics: [exact_match]\ngenerate: {{repeats: 2}}\n"
    );
    fs::write(place.join("probare.yaml"), yaml).unwrap();
    run_successfully(place, &["run", "probare.yaml", "-q", "-j", "1"]);
    let found = history(place, &[]);
    let series = &found["series"][0];
    assert_eq!((series["dataset"].as_str(), series["model"].as_str()), (Some("questions"), Some("fickle")));
    assert_eq!(series["points"][0]["pass_all"], json!({"pass^1": 0.875, "pass^2": 0.75}));
    assert_eq!(series["unstable"], json!([{"id": "q0", "flips": 1, "states": ["mixed"]}]));
    assert!(run_successfully(place, &["history"]).contains("pass^2 0.7500"));
}

#[test]
fn what_is_not_there_is_told() {
    let folder = store(&[15]);
    let place = folder.path();
    let text = run_expecting(place, 64, &["history", "--metric", "rouge_l"]);
    assert!(text.contains("no run has a metric `rouge_l`; their metrics are exact_match, token_f1"), "{text}");
    assert!(run_expecting(place, 64, &["history", "9"]).contains("has no run 9"));
    assert!(run_expecting(place, 64, &["history", "-o", "x.pdf"]).contains("known are .json, .md and .csv"));
    assert!(run_expecting(place, 64, &["history", "--last", "0"]).contains("0 is not in 1..=1000"));
    let empty = tempfile::tempdir().unwrap();
    let text = run_expecting(empty.path(), 1, &["history"]);
    assert!(
        text.contains("no run was found: there is no store `.probare/store.db`, and no file of results in `.`"),
        "{text}"
    );
    fs::create_dir(empty.path().join("nightly")).unwrap();
    let text = run_expecting(empty.path(), 1, &["history", "nightly"]);
    assert!(text.contains("no store `nightly/.probare/store.db`, and no file of results in `nightly`"), "{text}");
}

#[test]
fn files_that_were_scored_from_files_of_other_names_are_one_series_where_their_cases_are_the_same() {
    let folder = tempfile::tempdir().unwrap();
    let place = folder.path();
    let scored = |name: &str, text: &str| {
        fs::write(place.join(format!("{name}.jsonl")), text).unwrap();
        let (cases, results) = (format!("{name}.jsonl"), format!("{name}-results.jsonl"));
        run_successfully(place, &["score", &cases, "-m", "exact_match", "-q", "-o", &results]);
        results
    };
    let (old, new) = (scored("old_prompt", &cases(12)), scored("new_prompt", &cases(29)));
    let found = history(place, &[&old, &new]);
    let series = found["series"].as_array().unwrap();
    assert_eq!(series.len(), 1, "{found:#}");
    assert_eq!((series[0]["dataset"].as_str(), &series[0]["first_difference"]), (Some("old_prompt"), &json!(1)));
    assert_eq!(series[0]["points"][1]["step"]["pairs"], 30);
    // Other cases are another series, also where rows are known by their numbers alone.
    let rows = |question: &str| {
        (0..30)
            .map(|_| format!("{}\n", json!({"query": question, "response": "a", "reference": "a"})))
            .collect::<String>()
    };
    let (rivers, hills) = (scored("rivers", &rows("Which river?")), scored("hills", &rows("Which hill?")));
    let found = history(place, &[&old, &rivers, &hills, &new]);
    let sets: Vec<&str> =
        found["series"].as_array().unwrap().iter().filter_map(|one| one["dataset"].as_str()).collect();
    assert_eq!(sets, ["hills", "old_prompt", "rivers"]);
}
