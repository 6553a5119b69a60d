//! `probare power` before a run, and `probare estimate` with few labels.

use std::fs;
use std::path::Path;

use serde_json::{Value as Json, json};

use crate::program::{both_streams, run, run_expecting, run_successfully};

/// Results of a model whose answers hold 0 to 9 of the ten words of the reference, and what people say of each case.
fn write_results(folder: &Path, name: &str, count: usize, known: impl Fn(usize) -> usize) -> Vec<(String, bool)> {
    let words = ["a1", "b2", "c3", "d4", "e5", "f6", "g7", "h8", "i9", "j10"];
    let mut cases = String::new();
    let mut people = Vec::new();
    for case in 0..count {
        let known = known(case);
        let response = if known == 0 { "nothing".to_owned() } else { words[..known].join(" ") };
        let row = json!({"id": format!("c{case}"), "response": response, "reference": words.join(" ")});
        cases.push_str(&format!("{row}\n"));
        // People pass what is mostly there, and differ from the score in one case of seven.
        people.push((format!("c{case}"), (known >= 5) != (case % 7 == 3)));
    }
    let file = format!("{name}-cases.jsonl");
    fs::write(folder.join(&file), cases).unwrap();
    let out = format!("{name}.jsonl");
    run_successfully(folder, &["score", &file, "-m", "token_f1", "-m", "exact_match", "-q", "-o", &out]);
    people
}

fn json_of(folder: &Path, words: &[&str]) -> Json {
    let output = run(folder, &[words, &["--json"]].concat());
    assert!(output.status.success(), "{words:?}: {}", both_streams(&output));
    serde_json::from_slice(&output.stdout).unwrap()
}

/// Fills in a sheet as people would.
fn fill_in(folder: &Path, sheet: &str, people: &[(String, bool)]) {
    let text = fs::read_to_string(folder.join(sheet)).unwrap();
    let mut filled = String::from("id,probability,label\n");
    for line in text.lines().skip(1) {
        let id = line.split(',').next().unwrap();
        let passes = people.iter().find(|(known, _)| known == id).unwrap().1;
        filled.push_str(&format!("{line}{}\n", if passes { "pass" } else { "fail" }));
    }
    fs::write(folder.join(sheet), filled).unwrap();
}

#[test]
fn power_says_how_many_cases_a_difference_needs_and_what_they_cost() {
    let folder = tempfile::tempdir().unwrap();
    let place = folder.path();
    let said = json_of(place, &["power", "--deviation", "1", "--difference", "0.5", "--difference", "0.2"]);
    // G*Power 3.1, difference between two dependent means.
    assert_eq!((&said["needed"][0]["cases"], &said["needed"][1]["cases"]), (&json!(34), &json!(199)));
    let words = ["power", "--rate", "0.8", "--difference", "0.05", "--cost-per-case", "0.02", "--cases", "400"];
    let said = json_of(place, &words);
    assert!((said["deviation"].as_f64().unwrap() - 0.32_f64.sqrt()).abs() < 1e-12);
    let cases = said["needed"][0]["cases"].as_f64().unwrap();
    assert!((1000.0..1020.0).contains(&cases), "{said}");
    assert!((said["needed"][0]["cost_usd"].as_f64().unwrap() - 0.02 * cases).abs() < 1e-9);
    let least = said["minimum_detectable_effect"]["difference"].as_f64().unwrap();
    assert!((0.079..0.08).contains(&least), "{said}");
    let text = run_successfully(place, &words);
    assert!(text.contains("standard deviation of the differences: 0.5657"), "{text}");
    assert!(text.contains("400 cases can show a difference of 0.0794 or more"), "{text}");
    // More power and more confidence take more cases.
    for more in [["--power", "0.9"], ["--confidence", "0.99"]] {
        let said = json_of(place, &[&words[..], &more].concat());
        assert!(said["needed"][0]["cases"].as_f64().unwrap() > cases, "{said}");
    }
}

