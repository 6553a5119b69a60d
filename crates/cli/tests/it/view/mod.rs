//! `probare view` in a real browser: what is seen, which keys work, that nothing of a text runs, and who is refused.

mod driver;
mod everyday;
mod labels;
mod panels;
mod saved;
mod unusual;

use std::fs;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};

use serde_json::{Value as Json, json};

use crate::program::{PROGRAM, both_streams, code, command, root, run, run_expecting, run_successfully};
use driver::{Browser, raw};

/// A viewer that is served.
struct ViewerProcess {
    child: Child,
    /// The address with the token.
    address: String,
    port: u16,
    token: String,
}

impl ViewerProcess {
    fn start(folder: &Path, arguments: &[&str]) -> Self {
        Self::start_with(folder, arguments, |_| ())
    }

    fn start_with(folder: &Path, arguments: &[&str], change: impl FnOnce(&mut Command)) -> Self {
        let mut view = command(folder, &["view"]);
        change(&mut view);
        let mut child = view.args(arguments).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
        let address = line.trim().to_owned();
        let rest = address.strip_prefix("http://127.0.0.1:").unwrap_or_else(|| panic!("no address: `{address}`"));
        let (port, token) = rest.split_once("/view#token=").unwrap();
        let (port, token) = (port.parse().unwrap(), token.to_owned());
        Self { child, address, port, token }
    }

    /// Asks without a browser.
    fn ask(&self, method: &str, path: &str, headers: &[(&str, &str)]) -> (u16, String, String) {
        let mut text = format!("{method} {path} HTTP/1.1\r\nConnection: close\r\n");
        if !headers.iter().any(|(name, _)| *name == "Host") {
            text.push_str(&format!("Host: 127.0.0.1:{}\r\n", self.port));
        }
        for (name, value) in headers {
            text.push_str(&format!("{name}: {value}\r\n"));
        }
        raw(self.port, &format!("{text}\r\n"))
    }

    fn json(&self, path: &str) -> Json {
        let bearer = format!("Bearer {}", self.token);
        let (status, _, body) = self.ask("GET", path, &[("Authorization", &bearer)]);
        assert_eq!(status, 200, "{path}: {body}");
        serde_json::from_str(&body).unwrap()
    }
}

impl Drop for ViewerProcess {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A copy of the example with two models, run, in a folder of its own.
fn example_run() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let example = root().join("examples/run");
    fs::create_dir(folder.path().join("replies")).unwrap();
    for name in ["cases.jsonl", "probare.yaml", "replies/swift.jsonl", "replies/steady.jsonl", "replies/judges.jsonl"] {
        fs::copy(example.join(name), folder.path().join(name)).unwrap();
    }
    // An answer that a case expects is missing, and the run says so.
    run_expecting(folder.path(), 2, &["run", "probare.yaml", "--quiet"]);
    folder
}

const ROWS: &str = "document.querySelectorAll('tbody.case').length";

