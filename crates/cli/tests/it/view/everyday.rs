//! What people meet at every turn in the viewer: filters as they write them, a second tab, labels typed fast, a run of which only a file
//! is left, numbers that lead to their cases.

use std::fs;
use std::time::Duration;

use serde_json::{Value as Json, json};

use super::driver::Browser;
use super::{ROWS, ViewerProcess, example_run};
use crate::program::{run_expecting, run_successfully};

fn total(viewer: &ViewerProcess, filter: &str) -> u64 {
    let path = format!("/view/api/cases?run=r1&most=1&q={}", super::form(filter));
    viewer.json(&path)["total"].as_u64().unwrap()
}

fn hint(viewer: &ViewerProcess, filter: &str) -> String {
    let path = format!("/view/api/cases?run=r1&most=1&q={}", super::form(filter));
    viewer.json(&path)["hint"].as_str().unwrap_or_default().to_owned()
}

#[test]
fn filters_join_conditions_and_name_what_the_run_does_not_have() {
    let folder = example_run();
    let viewer = ViewerProcess::start(folder.path(), &["1"]);
    let all = total(&viewer, "");
    let (low, helium) = (total(&viewer, "chrf<20"), total(&viewer, "text~helium"));
    assert!(0 < low && low < all && 0 < helium && helium < low, "{low} {helium} {all}");
    assert_eq!(total(&viewer, "chrf < 20"), low, "spaces around a sign change nothing");
    let either = total(&viewer, "chrf<20 OR text~helium");
    assert_eq!(either, low + helium - total(&viewer, "chrf<20 text~helium"));
    assert_eq!(total(&viewer, "HELIUM"), helium, "the size of letters does not matter");
    // Conditions hold for one output of a case, so both of these may hold for different outputs of the same case.
    assert!(total(&viewer, "NOT (chrf<20 OR text~helium)") <= all);
    assert_eq!(total(&viewer, "NOT (id:symbol-helium OR id:symbol-hydrogen)"), all - 2);
    assert_eq!(total(&viewer, "he"), total(&viewer, "text~he"), "two letters are searched, too");
    for (filter, words) in [
        ("tag:chemistri", "The run has no tag `chemistri`; did you mean `chemistry`?"),
        ("answer_match:rigth", "The run has no label of answer_match `rigth`; did you mean `right`?"),
        ("model:swfit", "The run has no model `swfit`; did you mean `swift`?"),
        ("chrf<0", ""),
    ] {
        assert_eq!(hint(&viewer, filter), words, "{filter}");
    }
    // A page behind the last is the last.
    let last = viewer.json("/view/api/cases?run=r1&from=999999&most=50");
    assert_eq!((last["from"].as_u64(), last["rows"].as_array().map(Vec::len)), (Some(150), Some(50)));
    let exported = {
        let bearer = format!("Bearer {}", viewer.token);
        viewer.ask("GET", "/view/api/export?run=r1&q=id:symbol-helium", &[("Authorization", &bearer)]).2
    };
    let lines: Vec<Json> = exported.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(lines.len(), 2, "one line for each model: {exported}");
    assert!(lines.iter().all(|line| line["id"] == "symbol-helium" && line["scores"]["chrf"]["value"].is_number()));

    let Some(browser) = Browser::start() else { return };
    browser.open(&viewer.address);
    browser.until("document.querySelector('article.run .banner li a')");
    // Numbers are links: a gate leads to the cases behind it, a mean to the worst of them, a tag to those that have it.
    browser.evaluate("[...document.querySelectorAll('.banner li a')].at(-1).click()");
    browser.until(&format!("{ROWS} > 0 && {ROWS} < 10 && location.hash.includes('expectations')"));
    browser.evaluate("document.querySelector('a.tag').click()");
    browser.until("decodeURIComponent(location.hash).includes('tag:')");
    browser.open(&format!("http://127.0.0.1:{}/view#/cases?run=r1&q=tag:nothing", viewer.port));
    browser.until("document.getElementById('hint')?.innerText.includes('has no tag `nothing`')");
    browser.evaluate("document.querySelector('#hint a').click()");
    browser.until(&format!("{ROWS} === 50"));
    // The grid has a column for each model, the chooser leaves columns out, and who goes up from a case is on its page again.
    browser.open(&format!("http://127.0.0.1:{}/view#/cases?run=r1&layout=grid&from=100&hide=chrf", viewer.port));
    browser.until("document.querySelectorAll('table.grid thead th').length === 3");
    assert_eq!(browser.evaluate("document.querySelector('table.grid').innerText.includes('chrf')"), false);
    browser.picture("grid-light");
    browser.press("j\u{e007}");
    browser.until("document.querySelectorAll('article.output').length === 2");
    browser.evaluate("(() => { const choice = document.getElementById('difference'); choice.value = '0'; choice.dispatchEvent(new Event('change')); })()");
    browser.until("document.querySelector('.field.response ins, .field.response del')");
    browser.press("u");
    browser.until("document.querySelector('table.grid') && location.hash.includes('from=100')");
}