#[test]
fn power_takes_the_spread_from_earlier_runs_and_the_cost_from_a_configuration() {
    let folder = tempfile::tempdir().unwrap();
    let place = folder.path();
    write_results(place, "a", 60, |case| case % 10);
    write_results(place, "b", 60, |case| if case % 3 == 0 { 9 } else { case % 10 });
    let one = json_of(place, &["power", "a.jsonl", "-m", "token_f1"]);
    let two = json_of(place, &["power", "a.jsonl", "b.jsonl", "-m", "token_f1"]);
    assert!(two["deviation_from"].as_str().unwrap().starts_with("60 pairs of `token_f1`"), "{two}");
    assert!(two["deviation"].as_f64().unwrap() < one["deviation"].as_f64().unwrap(), "systems that agree need fewer");
    assert_eq!(two["needed"].as_array().unwrap().len(), 5);

    let config = "datasets: [{path: a-cases.jsonl}]\nmodels: [{name: m, base_url: 'http://127.0.0.1:9/v1', \
                  max_tokens: 100, \
                  pricing: {prompt_price_per_million: 1, completion_price_per_million: 10}}]\ngenerate: {prompt: Say something.}\nmetrics: [{id: token_f1}]\n";
    fs::write(place.join("run.yaml"), config).unwrap();
    let said = json_of(place, &["power", "--rate", "0.8", "--difference", "0.1", "--config", "run.yaml"]);
    let dry: String = run_successfully(place, &["run", "run.yaml", "--dry-run"]);
    assert!(dry.contains("60 calls"), "{dry}");
    let each = said["cost_per_case_usd"].as_f64().unwrap();
    // A hundred tokens at ten dollars a million, and a few of the question.
    assert!((0.001..0.0012).contains(&each), "{said}");
    assert_eq!(said["minimum_detectable_effect"]["cases"], 60, "the cases of the configuration");

    let wrong = |words: &[&str], part: &str| {
        let said = run_expecting(place, 64, &[&["power"], words].concat());
        assert!(said.contains(part), "{words:?}: {said}");
    };
    wrong(&["a.jsonl"], "the results have several metrics");
    wrong(&["--power", "0.04"], "--power has to be larger than the risk of a false alarm");
    wrong(&["--difference", "0"], "a number above 0 is expected");
    wrong(&["--rate", "1.5"], "a number between 0 and 1 is expected");
    wrong(&["--rate", "1"], "a number between 0 and 1 is expected");
    wrong(&["--rate", "0.5", "--deviation", "0.2"], "cannot be used with");
    // Two cases would be enough for whoever takes equal values at their word.
    let same = run_expecting(place, 1, &["power", "a.jsonl", "a.jsonl", "-m", "token_f1"]);
    assert!(same.contains("no value differs from another: 60 pairs of `token_f1`"), "{same}");
}

#[test]
fn cases_are_named_labelled_and_the_mean_of_people_is_estimated() {
    let folder = tempfile::tempdir().unwrap();
    let place = folder.path();
    let people = write_results(place, "a", 400, |case| case * 7 % 10);
    let truth = people.iter().filter(|(_, passes)| *passes).count() as f64 / 400.0;
    let estimate = ["estimate", "a.jsonl", "--metric", "token_f1"];
    let next = json_of(place, &[&estimate[..], &["--next", "60", "-o", "labels.csv"]].concat());
    let named = next["next"].as_array().unwrap();
    assert_eq!(named.len(), 60);
    assert!(named.iter().all(|case| (0.05..=1.0).contains(&case["probability"].as_f64().unwrap())), "{next}");
    // Nothing is labelled yet.
    let words = [&estimate[..], &["--labels", "labels.csv"]].concat();
    assert!(run_expecting(place, 1, &words).contains("no row of `labels.csv` has a label"));
    fill_in(place, "labels.csv", &people);
    let said = json_of(place, &words);
    let mean = &said["means"][0];
    assert_eq!(
        (&mean["labels"], &mean["cases"], &mean["interval"]["kind"]),
        (&json!(60), &json!(400), &json!("normal"))
    );
    let (low, high) = (mean["interval"]["low"].as_f64().unwrap(), mean["interval"]["high"].as_f64().unwrap());
    assert!(low < truth && truth < high && high - low < 0.25, "{truth}: {said}");
    assert!(mean["unseen_errors"].is_null(), "people differ from the judge often enough: {said}");
    assert!(run_successfully(place, &words).starts_with("people's mean 0."));

    // More labels in a second sheet make the interval shorter; the first ones are not named again.
    let more = [&words[..], &["--next", "60", "-o", "more.csv"]].concat();
    let next = json_of(place, &more);
    let first: Vec<&Json> = named.iter().map(|case| &case["id"]).collect();
    assert!(next["next"].as_array().unwrap().iter().all(|case| !first.contains(&&case["id"])), "{next}");
    fill_in(place, "more.csv", &people);
    let said = json_of(place, &[&words[..], &["--labels", "more.csv"]].concat());
    let mean = &said["means"][0];
    assert_eq!(mean["labels"], 120);
    assert!(mean["interval"]["high"].as_f64().unwrap() - mean["interval"]["low"].as_f64().unwrap() < high - low);
    let less_sure = json_of(place, &[&words[..], &["--labels", "more.csv", "--confidence", "0.8"]].concat());
    assert!(less_sure["means"][0]["interval"]["low"].as_f64() > mean["interval"]["low"].as_f64(), "{less_sure}");
}