#[test]
fn a_run_is_read_in_a_browser_from_its_means_to_the_evidence_of_a_case() {
    let Some(browser) = Browser::start() else { return };
    let folder = example_run();
    let viewer = ViewerProcess::start(folder.path(), &[]);
    browser.open(&viewer.address);
    browser.until("document.querySelectorAll('article.run table').length === 1");
    assert_eq!(browser.text("location.hash"), "#/runs", "the token leaves the address");
    let models = browser.text("document.querySelector('article[data-run=r1] tbody').innerText");
    assert!(models.contains("swift") && models.contains("steady") && models.contains("all"), "{models}");

    // What the page says is what the program says.
    let shown = browser.text("document.querySelector('article[data-run=r1] tbody tr:last-child .mean').innerText");
    run_successfully(folder.path(), &["runs", "export", "1", "-o", "all.json"]);
    let written: Json = serde_json::from_str(&fs::read_to_string(folder.path().join("all.json")).unwrap()).unwrap();
    let mean = written["summary"]["metrics"][0]["mean"].as_f64();
    assert_eq!(Some(shown), mean.map(|mean| format!("{mean:.3}")));
    assert!(browser.text("document.querySelector('article[data-run=r1] .banner').innerText").contains("answer_match"));
    browser.picture("runs-light");

    // Cases: the keys, the filter, the address.
    browser.evaluate("document.querySelector('article[data-run=r1] h2 a').click()");
    browser.until(&format!("{ROWS} === 50"));
    browser.picture("cases-light");
    let total = browser.text("document.getElementById('amount').innerText");
    browser.press("jj");
    assert_eq!(browser.evaluate("[...document.querySelectorAll('a.open')].indexOf(document.activeElement)"), 1);
    browser.press("k/");
    assert_eq!(browser.text("document.activeElement.id"), "filter");
    browser.press("token_f1<0.5 model:swift\u{e007}");
    browser.until("location.hash.includes('token_f1') && document.getElementById('amount').innerText.includes('fit')");
    let fit = browser.text("document.getElementById('amount').innerText");
    let listed = viewer.json("/view/api/cases?run=r1&q=token_f1%3C0.5%20model:swift&most=200");
    assert_eq!(fit, format!("{} cases fit", listed["total"]));
    assert_ne!(format!("{} cases", listed["total"]), total);
    let is_low = |row: &Json| {
        let mut swift = row["outputs"].as_array().unwrap().iter().filter(|output| output["model"] == "swift");
        swift.any(|output| output["entry"]["values"][2][0].as_f64().is_some_and(|value| value < 0.5))
    };
    assert!(listed["rows"].as_array().unwrap().iter().all(is_low), "{listed}");
    browser.open(&format!("http://127.0.0.1:{}/view#/cases?run=r1&q=token_f2%3C1", viewer.port));
    browser.until("document.getElementById('filter-error').innerText.includes('did you mean `token_f1`?')");

    // A case: both models side by side, marks that a score lights, the next one.
    browser.open(&format!("http://127.0.0.1:{}/view#/cases?run=r1&q=token_f1%3C0.5&sort=token_f1", viewer.port));
    browser.until(&format!("{ROWS} > 0 && location.hash.includes('sort')"));
    browser.press("j\u{e007}");
    browser.until("document.querySelectorAll('article.output').length === 2");
    let names = browser.text("[...document.querySelectorAll('.output h2')].map((h) => h.innerText).join()");
    assert_eq!(names, "swift,steady");
    assert!(browser.text("document.querySelector('.shared').innerText").contains('?'), "the question is there once");
    let command = browser.text("document.querySelector('.command code').textContent");
    assert!(command.starts_with("probare runs export 1 -o run-1.jsonl && probare show run-1.jsonl --id "), "{command}");
    let shown = Command::new("sh")
        .args(["-c", &command.replace("probare ", &format!("{PROGRAM} "))])
        .current_dir(folder.path())
        .output()
        .unwrap();
    assert!(shown.status.success(), "{}", String::from_utf8_lossy(&shown.stderr));
    browser.until("document.querySelectorAll('.panel[data-metric]').length > 0");
    browser.point(".output .panel[data-metric='2']");
    browser.until("document.querySelector('.whole.lit .panel.on')");
    let lit = browser
        .evaluate("[...document.querySelectorAll('mark.on')].every((m) => m.dataset.of.split(' ').includes('2'))");
    assert_eq!(lit, true);
    browser.picture("case-light");
    let before = browser.text("location.hash");
    browser.press("j");
    browser.until(&format!("location.hash !== {}", json!(before)));
    browser.press("u");
    browser.until(&format!("{ROWS} > 0"));
    browser.press("?");
    browser.until("document.getElementById('help').open");

    // Dark and narrow: the same pages, nothing wider than the window, nothing smaller than 12 pixels.
    for (view, name) in [("runs", "runs"), ("cases?run=r1", "cases"), ("case?run=r1&at=0,3", "case")] {
        browser.media("dark", "screen");
        browser.size(1280, 900);
        browser.open(&format!("http://127.0.0.1:{}/view#/{view}", viewer.port));
        browser.until("!document.querySelector('[aria-busy]') && document.querySelector('table')");
        assert_eq!(
            browser.evaluate("document.getElementById('help').open"),
            false,
            "the keys of another view stand over {name}"
        );
        browser.picture(&format!("{name}-dark"));
        browser.media("light", "screen");
        browser.telephone(420);
        browser.picture(&format!("{name}-420"));
        assert_eq!(browser.evaluate("document.documentElement.scrollWidth <= 420"), true, "{name} is too wide");
        let small = "[...document.querySelectorAll('main *, header *')].filter((e) => [...e.childNodes].some((n) => \
                     n.nodeType === 3 && n.data.trim()) && parseFloat(getComputedStyle(e).fontSize) < 12).length";
        assert_eq!(browser.evaluate(small), 0, "{name} has letters that are too small");
        browser.telephone(1280);
    }
    let empty = "[...document.querySelectorAll('tbody.case .meter.s4 i')].some((bar) => bar.getBoundingClientRect().width === 0)";
    browser.open(&format!("http://127.0.0.1:{}/view#/cases?run=r1&q=exact_match%3D0", viewer.port));
    browser.until(empty);
    // The worst is seen by the track behind it.
    let track =
        |meter: &str| browser.text(&format!("getComputedStyle(document.querySelector('{meter}')).backgroundColor"));
    assert_ne!(track("tbody.case .meter.s4"), track("tbody.case .meter:not(.s4)"));
}

