//! Labels by the keyboard in a real browser, who may give them, and what becomes of them in `judge calibrate` and `calibrate`.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use serde_json::{Value as Json, json};

use super::driver::{Browser, raw};
use super::{ViewerProcess, example_run, form, root};
use crate::program::{both_streams, code, run, run_successfully};

const ENTER: char = '\u{e007}';
const ESCAPE: char = '\u{e00c}';

/// Whether an output waits for a decision, blind.
const OPEN: &str = "document.querySelector('.labelled') && document.querySelector('.blind')";
const DECIDED: &str = "document.querySelector('.verdict .own')";

/// What each case expects.
fn references(folder: &Path) -> BTreeMap<String, String> {
    let text = fs::read_to_string(folder.join("cases.jsonl")).unwrap();
    let row = |line: &str| {
        let row: Json = serde_json::from_str(line).unwrap();
        (row["id"].as_str().unwrap().to_owned(), row["reference"][0].as_str().unwrap().to_lowercase())
    };
    text.lines().map(row).collect()
}

/// The lines of a file of labels.
pub(super) fn lines(path: &Path) -> Vec<Json> {
    fs::read_to_string(path).unwrap().lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// What a person who knows the answer presses.
fn key(browser: &Browser, references: &BTreeMap<String, String>) -> &'static str {
    let id = browser.text("document.querySelector('.labelled').dataset.id");
    let answer = browser.text("document.querySelector('.labelled .field.response .said').innerText").to_lowercase();
    if answer.contains(&references[&id]) { "p" } else { "f" }
}