#[test]
fn a_second_tab_has_the_token_of_the_first_and_a_viewer_that_ended_is_told() {
    let Some(browser) = Browser::start() else { return };
    let folder = example_run();
    let mut viewer = ViewerProcess::start(folder.path(), &["1"]);
    browser.open(&viewer.address);
    browser.until("document.querySelector('article.run table')");
    let cases = format!("http://127.0.0.1:{}/view#/cases?run=r1", viewer.port);
    browser.open_tab(&cases);
    browser.until(&format!("{ROWS} === 50"));
    viewer.child.kill().unwrap();
    viewer.child.wait().unwrap();
    browser.press("/status:failed\u{e007}");
    browser.until("document.body.innerText.includes('The viewer does not respond')");
}

/// Decisions that are typed faster than the server answers all count, each for the output that was asked for.
#[test]
fn labels_that_are_typed_fast_are_neither_lost_nor_given_to_the_neighbour() {
    let Some(browser) = Browser::start() else { return };
    let folder = example_run();
    let viewer = ViewerProcess::start(folder.path(), &["1"]);
    browser.open(&viewer.address);
    browser.until("document.querySelector('article.run table')");
    browser.open(&format!("http://127.0.0.1:{}/view#/labels?run=r1&by=Ada&metric=chrf", viewer.port));
    browser.until("document.querySelector('.labelled')");
    browser.press("pjfjpjfjpjfjpjf");
    let done = "document.getElementById('label-done')?.innerText.startsWith('8 decided')";
    browser.until(done);
    let kept = fs::read_to_string(folder.path().join(".probare/labels.jsonl")).unwrap();
    let labels: Vec<Json> = kept.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let words: Vec<&str> = labels.iter().map(|label| label["label"].as_str().unwrap()).collect();
    assert_eq!(words, ["pass", "fail", "pass", "fail", "pass", "fail", "pass", "fail"]);
    let outputs: std::collections::BTreeSet<String> =
        labels.iter().map(|label| format!("{} {}", label["id"], label["model"])).collect();
    assert_eq!(outputs.len(), 8, "each is another output");
    // A note, and then the other button at once: both count.
    browser.press("n");
    browser.press("because");
    browser.evaluate("document.activeElement.blur()");
    browser.evaluate("document.getElementById('label-is-pass').click()");
    browser.until("document.getElementById('label-is-pass').getAttribute('aria-pressed') === 'true'");
    std::thread::sleep(Duration::from_millis(200));
    let kept = fs::read_to_string(folder.path().join(".probare/labels.jsonl")).unwrap();
    let last: Json = serde_json::from_str(kept.lines().last().unwrap()).unwrap();
    assert_eq!((&last["label"], &last["note"]), (&json!("pass"), &json!("because")));
}