#[test]
fn a_comparison_has_the_digits_of_the_terminal_and_the_words_that_differ() {
    let folder = example_run();
    let viewer = ViewerProcess::start(folder.path(), &[]);
    let found = viewer.json("/view/api/compare?run=r1@swift&run=r1@steady");
    let terminal = run_successfully(folder.path(), &["compare", "1@swift", "1@steady", "--json"]);
    let computed: Json = serde_json::from_str(terminal.split("\nnote:").next().unwrap()).unwrap();
    let metrics = computed["others"][0]["metrics"].as_array().unwrap();
    assert!(metrics.len() > 5);
    for (metric, shown) in metrics.iter().zip(found["others"][0]["metrics"].as_array().unwrap()) {
        let number = |name: &str| metric["whole"][name].as_f64().unwrap();
        assert_eq!(metric["metric"], shown["metric"]);
        assert_eq!(shown["whole"]["baseline"], format!("{:.3}", number("baseline")), "{metric}");
        assert_eq!(shown["whole"]["mean"].as_f64(), Some(number("mean")));
        let p = number("p_value_adjusted");
        assert_eq!(shown["whole"]["adjusted"], if p < 0.001 { "< 0.001".to_owned() } else { format!("{p:.3}") });
        assert_eq!(
            shown["changes"].as_array().map(Vec::len),
            metric["changes"].as_array().map(|all| all.len().min(50))
        );
    }
    let table = run_successfully(folder.path(), &["compare", "1@swift", "1@steady", "--color", "never"]);
    let first = &found["others"][0]["metrics"][0]["whole"];
    for name in ["difference", "interval", "adjusted"] {
        assert!(table.contains(first[name].as_str().unwrap()), "{name}: {first}\n{table}");
    }

    let Some(browser) = Browser::start() else { return };
    browser.open(&viewer.address);
    browser.until("document.querySelectorAll('input.choose').length >= 3");
    // What cannot be done yet is said where everybody sees it.
    browser.press("c");
    browser.until(
        "document.querySelector('#message.seen')?.innerText === 'Choose at least two runs or models to compare'",
    );
    for model in ["swift", "steady"] {
        browser.evaluate(&format!("document.querySelector(`input.choose[value='r1@{model}']`).click()"));
    }
    browser.press("c");
    browser.until("document.querySelector('.forest') && document.querySelector('details.pair')");
    let shown = browser.text("document.querySelector('table.findings tbody tr').innerText");
    for name in ["baseline", "other", "difference", "interval", "p", "adjusted", "detectable"] {
        assert!(shown.contains(first[name].as_str().unwrap()), "{name}: {shown}");
    }
    // Columns have the names of what is compared, and a changed case its question.
    let heads = browser.text("document.querySelector('table.findings thead').innerText");
    for side in ["swift", "steady"] {
        assert!(heads.contains(side), "{side}: {heads}");
    }
    let question = &found["others"][0]["metrics"][0]["changes"][0]["query"];
    assert!(question.as_str().is_some_and(|question| question.ends_with('?')), "{question}");
    assert_eq!(browser.evaluate("document.querySelector('details.pair .question').textContent"), *question);
    browser.evaluate("document.querySelector('details.pair').open = true");
    browser.until("document.querySelector('details.pair del, details.pair ins')");
    assert_eq!(
        browser.evaluate("document.querySelectorAll('details.pair[open] .panel').length"),
        2,
        "evidence of both"
    );
    browser.pictures("compare");
    // Who comes back from a case finds open what was open, and the focus is never lost.
    browser.evaluate("document.querySelector('details.pair[open] .sides h4 a').click()");
    browser.until("document.querySelector('article.output')");
    assert_ne!(browser.text("document.activeElement.tagName"), "BODY");
    browser.evaluate("history.back()");
    browser.until("document.querySelector('details.pair[open] .sides h4')");
}

#[test]
fn runs_have_small_trends_and_a_case_what_was_asked_for_it() {
    let folder = tempfile::tempdir().unwrap();
    let place = folder.path();
    let questions: String = (0..30)
        .map(|case| {
            format!(
                "{}\n",
                json!({"id": format!("q{case:02}"), "query": format!("<b>What is {case}?</b>"), "reference": "yes"})
            )
        })
        .collect();
    fs::write(place.join("questions.jsonl"), questions).unwrap();
    for (name, answer) in [("first", "no"), ("second", "yes")] {
        fs::write(place.join(format!("{name}.sh")), format!("cat > /dev/null; echo '{{\"text\": \"{answer}\"}}'\n"))
            .unwrap();
        let model = format!("{{name: house, provider: command, command: [sh, {name}.sh], concurrency: 4}}");
        let yaml = format!("datasets: [{{path: questions.jsonl}}]\nmodels: [{model}]\nmetrics: [exact_match]\n");
        fs::write(place.join("probare.yaml"), yaml).unwrap();
        run_successfully(place, &["run", "probare.yaml", "-q"]);
    }
    let viewer = ViewerProcess::start(place, &[]);
    let trends = viewer.json("/view/api/history");
    let told: Json = serde_json::from_slice(&run(place, &["history", "--json"]).stdout).unwrap();
    let (shown, step) = (&trends["series"][0], &told["series"][0]["points"][1]["step"]);
    assert_eq!(shown["first_difference"], "run 2");
    let difference = format!("+{:.3}", step["difference"].as_f64().unwrap());
    assert!(shown["since_first"].as_str().unwrap().starts_with(&difference), "{shown} {step}");
    assert_eq!(shown["svg"].as_str().unwrap().matches("<circle").count(), 2);

    let case = viewer.json("/view/api/case?run=r2&at=0,3");
    let asked = viewer.json(&format!("/view/api/asked?run=r2&at=0,3&sample={}", case["outputs"][0]["sample"]));
    let exchange = &asked["asked"][0];
    assert_eq!(asked["asked"].as_array().map(Vec::len), Some(1), "{asked}");
    assert_eq!((exchange["kind"].as_str(), exchange["name"].as_str()), (Some("answer"), Some("house")));
    assert_eq!(exchange["messages"], json!([{"role": "user", "text": "<b>What is 3?</b>"}]));
    assert_eq!(exchange["reply"], "yes");

    let Some(browser) = Browser::start() else { return };
    browser.open(&viewer.address);
    browser.until("document.querySelectorAll('.trends svg circle.point').length === 2");
    assert!(browser.text("document.querySelector('.trends tbody').innerText").contains("run 2"));
    browser.picture("runs-trend-light");
    // A point leads to the cases of its run, an unstable case to the last run that has it.
    assert_eq!(browser.text("document.querySelector('.trends .dots').getAttribute('aria-label')"), "bad, good");
    let leads_to = |selector: &str| browser.text(&format!("document.querySelector('{selector}').getAttribute('href')"));
    assert_eq!(leads_to(".trends svg a"), "#/cases?run=r1&q=model%3Ahouse&sort=exact_match");
    assert_eq!(leads_to(".trends li a"), "#/case?run=r2&id=q00");
    // The head of a column has how its values lie: 30 of 0 and none else in the first run.
    let whole = viewer.json("/view/api/summary?run=r1");
    let counts = whole["distributions"][0]["counts"].as_array().unwrap();
    assert_eq!((&counts[0], counts.iter().filter_map(Json::as_u64).sum::<u64>()), (&json!(30), 30));
    let heads = "document.querySelectorAll('article[data-run=r1] thead svg.distribution rect').length";
    assert_eq!(browser.evaluate(heads), 1);
    browser.open(&format!("http://127.0.0.1:{}/view#/case?run=r2&at=0,3", viewer.port));
    browser.until("document.querySelector('details.asked')");
    assert_eq!(
        browser.evaluate("document.querySelectorAll('.exchange').length"),
        0,
        "nothing is asked before it is opened"
    );
    browser.evaluate("document.querySelector('details.asked').open = true");
    browser.until("document.querySelectorAll('.exchange').length === 1");
    assert!(browser.text("document.querySelector('.exchange').innerText").contains("<b>What is 3?</b>"));
    browser.picture("case-asked-light");
}

