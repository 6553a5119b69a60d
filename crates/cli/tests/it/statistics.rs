//! Numbers that are about what they say: repeats, models and clusters through the command line, in every form of a run.

use std::fs;
use std::path::Path;

use serde_json::{Value as Json, json};

use crate::program::{both_streams, code, run};

/// The output of a command that ends well.
fn fine(folder: &Path, arguments: &[&str]) -> String {
    let output = run(folder, arguments);
    assert_eq!(code(&output), 0, "{arguments:?}: {}", both_streams(&output));
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// Rows of twenty cases; of the words of the reference a case has some, more of them where `shift` says so.
fn rows(repeats: usize, model: Option<&str>, shift: usize) -> String {
    let words = ["one", "two", "three", "four", "five", "six"];
    let mut text = String::new();
    for case in 0..20 {
        for repeat in 0..repeats {
            let known = 1 + (case * 7 + usize::from(shift > 0 && case % 3 == 0) * shift) % words.len();
            let mut row = json!({
                "id": format!("c{case}"), "query": "which?", "response": words[..known].join(" "),
                "reference": words.join(" "), "source": format!("s{}", case / 5),
            });
            if repeats > 1 {
                row["repeat"] = json!(repeat);
            }
            if let Some(model) = model {
                row["model"] = json!(model);
            }
            text.push_str(&format!("{row}\n"));
        }
    }
    text
}

fn summary(folder: &Path, file: &str, more: &[&str]) -> Json {
    let mut arguments = vec!["score", file, "-m", "token_f1", "--json", "-o", "out.csv"];
    arguments.extend(more);
    let output = run(folder, &arguments);
    assert!(code(&output) != 1, "{}", both_streams(&output));
    let text = String::from_utf8_lossy(&output.stderr).into_owned() + &String::from_utf8_lossy(&output.stdout);
    let start = text.find('{').unwrap_or_else(|| panic!("{text}"));
    let mut values = serde_json::Deserializer::from_str(&text[start..]).into_iter::<Json>();
    values.next().unwrap().unwrap()
}

fn find<'a>(json: &'a Json, name: &str) -> Option<&'a Json> {
    match json {
        Json::Object(map) => map.get(name).or_else(|| map.values().find_map(|value| find(value, name))),
        Json::Array(list) => list.iter().find_map(|value| find(value, name)),
        _ => None,
    }
}

#[test]
fn ten_equal_repeats_say_as_much_as_one() {
    let folder = tempfile::tempdir().unwrap();
    let place = folder.path();
    fs::write(place.join("once.jsonl"), rows(1, None, 0)).unwrap();
    fs::write(place.join("often.jsonl"), rows(10, None, 0)).unwrap();
    let (once, often) = (summary(place, "once.jsonl", &[]), summary(place, "often.jsonl", &[]));
    for name in ["mean", "interval"] {
        assert_eq!(find(&once, name).unwrap(), find(&often, name).unwrap(), "{name}");
    }
    assert_eq!((find(&often, "cases"), find(&often, "outputs")), (Some(&json!(20)), Some(&json!(200))), "{often}");
    // The interval of twenty cases holds the limit, that of two hundred would not.
    let mean = find(&once, "mean").unwrap().as_f64().unwrap();
    let high = find(&once, "interval").unwrap()["high"].as_f64().unwrap();
    let gate = format!("token_f1={}", mean + (high - mean) * 0.8);
    for (file, confident, ends) in [("once.jsonl", true, 0), ("often.jsonl", true, 0), ("often.jsonl", false, 2)] {
        let mut arguments = vec!["score", file, "-m", "token_f1", "--fail-under", &gate, "-o", "out.jsonl"];
        arguments.extend(confident.then_some("--significant"));
        let output = run(place, &arguments);
        assert_eq!(code(&output), ends, "{file} {confident}: {}", both_streams(&output));
    }
    let shown = both_streams(&run(place, &["score", "often.jsonl", "-m", "token_f1", "-o", "out.jsonl"]));
    assert!(shown.contains("20 cases with 200 outputs"), "{shown}");
}