#[test]
fn of_a_run_with_models_a_page_has_the_texts_and_a_file_says_that_it_has_none() {
    let folder = example_run();
    run_successfully(folder.path(), &["runs", "export", "1", "-o", "run.html", "-o", "run.jsonl"]);
    let viewer = ViewerProcess::start(folder.path(), &["run.html", "run.jsonl"]);
    let cases = viewer.json("/view/api/cases?run=f0&most=1");
    assert_eq!(cases["has_texts"], true);
    let (row, of_run) = (&cases["rows"][0], {
        let stored = ViewerProcess::start(folder.path(), &["1"]);
        stored.json("/view/api/cases?run=r1&most=1")
    });
    assert_eq!(row["query"], of_run["rows"][0]["query"]);
    for at in 0..2 {
        assert_eq!(row["outputs"][at]["answer"], of_run["rows"][0]["outputs"][at]["answer"]);
    }
    assert!(viewer.json("/view/api/labels?run=f0&by=Ada&metric=chrf")["sample"].is_object());

    let cases = viewer.json("/view/api/cases?run=f1&most=1");
    assert_eq!((&cases["has_texts"], &cases["rows"][0]["outputs"][0]["answer"]), (&json!(false), &Json::Null));
    let bearer = format!("Bearer {}", viewer.token);
    let (status, _, told) = viewer.ask("GET", "/view/api/labels?run=f1&by=Ada", &[("Authorization", &bearer)]);
    assert_eq!(status, 422);
    assert!(told.contains("has no texts, so there is nothing to label"), "{told}");
    let Some(browser) = Browser::start() else { return };
    browser.open(&viewer.address);
    browser.until("document.querySelectorAll('article.run table').length === 2");
    browser.open(&format!("http://127.0.0.1:{}/view#/cases?run=f1", viewer.port));
    browser.until(&format!("{ROWS} === 50"));
    assert!(browser.text("document.querySelector('.answer-cell').innerText").contains("text not in this file"));
}

/// Two models that say the same have a card each, with everything of theirs.
#[test]
fn models_with_the_same_answer_each_have_it() {
    let Some(browser) = Browser::start() else { return };
    let folder = tempfile::tempdir().unwrap();
    let place = folder.path();
    fs::write(place.join("cases.jsonl"), "{\"id\": \"a\", \"query\": \"Two?\", \"reference\": \"2\"}\n").unwrap();
    fs::write(place.join("two.sh"), "cat > /dev/null; echo '{\"text\": \"2\"}'\n").unwrap();
    let model = |name: &str| format!("{{name: {name}, provider: command, command: [sh, two.sh]}}");
    let yaml = format!(
        "datasets: [{{path: cases.jsonl}}]\nmodels: [{}, {}]\nmetrics: [exact_match]\n",
        model("one"),
        model("other")
    );
    fs::write(place.join("probare.yaml"), yaml).unwrap();
    run_expecting(place, 0, &["run", "probare.yaml", "-q"]);
    let viewer = ViewerProcess::start(place, &[]);
    browser.open(&viewer.address);
    browser.until("document.querySelector('article.run table')");
    browser.open(&format!("http://127.0.0.1:{}/view#/case?run=r1&at=0,0", viewer.port));
    browser.until("document.querySelectorAll('article.output .field.response').length === 2");
    assert_eq!(browser.evaluate("document.querySelectorAll('.shared .field.response').length"), 0);
    assert!(browser.text("document.querySelector('.shared').innerText").contains("Two?"));
}

