//! Where not all is as it should be: files that are broken or empty, change or go away, runs that are deleted while they are open, texts
//! of other scripts and of any length, pages that come late, and two people who label at once.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use serde_json::{Value as Json, json};

use super::driver::Browser;
use super::labels::{lines, post};
use super::{ROWS, ViewerProcess};
use crate::program::{run, run_successfully};

/// Scores cases, each with a response, into a file of results.
fn score_cases(folder: &Path, name: &str, cases: &[Json]) {
    let text: String = cases.iter().map(|case| format!("{case}\n")).collect();
    let input = format!("in-{name}");
    fs::write(folder.join(&input), text).unwrap();
    // What cannot be scored is told by the exit, and is in the file all the same.
    run(folder, &["score", &input, "-m", "token_f1", "-m", "exact_match", "-q", "-o", &format!("files/{name}")]);
    assert!(folder.join("files").join(name).exists());
}

fn case(id: &str, response: &str) -> Json {
    json!({"id": id, "query": "Where was it built?", "response": response, "reference": ["in the harbour"]})
}

fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir(folder.path().join("files")).unwrap();
    folder
}

/// Status and reply when the viewer is asked.
fn get_json(viewer: &ViewerProcess, path: &str) -> (u16, Json) {
    let bearer = format!("Bearer {}", viewer.token);
    let (status, _, body) = viewer.ask("GET", path, &[("Authorization", &bearer)]);
    (status, serde_json::from_str(&body).unwrap())
}

fn words(reply: &Json) -> &str {
    reply["error"].as_str().unwrap_or_default()
}

#[test]
fn broken_and_empty_files_are_told_apart_from_good_ones_and_a_file_that_changes_is_read_again() {
    let folder = folder();
    let files = folder.path().join("files");
    score_cases(folder.path(), "good.jsonl", &[case("a", "in the harbour"), case("b", "in the harbour")]);
    let whole = fs::read_to_string(files.join("good.jsonl")).unwrap();
    let first = whole.split_inclusive('\n').next().unwrap();
    for (name, text) in [("broken.jsonl", &whole[..whole.len() - 20]), ("cut.jsonl", first), ("empty.jsonl", "")] {
        fs::write(files.join(name), text).unwrap();
        fs::copy(files.join("good.jsonl.run.json"), files.join(format!("{name}.run.json"))).unwrap();
    }
    fs::write(files.join("nothing.eval"), "").unwrap();
    let viewer = ViewerProcess::start(folder.path(), &["files"]);
    let runs = viewer.json("/view/api/runs");
    let keys: BTreeMap<&str, &str> = (runs["runs"].as_array().unwrap().iter())
        .filter_map(|run| Some((run["name"].as_str()?, run["key"].as_str()?)))
        .collect();
    let summary = |name: &str| get_json(&viewer, &format!("/view/api/summary?run={}", keys[name]));
    for name in ["files/broken.jsonl", "files/nothing.eval"] {
        let (status, told) = summary(name);
        assert_eq!(status, 500, "{told}");
        assert_eq!(words(&told).matches(name).count(), 1, "it is named once: {told}");
    }
    for (name, cases) in [("files/cut.jsonl", 1), ("files/empty.jsonl", 0)] {
        let (_, told) = summary(name);
        assert_eq!(told["cases"], cases);
        assert!(told["notes"].to_string().contains("it was cut or changed since"), "{told}");
    }
    assert_eq!(summary("files/good.jsonl").1["notes"], json!([]));
    let mean = || summary("files/good.jsonl").1["whole"][0]["mean"].as_f64();
    assert_eq!(mean(), Some(1.0));
    let (status, told) = get_json(
        &viewer,
        &format!("/view/api/compare?run={}&run={}", keys["files/good.jsonl"], keys["files/empty.jsonl"]),
    );
    assert_eq!(status, 422, "nothing in common is no fault of the server: {told}");

    if let Some(browser) = Browser::start() {
        browser.open(&viewer.address);
        browser
            .until("document.querySelectorAll('article.run').length === 5 && !document.querySelector('[aria-busy]')");
        let told = browser.text("document.querySelector('article[data-run=f0] .banner').innerText");
        assert!(told.contains("This cannot be shown") && told.contains("row"), "{told}");
        assert_eq!(browser.evaluate("document.querySelectorAll('article.run table').length"), 3);
    }

    // The same name, another file: everything is of the new one, and compared with what it is now.
    let list = |name: &str| get_json(&viewer, &format!("/view/api/cases?run={}", keys[name])).1["total"].clone();
    assert_eq!(list("files/good.jsonl"), 2);
    score_cases(folder.path(), "good.jsonl", &[case("a", "elsewhere"), case("b", "elsewhere"), case("c", "elsewhere")]);
    assert_eq!((mean(), list("files/good.jsonl")), (Some(0.0), json!(3)));
    fs::write(files.join("broken.jsonl"), &whole).unwrap();
    assert_eq!(summary("files/broken.jsonl").1["cases"], 2, "what was mended is read");
    let compared = get_json(
        &viewer,
        &format!("/view/api/compare?run={}&run={}", keys["files/broken.jsonl"], keys["files/good.jsonl"]),
    );
    assert_eq!(compared.1["others"][0]["metrics"][0]["whole"]["difference"], "-1.000");
    fs::remove_file(files.join("good.jsonl")).unwrap();
    let (status, told) = summary("files/good.jsonl");
    assert!(status == 500 && words(&told).contains("it is not there any more"), "{told}");
}