#[test]
fn clusters_are_honoured_by_score_and_by_verify() {
    let folder = tempfile::tempdir().unwrap();
    let place = folder.path();
    fs::write(place.join("cases.jsonl"), rows(1, None, 0)).unwrap();
    let (plain, clustered) =
        (summary(place, "cases.jsonl", &[]), summary(place, "cases.jsonl", &["--cluster", "source"]));
    assert_ne!(find(&plain, "interval"), find(&clustered, "interval"));
    assert_eq!(find(&clustered, "method"), Some(&json!("clustered")), "{clustered}");
    assert_eq!(find(&clustered, "cluster").unwrap(), &json!({"column": "source", "clusters": 4, "without": 0}));
    assert!(fine(place, &["verify", "out.csv"]).contains("all agree"));
    let none = summary(place, "cases.jsonl", &["--cluster", "author"]);
    assert_eq!(find(&none, "interval"), Some(&Json::Null));
    assert_eq!(find(&none, "no_intervals"), Some(&json!("no case has a column `author`")));
}

#[test]
fn every_form_of_a_run_gives_the_same_comparison() {
    let folder = tempfile::tempdir().unwrap();
    let place = folder.path();
    let forms = ["jsonl", "json", "csv", "parquet", "html", "csv.gz"];
    for (name, shift) in [("a", 0), ("b", 2)] {
        let both = rows(10, Some("alpha"), shift) + &rows(10, Some("=beta"), shift + 1);
        fs::write(place.join(format!("{name}.in.jsonl")), both).unwrap();
        let outputs: Vec<String> = forms.iter().map(|form| format!("{name}.{form}")).collect();
        let input = format!("{name}.in.jsonl");
        let mut arguments = vec!["score", &input, "-m", "token_f1", "-m", "contains", "-q"];
        arguments.extend(outputs.iter().flat_map(|output| ["-o", output.as_str()]));
        fine(place, &arguments);
    }
    let compared = |left: &str, right: &str| {
        let text = fine(place, &["compare", left, right, "--json", "--cluster", "source"]);
        let mut json: Json = serde_json::from_str(&text).unwrap();
        json["baseline"] = Json::Null;
        json["others"][0]["name"] = Json::Null;
        // Notes name the runs and metrics that they are about.
        for note in json["notes"].as_array_mut().unwrap() {
            *note = note.as_str().unwrap().split('`').step_by(2).collect::<String>().into();
        }
        json
    };
    let first = compared("a.jsonl", "b.jsonl");
    assert_eq!(first["others"][0]["pairing"]["matched"], 20, "{first}");
    for form in forms {
        assert_eq!(compared(&format!("a.{form}"), &format!("b.{form}")), first, "{form}");
        assert_eq!(compared("a.jsonl", &format!("b.{form}")), first, "jsonl and {form}");
    }
    for (run, name) in [("1", "a"), ("2", "b")] {
        let yaml = format!("datasets: [{{name: c, path: {name}.in.jsonl}}]\nmetrics: [token_f1, contains]\n");
        fs::write(place.join("run.yaml"), yaml).unwrap();
        fine(place, &["run", "run.yaml", "-q"]);
        assert_eq!(compared(&format!("{name}.jsonl"), run)["others"][0]["metrics"][0]["improved"], 0, "{name}");
    }
    assert_eq!(compared("1", "2"), first, "two runs of a store");
    assert_eq!(compared("a.json", "2"), first, "a file and a run of a store");
    let one = fine(place, &["compare", "a.csv@alpha", "b.parquet@alpha"]);
    assert_eq!(fine(place, &["compare", "1@alpha", "2@alpha"]).lines().count(), one.lines().count());
    assert!(one.contains("20 cases in both"), "{one}");
    let refused = run(place, &["compare", "a.jsonl", "b.jsonl@alpha"]);
    assert!(both_streams(&refused).contains("several models (=beta, alpha)"), "{}", both_streams(&refused));
}