/// Three prompts beside two models, twice each: the example, run from recorded replies.
#[test]
fn prompts_beside_models_have_rows_columns_filters_and_comparisons_of_their_own() {
    let folder = tempfile::tempdir().unwrap();
    for name in ["cases.jsonl", "small.jsonl", "large.jsonl", "terse.txt", "probare.yaml"] {
        fs::copy(super::root().join("examples/prompts").join(name), folder.path().join(name)).unwrap();
    }
    run_successfully(folder.path(), &["run", "probare.yaml", "--quiet"]);
    let viewer = ViewerProcess::start(folder.path(), &["1"]);
    let page = viewer.json("/view/api/cases?run=r1&most=1");
    assert_eq!(page["rows"][0]["outputs"].as_array().map(Vec::len), Some(12), "3 prompts, 2 models, 2 repeats");
    let (right, wrong) = (total(&viewer, "prompt:terse exact_match=1"), total(&viewer, "prompt:plain exact_match=1"));
    assert!(right > 0 && wrong == 0, "{right} {wrong}");
    assert_eq!(total(&viewer, "prompt:terse model:small"), 20);
    assert_eq!(hint(&viewer, "prompt:tersee"), "The run has no prompt `tersee`; did you mean `terse`?");
    let compared = viewer.json("/view/api/compare?run=r1@prompt:plain&run=r1@prompt:terse");
    let terminal =
        run_successfully(folder.path(), &["compare", "1@prompt:plain", "1@prompt:terse", "--color", "never"]);
    let whole = &compared["others"][0]["metrics"][0]["whole"];
    for name in ["baseline", "other", "difference"] {
        assert!(terminal.contains(whole[name].as_str().unwrap()), "{name}: {whole}\n{terminal}");
    }

    let Some(browser) = Browser::start() else { return };
    browser.open(&viewer.address);
    browser.until("document.querySelector('article.run table')");
    let text = browser.text("document.querySelector('article.run').innerText");
    assert!(text.contains("Model and prompt") && text.contains("terse"), "{text}");
    browser.open(&format!("http://127.0.0.1:{}/view#/cases?run=r1&layout=grid", viewer.port));
    browser.until("document.querySelectorAll('table.grid thead th').length === 13");
    let head = browser.text("document.querySelector('table.grid thead').innerText");
    for words in ["small", "large", "plain", "terse", "expert"] {
        assert!(head.contains(words), "{words}: {head}");
    }
    browser.picture("prompts-grid");

    // From the page of all runs to the three worst regressions between two prompts, with why: two ticks, one key, three folds.
    browser.open(&format!("http://127.0.0.1:{}/view#/runs?by=prompt", viewer.port));
    browser.until(
        "document.getElementById('group')?.value === 'prompt' && document.querySelectorAll('input.choose').length >= 3",
    );
    for prompt in ["terse", "plain"] {
        browser.evaluate(&format!("document.querySelector(`input.choose[value='r1@prompt:{prompt}']`).click()"));
    }
    browser.press("c");
    browser.until("document.querySelectorAll('details.moved details.pair').length > 2");
    browser.evaluate("[...document.querySelectorAll('details.moved details.pair')].slice(0, 3).forEach((one) => { one.open = true; })");
    browser.until("document.querySelectorAll('details.pair[open] .panel').length >= 6");
    let worse =
        "[...document.querySelectorAll('details.pair[open] summary > .tag:first-child')].map((one) => one.innerText)";
    assert_eq!(browser.evaluate(worse), json!(["worse", "worse", "worse"]));
}

/// A page that is one file looks into the texts of a case: not into the names under which they are kept, and into what nobody sees.
#[test]
fn the_search_of_a_page_finds_words_and_no_names_of_fields() {
    let Some(browser) = Browser::start() else { return };
    let folder = tempfile::tempdir().unwrap();
    let case =
        |id: &str, response: &str| json!({"id": id, "query": "Which?", "response": response, "reference": ["none"]});
    let cases = [
        case("joined", "a\u{200c}b and soft\u{ad}hyphen"),
        case("plain", "the line of a text \"in quotes\" <b>"),
        case("hidden", "over\u{202e}ride"),
    ];
    let lines: String = cases.iter().map(|case| format!("{case}\n")).collect();
    fs::write(folder.path().join("cases.jsonl"), lines).unwrap();
    run_successfully(folder.path(), &["score", "cases.jsonl", "-m", "token_f1", "-q", "-o", "page.html"]);
    browser.open(&format!("file://{}", folder.path().join("page.html").display()));
    browser.until("document.querySelectorAll('#browser tbody').length === 3");
    for (words, found) in [
        ("line", "1 case fits"),
        ("texts", "0 cases fit"),
        ("response", "0 cases fit"),
        ("scores", "0 cases fit"),
        ("a\u{200c}b", "1 case fits"),
        ("soft\u{ad}hyphen", "1 case fits"),
        ("over\u{202e}ride", "1 case fits"),
        ("\"\\\"IN quotes\\\" <b>\"", "1 case fits"),
        ("which?", "3 cases fit"),
    ] {
        browser.filter(words);
        std::thread::sleep(Duration::from_millis(250));
        browser.until(&format!("document.getElementById('amount').innerText === {}", json!(found)));
    }
}