#[test]
fn a_run_that_is_deleted_while_it_is_open_is_told_and_the_others_stay() {
    let folder = folder();
    let rows: String = (0..60).map(|at| format!("{}\n", case(&format!("c{at:02}"), "in the harbour"))).collect();
    fs::write(folder.path().join("cases.jsonl"), rows).unwrap();
    fs::write(folder.path().join("probare.yaml"), "datasets: [{path: cases.jsonl}]\nmetrics: [token_f1]\n").unwrap();
    for _ in 0..2 {
        run_successfully(folder.path(), &["run", "probare.yaml", "-q"]);
    }
    let viewer = ViewerProcess::start(folder.path(), &[]);
    let browser = Browser::start();
    if let Some(browser) = &browser {
        browser.open(&viewer.address);
        browser.until("document.querySelectorAll('article.run table').length === 2");
        browser.open(&format!("http://127.0.0.1:{}/view#/cases?run=r1", viewer.port));
        browser.until(&format!("{ROWS} === 50"));
    }
    run_successfully(folder.path(), &["runs", "delete", "1"]);
    for path in ["summary?run=r1", "cases?run=r1", "case?run=r1&at=0,3", "live?run=r1", "compare?run=r1&run=r2"] {
        let (status, told) = get_json(&viewer, &format!("/view/api/{path}"));
        assert!(status == 404 && words(&told).contains("run 1"), "{path}: {status} {told}");
    }
    assert_eq!(viewer.json("/view/api/runs")["runs"].as_array().map(Vec::len), Some(1));
    assert_eq!(viewer.json("/view/api/cases?run=r2")["total"], 60);
    let Some(browser) = browser else { return };
    browser.press("j\u{e007}");
    browser.until("document.querySelector('.banner.bad')?.innerText.includes('run 1')");
    browser.press("u");
    browser.press("u");
    browser.until("document.querySelectorAll('article.run table').length === 1");
}