#[test]
fn the_seeded_order_says_what_labels_are_worth_and_chances_have_their_own_interval() {
    let folder = tempfile::tempdir().unwrap();
    let place = folder.path();
    let people = write_results(place, "a", 400, |case| case * 7 % 10);
    let estimate = ["estimate", "a.jsonl", "--metric", "token_f1"];
    let next = ["--next", "100", "--drawn", "order", "--seed", "5", "-o", "labels.csv"];
    let said = json_of(place, &[&estimate[..], &next].concat());
    assert!(said["next"].as_array().unwrap().iter().all(|case| case["probability"] == 0.25), "{said}");
    fill_in(place, "labels.csv", &people);
    let words = [&estimate[..], &["--labels", "labels.csv", "--seed", "5"]].concat();
    let said = json_of(place, &words);
    assert!(said["means"][0]["worth_labels"].as_f64().unwrap() > 120.0, "{said}");
    assert!(run_successfully(place, &words).contains("100 labels, 400 judgements; as good as "));
    let population = json_of(place, &[&words[..], &["--target", "population"]].concat());
    let width = |said: &Json| {
        let interval = &said["means"][0]["interval"];
        interval["high"].as_f64().unwrap() - interval["low"].as_f64().unwrap()
    };
    assert!(width(&population) > width(&said), "cases that are not there are less certain");
    // Another seed draws other cases.
    let other = run_expecting(place, 1, &[&estimate[..], &["--labels", "labels.csv"]].concat());
    assert!(
        other.contains("the labelled cases were not drawn with seed 1") && other.contains("--drawn random"),
        "{other}"
    );
    let stated = json_of(place, &[&estimate[..], &["--labels", "labels.csv", "--drawn", "random"]].concat());
    assert!((width(&stated) - width(&said)).abs() < 1e-9);

    let chances = ["--next", "120", "--drawn", "chances", "-o", "chances.csv"];
    json_of(place, &[&estimate[..], &chances].concat());
    fill_in(place, "chances.csv", &people);
    let words = [&estimate[..], &["--labels", "chances.csv", "--drawn", "chances"]].concat();
    assert!(run_expecting(place, 64, &words).contains("--budget"));
    let said = json_of(place, &[&words[..], &["--budget", "120"]].concat());
    let truth = people.iter().filter(|(_, passes)| *passes).count() as f64 / 400.0;
    assert!((said["means"][0]["mean"].as_f64().unwrap() - truth).abs() < width(&said), "{truth}: {said}");
}

#[test]
fn a_judge_that_is_hardly_corrected_gets_the_exact_interval() {
    let folder = tempfile::tempdir().unwrap();
    let place = folder.path();
    write_results(place, "a", 300, |case| if case % 4 == 0 { 0 } else { 10 });
    // The judge is `exact_match`, and people agree with it everywhere.
    let estimate = ["estimate", "a.jsonl", "--metric", "exact_match"];
    json_of(place, &[&estimate[..], &["--next", "40", "--drawn", "order", "-o", "labels.csv"]].concat());
    let agreeing: Vec<(String, bool)> = (0..300).map(|case| (format!("c{case}"), case % 4 != 0)).collect();
    fill_in(place, "labels.csv", &agreeing);
    let words = [&estimate[..], &["--labels", "labels.csv"]].concat();
    let said = json_of(place, &words);
    let mean = &said["means"][0];
    assert_eq!((&mean["interval"]["kind"], &mean["mean"]), (&json!("exact"), &json!(0.75)));
    assert!(mean["interval"]["low"].as_f64().unwrap() < 0.75 && mean["worth_labels"].is_null(), "{said}");
    assert!(run_successfully(place, &words).contains("40 labels: exact interval, because"));
    let refused = run_expecting(place, 1, &[&words[..], &["--target", "population"]].concat());
    assert!(refused.contains("too few corrections for an interval; label more cases"), "{refused}");
}