/// Signs that nobody sees are shown by their codes, and a filter with one still finds it.
#[test]
fn signs_that_nobody_sees_are_shown_and_found() {
    let Some(browser) = Browser::start() else { return };
    let folder = tempfile::tempdir().unwrap();
    let case = |id: &str, response: &str, tag: &str| json!({"id": id, "query": "Which?", "response": response, "reference": ["the one"], "tags": [tag]});
    let lines =
        format!("{}\n{}\n", case("first", "the\u{feff} one", "a\u{200b}b"), case("turned\u{202e}", "the other", "ab"));
    fs::write(folder.path().join("cases.jsonl"), lines).unwrap();
    for (name, more) in [("one.jsonl", ""), ("two.jsonl", "exact_match")] {
        let metrics: &[&str] = if more.is_empty() { &["-m", "token_f1"] } else { &["-m", "token_f1", "-m", more] };
        run_successfully(folder.path(), &[&["score", "cases.jsonl", "-q", "-o", name], metrics].concat());
    }
    let viewer = ViewerProcess::start(folder.path(), &["one.jsonl", "two.jsonl"]);
    browser.open(&viewer.address);
    browser.until("document.querySelectorAll('article.run table').length === 2");
    browser.open(&format!("http://127.0.0.1:{}/view#/cases?run=f0", viewer.port));
    browser.until(&format!("{ROWS} === 2"));
    assert_eq!(browser.text("document.querySelector('a.tag').innerText"), "a\\u{200b}b");
    browser.evaluate("document.querySelector('a.tag').click()");
    browser.until(&format!("{ROWS} === 1 && location.hash.includes('tag')"));
    browser.press("/\u{e007}");
    std::thread::sleep(Duration::from_millis(300));
    browser.until(&format!("{ROWS} === 1 && document.getElementById('amount').innerText === '1 case fits'"));
    // In a text with marks, too.
    browser.open(&format!("http://127.0.0.1:{}/view#/case?run=f0&at=0,0", viewer.port));
    browser.until("document.querySelector('.field.response mark')");
    assert!(browser.text("document.querySelector('.field.response').innerText").contains("\\u{feff}"));
    // A comparison that is opened by its address.
    browser.open("about:blank");
    browser.open(&format!("http://127.0.0.1:{}/view#/compare?run=f0&run=f1", viewer.port));
    browser.until("document.querySelector('table.findings')");
    assert_eq!(browser.evaluate("document.getElementById('main').innerText.includes('\u{202e}')"), false);
}

