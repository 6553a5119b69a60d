//! What benchmarks say about their runs: in the page of a run, on the viewer and in the page that the viewer saves.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Value as Json, json};

use super::driver::Browser;
use super::{PAYLOADS, ViewerProcess, root};
use crate::program::{both_streams, code, command, run};

/// The panel with this title, in a page.
fn panel<'a>(page: &'a str, title: &str) -> &'a str {
    let opening = format!("<section class=\"suite\" aria-label=\"{title}\">");
    let (_, rest) = page.split_once(&opening).unwrap_or_else(|| panic!("no panel `{title}`"));
    rest.split_once("</section>").unwrap().0
}

/// Runs a benchmark on its example into `page.html` and `results.jsonl`.
fn example(folder: &Path, words: &[&str]) {
    let words = [words, &["--quiet", "-o", "page.html", "-o", "results.jsonl"]].concat();
    let output = run(folder, &words);
    assert!(matches!(code(&output), 0 | 2), "{words:?}: {}", both_streams(&output));
}

fn examples(name: &str) -> String {
    root().join("examples").join(name).display().to_string()
}

/// The page of a run says it; so do the viewer, of the results of the same run, and the page that the viewer saves.
fn is_everywhere(folder: &Path, key: &str, given: &[&str], panels: &[(&str, &[&str])]) {
    let page = fs::read_to_string(folder.join("page.html")).unwrap();
    for (title, words) in panels {
        let text = panel(&page, title);
        words.iter().for_each(|words| assert!(text.contains(words), "{title}: {words}\n{text}"));
    }
    let viewer = ViewerProcess::start(folder, given);
    let summary = viewer.json(&format!("/view/api/summary?run={key}"));
    let told: Vec<&str> =
        summary["panels"].as_array().unwrap().iter().filter_map(|panel| panel["title"].as_str()).collect();
    let wanted: Vec<&str> = panels.iter().map(|(title, _)| *title).collect();
    assert_eq!(told, wanted);
    let bearer = format!("Bearer {}", viewer.token);
    let (status, _, saved) = viewer.ask("GET", &format!("/view/api/save?run={key}"), &[("Authorization", &bearer)]);
    assert_eq!(status, 200);
    for (title, _) in panels {
        assert_eq!(panel(&saved, title), panel(&page, title), "the saved page says the same");
    }
    let Some(browser) = Browser::start() else { return };
    browser.open(&viewer.address);
    browser.until(&format!("document.querySelectorAll('article.run .suite').length === {}", panels.len()));
    browser.evaluate("document.querySelectorAll('.suite details').forEach((one) => { one.open = true; })");
    is_painted(&browser, &wanted);
    browser.picture(&format!("panel-viewer-{}", panels[0].0));
    browser.open(&format!("file://{}", folder.join("page.html").display()));
    browser.until("document.querySelectorAll('#browser tbody').length > 0");
    is_painted(&browser, &wanted);
    browser.picture(&format!("panel-light-{}", panels[0].0));
    browser.media("dark", "screen");
    browser.picture(&format!("panel-dark-{}", panels[0].0));
    browser.media("light", "print");
    is_painted(&browser, &wanted);
    browser.media("light", "screen");
    browser.telephone(420);
    is_painted(&browser, &wanted);
    let overflow = "document.documentElement.scrollWidth - document.documentElement.clientWidth";
    assert_eq!(browser.evaluate(overflow), 0, "nothing but tables goes beyond a narrow window");
    browser.evaluate("document.querySelector('.suite').scrollIntoView()");
    browser.picture(&format!("panel-420-{}", panels[0].0));
}

/// Every panel has a size, no script failed, and nothing was refused by the policy of the page.
fn is_painted(browser: &Browser, titles: &[&str]) {
    let seen = browser.evaluate(
        "[...document.querySelectorAll('.suite')].filter((one) => one.getClientRects().length && one.offsetHeight > 40)\
         .map((one) => one.getAttribute('aria-label'))",
    );
    // Behind them a run of models has what its outputs cost.
    let seen: Vec<&str> = seen.as_array().unwrap().iter().filter_map(Json::as_str).take(titles.len()).collect();
    assert_eq!(seen, titles);
    let small = browser.evaluate(
        "[...document.querySelectorAll('.suite *')].filter((one) => one.innerText && parseFloat(getComputedStyle(one).fontSize) < 12).length",
    );
    assert_eq!(small, 0, "no text is smaller than 12 px");
    let drawn = browser.evaluate(
        "Math.min(99, ...[...document.querySelectorAll('svg text')].map((one) => parseFloat(getComputedStyle(one).fontSize) * one.getScreenCTM().a))",
    );
    assert!(drawn.as_f64().is_some_and(|least| least > 11.9), "letters of pictures are {drawn} px high");
    assert_eq!(browser.complaints(), Vec::<String>::new());
}