#[test]
fn one_case_failed_cases_other_scripts_and_long_answers_are_shown() {
    let folder = folder();
    score_cases(folder.path(), "one.jsonl", &[case("only", "in the harbour")]);
    let failed = |at: usize| json!({"id": format!("f{at}"), "query": "Where?", "reference": ["here"]});
    score_cases(folder.path(), "failed.jsonl", &[failed(0), failed(1), failed(2)]);
    let arabic = json!({"id": "عربي", "query": "ما هي عاصمة مصر؟", "response": "القاهرة هي عاصمة مصر.", "reference": ["القاهرة"]});
    let japanese =
        json!({"id": "日本", "query": "日本の首都はどこですか", "response": "東京です", "reference": ["東京です"]});
    score_cases(folder.path(), "scripts.jsonl", &[arabic, japanese]);
    let sentence = "It was built in the harbour by the council. ".repeat(4700);
    score_cases(folder.path(), "long.jsonl", &[case("words", &sentence), case("one word", &"A".repeat(200_000))]);
    let viewer = ViewerProcess::start(folder.path(), &["files"]);
    assert_eq!(viewer.json("/view/api/cases?run=f3&q=text~%D8%A7%D9%84%D9%82%D8%A7%D9%87%D8%B1%D8%A9")["total"], 1);
    assert_eq!(viewer.json("/view/api/cases?run=f0&q=status:failed")["total"], 3);
    assert_eq!(viewer.json("/view/api/summary?run=f0")["whole"][0]["mean"], Json::Null);

    let Some(browser) = Browser::start() else { return };
    browser.open(&viewer.address);
    browser
        .until("document.querySelectorAll('article.run table').length === 4 && !document.querySelector('[aria-busy]')");
    let failed = browser.text("document.querySelector('article[data-run=f0] tbody').innerText");
    assert!(failed.contains("3 failed") && !failed.contains("0.000"), "what failed has no mean: {failed}");
    let one = browser.text("document.querySelector('article[data-run=f2]').innerText");
    assert!(one.contains("1 sample\n") && one.contains("1 output\n") && one.contains("1 case\n"), "{one}");
    let view = |view: &str| {
        browser.open(&format!("http://127.0.0.1:{}/view#/{view}", viewer.port));
        browser.until("!document.querySelector('[aria-busy]') && document.querySelector('tbody.case, article.output')");
    };
    view("cases?run=f2");
    assert_eq!(browser.text("document.getElementById('amount').innerText"), "1 case");
    view("case?run=f2&at=0,0");
    assert!(browser.text("document.querySelector('.pager').innerText").contains("1 of 1"));
    view("case?run=f3&at=0,0");
    let edge = "(() => { const style = getComputedStyle(document.querySelector('.field.response .said')); \
                return [style.direction, style.borderRightWidth, style.borderLeftWidth]; })()";
    assert_eq!(browser.evaluate(edge), json!(["rtl", "3px", "0px"]));
    browser.until("document.querySelector('.field.response mark')?.innerText === 'القاهرة'");
    browser.picture("unusual-right-to-left");
    view("case?run=f3&at=0,1");
    assert_eq!(browser.text("document.querySelector('h1').innerText"), "日本");
    browser.telephone(420);
    for at in 0..2 {
        view(&format!("case?run=f1&at=0,{at}"));
        let said = browser.text("document.querySelector('.field.response .said').innerText");
        assert!(said.len() > 10_000 && said.ends_with("[…]"), "{}", said.len());
        assert_eq!(browser.evaluate("document.documentElement.scrollWidth <= 420"), true, "too wide");
    }
    view("cases?run=f1");
    assert_eq!(browser.evaluate("document.documentElement.scrollWidth <= 420"), true, "too wide");
    assert_eq!(browser.complaints(), Vec::<String>::new());
}

#[test]
fn back_forward_and_reload_lead_to_the_same_list_and_what_comes_late_takes_no_place() {
    let Some(browser) = Browser::start() else { return };
    let folder = folder();
    let cases: Vec<Json> = (0..80)
        .map(|at| case(&format!("c{at:02}"), if at % 2 == 0 { "in the harbour" } else { "elsewhere" }))
        .collect();
    score_cases(folder.path(), "all.jsonl", &cases);
    let viewer = ViewerProcess::start(folder.path(), &["files"]);
    browser.open(&viewer.address);
    browser.until("document.querySelector('article.run table')");
    browser.evaluate("document.querySelector('article.run h2 a').click()");
    browser.until(&format!("{ROWS} === 50"));
    browser.press("/token_f1<0.5\u{e007}");
    let is_filtered = format!("document.getElementById('amount')?.innerText === '40 cases fit' && {ROWS} === 40");
    browser.until(&is_filtered);
    // A case far down, and back: it is where the reader was.
    browser.evaluate("document.querySelectorAll('a.open')[30].click()");
    browser.until("document.querySelector('h1').innerText === 'c61' && document.querySelector('article.output')");
    browser.evaluate("history.back()");
    browser.until(&format!("{is_filtered} && document.activeElement.innerText.startsWith('c61')"));
    let seen = "(() => { const { top, bottom } = document.activeElement.getBoundingClientRect(); return top >= 0 && bottom <= innerHeight; })()";
    assert_eq!(browser.evaluate(seen), true);
    browser.evaluate("history.forward()");
    browser.until("document.querySelector('h1').innerText === 'c61' && document.querySelector('article.output')");
    browser.evaluate("history.back()");
    browser.until(&is_filtered);
    browser.evaluate("location.reload()");
    browser.until(&is_filtered);
    assert_eq!(browser.text("document.getElementById('filter').value"), "token_f1<0.5");
    assert_eq!(browser.text("document.querySelector('.banner')?.innerText ?? ''"), "", "the token is still known");

    // A reply that is slow comes when the reader has gone on.
    browser.evaluate(
        "(() => { const own = window.fetch; window.late = 0; window.fetch = async (to, how) => { if (String(to).includes('late')) { \
         await new Promise((done) => setTimeout(done, 700)); window.late += 1; } return own(to, how); }; location.hash = '#/cases?run=f0&q=id~late'; })()",
    );
    browser.evaluate("history.back()");
    browser.until("window.late === 1");
    browser.until(&is_filtered);
    std::thread::sleep(std::time::Duration::from_millis(500));
    assert_eq!(browser.evaluate(&is_filtered), true, "the late one has taken its place");
    assert_eq!(browser.complaints(), Vec::<String>::new());
}

