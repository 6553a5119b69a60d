//! A page with many cases: it opens from the disk, searches, and shows a case. `PROBARE_SAVED_CASES` names how many, and
//! `--no-capture` shows the times.

use std::fs;
use std::io::Write;

use serde_json::json;

use super::driver::Browser;
use crate::program::run_successfully;

const WORDS: [&str; 16] = [
    "harbour", "council", "winter", "letter", "orchard", "ferry", "copper", "bridge", "signal", "garden", "merchant",
    "lantern", "river", "archive", "window", "engine",
];

#[test]
fn a_page_of_ten_thousand_cases_opens_from_the_disk_and_searches() {
    let Some(browser) = Browser::start() else { return };
    let cases: usize = std::env::var("PROBARE_SAVED_CASES").ok().and_then(|text| text.parse().ok()).unwrap_or(10_000);
    let folder = tempfile::tempdir().unwrap();
    let mut file = std::io::BufWriter::new(fs::File::create(folder.path().join("cases.jsonl")).unwrap());
    for case in 0..cases {
        let word = |at: usize| WORDS[(case * 7 + at * 5 + case / 16 * at) % WORDS.len()];
        let text = |from: usize, length: usize| (from..from + length).map(word).collect::<Vec<_>>().join(" ");
        let line = json!({"id": format!("case-{case:06}"), "query": format!("What did the {} say?", text(0, 6)),
            "response": format!("{} number{case}", text(3, 40)), "reference": [text(5, 40)], "context": [text(9, 80)],
            "tags": [word(1)]});
        writeln!(file, "{line}").unwrap();
    }
    file.into_inner().unwrap();
    run_successfully(
        folder.path(),
        &["score", "cases.jsonl", "-m", "token_f1", "-m", "rouge_l", "--quiet", "-o", "page.html"],
    );
    let page = folder.path().join("page.html");
    let size = fs::metadata(&page).unwrap().len();

    browser.open("about:blank");
    let since = std::time::Instant::now();
    browser.open(&format!("file://{}", page.display()));
    browser.until("document.querySelectorAll('#browser tbody').length === 50");
    let opened = since.elapsed();
    let painted = browser.evaluate("performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? null");
    // From the key to the rows, by the clock of the page.
    let timed = |words: &str, wanted: &str| {
        browser.evaluate(
            "(() => { window.begun = performance.now(); window.took = null; \
             const look = new MutationObserver(() => { window.took ??= performance.now() - window.begun; look.disconnect(); }); \
             look.observe(document.getElementById('main'), { childList: true }); })()",
        );
        browser.filter(words);
        browser.until("window.took !== null");
        assert_eq!(browser.text("document.getElementById('amount').innerText"), wanted);
        browser.evaluate("window.took").as_f64().unwrap()
    };
    assert_eq!(browser.text("document.getElementById('amount').innerText"), format!("{} cases", grouped(cases)));
    let one = format!("number{}", cases / 2 + 3);
    let rare = timed(&one, "1 case fits");
    let all = timed("harbour", &format!("{} cases fit", grouped(count_with(&page, "harbour"))));
    let none = timed("\"nowhere to be found\"", "0 cases fit");
    let value = timed("token_f1<0", "0 cases fit");
    timed(&one, "1 case fits");
    browser.evaluate("document.querySelector('a.open').click()");
    browser.until("document.querySelector('.output mark')");
    assert!(browser.text("document.querySelector('.output .texts').innerText").contains(&one));
    browser.evaluate("history.back()");
    browser.until("document.activeElement?.matches('a.open') && !document.getElementById('overview').hidden");
    let memory = browser.evaluate("performance.memory?.usedJSHeapSize ?? 0").as_f64().unwrap_or_default() / 1e6;
    assert_eq!(browser.complaints(), Vec::<String>::new());
    eprintln!(
        "{cases} cases: {:.1} MB, opened in {opened:.0?}, first paint {painted} ms, search for one {rare:.0} ms, for many \
         {all:.0} ms, for nothing {none:.0} ms, for a value {value:.0} ms, {memory:.0} MB of the script",
        size as f64 / 1e6
    );
}

/// The cases of a page whose lines have this word.
fn count_with(page: &std::path::Path, word: &str) -> usize {
    let text = fs::read_to_string(page).unwrap();
    let lines = text.split("<!--\n").skip(1).flat_map(|part| part.split("\n-->").next().unwrap_or_default().lines());
    lines.filter(|line| line.to_lowercase().contains(word)).count()
}

/// A count as the pages write it.
fn grouped(count: usize) -> String {
    let count = count.to_string();
    let mut grouped = String::new();
    for (at, digit) in count.chars().enumerate() {
        if at > 0 && count.len() > 4 && (count.len() - at).is_multiple_of(3) {
            grouped.push('\u{202f}');
        }
        grouped.push(digit);
    }
    grouped
}