#[test]
fn labels_that_follow_the_judge_closely_say_what_they_cannot_show() {
    let folder = tempfile::tempdir().unwrap();
    let place = folder.path();
    // The judge is a little blurred and never wrong: what is mostly there is good.
    write_results(place, "a", 400, |case| [0, 1, 9, 10, 10][case * 7 % 5]);
    let estimate = ["estimate", "a.jsonl", "--metric", "token_f1"];
    let words = [&estimate[..], &["--labels", "labels.csv"]].concat();
    let people: Vec<(String, bool)> = (0..400).map(|case| (format!("c{case}"), case * 7 % 5 >= 2)).collect();
    for (labels, told) in [("60", "5 %"), ("100", "3 %")] {
        json_of(place, &[&estimate[..], &["--next", labels, "--drawn", "order", "-o", "labels.csv"]].concat());
        fill_in(place, "labels.csv", &people);
        let said = json_of(place, &words);
        assert_eq!(said["means"][0]["interval"]["kind"], "normal", "{said}");
        assert!(
            (said["means"][0]["unseen_errors"].as_f64().unwrap() - 3.0 / labels.parse::<f64>().unwrap()).abs() < 1e-9
        );
        let text = run_successfully(place, &words);
        assert!(
            text.contains(&format!("no label says that the judge is wrong: errors in up to {told} of the cases")),
            "{text}"
        );
    }
}

#[test]
fn two_models_are_compared_by_people_on_the_same_cases() {
    let folder = tempfile::tempdir().unwrap();
    let place = folder.path();
    let first = write_results(place, "a", 300, |case| case * 7 % 10);
    let second = write_results(place, "b", 300, |case| (case * 7 % 10 + 3).min(9));
    let estimate = ["estimate", "a.jsonl", "b.jsonl", "--metric", "token_f1"];
    json_of(place, &[&estimate[..], &["--next", "60", "-o", "a.csv"]].concat());
    fs::copy(place.join("a.csv"), place.join("b.csv")).unwrap();
    fill_in(place, "a.csv", &first);
    fill_in(place, "b.csv", &second);
    let said = json_of(place, &[&estimate[..], &["--labels", "a.csv", "--labels", "b.csv"]].concat());
    let difference = &said["differences"][0];
    let share = |people: &[(String, bool)]| people.iter().filter(|(_, passes)| *passes).count() as f64 / 300.0;
    let truth = share(&second) - share(&first);
    let (low, high) =
        (difference["interval"]["low"].as_f64().unwrap(), difference["interval"]["high"].as_f64().unwrap());
    assert!(low < truth && truth < high && low > 0.0, "{truth}: {difference}");
    assert_eq!(said["means"].as_array().unwrap().len(), 2);
    let text = run_successfully(place, &[&estimate[..], &["--labels", "a.csv", "--labels", "b.csv"]].concat());
    assert!(text.contains("b.jsonl minus a.jsonl: people's difference 0."), "{text}");

    let one = run_expecting(place, 64, &[&estimate[..], &["--labels", "a.csv"]].concat());
    assert!(one.contains("`a.csv` does not say whose answer a label is about"), "{one}");
    let kept: String =
        fs::read_to_string(place.join("b.csv")).unwrap().lines().take(50).map(|line| format!("{line}\n")).collect();
    fs::write(place.join("b.csv"), kept).unwrap();
    let fewer = run_expecting(place, 1, &[&estimate[..], &["--labels", "a.csv", "--labels", "b.csv"]].concat());
    assert!(fewer.contains("has a label for a.jsonl and none for b.jsonl"), "{fewer}");
    run_expecting(place, 64, &[&estimate[..], &["--next", "40", "--drawn", "strata"]].concat());
}