#[test]
fn a_run_is_watched_from_its_start_to_its_end_killed_and_resumed_in_between() {
    let Some(browser) = Browser::start() else { return };
    let folder = tempfile::tempdir().unwrap();
    let text = "the harbour was built by the council in winter and the letter was paid ".repeat(12);
    let lines: Vec<String> = (0..2000)
        .map(|at| {
            json!({"id": format!("case-{at}"), "response": format!("{text}{at}"), "reference": [text]}).to_string()
        })
        .collect();
    fs::write(folder.path().join("cases.jsonl"), lines.join("\n")).unwrap();
    let yaml = "datasets: [{path: cases.jsonl}]\nmetrics: [token_f1, chrf, bleu, rouge_l, levenshtein]\n";
    fs::write(folder.path().join("probare.yaml"), yaml).unwrap();
    let mut running = command(folder.path(), &["run", "probare.yaml", "--quiet", "-j", "1"]).spawn().unwrap();
    while !folder.path().join(".probare/store.db").exists() {
        std::thread::sleep(std::time::Duration::from_millis(10));
    }
    let viewer = ViewerProcess::start(folder.path(), &[]);
    browser.open(&viewer.address);
    browser.until("document.querySelector('.live')?.innerText.includes(' of 2000 samples')");
    browser.until("Number(document.querySelector('.live progress').value) > 20");
    browser.pictures("live");
    running.kill().unwrap();
    running.wait().unwrap();
    let kept = viewer.json("/view/api/runs")["runs"][0].clone();
    assert_eq!(kept["state"], "open", "it was killed before its end: {kept}");
    assert!(kept["finished"].as_u64().is_some_and(|finished| finished > 20 && finished < 2000), "{kept}");
    assert!(browser.evaluate("document.querySelector('.live') !== null").as_bool().unwrap());
    // Who reads its cases meanwhile stays where they are: the end of the run changes the facts, not the filter that they write.
    browser.open_tab(&format!("http://127.0.0.1:{}/view#/cases?run=r1", viewer.port));
    browser.until(&format!("{ROWS} > 0 && document.querySelector('.live')"));
    browser.press("/text~har");
    run_successfully(folder.path(), &["resume", "1", "--quiet"]);
    browser.until(
        "!document.querySelector('.live') && document.querySelector('.facts').innerText.includes('2000 samples')",
    );
    assert_eq!(browser.text("document.activeElement.id"), "filter");
    assert_eq!(browser.text("document.activeElement.value"), "text~har");
    browser.until("document.getElementById('amount').innerText === '2000 cases'");
    browser.open(&format!("http://127.0.0.1:{}/view#/runs", viewer.port));
    browser.until("document.querySelector('article.run tbody')?.innerText.includes('2000 cases')");
    let whole = viewer.json("/view/api/summary?run=r1");
    assert_eq!(
        (&whole["state"], &whole["finished"], &whole["cases"]),
        (&json!("complete"), &json!(2000), &json!(2000))
    );
}