#[test]
fn forty_outputs_are_labelled_by_the_keyboard_and_a_judge_is_calibrated_on_them() {
    let Some(browser) = Browser::start() else { return };
    let folder = example_run();
    let file = folder.path().join("people.jsonl");
    let viewer = ViewerProcess::start(folder.path(), &["1", "--labels", "people.jsonl"]);
    browser.open(&viewer.address);
    browser.until("document.querySelector('article.run table')");
    let labels =
        |by: &str| format!("http://127.0.0.1:{}/view#/labels?run=r1&metric=same_answer&seed=7{by}", viewer.port);
    browser.open(&labels(""));
    browser.until("document.activeElement.id === 'label-name'");
    browser.press(&format!("Ada{ENTER}"));
    browser.until(OPEN);
    assert!(!file.exists(), "looking makes no file");
    let references = references(folder.path());
    let hostile = "<img src=x onerror=window.bad=1>";
    for number in 1..=40 {
        browser.until(OPEN);
        assert_eq!(
            browser.evaluate("document.querySelectorAll('.panel, .verdict, mark').length"),
            0,
            "nothing is told yet"
        );
        if number == 1 {
            browser.picture("labels-blind");
        }
        if number == 3 {
            // Put off: the next one comes, and this one at the end.
            let before = browser.text("document.querySelector('.labelled').innerText");
            browser.press("d");
            browser.until(&format!("{OPEN} && document.querySelector('.labelled').innerText !== {}", json!(before)));
        }
        if number == 5 {
            browser.press("n");
            browser.press(&format!("{hostile}{ESCAPE}t"));
            browser.press(&format!("odd, unit{ESCAPE}"));
        }
        let pressed = key(&browser, &references);
        // Nobody is always right.
        let pressed = if number % 8 == 0 && pressed == "p" { "f" } else { pressed };
        browser.press(pressed);
        browser.until(DECIDED);
        assert!(
            browser.evaluate("document.querySelectorAll('.verdict .panel').length").as_u64().is_some_and(|all| all > 0)
        );
        let done = browser.text("document.getElementById('label-done').innerText");
        assert!(done.starts_with(&format!("{number} decided")), "{done}");
        if number < 40 {
            browser.press("j");
        }
    }
    assert_eq!(browser.evaluate("window.bad"), Json::Null);
    assert_eq!(browser.evaluate("document.querySelectorAll('.labelling img').length"), 0);
    browser.picture("labels-light");
    let kept = lines(&file);
    assert_eq!(kept.len(), 41, "one line a decision");
    assert!(kept.iter().all(|line| line["by"] == "Ada" && line["metric"] == "same_answer"));
    let noted: Vec<&Json> = kept.iter().filter(|line| line["note"] == hostile).collect();
    assert_eq!((noted.len(), &noted[0]["tags"]), (1, &json!(["odd", "unit"])));

    // What the page says of agreement is what the program says, from the same file as it is.
    let shown = browser.text("document.querySelector('.agreements tbody tr .kappa').innerText");
    let calibrated = |file: &str, more: &[&str]| {
        let calibrate = ["judge", "calibrate", file, "--metric", "same_answer", "--config", "probare.yaml"];
        let output = run(folder.path(), &[&calibrate[..], more].concat());
        assert_eq!(code(&output), 0, "{}", both_streams(&output));
        String::from_utf8_lossy(&output.stdout).into_owned()
    };
    let told: Json = serde_json::from_str(&calibrated("people.jsonl", &["--json"])).unwrap();
    assert_eq!(told["cases"], 40, "{told}");
    let agreement = &told["agreement"][0];
    assert!(agreement["same"].as_u64().is_some_and(|same| (30..40).contains(&same)), "{agreement}");
    assert_eq!(agreement["with"], "Ada");
    let number = |name: &str| agreement["kappa_interval"][name].as_f64().unwrap();
    let words = format!("{:.2} ({:.2} … {:.2})", agreement["kappa"].as_f64().unwrap(), number("low"), number("high"));
    assert_eq!(shown, words);

    // Back to the one before, and another mind: the later line counts.
    let second = browser.text("document.querySelector('.verdict .own').innerText");
    browser.press(if second == "pass" { "f" } else { "p" });
    browser.until(&format!("{DECIDED}.innerText !== {}", json!(second)));
    browser.press("k");
    browser.until("document.querySelector('.verdict .own') && !document.querySelector('.blind')");
    assert_eq!(lines(&file).len(), 42);
    assert!(browser.text("document.getElementById('label-done').innerText").starts_with("40 decided"));

    // A second person sees nothing of the first before deciding, and agreement among people after.
    browser.open(&labels("&by=Ben%20%3Cb%3E"));
    browser.until("document.getElementById('label-done')?.innerText.startsWith('0 decided')");
    for _ in 0..4 {
        browser.until(OPEN);
        assert_eq!(browser.evaluate("document.querySelectorAll('.others').length"), 0);
        browser.press(key(&browser, &references));
        browser.until(DECIDED);
        browser.press("j");
    }
    browser.until(OPEN);
    let rows =
        browser.text("[...document.querySelectorAll('.agreements th[scope=row]')].map((h) => h.innerText).join()");
    assert_eq!(rows, "Ada with same_answer,Ben <b> with same_answer,Ben <b> with Ada");
    let both = calibrated("people.jsonl", &[]);
    assert!(both.contains("same_answer with Ada") && both.contains("Ada with Ben <b>"), "{both}");
    let one = calibrated("people.jsonl", &["--label", "Ada"]);
    assert!(!one.contains("Ben"), "{one}");

    // What is taken away comes to the same.
    let bearer = format!("Bearer {}", viewer.token);
    let (status, head, exported) = viewer.ask("GET", "/view/api/labels/export", &[("Authorization", &bearer)]);
    assert_eq!(status, 200);
    assert!(head.contains("attachment; filename=\"labels.jsonl\""), "{head}");
    assert_eq!(exported.lines().count(), 45, "40 and 1 put off of Ada, 4 of Ben");
    fs::write(folder.path().join("exported.jsonl"), exported).unwrap();
    assert_eq!(calibrated("exported.jsonl", &[]), both);
    let bands = |results: &str| {
        let words = ["calibrate", results, "--labels", "people.jsonl", "-m", "same_answer", "--json"];
        let output = run(folder.path(), &words);
        (code(&output), String::from_utf8_lossy(&output.stdout).into_owned(), both_streams(&output))
    };
    let mut labelled = 0;
    for model in ["swift", "steady"] {
        // Some twenty labels are too few for a promise; what they were held against is told all the same.
        let (_, told, words) = bands(&format!("1@{model}"));
        let told: Json = serde_json::from_str(&told).unwrap_or_else(|error| panic!("{error}: {words}"));
        labelled += told["cases"].as_u64().unwrap();
        assert!(told["label_of_another_output"].as_u64().is_some_and(|others| others > 0), "{told}");
    }
    let distinct: std::collections::BTreeSet<String> = lines(&file)
        .iter()
        .filter(|line| line["label"] != "defer")
        .map(|line| format!("{}{}", line["id"], line["model"]))
        .collect();
    assert_eq!(labelled, distinct.len() as u64, "each label counts for its own output");
    let (ending, _, words) = bands("1");
    assert!(ending != 0 && words.contains("several outputs"), "{words}");

    // Dark, narrow, keys; nothing too small or too wide.
    browser.press("?");
    browser.until("document.getElementById('help').open");
    assert!(browser.text("document.getElementById('help').innerText").contains("pass, fail, defer"));
    browser.press("?");
    browser.open(&labels("&by=Ada&order=threshold"));
    browser.until("document.getElementById('label-done')?.innerText.startsWith('40 decided')");
    browser.until(OPEN);
    browser.press(key(&browser, &references));
    browser.until(DECIDED);
    browser.media("dark", "screen");
    browser.picture("labels-dark");
    browser.media("light", "screen");
    browser.telephone(420);
    browser.picture("labels-420");
    assert_eq!(browser.evaluate("document.documentElement.scrollWidth <= 420"), true, "too wide");
    let small = "[...document.querySelectorAll('main *, header *')].filter((e) => [...e.childNodes].some((n) => \
                 n.nodeType === 3 && n.data.trim()) && parseFloat(getComputedStyle(e).fontSize) < 12).length";
    assert_eq!(browser.evaluate(small), 0, "letters that are too small");
    let nameless = "[...document.querySelectorAll('main button, main select, main input, main textarea')].filter((e) => \
                    !(e.innerText || '').trim() && !e.getAttribute('aria-label') && !e.labels?.length).length";
    assert_eq!(browser.evaluate(nameless), 0, "controls without a name");
}