#[test]
fn what_cannot_be_estimated_is_refused_in_words() {
    let folder = tempfile::tempdir().unwrap();
    let place = folder.path();
    write_results(place, "a", 50, |case| case % 10);
    let refused = |rows: &str, more: &[&str], code: i32, part: &str| {
        fs::write(place.join("labels.csv"), format!("id,label\n{rows}")).unwrap();
        let words = [&["estimate", "a.jsonl", "--metric", "token_f1", "--labels", "labels.csv"], more].concat();
        let said = run_expecting(place, code, &words);
        assert!(said.contains(part), "{rows} {more:?}: {said}");
    };
    refused("c1,pass\nc2,fail\n", &[], 1, "5 labels are the least, and there are 2");
    refused("c1,pass\nnobody,fail\n", &[], 1, "case `nobody` has a label and no score of `token_f1`");
    refused("c1,7\n", &[], 1, "the label 7 of case `c1` is not from 0 to 1");
    refused("c1,perhaps\n", &[], 1, "which is no label");
    refused("c1,pass\n", &["--labels", "labels.csv"], 1, "has a label in `labels.csv` and in another file");
    refused("c0,1\nc1,1\nc2,1\nc3,1\nc4,1\n", &[], 1, "were not drawn with seed 1");
    refused("c0,1\nc1,1\nc2,1\nc3,1\nc4,1\n", &["--drawn", "chances", "--budget", "9"], 1, "drawn with seed 1");
    let next = ["estimate", "a.jsonl", "--metric", "token_f1", "--next"];
    assert!(
        run_expecting(place, 64, &[&next[..], &["9"]].concat())
            .contains("needs five labels, or all of its cases: at least")
    );
    assert!(run_expecting(place, 64, &[&next[..], &["30", "-o", "x.txt"]].concat()).contains("name a .csv file"));
    assert!(
        run_expecting(place, 64, &[&next[..], &["30", "--drawn", "random"]].concat())
            .contains("draws the cases itself")
    );
    // With every label there is nothing to estimate.
    let all: String = (0..50).map(|case| format!("c{case},{}\n", case % 2)).collect();
    fs::write(place.join("labels.csv"), format!("id,label\n{all}")).unwrap();
    let said = run_successfully(place, &["estimate", "a.jsonl", "--metric", "token_f1", "--labels", "labels.csv"]);
    assert!(said.contains("people's mean 0.500   every case has a label"), "{said}");
    // A count has no fixed range.
    run_successfully(place, &["score", "a-cases.jsonl", "-m", "steps", "-q", "-o", "steps.jsonl"]);
    let said = run_expecting(place, 64, &["estimate", "steps.jsonl", "--labels", "labels.csv"]);
    assert!(said.contains("`steps` has no fixed range"), "{said}");
}

#[test]
fn power_averages_the_repeats_of_a_case() {
    let folder = tempfile::tempdir().unwrap();
    let place = folder.path();
    // Half of the cases are right in both repeats, the others in one of them.
    let row = |case: usize, repeat: usize| {
        let response = if case < 20 || (case + repeat).is_multiple_of(2) { "yes" } else { "no" };
        json!({"id": format!("c{case}"), "model": "m", "repeat": repeat, "response": response, "reference": "yes"})
    };
    let rows: String = (0..40).flat_map(|case| [row(case, 0), row(case, 1)]).map(|row| format!("{row}\n")).collect();
    fs::write(place.join("cases.jsonl"), rows).unwrap();
    run_successfully(place, &["score", "cases.jsonl", "-m", "exact_match", "-q", "-o", "repeated.jsonl"]);
    let said = json_of(place, &["power", "repeated.jsonl"]);
    let expected = 0.25 * (80.0_f64 / 39.0).sqrt();
    assert!((said["deviation"].as_f64().unwrap() - expected).abs() < 1e-12, "{said}");
    assert!(said["deviation_from"].as_str().unwrap().starts_with("40 values of `exact_match`"), "{said}");
    // Labels are about one output of a case.
    let refused = run_expecting(place, 64, &["estimate", "repeated.jsonl", "--next", "10"]);
    assert!(refused.contains("has several outputs, and one of each case is needed"), "{refused}");
}