/// The line offers what the run has, and a label leads to the cases that have it.
#[test]
fn a_filter_is_completed_while_it_is_written_and_a_label_is_a_filter() {
    let Some(browser) = Browser::start() else { return };
    let folder = example_run();
    let viewer = ViewerProcess::start(folder.path(), &["1"]);
    browser.open(&viewer.address);
    browser.until("document.querySelector('article.run table')");
    browser.open(&format!("http://127.0.0.1:{}/view#/cases?run=r1", viewer.port));
    browser.until(&format!("{ROWS} === 50"));
    let offered = || browser.evaluate("[...document.querySelectorAll('#conditions option')].map((one) => one.value)");
    browser.press("/token");
    assert_eq!(offered(), json!(["token_f1<", "tokens>"]));
    browser.press("_f1<0.5 (-model:s");
    assert_eq!(offered(), json!(["token_f1<0.5 (-model:swift", "token_f1<0.5 (-model:steady"]));
    browser.evaluate("document.querySelector('td a.tag, td a.label').click()");
    browser.until("location.hash.includes('q=') && document.getElementById('amount')?.innerText.includes('fit')");
    let filter = browser.text("document.getElementById('filter').value");
    let (metric, label) = filter.split_once(':').unwrap();
    assert!(!metric.is_empty() && !label.is_empty(), "{filter}");
    let words = browser.text("document.getElementById('amount').innerText");
    assert!(words.starts_with(&format!("{} case", total(&viewer, &filter))), "{filter}: {words}");
}

/// Evidence leads to its place, stands once where it repeats, and an answer in Markdown can be seen as such, with nothing in it that runs.
#[test]
fn evidence_leads_to_its_place_and_markdown_is_shown_as_its_reader_sees_it() {
    let Some(browser) = Browser::start() else { return };
    let folder = tempfile::tempdir().unwrap();
    let filler = "a line of the answer that says little\n\n".repeat(60);
    let answer = format!(
        "# Title <img src=x onerror=window.ran=1>\n\n- **first** [x](javascript:window.ran=1)\n- `<b>`\n\n{filler}harbour\n\n\
         ```\nlet a = 1;\n```\n\n| a | b |\n|---|---|\n| 1 | 2 |\n"
    );
    let lines = [
        json!({"id": "marked", "query": "Where?", "response": answer, "reference": ["harbour"]}),
        json!({"id": "plain", "query": "Where?", "response": "cat and dog and bird", "reference": ["cat dog bird"]}),
    ];
    fs::write(folder.path().join("cases.jsonl"), lines.map(|line| format!("{line}\n")).concat()).unwrap();
    run_successfully(folder.path(), &["score", "cases.jsonl", "-m", "token_f1", "-q", "-o", "results.html"]);
    browser.open(&format!("file://{}#case=marked", folder.path().join("results.html").display()));
    browser.until("document.querySelector('.evidence li[data-from]')");
    let is_seen = "(() => { const marks = [...document.querySelectorAll('.field.response mark')]; const { top, bottom } = \
                   marks.find((mark) => mark.innerText === 'harbour').getBoundingClientRect(); return top >= 0 && bottom <= innerHeight; })()";
    assert_eq!(browser.evaluate(is_seen), false);
    browser.evaluate("[...document.querySelectorAll('.evidence li[data-from]')].find((one) => one.innerText.includes('harbour')).click()");
    browser.until(is_seen);
    browser.evaluate("document.querySelector('details.as-markdown').open = true");
    browser.until("document.querySelector('.rendered table')");
    let parts = "['.heading', 'li', 'strong', 'code', 'pre', 'td'].map((part) => document.querySelectorAll(`.rendered ${part}`).length)";
    assert_eq!(browser.evaluate(parts), json!([1, 2, 1, 2, 1, 2]));
    let state =
        browser.evaluate("[window.ran ?? null, document.querySelectorAll('.rendered :is(a, img, script)').length]");
    assert_eq!(state, json!([null, 0]));
    browser.picture("markdown-light");

    browser.open(&format!("file://{}#case=plain", folder.path().join("results.html").display()));
    browser.until("document.querySelector('#main h1')?.innerText === 'plain' && document.querySelector('.evidence li')");
    assert_eq!(browser.evaluate("document.querySelectorAll('details.as-markdown').length"), 0);
    assert_eq!(browser.text("document.querySelector('.evidence .times').innerText"), "2 times");
    assert_eq!(browser.complaints(), Vec::<String>::new());
}