#[test]
fn synthesis_has_its_verdict_and_its_failures_on_the_page() {
    let folder = tempfile::tempdir().unwrap();
    example(folder.path(), &["synthesis", "--cases", &examples("synthesis/cases.jsonl"), "--out", "report.json"]);
    let report: Json = serde_json::from_slice(&fs::read(folder.path().join("report.json")).unwrap()).unwrap();
    let count = |name: &str| report["summary"][name].as_u64().unwrap();
    let passed = format!("{} of {} cases passed", count("passed"), count("cases"));
    let expected = format!("{} expected failures", count("expected_failures"));
    assert!(count("expected_failures") > 0);
    let words = [passed.as_str(), &expected, "Topic Pivot", "<span class=\"tag good\"><bdi>expected</bdi></span>"];
    is_everywhere(folder.path(), "f0", &["results.jsonl"], &[("Verdict", &words)]);
}

#[test]
fn socioscope_has_its_transcripts_and_every_quotation_with_its_line_on_the_page() {
    let folder = tempfile::tempdir().unwrap();
    let (questions, corpus) = (examples("socioscope/questions.json"), examples("socioscope/corpus.json"));
    example(folder.path(), &["socioscope", &questions, &corpus, "--out", "published"]);
    let quotations: [&str; 4] =
        ["127 quotations in 12 transcripts.", "not_found 10", "number_mismatch</bdi></span>", "and 27 more"];
    let groups: [&str; 2] = ["hypothetical:brook-mini", "Mean score per transcript"];
    let panels: [(&str, &[&str]); 2] =
        [("Transcripts, question types and models", &groups), ("Quotations", &quotations)];
    is_everywhere(folder.path(), "f0", &["results.jsonl"], &panels);
    // The line is that of the transcript.
    let page = fs::read_to_string(folder.path().join("page.html")).unwrap();
    let rows: Vec<&str> = panel(&page, "Quotations").split("<tr><th scope=\"row\">").skip(1).collect();
    let lines = rows.iter().filter_map(|row| row.split("<td><bdi>").nth(1)?.split("</bdi>").next()?.rsplit_once(':'));
    let lines: Vec<(&str, usize)> = lines.map(|(name, line)| (name, line.parse().unwrap())).collect();
    assert!(lines.len() > 60 && lines.iter().all(|(_, line)| *line > 0), "{lines:?}");
    let exact = "<bdi>We grow mussels on long lines out in the Limfjord";
    let row = rows.iter().find(|row| row.starts_with(exact)).unwrap();
    assert!(row.matches("We grow mussels on long lines").count() == 2, "the quotation, and the line: {row}");
}

#[test]
fn synthlink_has_its_systems_on_the_page() {
    let folder = tempfile::tempdir().unwrap();
    let [first, second] = ["system_a", "system_b"].map(|name| examples(&format!("synthlink/{name}.json")));
    let catalogue = examples("synthlink");
    let words = ["synthlink", "--catalog", &catalogue, "--predictions", &first, &second, "--output-dir", "published"];
    example(folder.path(), &words);
    let panels: [(&str, &[&str]); 3] = [
        ("Systems", &["system_a - system_b", "Paired differences", "0.779"]),
        ("Categories of system_a", &["RIV", "12 of 12 questions are answered"]),
        ("Categories of system_b", &["10 of 12 questions are answered"]),
    ];
    is_everywhere(folder.path(), "f0", &["results.jsonl"], &panels);
}