#[test]
fn a_run_is_saved_as_one_page_that_opens_from_the_disk_and_searches() {
    let folder = example_run();
    let viewer = ViewerProcess::start(folder.path(), &[]);
    let bearer = format!("Bearer {}", viewer.token);
    let (status, head, page) = viewer.ask("GET", "/view/api/save?run=r1", &[("Authorization", &bearer)]);
    assert_eq!(status, 200);
    assert!(head.contains("content-disposition: attachment") && page.ends_with("</html>\n"), "{head}");
    let saved = folder.path().join("saved.html");
    fs::write(&saved, page).unwrap();
    run_successfully(folder.path(), &["runs", "export", "1", "-o", "exported.html"]);
    assert_eq!(fs::read_to_string(&saved).unwrap(), fs::read_to_string(folder.path().join("exported.html")).unwrap());
    // It says of the gates and of the models what the report of the run says.
    let report = fs::read_to_string(folder.path().join("out/report.html")).unwrap();
    let exported = fs::read_to_string(&saved).unwrap();
    let part = |page: &str, from: &str, to: &str| {
        let rest = page.split_once(from).unwrap_or_else(|| panic!("no {from}")).1;
        rest.split(to).next().unwrap().to_owned()
    };
    for (from, to) in
        [("<div class=\"banner", "</div>"), ("<h2>By model</h2>", "</table>"), ("<h2>Summary</h2>", "</table>")]
    {
        assert_eq!(part(&exported, from, to), part(&report, from, to));
    }
    // Of a part there are the cases that fit, and the page says which part it is.
    let listed = viewer.json("/view/api/cases?run=r1&most=200");
    let list = |sort: &str| -> Vec<String> {
        let found = viewer.json(&format!("/view/api/cases?run=r1&most=200&sort={sort}"));
        found["rows"].as_array().unwrap().iter().map(|row| row["id"].to_string()).collect()
    };
    let ids = list("");
    let save = |filter: &str| {
        viewer.ask("GET", &format!("/view/api/save?run=r1&q={}", form(filter)), &[("Authorization", &bearer)])
    };
    let (status, _, part) = save("id:symbol-helium");
    assert_eq!(status, 200);
    assert!(part.contains(&format!("1 of {} cases: id:symbol-helium", listed["total"])));
    // The viewer ranks the cases by the columns of its store, the page by the results that it holds: both in the same order.
    let mut ranked: Vec<(f64, f64, String)> = Vec::new();
    for index in exported.split("class=\"index\">").skip(1) {
        let items: Vec<Json> = serde_json::from_str(index.split("</script>").next().unwrap()).unwrap();
        for item in items {
            let id = item["entry"]["id"].to_string();
            let (largest, mean) = (item["shortfall"][0].as_f64().unwrap(), item["shortfall"][1].as_f64().unwrap());
            match ranked.iter_mut().find(|(_, _, known)| *known == id) {
                Some(known) if (known.0, known.1) < (largest, mean) => (known.0, known.1) = (largest, mean),
                Some(_) => {}
                None => ranked.push((largest, mean, id)),
            }
        }
    }
    ranked.sort_by(|one, other| other.0.total_cmp(&one.0).then(other.1.total_cmp(&one.1)));
    assert_eq!(list("worst"), ranked.into_iter().take(200).map(|(_, _, id)| id).collect::<Vec<_>>());
    assert_ne!(list("worst"), ids);
    let (status, _, words) = viewer.ask("GET", "/view/api/cases?run=r1&sort=-worst", &[("Authorization", &bearer)]);
    assert!(status == 422 && words.contains("cases cannot be sorted by `-worst`"), "{status}: {words}");
    let kept: Vec<&String> = ids.iter().filter(|id| part.contains(&format!("\"id\":{id}"))).collect();
    assert_eq!(kept, ["\"symbol-helium\""]);
    assert!(
        part.contains("<h2>By model</h2>") && !part.contains("<div class=\"banner"),
        "gates are about the whole run"
    );
    assert_eq!(save("token_f2<1").0, 422);
    let Some(browser) = Browser::start() else { return };
    browser.open(&format!("file://{}", saved.display()));
    browser.until("document.querySelectorAll('#browser tbody').length === 50");
    browser.pictures("saved");
    // It shows and finds what the viewer does.
    let listed = "JSON.stringify([document.getElementById('amount').innerText, [...document.querySelectorAll('tbody.case')].map((row) => [...row.querySelectorAll('a.open, .answer-cell, .value')].map((part) => part.innerText))])";
    for filter in [
        "\"chemists write for helium\"",
        "token_f1<0.5 model:swift",
        "token_f1 < 0.5 OR (chrf<20 -model:swift)",
        "NOT (token_f1<0.5)",
        "flipped",
        "flipped:token_f1 -id~symbol",
        "tag:nothing",
        "status:failed",
        "id:symbol-helium",
    ] {
        let address = format!("cases?run=r1&sort=order&q={}", form(filter));
        browser.open(&format!("file://{}#/{address}", saved.display()));
        browser.until(&format!("document.getElementById('filter')?.value === {}", json!(filter)));
        browser.until("!document.querySelector('[aria-busy=true]') && document.getElementById('amount').innerText");
        std::thread::sleep(std::time::Duration::from_millis(400));
        let of_page = browser.text(listed);
        browser.open(&format!("http://127.0.0.1:{}/view#token={}", viewer.port, viewer.token));
        browser.until("document.querySelector('article.run')");
        browser.evaluate(&format!("location.hash = {}", json!(format!("#/{}", address.replace("&sort=order", "")))));
        browser.until(&format!("document.getElementById('filter')?.value === {}", json!(filter)));
        browser.until("!document.querySelector('[aria-busy=true]') && document.getElementById('amount').innerText");
        std::thread::sleep(std::time::Duration::from_millis(400));
        assert_eq!(of_page, browser.text(listed), "{filter}");
    }
    // The page begins with the worst; the viewer has the same order to choose.
    let shows_fifty = format!("!document.querySelector('[aria-busy=true]') && {ROWS} === 50");
    browser.open(&format!("file://{}#/cases", saved.display()));
    browser.until(&format!("document.getElementById('filter')?.value === '' && {shows_fifty}"));
    std::thread::sleep(std::time::Duration::from_millis(400));
    let of_page = browser.text(listed);
    browser.open(&format!("http://127.0.0.1:{}/view#token={}", viewer.port, viewer.token));
    browser.until("document.querySelector('article.run')");
    browser.evaluate("location.hash = '#/cases?run=r1'");
    browser.until(&format!("document.getElementById('sort') && {shows_fifty}"));
    browser.evaluate("(() => { const sort = document.getElementById('sort'); sort.value = 'worst'; sort.dispatchEvent(new Event('change')); })()");
    browser.until(&format!("location.hash.includes('sort=worst') && {shows_fifty}"));
    std::thread::sleep(std::time::Duration::from_millis(400));
    assert_eq!(of_page, browser.text(listed));
    browser.open(&format!("file://{}#case=symbol-helium", saved.display()));
    browser.until("document.querySelectorAll('.output').length > 1 && document.querySelectorAll('.output .panel').length > 5 && document.querySelector('.output mark')");
    assert_eq!(browser.text("document.querySelector('#main h1').innerText"), "symbol-helium");
    assert!(browser.evaluate("document.getElementById('overview').hidden").as_bool().unwrap());
    browser.pictures("saved-case");
    browser.open(&format!("file://{}#/cases?q=token_f9%3C1", saved.display()));
    browser.until("document.getElementById('filter-error')?.innerText.includes('nothing called `token_f9`')");
    browser.open(&format!("file://{}#case=nobody", saved.display()));
    browser.until("document.querySelector('[role=alert]')?.innerText.includes('not on the page')");
    assert_eq!(browser.complaints(), Vec::<String>::new());
}