#[test]
fn a_column_model_is_the_model_everywhere() {
    let folder = tempfile::tempdir().unwrap();
    let place = folder.path();
    let mut table = "id,query,response,reference,model\n".to_owned();
    for (id, alpha, beta) in [("1", "yes", "no"), ("2", "no", "no"), ("3", "yes", "yes")] {
        table.push_str(&format!("{id},q,{alpha},yes,alpha\n{id},q,{beta},yes,beta\n"));
    }
    fs::write(place.join("two.csv"), table).unwrap();
    let shown = both_streams(&run(
        place,
        &["score", "two.csv", "-m", "exact_match", "--by", "metadata.model", "-o", "x.jsonl"],
    ));
    assert!(!shown.contains("pass@") && !shown.contains("more than once"), "{shown}");
    assert!(shown.contains("3 cases with 6 outputs") && shown.contains("alpha") && shown.contains("beta"), "{shown}");
    let compared = fine(place, &["compare", "x.jsonl@alpha", "x.jsonl@beta", "--by", "metadata.model"]);
    assert!(compared.contains("3 cases in both"), "{compared}");
    assert!(fine(place, &["verify", "x.jsonl"]).contains("all agree"));
}

#[test]
fn raw_and_adjusted_numbers_stand_side_by_side() {
    let folder = tempfile::tempdir().unwrap();
    let place = folder.path();
    for (name, shift) in [("a", 0), ("b", 2)] {
        fs::write(place.join(format!("{name}.in.jsonl")), rows(1, None, shift)).unwrap();
        let (input, output) = (format!("{name}.in.jsonl"), format!("{name}.jsonl"));
        fine(place, &["score", &input, "-m", "token_f1", "-m", "rouge_l", "-m", "jaccard", "-q", "-o", &output]);
    }
    let text = fine(place, &["compare", "a.jsonl", "b.jsonl", "-o", "c.md", "-o", "c.html", "-o", "c.csv"]);
    let flat = text.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(flat.contains("adjusted p") && flat.contains("the verdict goes by the adjusted p"), "{text}");
    for file in ["c.md", "c.html"] {
        let page = fs::read_to_string(place.join(file)).unwrap();
        assert!(page.contains("the verdict goes by the adjusted p"), "{file}");
    }
    assert!(fs::read_to_string(place.join("c.csv")).unwrap().contains("low_adjusted"));
}

#[test]
fn the_profile_that_computed_is_the_one_that_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let place = folder.path();
    let case = r#"{"id":"a","query":"When?","response":"In 1871.","context":["It came out in 1872."]}"#;
    fs::write(place.join("cases.jsonl"), case).unwrap();
    fine(
        place,
        &["score", "cases.jsonl", "-m", "hallucination:profile=improved", "-q", "-o", "r.jsonl", "-o", "r.html"],
    );
    let manifest: Json = serde_json::from_str(&fs::read_to_string(place.join("r.jsonl.run.json")).unwrap()).unwrap();
    assert_eq!(manifest["metrics"][0]["profile"], "improved");
    assert!(fs::read_to_string(place.join("r.html")).unwrap().contains("in the improved profile"));
    assert!(fine(place, &["verify", "r.jsonl"]).contains("all agree"));
}

#[test]
fn files_of_another_format_are_named_in_words() {
    let folder = tempfile::tempdir().unwrap();
    let place = folder.path();
    fs::write(place.join("cases.jsonl"), rows(1, None, 0)).unwrap();
    fine(place, &["score", "cases.jsonl", "-m", "token_f1", "-q", "-o", "r.json"]);
    let text = fs::read_to_string(place.join("r.json")).unwrap();
    assert!(text.contains("\"format\":4"));
    fs::write(place.join("later.json"), text.replace("\"format\":4", "\"format\":5")).unwrap();
    for arguments in [
        ["verify", "later.json"].as_slice(),
        &["compare", "later.json", "r.json"],
        &["show", "later.json", "--id", "c1"],
    ] {
        let output = run(place, arguments);
        assert_eq!(code(&output), 1, "{arguments:?}");
        assert!(both_streams(&output).contains("reads formats 2 to 4"), "{arguments:?}: {}", both_streams(&output));
    }
}