/// What lies in the middle between two digits is rounded alike on every page.
#[test]
fn a_mean_and_its_value_are_rounded_alike_everywhere() {
    let Some(browser) = Browser::start() else { return };
    let folder = tempfile::tempdir().unwrap();
    // One of sixteen words is in both: 0.0625.
    let case = json!({"id": "a", "query": "Which?", "response": "harbour council winter letter orchard ferry copper bridge",
        "reference": ["harbour signal garden merchant lantern river archive window engine"]});
    fs::write(folder.path().join("cases.jsonl"), format!("{case}\n")).unwrap();
    run_successfully(folder.path(), &["score", "cases.jsonl", "-m", "jaccard", "-q", "-o", "one.jsonl"]);
    let viewer = ViewerProcess::start(folder.path(), &["one.jsonl"]);
    assert_eq!(viewer.json("/view/api/summary?run=f0")["whole"][0]["mean"], 0.0625);
    browser.open(&viewer.address);
    for (view, value) in [
        ("runs", "article.run .mean"),
        ("cases?run=f0", "tbody.case .value"),
        ("case?run=f0&at=0,0", "article.output .panel .value"),
    ] {
        browser.open(&format!("http://127.0.0.1:{}/view#/{view}", viewer.port));
        browser.until(&format!("document.querySelector('{value}')"));
        assert_eq!(browser.text(&format!("document.querySelector('{value}').innerText")), "0.062", "{view}");
    }
}

/// Means by tag, and each leads to the cases with that tag.
#[test]
fn means_are_grouped_by_tag_and_lead_to_the_cases() {
    let folder = example_run();
    let viewer = ViewerProcess::start(folder.path(), &["1"]);
    let by_tag = viewer.json("/view/api/summary?run=r1&by=tags");
    assert_eq!(by_tag["by"], "tags");
    let rows = by_tag["rows"].as_array().unwrap();
    assert!(rows.len() >= 2, "{by_tag}");
    for row in rows.iter().take(3) {
        let filter = row["filter"].as_str().unwrap();
        assert_eq!(Some(total(&viewer, filter)), row["cases"].as_u64(), "{filter}");
    }
    let models = viewer.json("/view/api/summary?run=r1");
    assert_eq!(models["rows"][0]["filter"], format!("model:{}", models["rows"][0]["name"].as_str().unwrap()));
    let Some(browser) = Browser::start() else { return };
    browser.open(&viewer.address);
    browser.until("document.querySelector('article.run table')");
    browser.evaluate("(() => { const group = document.getElementById('group'); group.value = 'tags'; group.dispatchEvent(new Event('change')); })()");
    browser
        .until("location.hash === '#/runs?by=tags' && document.querySelector('article.run th')?.innerText === 'Tag'");
    browser.evaluate("document.querySelector('article.run tbody th a').click()");
    browser.until(&format!("{ROWS} > 0 && decodeURIComponent(location.hash).includes('tag:')"));
}

/// Files of the same run, by one command, are one run; those of another name or of another run are not.
#[test]
fn a_run_that_was_written_in_several_forms_is_shown_once() {
    let folder = tempfile::tempdir().unwrap();
    let place = folder.path();
    fs::copy(crate::program::root().join("examples/quickstart.jsonl"), place.join("cases.jsonl")).unwrap();
    let score = |metric: &str, files: &[&str]| {
        let files: Vec<&str> = files.iter().flat_map(|file| ["-o", *file]).collect();
        run_successfully(place, &[&["score", "cases.jsonl", "-m", metric, "-q"], &files[..]].concat());
    };
    score("token_f1", &["a.jsonl", "a.html", "a.csv", "b.jsonl"]);
    score("chrf", &["c.html"]);
    score("token_f1", &["c.jsonl"]);
    let viewer = ViewerProcess::start(place, &[]);
    let runs = viewer.json("/view/api/runs");
    let names: Vec<&str> = runs["runs"].as_array().unwrap().iter().filter_map(|run| run["name"].as_str()).collect();
    assert_eq!(names, ["a.html", "b.jsonl", "c.html", "c.jsonl"]);
}