#[test]
fn two_people_label_at_once_and_no_line_is_lost() {
    let folder = folder();
    let cases: Vec<Json> = (0..25).map(|at| case(&format!("c{at:02}"), "in the harbour")).collect();
    score_cases(folder.path(), "all.jsonl", &cases);
    // Each in the viewer of their own, with one file of labels.
    let viewers =
        ["Ada", "Ben"].map(|by| (by, ViewerProcess::start(folder.path(), &["files", "--labels", "people.jsonl"])));
    std::thread::scope(|scope| {
        for (by, viewer) in &viewers {
            scope.spawn(move || {
                for decided in 1..=25 {
                    let next = viewer.json(&format!("/view/api/labels?run=f0&by={by}"));
                    let about = json!({"run": "f0", "metric": next["metric"], "by": by, "at": next["sample"]["at"]});
                    let label = json!({"asked": about, "label": "pass", "note": "", "tags": []});
                    let bearer = format!("Bearer {}", viewer.token);
                    let headers = [("Content-Type", "application/json"), ("Authorization", bearer.as_str())];
                    let (status, told) = post(viewer, &label, &headers);
                    assert_eq!((status, &told["decided"]), (200, &json!(decided)), "{told}");
                }
            });
        }
    });
    let kept = lines(&folder.path().join("people.jsonl"));
    let mut counts: BTreeMap<(String, String), u32> = BTreeMap::new();
    for line in &kept {
        *counts.entry((line["by"].to_string(), line["id"].to_string())).or_default() += 1;
    }
    assert_eq!(kept.len(), 50);
    assert!(counts.len() == 50 && counts.values().all(|count| *count == 1), "{counts:?}");
    // Both viewers know of both.
    for (by, viewer) in &viewers {
        let state = viewer.json(&format!("/view/api/labels?run=f0&by={by}"));
        assert!(
            state["agreements"].to_string().contains("Ada") && state["agreements"].to_string().contains("Ben"),
            "{state}"
        );
    }
}

#[test]
fn means_that_a_run_kept_are_shown_to_its_user_and_read_anew_by_others_and_after_a_change() {
    let folder = super::example_run();
    let path = "/view/api/summary?run=r1";
    let stranger = folder.path().join("stranger");
    let shown_to_stranger = || {
        let viewer = ViewerProcess::start_with(folder.path(), &[], |view| {
            view.env("XDG_CONFIG_HOME", &stranger).env_remove("PROBARE_KEY");
        });
        get_json(&viewer, path)
    };
    let shown = || get_json(&ViewerProcess::start(folder.path(), &[]), path);
    let (kept, computed) = (shown(), shown_to_stranger());
    assert_eq!((kept.0, &kept), (200, &computed));
    let change = |statement: &str| {
        let store = rusqlite::Connection::open(folder.path().join(".probare/store.db")).unwrap();
        assert!(store.execute(statement, []).unwrap() > 0, "{statement}");
    };
    // Damaged rows are only noticed where they are read.
    change("UPDATE samples SET value_0 = 0.125 WHERE run = 1");
    assert_eq!(shown(), kept);
    assert_eq!(shown_to_stranger().0, 500);
    // A text that was changed is not believed.
    change("UPDATE tallies SET tally = replace(tally, '\\\"cases\\\":', '\\\"cases\\\":9') WHERE kind = 'means'");
    assert_eq!(shown().0, 500);
}