/// A viewer with one file of results.
fn score_example(folder: &Path) {
    fs::copy(root().join("examples/quickstart.jsonl"), folder.join("cases.jsonl")).unwrap();
    run_successfully(folder, &["score", "cases.jsonl", "-m", "token_f1", "--quiet", "-o", "results.jsonl"]);
}

pub(super) fn post(viewer: &ViewerProcess, body: &Json, headers: &[(&str, &str)]) -> (u16, Json) {
    let body = body.to_string();
    let mut text = format!("POST /view/api/label HTTP/1.1\r\nConnection: close\r\nContent-Length: {}\r\n", body.len());
    if !headers.iter().any(|(name, _)| *name == "Host") {
        text.push_str(&format!("Host: 127.0.0.1:{}\r\n", viewer.port));
    }
    for (name, value) in headers {
        text.push_str(&format!("{name}: {value}\r\n"));
    }
    let (status, _, reply) = raw(viewer.port, &format!("{text}\r\n{body}"));
    (status, serde_json::from_str(&reply).unwrap_or_default())
}

#[test]
fn only_the_page_itself_can_label_and_only_into_the_named_file() {
    let folder = tempfile::tempdir().unwrap();
    let stranger = folder.path().join("stranger");
    fs::create_dir(&stranger).unwrap();
    score_example(&stranger);
    let names = |path: &Path| {
        let mut names: Vec<_> = fs::read_dir(path).unwrap().map(|entry| entry.unwrap().file_name()).collect();
        names.sort();
        names
    };
    let before = names(&stranger);
    let viewer = ViewerProcess::start(folder.path(), &["stranger", "--labels", "mine/labels.jsonl"]);
    let bearer = format!("Bearer {}", viewer.token);
    let state = viewer.json("/view/api/labels?run=f0&by=Ada");
    // Nothing that a metric said, and nobody's name, before a decision.
    assert_eq!(state["sample"]["record"]["line"]["scores"], json!({}), "{}", state["sample"]);
    assert!(state["sample"].get("model").is_none() && state["sample"].get("others").is_none());
    assert_eq!((&state["metric"], &state["exists"]), (&json!("token_f1"), &json!(false)));
    let at = &state["sample"]["at"];
    let about = json!({"run": "f0", "metric": "token_f1", "by": "Ada", "at": at});
    let label = json!({"asked": about, "label": "pass", "note": "fine", "tags": ["a"]});
    let own = ("Authorization", bearer.as_str());
    let json_type = ("Content-Type", "application/json");
    for (headers, expected, why) in [
        (vec![json_type], 401, "no token"),
        (vec![json_type, ("Authorization", "Bearer 0123456789abcdef")], 401, "another token"),
        (vec![json_type, own, ("Host", "evil.example")], 421, "a name that leads here"),
        (vec![json_type, own, ("Origin", "http://evil.example")], 403, "another page"),
        (vec![json_type, own, ("Origin", "null")], 403, "a page of nowhere"),
        (vec![json_type, own, ("Sec-Fetch-Site", "cross-site")], 403, "another site"),
        (vec![own, ("Content-Type", "text/plain")], 415, "what a form can send"),
        (vec![own, ("Content-Type", "application/x-www-form-urlencoded")], 415, "a form"),
    ] {
        assert_eq!(post(&viewer, &label, &headers).0, expected, "{why}");
    }
    let good_headers = [json_type, own, ("Origin", &*format!("http://127.0.0.1:{}", viewer.port))];
    let with = |name: &str, value: Json| {
        let mut label = label.clone();
        label[name] = value;
        label
    };
    let about_with = |name: &str, value: Json| {
        let mut about = about.clone();
        about[name] = value;
        with("asked", about)
    };
    for (wrong, words) in [
        (with("label", json!("excellent")), "one of pass, fail, defer"),
        (with("note", json!("x".repeat(5000))), "at most 4000 characters"),
        (with("tags", json!(vec!["x"; 40])), "at most 16 tags"),
        (with("score", json!(1)), "does not fit"),
        (about_with("by", json!(" ")), "says who labels"),
        (about_with("by", json!("a\nb")), "says who labels"),
        (about_with("metric", json!("token_f2")), "a similar name exists: `token_f1`"),
    ] {
        let (status, told) = post(&viewer, &wrong, &good_headers);
        assert_eq!(status, 422, "{told}");
        assert!(told["error"].as_str().unwrap().contains(words), "{told}");
    }
    assert_eq!(post(&viewer, &about_with("at", json!([0, 999, null, 0, null])), &good_headers).0, 404);
    assert_eq!(post(&viewer, &about_with("run", json!("f9")), &good_headers).0, 404);
    assert!(!folder.path().join("mine").exists(), "what is refused leaves nothing");

    let (status, told) = post(&viewer, &label, &good_headers);
    assert_eq!(status, 200, "{told}");
    assert!(told["sample"]["record"]["line"]["scores"]["token_f1"]["value"].is_number(), "{told}");
    assert_eq!((&told["decided"], &told["exists"]), (&json!(1), &json!(true)));
    let kept = lines(&folder.path().join("mine/labels.jsonl"));
    assert_eq!(kept.len(), 1);
    assert_eq!(
        (&kept[0]["label"], &kept[0]["note"], &kept[0]["tags"]),
        (&json!("pass"), &json!("fine"), &json!(["a"]))
    );
    assert!(kept[0]["case"]["response"].is_string() || kept[0]["case"]["response"].is_object(), "{}", kept[0]);
    assert_eq!(names(&stranger), before, "nothing else is written");
    assert!(!folder.path().join(".probare").exists());

    // The line is also what `runs label` takes.
    let elsewhere = folder.path().join("elsewhere");
    fs::create_dir(&elsewhere).unwrap();
    fs::copy(stranger.join("cases.jsonl"), elsewhere.join("cases.jsonl")).unwrap();
    fs::write(elsewhere.join("p.yaml"), "datasets:\n  - path: cases.jsonl\nmetrics:\n  - token_f1\n").unwrap();
    run_successfully(&elsewhere, &["run", "p.yaml", "--quiet"]);
    run_successfully(&elsewhere, &["runs", "label", "1", "../mine/labels.jsonl"]);
    run_successfully(&elsewhere, &["runs", "export", "1", "--labels", "out.jsonl"]);
    let out = lines(&elsewhere.join("out.jsonl"));
    assert_eq!((out.len(), &out[0]["label"], out[0].get("case")), (1, &json!("pass"), None));
}