/// Texts that would run where a text became markup.
const PAYLOADS: [&str; 25] = [
    "<script>window.ran=1</script>",
    "<img src=x onerror=window.ran=1>",
    "<svg onload=window.ran=1>",
    "<iframe srcdoc='<script>parent.ran=1</script>'></iframe>",
    "\"><script>window.ran=1</script>",
    "'><img src=x onerror=window.ran=1>",
    "</script><script>window.ran=1</script>",
    "</title><script>window.ran=1</script>",
    "</textarea><script>window.ran=1</script>",
    "<details open ontoggle=window.ran=1>",
    "<input autofocus onfocus=window.ran=1>",
    "<a href=\"javascript:window.ran=1\">x</a>",
    "[x](javascript:window.ran=1)",
    "![x](x\"onerror=\"window.ran=1)",
    "javascript:window.ran=1",
    "<math><mtext></form><form><mglyph><style></math><img src onerror=window.ran=1>",
    "<body onload=window.ran=1>",
    "<style>@import 'x'; * { display: none }</style>",
    "{{constructor.constructor('window.ran=1')()}}",
    "--><script>window.ran=1</script><!--",
    "\\u003cscript\\u003ewindow.ran=1\\u003c/script\\u003e",
    "<object data=\"data:text/html,<script>parent.ran=1</script>\"></object>",
    "<template><script>window.ran=1</script></template><video src=x onerror=window.ran=1>",
    "]]><script>window.ran=1</script><![CDATA[",
    "x' onmouseover='window.ran=1' y=\"' onfocus=window.ran=1 tabindex=0 autofocus",
];