#[test]
fn sgi_has_its_four_subtasks_with_the_models_side_by_side_on_the_page() {
    let folder = tempfile::tempdir().unwrap();
    let place = folder.path();
    fs::create_dir(place.join("sgi")).unwrap();
    copy(&root().join("examples/sgi"), &place.join("sgi"));
    fs::copy(root().join("examples/sgi.yaml"), place.join("sgi.yaml")).unwrap();
    let words = ["sgi", "run", "sgi.yaml", "--offline", "--quiet", "-o", "page.html", "-o", "results.jsonl"];
    let mut all = command(place, &words);
    if std::env::var_os("PROBARE_MODELS").is_none() && root().join("target/models").is_dir() {
        all.env("PROBARE_MODELS", root().join("target/models").canonicalize().unwrap());
    }
    let output = all.output().unwrap();
    if code(&output) != 0 && both_streams(&output).contains("probare models pull") {
        probare_testing::report_skipped("all-MiniLM-L6-v2 is not on this machine: the subtask of ideas");
        return;
    }
    assert_eq!(code(&output), 0, "{}", both_streams(&output));
    let heads = "<th scope=\"col\" class=\"right\">mason</th><th scope=\"col\" class=\"right\">wren</th>";
    let subtasks = ["Deep research", "Idea generation", "Dry experiments", "Wet experiments"];
    let numbers = ["85.93", "PassAll@5 0.8333", "SGI-4", "84.71", "30.99", "Disciplines"];
    let words: Vec<&str> = [heads].into_iter().chain(subtasks).chain(numbers).collect();
    let panels: [(&str, &[&str]); 1] = [("SGI-Bench", &words)];
    // Of the run in the store, and of the file.
    is_everywhere(folder.path(), "r1", &["1"], &panels);
    let viewer = ViewerProcess::start(folder.path(), &["results.jsonl"]);
    assert_eq!(viewer.json("/view/api/summary?run=f0")["panels"][0]["title"], "SGI-Bench");
}

fn copy(from: &Path, to: &Path) {
    for entry in fs::read_dir(from).unwrap() {
        let path = entry.unwrap().path();
        let place: PathBuf = to.join(path.file_name().unwrap());
        if path.is_dir() && !path.ends_with(".probare") {
            fs::create_dir(&place).unwrap();
            copy(&path, &place);
        } else if path.is_file() {
            fs::copy(&path, &place).unwrap();
        }
    }
}

#[test]
fn quotes_has_its_findings_as_chips_on_the_page() {
    let folder = tempfile::tempdir().unwrap();
    example(folder.path(), &["quotes", &examples("quotes/quotes.csv"), &examples("quotes/texts")]);
    let words = ["<li class=\"tag good\"><bdi>exact ", "orchard.txt:", "<a href=\"#case=q2\">"];
    is_everywhere(folder.path(), "f0", &["results.jsonl"], &[("Findings", &words)]);
}

#[test]
fn nothing_that_stands_in_a_panel_runs() {
    let Some(browser) = Browser::start() else { return };
    let folder = tempfile::tempdir().unwrap();
    let place = folder.path();
    let pairs: Vec<Json> = (PAYLOADS.iter().enumerate())
        .map(|(at, text)| {
            let quote = if at % 2 == 0 { (*text).to_owned() } else { format!("{text} not there at all") };
            let answer = json!({"answer": text, "source": text, "model": text, "citations": [{"source_index": 0, "quote": quote}]});
            json!({"id": text, "question": {"text": text, "type": "ListOne", "metric": [text]}, "answers": [answer]})
        })
        .collect();
    let corpus: Vec<Json> =
        PAYLOADS.iter().map(|text| json!({"FILE": text, "text": format!("before\n{text}\nafter")})).collect();
    fs::write(place.join("questions.json"), Json::from(pairs).to_string()).unwrap();
    fs::write(place.join("corpus.json"), Json::from(corpus).to_string()).unwrap();
    example(place, &["socioscope", "questions.json", "corpus.json", "--out", "published"]);
    let is_safe = |what: &str| {
        let state = browser.evaluate(
            "[window.ran ?? null, document.querySelectorAll('.suite script, .suite iframe, .suite img, .suite style, .suite input').length]",
        );
        assert_eq!(state, json!([null, 0]), "{what}");
        assert_eq!(browser.complaints(), Vec::<String>::new(), "{what}");
    };
    let rows = format!("document.querySelectorAll('[aria-label=Quotations] tbody tr').length >= {}", PAYLOADS.len());
    browser.open(&format!("file://{}", place.join("page.html").display()));
    browser.until(&rows);
    is_safe("the page");
    let first = json!(PAYLOADS[1]);
    browser.evaluate(
        "[...document.querySelectorAll('.suite a')].find((one) => one.innerText.includes('onerror')).click()",
    );
    browser.until(&format!("document.querySelector('#main h1')?.innerText === {first}"));
    is_safe("a case that a panel leads to");
    let viewer = ViewerProcess::start(place, &["results.jsonl"]);
    browser.open(&viewer.address);
    browser.until(&rows);
    browser.evaluate("document.querySelectorAll('.suite details').forEach((one) => { one.open = true; })");
    is_safe("the viewer");
    browser.evaluate(
        "[...document.querySelectorAll('.suite a')].find((one) => one.innerText.includes('onerror')).click()",
    );
    browser.until(&format!("document.querySelector('h1')?.innerText === {first}"));
    is_safe("a case that the viewer leads to");
}