/// The viewer says what reports say: which thresholds labels rest on, and what to do about what is unsure.
#[test]
fn a_run_shows_the_thresholds_of_its_labels_and_what_to_do_next() {
    let folder = example_run();
    let viewer = ViewerProcess::start(folder.path(), &["1"]);
    let summary = viewer.json("/view/api/summary?run=r1");
    let remark = |kind: &str| {
        let remarks = summary["remarks"].as_array().unwrap();
        let found = remarks.iter().find(|remark| remark[0] == kind).unwrap_or_else(|| panic!("{kind}: {remarks:?}"));
        found[1].as_str().unwrap().to_owned()
    };
    let thresholds = remark("thresholds");
    assert!(thresholds.starts_with("answer_match: shipped with it: answers-2026-11 of 2026-11-18"), "{thresholds}");
    let next = remark("next");
    assert!(next.contains("`probare calibrate`") && next.contains("`judge: when_unsure`"), "{next}");
}

#[test]
fn what_comes_next_is_by_the_threshold_by_disagreement_or_unsure() {
    let folder = example_run();
    let viewer = ViewerProcess::start(folder.path(), &["1"]);
    let asked = |words: &str| viewer.json(&format!("/view/api/labels?run=r1&by=Ada&{words}"));
    let value = |state: &Json, metric: &str| {
        let at = &state["sample"]["case"];
        let case = viewer.json(&format!("/view/api/case?run=r1&at={},{}", at[0], at[1]));
        let names: Vec<&str> =
            case["settings"]["metrics"].as_array().unwrap().iter().map(|info| info["name"].as_str().unwrap()).collect();
        let place = names.iter().position(|name| *name == metric).unwrap();
        let values: Vec<f64> = (case["outputs"].as_array().unwrap().iter())
            .filter_map(|output| output["entry"]["values"][place][0].as_f64())
            .collect();
        values
    };
    let near = asked("metric=chrf&order=threshold&threshold=0.31");
    let far = asked("metric=chrf&order=threshold&threshold=0.31&skip=300");
    let nearest = |state: &Json| value(state, "chrf").iter().map(|v| (v - 0.31).abs()).fold(f64::INFINITY, f64::min);
    assert!(nearest(&near) < nearest(&far), "{} {}", nearest(&near), nearest(&far));
    let split = value(&asked("metric=exact_match&order=disagreement"), "exact_match");
    assert_ne!(split[0], split[1], "the two models do not agree");
    let seeds: std::collections::BTreeSet<String> =
        (1..6).map(|seed| asked(&format!("metric=chrf&seed={seed}"))["sample"]["at"].to_string()).collect();
    assert!(seeds.len() > 1);
    assert_eq!(asked("metric=chrf&seed=5")["sample"]["at"], asked("metric=chrf&seed=5")["sample"]["at"]);
    let unsure = asked("metric=answer_match&order=unsure");
    assert_eq!(unsure["sample"].is_null(), unsure["unsure"] == 0, "{}", unsure["unsure"]);
    assert!(unsure["command"].as_str().unwrap().starts_with("probare calibrate 1@"), "{}", unsure["command"]);
    assert_eq!(asked("metric=chrf").get("file").unwrap(), ".probare/labels.jsonl");
    let wrong = viewer.ask(
        "GET",
        "/view/api/labels?run=r1&order=mine",
        &[("Authorization", &format!("Bearer {}", viewer.token))],
    );
    assert_eq!(wrong.0, 422);
    let wrong = format!("/view/api/labels?run=r1&metric={}", form("<b>"));
    assert_eq!(viewer.ask("GET", &wrong, &[("Authorization", &format!("Bearer {}", viewer.token))]).0, 422);
}

#[test]
fn a_file_that_holds_no_labels_is_refused_before_anything_is_served() {
    let folder = tempfile::tempdir().unwrap();
    score_example(folder.path());
    let output = run(folder.path(), &["view", "results.jsonl", "--labels", "cases.jsonl"]);
    assert_ne!(code(&output), 0);
    assert!(both_streams(&output).contains("`cases.jsonl`, line 1: unknown field"), "{}", both_streams(&output));
    assert!(both_streams(&output).contains("a label is {\"id\""), "{}", both_streams(&output));
    let output = run(folder.path(), &["view", "results.jsonl", "--labels", "."]);
    assert_ne!(code(&output), 0);
    assert!(both_streams(&output).contains("a plain file is expected"), "{}", both_streams(&output));
}