#[test]
fn nothing_that_stands_in_a_text_runs() {
    let Some(browser) = Browser::start() else { return };
    let folder = tempfile::tempdir().unwrap();
    let lines: Vec<String> = PAYLOADS
        .iter()
        .map(|text| {
            let message =
                json!({"role": "assistant", "text": text, "tool_calls": [{"name": text, "arguments": {*text: text}}]});
            json!({"id": text, "query": text, "response": text, "model": text, "context": [text], "reference": [text],
                "tags": [text], "messages": [{"role": "user", "text": text}, message], "metadata": {*text: text}})
            .to_string()
        })
        .collect();
    fs::write(folder.path().join("cases.jsonl"), lines.join("\n")).unwrap();
    let name = "<img src=x onerror=window.ran=1>.jsonl";
    let metric = "<script>ran()</script>=token_f1";
    let pages = ["--quiet", "-o", name, "-o", "page.html"];
    run_successfully(
        folder.path(),
        &[&["score", "cases.jsonl", "-m", "token_f1", "-m", metric, "-m", "contains"], &pages[..]].concat(),
    );
    // The same texts with other answers, to compare them with.
    let other = lines.join("\n").replace("\"response\":\"", "\"response\":\"2");
    fs::write(folder.path().join("other.jsonl"), other).unwrap();
    run_successfully(
        folder.path(),
        &["score", "other.jsonl", "-m", "token_f1", "-m", metric, "--quiet", "-o", "other-results.jsonl"],
    );
    let viewer = ViewerProcess::start(folder.path(), &[name, "other-results.jsonl"]);
    let is_safe = |what: &str| {
        // Pictures of ours are drawings without any program.
        let state = browser.evaluate("[window.ran ?? null, document.querySelectorAll('main :is(script, iframe, img, style, object, video, [onload], [onerror], [onfocus], [ontoggle], [onmouseover])').length]");
        assert_eq!(state, json!([null, 0]), "{what}");
    };
    browser.open(&viewer.address);
    browser.until("document.querySelectorAll('article.run table').length === 2");
    assert!(browser.text("document.querySelector('#main').innerText").contains("onerror"), "the name is shown");
    is_safe("runs");
    browser.open(&format!("http://127.0.0.1:{}/view#/runs?by=tags", viewer.port));
    browser.until("document.getElementById('group')?.value === 'tags' && document.querySelectorAll('article.run table').length === 2");
    is_safe("runs by tag");
    browser.open(&format!("http://127.0.0.1:{}/view#/cases?run=f0", viewer.port));
    browser.until(&format!("{ROWS} === {}", PAYLOADS.len()));
    is_safe("cases");
    browser.open(&format!("http://127.0.0.1:{}/view#/cases?run=f0&layout=grid", viewer.port));
    browser.until("document.querySelectorAll('table.grid tbody').length > 0");
    is_safe("grid");
    browser.open(&format!("http://127.0.0.1:{}/view#/compare?run=f0&run=f1&by=tags", viewer.port));
    browser.until("document.querySelector('details.pair')");
    browser.evaluate("[...document.querySelectorAll('details.moved'), ...[...document.querySelectorAll('details.pair')].slice(0, 3)].forEach((one) => { one.open = true; })");
    browser.until("document.querySelector('details.pair .sides h4')");
    is_safe("compare");
    for at in 0..3 {
        let address = format!("http://127.0.0.1:{}/view#/labels?run=f0&by={}&at={at}", viewer.port, form(PAYLOADS[at]));
        browser.open(&address);
        browser.until("document.querySelector('.labelled')");
        browser.press("n");
        browser.press(PAYLOADS[at + 3]);
        browser.evaluate("document.activeElement.blur()");
        browser.press("p");
        browser.until("document.querySelector('.labelled') && !document.querySelector('[aria-busy]')");
        is_safe("labels");
    }
    for (at, payload) in PAYLOADS.iter().enumerate() {
        browser.open(&format!("http://127.0.0.1:{}/view#/case?run=f0&at=0,{at}", viewer.port));
        browser.until(&format!("document.querySelector('.output') && location.hash.endsWith(',{at}')"));
        browser.until(&format!(
            "document.querySelector('h1').innerText.length > 3 && document.title.startsWith({})",
            json!(&payload[..6])
        ));
        browser.evaluate("document.querySelectorAll('details').forEach((one) => { one.open = true; })");
        is_safe(payload);
    }
    // On the page that is one file, where the texts stand in the page itself.
    browser.open(&format!("file://{}", folder.path().join("page.html").display()));
    browser.until(&format!("document.querySelectorAll('#browser tbody').length === {}", PAYLOADS.len()));
    let of_page = |what: &str| {
        browser.evaluate("document.querySelectorAll('details').forEach((one) => { one.open = true; })");
        let state = browser.evaluate(
            "[window.ran ?? null, document.querySelectorAll('#browser :is(script:not([type]), iframe, img, style, object, video, [onload], [onerror], [onfocus], [ontoggle], [onmouseover])').length]",
        );
        assert_eq!(state, json!([null, 0]), "the page, {what}");
        assert_eq!(browser.complaints(), Vec::<String>::new(), "nothing was tried, {what}");
    };
    of_page("list");
    for text in PAYLOADS {
        let address = format!("file://{}#case={}", folder.path().join("page.html").display(), form(text));
        browser.open(&address);
        browser
            .until(&format!("document.querySelector('.output') && document.title.startsWith({})", json!(&text[..6])));
        of_page(text);
        browser.evaluate(&format!("location.hash = '#/cases?q={}'", form(&format!("text~{}", quoted(text)))));
        browser.until("document.querySelector('tbody.case')");
        of_page(text);
    }
    // In what the reader writes, and in the address, neither.
    for text in PAYLOADS {
        let query: String = form(&format!("text~{}", quoted(text)));
        browser.open(&format!("http://127.0.0.1:{}/view#/cases?run=f0&q={query}", viewer.port));
        browser.until(&format!("document.getElementById('filter')?.value.includes({})", json!(&text[..5])));
        is_safe(text);
        let found = viewer.json(&format!("/view/api/cases?run=f0&q={query}"));
        assert!(found["total"].as_u64().is_some_and(|total| total >= 1), "{text}: {found}");
    }
    browser.open(&format!("http://127.0.0.1:{}/view#/cases?run={}", viewer.port, form(PAYLOADS[1])));
    browser.until("document.querySelector('[role=alert]')");
    is_safe("the address");
}

/// Words in quotation marks, for a filter.
fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""))
}

/// A value of an address.
fn form(text: &str) -> String {
    text.bytes().map(|byte| format!("%{byte:02X}")).collect()
}