#[test]
fn cases_of_stored_runs_are_the_same_by_what_they_ask_whatever_else_they_hold() {
    let folder = tempfile::tempdir().unwrap();
    let place = folder.path();
    // The second run has other passages, which is what may be compared; of the third one question is another one, and so are passages.
    for (name, changed) in [("first", 0), ("second", 1), ("third", 2)] {
        let row = |at: usize| {
            let query = if changed == 2 && at == 3 { "Who paid?".to_owned() } else { format!("What is {at}?") };
            let context = if changed > 0 && at.is_multiple_of(2) { "another passage" } else { "a passage" };
            let response = if at < changed { "no" } else { "yes" };
            let case = json!({"id": format!("q{at}"), "query": query, "context": [context], "response": response, "reference": ["yes"]});
            format!("{case}\n")
        };
        fs::write(place.join(format!("{name}.jsonl")), (0..10).map(row).collect::<String>()).unwrap();
        let yaml = format!("datasets: [{{name: all, path: {name}.jsonl}}]\nmetrics: [exact_match]\n");
        fs::write(place.join("probare.yaml"), yaml).unwrap();
        fine(place, &["run", "probare.yaml", "-q"]);
        fine(place, &["score", &format!("{name}.jsonl"), "-m", "exact_match", "-q", "-o", &format!("r-{name}.jsonl")]);
    }
    let others = |runs: [&str; 3]| -> Json {
        let text = fine(place, &["compare", runs[0], runs[1], runs[2], "--json"]);
        serde_json::from_str::<Json>(&text).unwrap()["others"].clone()
    };
    let stored = others(["1", "2", "3"]);
    let pairing =
        |at: usize| (stored[at]["pairing"]["matched"].as_u64(), stored[at]["pairing"]["different_content"].as_u64());
    assert_eq!((pairing(0), pairing(1)), ((Some(10), Some(0)), (Some(9), Some(1))), "{stored}");
    let files = others(["r-first.jsonl", "r-second.jsonl", "r-third.jsonl"]);
    for at in 0..2 {
        assert_eq!(stored[at]["pairing"], files[at]["pairing"]);
        assert_eq!(stored[at]["metrics"][0]["whole"], files[at]["metrics"][0]["whole"]);
    }
}

#[test]
fn how_often_all_answers_to_a_case_pass_is_told_by_score_compare_and_the_viewer() {
    let folder = tempfile::tempdir().unwrap();
    let place = folder.path();
    // Four cases with two answers each; of the first ones one answer is wrong.
    let answers = |unsteady: usize| -> String {
        let row = |at: usize| {
            let response = if at % 2 == 1 && at / 2 < unsteady { "no" } else { "yes" };
            format!(
                "{}\n",
                json!({"id": format!("q{}", at / 2), "response": response, "reference": "yes", "repeat": at % 2})
            )
        };
        (0..8).map(row).collect()
    };
    for (name, unsteady, words) in [
        ("one", 1, "pass@1 0.8750, pass@2 1.0000, pass^2 0.7500"),
        ("two", 2, "pass@1 0.7500, pass@2 1.0000, pass^2 0.5000"),
    ] {
        let (cases, results) = (format!("{name}.cases.jsonl"), format!("{name}.jsonl"));
        fs::write(place.join(&cases), answers(unsteady)).unwrap();
        let told = both_streams(&run(place, &["score", &cases, "-m", "exact_match", "-o", &results]));
        assert!(told.contains(words), "{told}");
        let given = [place.join(&results).display().to_string()];
        let viewer =
            probare_analysis::RunViewer::open(&place.join("store.db"), &given, probare_benchmarks::registries())
                .unwrap();
        let runs = serde_json::to_value(viewer.runs().unwrap()).unwrap();
        let shown = serde_json::to_value(&*viewer.summary(runs["runs"][0]["key"].as_str().unwrap(), "").unwrap());
        let shown = shown.unwrap()["remarks"].to_string();
        assert!(shown.contains(&format!("exact_match: {words}")), "{shown}");
    }
    let compared = both_streams(&run(place, &["compare", "one.jsonl", "two.jsonl"]));
    for words in ["pass^2 is 0.7500 in `one", "pass^2 is 0.5000 in `two"] {
        assert!(compared.contains(words), "{compared}");
    }
}