#[test]
fn whoever_has_no_token_or_comes_from_elsewhere_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    fs::copy(root().join("examples/quickstart.jsonl"), folder.path().join("cases.jsonl")).unwrap();
    run_successfully(folder.path(), &["score", "cases.jsonl", "-m", "token_f1", "--quiet", "-o", "results.jsonl"]);
    let viewer = ViewerProcess::start(folder.path(), &["results.jsonl"]);
    let bearer = format!("Bearer {}", viewer.token);
    let api = "/view/api/runs";
    let status = |method: &str, path: &str, headers: &[(&str, &str)]| viewer.ask(method, path, headers).0;
    assert_eq!(status("GET", api, &[("Authorization", &bearer)]), 200);
    for (headers, expected, why) in [
        (&[][..], 401, "no token"),
        (&[("Authorization", "Bearer 0123456789abcdef")], 401, "another token"),
        (&[("Authorization", bearer.as_str()), ("Host", "evil.example")], 421, "a name that leads here"),
        (&[("Authorization", bearer.as_str()), ("Origin", "http://evil.example")], 403, "another page"),
        (&[("Authorization", bearer.as_str()), ("Origin", "null")], 403, "a page of nowhere"),
        (&[("Authorization", bearer.as_str()), ("Sec-Fetch-Site", "cross-site")], 403, "another site"),
    ] {
        assert_eq!(status("GET", api, headers), expected, "{why}");
    }
    assert_eq!(status("GET", "/view", &[("Host", "evil.example")]), 421);
    assert!(matches!(status("POST", api, &[("Content-Type", "application/x-www-form-urlencoded")]), 401 | 403 | 405));
    assert_eq!(status("POST", "/v1/score", &[("Authorization", &bearer)]), 404, "there is nothing but pages");
    let (status, head, body) = viewer.ask("GET", "/view", &[]);
    assert_eq!(status, 200);
    assert!(!body.contains(&viewer.token) && !body.contains("results.jsonl"), "the page itself holds nothing");
    for wanted in ["script-src 'self'", "frame-ancestors 'none'", "nosniff", "no-referrer", "no-store"] {
        assert!(head.contains(wanted), "{wanted}: {head}");
    }
    assert!(!head.contains("unsafe-inline") && !head.contains("access-control-allow-origin"), "{head}");

    // A page of somebody else, in a browser that has the viewer open.
    let Some(browser) = Browser::start() else { return };
    browser.open(&viewer.address);
    browser.until("document.querySelector('article.run table')");
    browser.open("data:text/html,<title>evil</title>");
    let stolen = format!(
        "(() => {{ const request = new XMLHttpRequest(); request.open('GET', 'http://127.0.0.1:{}{api}', false); \
         request.setRequestHeader('Authorization', '{bearer}'); try {{ request.send(); return request.responseText; }} \
         catch (error) {{ return 'refused'; }} }})()",
        viewer.port
    );
    assert_eq!(browser.text(&stolen), "refused");
}

#[test]
fn files_of_other_tools_and_folders_are_shown_and_filtered_as_runs_are() {
    let folder = example_run();
    fs::create_dir(folder.path().join("files")).unwrap();
    fs::copy(root().join("tests/foreign/inspect.eval"), folder.path().join("files/log.eval")).unwrap();
    fs::copy(root().join("examples/two_models.csv"), folder.path().join("two.csv")).unwrap();
    // Not beside the configuration, whose gates are of other metrics.
    let files = folder.path().join("files");
    run_successfully(&files, &["score", "../two.csv", "-m", "token_f1", "--quiet", "-o", "two.jsonl"]);
    let viewer = ViewerProcess::start(folder.path(), &["1", "files"]);
    let runs = viewer.json("/view/api/runs");
    let names: Vec<&str> = runs["runs"].as_array().unwrap().iter().filter_map(|run| run["name"].as_str()).collect();
    assert_eq!(names, ["run 1", "files/log.eval", "files/two.jsonl"]);
    for run in runs["runs"].as_array().unwrap() {
        let key = run["key"].as_str().unwrap();
        let summary = viewer.json(&format!("/view/api/summary?run={key}"));
        assert!(summary["cases"].as_u64().is_some_and(|cases| cases > 0), "{summary}");
        let all = viewer.json(&format!("/view/api/cases?run={key}"));
        assert_eq!(all["total"], summary["cases"]);
        let none = viewer.json(&format!("/view/api/cases?run={key}&q=text~qqqqqqqq"));
        assert_eq!(none["total"], 0);
        let at = all["rows"][0]["at"].as_array().unwrap();
        let case = viewer.json(&format!("/view/api/case?run={key}&at={},{}", at[0], at[1]));
        assert_eq!(case["id"], all["rows"][0]["id"]);
    }
    let two = viewer.json("/view/api/summary?run=f2");
    assert_eq!(two["rows"].as_array().map(Vec::len), Some(2), "{two}");
    // Both ways to ask come to the same, and every case is on one side.
    let total =
        |query: &str| viewer.json(&format!("/view/api/cases?run=r1&q={}", form(query)))["total"].as_u64().unwrap();
    assert_eq!(total("id:symbol-helium"), 1);
    assert_eq!(total("flipped") + total("-flipped"), total(""));
    assert!(total("flipped:exact_match") > 0 && total("flipped:exact_match") <= total("flipped"));
    assert_eq!(total("tag:chemistry") + total("-tag:chemistry"), total(""));
    assert!(total("status:failed") < total("status:scored"));
    assert_eq!(total("text~\"WHICH SYMBOL do chemists write for helium\""), 1);
}

#[test]
fn what_cannot_be_shown_is_told_before_anything_is_served() {
    let folder = tempfile::tempdir().unwrap();
    let told = |words: &[&str]| {
        let output = run(folder.path(), words);
        (code(&output), both_streams(&output))
    };
    let (ending, words) = told(&["view"]);
    assert_eq!(ending, 1, "{words}");
    assert!(
        words.contains("no run was found: there is no store `.probare/store.db`, and no file of results in `.`")
            && words.contains("probare run probare.yaml"),
        "{words}"
    );
    let (ending, words) = told(&["view", "nowhere.jsonl"]);
    assert_eq!(ending, 64, "{words}");
    assert!(words.contains("`nowhere.jsonl` is not a run, a file or a folder"), "{words}");
    let (ending, words) = told(&["view", "7"]);
    assert!(ending != 0 && words.contains("store"), "{words}");
    assert!(!folder.path().join(".probare").exists(), "looking makes no store");
    let mut serve = command(folder.path(), &["serve", "--view", "--listen", "127.0.0.1:0"]);
    let output = serve.env_remove("PROBARE_SERVE_TOKEN").output().unwrap();
    assert_eq!(code(&output), 64);
    assert!(both_streams(&output).contains("--view needs a token"), "{}", both_streams(&output));
}
